#!/usr/bin/env python3
"""Arrow files and IPC streams as input: the same results as from CSV, and damaged files.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import gzip
import io
import os
import random
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from arrow_ipc import Column, encode

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN") or str(ROOT / "build/lode")


def lode(*arguments, stdin=None):
    return subprocess.run([LODE, *map(str, arguments)], input=stdin, capture_output=True, check=False,
                          timeout=60)


def built_with_lz4():
    got = lode("stats", "-", stdin=encode([Column("a", "i", [1] * 99), Column("b", "i", [2] * 99)],
                                          codec="lz4"))
    return got.returncode == 0


CODECS = [None] + ([codec for codec in ("zstd", "lz4") if shutil.which(codec)])
if "lz4" in CODECS and not built_with_lz4():
    CODECS.remove("lz4")
    print("skip: LZ4, because lode was built without liblz4-dev")


def text_of(cell):
    return "" if cell is None else ("false", "true")[cell] if isinstance(cell, bool) else str(cell)


def csv_of(table):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([column.name for column in table])
    writer.writerows(zip(*([text_of(cell) for cell in column.cells] for column in table)))
    return out.getvalue().encode()


def sales(n, seed, items="u", tids="i"):
    """A random long table."""
    pick = random.Random(seed)
    rows = [pick.randrange(1, n // 6) for _ in range(n)]
    codes = [int(pick.random() ** 3 * 60) for _ in range(n)]
    names = codes if items in "ilCL" else [f"item {code}, \"x\"" for code in codes]
    names = [None if pick.random() < 0.01 else name for name in names]
    tids_of = rows if tids in "ilCL" else [f"r{row}" for row in rows]
    return [Column("Order ID", tids, tids_of), Column("Product", items, names),
            Column("Quantity", "l", [pick.randrange(-2, 9) for _ in range(n)]),
            Column("Times", "C", [1 + row % 3 for row in rows])]


def edges_of(text):
    """The columns of a table of edges, from gSpan text, with the rows in random order."""
    rows, labels = [], {}
    for word in map(str.split, text.splitlines()):
        if word[0] == "t":
            graph, labels = word[2], {}
            rows.append((graph, None, None, None, None, None))
        elif word[0] == "v":
            labels[word[1]] = word[2]
            rows.append((graph, int(word[1]), None, None, word[2], None))
        else:
            rows.append((graph, int(word[1]), int(word[2]), word[3], None, int(labels[word[2]])))
    random.Random(3).shuffle(rows)
    return list(zip(*rows))


class ArrowFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.place = Path(self.folder.name)

    def put(self, name, data):
        (self.place / name).write_bytes(data)
        return self.place / name

    def hash_of(self, path, *options, stdin=None):
        got = lode("itemsets", path, "-s", "1%", "--count", "--hash", "-q", "--max-size", "3",
                   *options, stdin=stdin)
        self.assertEqual(got.returncode, 0, got.stderr)
        return got.stdout

    def same(self, table, *options, **how):
        want = self.hash_of(self.put("t.csv", csv_of(table)), *options)
        for stream in (False, True):
            path = self.put("t.bin", encode(table, stream=stream, **how))
            self.assertEqual(self.hash_of(path, *options), want, (stream, how, options))
            self.assertEqual(self.hash_of("-", *options, stdin=path.read_bytes()), want)
        return path, want

    def test_codecs_and_batches(self):
        for seed, codec in enumerate(CODECS):
            table = sales(800, seed)
            for batch in (7, 300, 5000):
                self.same(table, "--threads", 1 + batch % 4, batch=batch, codec=codec)

    def test_types(self):
        for items, tids in (("i", "u"), ("u@c", "l"), ("U", "u@i"), ("vu", "C"), ("L", "U@s")):
            n = 600 if tids != "C" else 900
            self.same(sales(n, 7, items, tids), batch=200)

    def test_options(self):
        table = sales(600, 3)
        self.same(table, "--weight", "Times", "--drop-rows", "Quantity<=0", batch=100)
        self.same(table, "--tid", "Times", "--item", "2", batch=100)
        self.same(table, "--memory", "24M", "--threads", "8", batch=100)

    def test_files_together(self):
        table, want = sales(900, 5), self.hash_of(self.put("t.csv", csv_of(sales(900, 5))))
        parts = [[column._replace(cells=column.cells[at:at + 300]) for column in table]
                 for at in (0, 300, 600)]
        paths = [self.put("a.arrow", encode(parts[0])), self.put("b.csv", csv_of(parts[1])),
                 self.put("c.gz", gzip.compress(encode(parts[2], stream=True)))]
        self.assertEqual(self.hash_of(paths[0], *paths[1:]), want)
        self.assertEqual(self.hash_of(paths[2], *paths[:2]), want)

    def test_lists_and_onehot(self):
        pick = random.Random(1)
        baskets = [sorted({f"i{int(pick.random() ** 2 * 20)}" for _ in range(pick.randrange(1, 6))})
                   for _ in range(300)]
        lines = self.put("b.csv", "".join(",".join(basket) + "\n" for basket in baskets).encode())
        want = self.hash_of(lines, "--format", "basket")
        for format in ("+l:u", "+L:U", "+l:u@c", "+L:vu"):
            table = [Column("when", "tdD", list(range(300))), Column("items", format, baskets)]
            self.assertEqual(self.hash_of(self.put("b", encode(table, batch=40))), want, format)
        onehot = [Column(f"i{k}", "b", [f"i{k}" in basket for basket in baskets]) for k in range(20)]
        self.same(onehot, batch=64)

    def test_other_commands(self):
        path = self.put("sales.arrow", encode(sales(600, 2), batch=100))
        for command in (["stats"], ["suggest"], ["clean"], ["rules", "-s", "2%", "-c", "50%"]):
            got = lode(command[0], path, *command[1:])
            self.assertEqual(got.returncode, 0, (command, got.stderr))
            self.assertTrue(got.stdout)

    def fails(self, data, words, *options, status=None):
        got = lode("itemsets", "-", "-s", "1", "--max-size", "2", *options, stdin=data)
        self.assertNotEqual(got.returncode, 0)
        self.assertGreaterEqual(got.returncode, 0, got.stderr)
        self.assertIn(words, got.stderr.decode())
        if status:
            self.assertEqual(got.returncode, status)

    def test_refusals(self):
        table = sales(60, 1)
        whole = encode(table)
        self.fails(whole, "which has no separator between its columns", "--separator", ";")
        self.fails(whole, "is an Arrow table, not text", "--format", "fimi")
        self.fails(whole, "has no column of lists", "--format", "basket")
        self.fails(whole, "has no column 'x'; its columns are: Order ID, Product", "--tid", "x")
        self.fails(encode([Column("order", "i", [1, None]), Column("item", "i", [1, 2])]),
                   "<stdin>: row 2: no transaction; expected")
        self.fails(whole[:len(whole) // 2], "truncated Arrow file: it ends within a message")
        self.fails(whole[:-3], "truncated Arrow file")
        self.fails(encode(table, stream=True)[:-100], "truncated Arrow stream")
        got = lode("graphs", self.put("x", whole), "-s", "1")
        self.assertIn("there is no column 'graph'; expected a table of edges", got.stderr.decode())
        result = self.place / "r.arrow"
        lode("itemsets", self.put("y", whole), "-s", "5", "-w", "arrow", "-o", result)
        got = lode("stats", result)
        self.assertIn("a result that lode wrote, not transactions", got.stderr.decode())

    def test_edge_tables(self):
        """Graphs in a table of edges, in any order, have the patterns of the same graphs as text."""
        path = self.place / "g.lg"
        self.assertEqual(lode("generate", "graphs", "-n", 60, "-o", path).returncode, 0)
        path.write_text(path.read_text() + "t # lone\nv 0 0\nt # none\n")
        table = edges_of(path.read_text())
        for n, codes in enumerate(("", "@i")):
            columns = [Column("Graph ID", "u", table[0]), Column("source", "l", table[1]),
                       Column("target", "i", table[2]), Column("label", "u" + codes, table[3]),
                       Column("from_label", "U" + codes, table[4]), Column("to label", "l", table[5])]
            self.put("g.arrow", encode(columns, batch=100 + 900 * n, stream=n == 0))
            for options in ([], ["--directed"], ["--threads", "8", "--memory", "60M"]):
                want, got = (lode("graphs", one, "-s", "30%", "--count", "--hash", "-q", *options)
                             for one in (path, self.place / "g.arrow"))
                self.assertEqual(want.returncode, 0, want.stderr)
                self.assertEqual(got.stdout, want.stdout, got.stderr)
        got = lode("graphs", "-", "-s", "1", "-q", "--max-edges", 1,
                   stdin=self.put("g.arrow", encode(columns)).read_bytes())
        self.assertEqual(got.returncode, 0, got.stderr)

    def test_damage(self):
        """Bytes changed at random give a result or a message, never a crash."""
        pick = random.Random(4)
        for n in range(60):
            data = bytearray(encode(sales(60, n, "u@c"), batch=20, stream=n % 2 == 0))
            for _ in range(pick.randrange(1, 5)):
                data[pick.randrange(12, len(data))] = pick.choice((0, 1, 127, 128, 255))
            got = lode("itemsets", "-", "-s", "1", "--max-size", "2", "--count", stdin=bytes(data))
            self.assertIn(got.returncode, (0, 1, 2, 3, 4, 5), got.stderr)


if __name__ == "__main__":
    unittest.main()
