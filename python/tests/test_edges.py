"""The edges of what is accepted: where a source or an argument could be taken for something else.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import io
import os
import pickle
import tempfile
import time
import unittest
import unittest.mock
import warnings
from fractions import Fraction

import numpy as np

import lode
from support import needs, optional

pandas = optional("pandas")
sparse = optional("scipy.sparse")
ROWS = [["a", "b", "c"], ["a", "b"], ["a", "c"], ["b", "c"], ["a"]] * 4


class Case(unittest.TestCase):
    def refused(self, pattern, make, *args, error=lode.InvalidError, **keywords):
        with self.assertRaisesRegex(error, pattern) as caught:
            make(*args, **keywords)
        return caught.exception


class Matrices(Case):
    def test_objects_are_a_matrix(self):
        cells = np.array([[1, 0, False], [True, 0.5, np.int8(0)]], object)
        data = lode.Data(cells)
        self.assertEqual([data[0], data[1]], [(0,), (0, 1)])
        named = lode.Data(cells, names=["x", "y", "z"])
        self.assertEqual(named[1], ("x", "y"))

    def test_objects_that_are_no_cells(self):
        for wrong in (None, float("nan"), -1, "a", [1], 1j):
            cells = np.zeros((2, 2), object)
            cells[1, 0] = wrong
            self.refused("row 1, column 0 is", lode.Data, cells)

    def test_masked(self):
        cells = np.ma.array([[1, 0], [1, 1]], mask=[[0, 0], [0, 1]])
        self.refused(r"the cell \(1, 1\) is masked", lode.Data, cells)
        self.assertEqual(lode.Data(np.ma.array([[1, 0]]))[0], (0,))
        self.refused("masked", lode.Data, [[1], [2]], weights=np.ma.array([1, 2], mask=[0, 1]))

    @needs("scipy")
    def test_columns_beyond_the_shape(self):
        for wrong in (3, 2**31 - 1, -1):
            matrix = sparse.csr_matrix(np.eye(3))
            matrix.indices[1] = wrong
            self.refused(f"the column {wrong}; expected columns from 0 to 2", lode.Data, matrix)
        matrix = sparse.csr_matrix(np.eye(3))
        matrix.indptr[1] = 9
        self.refused("indptr", lode.Data, matrix)

    def test_names(self):
        self.refused("item 1 has the name 'a', which an earlier item already has", lode.Data, np.eye(2),
                     names=["a", "a"])
        self.refused("item 1 has the name None", lode.Data, np.eye(2), names=["a", None])
        self.refused("cannot be hashed", lode.Data, np.eye(2), names=["a", ["b"]])

    @needs("pandas")
    def test_columns_without_a_name(self):
        for nothing in (None, float("nan"), pandas.NA):
            frame = pandas.DataFrame([[1, 1]] * 4, columns=pandas.Index(["a", nothing], dtype=object))
            self.refused("item 1 has the name", lode.Data, frame)


class Streams(Case):
    def test_read_twice(self):
        capsule = lode.Data(ROWS).itemsets(1).__arrow_c_stream__()

        class Source:
            def __arrow_c_stream__(self, requested_schema=None):
                return capsule

        self.assertEqual(lode.Data(Source()).n, 7)
        self.refused("was read before", lode.Data, Source())


class Labels(Case):
    """A Series has labels: these count, not its order."""

    def setUp(self):
        if pandas is None:
            self.skipTest("no pandas")

    def counts(self, found):
        return {found[i].items: int(n) for i, n in enumerate(found.supports)}

    def test_weights_by_label(self):
        rows = pandas.DataFrame({"o": [370, 370, 365, 365, 367],
                                 "p": ["lamp", "mug", "lamp", "cup", "cup"], "n": [1, 1, 5, 5, 9]})
        by_order = rows.groupby("o")["n"].first()  # which sorts
        expected = self.counts(lode.Data(rows, tid="o", item="p", weights="n").itemsets(1))
        found = lode.Data(rows, tid="o", item="p", weights=by_order).itemsets(1)
        self.assertEqual(self.counts(found), expected)
        self.assertEqual(expected[("cup",)], 14)
        swapped = pandas.Series([2, 3], index=["y", "x"])
        found = lode.Data({"x": ["a"], "y": ["b"]}, weights=swapped).itemsets(1)
        self.assertEqual(self.counts(found), {("a",): 3, ("b",): 2})
        lists = pandas.Series([["a"], ["b"]], index=["x", "y"])
        found = lode.Data(lists, weights=swapped).itemsets(1)
        self.assertEqual(self.counts(found), {("a",): 3, ("b",): 2})
        self.refused("does not match the transactions", lode.Data, {"x": ["a"], "z": ["b"]},
                     weights=swapped)

    def test_weights_of_a_list(self):
        """What has no labels has an order: that of a Series counts, and not its index."""
        swapped = pandas.Series([5, 6], index=[1, 0])
        self.assertEqual(self.counts(lode.Data([["a"], ["b"]], weights=swapped).itemsets(1)),
                         {("a",): 5, ("b",): 6})
        matrix = np.eye(2, dtype=bool)
        for source in (matrix, [[0], [1]], *([sparse.csr_matrix(matrix)] if sparse else [])):
            self.assertEqual(self.counts(lode.Data(source, weights=swapped).itemsets(1)),
                             {(0,): 5, (1,): 6})
        found = lode.Data([["a"], ["b"]], weights=pandas.Series([5, 6], index=[7, 9])).itemsets(1)
        self.assertEqual(self.counts(found), {("a",): 5, ("b",): 6})
        self.refused("weights of the type dict", lode.Data, [["a"]], weights={0: 1})

    def test_masks(self):
        found = lode.Data([["a", "b"], ["a", "c"], ["a"]]).itemsets(1)
        mask = pandas.Series(found.sizes > 1)
        for one in (mask, mask.sort_values(ascending=False), mask.to_numpy()):
            self.assertEqual(found[one].to_lists(), [["a", "b"], ["a", "c"]])
        with self.assertRaisesRegex(IndexError, "the index of the mask is not 0 to 4"):
            found[mask[mask]]

    def test_frames_can_be_changed(self):
        frame = lode.Data(ROWS).itemsets(1).to_pandas()
        frame["count"] *= 2
        frame.loc[0, "count"] = 7
        self.assertEqual(frame["count"][0], 7)

    def test_numbers_are_no_marks(self):
        with self.assertWarnsRegex(lode.LodeWarning, "column 'order' has many values"):
            lode.Data(pandas.DataFrame({"order": [1, 1, 2, 3], "item": [10, 20, 10, 30]}))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lode.Data(pandas.DataFrame({"a": [0, 3, 0, 2], "b": [1, 1, 1, 1]}))

    def test_same_text(self):
        found = lode.Data(pandas.DataFrame([[1, 1], [1, 0]], columns=[1, "1"])).itemsets(1)
        with tempfile.TemporaryDirectory() as folder:
            self.refused("have the same text", found.save, os.path.join(folder, "a.arrow"))
            self.assertEqual(os.listdir(folder), [])


class Groups(Case):
    @unittest.skipUnless(os.path.isdir("/proc/self/fd"), "no /proc")
    def test_files_of_groups_are_gone(self):
        data = lode.Data(ROWS)
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.enterContext(unittest.mock.patch("tempfile.tempdir", folder))
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(20):
            self.assertEqual(data.count(4, include=[["a", "b"]]), 6)
            data.itemsets(4, include="[ab]", exclude=[["b", "c"]])
            data.rules(4, include=[["a", "b"]], include_lhs=[["a", "b"]], include_rhs=["[bc]"])
            self.refused("min_support|expected", data.itemsets, -1, include=[["a", "b"]])
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        self.assertEqual(os.listdir(folder), [])

    def test_empty(self):
        self.refused("include: an empty group", lode.Data(ROWS).itemsets, 1, include=[[]])
        self.refused("include_lhs: an empty group", lode.Data(ROWS).rules, 1, include_lhs=["a", []])


class Measures(Case):
    def setUp(self):
        self.data = lode.Data(ROWS)

    def test_computed_when_asked_for(self):
        rules = self.data.rules(2, measures=["improvement", "boost"])
        self.assertEqual(len(rules), len(self.data.rules(2)))
        by_sides = {(rule.body, rule.head): rule for rule in rules}
        for rule, improvement in zip(rules, rules["improvement"]):
            share = {(): rule.head_count / rules.n}
            for item in rule.body if len(rule.body) > 1 else ():
                general = by_sides[(item,), rule.head]
                share[item] = general.both / general.body_count
            self.assertAlmostEqual(improvement, rule.both / rule.body_count - max(share.values()))
        self.assertFalse(np.isnan(rules["boost"]).any())

    def test_not_computed(self):
        rules = self.data.rules(2)
        self.refused(r"improvement was not computed; expected rules\(…, measures=\['improvement'\]",
                     rules.measure, "improvement")
        self.refused(r"expected rules\(…, adjust=", rules.measure, "adjustedP")
        self.refused(r"expected rules\(…, holdout=", rules.measure, "held_out_fisher")
        self.refused("q_value needs another argument", self.data.rules, 2, measures="q_value")
        self.refused("expected .*holdout=", self.data.rules, 2, measures=["heldOutLift"])
        self.refused("there is no measure 'x'", self.data.rules, 2, measures=["x"])
        self.refused("the measure 3", self.data.rules, 2, measures=[3])

    def test_one_name(self):
        self.assertEqual(self.data.rules(2, measures="lift").measures, ("lift",))

    @needs("pandas")
    def test_tests_have_columns(self):
        frame = self.data.rules(2, adjust="holm").to_pandas()
        self.assertEqual(frame.columns[-1], "adjustedP")
        self.assertFalse(frame["adjustedP"].isna().any())
        frame = self.data.rules(2, holdout=0.3, significant=1.0, measures=["lift"]).to_pandas()
        self.assertEqual(list(frame.columns[5:]), ["lift", "adjustedP", "heldOutSupport",
                                                   "heldOutConfidence", "heldOutLift", "heldOutP"])

    def test_best_first(self):
        for name in ("fisher", "lift", "confidence", "chiSquaredP", "n10"):
            sorted_here = self.data.rules(2).sort_by(name)[name]
            np.testing.assert_allclose(sorted_here, self.data.rules(2, sort_by=name)[name])
        values = self.data.rules(2).sort_by("fisher")["fisher"]
        self.assertLess(values[0], values[-1])
        values = self.data.rules(2).sort_by("fisher", ascending=False)["fisher"]
        self.assertGreater(values[0], values[-1])


@needs("pandas", "scipy")
class NullValues(Case):
    def test_types_of_pandas(self):
        from lode import mlxtend
        cells = [[True, None, True], [True, True, False], [None, True, True], [True, True, True]]
        plain = pandas.DataFrame(cells, columns=list("abc"), dtype=object)
        for miner in (mlxtend.fpgrowth, mlxtend.fpmax):
            expected = miner(plain, 0.5, null_values=True)
            self.assertGreater(len(expected), 0)
            for kind in ("boolean", "Int64", "Float64"):
                with warnings.catch_warnings(record=True):  # not bool: as mlxtend says
                    found = miner(plain.astype("boolean").astype(kind), 0.5, null_values=True)
                pandas.testing.assert_frame_equal(found, expected)
            self.refused("Found value 2", miner, plain.astype("boolean").astype("Int64").replace(1, 2), 0.5,
                         null_values=True, error=ValueError)


class Graphs(Case):
    @needs("networkx", "scipy")
    def test_nothing_frequent(self):
        graphs = lode.graphs(lode._graphs._examples())
        found = graphs.subgraphs(2, min_edges=9, supporters=True)
        self.assertEqual((len(found), found.matrix().shape), (0, (2, 0)))
        self.refused("supporters=True", graphs.subgraphs(2, min_edges=9).matrix)

    @needs("networkx", "scipy", "sklearn")
    def test_no_features(self):
        from lode.sklearn import PatternFeatures
        with warnings.catch_warnings(record=True):  # that there are no features
            warnings.simplefilter("always")
            made = PatternFeatures(2, kind="graphs", min_size=9).fit_transform(
                list(lode._graphs._examples()))
        self.assertEqual(made.shape, (2, 0))


class Suggestions(Case):
    def test_more_at_the_top(self):
        data = lode.Data([list(range(60))] * 9)
        self.refused("even the highest threshold gives far more", lambda: data.suggest(want=1).answer)
        self.assertEqual(lode.Data([[1, 2, 3]] * 9).suggest(want=1).answer.min_count, 9)
        points = [lode.Point("all", 7, 30.0, 30.0, 30.0, True, False),
                  lode.Point("all", 3, 60.0, 60.0, 60.0, True, False)]
        self.assertEqual(lode.Suggestion(list(points), 9, 10).answer.min_count, 7)
        self.refused("in the given time", lambda: lode.Suggestion(list(points), 9, 100).answer)
        self.refused("no threshold was requested", lambda: lode.Suggestion(list(points), 9).answer)
        self.refused("no threshold for want=5", lambda: lode.Suggestion([], 0, 5).answer)


class Messages(Case):
    def setUp(self):
        self.data = lode.Data(ROWS)

    def test_names_of_arguments(self):
        for pattern, wrong in (
                (r"\(max_support\) is below the minimum \(min_support\)", dict(max_support=1)),
                (r"memory=\d+M", dict(memory=100)),
                ("^target='foo': expected all", dict(target="foo")),
                ("^max_size='0': expected", dict(max_size=0)),
                ("^limit_time='x': expected", dict(limit_time="x"))):
            said = str(self.refused(pattern, self.data.itemsets, 2, error=lode.Error, **wrong))
            self.assertNotIn("--", said)
        self.refused("^top=3: .*sort_by", self.data.rules, 2, top=3)
        self.refused("^minima", self.data.rules, 2, minima=5)
        self.refused("no measure 'foo'", self.data.rules, 2, minima={"foo": 1})
        self.refused("'lift' is 'x'; expected a number", self.data.rules, 2, maxima={"lift": "x"})
        for wrong in (0, 1, 1.5, -0.1, True, float("nan")):
            self.refused("^holdout=.*: expected a share", self.data.rules, 2, holdout=wrong)
        self.assertEqual(str(lode.InvalidError("--outfile x")), "--outfile x")

    def test_keywords(self):
        for source in (ROWS, "some.csv"):
            self.refused("unexpected keyword argument 'foo'", lode.Data, source, foo=1,
                         error=TypeError)
        self.refused("header: only for files", lode.Data, ROWS, header=True, error=TypeError)

    def test_pickles(self):
        error = pickle.loads(pickle.dumps(lode.InvalidError("wrong")))
        self.assertEqual((type(error), str(error)), (lode.InvalidError, "wrong"))
        count = self.data.count(4)
        again = pickle.loads(pickle.dumps(count))
        self.assertEqual((again, again.by_size, again.complete),
                         (count, count.by_size, count.complete))


class Budgets(Case):
    def test_ends_at_once(self):
        data = lode.Data([[i for i in range(60) if i % 20 != t % 20] for t in range(400)])
        begin = time.process_time()
        for more in (dict(), dict(limit_time=1), dict(progress=lambda p: None)):
            error = self.refused("the memory budget of 8.0 MiB is too small", data.itemsets, 2,
                                 memory="8M", error=lode.BudgetError, **more)
            self.assertIsNone(getattr(error, "partial", None))
        self.assertLess(time.process_time() - begin, 60)  # the search takes hours
        small = lode.Data(ROWS, memory="64M")
        self.assertEqual(len(small.itemsets(4)), len(small.itemsets(4, memory="32M")))


class Ends(Case):
    """Searches that cannot be kept, or were to end, end at once."""

    def setUp(self):
        cells = np.random.default_rng(1).random((3000, 60)) < 0.35
        self.data = lode.Data(cells)

    def test_result_without_room(self):
        for target in ("all", "closed", "maximal", "generators"):
            began = time.process_time()
            error = self.refused("is too small: [0-9,]+ patterns were found", self.data.itemsets, 6,
                                 target=target, memory="8M", error=lode.BudgetError)
            self.assertLess(time.process_time() - began, 5)  # of a minute and more
            self.assertEqual((error.needed, error.partial), (0, None))

    def test_rules_without_room(self):
        self.refused("is too small", self.data.rules, 6, 0.01, memory="8M", error=lode.BudgetError)

    def test_time(self):
        """A result that is too large to be sorted at once is as it was found."""
        began = time.process_time()
        found = self.data.itemsets(6, limit_time=1.5, threads=1)
        spent = time.process_time() - began
        self.assertFalse(found.complete)
        self.assertLess(spent, 2.5)
        self.assertEqual(int(found.offsets[-1]), len(found.items))
        some = found[::max(1, len(found) // 50)]
        cells = [set(self.data[t]) for t in range(self.data.n)]
        for one in some:
            self.assertEqual(sum(row.issuperset(one.items) for row in cells), one.support)

    def test_few_are_sorted(self):
        found = self.data.itemsets(6, limit_patterns=2000)
        self.assertEqual(found.sizes.tolist(), sorted(found.sizes.tolist()))


@needs("pandas")
class Tables(Case):
    rows = {"day": ["mo", "mo", "tu", "tu", "mo"], "id": [1, 1, 1, 1, 2],
            "item": ["a", "b", "a", "c", "a"]}

    def setUp(self):
        self.frame = pandas.DataFrame(self.rows)

    def baskets(self, data):
        return {data.ids[t]: data[t] for t in range(data.n)}

    def test_several_columns_as_tid(self):
        expected = {("mo", 1): ("a", "b"), ("tu", 1): ("a", "c"), ("mo", 2): ("a",)}
        data = lode.Data(self.frame, tid=["day", "id"], item="item")
        self.assertEqual(self.baskets(data), expected)
        self.assertEqual(data.ids, list(expected))  # as they come
        indexed = self.frame.set_index(["day", "id"])
        self.assertEqual(self.baskets(lode.Data(indexed, tid=["day", "id"], item="item")), expected)
        category = self.frame.astype({"day": pandas.CategoricalDtype(["su", "tu", "mo"])})
        self.assertEqual(self.baskets(lode.Data(category, tid=["day", "id"], item="item")), expected)
        weighted = self.frame.assign(w=[3, 3, 4, 4, 5])
        data = lode.Data(weighted, tid=["day", "id"], item="item", weights="w")
        self.assertEqual(data.total, 12)
        self.refused("'x': there is no such column", lode.Data, self.frame, tid=["day", "x"],
                     item="item")
        self.refused(r"tid=\[\]", lode.Data, self.frame, tid=[], item="item")

    def test_levels_of_the_index(self):
        for index in ("id", "item", ["id", "item"]):
            data = lode.Data(self.frame.set_index(index), tid="id", item="item")
            self.assertEqual(self.baskets(data), {1: ("a", "b", "c"), 2: ("a",)})

    def test_types_of_columns(self):
        expected = {1: (3, 4), 2: (5,)}
        for kind in ("Int64", pandas.SparseDtype(int, 0), "int8"):
            frame = pandas.DataFrame({"t": [1, 1, 2], "i": pandas.Series([3, 4, 5]).astype(kind),
                                      "w": pandas.Series([6, 6, 7]).astype(kind)})
            data = lode.Data(frame, tid="t", item="i", weights="w")
            self.assertEqual((self.baskets(data), data.total), (expected, 13), kind)
        frame = pandas.DataFrame({"t": [1], "i": [["a", "b"]]})
        self.refused("'i' has values that cannot be hashed", lode.Data, frame, tid="t", item="i")
        frame = pandas.DataFrame({"t": [1], "i": ["a"], "w": pandas.array([None], "Int64")})
        self.refused("'w': row 0 has no value", lode.Data, frame, tid="t", item="i", weights="w")

    def test_objects(self):
        frame = pandas.DataFrame({"a": [True, False], "b": [False, True]}, dtype=object)
        data = lode.Data(frame)
        self.assertEqual([data[0], data[1]], [("a",), ("b",)])
        frame["b"] = ["x", "y"]
        self.refused("column 'b' has the type object", lode.Data, frame)


class Words(Case):
    def test_small_numbers(self):
        rows = [["a", "b"]] * 40 + [["c"]] * 40 + [["d", "e"]]
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            data = lode.Data(rows)
            data.rules(20, measures=["fisher", "adjustedP"], adjust="holm").show()
            lode.Data(rows, weights=[10**6] * 80 + [1]).itemsets(1).show()
        self.assertRegex(shown.getvalue(), r"\d\.\d+e-\d\d +\d\.\d+e-\d\d")
        self.assertRegex(shown.getvalue(), r"d, e +1 +1e-06%")
        self.assertNotIn(" 0.000", shown.getvalue())
        self.assertNotIn(" 0.0%", shown.getvalue())

    def test_arguments(self):
        data = lode.Data(ROWS)
        for memory in ("nan", "inf", "-inf", "1e999"):
            self.refused("expected bytes, a size", data.itemsets, 1, memory=memory)
        self.refused("max_rhs=0: expected 1 or more, or None", data.rules, 1, max_rhs=0)
        self.refused("max_rhs='any': expected 1 or more, or None", data.rules, 1, max_rhs="any")
        heavy = lode.Data([["a"], ["b"]], weights=[2**32 - 1] * 2)
        self.refused("weights add up to 8,589,934,590", heavy.itemsets, 1)

    def test_floats_are_names(self):
        data = lode.Data([[1.5, 2.0], [2.0]])
        self.assertEqual((data.names, data[0]), ([1.5, 2.0], (1.5, 2.0)))
        self.refused("nan is not an item", lode.Data, [[1.5, float("nan")]])

    def test_a_line_break_in_a_name(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write('order,item\n1,"a\nb"\n1,c\n')
            data = lode.Data(path, tid="order", item="item")
            self.assertIn("a\nb", data.names)
            self.refused("has a line break", data.itemsets, 1, include="a\nb")

    def test_answers(self):
        found = lode.Data(ROWS).suggest(want=5, target=["all", "closed"])
        self.assertEqual(list(found.answers), ["all", "closed"])
        self.assertEqual(found.answers["all"], found.answer)

    @needs("pandas")
    def test_types_of_pandas(self):
        frame = lode.Data(ROWS).itemsets(1).to_pandas()
        self.assertEqual(repr(frame["itemset"].dtype), "ItemsetDtype()")


class EmptyColumns(Case):
    """Columns without an item are items, too: a constraint may name them."""

    def setUp(self):
        names = ["milk", "bag small", "bag large", "nothing", 7]
        cells = np.array([[1, 0, 1, 0, 0], [1, 0, 0, 0, 1], [0, 0, 1, 0, 0]], bool)
        self.sources = [lode.Data(cells, names=names)]
        if sparse is not None:
            self.sources.append(lode.Data(sparse.csr_matrix(cells), names=names))
        if pandas is not None:
            self.sources.append(lode.Data(pandas.DataFrame(cells, columns=names)))
        self.sources += [pickle.loads(pickle.dumps(data)) for data in self.sources]
        self.bare = lode.Data(cells)

    def test_excluded(self):
        for data in self.sources:
            self.assertEqual(sorted(map(str, data.itemsets(1, exclude="bag*").to_lists())),
                             ["['milk', 7]", "['milk']", "[7]"])
            everything = data.itemsets(1)
            self.assertTrue(everything.equals(data.itemsets(1, exclude=["nothing", "bag small"])))
            rules = data.rules(1)
            for side in ("exclude", "exclude_lhs", "exclude_rhs"):
                self.assertTrue(rules.equals(data.rules(1, **{side: "bag small"})), side)
        self.assertTrue(self.bare.itemsets(1).equals(self.bare.itemsets(1, exclude=[1, 3])))

    def test_one_of_several(self):
        for data in self.sources:
            self.assertTrue(data.itemsets(1, include=[["milk", "bag small"]]).equals(
                data.itemsets(1, include="milk")))
            self.assertTrue(data.rules(1, lhs=["milk", "nothing"]).equals(
                data.rules(1, lhs="milk")))

    def test_nothing_has_them(self):
        for data in self.sources:
            for support in (2, 0.5, "50%", None):
                target = "all" if support is not None else "top:3"
                found = data.itemsets(support, target, include="nothing")
                self.assertEqual((len(found), found.complete), (0, True))
                self.assertEqual(data.count(support, target, include=["milk", "nothing"]), 0)
            self.assertEqual(data.itemsets(2, include="nothing").min_count, 2)
            for how in ({"lhs": "nothing"}, {"rhs": ["nothing", "bag small"]},
                        {"include": "nothing"}, {"include_lhs": "nothing"}, {"include_rhs": "nothing"}):
                found = data.rules(1, **how)
                self.assertEqual((len(found), found.complete), (0, True), how)
        self.assertEqual(self.bare.count(1, include=1), 0)
        self.refused("unknown item '5'", self.bare.itemsets, 1, include=5)

    def test_names_from_before(self):
        data = lode.Data([["a", "b"], ["a", "b", "c"], ["a"]])
        self.assertTrue(data.itemsets(1, must="b").equals(data.itemsets(1, include="b")))
        self.assertEqual(data.count(1, must="b"), data.count(1, include="b"))
        old = data.rules(1, max_head=2, max_body=1, must="b", must_lhs="a", must_rhs="b")
        self.assertTrue(old.equals(data.rules(1, max_rhs=2, max_lhs=1, include="b", include_lhs="a",
                                              include_rhs="b")))
        with self.assertRaisesRegex(TypeError, "must and include are the same argument"):
            data.itemsets(1, must="a", include="b")

    def test_names_in_messages(self):
        for data in self.sources:
            self.refused("'milk' is excluded", data.itemsets, 1, include="milk", exclude="milk")
            said = str(self.refused("is excluded", data.itemsets, 1, exclude=["milk", 7],
                                    include=[["milk", 7]]))
            self.assertIn("'milk', 7", said)
            self.assertNotIn("lode-", said)

    def test_many_names(self):
        """The time grows with the names, not with their square."""
        def seconds(n):
            data = lode.Data([[f"n{i}" for i in range(n)], ["a"]])
            start = time.process_time()
            self.assertEqual(data.count(1, exclude=[f"n{i}" for i in range(n)]), 1)
            return time.process_time() - start
        seconds(100)
        few, many = (min(seconds(n) for _ in range(3)) for n in (1000, 16000))
        self.assertLess(many, 60 * few + 2)  # the square would be 256 times


class Exactness(Case):
    def test_fractions(self):
        rows = [["a", "b"]] * 2 + [["a"]]  # 2/3 of those with a have b
        data = lode.Data(rows)
        bodies = [rule.body for rule in data.rules(1, Fraction(2, 3))]
        self.assertEqual(sorted(bodies), [("a",), ("b",)])
        above = Fraction(2, 3) + Fraction(1, 10**9)
        self.assertEqual([rule.body for rule in data.rules(1, above)], [("b",)])
        self.refused("expected a share", data.rules, 1, Fraction(10**20 + 1, 10**21))
        self.refused("expected a share", data.rules, 1, Fraction(4, 3))
        self.assertEqual(len(data.rules(1, Fraction(1))), 1)


@needs("pandas")
class Frames(Case):
    def setUp(self):
        self.frame = pandas.DataFrame([[1, 0], [1, 1], [0, 1]], columns=["a", "b"], index=[7, 8, 9])

    def test_weights(self):
        for weights in (pandas.Series([1, 2, 3], [7, 8, 9]), pandas.Series([3, 1, 2], [9, 7, 8]),
                        [1, 2, 3]):
            data = lode.Data(self.frame, weights=weights)
            self.assertEqual(data.itemsets(1).supports.tolist(), [3, 5, 2])
        for index in ([0, 1, 2], [7, 8, 8]):
            self.refused("the index of the Series", lode.Data, self.frame,
                         weights=pandas.Series([1, 2, 3], index))

    def test_a_column_of_weights(self):
        data = lode.Data(self.frame.assign(w=[1, 2, 3]), weights="w")
        self.assertEqual((data.names, data.total), (["a", "b"], 6))
        self.assertEqual(data.itemsets(1).supports.tolist(), [3, 5, 2])
        self.refused("weights='x': there is no such column; expected one of 'a', 'b'", lode.Data,
                     self.frame, weights="x")

    def test_isin(self):
        column = lode.Data(ROWS).itemsets(1).to_pandas()["itemset"]
        for wanted in (frozenset("ab"), ("b", "a"), ("a", "b")):
            self.assertEqual(column[column.isin([wanted])].tolist(), [("a", "b")])
        self.assertEqual(column.isin([frozenset("ab"), ("c",), "a", 3]).sum(), 2)
        self.assertEqual(column.isin([]).sum(), 0)


if __name__ == "__main__":
    unittest.main()
