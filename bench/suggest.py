#!/usr/bin/env python3
"""Measures `lode suggest --want`: how near the number is, how long it takes, whether its interval holds.

usage: suggest.py [--limit SECONDS] [--want N,N] [--target T,T] [--rules PROGRAM] [NAME ...]

For every data set of $LODE_DATA/itemsets, target and number wanted: the threshold that is suggested, the
true number there (counted by `lode itemsets --count` within the limit), the factor between wanted and true, the
processor time of both without reading, and whether the printed interval holds the true number. Writes
bench/results/suggest-DATE.csv, where rows that were not measured this time stay. Rules are counted by `PROGRAM rules --count` (by default the same program).

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import datetime
import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
DATA = Path(os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data")) / "itemsets"
COLUMNS = ["data", "target", "want", "threshold", "estimate", "low", "high", "true", "factor", "exists",
           "suggest_s", "count_s", "in_time", "within", "holds"]


def timed(command):
    """The output and the processor seconds of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def reading(path):
    """Processor seconds of reading alone: the least of three runs that find nothing."""
    return min(timed([LODE, "itemsets", path, "-s", "4294967295", "--count", "-q", "-j1"])[1]
               for _ in range(3))


def counted(path, target, threshold, args):
    """The true number at a threshold, the processor seconds, and whether all were counted."""
    if target == "rules":
        command = [args.rules, "rules", path, "-s", threshold, "-c", "50%"]
    else:
        command = [LODE, "itemsets", path, "-s", threshold, "-t", target]
    done, seconds = timed(command + ["--count", "-q", "-j1", "--limit-time", str(args.limit)])
    total = [line.split()[1] for line in done.stdout.splitlines() if line.startswith("total")]
    if done.returncode == 0 and total:
        return int(total[0]), seconds, True
    return (2**64 if "2^64" in done.stderr else int(total[0]) if total else None), seconds, False


def measure(path, target, want, base, args):
    done, seconds = timed([LODE, "suggest", path, "--want", str(want), "-t", target, "-w", "csv", "-j1"])
    answers = [row for row in csv.DictReader(done.stdout.splitlines()) if row["answer"] == "true"]
    row = dict(data=Path(path).name, target=target, want=want, suggest_s=round(max(seconds - base, 0), 3))
    if not answers:
        return row
    a = answers[0]
    number, count_s, whole = counted(path, target, a["count"], args)
    row.update(threshold=a["count"], estimate=a["patterns"], low=a["low"], high=a["high"], true=number,
               count_s=round(max(count_s - base, 0), 3))
    row["in_time"] = row["suggest_s"] <= max(0.5, row["count_s"] / 10)
    if number and (whole or number > float(a["high"])):
        row["factor"] = round(max(number / want, want / number), 3)
        row["exists"] = not (a["count"] == "1" and number < want)
        row["within"] = row["factor"] <= 1.5
        row["holds"] = float(a["low"]) <= number * (1 + 1e-9) and number <= float(a["high"]) * (1 + 1e-9)
    return row


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[2][7:])
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--want", default="1000,1000000,1000000000")
    parser.add_argument("--target", default="all,closed,rules")
    parser.add_argument("--rules", default=LODE)
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    files = [p for p in sorted(DATA.glob("*.zst"))
             if not args.names or any(p.name.startswith(n) for n in args.names)]
    rows = []
    for path in files:
        base = reading(str(path))
        for target in args.target.split(","):
            for want in args.want.split(","):
                rows.append(measure(str(path), target, int(want), base, args))
                print(",".join(str(rows[-1].get(c, "")) for c in COLUMNS), flush=True)
    for what in ("within", "in_time", "holds"):
        known = [r for r in rows if what in r and r.get("exists", True)]
        print(f"{what}: {sum(bool(r[what]) for r in known)} of {len(known)}", file=sys.stderr)
    name = ROOT / "bench" / "results" / f"suggest-{datetime.date.today()}.csv"
    if name.exists():
        with open(name, newline="", encoding="utf-8") as old:
            measured = {(r["data"], r["target"], str(r["want"])) for r in rows}
            rows += [r for r in csv.DictReader(old) if (r["data"], r["target"], r["want"]) not in measured]
        rows.sort(key=lambda r: (r["data"], r["target"], int(r["want"])))
    with open(name, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
