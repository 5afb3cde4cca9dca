#!/usr/bin/env python3
"""Runs every row of counts.csv with every algorithm, checks the counts, and writes the table.

usage: golden.py [--limit SECONDS] [--jobs N] [--algorithms A,B,...] [--device D] [--memory SIZE]
                 [--device-memory SIZE] [--results DIR]

A row of the table says how long an algorithm took, or that it did not finish in the time allowed.
A wrong count or a failed run is marked in the table, and makes the exit status 1. With --jobs,
runs go side by side, with one thread each: times are then only approximate, counts are exact.
An algorithm may be given with options, such as `tensor --product mma --target closed`.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import csv
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import provenance  # noqa: E402

LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
DATA = Path(os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data")) / "itemsets"
STOPPED = 5  # exit status of a run that a limit has ended


def algorithms():
    """All but `auto` and the oracle."""
    listed = subprocess.run([LODE, "algorithms"], capture_output=True, text=True, check=True)
    table = listed.stdout.split("\n\n")[0]  # the miners of graphs follow after a blank line
    names = [line.split()[0] for line in table.splitlines()]
    return [name for name in names if name not in ("auto", "brute")]


def rows():
    """(file, percent, counts by target) of every line of counts.csv whose file is there."""
    with open(DATA / "counts.csv", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (DATA / row["file"]).exists():
                yield row["file"], row["minsup_percent"], row


def target_of(algorithm):
    words = algorithm.split()
    return words[words.index("--target") + 1] if "--target" in words else "all"


def run(file, percent, counts, algorithm, options):
    """One run, as a line of the table."""
    expected = int(counts[target_of(algorithm)])
    command = [LODE, "itemsets", str(DATA / file), "-s", f"{percent}%", "--count", "--quiet",
               "--threads", "1", "--limit-time", str(options.limit),
               "--algorithm", *algorithm.split()]
    if options.memory:
        command += ["--memory", options.memory]
    if options.device:
        command += ["--device", options.device]
    if options.device_memory and "--device-memory" not in command:
        command += ["--device-memory", options.device_memory]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - start
    line = {"file": file, "percent": percent, "algorithm": algorithm, "expected": expected,
            "seconds": f"{seconds:.2f}", "count": ""}
    if done.returncode == 0:
        line["count"] = int(done.stdout.split()[-1])
        line["result"] = "equal" if line["count"] == expected else "WRONG"
    elif done.returncode == STOPPED:
        line["result"] = f"over {options.limit} s"
    else:
        line["result"] = f"exit {done.returncode}: {done.stderr.strip()}"
    return line


def write_table(lines, options):
    """Writes the table, with its provenance at the top."""
    name = f"golden-{options.device}" if options.device else "golden"
    path = provenance.results_path(name, options.machine, options.results)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write("\n".join(provenance.header(options.machine)) + "\n")
        file.write(f"# limit: {options.limit} s, {options.jobs} runs side by side\n")
        table = csv.DictWriter(file, lines[0].keys(), lineterminator="\n")
        table.writeheader()
        table.writerows(lines)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--limit", type=float, default=60, help="seconds a search may take")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time")
    parser.add_argument("--algorithms", help="only these, separated by commas")
    parser.add_argument("--memory", help="memory budget of each run")
    parser.add_argument("--device", help="where to run, such as cuda")
    parser.add_argument("--device-memory", help="budget of each run in the memory of a GPU")
    parser.add_argument("--machine", default=provenance.machine_slug(), help="name in the file")
    parser.add_argument("--results", default=provenance.RESULTS, help="where the table goes")
    options = parser.parse_args()
    if not (DATA / "counts.csv").exists():
        sys.exit(f"golden.py: there is no {DATA / 'counts.csv'} (set LODE_DATA)")
    names = options.algorithms.split(",") if options.algorithms else algorithms()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(run, *row, name, options) for row in rows() for name in names
                if row[2][target_of(name)]]
        lines = [future.result() for future in runs]
    for name in names:
        own = [line["result"] for line in lines if line["algorithm"] == name]
        over = sum(result.startswith("over") for result in own)
        failed = len(own) - own.count("equal") - own.count("WRONG") - over
        print(f"{name:50} {own.count('equal')} equal, {own.count('WRONG')} wrong, {over} not finished"
              + f", {failed} failed" * (failed > 0))
    print(f"written: {write_table(lines, options)}")
    return any(line["result"] != "equal" and not line["result"].startswith("over") for line in lines)


if __name__ == "__main__":
    sys.exit(main())
