#!/usr/bin/env python3
"""lode clean and lode baskets on random noisy data, compared with a slow direct form; and what is
written, in every format, is read as the same baskets.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import json
import os
import random
import subprocess
import tempfile
import unicodedata
import unittest
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path

LODE = os.environ.get("LODE_BIN", "build/lode")
NAMES = ["milk", "Milk", " MILK", "bread", "bréad", "BREAD", "red  wine", "red wine", "beer 1", "beer 2",
         "a,b", 'q"x', "Ärger", "7", "07", "colour", "color", "x"]


def run(*words):
    done = subprocess.run([LODE, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{words}: {done.stderr}")
    return done.stdout


def baskets_of(path, *options):
    """The baskets of a file as lode reads them."""
    lines = run("baskets", path, "-q", "-w", "jsonl", *options).splitlines()
    records = [json.loads(line) for line in lines]
    return [frozenset(str(i) for i in (r["items"] if isinstance(r, dict) else r)) for r in records]


def fold(name, accents, case):
    name = " ".join(name.split())
    if accents:
        parts = unicodedata.normalize("NFKD", name)
        name = "".join(c for c in parts if unicodedata.category(c) != "Mn")
    return name.casefold() if case else name


def clean(baskets, how):
    """The steps of docs/cleaning.md, one after the other."""
    def spelled(name):
        return fold(name, how["accents"], how["case"])
    rules = {spelled(a): spelled(b) for a, b in how["map"]}
    result = []
    for basket in baskets:
        names = {spelled(name) for name in basket} - {""}
        names = {rules.get(name, name) for name in names}
        result.append(frozenset(n for n in names
                                if not any(fnmatchcase(n, spelled(glob)) for glob in how["drop"])))
    if how["unique"]:
        result = list(dict.fromkeys(result))
    support = {}
    for basket in result:
        for name in basket:
            support[name] = support.get(name, 0) + 1
    least, most = how["least"], how["most"]
    if most is not None and most < 1:
        most = int(Fraction(str(most)) * len(result))
    kept = {n for n, s in support.items() if s >= least and (most is None or s <= most)}
    result = [basket & kept for basket in result]
    return [b for b in result if len(b) >= how["short"] and (not how["long"] or len(b) <= how["long"])]


def options_of(how, folder):
    words = []
    for word, key in (("--fold-accents", "accents"), ("--fold-case", "case"),
                      ("--unique-baskets", "unique")):
        words += [word] if how[key] else []
    for glob in how["drop"]:
        words += ["--drop", glob]
    if how["map"]:
        path = folder / "map.csv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(how["map"])
        words += ["--map", path]
    for word, key in (("--min-item-support", "least"), ("--max-item-support", "most"),
                      ("--min-basket", "short"), ("--max-basket", "long")):
        words += [word, how[key]] if how[key] else []
    return words


def random_how(rng):
    return {"accents": rng.random() < .5, "case": rng.random() < .5, "unique": rng.random() < .3,
            "drop": rng.sample(["beer*", "x", "?ilk", "a,b"], rng.randrange(3)),
            "map": rng.choice([[], [("red wine", "wine")], [("BREAD", "loaf"), ("colour", "color")]]),
            "least": rng.choice([0, 0, 2, 3]), "most": rng.choice([None, None, 8, 0.25]),
            "short": rng.choice([0, 0, 1, 2]), "long": rng.choice([0, 0, 3])}


class Clean(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, rng):
        baskets = [rng.sample(NAMES, rng.randrange(6)) for _ in range(rng.randrange(1, 30))]
        with open(self.path / "in.jsonl", "w", encoding="utf-8") as file:
            file.writelines(json.dumps(b) + "\n" for b in baskets)
        return baskets

    def test_against_direct_form(self):
        for seed in range(25):
            rng = random.Random(seed)
            baskets, how = self.write(rng), random_how(rng)
            words = options_of(how, self.path)
            kind = ("basket", "table", "jsonl")[seed % 3]
            run("clean", self.path / "in.jsonl", "-f", "json", *words, "-w", kind, "-q",
                "-o", self.path / "out")
            reading = {"basket": ["-f", "basket", "--separator", ","],
                       "table": ["-f", "table", "--separator", ","], "jsonl": ["-f", "json"]}[kind]
            self.assertEqual(baskets_of(self.path / "out", *reading), clean(baskets, how),
                             f"seed {seed}: {how}")

    def test_selection(self):
        for seed in range(15):
            rng = random.Random(seed)
            baskets = self.write(rng)
            known = sorted({n for b in baskets for n in b if n.strip() == n and " " not in n and "," not in n
                            and '"' not in n})
            if len(known) < 3:
                continue
            a, b, c = rng.sample(known, 3)
            some = baskets_of(self.path / "in.jsonl", "-f", "json", "--include", f"{a} {b}", "--exclude", c)
            self.assertEqual(some, [frozenset(x) for x in baskets if {a, b} <= set(x) and c not in x])
            some = baskets_of(self.path / "in.jsonl", "-f", "json", "--include", a, "--include", b, "--any")
            self.assertEqual(some, [frozenset(x) for x in baskets if {a, b} & set(x)])

    def test_report_adds_up(self):
        rng = random.Random(1)
        baskets = self.write(rng)
        words = ["--fold-case", "--drop", "bre*", "--unique-baskets", "--min-basket", 1, "--dry-run"]
        done = subprocess.run([LODE, "clean", self.path / "in.jsonl", *map(str, words), "--report", "json"],
                              capture_output=True, text=True, check=True)
        report = json.loads(done.stderr.splitlines()[-1])
        steps = {s["name"]: s for s in report["steps"]}
        self.assertEqual(report["before"]["baskets"], len(baskets))
        self.assertEqual(report["before"]["baskets"] - steps["unique"]["baskets"] - steps["short"]["baskets"],
                         report["after"]["baskets"])
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
