"""Results that are copied, pickled, sent to other processes, and outlive what they came from.

SPDX-License-Identifier: Apache-2.0
"""
import copy
import gc
import io
import os
import pickle
import threading
import unittest
import xml.dom.minidom
from contextlib import redirect_stdout

import numpy as np

import lode
from support import LONG, SANITIZED, draw, needs, optional

networkx = optional("networkx")
NAMED = [[f"n{i}" for i in row] for row in draw(5, 60, 8, 0.45)]
ODD = ["<script>alert(1)</script>", "a&b", '"quoted" \'single\'', "tab\tand\nline", "\x00\x1b[31m",
       "ünï ☃ 雪", "", " ", "a,b", "=1+1", "x" * 5000, "\u202egnp.exe", "</svg><img src=x>"]


def some_graphs(labels="abc"):
    graphs = []
    for k in range(6):
        graph = networkx.path_graph(4)
        for v in graph:
            graph.nodes[v]["label"] = labels[(v + k) % len(labels)]
        for edge in graph.edges:
            graph.edges[edge]["label"] = "single"
        graphs.append(graph)
    return graphs


def results():
    """One of each kind, whole and selected, by name and by number."""
    data, numbers = lode.Data(NAMED), lode.Data(draw(6, 50, 7, 0.5))
    rules = data.rules(4, 0.3, measures=["lift", "improvement", "adjustedP"], adjust="holm",
                       holdout=0.3)
    found = [data.itemsets(3), numbers.itemsets(3), data.itemsets(3)[2:9], data.itemsets(10**6),
             numbers.itemsets(1, limit_patterns=5), rules, rules[::-2], data.rules(10**6)]
    if networkx is not None:
        graphs = lode.graphs(some_graphs())
        found += [graphs.subgraphs(2, supporters=True), graphs.subgraphs(2, embeddings=True)[1:],
                  graphs.subgraphs(100)]
    return found


class Copies(unittest.TestCase):
    def check(self, one, other):
        self.assertIs(type(other), type(one))
        self.assertTrue(one.equals(other))
        self.assertEqual(list(other), list(one))
        self.assertEqual((other.n, other.complete, other.report, other.min_count, repr(other)),
                         (one.n, one.complete, one.report, one.min_count, repr(one)))
        for name, column in one._columns.items():
            again = other._columns[name]
            self.assertEqual(again is None, column is None, name)
            if column is not None:
                self.assertEqual((again.dtype, again.flags.writeable), (column.dtype, False))
                np.testing.assert_array_equal(again, column)

    def test_pickles(self):
        for one in results():
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                again = pickle.loads(pickle.dumps(one, protocol))
                self.assertIsNone(again.data)
                self.check(one, again)
                self.check(one, pickle.loads(pickle.dumps(again)))  # also what was unpickled

    def test_unpickled_ones_work(self):
        rules = lode.Data(NAMED).rules(4, 0.3, measures=["lift", "phi"])
        again = pickle.loads(pickle.dumps(rules))
        self.assertEqual(again.measures, ("lift", "phi"))
        np.testing.assert_array_equal(again["cosine"], rules["cosine"])
        self.assertEqual(list(again.containing("n1").sort_by("lift")),
                         list(rules.containing("n1").sort_by("lift")))
        found = pickle.loads(pickle.dumps(lode.Data(NAMED).itemsets(3)))
        self.assertEqual({"n1"}, set(found[found.index(["n1"])].items))
        with self.assertRaisesRegex(lode.InvalidError, "no item 'zz'"):
            found.containing("zz")
        self.assertIn("<table>", found._repr_html_())

    def test_a_selection_takes_its_rows_only(self):
        found = lode.Data([list(range(14))] * 2).itemsets(1)
        whole, part = len(pickle.dumps(found)), len(pickle.dumps(found[5:9]))
        self.assertLess(part, whole / 50)

    def test_copies(self):
        for one in results():
            for other in (copy.copy(one), copy.deepcopy(one)):
                self.check(one, other)
                self.assertIs(other.data, one.data)
        rules = lode.Data(NAMED).rules(4)
        other = copy.copy(rules)
        other.measures = ("phi",)
        self.assertEqual(rules.measures, ("support", "confidence", "lift"))

    def test_single_ones(self):
        found = lode.Data(NAMED).itemsets(3)
        rule = lode.Data(NAMED).rules(3)[0]
        suggestion = lode.Data(NAMED).suggest(want=5)
        count = lode.Data(NAMED).count(3)
        for one in (found[0], rule):
            self.assertEqual(pickle.loads(pickle.dumps(one)), one)
            self.assertEqual(copy.deepcopy(one), one)
        self.assertEqual(pickle.loads(pickle.dumps(suggestion)).points, suggestion.points)
        self.assertEqual(pickle.loads(pickle.dumps(count)).by_size, count.by_size)

    def test_equals(self):
        found = lode.Data(NAMED).itemsets(3)
        self.assertFalse(found.equals(found[1:]))
        self.assertFalse(found.equals(found[::-1]))
        self.assertFalse(found.equals(lode.Data(NAMED).rules(3)))
        self.assertFalse(found.equals(None))
        self.assertTrue(found.equals(lode.Data(NAMED).itemsets(3)))

    def test_nobody_writes(self):
        found = lode.Data(NAMED).itemsets(3)
        for one in (found, found[3:], found[found.sizes > 1], pickle.loads(pickle.dumps(found))):
            with self.assertRaises(ValueError):
                one.supports[0] = 0

    @needs("joblib")
    def test_joblib(self):
        import joblib
        for one in results():
            file = io.BytesIO()
            joblib.dump(one, file)
            file.seek(0)
            self.check(one, joblib.load(file))


