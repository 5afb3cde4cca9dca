#!/usr/bin/env python3
"""Ranges of numbers (--bins) against an oracle: quantiles, widths, cuts and MDLP on five columns.

The oracle computes cuts with exact fractions; only entropies are doubles. Columns have ties, negative numbers, exponents,
missing values and constants; numbers have points, commas and thousands. Each table is also read with weights, with rows
left out, compressed, from standard input and in two files.

usage: test_bins.py      (LODE_BIN is the program)

SPDX-License-Identifier: Apache-2.0
"""
import gzip
import json
import os
import random
import subprocess
import tempfile
import unittest
from collections import Counter
from fractions import Fraction
from math import log2
from pathlib import Path

LODE = os.environ.get("LODE_BIN", "build/lode")
MISSING = ("", "NA", "NaN", "?")


def lode(*words, status=0, given=None):
    done = subprocess.run([LODE, *map(str, words)], input=given, capture_output=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout.decode(), done.stderr.decode()


# ---- the oracle ------------------------------------------------------------------------------------------------------

def quantiles(values, k):
    """Type 7 of Hyndman and Fan, the default of R and NumPy."""
    values = sorted(values)
    cuts = set()
    for part in range(1, k):
        place = Fraction((len(values) - 1) * part, k)
        low = int(place)
        cut = values[low]
        if place > low:
            cut += (place - low) * (values[low + 1] - values[low])
        if cut > values[0]:
            cuts.add(cut)
    return sorted(cuts)


def widths(values, k):
    low, high = min(values), max(values)
    return [low + (high - low) * Fraction(part, k) for part in range(1, k)] if high > low else []


def entropy(classes):
    total = sum(classes.values())
    return -sum(n / total * log2(n / total) for n in classes.values() if 0 < n < total)


def mdlp(pairs):
    """Fayyad and Irani, 1993: pairs are (value, class)."""
    values = sorted({x for x, _ in pairs})
    best = None
    for low, high in zip(values, values[1:]):
        left = Counter(c for x, c in pairs if x <= low)
        right = Counter(c for x, c in pairs if x > low)
        both = (left.total() * entropy(left) + right.total() * entropy(right)) / len(pairs)
        if best is None or both < best[0] - 1e-12:
            best = both, low, high, left, right
    if best is None:
        return []
    both, low, high, left, right = best
    whole = left + right
    n, k = len(pairs), len(whole)
    cost = log2(3**k - 2) - (k * entropy(whole) - len(left) * entropy(left) - len(right) * entropy(right))
    if entropy(whole) - both <= (log2(n - 1) + cost) / n:
        return []
    return (mdlp([p for p in pairs if p[0] <= low]) + [(low + high) / 2] +
            mdlp([p for p in pairs if p[0] > low]))


def bin_of(x, cuts):
    return sum(x >= cut for cut in cuts)


# ---- data ------------------------------------------------------------------------------------------------------------

class Column:
    """Numbers as Fractions (None = missing), and a way to write them."""

    def __init__(self, values, write=lambda x: f"{float(x):.6g}"):
        self.values = values
        self.texts = [random.Random(i).choice(MISSING) if x is None else write(x) for i, x in enumerate(values)]


def comma(x):
    return f"{float(x):.2f}".replace(".", ",")


def thousands(x):
    return f"{float(x):,.2f}"


def make(seed, write=None):
    r = random.Random(seed)
    n = r.choice((40, 121, 200))
    gap = lambda x: None if r.random() < 0.1 else x
    kinds = {
        "ties": [gap(Fraction(r.randrange(6))) for _ in range(n)],
        "even": [gap(Fraction(r.randrange(-5000, 500000), 4)) for _ in range(n)],
        "normal": [gap(Fraction(round(r.gauss(0, 400)), 4)) for _ in range(n)],
        "tiny": [gap(Fraction(r.randrange(1, 9), 4) if r.random() < 0.9 else Fraction(-7)) for _ in range(n)],
        "same": [gap(Fraction(9)) for _ in range(n)],
    }
    columns = {name: Column(values, write or (lambda x: f"{float(x):.10g}")) for name, values in kinds.items()}
    columns["tiny"].texts = [text if text in MISSING or write else f"{float(text):e}" for text in columns["tiny"].texts]
    label = ["NA" if r.random() < 0.05 else
             "low" if (e is not None and e < 40000) != (r.random() < 0.1) else
             "high" if (v or 0) > 20 else "middle"
             for e, v in zip(kinds["even"], kinds["normal"])]
    weights = [r.randrange(4) for _ in range(n)]
    return columns, label, weights


def table(columns, label, weights, separator=","):
    rows = [["id", *columns, "label", "w"]]
    for i, (name, weight) in enumerate(zip(label, weights)):
        rows.append([f"t{i}", *(c.texts[i] for c in columns.values()), name, str(weight)])
    quote = lambda cell: f'"{cell}"' if separator in cell else cell
    return "".join(separator.join(map(quote, row)) + "\n" for row in rows).encode()


def ranges(text, column):
    """The supports of the ranges of a column, in ascending order."""
    found = []
    for line in text.splitlines():
        row = json.loads(line)
        item = row["items"][0]
        if len(row["items"]) != 1 or not item.startswith(column + "="):
            continue
        value = item[len(column) + 1:]
        low = float("-inf") if value[0] == "<" else float(value.strip(">=[)").split(",")[0])
        found.append((low, row["count"]))
    return [count for _, count in sorted(found)]


def expected(column, cuts, weights):
    bins = Counter()
    for x, weight in zip(column.values, weights):
        if x is not None and cuts:
            bins[bin_of(x, cuts)] += weight
    return [bins[i] for i in sorted(bins) if bins[i] > 0]


class Bins(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def mine(self, *words, given=None):
        out, err = lode("itemsets", *words, "-s", 1, "--max-size", 1, "-w", "jsonl", "--ignore", "id", given=given)
        return out, err

    def cuts_of(self, err, column):
        for line in err.splitlines():
            head = f"the numbers of {column} were divided at "
            if head in line:
                return [float(x) for x in line.split(head)[1].split()]
        return []

    def check(self, how, oracle, seed, write=None, separator=","):
        columns, label, weights = make(seed, write)
        file = self.path / "t.csv"
        file.write_bytes(table(columns, label, weights, separator))
        words = [word for name in columns for word in ("--bins", f"{name}={how}")]
        weighted = seed % 2
        words += ["--weight", "w"] if weighted else ["--ignore", "w"]
        out, err = self.mine(file, *words)
        used = weights if weighted else [1] * len(weights)
        for name, column in columns.items():
            known = [(x, c) for x, c, w in zip(column.values, label, used) if x is not None for _ in range(w)]
            cuts = oracle(known)
            got = self.cuts_of(err, name)
            self.assertEqual(len(got), len(cuts), (how, seed, name, got, [float(c) for c in cuts]))
            for a, b in zip(got, cuts):
                self.assertAlmostEqual(a, float(b), delta=1e-9 * max(1, abs(float(b))))
            self.assertEqual(ranges(out, name), expected(column, cuts, used), (how, seed, name))

    def test_quantiles(self):
        for seed in range(2):
            for k in (2, 5, 50):
                self.check(f"quantiles:{k}", lambda pairs: quantiles([x for x, _ in pairs], k), seed)

    def test_width(self):
        for seed in range(2):
            for k in (2, 7):
                self.check(f"width:{k}", lambda pairs: widths([x for x, _ in pairs], k), seed)

    def test_cuts(self):
        cuts = [Fraction(-3), Fraction(1, 2), Fraction(40), Fraction(10**5)]
        for seed in range(2):
            self.check("-3,0.5,40,1e5", lambda pairs: cuts, seed)

    def test_mdlp(self):
        for seed in range(4):
            self.check("mdlp:label", lambda pairs: mdlp([p for p in pairs if p[1] != "NA"]), seed)

    def test_numbers(self):
        """Decimal commas with semicolons, thousands within quotes."""
        halves = lambda pairs: quantiles([x for x, _ in pairs], 4)
        self.check("quantiles:4", halves, 3, comma, ";")
        self.check("quantiles:4", halves, 4, thousands, ",")

    def test_inputs(self):
        """The same ranges from two files, from standard input, compressed; with rows left out, others."""
        columns, label, weights = make(5)
        text = table(columns, label, [1] * len(weights))
        head, *rows = text.splitlines(keepends=True)
        half = len(rows) // 2
        (self.path / "a.csv").write_bytes(head + b"".join(rows[:half]))
        (self.path / "b.csv").write_bytes(head + b"".join(rows[half:]))
        (self.path / "c.csv.gz").write_bytes(gzip.compress(text))
        how = ("--bins", "even=quantiles:5", "--bins", "normal=mdlp:label", "--ignore", "w")
        whole, _ = self.mine("-", *how, given=text)
        self.assertEqual(len(ranges(whole, "even")), 5)
        self.assertGreater(len(ranges(whole, "normal")), 1)
        self.assertEqual(self.mine(self.path / "c.csv.gz", *how, "-j", 8)[0], whole)
        self.assertEqual(self.mine(self.path / "a.csv", self.path / "b.csv", *how)[0], whole)
        self.assertEqual(self.mine("-", *how, "--memory", "4M", given=text)[0], whole)
        _, err = self.mine("-", *how, "--drop-rows", "even>=40000", given=text)
        kept = [x for x in columns["even"].values if x is not None and x < 40000]
        for a, b in zip(self.cuts_of(err, "even"), quantiles(kept, 5), strict=True):
            self.assertAlmostEqual(a, float(b), places=6)


if __name__ == "__main__":
    unittest.main()
