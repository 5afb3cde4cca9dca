#!/usr/bin/env python3
"""Measures of itemsets against exact fractions: values, bounds and order, in every format, by every algorithm.

The oracle counts every set of items by itself and computes the measures from the definitions in docs/measures.md. Values
must be equal to the last bit.

usage: test_itemset_measures.py      (LODE_BIN is the program)

SPDX-License-Identifier: Apache-2.0
"""
import csv
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction
from itertools import combinations
from math import prod
from pathlib import Path

LODE = os.environ.get("LODE_BIN", "build/lode")
NAMES = ("lift", "leverage", "allConfidence")


def lode(*words, status=0):
    done = subprocess.run([LODE, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stderr)
    return done.stdout


def number(fraction):
    """The nearest double; Fraction's division rounds correctly."""
    try:
        return fraction.numerator / fraction.denominator
    except OverflowError:
        return None     # infinite: null in JSON


class Oracle:
    """All itemsets of some rows, with their supports and measures."""

    def __init__(self, rows, weights=None):
        self.total = sum(weights or [1] * len(rows))
        self.supports = {}
        for row, weight in zip(rows, weights or [1] * len(rows)):
            items = sorted(set(row))
            for size in range(1, len(items) + 1):
                for items_of in combinations(items, size):
                    self.supports[items_of] = self.supports.get(items_of, 0) + weight

    def measures(self, items):
        n, support = self.total, Fraction(self.supports[items], self.total)
        single = [Fraction(self.supports[item,], n) for item in items]
        return (support / prod(single), support - prod(single), support / max(single))

    def patterns(self, least, keep=lambda items: True):
        return {items: (count, *map(number, self.measures(items)))
                for items, count in self.supports.items() if count >= least and keep(items)}


def rows_of(text):
    found = {}
    for line in text.splitlines():
        row = json.loads(line)
        items = tuple(sorted(row["items"]))
        assert items not in found, items
        found[items] = (row["count"], *(row[name] for name in NAMES))
    return found


def order_key(row):
    return tuple(sorted(row["items"]))


class MeasuresTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.chance = random.Random(40)

    def write(self, rows, name="data.csv"):
        path = self.folder / name
        path.write_text("".join(",".join(row) + "\n" for row in rows))
        return path

    def sample(self, n_rows, n_items):
        """Rows in which some items go together, and one item is in nearly all rows."""
        rows = []
        for _ in range(n_rows):
            row = [f"i{k}" for k in range(n_items) if self.chance.random() < 0.15 + 0.5 * (k % 3 == 0)]
            if self.chance.random() < 0.4:
                row += ["x", "y", "z"]
            rows.append(row or ["i0"])
        return rows

    def test_algorithms(self):
        rows = self.sample(120, 9)
        path, want = self.write(rows), Oracle(rows).patterns(4)
        self.assertGreater(len(want), 200)
        arguments = ("itemsets", path, "-s", 4, "-w", "jsonl", "-q", "--measure", ",".join(NAMES))
        names = [line.split()[0] for line in lode("algorithms").split("\n\nfor graphs")[0].splitlines()]
        for name in names:
            for threads in (1, 3):
                self.assertEqual(rows_of(lode(*arguments, "-a", name, "-j", threads)), want, (name, threads))
        self.assertEqual(rows_of(lode(*arguments, "--sort")), want)

    def test_bounds(self):
        rows = self.sample(150, 8)
        oracle, path = Oracle(rows), self.write(rows)
        bounds = [("--min", "lift", Fraction(11, 10)), ("--max", "lift", Fraction(9, 10)),
                  ("--min", "leverage", Fraction(1, 50)), ("--max", "leverage", Fraction(0)),
                  ("--min", "allConfidence", Fraction(1, 2)), ("--max", "allConfidence", Fraction(1, 4))]
        for option, name, bound in bounds:
            at = NAMES.index(name)
            sign = 1 if option == "--min" else -1
            want = oracle.patterns(3, lambda items: sign * (oracle.measures(items)[at] - bound) >= 0)
            self.assertGreater(len(want), 5, (option, name))
            self.assertLess(len(want), len(oracle.patterns(3)), (option, name))
            arguments = ("itemsets", path, "-s", 3, option, f"{name}={float(bound)}", "-q")
            for extra in ((), ("-j", 3), ("-a", "fpgrowth"), ("-a", "tensor"), ("--sort",)):
                found = rows_of(lode(*arguments, *extra, "-w", "jsonl", "--measure", ",".join(NAMES)))
                self.assertEqual(found, want, (option, name, extra))
            counts = lode(*arguments, "--count").split()
            self.assertEqual(int(counts[-1]), len(want))
            closed = lode("itemsets", path, "-s", 3, option, f"{name}={float(bound)}", "-q", "-t", "closed", "-w",
                          "jsonl", "--measure", ",".join(NAMES))
            for items, values in rows_of(closed).items():
                self.assertEqual(values, want[items])

    def test_constraints(self):
        """Supports of items are those of all transactions, though fewer are searched."""
        rows = self.sample(150, 8)
        oracle, path = Oracle(rows), self.write(rows)
        want = oracle.patterns(3, lambda items: "x" in items and oracle.measures(items)[0] >= Fraction(6, 5))
        arguments = ("itemsets", path, "-s", 3, "--include", "x", "--min", "lift=1.2", "-q", "-w", "jsonl",
                     "--measure", ",".join(NAMES))
        self.assertEqual(rows_of(lode(*arguments)), want)
        most = rows_of(lode("itemsets", path, "-t", "top:7", "--min", "lift=1.2", "-q", "-w", "jsonl", "--measure",
                            ",".join(NAMES)))
        among = oracle.patterns(1, lambda items: oracle.measures(items)[0] >= Fraction(6, 5))
        seventh = sorted((values[0] for values in among.values()), reverse=True)[6]
        self.assertEqual(most, {items: values for items, values in among.items() if values[0] >= seventh})

    def test_order(self):
        rows = self.sample(100, 8)
        oracle, path = Oracle(rows), self.write(rows)
        patterns = oracle.patterns(3)
        for at, name in enumerate(("support",) + NAMES):
            texts = {lode("itemsets", path, "-s", 3, "--sort-by", name, "-w", "jsonl", "-q", "-j", j, "-a", a)
                     for j, a in ((1, "auto"), (3, "auto"), (2, "eclat"))}
            self.assertEqual(len(texts), 1, name)
            found = [tuple(sorted(json.loads(line)["items"])) for line in texts.pop().splitlines()]
            self.assertEqual(set(found), set(patterns))
            keys = [(-patterns[items][at], -patterns[items][0], len(items)) for items in found]
            self.assertEqual(keys, sorted(keys), name)

    def test_formats(self):
        rows = self.sample(60, 6)
        path, want = self.write(rows), Oracle(rows).patterns(5)
        arguments = ("itemsets", path, "-s", 5, "-q", "--measure", "LIFT,leverage,all_confidence")
        table = list(csv.DictReader(io.StringIO(lode(*arguments, "-w", "csv"))))
        self.assertEqual(list(table[0]), ["items", "size", "count", "support", "LIFT", "leverage", "all_confidence"])
        found = {tuple(sorted(row["items"].split("|"))):
                 (int(row["count"]), *(float(row[name]) for name in ("LIFT", "leverage", "all_confidence")))
                 for row in table}
        self.assertEqual(found, want)
        columns = list(csv.reader(io.StringIO(lode(*arguments, "-w", "csv", "--csv-items", "columns"))))
        self.assertEqual(columns[0][:7], ["count", "support", "size", "LIFT", "leverage", "all_confidence", "item1"])
        found = {tuple(sorted(filter(None, row[6:]))): (int(row[0]), *map(float, row[3:6])) for row in columns[1:]}
        self.assertEqual(found, want)
        comma = lode(*arguments, "-w", "csv", "--csv-separator", ";").splitlines()
        self.assertEqual([line.replace(",", ".").replace(";", ",") for line in comma],
                         lode(*arguments, "-w", "csv").splitlines())
        spmf = {}
        for line in lode(*arguments, "-w", "spmf").splitlines():
            items, count, *values = [part.split(": ")[-1] for part in line.split(" #")]
            spmf[tuple(sorted(items.split()))] = (int(count), *map(float, values))
        self.assertEqual(spmf, want)
        for line in lode(*arguments).splitlines():
            items, numbers = line[:-1].split(" (")
            values = want[tuple(sorted(items.split()))]
            for text, value in zip(numbers.split(", "), values):
                self.assertAlmostEqual(float(text), value, delta=1e-5 * abs(value))

    def test_stored(self):
        """Every stored result of itemsets has the measures, whether or not they were asked for."""
        rows = self.sample(150, 9)
        oracle, path = Oracle(rows), self.write(rows)
        plain, more = self.folder / "plain.arrow", self.folder / "more.arrow"
        lode("itemsets", path, "-s", 4, "--min-size", 2, "-q", "-o", plain)
        lode("itemsets", path, "-s", 4, "--min-size", 2, "-q", "-o", more, "--measure", ",".join(NAMES), "-j", 3)
        want = oracle.patterns(4, lambda items: len(items) > 1)
        self.assertEqual(rows_of(lode("query", plain, "-w", "jsonl", "--measure", ",".join(NAMES))), want)
        self.assertEqual(rows_of(lode("query", more, "-w", "jsonl")), want)
        for store in (plain, more):
            text = lode("query", store, "--min", "lift=1.2", "--max", "all-confidence=0.5", "--sort-by", "leverage",
                        "-w", "jsonl", "--measure", ",".join(NAMES))
            few = {items: values for items, values in want.items() if values[1] >= 1.2 and values[3] <= 0.5}
            self.assertGreater(len(few), 5)
            self.assertEqual(rows_of(text), few)
            leverages = [json.loads(line)["leverage"] for line in text.splitlines()]
            self.assertEqual(leverages, sorted(leverages, reverse=True))

    def test_pairs(self):
        """For two items, the measures are those of the rule between them."""
        rows = self.sample(200, 8)
        path = self.write(rows)
        rules = lode("rules", path, "-s", 1, "--max-size", 2, "-w", "jsonl", "-q", "--measure", "lift,leverage")
        sets = rows_of(lode("itemsets", path, "-s", 1, "--min-size", 2, "--max-size", 2, "-w", "jsonl", "-q",
                            "--measure", ",".join(NAMES)))
        lines = [json.loads(line) for line in rules.splitlines()]
        self.assertGreater(len(lines), 50)
        for rule in lines:
            values = sets[tuple(sorted(rule["body"] + rule["head"]))]
            self.assertEqual((rule["lift"], rule["leverage"]), values[1:3])

    def test_weights(self):
        rows = self.sample(40, 6)
        weights = [self.chance.randint(1, 10 ** 7) for _ in rows]
        path = self.write([["w"] + [f"c{k}" for k in range(9)]] +
                          [[str(w)] + row + [""] * (9 - len(row)) for w, row in zip(weights, rows)])
        want = Oracle(rows, weights).patterns(10 ** 7)
        self.assertGreater(len(want), 20)
        found = rows_of(lode("itemsets", path, "-s", 10 ** 7, "--header", "--weight", "w", "-w", "jsonl", "-q",
                             "--measure", ",".join(NAMES)))
        self.assertEqual(found, want)

    def test_large_sets(self):
        """The products of the formulas are far beyond the largest double."""
        rows, weights = [[f"i{k}" for k in range(45)], ["other"]], [3, 10 ** 9]
        path = self.write([["w"] + [f"c{k}" for k in range(45)]] +
                          [[str(w)] + row + [""] * (45 - len(row)) for w, row in zip(weights, rows)])
        total, items = sum(weights), tuple(sorted(rows[0]))
        one = Fraction(3, total)
        want = {items: (3, number(one / one ** 45), number(one - one ** 45), 1.0), ("other",): (10 ** 9, 1.0, 0.0, 1.0)}
        arguments = ("itemsets", path, "-s", 1, "-t", "closed", "--header", "--weight", "w", "-q", "--measure",
                     ",".join(NAMES))
        self.assertIsNone(want[items][1])
        self.assertEqual(rows_of(lode(*arguments, "-w", "jsonl")), want)
        self.assertIn("inf", lode(*arguments, "-w", "csv"))

    def test_parts(self):
        """Shares, data from disk and a small memory budget change nothing."""
        rows = self.sample(120, 9)
        path, want = self.write(rows), Oracle(rows).patterns(4)
        measures = ("-q", "-w", "jsonl", "--measure", ",".join(NAMES))
        for k in (1, 2, 3):
            lode("itemsets", path, "-s", 4, "--share", f"{k}/3", "-o", self.folder / f"part{k}", *measures)
        lode("merge", *(self.folder / f"part{k}" for k in (1, 2, 3)), "-o", self.folder / "all.jsonl")
        self.assertEqual(rows_of((self.folder / "all.jsonl").read_text()), want)
        spilled = lode("itemsets", path, "-s", 4, "--spill", self.folder, "--memory", "1M", "-j", 1, *measures)
        self.assertEqual(rows_of(spilled), want)
        lode("itemsets", path, "-s", 4, "--sort-by", "lift", "--share", "1/2", "-o", self.folder / "p", status=2)

    def test_unchanged(self):
        """Nobody who does not ask gets a measure."""
        path = self.write(self.sample(50, 6))
        for form in ("fimi", "spmf", "csv", "jsonl"):
            text = lode("itemsets", path, "-s", 5, "-q", "-w", form)
            for name in ("lift", "leverage", "onfidence", "LIFT"):
                self.assertNotIn(name, text)
        self.assertEqual(lode("itemsets", path, "-s", 5, "-q", "-w", "csv").splitlines()[0], "items,size,count,support")


if __name__ == "__main__":
    if not Path(LODE).exists():
        print(f"skipped: {LODE} is not built")
        sys.exit(77)
    unittest.main()
