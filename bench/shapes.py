#!/usr/bin/env python3
"""Looks for data on which another miner is faster: draws random shapes, and keeps the worst ratios.

usage: shapes.py [--shapes N] [--seed N] [--jobs N] [--repeat N] [--seconds N] [--only TARGET] [--machine NAME]

A shape is a number of rows, of columns, a length, a skew, a correlation (bench/shape_data.py), a target
and a threshold: the highest of a falling row of thresholds at which eclat takes --least seconds. There,
lode and every peer of LODE_PEERS run once; then lode and the two best peers --repeat times in turn. The
ratio is lode's CPU time, one thread, over that of the best peer: above 1 the peer is faster. Counts that
differ are a failure, of lode or of the peer, and are told. After --seconds no new shape is begun.

    LODE_PEERS=~/miners shapes.py --shapes 500 --jobs 8           the search
    LODE_PEERS=~/miners shapes.py --again worst.txt               shapes of an earlier search, one a line

Writes bench/results/shapes-MACHINE-DATE.csv: all shapes, the worst first, each with the words that
make its data.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import csv
import itertools
import json
import math
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

import shape_data
from problem import ROOT, Problem, note
from runs import TimeUp, build_launcher, run_once

sys.path.insert(0, str(ROOT / "tools"))
import provenance  # noqa: E402

TIMEOUT = 40  # seconds of a run; what takes longer counts as this
SLOWER = 3  # a peer that takes so many times as long as lode, and a second, is not waited for
DRAWS = 20  # of a shape, until one is not too easy
CELLS = 2_000_000  # of a data set, at most: reading is not what is compared
TARGETS = ("all", "closed", "closed", "maximal", "maximal", "generators")  # drawn among these
LETTERS = {"all": "s", "closed": "c", "maximal": "m", "generators": "g"}
FIRST_NUMBER = {"count": r"\A\s*(\d+)", "count_extra": 1}  # of LCM, which counts the empty set


def borgelt(words):
    return {"command": "{peers}/" + words + " -t{letter} -S-99999999 -s-{minsup} {file}"}


PEERS = {
    **{f"eclat -A{variant}": borgelt(f"eclat -A{variant}") for variant in "aeior"},
    **{f"fpgrowth -A{variant}": borgelt(f"fpgrowth -A{variant}") for variant in "csd"},
    "carpenter": borgelt("carpenter"), "ista": borgelt("ista"),
    **{f"lcm{n}": {"command": f"{{peers}}/lcm{n}_{{target}} {{file}} {{minsup}}", **FIRST_NUMBER} for n in (2, 3)},
}
LODE = {"command": "{lode} itemsets {file} -s {minsup} --target {target} --threads 1 --count -q --device cpu"}
PROBE = "eclat -Aa"


def suits(name, shape):
    """Whether a peer can do it: row enumeration of thousands of rows does not finish."""
    if name.startswith("lcm"):
        return shape["target"] in ("all", "closed")
    if name in ("carpenter", "ista"):
        return shape["target"] in ("closed", "maximal") and shape["rows"] <= 1000
    return True


# ---- shapes ----

def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def draw_genes(rng):
    return {"rows": int(log_uniform(rng, 12, 150)), "columns": int(log_uniform(rng, 300, 8000)), "states": 3,
            "patterns": round(rng.random(), 2), "noise": round(rng.uniform(0.02, 0.5), 2)}


def draw_baskets(rng):
    rows, columns = int(log_uniform(rng, 20, 200_000)), int(log_uniform(rng, 10, 20_000))
    longest = min(columns * 0.8, CELLS / rows, 400)
    return {"rows": rows, "columns": columns, "length": round(log_uniform(rng, min(2, longest), longest), 1),
            "skew": round(rng.uniform(0, 1.3), 2), "patterns": round(rng.random(), 2),
            "pattern_length": round(log_uniform(rng, 2, 20), 1)}


def draw_shape(seed, number, only):
    rng = random.Random(f"{seed}.{number}")
    shape = (draw_genes if rng.random() < 0.15 else draw_baskets)(rng)
    target = rng.choice([target for target in TARGETS if only in (None, target)])
    return {**shape, "seed": number, "target": target}


def words_of(shape):
    """The options of shape_data.py that make the shape."""
    return " ".join(f"--{name.replace('_', '-')} {value}" for name, value in shape.items() if name not in ("target", "minsup"))


def make_data(shape, path):
    options = shape_data.reader().parse_args(words_of(shape).split())
    shape_data.write(options, path)


# ---- runs ----

class Bench:
    """Where programs and data are."""

    def __init__(self, peers, lode):
        self.places = {"peers": peers, "lode": lode}
        self.peers = {name: command for name, command in PEERS.items() if self.found(name)}
        if PROBE not in self.peers:
            raise Problem("LODE_PEERS has to name a folder with eclat at least: there is nothing to compare with")

    def found(self, name):
        if name.startswith("lcm"):
            return Path(self.places["peers"], f"{name}_all").exists()
        return Path(self.places["peers"], name.split()[0]).exists()

    def run(self, command, shape, path, timeout=TIMEOUT):
        """(CPU seconds, count); the count is None where it took too long or failed."""
        values = {**self.places, "file": str(path), "target": shape["target"], "letter": LETTERS[shape["target"]],
                  "minsup": str(shape["minsup"])}
        try:
            run = run_once(command, values, timeout)
        except TimeUp:
            return timeout, None
        except Problem:
            return math.inf, None
        return run["cpu"], run["count"]

    def settle(self, shape, path, least):
        """Gives the shape its threshold: the first of a falling series at which the probe takes
        long enough, or the last at which it ends in time. Returns False if it is too easy at all
        of them."""
        minsup, took = max(2, shape["rows"] // 2), 0
        while took < least and minsup >= 2:
            seconds, count = self.run(self.peers[PROBE], {**shape, "minsup": minsup}, path, 4)
            if count is None and seconds < math.inf:  # it did not end; without frequent items it fails
                break
            shape["minsup"], took = minsup, seconds if count is not None else 0
            minsup = min(minsup - 1, max(2, int(minsup * 0.7)))
        return took >= least / 4

    def compare(self, shape, path, repeat):
        """The row of a shape."""
        peers = {name: command for name, command in self.peers.items() if suits(name, shape)}
        mine = [self.run(LODE, shape, path)]
        patience = min(TIMEOUT, SLOWER * mine[0][0] + 1)
        once = {name: self.run(command, shape, path, patience) for name, command in peers.items()}
        counts = [count for _, count in once.values() if count is not None]
        wanted = statistics.mode(counts) if counts else None
        wrong = [name for name, (_, count) in once.items() if count is not None and count != wanted]
        right = sorted((name for name in once if once[name][1] == wanted and wanted is not None), key=lambda name: once[name][0])
        times = {name: [once[name][0]] for name in right[:2]}
        for _ in range(repeat if mine[0][1] is not None else 0):
            mine.append(self.run(LODE, shape, path))
            for name, seconds in times.items():
                seconds.append(self.run(peers[name], shape, path)[0])
        best = min(times, key=lambda name: statistics.median(times[name]), default=None)
        ours, theirs = (statistics.median(values) if values else math.nan
                        for values in ([seconds for seconds, _ in mine], times.get(best)))
        differs = wanted is not None and mine[0][1] is not None and mine[0][1] != wanted
        refused = mine[0][0] == math.inf  # 2^64 patterns or more: peers wrap around
        return {"ratio": math.nan if refused else round(ours / theirs, 3), "lode": round(ours, 3), "best": round(theirs, 3), "peer": best or "none",
                "target": shape["target"], "minsup": shape["minsup"], "count": wanted,
                "note": f"COUNTS DIFFER: {mine[0][1]}" if differs else "lode refused" if refused else
                        "not ended" if mine[0][1] is None else f"wrong: {', '.join(wrong)}" if wrong else "",
                "data": words_of(shape)}


def try_shape(bench, shape, options):
    """The row of a shape; None if it is too easy to show a difference."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="lode-shapes-", dir=place) as folder:
        path = Path(folder, "shape.dat")
        make_data(shape, path)
        if "minsup" not in shape and not bench.settle(shape, path, options.least):
            return None
        return bench.compare(shape, path, options.repeat)


