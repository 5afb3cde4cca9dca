#!/usr/bin/env python3
"""Excel workbooks as input. Each workbook is made by hand, part by part, and must be read as the equal
CSV; damaged and hostile ones must be refused with a message.

SPDX-License-Identifier: Apache-2.0
"""
import gzip
import io
import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
TABLE = [["InvoiceNo", "Date", "Description"], [536365, 1, "milk"], [536365, 2, "sour cream"], [536366, 3, 'a "b", c'],
         [536367, 4, "milk"], [536366, 5, "milk"]]
CSV = "".join(f'{a},{b},"{c.replace(chr(34), chr(34) * 2)}"\n' for a, b, c in TABLE)


def lode(*words, stdin=None, code=0):
    run = subprocess.run([LODE, *map(str, words)], capture_output=True, input=stdin)
    if run.returncode != code:
        raise AssertionError(f"{words}: {run.returncode}, not {code}: {run.stderr.decode()}")
    return run


def place(row, column):
    letters = ""
    while column:
        column, letter = divmod(column - 1, 26)
        letters = chr(65 + letter) + letters
    return f"{letters}{row}"


def cell(at, value):
    """A cell; a text that begins with < is XML: what is within it, after its attributes."""
    if isinstance(value, str) and value.startswith("<"):
        attributes, _, inner = value[1:].partition(">")
        return f'<c r="{at}" {attributes}>{inner}</c>'
    if isinstance(value, str):
        return f'<c r="{at}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'
    return f'<c r="{at}"><v>{value}</v></c>'


def rows_of(rows, first=1):
    """Rows of cells; None is no cell."""
    return "".join(f'<row r="{r}">' + "".join(cell(place(r, c), v) for c, v in enumerate(row, 1) if v is not None) + "</row>"
                   for r, row in enumerate(rows, first))


def sheet(rows, before="", after=""):
    return f"{HEAD}<worksheet {MAIN}>{before}<sheetData>{rows}</sheetData>{after}</worksheet>"


def workbook(sheets, *, strings=None, styles=None, properties="", states=(), types=(), main="xl/workbook.xml", extra=None):
    """The bytes of a workbook: {name: XML of the sheet}."""
    listed, links, parts = "", "", {}
    for i, (name, text) in enumerate(sheets.items(), 1):
        state = f'state="{states[i - 1]}"' if i <= len(states) and states[i - 1] else ""
        kind = types[i - 1] if i <= len(types) else "worksheet"
        listed += f'<sheet name={quoteattr(name)} sheetId="{i + 7}" {state} r:id="rId{i}"/>'
        links += f'<Relationship Id="rId{i}" Type="{OFFICE}/{kind}" Target="worksheets/sheet{i}.xml"/>'
        parts[f"xl/worksheets/sheet{i}.xml"] = text
    for name, text in (("sharedStrings", strings), ("styles", styles)):
        if text is not None:
            links += f'<Relationship Id="{name}" Type="{OFFICE}/{name}" Target="/xl/{name}.xml"/>'
            parts[f"xl/{name}.xml"] = text
    folder, _, file = main.rpartition("/")
    parts[main] = f'{HEAD}<workbook {MAIN} xmlns:r="{OFFICE}">{properties}<sheets>{listed}</sheets></workbook>'
    parts[f"{folder}/_rels/{file}.rels"] = f"{HEAD}<Relationships>{links}</Relationships>"
    parts["_rels/.rels"] = (f'{HEAD}<Relationships><Relationship Id="a" Type="{OFFICE}/officeDocument" Target="{main}"/>'
                            "</Relationships>")
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", HEAD + "<Types/>")
        for name, text in {**parts, **(extra or {})}.items():
            archive.writestr(name, text)
    return out.getvalue()


def plain(rows, **more):
    return workbook({"Sales": sheet(rows_of(rows))}, **more)


def shared(texts):
    return f"{HEAD}<sst {MAIN}>" + "".join(f"<si>{text}</si>" for text in texts) + "</sst>"


def styles(*formats):
    """A style for each format: a number of Excel, or a code of its own."""
    own = "".join(f'<numFmt numFmtId="{200 + i}" formatCode={quoteattr(f)}/>' for i, f in enumerate(formats) if isinstance(f, str))
    xfs = "".join(f'<xf numFmtId="{200 + i if isinstance(f, str) else f}"/>' for i, f in enumerate(formats))
    return f'{HEAD}<styleSheet {MAIN}><numFmts>{own}</numFmts><cellStyleXfs><xf numFmtId="22"/></cellStyleXfs><cellXfs>{xfs}</cellXfs></styleSheet>'


