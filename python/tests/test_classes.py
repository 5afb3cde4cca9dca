"""Groups of transactions and graphs: columns, significance, labels, errors.

The checks compute with fractions, from the transactions.

SPDX-License-Identifier: Apache-2.0
"""
import itertools
import pathlib
import pickle
import random
import tempfile
import unittest
from fractions import Fraction
from math import comb

import numpy as np

import lode
from support import draw, needs, optional

pandas = optional("pandas")
N = 60


def planted():
    """Rows of which half belong to a group, and an item that is frequent in this group."""
    source = random.Random(5)
    rows = draw(7, N, 6, 0.4)
    labels = [("yes", "no")[i % 2] for i in range(N)]
    for row, label in zip(rows, labels):
        if source.random() < (0.9 if label == "yes" else 0.15):
            row.append(6)
    return [[1000 * item + 3 for item in row] for row in rows], labels  # numbers are not ids


ROWS, LABELS = planted()
SIZES = {label: LABELS.count(label) for label in set(LABELS)}


def fisher(x, a, n1, n=N):
    """The two-sided p-value of Fisher's exact test, as a fraction."""
    ways = [comb(n1, k) * comb(n - n1, x - k) for k in range(x + 1)]
    return Fraction(sum(way for way in ways if way <= ways[a] * (1 + Fraction(1, 10**7))), comb(n, x))


def least(x, n1):
    """The smallest p-value that a support can have."""
    return min(fisher(x, a, n1) for a in range(max(0, x + n1 - N), min(x, n1) + 1))


def closed(rows):
    """{items: (support, in the first group, "no")} of all closed sets."""
    items = sorted({item for row in rows for item in row})
    found = {}
    for size in range(1, len(items) + 1):
        for some in itertools.combinations(items, size):
            at = tuple(i for i, row in enumerate(rows) if set(some) <= set(row))
            if at:
                found[at] = some  # a larger set with the same rows comes later
    return {some: (len(at), sum(LABELS[i] == "no" for i in at)) for at, some in found.items()}


def tarone(sets, alpha):
    """The significant sets, by definition."""
    floors = {some: least(x, SIZES["no"]) for some, (x, _) in sets.items()}
    for t in sorted(set(floors.values()), reverse=True):
        tests = sum(floor <= t for floor in floors.values())
        if tests * t <= alpha:
            level = Fraction(alpha) / tests
            return {some: tests * fisher(x, a, SIZES["no"]) for some, (x, a) in sets.items()
                    if fisher(x, a, SIZES["no"]) <= level}, tests
    return {}, 0


