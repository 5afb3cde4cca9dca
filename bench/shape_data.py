#!/usr/bin/env python3
"""Baskets of a given shape: rows, columns, density, skew and correlation are all free.

usage: shape_data.py --rows N --columns N [--length X] [--skew X] [--patterns X] [--pattern-length X]
                     [--states N] [--noise X] [--seed N] -o FILE

A row has --length items on average. A share --patterns of them comes in groups of items that occur
together, of --pattern-length items each; the others are drawn alone. Columns are drawn with weights
1/rank^skew. With --states every column is a gene that is up, down or neither in each row, as measured
expression that was cut at two thresholds: --columns genes make twice as many items, --length is
ignored, --patterns is the share of genes that follow one of a few modules, and --noise how often
they do not.

The same words give the same file, on every machine.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import bisect
import itertools
import random
import sys

MODULES = 12  # of genes that go up and down together


def weights_of(columns, skew):
    """Running sums of 1/rank^skew: a random number is looked up in them to draw a column."""
    return list(itertools.accumulate((rank + 1) ** -skew for rank in range(columns)))


def draw_columns(rng, sums, n):
    return [bisect.bisect_left(sums, rng.random() * sums[-1]) for _ in range(n)]


def poisson(rng, mean):
    """Whole numbers distributed around a mean, at least 1. (Normal draws: means here are small or
    spread little.)"""
    return max(1, round(rng.gauss(mean, mean ** 0.5)))


def baskets(shape):
    rng = random.Random(shape.seed)
    sums = weights_of(shape.columns, shape.skew)
    patterns = [draw_columns(rng, sums, poisson(rng, shape.pattern_length))
                for _ in range(max(5, shape.columns // 10))]
    for _ in range(shape.rows):
        want, row = min(poisson(rng, shape.length), shape.columns), set()
        for _ in range(4 * want):  # skewed columns repeat: a row may stay shorter
            if len(row) >= want:
                break
            if rng.random() * shape.pattern_length < shape.patterns:
                row.update(item for item in rng.choice(patterns) if rng.random() < 0.9)
            else:
                row.update(draw_columns(rng, sums, 1))
        yield sorted(row)


def genes(shape):
    """Rows of a matrix whose cells are up (an even item), down (an odd one) or neither."""
    rng = random.Random(shape.seed)
    modules = [[rng.randrange(shape.states) for _ in range(shape.rows)] for _ in range(MODULES)]
    follows = [rng.randrange(MODULES) if rng.random() < shape.patterns else None for _ in range(shape.columns)]
    for number in range(shape.rows):
        row = []
        for gene, module in enumerate(follows):
            free = module is None or rng.random() < shape.noise
            state = rng.randrange(shape.states) if free else modules[module][number]
            if state < 2:
                row.append(2 * gene + state)
        yield row


def write(shape, path):
    with open(path, "w", encoding="ascii") as out:
        for row in genes(shape) if shape.states else baskets(shape):
            out.write(" ".join(map(str, row)) + "\n")


def reader():
    """The options, which shapes.py also fills in itself."""
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, kind, fallback, words in (
            ("rows", int, 1000, "transactions"), ("columns", int, 100, "items that there are, or genes"),
            ("length", float, 10, "items of a row, on average"), ("skew", float, 0, "0: all columns are as likely"),
            ("patterns", float, 0.5, "share of what comes in groups"), ("pattern-length", float, 4, "items of a group"),
            ("states", int, 0, "3: genes that are up, down or neither"), ("noise", float, 0.2, "of genes in a module"),
            ("seed", int, 1, "of the random numbers")):
        options.add_argument(f"--{name}", type=kind, default=fallback, help=f"{words} [{fallback}]")
    options.add_argument("-o", dest="output", metavar="FILE", help="where to [standard output]")
    return options


def main():
    shape = reader().parse_args()
    if shape.rows < 1 or shape.columns < 1:
        print("shape_data: expected at least one row and one column", file=sys.stderr)
        return 2
    write(shape, shape.output or "/dev/stdout")
    return 0


if __name__ == "__main__":
    sys.exit(main())
