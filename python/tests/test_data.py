"""Every source gives the same data set, and what is found in it is what brute force counts.

SPDX-License-Identifier: Apache-2.0
"""
import copy
import decimal
import fractions
import multiprocessing
import pathlib
import pickle
import random
import tempfile
import unittest
import warnings

import numpy as np

import lode
from support import as_dict, brute, draw, needs, optional

pandas = optional("pandas")
sparse = optional("scipy.sparse")

ROWS = draw(7, 90, 11, 0.35) + [[], []]
NAMES = list("abcdefghijk")
NAMED = [[NAMES[i] for i in row] for row in ROWS]
EXPECTED = brute(ROWS, 4)
EXPECTED_NAMED = brute(NAMED, 4)


def matrix(kind=bool):
    cells = np.zeros((len(ROWS), 11), kind)
    for row, items in zip(cells, ROWS):
        row[items] = 1
    return cells


class Sources(unittest.TestCase):
    def check(self, data, expected=EXPECTED):
        self.assertEqual(data.n, len(ROWS))
        self.assertEqual(as_dict(data.itemsets(4)), expected)
        self.assertEqual(data.count(4), len(expected))

    def test_lists(self):
        self.check(lode.Data(ROWS))
        self.check(lode.Data(tuple(map(tuple, ROWS))))
        self.check(lode.Data(set(row) for row in ROWS))
        self.check(lode.Data([np.array(row, int) for row in ROWS]))
        self.check(lode.Data([row + row for row in ROWS]))  # an item twice counts once
        self.check(lode.Data(NAMED), EXPECTED_NAMED)

    def test_names_are_in_order(self):
        data = lode.Data([["pear", "apple"], ["fig"]])
        self.assertEqual(data.names, ["apple", "fig", "pear"])
        self.assertEqual(data[0], ("apple", "pear"))
        pairs = lode.Data([[("size", 2), ("size", 1)], [("colour", 3)]])
        self.assertEqual(pairs.names, [("colour", 3), ("size", 1), ("size", 2)])

    def test_large_numbers_are_names(self):
        data = lode.Data([[4006381333931, 7], [7]])
        self.assertEqual(data.names, [7, 4006381333931])
        self.assertEqual(as_dict(data.itemsets(2)), {(7,): 2})
        data = lode.Data([[4294967295, 7], [7]])
        self.assertIsNone(data.names)
        self.assertEqual(as_dict(data.itemsets(1)), {(7,): 2, (4294967295,): 1, (7, 4294967295): 1})

    def test_dict(self):
        data = lode.Data({f"t{i}": set(row) for i, row in enumerate(NAMED)})
        self.check(data, EXPECTED_NAMED)
        self.assertEqual(data.ids[:2], ["t0", "t1"])

    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "baskets.csv")
            path.write_text("".join(",".join(row) + "\n" for row in NAMED))
            self.check(lode.Data(path, format="basket", separator=","), EXPECTED_NAMED)
            self.check(lode.Data([path], format="basket", separator=","), EXPECTED_NAMED)
            path.write_text("".join(" ".join(map(str, row)) + "\n" for row in ROWS))
            self.check(lode.Data(str(path)))
            half = len(ROWS) // 2
            parts = [pathlib.Path(folder, name) for name in ("a.dat", "b.dat")]
            for part, rows in zip(parts, (ROWS[:half], ROWS[half:])):
                part.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
            self.check(lode.Data(parts))
            path.write_text("tid;item\n" + "".join(
                f"{t};{item}\n" for t, row in enumerate(NAMED) for item in row))
            table = lode.Data(path, tid="tid", item="item", format="table", separator=";")
            self.assertEqual(as_dict(table.itemsets(4)), EXPECTED_NAMED)

    def test_matrix(self):
        for kind in (bool, np.uint8, np.int64, np.float32):
            self.check(lode.Data(matrix(kind)))
            self.check(lode.Data(np.asfortranarray(matrix(kind))))
        self.check(lode.Data(matrix(), names=NAMES), EXPECTED_NAMED)
        self.check(lode.Data(matrix(np.uint8) * 200))  # a quantity
        self.check(lode.Data(np.repeat(matrix(), 2, axis=1)[:, ::2]))
        self.check(lode.Data(matrix()[::-1][::-1]))
        self.check(lode.Data(np.flip(matrix(), axis=1)), brute(
            [[10 - i for i in row] for row in ROWS], 4))

    def test_matrix_shapes(self):
        source = np.random.default_rng(3)
        for n_rows in (0, 1, 63, 64, 65, 1023, 1025, 2050):
            for n_columns in (0, 1, 63, 64, 65, 130):
                cells = source.random((n_rows, n_columns)) < source.random()
                expected = [tuple(np.flatnonzero(row).tolist()) for row in cells]
                for layout in (cells, np.asfortranarray(cells)):
                    data = lode.Data(layout)
                    self.assertEqual([data[t] for t in range(data.n)], expected)

    @needs("scipy")
    def test_sparse(self):
        for kind in ("csr", "csc", "coo", "lil"):
            self.check(lode.Data(sparse.csr_matrix(matrix()).asformat(kind)))
        self.check(lode.Data(sparse.csr_matrix(matrix(np.int32)), names=NAMES), EXPECTED_NAMED)
        zeros = sparse.csr_matrix(matrix(float))
        zeros.data[:5] = 0
        self.assertEqual(lode.Data(zeros).profile["occurrences"], zeros.nnz - 5)

    @needs("pandas")
    def test_frames(self):
        frame = pandas.DataFrame(matrix(), columns=NAMES)
        self.check(lode.Data(frame), EXPECTED_NAMED)
        self.assertEqual(lode.Data(frame).names, NAMES)
        self.check(lode.Data(frame.astype(int)), EXPECTED_NAMED)
        self.check(lode.Data(frame.astype("boolean")), EXPECTED_NAMED)
        by_columns = pandas.concat([frame[[name]].copy() for name in NAMES], axis=1)
        self.check(lode.Data(by_columns), EXPECTED_NAMED)
        mixed = frame.copy()
        mixed["a"] = mixed["a"].astype(float)
        self.check(lode.Data(mixed), EXPECTED_NAMED)
        labelled = pandas.DataFrame(matrix(), columns=[("x", i) for i in range(11)])
        self.assertEqual(lode.Data(labelled).names[3], ("x", 3))

    @needs("pandas", "scipy")
    def test_sparse_frames(self):
        frame = pandas.DataFrame(matrix(), columns=NAMES)
        self.check(lode.Data(frame.astype(pandas.SparseDtype(bool, False))), EXPECTED_NAMED)
        self.check(lode.Data(frame.astype(pandas.SparseDtype(int, 0))), EXPECTED_NAMED)
        some = frame.copy()
        some["b"] = some["b"].astype(pandas.SparseDtype(bool, False))
        self.check(lode.Data(some), EXPECTED_NAMED)

    @needs("pandas")
    def test_long_tables(self):
        rows = [(f"t{t}", item) for t, row in enumerate(NAMED) for item in row]
        random.Random(1).shuffle(rows)
        frame = pandas.DataFrame(rows, columns=["order", "product"])
        for column in (frame["product"], frame["product"].astype("category"),
                       frame["product"].astype("string")):
            data = lode.Data(frame.assign(product=column), tid="order", item="product")
            self.assertEqual(as_dict(data.itemsets(4)), EXPECTED_NAMED)
        self.assertEqual(data.ids[0], rows[0][0])
        numbers = frame.assign(product=[NAMES.index(name) for name in frame["product"]])
        data = lode.Data(numbers, tid="order", item="product")
        self.assertIsNone(data.names)
        self.assertEqual(as_dict(data.itemsets(4)), EXPECTED)
        large = numbers.assign(product=numbers["product"] + 10**12)
        self.assertEqual(lode.Data(large, tid="order", item="product").names[0], 10**12)

    def test_weights(self):
        weights = [random.Random(t).randrange(1, 5) for t in range(len(ROWS))]
        data = lode.Data(ROWS, weights=weights)
        self.assertEqual(data.total, sum(weights))
        self.assertEqual(as_dict(data.itemsets(9)), brute(ROWS, 9, weights))

    def test_empty(self):
        for nothing in ([], {}, np.zeros((0, 0), bool), np.zeros((0, 3), bool), iter(())):
            data = lode.Data(nothing)
            self.assertEqual((data.n, len(data.itemsets(1)), data.count(1)), (0, 0, 0))
        data = lode.Data([[], []])
        self.assertEqual((data.n, len(data.itemsets(1)), len(data.rules(1, 0.5))), (2, 0, 0))
        self.assertEqual(len(data.itemsets(0.5, "top:3")), 0)

    def test_budget_and_spill(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "wide.dat")
            rows = draw(1, 4000, 60, 0.5)
            path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
            with self.assertRaises(MemoryError) as caught:
                lode.Data(path, memory="64K")
            self.assertIsInstance(caught.exception, lode.BudgetError)
            self.assertGreater(caught.exception.needed, 1 << 16)
            free = lode.Data(path).count(0.25)
            self.assertEqual(lode.Data(path, memory=caught.exception.needed).count(0.25), free)


