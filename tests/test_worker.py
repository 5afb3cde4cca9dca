"""lode worker: every verb of its protocol, what stops it, and what must not (docs/worker.md).

SPDX-License-Identifier: Apache-2.0
"""
import itertools
import json
import os
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from patience import DEADLINE, Effort, wait_until  # noqa: E402
from worker_client import Failed, Lost, Worker, payload  # noqa: E402

LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
SANITIZED = b"__asan_init" in Path(LODE).read_bytes() or b"__tsan_init" in Path(LODE).read_bytes()
FOR_THREADS = b"__tsan_init" in Path(LODE).read_bytes()
SOON = 4.0 if SANITIZED else 1.0  # seconds of all processors until a job has stopped
STATUSES = {"invalid", "parse", "notfound", "budget", "nomem", "cancelled", "device", "unsupported",
            "io", "internal"}


def random_baskets(n=400, n_items=12, seed=3):
    draw = random.Random(seed)
    return [sorted(draw.sample(range(n_items), draw.randint(0, 6))) for _ in range(n)]


def write_fimi(path, baskets):
    Path(path).write_text("".join(" ".join(map(str, b)) + "\n" for b in baskets))


def count_itemsets(baskets, least, longest=12):
    """All frequent itemsets with their supports, by counting the subsets of every basket."""
    counts = Counter()
    for basket in baskets:
        for size in range(1, min(len(basket), longest) + 1):
            counts.update(itertools.combinations(basket, size))
    return {items: n for items, n in counts.items() if n >= least}


