#!/usr/bin/env python3
"""Where the search by rows is faster than the search by items: a map over rows, columns and density.

usage: row_map.py [--lode PROGRAM] [--target closed|maximal] [--seconds N] [--modules N]

For every cell, samples of genes are drawn: each gene is up (one item), down (another) or neither, and in some
samples some of the genes go together (modules). Closed sets are counted with one thread: by rows, by items
(LODE_CROSSWISE=always and =never) and as lode chooses. The table has CPU seconds; "> N" was ended. The last
column is what the choice costs: lode's own time by that of the better search.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile

ROWS = (30, 60, 120, 250)
GENES = (500, 2000)
PRESENT = (0.1, 0.3, 0.6)  # share of the genes of a sample that are up or down


def draw(rows, genes, present, modules, seed=1):
    """The samples, as lists of items: 2 g is gene g up, 2 g + 1 is gene g down."""
    pick = random.Random(seed)
    cells = [[pick.randrange(2) if pick.random() < present else None for _ in range(genes)]
             for _ in range(rows)]
    for _ in range(modules):
        members = pick.sample(range(rows), max(2, rows // 6))
        group = {g: pick.randrange(2) for g in pick.sample(range(genes), genes // 40)}
        for i in members:
            for g, way in group.items():
                if pick.random() < 0.95:
                    cells[i][g] = way
    return [[2 * g + way for g, way in enumerate(row) if way is not None] for row in cells]


def threshold(rows, present):
    """A little above the mean support of an item: with a lower threshold most cells take hours."""
    return max(3, round(rows * present / 2) + 1)


def measure(args, path, support, search):
    """CPU seconds and the number of sets; None if it took too long."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (args.seconds, args.seconds))
    env = dict(os.environ, LODE_CROSSWISE=search)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run([args.lode, "itemsets", path, "-s", str(support), "--target", args.target, "--count",
                          "--threads", "1"], env=env, preexec_fn=limit, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode != 0:
        return None, None
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, int(run.stdout.split()[-1])


def show(seconds, most):
    return f"> {most}" if seconds is None else f"{seconds:.3f}"


def cell(args, folder, rows, genes, present):
    path = os.path.join(folder, "genes.dat")
    with open(path, "w", encoding="utf-8") as out:
        for row in draw(rows, genes, present, args.modules):
            print(*row, file=out)
    support = threshold(rows, present)
    by_rows, n_rows = measure(args, path, support, "always")
    by_items, n_items = measure(args, path, support, "never")
    chosen, n = measure(args, path, support, "auto")
    counts = {k for k in (n_rows, n_items, n) if k is not None}
    if len(counts) > 1:
        sys.exit(f"row_map: {rows} x {genes}: the searches differ: {sorted(counts)}")
    best = min((s for s in (by_rows, by_items) if s is not None), default=None)
    ratio = "" if chosen is None or best is None else f"{chosen / best:.1f}"
    sets = f"{counts.pop():,}" if counts else ""
    print(f"| {rows} x {2 * genes:,} | {present / 2:.0%} | {support} | {sets} | {show(by_rows, args.seconds)} "
          f"| {show(by_items, args.seconds)} | {show(chosen, args.seconds)} | {ratio} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--lode", default="build/lode")
    parser.add_argument("--target", default="closed", choices=("closed", "maximal"))
    parser.add_argument("--seconds", type=int, default=3, help="CPU time after which a run is ended")
    parser.add_argument("--modules", type=int, default=5)
    args = parser.parse_args()
    print("| rows x items | density | support | sets | by rows | by items | lode | lode / best |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for rows in ROWS:
            for genes in GENES:
                for present in PRESENT:
                    cell(args, folder, rows, genes, present)


if __name__ == "__main__":
    main()