def count_closed(data):
    """What a process of a pool does with data that were pickled."""
    return data.count(3, target="closed")


class Dense(unittest.TestCase):
    """Matrices of every density, which stay bits or become lists: the same as lists of lists."""

    def test_random(self):
        source = np.random.default_rng(5)
        for shape in ((0, 3), (5, 0), (1, 1), (65, 129), (1100, 66)):
            for share in (0.0, 0.02, 0.5):
                self.compare(source.random(shape) < share)
        self.compare(np.ones((130, 7), bool))

    def compare(self, cells):
        lists = lode.Data([np.flatnonzero(row).tolist() for row in cells])
        least = max(1, len(cells) // 4)
        for one in (cells, np.asfortranarray(cells), cells.astype(np.int64), cells[:, ::-1][:, ::-1]):
            data = lode.Data(one)
            for name in ("transactions", "empty", "items", "occurrences", "longest", "weight"):
                self.assertEqual(data.profile[name], lists.profile[name], name)
            self.assertEqual([bytes(array) for array in data._handle.arrays()[:2]],
                             [bytes(array) for array in lists._handle.arrays()[:2]])
            for which, expected in zip(data.item_supports, lists.item_supports):
                self.assertEqual(which.tolist(), expected.tolist())
            there = [int(i) for i, n in zip(*data.item_supports) if n][:1]
            for how in (dict(max_size=2), dict(target="closed", max_size=3),
                        dict(max_size=2, exclude=there)):
                if there:
                    self.assertEqual(data.itemsets(least, **how).to_lists(),
                                     lists.itemsets(least, **how).to_lists())

    def test_weights_and_budget(self):
        cells = np.random.default_rng(6).random((300, 20)) < 0.6
        weights = np.arange(1, 301)
        rows = [np.flatnonzero(row).tolist() for row in cells]
        for more in (dict(weights=weights), dict(memory="64M")):
            self.assertEqual(lode.Data(cells, **more).itemsets(0.5).to_lists(),
                             lode.Data(rows, **more).itemsets(0.5).to_lists())
        with self.assertRaises(lode.BudgetError) as caught:
            lode.Data(np.ones((3000, 500), bool), memory="1M")
        enough = caught.exception.needed
        self.assertEqual(lode.Data(np.ones((3000, 500), bool), memory=enough).n, 3000)

    def test_a_cell_that_is_wrong(self):
        for kind in (np.int8, np.int64, np.float32):
            cells = np.zeros((100, 70), kind)
            cells[37, 65] = -2
            with self.assertRaisesRegex(lode.InvalidError, "^row 37, column 65 is -2"):
                lode.Data(cells)


class Pickles(unittest.TestCase):
    def same(self, data, again):
        self.assertEqual((again.n, again.total, again.names, again.ids, again.profile),
                         (data.n, data.total, data.names, data.ids, data.profile))
        self.assertEqual([again[t] for t in range(again.n)], [data[t] for t in range(data.n)])
        self.assertEqual(as_dict(again.itemsets(2)), as_dict(data.itemsets(2)))
        self.assertEqual(again.count(2, include=[data[0][0]]), data.count(2, include=[data[0][0]]))

    def test_all_sources(self):
        sets = {"x": {"a", "b"}, "y": {"b", "c"}, "z": {"a", "b", "c"}, "0": set()}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "baskets.csv"
            path.write_text("milk,bread\nmilk,007\nmilk,bread,beer*\n")
            sources = (lode.Data(sets), lode.Data(ROWS),
                       lode.Data(ROWS, weights=[i % 3 + 1 for i in range(len(ROWS))]),
                       lode.Data(matrix()), lode.Data(path, format="basket"),
                       lode.Data(ROWS, memory="64M"),
                       lode.Data([[2**40, 5], [5, 2**40]]))
            for data in sources:
                for protocol in (2, pickle.HIGHEST_PROTOCOL):
                    self.same(data, pickle.loads(pickle.dumps(data, protocol)))
                self.same(data, copy.copy(data))
                self.same(data, copy.deepcopy(data))

    def test_budget(self):
        data = pickle.loads(pickle.dumps(lode.Data([list(range(18))] * 4, memory="1M")))
        with self.assertRaises(lode.BudgetError):
            data.itemsets(1)

    def test_other_processes(self):
        data = lode.Data(ROWS)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertEqual(pool.map(count_closed, [data]), [count_closed(data)])

    def test_on_disk(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "many.dat"
            path.write_text("1 2 3 4 5 6 7 8 9\n" * 40_000)
            data = lode.Data(path, format="fimi", memory="1M", spill=folder)
            with self.assertRaisesRegex(lode.UnsupportedError, "on disk.*expected data in memory"):
                pickle.dumps(data)


class Notebooks(unittest.TestCase):
    def test_html(self):
        data = lode.Data([["<milk>", "bread"], ["<milk>"]] * 3)
        page = data._repr_html_()
        self.assertIn("&lt;milk&gt;", page)
        self.assertNotIn("<milk>", page)
        self.assertLess(page.index("&lt;milk&gt;"), page.index("bread"))
        self.assertIn("50.0%", page)
        many = lode.Data([list(range(100))])._repr_html_()
        self.assertIn("and 80 more items", many)
        self.assertIn("<table>", lode.Data([])._repr_html_())


class Thresholds(unittest.TestCase):
    def test_shares_are_exact(self):
        """Shares whose binary products are above or below a whole number."""
        for share, n in ((0.28, 25), (0.07, 100), (0.29, 100), (0.1, 30), (0.7, 10), (1 / 3, 3)):
            data = lode.Data([[1]] * n)
            wanted = next(c for c in range(1, n + 1) if c / n >= share)
            rows = [[1]] * wanted + [[]] * (n - wanted)
            self.assertEqual(data.itemsets(share).min_count, wanted)
            self.assertEqual(len(lode.Data(rows).itemsets(share)), 1, (share, n))
            fewer = [[1]] * (wanted - 1) + [[]] * (n - wanted + 1)
            self.assertEqual(len(lode.Data(fewer).itemsets(share)), 0, (share, n))

    def test_kinds(self):
        data = lode.Data([[1]] * 3 + [[2]])
        for support in (3, 0.75, "75%", "3", np.int64(3), np.float64(0.75), np.float32(0.75),
                        fractions.Fraction(3, 4), decimal.Decimal("0.75"), 1.2345678901234567e-19):
            self.assertEqual(len(data.itemsets(support)), 2 if support == 1.2345678901234567e-19
                             else 1, support)
        self.assertEqual(len(lode.Data([[1]] * 3).itemsets(1.0)), 1)

    def test_targets(self):
        data = lode.Data(ROWS)
        everything = brute(ROWS, 4)
        closed = {s: n for s, n in everything.items() if not any(
            set(s) < set(t) and everything[t] == n for t in everything)}
        maximal = {s: n for s, n in everything.items() if not any(
            set(s) < set(t) for t in everything)}
        self.assertEqual(as_dict(data.itemsets(4, "closed")), closed)
        self.assertEqual(as_dict(data.itemsets(4, target="maximal")), maximal)
        top = data.itemsets(target="top:5")
        self.assertEqual(sorted(top.supports.tolist())[-5:],
                         sorted(brute(ROWS, 1).values())[-5:])
        sized = data.itemsets(4, min_size=2, max_size=3)
        self.assertEqual(as_dict(sized), {s: n for s, n in everything.items() if 2 <= len(s) <= 3})

    def test_constraints(self):
        for data, expected in ((lode.Data(NAMED), EXPECTED_NAMED),):
            found = as_dict(data.itemsets(4, include="a", exclude=["b", "c"]))
            self.assertEqual(found, {s: n for s, n in expected.items()
                                     if "a" in s and not {"b", "c"} & set(s)})
            found = as_dict(data.itemsets(4, include=[["a", "b"], "c"]))
            self.assertEqual(found, {s: n for s, n in expected.items()
                                     if {"a", "b"} & set(s) and "c" in s})
            found = as_dict(data.itemsets(4, exclude="[a-i]"))
            self.assertEqual(found, {s: n for s, n in expected.items() if set(s) <= {"j", "k"}})
            found = as_dict(data.itemsets(4, max_support=10))
            self.assertEqual(found, {s: n for s, n in expected.items() if n <= 10})

    def test_constraints_of_a_file(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            file.write("milk*,bread\nmilk*,@home\nbread,milk*\n")
            file.flush()
            data = lode.Data(file.name, format="basket", separator=",")
            found = data.itemsets(1, include="milk*")
            self.assertEqual(as_dict(found), {("milk*",): 3, ("bread", "milk*"): 2,
                                              ("@home", "milk*"): 1})
            self.assertEqual(as_dict(data.itemsets(1, include="@home")),
                             {("@home",): 1, ("@home", "milk*"): 1})

    def test_limits(self):
        data = lode.Data(ROWS)
        some = data.itemsets(1, limit_patterns=10)
        self.assertEqual((len(some), some.complete), (10, False))
        self.assertTrue(data.itemsets(4).complete)
        everything = brute(ROWS, 1)
        self.assertTrue(as_dict(some).items() <= everything.items())

    def test_threads_algorithms_devices(self):
        data = lode.Data(ROWS)
        for algorithm in (None, "auto", "frontier", "brute"):
            for threads in (0, 1, 3):
                found = data.itemsets(4, algorithm=algorithm, threads=threads, device="cpu")
                self.assertEqual(as_dict(found), EXPECTED)
        self.assertEqual(as_dict(data.itemsets(4, memory="64M")), EXPECTED)


class Rules(unittest.TestCase):
    def test_brute(self):
        data = lode.Data(NAMED)
        rules = data.rules(4, 0.6, max_rhs=None)
        expected = {}
        for both, n in EXPECTED_NAMED.items():
            for body in EXPECTED_NAMED:
                if set(body) < set(both) and 10 * n >= 6 * EXPECTED_NAMED[body]:
                    head = tuple(sorted(set(both) - set(body)))
                    expected[body, head] = (n, EXPECTED_NAMED[body], EXPECTED_NAMED[head])
        found = {(rule.body, rule.head): rule[2:5] for rule in rules}
        self.assertEqual(found, expected)
        self.assertEqual(len(found), len(rules))
        confidence = rules["confidence"]
        self.assertEqual(confidence.tolist(), [r.both / r.body_count for r in rules])
        self.assertTrue(np.allclose(rules["lift"], [
            r.both * rules.n / (r.body_count * r.head_count) for r in rules]))

    def test_options(self):
        data = lode.Data(NAMED)
        rules = data.rules(3, sort_by="lift", top=5)
        self.assertEqual(rules["lift"].tolist(), sorted(rules["lift"].tolist(), reverse=True))
        self.assertGreaterEqual(len(rules), 5)
        self.assertTrue((data.rules(3, minima={"lift": 1.5})["lift"] >= 1.5).all())
        self.assertEqual({head for rule in data.rules(3, rhs=["a", "b"]) for head in rule.head},
                         {"a", "b"})
        self.assertTrue(all("c" in rule.body for rule in data.rules(3, include_lhs="c")))
        self.assertTrue(all(len(rule.body) <= 1 for rule in data.rules(3, max_lhs=1)))
        held = data.rules(2, 0.1, holdout=0.3, seed=5)
        self.assertEqual(held["support"].max() <= 1, True)
        productive = data.rules(3, 0.1, productive=True, adjust="holm")
        self.assertEqual(len(productive.measure("improvement")), len(productive))

    def test_verify(self):
        data = lode.Data(NAMED)
        found = data.itemsets(2, verify=True)
        self.assertEqual(found.report["verified"], len(found))
        self.assertEqual(data.count(2, verify=True), len(found))
        self.assertEqual(len(data.rules(3, verify=True)), len(data.rules(3)))

    def test_selection(self):
        rules = lode.Data(NAMED).rules(3, 0.2, max_rhs=None)
        some = rules[rules["lift"] > 1.2]
        self.assertEqual(some["lift"].tolist(), rules["lift"][rules["lift"] > 1.2].tolist())
        self.assertEqual(list(some), [r for r, lift in zip(rules, rules["lift"]) if lift > 1.2])
        self.assertEqual(list(rules[2:9:3]), list(rules)[2:9:3])
        self.assertEqual(rules[-1], list(rules)[-1])
        self.assertEqual(list(rules.sort_by("lift"))[0], list(rules)[int(rules["lift"].argmax())])
        self.assertIn("rules of", repr(rules))


class Suggestions(unittest.TestCase):
    def test_answer(self):
        data = lode.Data(ROWS)
        suggestion = data.suggest(want=50)
        point = suggestion.answer
        if point.exact:
            self.assertEqual(data.count(point.min_count), point.patterns)
        self.assertIn("<- answer", repr(suggestion))
        with self.assertRaises(lode.InvalidError):
            data.suggest().answer
        targets = {p.target for p in data.suggest(target=["closed", "rules"]).points}
        self.assertEqual(targets, {"closed", "rules"})


if __name__ == "__main__":
    warnings.simplefilter("error")
    unittest.main()
