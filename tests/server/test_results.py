#!/usr/bin/env python3
"""Questions to results by HTTP, against what `lode query` says of the same files.

The results are written by the command and noted in the server's database, so that these tests need
no worker; the last ones mine by HTTP. With LODE_LONG=1, more queries are tried.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import io
import itertools
import json
import math
import os
import random
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import xml.etree.ElementTree as xml
import zipfile
from concurrent.futures import ThreadPoolExecutor

from serving import LODE, PATIENCE, Server, within

NAMES = ["milk", "bread", "butter", "beer", "eggs", "<script>alert(1)</script>", 'say "cheese"', "a,b;c", "\U0001f95b",
         "\u0639\u0631\u0628\u064a", "@home", "x" * 3000, "back\\slash", "50 %", "per|pipe", "-dash", "organic milk"]
MANY = 19  # items of one basket that is there twice: 2^19 - 1 itemsets
PAGE = 1000
GRAPHS = """t # 0
v 0 C
v 1 C
v 2 O
v 3 N
e 0 1 single
e 1 2 double
e 1 3 single
t # 1
v 0 C
v 1 C
v 2 O
v 3 C
e 0 1 single
e 1 2 double
e 2 3 single
e 3 0 single
t # 2
v 0 N
v 1 C
v 2 O
e 0 1 single
e 1 2 double
"""


def lode(*words):
    done = subprocess.run([LODE, *map(str, words)], capture_output=True, check=False)
    assert done.returncode == 0, (words, done.stderr.decode(errors="replace"))
    return done.stdout


def write_baskets(path):
    """As JSON, where a name may have any character; some items come together, as in a shop."""
    draw = random.Random(7)
    with open(path, "w", encoding="utf-8") as out:
        for _ in range(400):
            basket = {name for i, name in enumerate(NAMES) if draw.random() < 0.5 / (1 + i / 6)}
            if "milk" in basket and draw.random() < 0.7:
                basket.add("bread")
            out.write(json.dumps(sorted(basket) or ["milk"]) + "\n")


class Result:
    """A result of the server, and its file."""

    def __init__(self, server, number, kind):
        self.server, self.number, self.kind = server, number, kind
        self.path = server.data / "results" / f"{number}.arrow"

    def get(self, what, parameters=None, **more):
        return self.server.get(f"jobs/{self.number}/{what}", parameters, **more)

    def page(self, **parameters):
        answer = self.get("rules" if self.kind == "rules" else "patterns",
                          {name.replace("_", "-"): value for name, value in parameters.items()})
        assert answer.status == 200, answer
        return answer.json

    def query(self, *words):
        """What the command says, a list of objects."""
        return [json.loads(line) for line in lode("query", self.path, "-w", "jsonl", "-q", *words).splitlines()]


def note(server, number, kind, state="done"):
    database = sqlite3.connect(server.data / "lode.sqlite", timeout=PATIENCE)
    with database:
        database.execute("INSERT INTO jobs (id, dataset, dataset_name, kind, options, state, created) "
                         "VALUES (?, 1, 'baskets', ?, '{}', ?, 1)", (number, kind, state))
    database.close()
    return Result(server, number, kind)


def make_results(server):
    baskets, many, graphs = server.data / "baskets.json", server.data / "many.dat", server.data / "graphs.lg"
    write_baskets(baskets)
    many.write_text((" ".join(map(str, range(MANY))) + "\n") * 2)
    graphs.write_text(GRAPHS)
    made = [note(server, 1, "itemsets"), note(server, 2, "rules"), note(server, 3, "itemsets"),
            note(server, 4, "graphs")]
    lode("itemsets", baskets, "-s", "2", "-w", "arrow", "-o", made[0].path)
    lode("rules", baskets, "-s", "3", "-c", "10%", "-w", "arrow", "-o", made[1].path)
    lode("itemsets", many, "-s", "1", "-w", "arrow", "-o", made[2].path)
    lode("graphs", graphs, "-s", "2", "-w", "arrow", "-o", made[3].path)
    for path in (baskets, many, graphs):
        path.unlink()
    return made


# ---- pages ----

def same_row(kind, told, stored):
    if kind == "itemsets":
        return (told["items"], told["count"]) == (stored["items"], stored["count"])
    return (told["body"], told["head"], told["both"], told["body_count"], told["head_count"]) == (
        stored["body"], stored["head"], stored["both"], stored["body_count"], stored["head_count"])


def check_page(result, filters, order, skip, rows):
    """One page against the command: the same rows in the same order, and how many there are."""
    words = [word for name, value in filters for word in (f"--{name}", value)]
    sorting = (["--sort-by", order[0]] + ["--reverse"] * order[1]) if order else []
    page = result.page(**collections_of(filters), **({"sort": order[0], "reverse": int(order[1])} if order else {}),
                       skip=skip, rows=rows)
    stored = result.query(*words, *sorting, "--rows", "all")
    assert page["found"] == len(stored), (filters, page["found"], len(stored))
    expected = stored[skip:skip + rows]
    assert len(page["rows"]) == len(expected), (filters, order, skip, rows, len(page["rows"]))
    for told, one in zip(page["rows"], expected):
        assert same_row(result.kind, told, one), (filters, order, skip, told, one)
    return page


def collections_of(filters):
    found = collections.defaultdict(list)
    for name, value in filters:
        found[name].append(value)
    return found


def draw_filters(draw, kind):
    rules = kind == "rules"
    bounds = (["min", "lift=1.2"], ["max", "lift=1.5"], ["min", "confidence=0.4"], ["min", "zhang=0.1"],
              ["max", "conviction=2"]) if rules else (["min", "count=5"], ["max", "support=10%"])
    sides = ("", "lhs-", "rhs-") if rules else ("",)
    found = [tuple(one) for one in draw.sample(bounds, draw.randrange(3))]
    for kind_of in ("has", "lacks"):
        if draw.random() < 0.4:
            # An item with an @ in front would be a file: it is asked for with a backslash.
            name = draw.choice(NAMES[:11])
            found.append((draw.choice(sides) + kind_of, "\\@home" if name == "@home" else name))
    if draw.random() < 0.3:
        found.append((draw.choice(sides) + "match", draw.choice(("^m", "milk$", "b(read|utter)", "[^a-z ]"))))
    if draw.random() < 0.2:
        found.append((draw.choice(("min-size", "max-size")), str(draw.randrange(2, 5))))
    if draw.random() < 0.3:
        found += [("pick", ",".join(str(draw.randrange(200)) for _ in range(draw.randrange(1, 60)))) for _ in range(draw.randrange(1, 3))]
    return found


def test_pages(results):
    draw = random.Random(11)
    for _ in range(400 if os.environ.get("LODE_LONG") else 40):
        result = draw.choice(results[:2])
        columns = ("lift", "confidence", "zhang", "both", "fishersExactTest") if result.kind == "rules" else (
            "count", "size", "support")
        order = None if draw.random() < 0.4 else (draw.choice(columns), draw.random() < 0.4)
        skip = draw.choice((0, 0, 7, 100, 1000, 1020))
        check_page(result, draw_filters(draw, result.kind), order, skip, draw.choice((1, 10, 100, PAGE)))


def test_long_result(results):
    """Pages of half a million rows: neighbours, the last ones, and what lies behind."""
    result, total = results[2], 2**MANY - 1
    assert result.page(rows=0)["total"] == total
    for order in (("size", True), ("size", False)):
        ranks = {}
        for skip in (0, 1000, 1023, 262143, total - 5, total - 1, total, total + 10**9):
            page = result.page(sort=order[0], reverse=int(order[1]), skip=skip, rows=50)
            assert page["found"] == total and page["total"] == total
            assert len(page["rows"]) == max(0, min(50, total - skip)), (skip, len(page["rows"]))
            for i, row in enumerate(page["rows"]):
                ranks[skip + i] = (len(row["items"]), row["row"])
        seen = [ranks[rank] for rank in sorted(ranks)]
        expected = sorted(seen, key=lambda one: (one[0] if order[1] else -one[0], one[1]))
        assert seen == expected, "not in order"
        assert seen[0][0] == (1 if order[1] else MANY)
        # By sizes the place of a row is known: so many sets are smaller.
        below = sum(math.comb(MANY, size) for size in range(1, 9))
        if order[1]:
            page = result.page(sort="size", reverse=1, skip=below - 1, rows=2)
            assert [len(row["items"]) for row in page["rows"]] == [8, 9]
    page = result.page(skip=total - 2, rows=PAGE)
    assert [row["row"] for row in page["rows"]] == [total - 2, total - 1]
    filtered = result.page(has="3", min_size=2, max_size=2, rows=PAGE, skip=10)
    assert filtered["found"] == MANY - 1 and len(filtered["rows"]) == MANY - 11
    unknown = result.page(has="3", max_size=6, found=0)
    assert unknown["found"] is None and len(unknown["rows"]) == 100


def test_values(results):
    page = results[1].page(rows=PAGE, measures="zhang,conviction,lift,CF")
    stored = results[1].query("--measure", "zhang,conviction,lift,certainty", "--rows", PAGE, "--page", 1)
    infinite = 0
    for row, one in zip(page["rows"], stored, strict=True):
        assert list(row["values"]) == ["zhang", "conviction", "lift", "CF"]
        assert row["values"]["zhang"] == one["zhang"] and row["values"]["CF"] == one["certainty"]
        assert row["lift"] == one["lift"] == row["values"]["lift"]
        assert row["confidence"] == one["confidence"] and row["support"] == one["support"]
        if row["values"]["conviction"] == "inf":
            assert row["both"] == row["body_count"] and one["conviction"] is None
            infinite += 1
        else:
            assert row["values"]["conviction"] == one["conviction"]
    assert infinite > 0, "no conviction was infinite"


# ---- columns, histograms, networks ----

def test_columns(results):
    for result in results[:2]:
        told = result.get("columns").json
        stored = result.query("--rows", "all")
        assert told["rows"] == len(stored)
        assert told["order"] == ("confidence" if result.kind == "rules" else "support")
        columns = {one["name"]: one for one in told["columns"]}
        for name, value in stored[0].items():
            assert columns[name]["stored"] and columns[name]["type"] in ("items", "count", "real"), name
            if isinstance(value, list):
                assert columns[name]["low"] is None
                continue
            values = [one[name] for one in stored if one[name] is not None]
            assert (columns[name]["low"], columns[name]["high"]) == (min(values), max(values)), name
    assert columns["zhang"]["stored"] is False and -1 <= columns["zhang"]["low"] <= columns["zhang"]["high"] <= 1
    assert columns["fisher"]["better"] == -1
    assert [columns["count"][end] for end in ("low", "high")] == [columns["both"][end] for end in ("low", "high")]
    few = results[2].get("columns").json
    assert {one["name"]: (one["low"], one["high"]) for one in few["columns"]}["size"] == (1, MANY)
    assert results[1].get("columns", {"of": "zhang"}).json == results[1].get("columns").json
    assert results[1].get("columns", {"of": "nonsense"}).status == 422


def test_histograms(results):
    result = results[1]
    stored = result.query("--rows", "all", "--min", "lift=1")
    told = result.get("histogram", {"x": "lift", "x-bins": 8, "min": "lift=1"}).json
    edges, values = told["x"]["edges"], [one["lift"] for one in stored]
    counts = [sum(low <= v and (v < high or high == edges[-1] == v) for v in values)
              for low, high in itertools.pairwise(edges)]
    assert told["counts"] == counts and told["inside"] == len(stored) and told["y"] is None, told
    both = result.get("histogram", {"x": "lift", "y": "confidence", "x-bins": 3, "y-bins": 2, "x-low": 1, "x-high": 2,
                                    "min": "lift=1"}).json
    assert both["x"]["edges"][0] == 1 and both["x"]["edges"][-1] == 2 and len(both["counts"]) == 6
    assert both["outside"] == sum(v > 2 or v < 1 for v in values)
    assert both["inside"] + both["outside"] == len(stored) == sum(both["counts"]) + both["outside"]
    logarithmic = result.get("histogram", {"x": "lift", "x-log": 1, "x-bins": 2}).json["x"]["edges"]
    assert math.isclose(logarithmic[1] / logarithmic[0], logarithmic[2] / logarithmic[1])
    for wrong in ({}, {"x": "nonsense"}, {"x": "lift", "x-low": "1"}, {"x": "lift", "x-low": "2", "x-high": "1"},
                  {"x": "lift", "y-bins": "3"}, {"x": "lift", "x-low": "nan", "x-high": "1"}, {"x": "body"}):
        assert result.get("histogram", wrong).status == 422, wrong
    for wrong in ({"x": "lift", "x-bins": "0"}, {"x": "lift", "x-bins": "9999"}, {"x": "lift", "x-log": "yes"}):
        assert result.get("histogram", wrong).status in (400, 422), wrong


def test_network(results):
    told = results[1].get("network", {"by": "lift", "edges": 30, "min": "confidence=0.3"}).json
    stored = results[1].query("--sort-by", "lift", "--min", "confidence=0.3", "--rows", "all")
    assert any(len(one["body"]) > 1 for one in stored)  # such rules are no edges
    stored = [one for one in stored if len(one["body"]) == len(one["head"]) == 1]
    edges = {(one["body"][0], one["head"][0]): one["lift"] for one in stored}
    counts = {one[part][0]: one[f"{part}_count"] for one in stored for part in ("body", "head")}
    names = [node["name"] for node in told["nodes"]]
    assert told["used"] == told["found"] == len(stored) and len(told["edges"]) == min(30, len(edges))
    assert told["edges_found"] == len(edges) > 30
    for edge, (pair, lift) in zip(told["edges"], edges.items()):
        assert (names[edge["from"]], names[edge["to"]]) == pair, (edge, pair)
        assert edge["value"] == lift and edge["rules"] == 1
        row = results[1].get(f"rows/{edge['row']}").json["row"]
        assert row["lift"] == lift and row["body"] == [pair[0]] and row["head"] == [pair[1]]
    assert {node["name"]: node["count"] for node in told["nodes"]} == {name: counts[name] for name in names}
    sets = {frozenset(one["items"]): one["count"] for one in results[0].query("--rows", "all")}
    told = results[0].get("network", {"edges": 10}).json
    names = [node["name"] for node in told["nodes"]]
    best = sorted((count for items, count in sets.items() if len(items) == 2), reverse=True)
    assert [edge["value"] for edge in told["edges"]] == best[:10]
    for edge in told["edges"]:
        assert sets[frozenset((names[edge["from"]], names[edge["to"]]))] == edge["value"]
    for node in told["nodes"]:
        assert node["count"] == sets[frozenset([node["name"]])], node


# ---- one row ----

def test_row(results):
    total = 400
    stored = results[1].query("--rows", "all", "--measure", "zhang,oddsRatio,fisher")
    for number in (0, 1, len(stored) // 2, len(stored) - 1):
        told, one = results[1].get(f"rows/{number}").json, stored[number]
        assert told["row"]["row"] == number and same_row("rules", told["row"], one)
        table = told["table"]
        assert table["both"] == one["both"] and table["total"] == total
        assert table["both"] + table["body_only"] == one["body_count"]
        assert table["both"] + table["head_only"] == one["head_count"]
        assert sum(table[name] for name in ("both", "body_only", "head_only", "neither")) == total
        measures = {measure["name"]: measure for measure in told["measures"]}
        for name in ("zhang", "fisher", "lift", "confidence", "support"):
            assert measures[name]["value"] == one[name], name
            assert measures[name]["title"][0].isupper() and measures[name]["summary"]
        for name in ("confidence", "lift", "support"):
            assert measures[name]["low"] <= measures[name]["value"] <= measures[name]["high"], measures[name]
        assert measures["zhang"]["low"] is None and told["level"] == 0.95
        assert not any(re.search(r"\b(body|head)\b", measure["summary"]) for measure in told["measures"])
        assert measures["relativeRisk"]["title"] == "Relative risk"
        words = told["sentence"]
        assert re.search(r"\d%", words) and not re.search(r"\d %", words.replace("50 %", "")), words
        assert words.startswith(f"Of {one['body_count']} transaction") and str(one["both"]) in words, words
        assert all(name[:200] in words for name in one["body"] + one["head"]), words
    pattern = results[0].get("rows/0").json
    assert pattern["table"] is None and pattern["sentence"].startswith(f"{pattern['row']['count']} of {total} transactions")
    assert [measure["name"] for measure in pattern["measures"]] == ["count", "support", "lift", "leverage", "allConfidence"]
    best = results[0].query("--rows", "20", "--measure", "lift,leverage,allConfidence", "--sort-by", "lift")
    told = results[0].page(sort="lift", measures="lift,leverage,allConfidence", rows=20)["rows"]
    assert [row["values"] for row in told] == [{name: row[name] for name in ("lift", "leverage", "allConfidence")} for row in best]
    assert results[1].get(f"rows/{len(stored)}").status == 404


# ---- files ----

def test_export(results):
    for result, words in ((results[0], []), (results[1], ["--min", "lift=1.3", "--has", "milk"]), (results[2], [])):
        parameters = {name[2:]: value for name, value in zip(words[::2], words[1::2])}
        for form in ("csv", "jsonl"):
            if result is results[2] and form == "jsonl":
                continue
            answer = result.get("export", {"format": form, **parameters})
            assert answer.status == 200, answer
            safe = ["--csv-safe"] if form == "csv" else []
            assert answer.body == lode("query", result.path, "-w", form, "--rows", "all", "-q", *safe, *words)
            assert f"{result.kind}-{result.number}.{form}" in answer.headers["content-disposition"]
    order = results[1].get("export", {"format": "csv", "sort": "zhang", "measures": "zhang"})
    assert order.body == lode("query", results[1].path, "-w", "csv", "--rows", "all", "-q", "--sort-by", "zhang",
                              "--measure", "zhang", "--csv-safe")
    cells = results[0].get("export", {"format": "csv"}).body.decode().splitlines()
    assert any(line.startswith("'@home,") for line in cells) and not any(line[0] in "@-" for line in cells)
    whole = results[1].get("export", {"format": "arrow"})
    assert whole.body == results[1].path.read_bytes()
    assert results[1].get("export", {"format": "arrow", "min": "lift=1"}).status == 422
    assert results[1].get("export", {"format": "xls"}).status == 422
    assert results[1].get("export", {"format": "csv", "has": "nobody"}).status == 422


def cells_of(book):
    """The cells of the first sheet of a spreadsheet, row by row: a number, or a text."""
    main = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    sheet = xml.fromstring(zipfile.ZipFile(io.BytesIO(book)).read("xl/worksheets/sheet1.xml"))
    assert not list(sheet.iter(f"{main}f"))  # no formula
    rows = []
    for row in sheet.iter(f"{main}row"):
        rows.append([])
        for cell in row:
            value = cell.find(f"{main}v")
            text = "".join(part.text or "" for part in cell.iter(f"{main}t"))
            rows[-1].append(text if value is None else float(value.text))
    return rows


def test_sheets(server, results):
    """Spreadsheets have the rows of csv; names that begin as formulas do stay text."""
    if not server.get("about").json["xlsx"]:
        answer = results[1].get("export", {"format": "xlsx"})
        assert answer.status == 422 and "libxlsxwriter" in answer.message, answer
        print("skip: the server is built without libxlsxwriter")
        return
    for result, parameters in ((results[0], {}), (results[1], {"min": "lift=1.3", "sort": "lift", "measures": "zhang"}),
                               (results[1], {"pick": "3,0,17"}), (results[3], {})):
        answer = result.get("export", {"format": "xlsx", **parameters})
        if answer.status == 503 and "libxlsxwriter" in answer.message:
            print(f"skip: {answer.message}")
            return
        assert answer.status == 200 and f"{result.kind}-{result.number}.xlsx" in answer.headers["content-disposition"]
        rows = cells_of(answer.body)
        lines = result.get("export", {"format": "jsonl", **parameters}).body.splitlines()
        assert len(rows) == len(lines) + 1 > 1, (len(rows), len(lines))
        for row, line in zip(rows[1:], lines):
            values = list(json.loads(line).values())
            assert len(row) == len(values), (row, values)
            for cell, value in zip(row, values):
                if isinstance(value, list):  # names with commas or quotes are quoted
                    assert all(name.replace('"', '""') in cell or name in cell for name in value), (cell, value)
                elif isinstance(value, (int, float)):
                    assert math.isclose(cell, value, rel_tol=1e-12), (cell, value)
    names = {row[0] for row in cells_of(results[0].get("export", {"format": "xlsx", "has": r"\@home"}).body)}
    assert "@home" in names and not list((server.data / "tmp").iterdir())


# ---- graphs ----

def test_graphs(results):
    result = results[3]
    page = result.page()
    assert page["total"] == len(page["rows"]) > 3
    stored = result.query("--rows", "all")
    for row, one in zip(page["rows"], stored, strict=True):
        assert row["code"] == one["code"] and row["count"] == one["count"]
        assert (len(row["vertices"]), len(row["edges"])) == (one["vertices"], one["edges"]), row
        assert all(vertex in "CON" for vertex in row["vertices"])
        for start, end, label in row["edges"]:
            ends = {row["vertices"][start], row["vertices"][end]}
            assert label == "double" if ends == {"C", "O"} and "double" in row["code"] else label == "single", row
    found = result.page(match="double", sort="edges")
    assert 0 < found["found"] < page["total"] and all("double" in row["code"] for row in found["rows"])
    assert found["rows"][0]["code"].count("-") >= found["rows"][-1]["code"].count("-")
    assert result.get("patterns", {"has": "C"}).status == 422
    assert result.get("network").status == 422
    told = result.get("rows/0").json
    assert told["table"] is None and "of 3 graphs" in told["sentence"], told


# ---- what is refused ----

def test_refused(server, results):
    result = results[1]
    secret = server.data / "secret"
    secret.write_text("milk\n")
    for wrong in ({"has": f"@{secret}"}, {"lhs-lacks": f"@{secret}"}, {"nonsense": "1"}, {"min": "lift"},
                  {"min": "nonsense=1"}, {"sort": "nonsense"}, {"sort": ""}, {"reverse": "1"}, {"has": "nobody"},
                  {"has": "a\nb"}, {"has": ""}, {"has": "x" * 5000}, {"min": ["lift=1"] * 65}, {"measures": "nonsense"},
                  {"measures": "body"}, {"measures": ","}, {"match": "("}, {"match": "a{1,200}{1,200}"},
                  {"match": "(a)\\1"}, {"match": "x" * 257}, {"pick": ""}, {"pick": "1,x"}, {"pick": "1,,2"},
                  {"pick": "1\n2"}, {"pick": "-1"}):
        answer = result.get("rules", wrong)
        assert answer.status == 422 and answer.code == "invalid" and len(answer.message) > 10, (wrong, answer)
        assert str(server.data) not in answer.message, answer
    for wrong in ({"rows": "1001"}, {"rows": "-1"}, {"skip": "x"}, {"skip": str(2**64)}, {"found": "2"},
                  {"min-size": "1.5"}):
        assert result.get("rules", wrong).status in (400, 422), wrong
    for right in ("^(milk|bread)+$", "(" * 40 + "a" + ")" * 40, "((((((((a+)+)+)+)+)+)+)+)+" * 2, "x" * 256):
        assert result.get("rules", {"match": right}).status == 200, right
    assert result.get("patterns").status == 404 and results[0].get("rules").status == 404
    assert server.get("jobs/999/rules").status == 404
    assert results[0].get("occurrences/0").status == 422
    running = note(server, 50, "rules", "running")
    waits = running.get("rules")
    assert waits.status == 409 and "running" in waits.message, waits
    secret.unlink()


def test_damaged(server):
    lost = note(server, 60, "rules").get("rules")
    assert lost.status in (404, 503) and str(server.data) not in lost.message, lost
    damaged = note(server, 61, "itemsets")
    damaged.path.write_bytes(b"ARROW1\0\0" + b"x" * 5000)
    told = damaged.get("patterns")
    assert told.status == 500 and told.code == "damaged", told
    assert str(server.data) not in told.message and ".arrow" not in told.message, told


def test_cut(server, results):
    """A file that is cut while it is open costs the answers about this result, and nothing else."""
    whole, last = results[2], 2**MANY - 2
    cut = note(server, 62, "itemsets")
    shutil.copy(whole.path, cut.path)
    assert cut.page(rows=5)["rows"] == whole.page(rows=5)["rows"]
    os.truncate(cut.path, cut.path.stat().st_size // 3)
    for what, parameters in (("patterns", {"skip": last - 40, "rows": 40}), ("patterns", {"sort": "count", "skip": 9}),
                             ("patterns", {"min": "count=2", "rows": 1}), ("columns", {}), ("histogram", {"x": "size"}),
                             ("network", {}), (f"rows/{last}", {}), ("export", {"format": "csv"})):
        told = cut.get(what, parameters)
        assert told.status == 500 and told.code == "damaged", (what, told)
        assert str(server.data) not in told.message and ".arrow" not in told.message, told
    assert whole.page(skip=last - 40, rows=40)["rows"]


# ---- two results ----

DIFF_PARTS = ("only", "excluded", "other-only", "other-excluded", "changed", "same")


def pattern_of(row):
    if row is None:
        return None
    if "body" in row:
        return frozenset(row["body"]), frozenset(row["head"])
    return frozenset(row["items"]) if "items" in row else row["code"]


def counts_of(row):
    return tuple(row[name] for name in ("count", "both", "body_count", "head_count") if name in row)


def diff_of(result, other, **parameters):
    """The parts of a comparison, in full: part -> list of pairs."""
    parts, answer = {}, None
    for part in DIFF_PARTS:
        pairs, skip = [], 0
        while True:
            answer = result.get(f"diff/{other.number}", {"part": part, "skip": skip, "rows": 700, **parameters})
            assert answer.status == 200, answer
            pairs += answer.json["patterns"]
            skip += 700
            if skip >= answer.json["parts"][part]:
                break
        assert len(pairs) == answer.json["parts"][part], (part, answer.json["parts"])
        parts[part] = pairs
    return parts, answer.json


def all_rows(result):
    return {pattern_of(row): row for row in
            itertools.chain(*(result.page(skip=skip, rows=PAGE)["rows"] for skip in range(0, 20000, PAGE)))}


def check_diff(here, there, reaches_there, reaches_here, same_data):
    """`reaches`: whether the search of a result could find a row of the other one."""
    parts, answer = diff_of(here, there)
    mine, theirs = all_rows(here), all_rows(there)
    assert answer["rows"] == len(mine) and answer["other_rows"] == len(theirs) and answer["same_data"] is same_data
    expected = collections.defaultdict(set)
    for pattern, row in mine.items():
        if pattern not in theirs:
            expected["only" if not same_data or reaches_there(row) else "excluded"].add(pattern)
        else:
            equal = counts_of(row) == counts_of(theirs[pattern]) and answer["total"] == answer["other_total"]
            expected["same" if equal else "changed"].add(pattern)
    for pattern, row in theirs.items():
        if pattern not in mine:
            expected["other-only" if not same_data or reaches_here(row) else "other-excluded"].add(pattern)
    for part, pairs in parts.items():
        found = [pattern_of(pair["here"] or pair["there"]) for pair in pairs]
        assert len(found) == len(set(found)) and set(found) == expected[part], (part, len(found), len(expected[part]))
        for pair in pairs:
            assert pair["here"] is None or pair["here"] == mine[pattern_of(pair["here"])], pair
            assert pair["there"] is None or pair["there"] == theirs[pattern_of(pair["there"])], pair
            assert (pair["here"] is None) == part.startswith("other"), pair
            assert (pair["there"] is None) == (part in ("only", "excluded")), pair
        supports = [(pair["here"] or pair["there"])["support"] for pair in pairs]
        assert part == "changed" or supports == sorted(supports, reverse=True), part
    return parts


def set_job(server, number, **columns):
    database = sqlite3.connect(server.data / "lode.sqlite", timeout=PATIENCE)
    with database:
        for name, value in columns.items():
            database.execute(f"UPDATE jobs SET {name} = ? WHERE id = ?", (value, number))
    database.close()


def test_diff(server, results):
    baskets, half = server.data / "baskets.json", server.data / "half.json"
    write_baskets(baskets)
    half.write_text("".join(baskets.read_text().splitlines(keepends=True)[:200]))
    low, high = note(server, 70, "itemsets"), note(server, 71, "itemsets")
    closed, other = note(server, 72, "itemsets"), note(server, 73, "itemsets")
    loose, strict = note(server, 74, "rules"), note(server, 75, "rules")
    lode("itemsets", baskets, "-s", "20", "-w", "arrow", "-o", low.path)
    lode("itemsets", baskets, "-s", "60", "-w", "arrow", "-o", high.path)
    lode("itemsets", baskets, "-s", "40", "--target", "closed", "--max-size", "2", "-w", "arrow", "-o", closed.path)
    lode("itemsets", half, "-s", "10%", "-w", "arrow", "-o", other.path)
    lode("rules", baskets, "-s", "20", "-c", "30%", "-w", "arrow", "-o", loose.path)
    lode("rules", baskets, "-s", "20", "-c", "50%", "--min", "lift=1.1", "-w", "arrow", "-o", strict.path)
    set_job(server, 73, clean='{"fold-case":"true"}')
    set_job(server, 74, options='{"min-support":"20","min-confidence":"30%"}')
    set_job(server, 75, options='{"min-support":"20","min-confidence":"50%","min":["lift=1.1"]}')

    parts = check_diff(low, high, lambda row: row["count"] >= 60, lambda row: True, True)
    assert parts["excluded"] and parts["same"] and not parts["only"] and not parts["changed"]
    check_diff(high, low, lambda row: True, lambda row: row["count"] >= 60, True)
    parts = check_diff(low, closed, lambda row: row["count"] >= 40 and len(row["items"]) <= 2, lambda row: True, True)
    assert parts["excluded"]
    parts = check_diff(low, other, None, None, False)
    assert parts["changed"] and not parts["excluded"] and not parts["same"]
    change = [abs(pair["here"]["support"] - pair["there"]["support"]) for pair in parts["changed"]]
    assert change == sorted(change, reverse=True)
    parts = check_diff(loose, strict, lambda row: row["confidence"] >= 0.5 and row["lift"] >= 1.1 * (1 - 1e-12),
                       lambda row: True, True)
    assert parts["excluded"] and parts["same"] and not parts["only"]
    graphs = note(server, 76, "graphs")
    shutil.copy(results[3].path, graphs.path)
    assert len(check_diff(results[3], graphs, None, None, True)["same"]) == results[3].page()["total"]

    by_lift = diff_of(loose, strict, sort="lift")[0]["same"]
    lifts = [pair["here"]["lift"] for pair in by_lift]
    assert lifts == sorted(lifts, reverse=True)
    row = loose.get("diff/75", {"part": "same", "rows": 1, "measures": "zhang"}).json["patterns"][0]
    assert row["here"]["values"] == row["there"]["values"] and "zhang" in row["here"]["values"]
    for path, words in (("diff/74", "itself"), ("diff/70", "job 74 has rules and job 70 has itemsets"),
                        ("diff/75?part=none", "part: expected 'only'"), ("diff/75?sort=price", "no numeric column"),
                        ("diff/75?measures=price", "no numeric column")):
        told = loose.get(path)
        assert told.status == 422 and words in told.message and str(server.data) not in told.message, told
    assert loose.get("diff/999").status == 404
    set_job(server, 75, state="running")
    assert loose.get("diff/75").status == 409
    set_job(server, 75, state="done")
    strict.path.write_bytes(b"ARROW1\0\0" + b"x" * 5000)
    told = loose.get("diff/75", {"sort": "confidence"})  # a new question
    assert told.status == 500 and told.code == "damaged" and str(server.data) not in told.message, told
    for path in (baskets, half):
        path.unlink()


# ---- many at once ----

def test_equal_questions(results):
    """Thirty clients with the same question, and as many with others."""
    def ask(i):
        return results[2].page(sort="count" if i % 2 else "size", has=str(i % 3), skip=i % 5 * 7000, rows=20)
    with ThreadPoolExecutor(30) as pool:
        first = list(pool.map(ask, range(60)))
    for i, page in enumerate(first):
        again = ask(i)
        assert again["rows"] == page["rows"] and again["found"] == page["found"] == 2**(MANY - 1), i


def test_clients_that_go(server, results):
    """Questions of clients that have gone end, and the server answers others at once."""
    before = server.descriptors()
    for i in range(40):
        with socket.create_connection(("127.0.0.1", server.port)) as gone:
            what = f"patterns?sort=support&min=count={i}" if i % 2 else "export?format=csv"
            gone.sendall(f"GET /api/v1/jobs/3/{what} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    assert results[0].page(rows=5)["rows"]  # the server refuses it when it has to wait for long
    within(PATIENCE, lambda: server.descriptors() <= before + 5 and not list((server.data / "tmp").iterdir()),
           "questions go on", server.descriptors)


# ---- by workers ----

def test_occurrences(server):
    dataset = server.upload(GRAPHS.encode(), "graphs.lg")
    job = server.mine(dataset, "graphs", min_support="2")
    assert job["state"] == "done", job
    result = Result(server, job["id"], "graphs")
    for row in result.page()["rows"]:
        told = result.get(f"occurrences/{row['row']}", {"rows": 3})
        assert told.status == 200, told
        assert told.json["count"] == row["count"] == len(told.json["graphs"]), (row, told.json)
        for graph in told.json["graphs"]:
            for place in graph["places"]:
                assert [graph["vertices"][v] for v in place] == row["vertices"], (row, graph)
    assert result.get("occurrences/9999").status == 404
    assert server.delete(f"jobs/{job['id']}").status in (200, 204)
    assert result.get("patterns").status == 404 and not result.path.exists()


def main():
    with Server() as server:
        results = make_results(server)
        for test in (test_pages, test_long_result, test_values, test_columns, test_histograms, test_network, test_row,
                     test_export, test_graphs, test_equal_questions):
            test(results)
        test_refused(server, results)
        test_sheets(server, results)
        test_diff(server, results)
        test_damaged(server)
        test_cut(server, results)
        test_clients_that_go(server, results)
        test_occurrences(server)
    return 0


if __name__ == "__main__":
    sys.exit(main())
