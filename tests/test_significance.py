#!/usr/bin/env python3
"""`lode itemsets --significant` and `lode graphs --significant` against brute force in exact fractions.

Small random data: for every method, alternative and number of threads, the patterns that are found, their counts in
each group, p-values and adjusted p-values must be those of tests/significance_oracle.py, which makes the same random
permutations. Wrong input must be refused with a message that names it.

usage: test_significance.py      (LODE_BIN is the program)

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import random
import subprocess
import tempfile
import unittest
from fractions import Fraction as F
from pathlib import Path

import significance_oracle as oracle

LODE = os.environ.get("LODE_BIN", "build/lode")
PERMUTATIONS = 39
THREADS = (1, 2, 7)


def run(*words, status=0):
    done = subprocess.run([LODE, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stderr if status else done.stdout


def near(a, b):
    return abs(float(a) - float(b)) <= 1e-7 * float(b)


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.at = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, lines):
        path = self.at / name
        path.write_text("".join(f"{line}\n" for line in lines))
        return path

    def expected(self, groups, extents, by, alpha, labels, seed, strata):
        if by == "permutation":
            permuted = oracle.labelings(labels, PERMUTATIONS, seed, strata)
            return oracle.westfall_young(groups, permuted, extents, alpha)
        tarone = oracle.Tarone(groups, extents, alpha)
        return tarone.adjusted_fdr() if by == "fdr" else tarone.adjusted()

    def options(self, classes, by, alpha, alternative, seed, strata):
        words = ["--class", classes, "--significant", float(alpha), "--alternative", alternative, "-q", "--by",
                 f"permutation={PERMUTATIONS}" if by == "permutation" else by]
        if by == "permutation":
            words += ["--seed", seed]
        return words + (["--strata", self.write("strata.txt", strata)] if strata else [])

    def check_row(self, row, groups, extent, adjusted):
        self.assertEqual(row["count"], extent.bit_count())
        for name in groups.names:
            self.assertEqual(self.count_in(row, name), groups.count(extent, name))
        self.assertTrue(near(row["p"], groups.p_of(extent)), (row, float(groups.p_of(extent))))
        self.assertTrue(near(row["adjustedP"], min(adjusted, F(1))), (row, float(adjusted)))


def draw_labels(r, n, names):
    """Labels of skewed groups, each with at least one row."""
    share = r.choice((0.1, 0.3, 0.5))
    labels = [names[0] if r.random() < share else r.choice(names[1:]) for _ in range(n)]
    for i, name in enumerate(names):
        labels[i] = name
    return labels


def draw_setting(r, by, n_groups):
    strata = [r.randrange(2) for _ in range(200)] if by == "permutation" and r.random() < 0.3 else None
    one_sided = n_groups == 2 and r.random() < 0.4
    return r.choice(oracle.ALTERNATIVES[1:]) if one_sided else "two-sided", F(r.choice((5, 10, 20, 40)), 100), strata


class ItemsetsTest(Case):
    @staticmethod
    def count_in(row, name):
        return row[f"count_{name}"]

    def one(self, number):
        r = random.Random(number)
        n, by = r.randint(8, 70), ("tarone", "permutation", "fdr")[number % 3]
        names = "abc" if number % 5 == 4 and by != "fdr" else "ab"
        labels = draw_labels(r, n, names)
        density = [r.random() for _ in range(r.randint(2, 7))]
        rows = [[i for i, d in enumerate(density)
                 if r.random() < (d if labels[k] != "a" else d ** 0.3 if i % 2 else d)] for k in range(n)]
        rows = [row or [99] for row in rows]
        alternative, alpha, strata = draw_setting(r, by, len(names))
        strata = strata and strata[:n]
        groups, extents = oracle.Groups(labels, alternative), oracle.extents_of(rows)
        want = self.expected(groups, extents, by, alpha, labels, number, strata)
        data = self.write("data.txt", (" ".join(map(str, row)) for row in rows))
        classes = self.write("classes.txt", labels)
        words = self.options(classes, by, alpha, alternative, number, strata)
        out = run("itemsets", data, *words, "-w", "jsonl", "-j", THREADS[number % 3])
        found = {tuple(sorted(map(int, row["items"]))): row for row in map(json.loads, out.splitlines())}
        self.assertEqual(set(found), {extents[e] for e in want}, (number, by, names, alternative, alpha))
        for extent, adjusted in want.items():
            self.check_row(found[extents[extent]], groups, extent, adjusted)
        return len(found)

    def test_random_data(self):
        found = [self.one(number) for number in range(45)]
        self.assertGreater(sum(n > 0 for n in found), 15, found)

    def test_threads_give_equal_bytes(self):
        r = random.Random(7)
        rows = [[i for i in range(12) if r.random() < 0.5] or [0] for _ in range(150)]
        data = self.write("data.txt", (" ".join(map(str, row)) for row in rows))
        classes = self.write("classes.txt", ("ab"[row[0] % 2 and r.random() < 0.8] for row in rows))
        for by in ("tarone", "permutation=600", "fdr"):
            texts = {run("itemsets", data, "--class", classes, "--significant", 0.2, "--by", by, "-w", "csv", "-q",
                         "-j", threads) for threads in THREADS}
            self.assertEqual(len(texts), 1)
            self.assertGreater(len(texts.pop().splitlines()), 1)

    def small(self):
        r = random.Random(11)
        rows = [[i for i in range(9) if r.random() < 0.4] or [0] for _ in range(120)]
        classes = self.write("classes.txt", ("ab"[row[0] % 2 and r.random() < 0.9] for row in rows))
        return self.write("data.txt", (" ".join(map(str, row)) for row in rows)), classes

    def test_stored(self):
        data, classes = self.small()
        for words in (["-s", 10], ["--significant", 0.3, "--by", "fdr"]):
            path = self.at / f"{len(words)}.arrow"
            rows = [json.loads(line) for line in run("itemsets", data, "--class", classes, *words, "-w", "jsonl",
                                                     "-q").splitlines()]
            run("itemsets", data, "--class", classes, *words, "-o", path, "-q")
            self.assertGreater(len(rows), 3)
            want = sorted((row["p"], row["count_a"], row["oddsRatio"]) for row in rows if row["count"] >= 20)
            done = subprocess.run([LODE, "query", path, "--sort-by", "p", "--min", "count=20", "-w", "jsonl"],
                                  capture_output=True, text=True, check=True)
            found = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual([row["p"] for row in found], [row[0] for row in want])
            self.assertEqual(sorted((row["p"], row["count_a"], row["oddsRatio"]) for row in found), want)
            tested = "significant patterns: fdr alpha=0.3" in done.stderr and "not for a selection" in done.stderr
            self.assertEqual(tested, "--significant" in words, done.stderr)
        best = run("itemsets", data, "--class", classes, "-s", 10, "--sort-by", "p", "-w", "jsonl", "-q")
        values = [json.loads(line)["p"] for line in best.splitlines()]
        self.assertEqual(values, sorted(values))

    def test_shares(self):
        data, classes = self.small()
        parts = [self.at / f"{k}.csv" for k in (1, 2)]
        for k, path in enumerate(parts):
            run("itemsets", data, "--class", classes, "-s", 8, "--share", f"{k + 1}/2", "-w", "csv", "-o", path, "-q")
        run("merge", *parts, "-o", self.at / "all.csv", "-q")
        want = run("itemsets", data, "--class", classes, "-s", 8, "-w", "csv", "-q")
        self.assertEqual(sorted((self.at / "all.csv").read_text().splitlines()), sorted(want.splitlines()))
        run("itemsets", data, "--class", classes, "-s", 8, "--share", "2/2", "--alternative", "less", "-w", "csv", "-o",
            self.at / "less.csv", "-q")
        self.assertIn("alternative=less", run("merge", parts[0], self.at / "less.csv", "-o", self.at / "x.csv", status=3))

    def test_refusals(self):
        data, classes = self.small()
        tested = ["--class", classes, "--significant", 0.05]
        for words, part in (
                (["--significant", 0.05], "--significant requires --class"),
                (["-s", 9, "--alternative", "less"], "--alternative requires --class"),
                (["-s", 9, "--class", classes, "--by", "fdr"], "--by requires --significant"),
                (["-s", 9, "--class", classes, "--seed", 3], "--seed requires --significant"),
                (["-s", 9, "--class", classes, "--strata", classes], "--strata requires --significant"),
                (tested + ["--strata", classes], "--strata requires --by permutation"),
                (tested + ["--min", "p=0.1"], "--min"), (tested + ["-t", "maximal"], "--target maximal"),
                (tested + ["--journal", "-w", "csv", "-o", self.at / "j.csv"], "--journal"),
                (tested + ["-s", 9, "--share", "1/2", "-w", "csv", "-o", self.at / "s.csv"], "--share")):
            done = subprocess.run([LODE, "itemsets", str(data), *map(str, words)], capture_output=True, text=True)
            self.assertIn(done.returncode, (1, 2, 3), words)
            self.assertIn(part, done.stderr, words)
            self.assertEqual(done.stdout, "")


class GraphsTest(Case):
    @staticmethod
    def count_in(row, name):
        return row["classes"][name]["count"]

    def draw(self, r, n):
        """Random small graphs: stars and paths with few labels."""
        lines = []
        for g in range(n):
            vertices = r.randint(2, 5)
            lines += [f"t # {g}"] + [f"v {v} {r.choice('xxy')}" for v in range(vertices)]
            lines += [f"e {r.randrange(v)} {v} {r.randrange(2)}" for v in range(1, vertices)]
        return self.write("graphs.lg", lines)

    def one(self, number):
        r = random.Random(1000 + number)
        n, by = r.randint(10, 60), ("tarone", "permutation", "fdr")[number % 3]
        names = "abc" if number % 4 == 3 and by != "fdr" else "ab"
        data, labels = self.draw(r, n), draw_labels(r, n, names)
        text = run("graphs", data, "-s", 1, "-x", "-w", "jsonl", "-q", "--unsorted")
        every = [json.loads(line) for line in text.splitlines()]
        codes = {}
        for row in every:
            codes.setdefault(sum(1 << int(g) for g in row["graphs"]), set()).add(row["code"])
        extent = r.choice(sorted(codes, key=lambda e: abs(2 * e.bit_count() - n))[:3])
        for k in range(len(names), n):  # a pattern explains most labels
            if r.random() < 0.9:
                labels[k] = names[0 if extent >> k & 1 else 1]
        alternative, alpha, strata = draw_setting(r, by, len(names))
        strata = strata and strata[:n]
        groups = oracle.Groups(labels, alternative)
        want = self.expected(groups, codes, by, alpha, labels, number, strata)
        classes = self.write("classes.txt", labels)
        words = self.options(classes, by, alpha, alternative, number, strata)
        out = run("graphs", data, *words, "-w", "jsonl", "-x", "-j", THREADS[number % 3])
        rows = [json.loads(line) for line in out.splitlines()]
        self.assertEqual(len(rows), len({row["code"] for row in rows}))
        self.assertEqual({row["code"] for row in rows}, {c for e in want for c in codes[e]},
                         (number, by, names, alternative, alpha))
        for row in rows:
            extent = sum(1 << int(g) for g in row["graphs"])
            self.check_row(row, groups, extent, want[extent])
        return len(rows)

    def test_random_data(self):
        found = [self.one(number) for number in range(60)]
        self.assertGreater(sum(n > 0 for n in found), 20, found)

    def test_contrast_without_a_level(self):
        r = random.Random(5)
        data, labels = self.draw(r, 30), draw_labels(r, 30, "ab")
        classes, groups = self.write("classes.txt", labels), oracle.Groups(labels)
        plain = run("graphs", data, "-s", 3, "-q", "-w", "csv").splitlines()
        lines = run("graphs", data, "-s", 3, "-q", "-w", "csv", "--class", classes).splitlines()
        self.assertEqual(lines[0], plain[0] + ",count_a,share_a,count_b,share_b,growthRate,oddsRatio,oddsRatioLow,"
                                              "oddsRatioHigh,p")
        self.assertEqual([line.rsplit(",", 9)[0] for line in lines[1:]], plain[1:])
        rows = map(json.loads, run("graphs", data, "-s", 3, "-q", "-x", "-w", "jsonl", "--class", classes).splitlines())
        for row in rows:
            extent = sum(1 << int(g) for g in row["graphs"])
            self.assertEqual(row["classes"]["a"]["count"], groups.count(extent, "a"))
            self.assertTrue(near(row["p"], groups.p_of(extent)))
            self.assertNotIn("adjustedP", row)

    def test_formats_and_top(self):
        r = random.Random(1001)
        data = self.draw(r, 40)
        text = run("graphs", data, "-s", 8, "-x", "-w", "jsonl", "-q")
        extent = {int(g) for g in json.loads(text.splitlines()[3])["graphs"]}
        classes = self.write("classes.txt", ("hit" if k in extent else "miss" for k in range(40)))
        words = ["graphs", data, "--class", classes, "--significant", 0.05, "-q"]
        rows = [json.loads(line) for line in run(*words, "-w", "jsonl").splitlines()]
        self.assertNotIn("graphs", rows[0])
        best = min(row["p"] for row in rows)
        top = [json.loads(line) for line in run(*words, "-w", "jsonl", "-t", "top:1").splitlines()]
        self.assertEqual({row["code"] for row in top}, {row["code"] for row in rows if row["p"] == best})
        self.assertEqual(run(*words, "--count").split()[-1], str(len(rows)))
        closed = [json.loads(line) for line in run(*words, "-w", "jsonl", "-t", "closed").splitlines()]
        self.assertLessEqual({row["code"] for row in closed}, {row["code"] for row in rows})
        self.assertEqual({row["p"] for row in closed}, {row["p"] for row in rows})
        for form in ("gspan", "dot"):
            out = run(*words, "-w", form)
            self.assertEqual(out.count("# class hit "), len(rows), out)
        self.assertEqual(run(*words).count("t # "), len(rows))
        self.assertIn("arrow", run(*words, "-w", "arrow", "-o", self.at / "x.arrow", status=1))

    def test_classes_of_the_graphs(self):
        r = random.Random(9)
        data, labels = self.draw(r, 30), draw_labels(r, 30, "ab")
        classes = self.write("classes.txt", labels)
        text = data.read_text().split("t # ")[1:]
        own = self.write("own.lg", (f"t # {t.replace(chr(10), f' {x}{chr(10)}', 1)}".rstrip()
                                    for t, x in zip(text, labels)))
        want = run("graphs", data, "-s", 3, "-q", "-w", "csv", "--class", classes)
        self.assertEqual(run("graphs", own, "-s", 3, "-q", "-w", "csv", "--class", "*"), want)
        self.assertIn("no classes", run("graphs", data, "-s", 3, "--class", "*", status=2))
        some = self.write("some.lg", own.read_text().replace("t # 7 a", "t # 7").replace("t # 7 b", "t # 7").split("\n"))
        self.assertIn("8 of the graphs has no class", run("graphs", some, "-s", 3, "--class", "*", status=2))

    def test_refusals(self):
        data = self.draw(random.Random(1), 12)
        two = self.write("two.txt", "ab" * 6)
        refused = [
            (["--class", self.write("one.txt", "a" * 12), "-s", 2], "one"),
            (["--class", self.write("short.txt", "ab" * 5), "-s", 2], "10"),
            (["--class", self.write("long.txt", "ab" * 7), "-s", 2], "1"),
            (["--class", self.at / "nowhere.txt", "-s", 2], "nowhere"),
            (["--significant", 0.05], "--class"),
            (["--class", two, "--significant", 0.05, "-t", "maximal"], "maximal"),
            (["--class", two, "--significant", 0.05, "--share", "1/2", "-o", self.at / "s.csv"], "--share"),
            (["--class", two, "--significant", 0.05, "--strata", two], "--strata"),
            (["--class", two, "--significant", 0.01, "--by", "permutation=20"], "20"),
            (["--class", two, "--significant", 1.5], "1.5"),
        ]
        for words, part in refused:
            done = subprocess.run([LODE, "graphs", str(data), *map(str, words)], capture_output=True, text=True)
            self.assertIn(done.returncode, (1, 2, 3), words)
            self.assertIn(part, done.stderr, words)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
