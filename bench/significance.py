#!/usr/bin/env python3
"""Measures how often `--significant` errs and what it finds, on data whose truth is known.

usage: significance.py [--runs N] [--jobs N] [--permutations J] [null|planted|sgmine ...]

null      Random labels for chess (itemsets in at least 80% of the rows) and Chemical_340 (subgraphs). Whatever is
          significant is an error: its share must be at most 0.05, and of 1,000 runs at most 0.071 (three standard
          deviations). Labels that are permuted keep the sizes of the groups.
planted   5,000 rows and 200 items; three of the items occur together in 5% of the rows, where the odds of the first
          class are three times as high. All else is independent of the class. Counts the data sets in which the planted
          set is found, and those with a false finding: a significant set without any of the planted items, whose
          association is nothing but chance. (Sets with some of the items are associated with the class, if weakly.)
sgmine    Chemical_340 by the rules of sgmine (Llinares-Lopez et al., KDD 2015) instead of lode's: the level is a
          quantile of one-sided p-values, and subgraphs are compared with it by twice their one-sided p-value.

Without names, all three run. Each prints a line, and is written to bench/results/significance-DATE.csv. Seeds are 1 to
N, so that a run can be repeated.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import csv
import datetime
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
DATA = Path(os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data"))
COLUMNS = ["experiment", "data", "method", "runs", "what", "number", "share", "low", "high", "must"]
ALPHA = 0.05
MOST = 0.071    # of 1,000 runs: 0.05 and three standard deviations
ROWS, ITEMS, PLANTED, PLANTED_SHARE, ODDS = 5000, 200, (3, 77, 150), 0.05, 3


def lode(*words):
    done = subprocess.run([LODE, *map(str, words), "-q", "-j1", "--device", "cpu"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words}: {done.stderr}")
    return done.stdout


def unpack(path, folder):
    """The path of an uncompressed copy."""
    target = Path(folder) / path.name.removesuffix(".zst")
    if not target.exists():
        with open(target, "wb") as out:
            subprocess.run(["zstd", "-dqc", path], stdout=out, check=True)
    return target


def wilson(number, runs, z=1.96):
    """The 95% interval of a share."""
    share, square = number / runs, z * z / runs
    middle, half = share + square / 2, z * math.sqrt((share * (1 - share) + square / 4) / runs)
    return (middle - half) / (1 + square), (middle + half) / (1 + square)


def line(experiment, data, method, runs, what, number, must):
    low, high = wilson(number, runs)
    row = dict(experiment=experiment, data=data, method=method, runs=runs, what=what, number=number,
               share=round(number / runs, 4), low=round(low, 4), high=round(high, 4), must=must)
    print(",".join(str(row[c]) for c in COLUMNS), flush=True)
    return row


# ---- no difference between the groups ----------------------------------------------------------------------------

def null_one(command, labels, method, seed, folder):
    """Whether anything is significant for random labels."""
    labels = labels[:]
    random.Random(seed).shuffle(labels)
    path = Path(folder) / f"{seed}.labels"
    path.write_text("\n".join(labels) + "\n")
    out = lode(*command, "--class", path, "--significant", ALPHA, "--by", method, "--seed", seed, "--count") \
        if method != "tarone" else lode(*command, "--class", path, "--significant", ALPHA, "--count")
    path.unlink()
    return int(out.split()[-1]) > 0


def null(args, folder):
    chess = unpack(DATA / "itemsets" / "chess.dat.zst", folder)
    graphs = unpack(DATA / "graphs" / "Chemical_340.lg.zst", folder)
    labels = unpack(DATA / "graphs" / "Chemical_340.class.zst", folder).read_text().split()
    n = len(chess.read_text().splitlines())
    sets = {"chess, at least 80%": (["itemsets", chess, "-s", "80%"], ["a", "b"] * (n // 2) + ["a"] * (n % 2)),
            "Chemical_340": (["graphs", graphs], labels)}
    for name, (command, classes) in sets.items():
        for method in ("tarone", f"permutation={args.permutations}"):
            def one(seed, command=command, classes=classes, method=method):
                return null_one(command, classes, method, seed, folder)
            with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
                wrong = sum(pool.map(one, range(1, args.runs + 1)))
            least = "" if method == "tarone" else "0.03 to "
            yield line("null", name, method, args.runs, "data sets with an error", wrong, f"{least}at most {MOST}")


# ---- a planted difference ----------------------------------------------------------------------------------------

def planted_data(seed):
    """Rows as lists of items, and their labels."""
    r = random.Random(seed)
    rates = [r.uniform(0.01, 0.1) for _ in range(ITEMS)]
    rows, labels = [], []
    for _ in range(ROWS):
        planted = r.random() < PLANTED_SHARE
        row = {i for i, rate in enumerate(rates) if r.random() < rate}
        odds = ODDS if planted else 1
        rows.append(sorted(row | set(PLANTED) if planted else row) or [ITEMS])
        labels.append("a" if r.random() < odds / (1 + odds) else "b")
    return rows, labels


def planted_one(seed, method, folder):
    rows, labels = planted_data(seed)
    data, classes = Path(folder) / f"{seed}.dat", Path(folder) / f"{seed}.labels"
    data.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    classes.write_text("\n".join(labels) + "\n")
    by = [] if method == "tarone" else ["--by", method, "--seed", seed]
    out = lode("itemsets", data, "--class", classes, "--significant", ALPHA, *by, "-w", "jsonl")
    found = [set(map(int, json.loads(text)["items"])) for text in out.splitlines()]
    data.unlink()
    classes.unlink()
    return set(PLANTED) in found, any(not items & set(PLANTED) for items in found)


def planted(args, folder):
    for method in ("tarone", f"permutation={args.permutations}"):
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            results = list(pool.map(lambda seed: planted_one(seed, method, folder), range(1, args.runs + 1)))
        name = f"{ROWS} rows, {ITEMS} items"
        yield line("planted", name, method, args.runs, "planted set found", sum(r[0] for r in results),
                   "at least 0.99")
        yield line("planted", name, method, args.runs, "data sets with a false finding", sum(r[1] for r in results),
                   f"at most {MOST}")


# ---- the rules of sgmine -----------------------------------------------------------------------------------------

class Sgmine:
    """How sgmine computes p-values: one-sided for the level, the doubled one for the subgraphs."""

    def __init__(self, n, small):
        self.n, self.small = n, small

    @cache
    def tails(self, x):
        """By count: P(a <= count) and P(a >= count)."""
        low, high = max(0, x + self.small - self.n), min(x, self.small)
        every = math.comb(self.n, x)
        weights = [math.comb(self.small, a) * math.comb(self.n - self.small, x - a) for a in range(low, high + 1)]
        return {low + i: (sum(weights[:i + 1]) / every, sum(weights[i:]) / every) for i in range(len(weights))}

    @cache
    def one_sided(self, x, a):
        return min(self.tails(x)[a])

    def doubled(self, x, a):
        """It moves counts away from the ends of the table first."""
        n, small = self.n, self.small
        a = 1 if a == 0 else small - 1 if a == small else a
        a = x - 1 if x == a else x - n + small + 1 if x - a == n - small else a
        return 2 * min(self.tails(x)[a]) if 0 < a < min(small, x) and x + small - n < a else 1

    def level(self, extents, labels, permutations, seed):
        """The largest minimum such that at most 5% of the minima are as small; of ties, none."""
        r, minima, labels = random.Random(seed), [], labels[:]
        for _ in range(permutations):
            r.shuffle(labels)
            mask = sum(1 << i for i, x in enumerate(labels) if x == "1")
            minima.append(min(self.one_sided(e.bit_count(), (e & mask).bit_count()) for e in extents))
        minima.sort()
        at = int(ALPHA * permutations) - 1
        if minima[at] == minima[at + 1]:
            tie = minima[at]
            while minima[at] == tie:
                at -= 1
        return minima[at]


def sgmine(args, folder):
    graphs = unpack(DATA / "graphs" / "Chemical_340.lg.zst", folder)
    labels = unpack(DATA / "graphs" / "Chemical_340.class.zst", folder).read_text().split()
    rule, mask = Sgmine(len(labels), labels.count("1")), sum(1 << i for i, x in enumerate(labels) if x == "1")
    extents = {}
    for text in lode("graphs", graphs, "-s", 7, "-x", "-w", "jsonl", "--unsorted").splitlines():
        extent = sum(1 << int(g) for g in json.loads(text)["graphs"])
        extents[extent] = extents.get(extent, 0) + 1
    counts = {e: (e.bit_count(), (e & mask).bit_count()) for e in extents}
    levels = [("its Tarone level", 2.12748e-06)]
    levels += [(f"seed {s}", rule.level(extents, labels, 1000, s)) for s in range(1, min(args.runs, 10) + 1)]
    for name, level in levels:
        number = sum(k for e, k in extents.items() if rule.doubled(*counts[e]) < level)
        row = dict(experiment="sgmine", data="Chemical_340", method=name, what=f"subgraphs at {level:.6g}",
                   number=number, must="314 with one twice" if level == 2.12748e-06 else "")
        print(",".join(str(row.get(c, "")) for c in COLUMNS), flush=True)
        yield row


def main():
    experiments = {"null": null, "planted": planted, "sgmine": sgmine}
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[2][7:])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--permutations", type=int, default=1000)
    parser.add_argument("names", nargs="*", choices=[*experiments, []])
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in args.names or experiments:
            rows += experiments[name](args, folder)
    name = ROOT / "bench" / "results" / f"significance-{datetime.date.today()}.csv"
    with open(name, "w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