class Outlive(unittest.TestCase):
    def test_data_are_gone(self):
        """Results, selections of selections and their columns, when all else is gone."""
        found = lode.Data(NAMED).itemsets(2)
        expected = list(found)
        part = found[1:][2:][::2][found[1:][2:][::2].supports > 2]
        kept = [one for one in expected[3::2] if one.support > 2]
        found.data = part.data = None
        gc.collect()
        lode.Data(NAMED).itemsets(1)
        self.assertEqual(list(found), expected)
        self.assertEqual(list(part), kept)
        column = found[2:].items[3:]
        values = column.tolist()
        del found, part
        gc.collect()
        lode.Data(NAMED).itemsets(1)
        self.assertEqual(column.tolist(), values)

    def test_threads(self):
        found = lode.Data(NAMED).itemsets(2)
        rules = lode.Data(NAMED).rules(2)
        expected = pickle.dumps(found), rules["lift"].tolist(), list(rules)
        wrong = []

        def work(seed):
            chance = np.random.default_rng(seed)
            for _ in range(5 if SANITIZED else 20):
                index = chance.integers(0, len(found), 20)
                if [found[int(i)] for i in index] != list(found[index]):
                    wrong.append("selection")
                if pickle.dumps(found) != expected[0] or rules.lift.tolist() != expected[1]:
                    wrong.append("columns")
                if list(rules) != expected[2] or len(found.containing("n1").by_support()) == 0:
                    wrong.append("rows")

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_forks(self):
        found = lode.Data(NAMED).itemsets(2)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.write(writing, str(int(found[1:].supports.sum() + found.sizes.sum())).encode())
                code = 0
            finally:
                os._exit(code)
        os.close(writing)
        with os.fdopen(reading) as said:
            self.assertEqual(int(said.read()), int(found[1:].supports.sum() + found.sizes.sum()))
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class Odd(unittest.TestCase):
    def check_html(self, html):
        xml.dom.minidom.parseString("<div>" + html.replace("<br>", "<br/>") + "</div>")
        for tag in ("<script", "<img", "</svg><"):
            self.assertNotIn(tag, html.replace("</svg></td>", "").replace("</svg><figcaption", ""))
        self.assertNotIn("\x1b", html)
        self.assertNotIn("\x00", html)

    def test_names(self):
        data = lode.Data([ODD, ODD, ODD[:4]])
        found, rules = data.itemsets(2, max_size=2), data.rules(2, max_size=2)
        for one in (found, rules):
            self.check_html(one._repr_html_())
            self.check_html(one.containing(ODD[0])._repr_html_())
            self.assertTrue(one.equals(pickle.loads(pickle.dumps(one))))
        self.assertEqual({name for one in found for name in one.items}, set(ODD))
        for name in ODD:
            self.assertIn((name,), found)
            self.assertGreater(len(rules.containing(name, side="head")), 0)

    def test_tables_are_short(self):
        data = lode.Data([["x" * 5000 + str(i) for i in range(6)]] * 2)
        self.assertLess(len(data.itemsets(1)._repr_html_()), 20000)
        self.assertLess(len(data.rules(1)._repr_html_()), 20000)
        n = 10 if SANITIZED else 20 if LONG else 17
        many = lode.Data([list(range(n))] * 2).itemsets(1)
        self.assertLess(len(many._repr_html_()), 20000)
        self.assertIn(f"and {len(many) - 20:,} more", many._repr_html_())
        self.assertLess(len(repr(many)), 80)

    def test_printed(self):
        out = io.StringIO()
        with redirect_stdout(out):
            lode.Data([["red\x1b[31m", "two\nlines"]] * 2).itemsets(2).show()
        self.assertNotIn("\x1b", out.getvalue())
        self.assertEqual(len(out.getvalue().splitlines()), 4)

    @needs("networkx")
    def test_drawings(self):
        odd = [name for name in ODD if name not in ("", " ")]
        found = lode.graphs(some_graphs(odd)).subgraphs(1)
        self.check_html(found._repr_html_())
        for one in found:
            self.check_html(one.svg())
        self.assertTrue(found.equals(pickle.loads(pickle.dumps(found))))

    def test_nothing(self):
        for empty in (lode.Data([]).itemsets(1), lode.Data([[1]]).itemsets(2),
                      lode.Data([]).rules(1), lode.Data([[1, 2]]).itemsets(1)[5:]):
            self.assertEqual((len(empty), list(empty), len(empty[:3]), len(empty.head())),
                             (0, [], 0, 0))
            self.assertEqual((len(empty.filter({"support": 0.1})), len(empty.sample(0))), (0, 0))
            self.assertEqual(len(empty.sort_by("support")), 0)
            self.assertTrue(empty.equals(pickle.loads(pickle.dumps(empty))))
            self.check_html(empty._repr_html_())
            with redirect_stdout(io.StringIO()):
                empty.show()
            with self.assertRaisesRegex(IndexError, "there are 0"):
                empty[0]


def free_memory():
    """Bytes that can be had without swapping; 0 where that is not known."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvail"))
    except (OSError, StopIteration):
        return 0


class Large(unittest.TestCase):
    @unittest.skipUnless(LONG and free_memory() > 40 << 30, "LODE_LONG=1 and 40 GiB of free memory")
    def test_more_than_32_bits(self):
        """2^32 + 4096 occurrences: what is left of them, in 32 bits, is less than a row has."""
        rows, columns = 2**20 + 1, 4096
        data = lode.Data(np.ones((rows, columns), bool))
        offsets, items, _ = data._handle.arrays()
        self.assertEqual(np.frombuffer(offsets, np.uint64)[-1], rows * columns)
        cells = np.frombuffer(items, np.uint32).reshape(rows, columns)
        for row in (0, 1, 2, rows - 1):
            self.assertEqual(cells[row].tolist(), list(range(columns)), row)
        self.assertTrue((cells[:, -1] == columns - 1).all())


if __name__ == "__main__":
    unittest.main()