class Columns(unittest.TestCase):
    def setUp(self):
        self.data = lode.Data(ROWS)
        self.found = self.data.itemsets(4, classes=LABELS)

    def test_values(self):
        n1 = SIZES["no"]
        for i, one in enumerate(self.found):
            x = one.support
            a = sum(set(one.items) <= set(row) and label == "no"
                    for row, label in zip(ROWS, LABELS))
            f = self.found
            self.assertEqual((f["count_no"][i], f["count_yes"][i]), (a, x - a), one)
            self.assertAlmostEqual(f["share_no"][i], a / n1)
            self.assertAlmostEqual(f["p"][i] / float(fisher(x, a, n1)), 1, 9)
            others = (x - a) * (n1 - a)
            if others:
                odds = Fraction(a * (N - n1 - x + a), others)
                self.assertAlmostEqual(f["oddsRatio"][i], float(odds))
                self.assertTrue(f["oddsRatioLow"][i] <= odds <= f["oddsRatioHigh"][i] or a == 0)
            if x > a:
                self.assertAlmostEqual(f["growthRate"][i],
                                       float(Fraction(a, n1) / Fraction(x - a, N - n1)))
        self.assertIsNone(self.found.tested)

    def test_selections(self):
        part = self.found.filter({"count_no": 3}, {"p": 0.5}).sort_by("p")
        self.assertTrue(0 < len(part) < len(self.found))
        self.assertEqual(part["p"].tolist(), sorted(part["p"].tolist()))
        again = pickle.loads(pickle.dumps(part))
        self.assertEqual(again["p"].tolist(), part["p"].tolist())
        self.assertEqual(self.found[part[0].items and self.found.index(part[0])].support,
                         part[0].support)
        whole = self.data.itemsets(4, classes=LABELS, maxima={"p": 0.5},
                                   minima={"growthRate": 1.5})
        expected = self.found.filter({"growthRate": 1.5}, {"p": 0.5})
        self.assertEqual(whole.to_lists(), expected.to_lists())

    def test_labels_in_all_forms(self):
        wanted = self.found["p"].tolist()
        forms = [tuple(LABELS), np.array(LABELS), (label for label in LABELS)]
        if pandas is not None:
            forms += [pandas.Series(LABELS), pandas.Series(LABELS, dtype="category")]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "labels.txt")
            path.write_text("\n".join(LABELS) + "\n")
            for form in forms + [path]:
                self.assertEqual(self.data.itemsets(4, classes=form)["p"].tolist(), wanted)
        numbers = [int(label == "yes") for label in LABELS]
        self.assertEqual(self.data.itemsets(4, classes=numbers).class_columns[:3],
                         ("count_0", "share_0", "count_1"))

    @needs("pandas")
    def test_frames(self):
        frame = self.found.to_pandas()
        self.assertEqual(frame["p"].tolist(), self.found["p"].tolist())
        self.assertEqual(frame["count_no"].dtype.kind, "i")
        rows = {f"t{i}": row for i, row in enumerate(ROWS)}
        labels = pandas.Series(LABELS, index=list(rows)).sample(frac=1, random_state=1)
        found = lode.Data(rows).itemsets(4, classes=labels)
        self.assertEqual(found["p"].tolist(), self.found["p"].tolist())
        with self.assertRaisesRegex(lode.InvalidError, "the index of the Series does not match"):
            lode.Data(rows).itemsets(4, classes=pandas.Series(LABELS))

    @needs("pyarrow")
    def test_arrow(self):
        import pyarrow
        table = pyarrow.table(self.found)
        self.assertEqual(table["p"].to_pylist(), self.found["p"].tolist())
        self.assertEqual(table["count_no"].to_pylist(), self.found["count_no"].tolist())

    def test_items_as_classes(self):
        names = {item: f"x={item}" for row in ROWS for item in row}
        named = lode.Data([[names[item] for item in row] for row in ROWS])
        first, *others = sorted(names)
        labels = ["has" if first in row else "not" for row in ROWS]
        by_label = self.data.itemsets(4, classes=labels, exclude=first)
        for found, head in ((self.data.itemsets(4, classes=first), first),
                            (named.itemsets(4, classes=names[first]), names[first])):
            self.assertEqual(found.class_columns[:3],
                             (f"count_{head}", f"share_{head}", f"count_not {head}"))
            self.assertEqual(sorted(found["p"]), sorted(by_label["p"]))
        both = [row + [f"type={label}"] for row, label in zip(
            ([names[item] for item in row] for row in ROWS), LABELS)]
        for text in ("type", "type=*", "type=no,type=yes"):
            found = lode.Data(both).itemsets(4, classes=text)
            self.assertEqual(sorted(found["p"]), sorted(self.found["p"]), text)
            self.assertTrue(found.class_columns[0].endswith("no"))

    def test_display(self):
        self.assertIn("oddsRatio", self.found._repr_html_())
        self.assertEqual(repr(self.found), f"<{len(self.found)} itemsets of 60 transactions>")
        with self.assertRaisesRegex(lode.UnsupportedError, "cannot save the columns of classes"):
            self.found.save("found.arrow")


