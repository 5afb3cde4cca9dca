"""What lode writes, read back by others: every format, every kind of name, against a brute count.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import itertools
import json
import os
import random
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
NAMES = ["milk", "sour cream", 'say "hi"', '"', '""', "a(b)", ")", "x,y", ",", "žluť", "牛乳", "007", "7",
         "-1", "1.5", "#SUP:", "(45)", "back\\slash", "tab\there", "L" * 33, "M" * 5000, "{}", "a'b",
         "a|b", "|"]
TOKEN = r'"(?:[^"]|"")*"|[^" ]+'


def unquote(token):
    return token[1:-1].replace('""', '"') if token.startswith('"') else token


def split_items(text):
    """The items of a cell or line: blanks between them, quotes as in CSV."""
    tokens = re.findall(TOKEN, text)
    assert " ".join(tokens) == text, text
    return frozenset(map(unquote, tokens))


def read_fimi(text):
    for line in text.split("\n")[:-1]:
        items, count = re.fullmatch(r"(.*) \((\d+)\)", line).groups()
        yield split_items(items), int(count)


def read_spmf(text):
    for line in text.split("\n")[:-1]:
        items, count = re.fullmatch(r"(.*) #SUP: (\d+)", line).groups()
        yield split_items(items), int(count)


def read_csv(text, n):
    rows = csv.DictReader(text.split("\n")[:-1], strict=True)
    for row in rows:
        cell = next(csv.reader([row["items"]], delimiter="|", strict=True))
        items, count = frozenset(cell), int(row["count"])
        assert len(items) == len(cell) == int(row["size"])
        assert abs(float(row["support"]) - count / n) <= 5e-10
        yield items, count


def read_columns(text, n):
    """One cell for each item; every line is as long as the header, as strict readers want it."""
    rows = list(csv.reader(text.split("\n")[:-1], strict=True))
    width = len(rows[0]) - 3
    assert rows[0] == ["count", "support", "size", *(f"item{i + 1}" for i in range(width))]
    assert {len(row) for row in rows} == {len(rows[0])}
    for row in rows[1:]:
        size, count = int(row[2]), int(row[0])
        items = frozenset(row[3:3 + size])
        assert len(items) == size and not any(row[3 + size:])
        row = {"support": row[1]}
        assert abs(float(row["support"]) - count / n) <= 5e-10
        yield items, count


def read_jsonl(text, n):
    for line in text.split("\n")[:-1]:
        row = json.loads(line)
        assert list(row) == ["items", "count", "support"]
        assert abs(row["support"] - row["count"] / n) <= 5e-10
        yield frozenset(map(str, row["items"])), row["count"]


def brute(baskets, least):
    """Every frequent set, by trying all subsets of every basket."""
    counts = {}
    for basket in baskets:
        for size in range(1, len(basket) + 1):
            for items in itertools.combinations(sorted(basket), size):
                counts[frozenset(items)] = counts.get(frozenset(items), 0) + 1
    return {items: n for items, n in counts.items() if n >= least}


class RoundTrip(unittest.TestCase):
    def check(self, baskets, text, *options):
        want = brute(baskets, 2)
        self.assertGreater(len(want), 100)
        n = len(baskets)
        readers = {"fimi": read_fimi, "spmf": read_spmf, "csv": lambda t: read_csv(t, n),
                   "csv --csv-items columns": lambda t: read_columns(t, n),
                   "jsonl": lambda t: read_jsonl(t, n)}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "data")
            path.write_bytes(text.encode())
            for format_name, read in readers.items():
                for order in ([], ["--sort"], ["--unsorted"]):
                    out = subprocess.run([LODE, "itemsets", path, "-s", "2", "-q", *options, *order,
                                          "--write", *format_name.split()], check=True, capture_output=True)
                    found = list(read(out.stdout.decode()))
                    self.assertEqual(len(dict(found)), len(found), format_name)
                    self.assertEqual(dict(found), want, format_name)

    def test_names(self):
        draw = random.Random(3)
        baskets = [set(draw.sample(NAMES, 8)) for _ in range(60)]
        lines = [",".join('"' + name.replace('"', '""') + '"' for name in basket)
                 for basket in baskets]
        self.check(baskets, "\n".join(lines) + "\n", "--format", "basket", "--separator", ",")

    def test_numbers(self):
        draw = random.Random(4)
        numbers = ["0", "7", "10", "9", "100", "65536", "4294967294"]
        baskets = [set(draw.sample(numbers, 6)) for _ in range(40)]
        self.check(baskets, "\n".join(map(" ".join, baskets)) + "\n", "--format", "fimi")


if __name__ == "__main__":
    unittest.main(verbosity=0)