READS = subprocess.run([LODE, "stats", "-"], input=plain(TABLE), capture_output=True).returncode == 0


@unittest.skipUnless(READS, "this build reads no .xlsx: libzip or expat is missing")
class Workbook(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="lode-workbook-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def found(self, data, *options, name="book.xlsx"):
        """All itemsets, by their items."""
        path = self.file(name, data)
        run = lode("itemsets", path, "-s", "1", "-q", "--sort", "-w", "jsonl", *options)
        return {tuple(map(str, row["items"])): row["count"] for row in map(json.loads, run.stdout.splitlines())}

    def items(self, values, **more):
        """What cells of one row are read as; they stand below a header, in a table of one item per row."""
        rows = [["id", "item"], *[[f"t{i}", value] for i, value in enumerate(values)]]
        found = self.found(plain(rows, **more), "--tid", "1", "--item", "2", "--header")
        self.assertTrue(all(len(items) == 1 for items in found), found)
        return sorted(items[0] for items in found)

    def same(self, data, text, *options):
        self.assertEqual(self.found(data, *options), self.found(text, *options, name="book.csv"))

    def refused(self, data, *words, options=(), code=3):
        run = lode("itemsets", self.file("bad.xlsx", data), "-s", "1", *options, code=code)
        for word in words:
            self.assertIn(word, run.stderr.decode())

    # ---- the same as CSV ----

    def test_tables(self):
        self.same(plain(TABLE), CSV)
        self.same(plain(TABLE), CSV, "--item", "Date", "--drop-rows", "Description=milk")
        self.same(plain(TABLE), CSV, "--threads", "7", "--memory", "4M")
        texts = [f"<t>{escape(row[2])}</t>" for row in TABLE]
        rows = [[*row[:2], f'<t="s"><v>{i}</v>'] for i, row in enumerate(TABLE)]
        self.same(plain(rows, strings=shared(texts)), CSV)
        self.same(plain(TABLE, main="xl/book7.xml"), CSV)
        prefixed = sheet(rows_of(TABLE)).replace("<", "<x:").replace("<x:/", "</x:").replace("<x:?", "<?").replace("xmlns", "xmlns:x")
        self.same(workbook({"Sales": prefixed}), CSV)
        self.same(workbook({"S": sheet(rows_of(TABLE)).replace("UTF-8", "UTF-16").encode("utf-16")}), CSV)
        implicit = rows_of(TABLE).replace(' r="', ' x="')
        self.same(workbook({"S": sheet(implicit)}), CSV)

    def test_baskets_and_onehot(self):
        self.same(plain([["milk", "bread, white"], ["milk", None, 7], ["beer"]]), 'milk,"bread, white"\nmilk,,7\nbeer\n')
        self.same(plain([[1], [2], [2]]), "1\n2\n2\n")
        self.assertEqual(self.found(plain([["a;b"], ["c d; e"], ["a;b"]])), {("a;b",): 2, ("c d; e",): 1})
        self.same(plain([["{x}", "@home"], ["t # 0", "a<b>"]]), "{x},@home\nt # 0,a<b>\n", "--format", "basket")
        onehot = [["id", "milk", "bread", "beer"], *[[f"n{i}", "x" if i % 2 else None, "x", None] for i in range(12)]]
        text = "".join(",".join(v or "" for v in row) + "\n" for row in onehot)
        self.same(plain(onehot), text)
        flags = [["milk", "bread"], *[[f'<t="b"><v>{i % 2}</v>', '<t="b"><v>1</v>'] for i in range(9)]]
        self.same(plain(flags), "milk,bread\n" + "".join(f"{'TRUE' if i % 2 else 'FALSE'},TRUE\n" for i in range(9)))

    def test_ways_to_get_it(self):
        data, want = plain(TABLE), self.found(CSV, name="book.csv")
        for name, packed in (("b.xlsm", data), ("b.csv", data), ("b.gz", gzip.compress(data))):
            self.assertEqual(self.found(packed, name=name), want)
        run = lode("itemsets", "-", "-s", "1", "-q", "-w", "jsonl", stdin=data)
        self.assertEqual(len(run.stdout.splitlines()), len(want))
        book, text = self.file("a.xlsx", data), self.file("a.csv", CSV.replace("53636", "9"))
        both = lode("itemsets", book, text, "-s", "1", "-q").stdout
        semicolons = self.file("b.csv", CSV.replace("53636", "9").replace(",", ";").replace("; c", ", c"))
        self.assertEqual(both, lode("itemsets", semicolons, book, "-s", "1", "-q").stdout)
        for words in (("stats",), ("suggest",), ("clean",), ()):
            self.assertIn(b"5" if not words else b"", lode(*words, book).stdout)
        self.assertIn(b"sheet 'Sales'", lode("stats", book).stdout)
        self.assertIn(b"sheet 'Sales'", lode(book).stdout)
        self.assertEqual(lode("stats", book, "--sheet", "Sales").stderr, b"")

    # ---- cells ----

    def test_numbers(self):
        given = ["0.1", "0.10000000000000001", "0.30000000000000004", "536365", "1E-3", "1e21", "-0", "2.50", "12345678901234567890",
                 "1.0000000000000002", "5e-324", "1.7976931348623157e308", "9007199254740993", "100", "-1.5E+2"]
        want = ["0.1", "0.1", "0.30000000000000004", "536365", "0.001", "1e+21", "0", "2.5", "12345678901234567000",
                "1.0000000000000002", "5e-324", "1.7976931348623157e+308", "9007199254740992", "100", "-150"]
        self.assertEqual(self.items([f"<><v>{n}</v>" for n in given]), sorted(set(want)))
        rng = random.Random(44)
        values = [rng.uniform(-1, 1) * 10 ** rng.randint(-30, 30) for _ in range(200)]
        read = self.items([f"<><v>{value:.17g}</v>" for value in values])
        self.assertEqual(sorted(map(float, read)), sorted(values))
        self.assertTrue(all(len(text.strip("-").replace(".", "").strip("0").split("e")[0]) <= len(repr(float(text))) for text in read))
        percent = [f'<s="{i}"><v>0.15</v>' for i in range(5)]
        self.assertEqual(self.items(percent, styles=styles(0, 10, "0.00%", '"EUR" #,##0.00', "[$€-407] #,##0.00;[Red]-0")), ["0.15"])

    def test_dates(self):
        formats = [14, 22, 20, "yyyy\\-mm\\-dd", "dd/mm/yy hh:mm", "[h]:mm", "mmm yy", "[$-409]d\"th of\" mmmm", "0.0E+00", "General",
                   '"day" 0', "mm:ss.0", "#,##0 \\h", "[Red]0.00"]
        values = [f'<s="{i}"><v>40886.5</v>' for i in range(len(formats))]
        hours = 40886 * 24 + 12
        self.assertEqual(self.items(values, styles=styles(*formats)),
                         sorted({"2011-12-09", "2011-12-09T12:00:00", "12:00:00", f"{hours}:00:00", "40886.5"}))
        day = [f'<s="0"><v>{n}</v>' for n in (1, 59, 60, 61, 36526, 2958465, 2958466, -1)]
        self.assertEqual(self.items(day, styles=styles(14)), sorted(
            ["1900-01-01", "1900-02-28", "1900-02-29", "1900-03-01", "2000-01-01", "9999-12-31", "2958466", "-1"]))
        self.assertEqual(self.items([f'<s="0"><v>{n}</v>' for n in (0, 366, 39424)], styles=styles(14),
                                    properties='<workbookPr date1904="1"/>'), ["1904-01-01", "1905-01-01", "2011-12-09"])
        self.assertEqual(self.items([f'<s="0"><v>{n}</v>' for n in ("40886.352083333331", "40886.99999999")], styles=styles(22)),
                         ["2011-12-09T08:27:00", "2011-12-10T00:00:00"])
        table = [["order", "Date", "product"], [1, '<s="0"><v>40886</v>', "milk"], [2, '<s="0"><v>40000</v>', "beer"]]
        self.same(plain(table, styles=styles(14)), "order,Date,product\n1,2011-12-09,milk\n2,2009-07-06,beer\n",
                  "--drop-rows", "Date<2011-01-01")

    def test_texts(self):
        strings = shared(["<t>milk</t>", '<r><t>sour</t></r><r><rPr><b/></rPr><t xml:space="preserve"> cream</t></r>',
                          "<t>ruby</t><rPh sb='0' eb='1'><t>not this</t></rPh>", "<t>a_x000D_\nb</t>", "<t/>", "<t>&lt;&amp;&#228;</t>"])
        cells = [f'<t="s"><v>{i}</v>' for i in range(6)]
        self.assertEqual(self.items(cells, strings=strings), sorted(["milk", "sour cream", "ruby", "a  b", "<&ä"]))
        others = ['<t="str"><f>A1&amp;"x"</f><v>formula</v>', '<><f>1+1</f><v>2</v>', '<t="e"><v>#N/A</v>', '<t="b"><v>1</v>',
                  '<t="d"><v>2011-12-09T08:26:00</v>', '<t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is>', "007", "<><v/>",
                  '<t="n"><v> 12 </v>', "two\nlines", '<t="s">']
        self.assertEqual(self.items(others), sorted(["formula", "2", "TRUE", "2011-12-09T08:26:00", "inline", "007", "12", "two lines"]))

    # ---- rows and sheets ----

    def test_gaps(self):
        rows = ('<row r="3"><c r="B3" t="str"><v>Sales 2011</v></c></row>' + rows_of([TABLE[0]], 5) + rows_of([TABLE[1]], 9) +
                '<row r="10"/><row r="11" s="1"><c r="A11" s="3"/></row>' + rows_of(TABLE[2:], 12) + '<row r="900"><c r="A900" s="1"/></row>')
        self.same(workbook({"S": sheet(rows, '<dimension ref="A1:XFD1048576"/>', '<mergeCells><mergeCell ref="B3:D3"/></mergeCells>')}), CSV)
        notes = [*TABLE[:3], [*TABLE[3], None, "a note", 7], *TABLE[4:]]
        self.same(plain(notes), CSV)
        short = [[*row[:2], None] if row[2] == "sour cream" else row for row in TABLE]
        self.same(plain(short), CSV.replace('"sour cream"', ""))
        run = lode("itemsets", self.file("bad.xlsx", workbook({"S": sheet(
            rows_of([TABLE[0]], 4) + '<row r="17"><c r="C17"><v>1</v></c></row>')})), "-s", "1", code=3)
        self.assertIn("bad.xlsx:17:1: no transaction", run.stderr.decode())
        self.assertEqual(self.found(plain([]), "--format", "basket"), {})

    def test_attributes(self):
        """Empty cells beside the table, as formatted ones are, are no columns."""
        text = "id,age,colour\n1,37,red\n2,,blue\n3,40,\n"
        rows = [["id", "age", "colour"], [1, 37, "red"], [2, None, "blue"], [3, 40]]
        options = ("--format", "attributes", "--ignore", "id", "--bins", "age=38")
        cells = "".join(f'<c r="{column}3" s="1"/>' for column in "DEF")
        wide = [*rows[:2], [*rows[2], "", "", ""], rows[3]]
        late = rows_of(rows).replace("</row>", cells.replace("3", "4") + "</row>")
        for data in (plain(rows), plain(wide), plain([[*rows[0], None, ""], *rows[1:]]), workbook({"S": sheet(late)})):
            self.assertEqual(self.found(data, *options), self.found(text.encode(), *options, name="a.csv"))
        self.refused(plain([*rows, [4, 41, "red", "", "note"]]), "too many fields", options=options[:2])

    def test_sheets(self):
        other = [["InvoiceNo", "Description"], [1, "beer"]]
        sheets = {"Old": sheet(rows_of(other)), "Chart": "<chartsheet/>", "Sales 2011": sheet(rows_of(TABLE)), "2": sheet(rows_of([["a", "b"]]))}
        data = workbook(sheets, states=("hidden",), types=("worksheet", "chartsheet"))
        self.same(data, CSV)
        for name, items in (("Sales 2011", None), ("sales 2011", None), ("3", None), ("Old", ("beer",)), ("1", ("beer",)), ("2", ("a", "b"))):
            found = self.found(data, "--sheet", name)
            self.assertEqual(found, self.found(CSV, name="b.csv") if items is None else found)
            self.assertIn(items or ("milk",), found)
        run = lode("stats", self.file("b.xlsx", data))
        self.assertIn("the sheet 'Sales 2011' is read; other sheets (--sheet): 'Old' (hidden), 'Chart', '2'", run.stderr.decode())
        self.refused(data, "there is no sheet 'Sale'", "'Old' (hidden), 'Chart', 'Sales 2011', '2'", options=("--sheet", "Sale"))
        self.refused(data, "the sheet 'Chart' has no cells", options=("--sheet", "Chart"))
        self.refused(CSV, "is not an Excel workbook", options=("--sheet", "Sales"), code=2)
        self.refused(data, "need no separator", options=("--separator", ";"), code=2)
        self.refused(data, "basket, table, onehot or attributes", options=("--format", "json"), code=2)

    # ---- what is refused ----

    def test_hostile(self):
        good = rows_of(TABLE)
        entity = sheet(good.replace("milk", "&a;")).replace("<worksheet", '<!DOCTYPE x [<!ENTITY a "aaaa">]><worksheet')
        self.refused(workbook({"S": entity}), "damaged", "DTD", "CSV")
        self.refused(workbook({"S": sheet("<x>" * 70 + "</x>" * 70)}), "nested too deep")
        self.refused(workbook({"S": sheet(f'<row r="1" x="{"a" * 6000000}"/>')}), "too long")
        self.refused(workbook({"S": sheet(("<row>" + "<c/>" * 16000 + "</row>") * 1200)}), "500 times")
        for rows in ('<row r="2"/><row r="1"/>', '<row r="1048577"/>', '<row r="0"/>', '<row r="x"/>', '<c r="A1"/>',
                     '<row r="1"><c r="B1"/><c r="A1"/></row>', '<row r="1"><c r="XFE1"/></row>', '<row r="1"><c r="1"/></row>',
                     '<row r="1"><c r="A1" t="s"><v>0</v></c></row>', "<row>"):
            self.refused(workbook({"S": sheet(rows)}), "damaged", "worksheets/sheet1.xml, line 2", options=("--format", "basket"))
        many = plain([[f'<t="s"><v>{i}</v>', "x"] for i in range(9)], strings=shared([f"<t>{'y' * 200}{i}</t>" for i in range(40000)]))
        self.refused(many, "memory", options=("--memory", "8M"), code=4)
        self.refused(workbook({}), "without a sheet of cells")
        self.refused(plain(TABLE, extra={"xl/workbook.bin": ""}), ".xlsb")
        missing = plain(TABLE).replace(b"xl/worksheets/sheet1", b"xl/worksheets/sheet9")
        self.refused(missing, "there is no xl/worksheets/sheet1.xml in it")
        for words, data in (("OpenDocument", b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), ("zip archive", b"x" * 60)):
            self.refused(b"PK\3\4" + bytes(26) + data, words)
        ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)
        self.refused(ole, "before 2007", ".xlsx", "CSV")
        self.refused(ole + "EncryptedPackage".encode("utf-16-le"), "encrypted", "password")
        self.refused(data=plain(TABLE), options=("--memory", "64K"), code=4)

    def test_damage(self):
        """Whatever happens to the bytes, lode reads it or says what is wrong."""
        data = plain([[f'<t="s"><v>{i % 3}</v>', i, "x"] for i in range(300)], strings=shared(["<t>a</t>", "<t>b</t>", "<t>c</t>"]))
        rng = random.Random(7)
        damaged = [data[:len(data) * i // 50] for i in range(4, 50, 2)]
        for _ in range(40):
            changed = bytearray(data)
            for _ in range(rng.choice((1, 1, 8))):
                changed[rng.randrange(4, len(data))] ^= 1 << rng.randrange(8)
            damaged.append(bytes(changed))
        outcomes = set()
        for i, bad in enumerate(damaged):
            run = subprocess.run([LODE, "stats", "-", "--threads", "2"], input=bad, capture_output=True)
            self.assertIn(run.returncode, (0, 3), (i, run.stderr))
            self.assertTrue(run.returncode == 0 or b"workbook" in run.stderr or b"archive" in run.stderr, (i, run.stderr))
            outcomes.add(run.returncode)
        self.assertEqual(outcomes, {0, 3})


if __name__ == "__main__":
    if not READS:
        print("skip: this build reads no .xlsx: libzip or expat is missing")
        raise SystemExit(77)
    unittest.main()