class Significant(unittest.TestCase):
    def setUp(self):
        self.data = lode.Data(ROWS)

    def test_tarone(self):
        expected, tests = tarone(closed(ROWS), Fraction(1, 20))
        found = self.data.itemsets(classes=LABELS, significant=0.05)
        self.assertEqual({one.items for one in found}, set(expected))
        self.assertTrue(found)
        for i, one in enumerate(found):
            self.assertAlmostEqual(found["adjustedP"][i], float(expected[one.items]))
        self.assertEqual((found.tested["by"], found.tested["tests"], found.tested["found"]),
                         ("tarone", tests, len(found)))
        self.assertIn("significant itemsets of 60 transactions, tested by tarone at 0.05>",
                      repr(found[:1]))

    def test_permutations(self):
        how = {"classes": LABELS, "significant": 0.05, "by": "permutation", "permutations": 199}
        found = self.data.itemsets(**how, seed=4)
        other = self.data.itemsets(**how, seed=4, threads=3, memory="256M")
        self.assertEqual(found["adjustedP"].tolist(), other["adjustedP"].tolist())
        self.assertTrue(found)
        self.assertTrue(all(p <= 0.05 and abs(200 * p - round(200 * p)) < 1e-9
                            for p in found["adjustedP"]))
        self.assertEqual((found.tested["permutations"], found.tested["seed"]), (199, 4))
        strata = self.data.itemsets(**how, strata=LABELS)  # they explain the groups
        self.assertEqual(len(strata), 0)
        self.assertEqual(strata.class_columns, found.class_columns)

    def test_refused(self):
        ask = self.data.itemsets
        for given, message in (
                ({"significant": 0.05}, "significant requires classes"),
                ({"classes": LABELS, "by": "fdr"}, "by requires significant"),
                ({"classes": LABELS, "strata": LABELS}, "strata requires significant"),
                ({"classes": LABELS, "significant": 5}, "expected a level"),
                ({"classes": LABELS[1:]}, "59 labels; expected 60"),
                ({"classes": ["a"] * N}, "have the label 'a'"),
                ({"classes": range(N)}, "60 different labels; expected at most 16"),
                ({"classes": [None] + LABELS[1:]}, "the label of row 0 is missing"),
                ({"classes": [float("nan")] + LABELS[1:]}, "the label of row 0 is missing"),
                ({"classes": ["a;", "a,"] * 30}, "of the same name"),
                ({"classes": ["a\n", "b"] * 30}, "line break"),
                ({"classes": 5}, "classes=.5."),
                ({"classes": LABELS, "significant": 0.05, "by": "tarone", "permutations": 9},
                 "permutations requires by='permutation'"),
                ({"classes": LABELS, "significant": 0.05, "by": "holm"}, "by='holm'"),
                ({"classes": LABELS, "significant": 0.05, "strata": LABELS}, "permutation")):
            with self.assertRaisesRegex(lode.Error, message, msg=str(given)):
                ask(4, **given)
        with self.assertRaisesRegex(lode.InvalidError, "labels must be a list"):
            lode.Data([["a"], ["b"]]).itemsets(1, classes="labels.txt")
        with self.assertRaisesRegex(lode.Error, "minima or maxima"):
            ask(classes=LABELS, significant=0.05, minima={"p": 0.1})


class OfGraphs(unittest.TestCase):
    @needs("networkx")
    def test_subgraphs(self):
        import networkx
        source, graphs, labels = random.Random(3), [], []
        for i in range(40):
            graph = networkx.Graph()
            ring = source.random() < (0.9 if i % 2 else 0.1)
            graph.add_nodes_from((k, {"label": "CO"[k == 2 and ring]}) for k in range(4))
            graph.add_edges_from([(0, 1), (1, 2), (2, 3)])
            graphs.append(graph)
            labels.append("ab"[i % 2])
        data = lode.graphs(graphs)
        found = data.subgraphs(1, classes=labels, supporters=True)
        for i, one in enumerate(found):
            at = found.supporters[found.supporter_offsets[i]:found.supporter_offsets[i + 1]]
            a = sum(labels[g] == "a" for g in at)
            self.assertEqual(found["count_a"][i], a)
            self.assertAlmostEqual(found["p"][i] / float(fisher(len(at), a, 20, 40)), 1, 9)
        best = data.subgraphs(classes=labels, significant=0.05, by="permutation", permutations=99)
        self.assertTrue(best and best.tested["found"] == len(best))
        self.assertIn("significant subgraphs", repr(best))
        self.assertTrue((best["adjustedP"] <= 0.05).all() and "p" in best.to_pandas())
        top = data.subgraphs(target="top:2", classes=labels)
        self.assertEqual(len(top["p"]), len(top))
        with self.assertRaisesRegex(lode.InvalidError, "39 labels; expected 40, one for each of "
                                    "the graphs"):
            data.subgraphs(1, classes=labels[1:])
        with self.assertRaisesRegex(lode.Error, "no classes of their own"):
            data.subgraphs(1, classes="*")


if __name__ == "__main__":
    unittest.main()
