#!/usr/bin/env python3
"""Spreadsheets: what `-w xlsx` writes is what csv and jsonl write, seen by the parts of the file, and by
LibreOffice where it is installed. Csv with other separators, and the warning about rows that do not fit.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
SANITIZED = b"__asan_init" in Path(LODE).read_bytes() or b"__tsan_init" in Path(LODE).read_bytes()
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
# Names that a careless writer would turn into formulas, numbers, markup, several items or other names.
BASKETS = ['bread', '"a,b"', '=1+1', '"x""y"', '<b>&amp;', 'Käse', '007', '_x0041_', '1e5', '日本']
OFFICE = shutil.which("soffice")


def lode(*words, fails=False, stdin=None):
    run = subprocess.run([LODE, *map(str, words)], capture_output=True, input=stdin)
    if not fails and run.returncode != 0:
        raise AssertionError(f"{words}: {run.stderr.decode()}")
    return run


def has_xlsx():
    run = lode("itemsets", "-", "-s", "1", "-q", "-w", "xlsx", fails=True, stdin=b"1 2\n")
    return run.returncode == 0, run.stderr.decode()


XLSX, WHY = has_xlsx()


def column_of(place):
    n = 0
    for letter in re.match("[A-Z]+", place).group():
        n = 26 * n + ord(letter) - 64
    return n - 1


def cell_value(cell):
    value = cell.find(f"{MAIN}v")
    if value is not None:
        return float(value.text)
    words = "".join(t.text or "" for t in cell.iter(f"{MAIN}t"))
    # Excel's way to write a character by its number.
    return re.sub("_x([0-9A-F]{4})_", lambda m: chr(int(m[1], 16)), words)


class Book:
    """The sheets of a file: rows of (value, format) by column."""

    def __init__(self, data):
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            assert parts.testzip() is None
            styles = xml.fromstring(parts.read("xl/styles.xml"))
            own = {f.get("numFmtId"): f.get("formatCode") for f in styles.iter(f"{MAIN}numFmt")}
            known = {"0": "General", "3": "#,##0", "10": "0.00%", "49": "@"}
            self.formats = [own.get(x.get("numFmtId")) or known[x.get("numFmtId")]
                            for x in styles.find(f"{MAIN}cellXfs")]
            book = xml.fromstring(parts.read("xl/workbook.xml"))
            self.names = [s.get("name") for s in book.iter(f"{MAIN}sheet")]
            self.sheets = [self.read(parts.open(f"xl/worksheets/sheet{i + 1}.xml")) for i in range(len(self.names))]

    def read(self, stream):
        rows = []
        for _, element in xml.iterparse(stream):
            if element.tag != f"{MAIN}row":
                continue
            row = {}
            for cell in element:
                assert cell.find(f"{MAIN}f") is None, "a formula"
                row[column_of(cell.get("r"))] = (cell_value(cell), self.formats[int(cell.get("s", "0"))])
            rows.append(row)
            element.clear()
        return rows

    def table(self, sheet=0):
        """Rows as {title: value}; a missing cell is None."""
        titles = [value for value, _ in self.sheets[sheet][0].values()]
        return [{t: row.get(i, (None,))[0] for i, t in enumerate(titles)} for row in self.sheets[sheet][1:]]


def items_of(text):
    return next(csv.reader([text], skipinitialspace=True)) if text else []


@unittest.skipUnless(XLSX, "this build writes no .xlsx")
class Xlsx(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="lode-xlsx-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.baskets = cls.folder / "baskets.csv"
        lines = [BASKETS[i % 10:] + BASKETS[:i % 4] for i in range(24)]
        cls.baskets.write_text("".join(",".join(dict.fromkeys(line)) + "\n" for line in lines))
        cls.graphs = cls.folder / "data.lg"
        lode("generate", "graphs", "-n", "40", "--seed", "3", "-o", cls.graphs)

    def book(self, *words):
        out = self.folder / "out.xlsx"
        out.unlink(missing_ok=True)
        lode(*words, "-q", "-w", "xlsx", "-o", out)
        return Book(out.read_bytes())

    def jsonl(self, *words):
        return [json.loads(line) for line in lode(*words, "-q", "-w", "jsonl").stdout.splitlines()]

    def test_itemsets(self):
        words = ("itemsets", self.baskets, "-s", "30%")
        for more in ((), ("--threads", "7", "--sort"), ("--memory", "2M"), ("--spill", self.folder)):
            book = self.book(*words, *more)
            self.assertEqual(book.names, ["itemsets"])
            got = {tuple(items_of(row["items"])): (row["size"], row["count"], row["support"]) for row in book.table()}
            want = {tuple(map(str, row["items"])): (len(row["items"]), row["count"], row["support"])
                    for row in self.jsonl(*words, *more)}
            self.assertEqual(got.keys(), want.keys())
            for items, (size, count, support) in want.items():
                self.assertEqual(got[items][:2], (size, count))
                self.assertAlmostEqual(got[items][2], support, places=8)
        looks = [look for _, look in book.sheets[0][1].values()]
        self.assertEqual(looks, ["@", "#,##0", "#,##0", "0.00%"])

    def test_rules(self):
        words = ("rules", self.baskets, "-s", "30%", "-c", "60%", "--measure", "support,confidence,lift,conviction,phi")
        book = self.book(*words)
        self.assertEqual(list(book.table()[0]), ["if", "then", "count", "count of if", "count of then", "support",
                                                 "confidence", "lift", "conviction", "phi"])
        got = {(row["if"], row["then"]): row for row in book.table()}
        rows = self.jsonl(*words)
        self.assertEqual(len(got), len(rows))
        for row in rows:
            self.assertEqual({len(row["body"]) > 0, len(row["head"]) > 0}, {True})
        by_items = {(tuple(items_of(a)), tuple(items_of(b))): row for (a, b), row in got.items()}
        infinite = 0
        for row in rows:
            mine = by_items[tuple(map(str, row["body"])), tuple(map(str, row["head"]))]
            self.assertEqual((mine["count"], mine["count of if"]), (row["count"], row["body_count"]))
            for name in ("support", "confidence", "lift", "phi"):
                self.assertAlmostEqual(mine[name], row[name], places=12)
            infinite += mine["conviction"] == "inf"
            self.assertEqual(mine["conviction"] == "inf", row["conviction"] is None)
        self.assertGreater(infinite, 0)
        looks = [look for _, look in book.sheets[0][1].values()]
        self.assertEqual(looks[:8], ["@", "@", "#,##0", "#,##0", "#,##0", "0.00%", "0.00%", "General"])

    def test_subgraphs(self):
        words = ("graphs", self.graphs, "-s", "50%")
        book = self.book(*words)
        self.assertEqual(book.names, ["graphs"])
        text = lode(*words, "-q", "-w", "csv").stdout.decode()
        want = {row["code"]: (int(row["vertices"]), int(row["edges"]), int(row["count"])) for row in csv.DictReader(io.StringIO(text))}
        self.assertGreater(len(want), 10)
        self.assertEqual({row["code"]: (row["vertices"], row["edges"], row["count"]) for row in book.table()}, want)

    def test_query(self):
        stored = self.folder / "rules.arrow"
        lode("rules", self.baskets, "-s", "30%", "-c", "60%", "-q", "-w", "arrow", "-o", stored)
        words = ("query", stored, "--min", "lift=1.01", "--sort-by", "lift", "--measure", "phi,conviction")
        book = self.book(*words)
        rows = self.jsonl(*words)
        self.assertGreater(len(rows), 3)
        table = book.table()
        self.assertEqual([(items_of(r["if"]), items_of(r["then"]), r["count"]) for r in table],
                         [(list(map(str, r["body"])), list(map(str, r["head"])), r["both"]) for r in rows])
        for name in ("lift", "phi"):
            for got, want in zip(table, rows):
                self.assertAlmostEqual(got[name], want[name], places=12)
        self.assertEqual(self.book("query", stored, "--min", "lift=1000").table(), [])
        self.assertEqual(len(self.book("query", stored, "--rows", "3", "--page", "2").table()), 3)

    def test_ends_early(self):
        out = self.folder / "cut.xlsx"
        run = lode("itemsets", self.baskets, "-s", "1", "-q", "-w", "xlsx", "-o", out, "--limit-patterns", "50", fails=True)
        self.assertEqual(run.returncode, 5)
        self.assertEqual(len(Book(out.read_bytes()).table()), 50)

    def test_long_names(self):
        run = lode("itemsets", "-", "-s", "1", "-q", "-w", "xlsx", "-o", self.folder / "long.xlsx", fails=True,
                   stdin=b"x" * 40000 + b",y\n")
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn(b"32,767", run.stderr)
        self.assertFalse((self.folder / "long.xlsx").exists())

    def test_no_room_for_scratch(self):
        run = subprocess.run([LODE, "itemsets", self.baskets, "-s", "1", "-q", "-w", "xlsx", "-o", self.folder / "room.xlsx"],
                             capture_output=True, env={**os.environ, "TMPDIR": str(self.folder / "nothing")})
        self.assertNotEqual(run.returncode, 0)
        self.assertIn(b"scratch", run.stderr)
        self.assertFalse((self.folder / "room.xlsx").exists())

    @unittest.skipIf(SANITIZED, "a million rows")
    def test_many_rows(self):
        """More than a sheet has: the table goes on in the next one, and lode says so."""
        line = ",".join(f"i{i:02}" for i in range(22)).encode() + b"\n"
        out = self.folder / "many.xlsx"
        run = lode("itemsets", "-", "-f", "basket", "-s", "1", "--max-size", "9", "--unsorted", "-w", "xlsx", "-o", out, stdin=line)
        self.assertIn(b"further sheets", run.stderr)
        with zipfile.ZipFile(out) as parts:
            rows = [parts.read(f"xl/worksheets/sheet{i}.xml").count(b"<row ") for i in (1, 2)]
        self.assertEqual(rows, [1048576, 1097789 - 1048575 + 1])
        text = lode("itemsets", "-", "-f", "basket", "-s", "1", "--max-size", "9", "--unsorted", "-w", "csv", "--bom", "-o",
                    self.folder / "many.csv", stdin=line)
        self.assertIn(b"only the first 1048575", text.stderr)

    @unittest.skipUnless(OFFICE, "LibreOffice is not installed")
    def test_libreoffice(self):
        out = self.folder / "office.xlsx"
        words = ("rules", self.baskets, "-s", "30%", "-c", "60%")
        lode(*words, "-q", "-w", "xlsx", "-o", out)
        # 44,34: comma and quote; 76: UTF-8; true: cells as they are shown.
        how = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true"
        subprocess.run([OFFICE, f"-env:UserInstallation=file://{self.folder}/office", "--headless", "--convert-to", how,
                        "--outdir", self.folder, out], check=True, capture_output=True, timeout=180)
        with open(self.folder / "office.csv", encoding="utf-8", newline="") as text:
            shown = list(csv.DictReader(text))
        rows = self.jsonl(*words)
        self.assertEqual(len(shown), len(rows))
        want = {(tuple(map(str, r["body"])), tuple(map(str, r["head"]))): r for r in rows}
        for row in shown:
            rule = want[tuple(items_of(row["if"])), tuple(items_of(row["then"]))]
            self.assertEqual(row["count"], f"{rule['count']:,}")
            self.assertEqual(row["confidence"], f"{100 * rule['confidence']:.2f}%")
            self.assertEqual(row["support"], f"{100 * rule['support']:.2f}%")
            self.assertAlmostEqual(float(row["lift"]), rule["lift"], places=4)


class Without(unittest.TestCase):
    @unittest.skipIf(XLSX, "this build writes .xlsx")
    def test_it_says_so(self):
        self.assertIn("libxlsxwriter", WHY)
        self.assertEqual(WHY.count("\n"), 1, WHY)


class Csv(unittest.TestCase):
    """The separator of csv, with every kind of csv: cells can be read back."""

    def test_separators(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            baskets = folder / "b.csv"
            baskets.write_text('a;b,"c,d",e\na;b,"c,d"\n"x\ty",e\ne\n')
            stored, sets, graphs = folder / "rules.arrow", folder / "sets.arrow", folder / "g.lg"
            lode("rules", baskets, "-s", "1", "-q", "-w", "arrow", "-o", stored)
            lode("itemsets", baskets, "-s", "1", "-q", "-w", "arrow", "-o", sets)
            graphs.write_text("t # 0\nv 0 a;b\nv 1 C\ne 0 1 1\nt # 1\nv 0 C\nv 1 C\ne 0 1 1\nt # 2\n")
            for words in (("rules", baskets, "-s", "1"), ("itemsets", baskets, "-s", "1"),
                          ("itemsets", baskets, "-s", "1", "--csv-items", "columns"), ("query", stored), ("query", sets),
                          ("graphs", graphs, "-s", "1")):
                plain = self.read(",", *words)
                self.assertGreater(len(plain), 2, words)
                self.assertIn(".", "".join(plain[1]), words)
                self.assertEqual(self.read("\t", *words, "--csv-separator", "tab"), plain, words)
                german = self.read(";", *words, "--csv-separator", ";")
                self.assertEqual(german, [[self.comma(cell) for cell in row] for row in plain], words)
                marked = lode(*words, "-q", "-w", "csv", "--bom", "--csv-separator", ";").stdout
                self.assertTrue(marked.startswith(b"\xef\xbb\xbf"), words)
                self.assertEqual(marked[3:], lode(*words, "-q", "-w", "csv", "--csv-separator", ";").stdout, words)
            for words in (("rules", baskets, "-s", "1", "-w", "jsonl"), ("itemsets", baskets, "-s", "1", "-w", "fimi"),
                          ("query", stored, "-w", "jsonl")):
                run = lode(*words, "--csv-separator", ";", fails=True)
                self.assertIn(b"--csv-separator is for csv only", run.stderr)
            self.assertIn(b"expected a comma, a semicolon or tab",
                          lode("rules", baskets, "-s", "1", "-w", "csv", "--csv-separator", "|", fails=True).stderr)

    def comma(self, cell):
        """The same number with a decimal comma."""
        return cell.replace(".", ",") if re.fullmatch(r"-?\d+\.\d+(e-?\d+)?", cell) else cell

    def read(self, separator, *words):
        text = lode(*words, "-q", "-w", "csv").stdout.decode()
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
        self.assertEqual({len(row) for row in rows}, {len(rows[0])}, text)
        return rows


if __name__ == "__main__":
    print("LibreOffice:", OFFICE or "not installed, so its test is skipped")
    unittest.main()
