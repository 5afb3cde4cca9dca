#!/usr/bin/env python3
"""Arrow files as another library reads and writes them: Arrow JS (npm: apache-arrow).

The package is fetched once, into the build folder, from the registry that npm is set up for. Without
node, npm or the package there is nothing to test.

SPDX-License-Identifier: Apache-2.0
"""
import fcntl
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN") or str(ROOT / "build/lode")
PACKAGE = ROOT / "build/arrow-js"
BASKETS = "milk,bread,caf\u00e9\nmilk,beer\nbread,milk,beer\nham\nham,eggs,milk,\"a, b\"\n"
WIDE = "".join(" ".join(str(i) for i in range(1, 18) if i % k != 1) + "\n" for k in range(2, 9)) * 3
GRAPHS = "t # 0\nv 0 C\nv 1 C\nv 2 O\ne 0 1 s\ne 1 2 d\nt # 1\nv 0 C\nv 1 O\nv 2 N\ne 0 1 d\ne 0 2 s\n"


def skip(why):
    print(f"skip: {why}")
    sys.exit(77)


def fetch():
    """The folder that has the package."""
    if not shutil.which("node") or not shutil.which("npm"):
        skip("Arrow JS needs node and npm")
    PACKAGE.mkdir(parents=True, exist_ok=True)
    with open(PACKAGE / "lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the builds share it, and test at the same time
        if not (PACKAGE / "node_modules/apache-arrow").exists():
            command = ["npm", "install", "--no-audit", "--no-fund", "--no-save", "--prefix",
                       str(PACKAGE), "apache-arrow"]
            got = subprocess.run(command, capture_output=True, timeout=120, check=False)
            if got.returncode != 0:
                skip("npm could not fetch apache-arrow")
    return PACKAGE


class ArrowJs(unittest.TestCase):
    folder = None

    def both(self, name, text, *arguments):
        """Keys and rows of an Arrow file, and the JSON lines of the same run."""
        with tempfile.TemporaryDirectory() as place:
            data, arrow = Path(place, name), Path(place, "result.arrow")
            data.write_text(text, encoding="utf-8")
            command = [LODE, arguments[0], str(data), *arguments[1:]]
            subprocess.run([*command, "-w", "arrow", "-o", str(arrow)], check=True,
                           capture_output=True)
            lines = subprocess.run([*command, "-w", "jsonl"], check=True, capture_output=True)
            script = ["node", str(ROOT / "tests/arrow_rows.mjs"), str(self.folder), str(arrow)]
            read = subprocess.run(script, check=True, capture_output=True, timeout=120)
        rows = [json.loads(line) for line in read.stdout.splitlines() if line]
        return rows[0], rows[1:], [json.loads(line) for line in lines.stdout.splitlines()]

    def near(self, a, b):
        """Whether a number of a column is what JSON has, which is rounded and has no infinities."""
        if isinstance(a, str) or b is None:
            return True
        return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-6)

    def check_itemsets(self, keys, rows, lines):
        self.assertEqual(int(keys["lode.rows"]), len(lines))
        self.assertEqual(len(rows), len(lines))
        for row, line in zip(rows, lines):
            self.assertEqual(row["items"], [str(item) for item in line["items"]])
            self.assertEqual((row["count"], row["size"]), (line["count"], len(line["items"])))
            self.assertTrue(self.near(row["support"], line["support"]))

    def test_itemsets(self):
        for more in ([], ["--sort"], ["-t", "closed"], ["-t", "top:3"]):
            keys, rows, lines = self.both("b.csv", BASKETS, "itemsets", "-s", "1", *more)
            self.assertEqual(keys["lode.kind"], "itemsets")
            self.check_itemsets(keys, rows, lines)

    def test_no_itemsets(self):
        keys, rows, lines = self.both("b.csv", BASKETS, "itemsets", "-s", "5")
        self.assertEqual((keys["lode.rows"], rows, lines), ("0", [], []))

    def test_many_batches(self):
        keys, rows, lines = self.both("w.dat", WIDE, "itemsets", "-s", "1", "--sort", "--max-size",
                                      "9")
        self.assertGreater(len(rows), 20000)
        self.check_itemsets(keys, rows, lines)

    def test_rules(self):
        for more in ([], ["--sort"], ["--measure", "lift,cosine,chi-squared"]):
            keys, rows, lines = self.both("b.csv", BASKETS, "rules", "-s", "1", "-c", "0.3", *more)
            self.assertEqual((keys["lode.kind"], keys["lode.total"]), ("rules", "5"))
            self.assertEqual(len(rows), len(lines))
            self.assertGreater(len(rows), 20)
            for row, line in zip(rows, lines):
                self.assertEqual((row["body"], row["head"]), (line["body"], line["head"]))
                for name in set(row) & set(line) - {"body", "head"}:
                    self.assertTrue(self.near(row[name], line[name]), (name, row, line))

    def test_graphs(self):
        keys, rows, lines = self.both("g.lg", GRAPHS, "graphs", "-s", "1")
        self.assertEqual(keys["lode.kind"], "graphs")
        self.assertEqual(len(rows), len(lines))
        self.assertGreater(len(rows), 3)
        for row, line in zip(rows, lines):
            self.assertEqual((row["code"], row["count"]), (line["code"], line["count"]))
            self.assertEqual(row["labels"], line["vertices"])
            self.assertEqual((row["vertices"], row["edges"]),
                             (len(line["vertices"]), len(line["edges"])))
            edges = [list(edge) for edge in zip(row["from"], row["to"], row["edge_labels"])]
            self.assertEqual(edges, line["edges"])

    def test_tables(self):
        """lode reads what Arrow JS writes."""
        for how in ("file", "stream", "dictionary"):
            with tempfile.TemporaryDirectory() as place:
                path = Path(place, "t.arrow")
                script = ["node", str(ROOT / "tests/arrow_tables.mjs"), str(self.folder), str(path),
                          how]
                subprocess.run(script, check=True, capture_output=True, timeout=120)
                got = subprocess.run([LODE, "itemsets", str(path), "-s", "1", "-q", "--sort"],
                                     check=True, capture_output=True)
            self.assertEqual(got.stdout.decode(),
                             "beer (1)\nbread (1)\nmilk (1)\nbread milk (1)\n")


if __name__ == "__main__":
    ArrowJs.folder = fetch()
    unittest.main()