class Base(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lode-worker-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.worker = self.start()

    def start(self, **options):
        worker = Worker(LODE, **options)
        self.addCleanup(worker.end)
        return worker

    def put(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def open(self, path, values=(), **more):
        return self.worker.ask("open", values, path=path, **{"threads": 2, **more})

    def open_random(self, **options):
        self.baskets = random_baskets(**options)
        write_fimi(self.folder / "random.dat", self.baskets)
        return self.open(str(self.folder / "random.dat"))

    def open_dense(self):
        """Baskets of 30 out of 60 items: a search of much more than a minute."""
        draw = random.Random(5)
        write_fimi(self.folder / "dense.dat",
                   [sorted(draw.sample(range(60), 30)) for _ in range(4000)])
        return self.open(str(self.folder / "dense.dat"))

    def mine_dense(self, **how):
        return self.worker.send("mine", {"o.min-support": "0.1%"}, kind="itemsets",
                                **(how or {"output": str(self.folder / "out.arrow")}))

    def refused(self, status, words, verb, values=(), **more):
        with self.assertRaises(Failed) as caught:
            self.worker.ask(verb, values, **more)
        self.assertEqual(caught.exception.status, status, caught.exception.answer)
        self.assertIn(words, str(caught.exception))
        return caught.exception.answer

    def files(self):
        return sorted(p.name for p in self.folder.iterdir() if "out" in p.name)


class Questions(Base):
    def test_hello(self):
        hello = self.worker.ask("hello")
        self.assertEqual(hello["protocol"], 1)
        self.assertEqual(hello["pid"], self.worker.process.pid)

    def test_profile(self):
        opened = self.open_random()
        profile = self.worker.ask("profile")
        self.assertEqual(opened["profile"], profile)
        self.assertEqual(opened["kind"], "baskets")
        sizes = [len(b) for b in self.baskets]
        self.assertEqual(profile["transactions"], len(sizes))
        self.assertEqual(profile["occurrences"], sum(sizes))
        self.assertEqual(profile["empty"], sizes.count(0))
        self.assertEqual(profile["longest"], max(sizes))
        self.assertAlmostEqual(profile["mean"], sum(sizes) / len(sizes))
        self.assertAlmostEqual(profile["density"], profile["mean"] / profile["items"])
        self.assertEqual({b["from"]: b["count"] for b in profile["lengths"]},
                         {n: sizes.count(n) for n in range(1, max(sizes) + 1)})
        counts = Counter(str(item) for basket in self.baskets for item in basket)
        self.assertEqual({t["name"]: t["count"] for t in profile["top"]}, dict(counts))
        self.assertEqual([t["count"] for t in profile["top"]], sorted(counts.values(), reverse=True))
        self.assertIsNone(profile["giants"])

    def test_bins_of_long_baskets(self):
        for longest in (41, 399, 400, 401, 5000):
            lengths = [1, 2, 3, 17, longest - 1, longest]
            write_fimi(self.folder / "long.dat", [range(n) for n in lengths])
            profile = self.open(str(self.folder / "long.dat"))["profile"]
            bins = profile["lengths"]
            self.assertLessEqual(len(bins), 40)
            self.assertEqual((bins[0]["from"], bins[-1]["to"]), (1, longest))
            for left, right in zip(bins, bins[1:]):
                self.assertEqual(left["to"] + 1, right["from"])
            for one in bins:
                inside = [n for n in lengths if one["from"] <= n <= one["to"]]
                self.assertEqual(one["count"], len(inside))

    def test_giants(self):
        write_fimi(self.folder / "giant.dat", [range(3)] * 99 + [range(150)])
        profile = self.open(str(self.folder / "giant.dat"))["profile"]
        self.assertEqual(profile["giants"], {"from": 101, "count": 1})

    def test_preview(self):
        path = self.put("sales.csv", "Order ID,Product\n7,milk\n7,bread\n9,milk\n")
        self.open(path, name="sales.csv")
        shown = self.worker.ask("preview", rows=1)
        self.assertEqual(shown["recognised"], {"format": "table", "separator": ",", "header": True,
                                               "columns": "Order ID, Product", "latin1": 0})
        self.open(self.put("latin.csv", b"caf\xe9,milk\n"), name="latin.csv")
        self.assertEqual(self.worker.ask("preview")["recognised"]["latin1"], 1)
        self.open(path, name="sales.csv")
        self.assertEqual(shown["baskets"],
                         [{"number": 1, "id": "7", "size": 2, "items": ["bread", "milk"]}])
        self.assertEqual(len(self.worker.ask("preview")["baskets"]), 2)

    def test_warnings_have_the_name(self):
        path = self.put("1.data", "a b,c\nd e,f\n1 2,3\n")
        opened = self.open(path, name="mine.csv")
        shown = self.worker.ask("preview")
        self.assertEqual(opened["warnings"], shown["warnings"])
        for text in opened["warnings"]:
            self.assertNotIn(path, text)

    def test_baskets(self):
        self.open_random()
        for with_, without, any_ in (([], [], False), (["1"], [], False), (["1", "2"], ["3"], False),
                                     (["1", "2", "3"], [], True), ([], ["0", "1"], False)):
            values = {"with": with_, "without": without, "limit": 7}
            found = self.worker.ask("baskets", values, **({"any": True} if any_ else {}))
            rule = any if any_ else all
            want = [(i + 1, [str(x) for x in b]) for i, b in enumerate(self.baskets)
                    if (rule(int(w) in b for w in with_) if with_ else True)
                    and not any(int(w) in b for w in without)]
            self.assertEqual(found["count"], len(want), values)
            self.assertEqual([(b["number"], b["items"]) for b in found["baskets"]], want[:7])

    def test_pairs(self):
        self.open_random()
        answer = self.worker.ask("pairs", items=5)
        names = [item["name"] for item in answer["items"]]
        self.assertEqual(len(names), 5)
        self.assertEqual(answer["total"], len(self.baskets))
        for i, a in enumerate(names):
            for k, b in enumerate(names):
                both = sum(int(a) in basket and int(b) in basket for basket in self.baskets)
                self.assertEqual(answer["counts"][i][k], both)

    def test_weights(self):
        self.open(self.put("w.csv", "3,a,b\n2,a\n"), {"read.weight": "1", "read.format": "basket"})
        answer = self.worker.ask("pairs")
        self.assertEqual(answer["total"], 5)
        self.assertEqual(answer["items"], [{"name": "a", "count": 5}, {"name": "b", "count": 3}])
        self.assertEqual(answer["counts"], [[5, 3], [3, 3]])

    def test_clean(self):
        self.open(self.put("c.csv", "Milk,bread\nmilk\nBREAD,beer\n"))
        answer = self.worker.ask("clean", {"clean.fold-case": True, "clean.drop": ["beer"]})
        self.assertEqual((answer["before"]["items"], answer["after"]["items"]), (5, 2))
        self.assertEqual(answer["report"]["before"]["items"], 5)
        self.assertEqual(self.worker.ask("profile")["items"], 5)
        mapped = self.worker.ask("clean", {"clean.map-text": "Milk,milk\nBREAD,bread\n"})
        self.assertEqual(mapped["after"]["items"], 3)

    def test_columns(self):
        self.open(self.put("t.csv", "order,item,n\n1,tea,-1\nC2,tea,2\n"), {"read.drop-rows": ["order=C*"]})
        table = self.worker.ask("columns")
        self.assertEqual((table["rows"], table["tid"], table["item"]), (2, 0, 1))
        self.assertEqual([column["negative"] for column in table["columns"]], [0, 0, 1])
        self.assertEqual(self.worker.ask("profile")["transactions"], 1)
        self.open(self.put("g.lg", "t # 0\nv 0 a\n"))
        self.refused("invalid", "graphs, not baskets", "columns")

    def test_open_cleaned(self):
        path = self.put("c.csv", "Milk,bread\nmilk\nBREAD,beer\n")
        self.assertEqual(self.open(path, {"clean.fold-case": True})["profile"]["items"], 3)
        answer = self.worker.ask("clean", {"clean.drop": "beer"})  # of what was read
        self.assertEqual(answer["before"]["items"], 5)
        done = self.worker.ask("mine", {"o.min-support": "2"}, kind="itemsets", count=True)
        self.assertEqual(done["patterns"], 2)

    def test_mine_rows(self):
        self.open(self.put("r.csv", "a,b,c\na,b\na,c\nb,c\na\n"))
        done = self.worker.ask("mine", {"o.min-support": "1"}, kind="itemsets", rows=3, report=False)
        self.assertEqual(sorted(done), ["bytes", "ended", "largest", "patterns", "rows"])
        self.assertEqual((done["patterns"], done["largest"], done["bytes"]), (7, 3, 0))
        self.assertEqual([row["count"] for row in done["rows"]], [4, 3, 3])
        self.assertEqual(done["rows"][0]["items"], ["a"])
        done = self.worker.ask("mine", {"o.min-support": "1", "o.sort-by": "lift"}, kind="rules", rows=2)
        self.assertEqual(len(done["rows"]), 2)
        self.assertGreaterEqual(done["rows"][0]["lift"], done["rows"][1]["lift"])
        self.assertIn("report", done)
        for more in ({"rows": 1, "count": True}, {"rows": 0}, {"rows": 1001}):
            with self.assertRaises(Failed):
                self.worker.ask("mine", {"o.min-support": "1"}, kind="itemsets", **more)
        self.open(self.put("g.lg", "t # 0\nv 0 C\nv 1 C\ne 0 1 s\nt # 1\nv 0 C\nv 1 C\ne 0 1 s\n"))
        done = self.worker.ask("mine", {"o.min-support": "2"}, kind="graphs", rows=5)
        self.assertEqual([row["count"] for row in done["rows"]], [2])

    def test_write(self):
        out = self.folder / "out.dat"
        self.open_random()
        done = self.worker.ask("write", path=str(out))
        self.assertEqual(done, {"bytes": out.stat().st_size, "transactions": len(self.baskets)})
        self.assertEqual([list(map(int, line.split())) for line in out.read_text().split("\n")[:-1]],
                         self.baskets)
        self.open(self.put("n.csv", "b,a\nc\n\nA,b\n"), {"clean.fold-case": True})
        self.worker.ask("write", path=str(out), format="fimi")  # names by numbers
        self.assertEqual(out.read_text(), "0 1\n2\n\n0 1\n")
        self.worker.ask("write", path=str(out), format="basket")
        self.assertEqual(out.read_text(), "a,b\nc\n\na,b\n")
        self.assertEqual(self.files(), ["out.dat"])
        self.refused("invalid", "path=", "write", path="-")
        self.refused("invalid", "expected", "write", path=str(out), format="x")
        self.open(self.put("g.lg", "t # 0\nv 0 a\n"))
        self.refused("unsupported", "graphs", "write", path=str(out))

    def test_suggest(self):
        self.open_random()
        answer = self.worker.ask("suggest", {"o.want": 30, "o.target": "all"})
        self.assertEqual(answer["total"], len(self.baskets))
        self.assertEqual(sum(p["answer"] for p in answer["points"]), 1)
        for point in answer["points"]:
            if point["exact"]:
                want = len(count_itemsets(self.baskets, point["min_count"]))
                self.assertEqual(point["patterns"], want)

    def test_suggest_for_graphs(self):
        """Exact counts, as mining gives them; once the time is over, a lower bound ends the list."""
        graphs = "".join(f"t # {i}\n" + "".join(f"v {v} {(v * i) % 3}\n" for v in range(6))
                         + "".join(f"e {v} {v + 1} {i % 2}\n" for v in range(5)) for i in range(40))
        self.open(self.put("s.lg", graphs))
        for target in ("all", "closed", "maximal"):
            answer = self.worker.ask("suggest", {"o.target": target})
            self.assertEqual(answer["total"], 40)
            self.assertGreater(len(answer["points"]), 2)
            for point in answer["points"]:
                self.assertTrue(point["exact"] and point["low"] == point["high"])
                mined = self.worker.ask("mine", {"o.target": target, "o.min-support": point["min_count"]},
                                        kind="graphs", count="true")
                self.assertEqual(point["patterns"], mined["patterns"])
        self.refused("invalid", "one target", "suggest", {"o.target": "all,closed"})
        self.refused("invalid", "baskets", "suggest", {"o.want": 5})
        clique = "".join(f"v {v} 0\n" for v in range(10)) + "".join(f"e {a} {b} 0\n" for b in range(10) for a in range(b))
        self.open(self.put("k.lg", "".join(f"t # {i}\n{clique}" for i in range(3))))
        points = self.worker.ask("suggest", {"o.target": "all", "o.limit-time": "0.05"})["points"]
        self.assertEqual([(p["min_count"], p["exact"], p["high"]) for p in points], [(3, False, None)])
        self.assertGreater(points[0]["low"], 0)

    def test_hostile_names(self):
        names = ['<script>alert("1")</script>', "a\\b", "tab\there", "😀", "עברית", "x" * 10000]
        text = "\n".join('"' + name.replace('"', '""') + '",z' for name in names) + "\n"
        self.open(self.put("h.csv", text), {"read.separator": ",", "read.format": "basket"})
        shown = self.worker.ask("preview")
        seen = {item for basket in shown["baskets"] for item in basket["items"]}
        self.assertEqual(seen, set(names) | {"z"})
        for name in (names[0], "😀", "עברית"):
            self.assertEqual(self.worker.ask("baskets", {"with": name})["count"], 1)

    @unittest.skipIf(FOR_THREADS, "long names, read on one thread")
    def test_long_answers_end(self):
        """Lists stop once an answer is long; the sizes are still told."""
        names = [f"{i}{'x' * 50000}" for i in range(400)]
        self.open(self.put("l.csv", (",".join(names) + "\n") * 2), {"read.format": "basket"})
        found = self.worker.ask("baskets")
        self.assertEqual(found["count"], 2)
        self.assertEqual([b["size"] for b in found["baskets"]], [400])
        self.assertLess(len(found["baskets"][0]["items"]), 400)
        self.assertEqual(len(self.worker.ask("preview")["baskets"]), 1)

    def test_names_in_latin_1(self):
        self.open(self.put("l.csv", b"caf\xe9,tea\ncaf\xe9\n"), {"read.format": "basket"})
        self.assertIn("café", [t["name"] for t in self.worker.ask("profile")["top"]])


class Graphs(Base):
    def random_graphs(self, n=30, seed=4):
        draw = random.Random(seed)
        graphs = []
        for _ in range(n):
            labels = [draw.choice("CNO") for _ in range(draw.randint(1, 6))]
            pairs = list(itertools.combinations(range(len(labels)), 2))
            edges = {pair: draw.choice("sd") for pair in pairs if draw.random() < 0.5}
            graphs.append((labels, edges))
        lines = []
        for i, (labels, edges) in enumerate(graphs):
            lines.append(f"t # g{i}")
            lines += [f"v {v} {label}" for v, label in enumerate(labels)]
            lines += [f"e {a} {b} {label}" for (a, b), label in edges.items()]
        return graphs, self.put("random.lg", "\n".join(lines) + "\n")

    def places(self, graph, vertices, edges):
        """All places by trying every mapping: sets of vertices and edges."""
        labels, there = graph
        found = set()
        for image in itertools.permutations(range(len(labels)), len(vertices)):
            if any(labels[u] != want for u, want in zip(image, vertices)):
                continue
            covered = [tuple(sorted((image[a], image[b]))) for a, b, _ in edges]
            if all(there.get(pair) == label for pair, (_, _, label) in zip(covered, edges)):
                found.add((frozenset(image), frozenset(covered)))
        return found

    def test_profile_and_graph(self):
        graphs, path = self.random_graphs()
        profile = self.open(path)["profile"]
        self.assertEqual(profile["kind"], "graphs")
        self.assertEqual(profile["graphs"], len(graphs))
        self.assertEqual(profile["edges"], sum(len(e) for _, e in graphs))
        counts = Counter(label for labels, _ in graphs for label in labels)
        self.assertEqual({t["name"]: t["count"] for t in profile["vertex_labels"]}, dict(counts))
        sizes = Counter(len(e) for _, e in graphs if e)
        self.assertEqual({b["from"]: b["count"] for b in profile["sizes"] if b["count"]},
                         dict(sizes))
        one = self.worker.ask("graph", index=7)
        self.assertEqual((one["index"], one["name"]), (7, "g7"))
        self.assertEqual(one["vertices"], graphs[7][0])
        self.assertEqual({(a, b): label for a, b, label in one["edges"]}, graphs[7][1])
        self.assertEqual(self.worker.ask("preview", rows=8)["graphs"][7], one)
        self.refused("notfound", "expected an index below", "graph", index=len(graphs))

    def test_occurrences(self):
        graphs, path = self.random_graphs()
        self.open(path)
        patterns = [(["C"], []), (["C", "N"], [(0, 1, "s")]), (["C", "C", "C"], [(0, 1, "s"), (1, 2, "s")]),
                    (["N", "C", "O"], [(0, 1, "d"), (1, 2, "s"), (0, 2, "d")]),
                    (["O", "O", "O", "O"], [(0, 1, "s"), (0, 2, "s"), (0, 3, "s")]),
                    (["C", "X"], [(0, 1, "s")]), (["C", "C"], [(0, 1, "unknown")])]
        for vertices, edges in patterns:
            ask = {"vertex": vertices, "edge": [f"{a} {b} {label}" for a, b, label in edges],
                   "rows": 100}
            answer = self.worker.ask("occurrences", ask)
            want = {i: self.places(g, vertices, edges) for i, g in enumerate(graphs)}
            want = {i: found for i, found in want.items() if found}
            self.assertEqual(answer["count"], len(want), ask)
            self.assertEqual([g["index"] for g in answer["graphs"]], sorted(want))
            for graph in answer["graphs"]:
                got = {(frozenset(image), frozenset(tuple(sorted((image[a], image[b]))) for a, b, _ in edges))
                       for image in graph["places"]}
                self.assertEqual(len(got), len(graph["places"]))
                self.assertEqual(got, want[graph["index"]] if len(got) < 20 else got)
            part = self.worker.ask("occurrences", {**ask, "skip": 2, "rows": 3})
            self.assertEqual(part["graphs"], answer["graphs"][2:5])
            self.assertEqual(part["count"], answer["count"])

    def test_arrows(self):
        self.open(self.put("d.lg", "t # 0\nv 0 a\nv 1 a\ne 0 1 x\n"), {"read.directed": True})
        forward = self.worker.ask("occurrences", {"vertex": ["a", "a"], "edge": "0 1 x"})
        self.assertEqual(forward["graphs"][0]["places"], [[0, 1]])
        backward = self.worker.ask("occurrences", {"vertex": ["a", "a"], "edge": "1 0 x"})
        self.assertEqual(backward["graphs"][0]["places"], [[1, 0]])

    @unittest.skipIf(FOR_THREADS, "a long search, on one thread")
    def test_too_many_ways(self):
        """A pattern that a graph almost has, in very many ways, does not keep the lane."""
        lines = ["t # 0"] + [f"v {v} a" for v in range(40)]
        lines += [f"e {a} {b} x" for a, b in itertools.combinations(range(40), 2)]
        lines += ["v 40 b", "t # 1", "v 0 b", "v 1 b", "e 0 1 x"]
        self.open(self.put("k.lg", "\n".join(lines) + "\n"))
        pattern = {"vertex": ["a"] * 12 + ["b", "b"],
                   "edge": [f"{i} {i + 1} x" for i in range(13)]}
        self.refused("unsupported", "too many occurrences", "occurrences", pattern)

    def test_wrong_patterns(self):
        _, path = self.random_graphs(3)
        self.open(path)
        for edge in ("0 2 s", "0 0 s", "x", "0", "0 1x s", "-1 0 s", "0  1", "99999999999999999999 0 s"):
            self.refused("invalid", "FROM TO LABEL", "occurrences", {"vertex": ["C", "C"], "edge": edge})
        self.refused("invalid", "vertex=", "occurrences")
        self.refused("unsupported", "vertices", "occurrences", {"vertex": ["C"] * 300})
        self.refused("invalid", "not baskets", "pairs")

    def test_mine(self):
        graphs, path = self.random_graphs()
        self.open(path)
        out = str(self.folder / "out.arrow")
        done = self.worker.ask("mine", {"o.min-support": "5"}, kind="graphs", output=out)
        text = subprocess.run([LODE, "graphs", path, "-s", "5", "--count"], capture_output=True,
                              text=True, check=True).stdout
        self.assertIn(f"total {done['patterns']}\n", text)
        self.refused("invalid", "which have no itemsets", "mine", {"o.min-support": "5"},
                     kind="itemsets", count=True)


class Mining(Base):
    def query(self, path, *options):
        return subprocess.run([LODE, "query", path, "-w", "jsonl", "-q", *options], check=True,
                              capture_output=True, text=True).stdout

    def test_itemsets(self):
        self.open_random()
        out = str(self.folder / "out.arrow")
        want = count_itemsets(self.baskets, 20)
        for how in ({"count": True}, {"output": out}):
            done = self.worker.ask("mine", {"o.min-support": "5%"}, kind="itemsets", **how)
            self.assertEqual(done["ended"], "complete")
            self.assertEqual(done["patterns"], len(want))
            self.assertEqual(done["largest"], max(map(len, want)))
            self.assertEqual(done["report"]["threshold"]["count"], 20)
        self.assertEqual(done["bytes"], os.path.getsize(out))
        rows = [json.loads(line) for line in self.query(out, "--rows", "100000").splitlines()]
        self.assertEqual({tuple(sorted(map(int, r["items"]))): r["count"] for r in rows}, want)
        self.assertEqual(self.files(), ["out.arrow"])

    def test_rules(self):
        self.open_random()
        out = str(self.folder / "out.arrow")
        options = {"o.min-support": "10", "o.min-confidence": "30%", "o.min": ["lift=1.0", "phi=0"],
                   "o.significant": "0.5"}
        done = self.worker.ask("mine", options, kind="rules", output=out)
        text = subprocess.run([LODE, "rules", str(self.folder / "random.dat"), "-s", "10", "-c", "30%",
                               "--min", "lift=1.0", "--min", "phi=0", "--significant", "0.5", "--count"],
                              capture_output=True, text=True, check=True).stdout
        self.assertIn(f"total {done['patterns']}\n", text)
        self.assertIn("adjustedP", self.query(out, "--rows", "1"))

    def test_prepared_once(self):
        self.open_random()
        first, *others = [self.worker.ask("mine", {"o.min-support": s}, kind="itemsets", count=True)
                          for s in ("5", "5", "9", "6", "7", "8")]
        self.assertEqual(first["report"]["algorithm"]["prepared"], "built")
        for done in others:
            self.assertEqual(done["report"]["algorithm"]["prepared"], "reused")
        self.assertLess(min(done["report"]["times"]["preprocess"] for done in others), 1e-3)

    def test_report_has_the_name(self):
        path = self.put("1.data", "a,b\na\n")
        self.open(path, name='my "sales".csv')
        done = self.worker.ask("mine", {"o.min-support": "1"}, kind="itemsets", count=True)
        self.assertEqual(done["report"]["input"]["path"], 'my "sales".csv')

    def test_limit(self):
        self.open_dense()
        out = str(self.folder / "out.arrow")
        done = self.worker.ask("mine", {"o.min-support": "1%", "o.limit-patterns": "5000"},
                               kind="itemsets", output=out)
        self.assertEqual((done["ended"], done["patterns"]), ("limit", 5000))

    def test_events(self):
        self.open_dense()
        start = time.monotonic()
        job = self.mine_dense(count=True)
        while len(self.worker.events.get(job, ())) < 5:
            self.worker.read(DEADLINE)
        passed = time.monotonic() - start
        self.assertLess(len(self.worker.events[job]), 10 * passed + 2)
        event = self.worker.events[job][-1]
        self.assertEqual(set(event), {"phase", "share", "seconds", "patterns", "rate", "left",
                                      "left_least", "left_most"})
        self.assertEqual(event["phase"], "mine")
        self.worker.ask("cancel", job=job)

    def test_cancel(self):
        self.open_dense()
        for how in ({"count": True}, {"output": str(self.folder / "out.arrow")}):
            job = self.mine_dense(**how)
            self.worker.wait_event(job)
            effort = Effort(self.worker.process)
            self.assertEqual(self.worker.ask("cancel", job=job), {})
            with self.assertRaises(Failed) as caught:
                self.worker.wait(job, DEADLINE)
            effort.check(self, SOON)
            self.assertEqual(caught.exception.status, "cancelled")
            self.assertEqual(caught.exception.answer["exit"], 130)
            self.assertEqual(self.files(), [])
        self.refused("notfound", "is not running", "cancel", job=job)
        self.assertEqual(self.worker.ask("profile")["transactions"], 4000)

    def test_keep(self):
        self.open_dense()
        out = self.folder / "out.arrow"
        job = self.mine_dense()
        while self.worker.wait_event(job)["patterns"] == 0:
            self.worker.read(DEADLINE)
        self.worker.ask("keep", job=job)
        done = self.worker.wait(job, DEADLINE)
        self.assertEqual(done["ended"], "kept")
        self.assertGreater(done["patterns"], 0)
        self.assertEqual(self.files(), ["out.arrow"])
        self.assertEqual(done["bytes"], out.stat().st_size)
        rows = [json.loads(line) for line in self.query(str(out), "--rows", "50").splitlines()]
        self.assertEqual(len(rows), min(50, done["patterns"]))
        self.assertTrue(all(row["count"] >= 4 for row in rows))

    def test_raise(self):
        self.open_dense()
        job = self.mine_dense()
        self.worker.wait_event(job)
        self.worker.ask("raise", job=job, min_count=1900)
        done = self.worker.wait(job, DEADLINE)
        self.assertEqual(done["ended"], "complete")
        self.refused("notfound", "is not running", "raise", job=job, min_count=1950)
        fresh = str(self.folder / "fresh.arrow")
        wanted = self.worker.ask("mine", {"o.min-support": "1900"}, kind="itemsets", output=fresh)
        for name in ("ended", "patterns", "largest", "bytes"):
            self.assertEqual(done[name], wanted[name], name)
        self.assertEqual(done["report"]["threshold"], wanted["report"]["threshold"])
        self.assertEqual(self.query(str(self.folder / "out.arrow")), self.query(fresh))

    def test_requests_that_wait(self):
        """They can be stopped before they begin."""
        self.open_dense()
        first = self.mine_dense(count=True)
        outs = [str(self.folder / f"out{i}.arrow") for i in range(3)]
        gone, kept, raised = [self.mine_dense(output=out) for out in outs]
        self.worker.wait_event(first)
        self.worker.ask("cancel", job=gone)
        with self.assertRaises(Failed) as caught:
            self.worker.wait(gone, DEADLINE)
        self.assertEqual(caught.exception.status, "cancelled")
        self.assertNotIn(first, self.worker.answers)
        self.worker.ask("keep", job=kept)
        self.worker.ask("raise", job=raised, min_count=1990)
        self.worker.ask("cancel", job=first)
        self.assertEqual(self.worker.wait(kept, DEADLINE)["ended"], "kept")
        done = self.worker.wait(raised, DEADLINE)
        self.assertEqual(done["ended"], "complete")
        self.assertEqual(done["report"]["threshold"]["count"], 1990)
        self.assertEqual(self.files(), ["out1.arrow", "out2.arrow"])

    def test_short_questions_beside_mining(self):
        self.open_dense()
        job = self.mine_dense(count=True)
        self.worker.wait_event(job)
        for verb, values in (("profile", {}), ("preview", {}), ("baskets", {"with": "3"}), ("pairs", {})):
            self.worker.ask(verb, values)
            self.assertNotIn(job, self.worker.answers)
        self.worker.ask("cancel", job=job)

    def test_order_of_open(self):
        """A question is about the data set that was opened before it was asked."""
        paths = [self.put(f"{n}.dat", "1 2\n" * n) for n in (1, 2, 3)]
        asked = []
        for n, path in enumerate(paths, 1):
            self.worker.send("open", path=path)
            asked += [(self.worker.send("profile"), n) for _ in range(5)]
            asked.append((self.worker.send("pairs"), n))
        for number, n in asked:
            answer = self.worker.wait(number)
            self.assertEqual(answer.get("transactions", answer.get("total")), n)

    def test_budget(self):
        self.put("big.dat", "1 2 3\n2 4 6 8 10\n" * 50000)
        answer = self.refused("budget", "budget", "open", path=str(self.folder / "big.dat"),
                              memory="1M")
        self.assertEqual(answer["exit"], 4)
        self.assertGreater(answer["needed"], 1 << 20)
        opened = self.open(str(self.folder / "big.dat"), memory=str(4 * answer["needed"]))
        self.assertEqual(opened["profile"]["transactions"], 100000)

    def test_device_is_woken(self):
        self.open(self.put("d.dat", "1 2\n1\n"), device="cpu")
        done = self.worker.ask("mine", {"o.min-support": "1", "o.algorithm": "frontier"},
                               kind="itemsets", count=True)
        self.assertTrue(done["report"]["device"]["name"].startswith("cpu"))

    def test_output_that_cannot_be_written(self):
        self.open_random()
        answer = self.refused("io", "'out.arrow", "mine", {"o.min-support": "5"}, kind="itemsets",
                              output=str(self.folder / "no" / "out.arrow"))
        self.assertNotIn(str(self.folder), answer["message"])


class Refusals(Base):
    def test_nothing_is_open(self):
        for verb in ("profile", "preview", "pairs", "baskets", "graph", "suggest", "clean", "columns"):
            self.refused("invalid", "no data set is open", verb)

    def test_wrong_requests(self):
        self.open_random()
        path = str(self.folder / "random.dat")
        for words, verb, values in (
                ("unknown verb", "shout", {}), ("has no field", "profile", {"x": "1"}),
                ("twice", "preview", [("rows", 1), ("rows", 2)]),
                ("whole number", "preview", {"rows": "-1"}), ("whole number", "preview", {"rows": ""}),
                ("whole number", "preview", {"rows": "99999999999999999999999"}),
                ("0 to 1000", "preview", {"rows": "1001"}), ("1 to 60", "pairs", {"items": "61"}),
                ("true or false", "mine", {"kind": "itemsets", "count": "yes"}),
                ("either", "mine", {"kind": "itemsets", "o.min-support": "1"}),
                ("either", "mine", {"kind": "itemsets", "count": "true", "output": "x"}),
                ("output=PATH", "mine", {"kind": "itemsets", "output": "-"}),
                ("expected kind=", "mine", {"kind": "things", "count": "true"}),
                ("no minimum support", "mine", {"kind": "itemsets", "count": "true"}),
                ("Arrow", "mine", {"kind": "itemsets", "output": "x", "o.write": "csv"}),
                ("no option", "mine", {"kind": "itemsets", "count": "true", "o.sort": "true"}),
                ("min-support", "mine", {"kind": "itemsets", "count": "true", "o.min-support": "0"}),
                ("algorithm", "mine", {"kind": "itemsets", "count": "true", "o.algorithm": "x"}),
                ("has no field 'o.'", "mine", {"kind": "itemsets", "count": "true", "o.": "x"}),
                ("job=ID", "cancel", {}), ("whole number", "cancel", {"job": "0"}),
                ("min_count", "raise", {"job": "1"}), ("expected path=", "open", {}),
                ("baskets", "graph", {"index": "1"}),
                ("graphs", "open", {"path": path, "kind": "things"})):
            self.refused("invalid", words, verb, values)
        self.refused("invalid", "standard input", "open", path="-")

    def test_a_failed_open_leaves_nothing(self):
        self.open_random()
        self.refused("notfound", "no.dat", "open", path=str(self.folder / "no.dat"))
        self.refused("invalid", "no data set is open", "profile")
        path = self.put("1.data", "1 2\n3 x\n")
        self.refused("parse", "my.dat:2:3", "open", {"read.format": "fimi"}, path=path, name="my.dat")

    def test_options_of_the_other_kind(self):
        path = self.put("g.lg", "t # 0\nv 0 a\n")
        self.refused("invalid", "no option", "open", {"read.separator": ","}, path=path)
        self.refused("invalid", "cannot be cleaned", "open", {"clean.fold-case": True}, path=path)
        path = self.put("b.dat", "1 2\n")
        self.refused("invalid", "no option", "open", {"read.directed": True}, path=path)

    def test_no_file_by_options(self):
        self.open_random()
        secret = self.put("secret.txt", "1\n")
        for values in ({"o.must": "@" + secret}, {"o.exclude": "2\n@" + secret}, {"o.group": "1-:@" + secret}):
            self.refused("invalid", "files cannot be named", "mine", {"o.min-support": "1", **values},
                         kind="itemsets", count=True)
        self.refused("invalid", "files cannot be named", "mine", {"o.min-support": "1", "o.holdout": secret},
                     kind="rules", count=True)
        self.refused("invalid", "files cannot be named", "baskets", {"with": "1 @" + secret})
        self.refused("invalid", "files cannot be named", "clean", {"clean.map": secret})
        self.worker.ask("mine", {"o.min-support": "1", "o.holdout": "30%"}, kind="rules", count=True)

    def test_a_number_that_is_under_way(self):
        self.open_dense()
        job = self.mine_dense(count=True)
        self.worker.wait_event(job)
        self.worker.number = job - 1
        with self.assertRaises(Failed) as caught:
            self.worker.wait(self.worker.send("profile"))
        self.assertIn("in progress", str(caught.exception))
        self.worker.ask("cancel", job=job)


class Frames(Base):
    def send_payload(self, data):
        self.worker.send_bytes(struct.pack("<I", len(data)) + data)

    def fails(self, data, number=0):
        self.send_payload(data)
        self.assertEqual(self.worker.read(DEADLINE), (number, "failed"))
        answer = self.worker.answers.pop(number)[0][1]
        self.assertEqual(answer["status"], "invalid")

    def test_malformed(self):
        for data in (b"", b"\n", b"hello", b"0 hello", b"-1 hello", b"x hello", b" 1 hello", b"1.5 hello",
                     b"99999999999999999999 hello", b"\x00", b"\xff\xff", b"hello 1"):
            self.fails(data)
        for data in (b"7", b"7 ", b"7 \xff", b"7 hello\n\xc3", b"7 hello\nx", b"7 hello\n=1", b"7 hello\nx=\\t",
                     b"7 hello\nx=\\", b"7 hello\x00", b"7 hello\nx=1", b"7 hello\n\n", b"7  hello",
                     b"7 open\npath=a\x00b", b"7 profile\n" + b"x=1\n" * 30000):
            self.fails(data, 7)
        self.assertEqual(self.worker.ask("hello")["protocol"], 1)

    def test_pieces(self):
        """A frame may come byte by byte, or many at once."""
        data = payload(1, "hello", [])
        frame = struct.pack("<I", len(data)) + data
        for i in range(len(frame)):
            self.worker.send_bytes(frame[i:i + 1])
        self.assertEqual(self.worker.read(DEADLINE), (1, "done"))
        many = b"".join(struct.pack("<I", len(p)) + p for p in (payload(n, "hello", []) for n in range(2, 500)))
        self.worker.send_bytes(many)
        for n in range(2, 500):
            self.assertEqual(self.worker.read(DEADLINE), (n, "done"))

    def test_too_long(self):
        worker = self.start(stderr=subprocess.PIPE)
        worker.send_bytes(struct.pack("<I", (1 << 20) + 1))
        self.assertEqual(worker.process.wait(DEADLINE), 3)
        self.assertIn(b"at most 1048576", worker.process.stderr.read())
        worker.process.stderr.close()

    def test_the_longest(self):
        self.open(self.put("a.dat", "1 2\n1\n"))
        name = "x" * ((1 << 20) - 40)
        self.refused("invalid", "", "baskets", {"with": name})

    def test_full_pipe(self):
        """Nobody reads for a while: nothing is lost but events, and a cancel is heard."""
        self.open_dense()
        job = self.mine_dense(count=True)
        asked = [self.worker.send("preview", rows=200) for _ in range(60)]
        time.sleep(0.5)
        cancel = self.worker.send("cancel", job=job)
        time.sleep(0.5)
        for number in asked:
            self.assertEqual(len(self.worker.wait(number)["baskets"]), 200)
        self.assertEqual(self.worker.wait(cancel), {})
        with self.assertRaises(Failed):
            self.worker.wait(job, DEADLINE)
        self.assertEqual({len(a) for a in self.worker.answers.values()}, {1})

    def test_garbage(self):
        """Any bytes in frames: each gets an answer, and the worker goes on."""
        self.open_random()
        path = str(self.folder / "random.dat").encode()
        draw = random.Random(11)
        words = [b"hello", b"open", b"mine", b"profile", b"preview", b"baskets", b"pairs", b"graph", b"clean",
                 b"occurrences", b"suggest", b"cancel", b"keep", b"raise", b"=", b"\n", b" ", b"path", b"kind",
                 b"itemsets", b"rules", b"graphs", b"count=true", b"o.min-support", b"1%", b"rows", b"1", b"99",
                 b"read.", b"read.format=", b"clean.fold-case=true", b"job=", b"vertex=", b"edge=0 1 x",
                 b"\\", b"\\n", b"\x00", b"\xff", b"\xe2\x82", "é".encode(), path, b"with=", b"limit=5", b"items="]
        n = 20000 if os.environ.get("LODE_LONG") else 400 if SANITIZED else 1500
        answered = 0
        for i in range(n):
            parts = [draw.choice(words) for _ in range(draw.randint(0, 9))]
            data = b"".join(draw.choice((part, part + b"\n", part + b" ")) for part in parts)
            if draw.random() < 0.7:
                verb = draw.choice(words[:13])
                data = str(i + 1000).encode() + b" " + verb + b"\n" + data
            self.send_payload(data)
            while answered < i - 100 or (i == n - 1 and answered < n):
                _, kind = self.worker.read(DEADLINE)
                answered += kind != "event"
        for answers in self.worker.answers.values():
            for kind, answer, _ in answers:
                if kind == "failed":
                    self.assertIn(answer["status"], STATUSES)
                    self.assertTrue(answer["message"])
        self.worker.number = 1 << 40
        self.assertEqual(self.worker.ask("hello")["protocol"], 1)


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


PARENT = """
import sys, time
sys.path.insert(0, sys.argv[1])
from worker_client import Worker
w = Worker(sys.argv[2])
w.ask("open", path=sys.argv[3])
job = w.send("mine", {"o.min-support": "0.1%"}, kind="itemsets", output=sys.argv[4])
w.wait_event(job)
print(w.process.pid, flush=True)
time.sleep(60)
"""


class Ends(Base):
    def test_quit(self):
        self.open_dense()
        job, waiting = self.mine_dense(), self.mine_dense()
        self.worker.wait_event(job)
        effort = Effort(self.worker.process)
        self.assertEqual(self.worker.ask("quit"), {})
        self.assertEqual(self.worker.process.wait(DEADLINE), 0)
        effort.check(self, SOON)
        for number in (job, waiting):
            self.assertEqual(self.worker.answers[number][0][1]["status"], "cancelled")
        self.assertEqual(self.files(), [])

    def test_end_of_input(self):
        self.open_dense()
        self.worker.wait_event(self.mine_dense())
        effort = Effort(self.worker.process)
        self.worker.process.stdin.close()
        self.assertEqual(self.worker.process.wait(DEADLINE), 0)
        effort.check(self, SOON)
        self.assertEqual(self.files(), [])

    def test_end_within_a_frame(self):
        self.worker.send_bytes(struct.pack("<I", 100) + b"1 hel")
        self.assertEqual(self.worker.end(), 0)

    def test_nobody_reads(self):
        self.open_dense()
        self.worker.wait_event(self.mine_dense())
        self.worker.process.stdout.close()
        self.assertEqual(self.worker.process.wait(DEADLINE), 0)
        self.assertEqual(self.files(), [])

    def test_parent_killed(self):
        self.open_dense()
        parent = subprocess.Popen([sys.executable, "-c", PARENT, str(ROOT / "tools"), LODE,
                                   str(self.folder / "dense.dat"), str(self.folder / "out.arrow")],
                                  stdout=subprocess.PIPE)
        pid = int(parent.stdout.readline())
        self.assertTrue(is_running(pid))
        parent.kill()
        parent.wait()
        parent.stdout.close()
        wait_until(lambda: not is_running(pid), "the end of the worker")
        self.assertEqual(self.files(), [])

    def test_terminated(self):
        self.open_dense()
        self.worker.wait_event(self.mine_dense())
        self.worker.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.worker.process.wait(DEADLINE), -signal.SIGTERM)
        self.assertEqual(self.files(), [])
        with self.assertRaises(Lost):
            while True:
                self.worker.read(DEADLINE)


if __name__ == "__main__":
    unittest.main()