def try_number(bench, number, options):
    """The row of the first shape with this number that is not too easy; None when the time is up.
    """
    for attempt in itertools.count():
        if time.monotonic() > options.until:
            return None
        row = try_shape(bench, draw_shape(options.seed, DRAWS * number + attempt % DRAWS, options.only), options)
        if row or attempt == DRAWS:
            return row


def shapes_again(path):
    """The shapes of a file."""
    found = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        minsup, target, words = line.split(None, 2)
        chosen = vars(shape_data.reader().parse_args(words.split()))
        usual = vars(shape_data.reader().parse_args([]))
        found.append({name: value for name, value in chosen.items() if value != usual[name] or name in ("rows", "seed")}
                     | {"target": target, "minsup": int(minsup)})
    return found


def main():
    reader = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, kind, fallback, words in (
            ("shapes", int, 500, "to try"), ("seed", str, "1", "of the shapes"), ("jobs", int, 1, "at a time"),
            ("repeat", int, 3, "further runs of lode and the two best peers"), ("least", float, 0.15, "seconds of eclat"),
            ("seconds", float, math.inf, "after which no shape is begun"), ("only", str, None, "this target"), ("again", str, None, "a file of MINSUP TARGET WORDS lines"),
            ("machine", str, None, "name in the file of results")):
        reader.add_argument(f"--{name}", type=kind, default=fallback, help=f"{words} [{fallback}]")
    options = reader.parse_args()
    options.until = time.monotonic() + options.seconds
    machine = options.machine or provenance.machine_slug()
    try:
        build_launcher()
        bench = Bench(os.environ.get("LODE_PEERS", ""), os.environ.get("LODE_BIN", str(ROOT / "build" / "lode")))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            tried = (pool.map(lambda shape: try_shape(bench, shape, options), shapes_again(options.again)) if options.again
                     else pool.map(lambda number: try_number(bench, number, options), range(options.shapes)))
            rows = []
            for row in filter(None, tried):
                rows.append(row)
                print(json.dumps(row), flush=True)
    except Problem as problem:
        note(f"shapes.py: {problem}")
        return 1
    return report(rows, machine)


def report(rows, machine):
    rows.sort(key=lambda row: -row["ratio"] if not math.isnan(row["ratio"]) else 0)
    path = provenance.results_path("shapes", machine)
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write("\n".join(provenance.header(machine)) + "\n")
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    measured = [row["ratio"] for row in rows if row["ratio"] > 0]
    above = sum(ratio > 1 for ratio in measured)
    mean = math.exp(sum(map(math.log, measured)) / len(measured)) if measured else math.nan
    print(f"{len(rows)} shapes: geometric mean of the ratios {mean:.3f}, {above} above 1; written: {path}")
    for row in rows[:10]:
        print(f"  {row['ratio']:7.3f}  {row['lode']:.3f} / {row['best']:.3f} s {row['peer']:<12} {row['target']:<10} "
              f"at {row['minsup']} of {row['data']}  {row['note']}")
    return 1 if any("DIFFER" in row["note"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
