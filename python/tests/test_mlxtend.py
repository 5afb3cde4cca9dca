"""lode.mlxtend against brute force: sets, supports, order, thresholds, NaN, rules, errors.

What mlxtend itself says about the same is in test_mlxtend_suite.py; here nothing of it is needed.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import gc
import io
import itertools
import math
import pathlib
import pickle
import random
import re
import resource
import runpy
import signal
import subprocess
import sys
import unittest
import warnings
from unittest import mock

import numpy as np

from support import optional

if optional("pandas") is None or optional("scipy") is None:
    raise unittest.SkipTest("pandas and scipy are not installed")

import pandas as pd
from scipy import sparse

from lode import _lode
from lode import mlxtend as ours

MINERS = [ours.apriori, ours.fpgrowth, ours.fpmax, ours.hmine]


def random_frame(seed, names):
    """A small frame of bool."""
    source = np.random.default_rng(seed)
    shape = (int(source.integers(1, 30)), int(source.integers(1, 8)))
    cells = source.random(shape) < source.random()
    return pd.DataFrame(cells, columns=[f"c{i}" for i in range(shape[1])] if names else None)


def brute_sets(cells, least):
    """[(count, columns)] by size and columns, by counting every set."""
    found = []
    for size in range(1, cells.shape[1] + 1):
        for columns in itertools.combinations(range(cells.shape[1]), size):
            count = int(cells[:, columns].all(axis=1).sum())
            if count >= least:
                found.append((count, columns))
    return found


def expected_rows(miner, cells, min_support, max_len):
    """[(support, columns)] in the order that the miner is to give."""
    rows = len(cells)
    least = next(count for count in range(1, rows + 2) if count / rows >= min_support)
    found = brute_sets(cells, least)
    if miner is ours.fpmax:
        found = [(count, one) for count, one in found
                 if not any(set(one) < set(other) for _, other in found)]
    if max_len:
        found = [(count, one) for count, one in found if len(one) <= max_len]
    if miner is ours.hmine:
        found.sort(key=lambda row: row[1])
    return [(count / rows, frozenset(one)) for count, one in found]


def rows_of(frame):
    return list(zip(frame["support"], frame["itemsets"]))


def quietly(function, *arguments, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **keywords)


class Miners(unittest.TestCase):
    def test_sets_supports_and_order_are_those_of_brute_force(self):
        for seed in range(60):
            frame = random_frame(seed, names=False)
            source = random.Random(seed)
            min_support = round(source.uniform(0.02, 1), 2)
            max_len = source.choice([None, 1, 2, 3])
            for miner in MINERS:
                with self.subTest(seed=seed, miner=miner.__name__):
                    found = miner(frame, min_support=min_support, max_len=max_len)
                    cells = frame.to_numpy()
                    self.assertEqual(rows_of(found),
                                     expected_rows(miner, cells, min_support, max_len))

    def test_every_kind_of_frame_gives_the_same(self):
        cells = np.random.default_rng(3).random((20, 5)) < 0.5
        frame = pd.DataFrame(cells, columns=[f"c{i}" for i in range(5)])
        kinds = [frame.astype(int), frame.astype(np.int8), frame.astype(float),
                 frame.astype(object), frame.astype("boolean"),
                 frame.astype(pd.SparseDtype(bool, False)), frame.astype(pd.SparseDtype(int, 0)),
                 frame.assign(c0=frame["c0"].astype(int)),
                 pd.DataFrame({name: pd.arrays.SparseArray(frame[name].to_numpy(), kind="block")
                               for name in frame.columns})]
        for miner in MINERS:
            expected = miner(frame, min_support=0.2, use_colnames=True)
            self.assertGreater(len(expected), 5)
            for kind in kinds:
                found = quietly(miner, kind, min_support=0.2, use_colnames=True)
                pd.testing.assert_frame_equal(found, expected)

    def test_zeros_that_a_sparse_frame_stores_do_not_count(self):
        stored = sparse.csr_matrix(np.ones((4, 3), dtype=int))
        stored[1, :] = 0
        frame = pd.DataFrame.sparse.from_spmatrix(stored, columns=list("abc"))
        found = quietly(ours.apriori, frame, min_support=0.5, max_len=1)
        self.assertEqual(found["support"].tolist(), [0.75] * 3)

    def test_types_of_the_result(self):
        frame = random_frame(5, names=True)
        for miner in MINERS:
            for min_support in (0.1, 1.0):
                found = miner(frame, min_support=min_support)
                self.assertEqual(found.columns.tolist(), ["support", "itemsets"])
                self.assertEqual([str(kind) for kind in found.dtypes], ["float64", "object"])
                self.assertTrue(all(type(one) is frozenset for one in found["itemsets"]))
                self.assertTrue(all(type(i) is int for one in found["itemsets"] for i in one))
            names = set().union(*miner(frame, 0.01, use_colnames=True)["itemsets"])
            self.assertLessEqual(names, set(frame.columns))

    def test_empty_frames_have_no_sets(self):
        for frame in (pd.DataFrame([[]]), pd.DataFrame(columns=["a"], dtype=bool),
                      pd.DataFrame(np.zeros((3, 2), dtype=bool))):
            for miner in MINERS:
                found = miner(frame)
                self.assertEqual((len(found), list(found.columns)), (0, ["support", "itemsets"]))

    def test_odd_limits_of_the_size(self):
        frame = pd.DataFrame(np.ones((3, 2), dtype=bool))
        single, every = [{0}, {1}], [{0}, {1}, {0, 1}]
        for miner, expected in ((ours.apriori, {0: every, -1: single, 5: every}),
                                (ours.fpgrowth, {0: every, -1: [], 5: every}),
                                (ours.fpmax, {0: [], -1: [], 1: [], 5: [{0, 1}]}),
                                (ours.hmine, {-1: single, 1: single})):
            for max_len, sets in expected.items():
                found = miner(frame, max_len=max_len)["itemsets"].tolist()
                self.assertEqual(found, sets, (miner, max_len))

    def test_the_result_belongs_to_the_caller(self):
        found = ours.apriori(random_frame(3, names=True), min_support=0.2, use_colnames=True)
        found.loc[0, "support"] = 7.0
        self.assertEqual(found.loc[0, "support"], 7.0)
        again = pickle.loads(pickle.dumps(found))
        pd.testing.assert_frame_equal(again, found)


    def test_frozensets_that_do_not_fit(self):
        frame = pd.DataFrame([[True] * 12] * 2)
        with mock.patch.object(_lode, "memory_budget", lambda: 100_000):
            with self.assertRaisesRegex(MemoryError, r"4,095 frozensets take about .* min_support"):
                ours.apriori(frame)
            self.assertEqual(len(ours.apriori(frame, max_len=1)), 12)


class Interrupts(unittest.TestCase):
    """Ctrl-C ends what is done in C, not only what follows it: not all of the work is done then."""

    def interrupted(self, work):
        handler = signal.signal(signal.SIGALRM, signal.default_int_handler)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            with self.assertRaises(KeyboardInterrupt):
                work()
                while True:  # the signal may come late, but it comes
                    pass
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)

    def test_sets(self):
        sets = [frozenset(some) for some in itertools.combinations(range(60), 4)]
        index = _lode.SetIndex(np.generic)
        self.interrupted(lambda: index.extend(sets, np.empty(len(sets), np.int32)))
        self.assertLess(len(index.sets), len(sets))

    def test_rules(self):
        index = _lode.SetIndex(np.generic)
        index.extend([frozenset(range(24))], np.empty(1, np.int32))
        numbers = [np.zeros(index.needed(0), np.int32) for _ in range(3)]
        self.interrupted(lambda: index.rules(0, 1, *numbers))
        self.assertEqual(numbers[1][-1], 0)  # -1: it is missing

    def test_subsets(self):
        index = _lode.SetIndex(np.generic)
        index.extend([frozenset(range(20))], np.empty(1, np.int32))
        self.interrupted(lambda: index.complete(1))
        self.assertLess(len(index.sets), 2**20 - 2)

    def test_frozensets(self):
        n = 500000
        out = np.empty(n, object)
        order = np.zeros(n, np.int64)
        self.interrupted(lambda: _lode.fill_frozensets(
            out, np.array([0, 3]), np.arange(3, dtype=np.int32), order, ["a", "b", "c"]))
        self.assertIsNone(out[-1])


class Hostile(unittest.TestCase):
    def test_a_list_that_shrinks(self):
        """Items may run code of their own while they are numbered."""
        column = []

        class Item:
            def __hash__(self):
                column.clear()
                return 7

        column += [frozenset(["a"]), [Item()], ["b"], ["c"]]
        index = _lode.SetIndex(np.generic)
        with self.assertRaises(IndexError):
            index.extend(column, np.empty(4, np.int32))


class Thresholds(unittest.TestCase):
    def test_a_count_at_the_threshold_is_in(self):
        for rows in (3, 7, 10, 49, 100, 1000):
            frame = pd.DataFrame({"a": np.arange(rows) >= 0, "b": np.arange(rows) < rows})
            for count in range(1, rows + 1, max(1, rows // 50)):
                frame["b"] = np.arange(rows) < count
                for miner in (ours.apriori, ours.fpgrowth, ours.hmine):
                    sets = set(miner(frame, min_support=count / rows)["itemsets"])
                    self.assertIn(frozenset([0, 1]), sets, (rows, count))
                    if count < rows:
                        above = miner(frame, min_support=math.nextafter(count / rows, 2))
                        self.assertNotIn(frozenset([0, 1]), set(above["itemsets"]))

    def test_a_typed_share_is_taken_by_its_digits(self):
        # In doubles, 0.07 * 100 is above 7 and 0.29 * 100 below 29.
        for text, rows, least in (("0.07", 100, 7), ("0.29", 100, 29), ("0.0701", 100, 8),
                                  ("0.1", 30, 3), ("0.3", 10, 3)):
            self.assertEqual(ours.least_count(float(text), rows), least, text)

    def test_outside_of_0_and_1_is_an_error(self):
        frame = random_frame(3, names=True)
        for miner in MINERS:
            for wrong, text in ((0.0, "0.0"), (-0.1, "-0.1"), (2, "2"), (1.01, "1.01"),
                                (math.nan, "nan")):
                with self.assertRaises(ValueError) as caught:
                    miner(frame, min_support=wrong)
                self.assertEqual(str(caught.exception), "`min_support` must be a positive number "
                                 f"within the interval `(0, 1]`. Got {text}.")
            self.assertEqual(len(miner(pd.DataFrame([[True]]), min_support=1)), 1)


class Input(unittest.TestCase):
    def error(self, frame, kind=ValueError, **keywords):
        texts = set()
        for miner in MINERS:
            if "null_values" in keywords and miner not in (ours.fpgrowth, ours.fpmax):
                continue
            with self.assertRaises(kind) as caught:
                quietly(miner, frame, **keywords)
            texts.add(str(caught.exception))
        self.assertEqual(len(texts), 1)
        return texts.pop()

    def test_wrong_values(self):
        self.assertEqual(self.error(pd.DataFrame([[0, 2]])), "The allowed values for a DataFrame "
                         "are True, False, 0, 1. Found value 2")
        self.assertIn("Found value -1", self.error(pd.DataFrame([[0, -1]])))
        self.assertIn("Found value 0.5", self.error(pd.DataFrame([[0.5, 1]])))
        self.assertIn("Found value x", self.error(pd.DataFrame([["x", 1]])))
        wrong = pd.DataFrame([[0, 3]]).astype(pd.SparseDtype(int, 0))
        self.assertIn("Found value 3", self.error(wrong))
        self.assertIn("NaN. Found value 2.0",
                      self.error(pd.DataFrame([[np.nan, 2]]), null_values=True))

    def test_nan(self):
        text = "NaN values are not permitted in the DataFrame when null_values=False."
        self.assertEqual(self.error(pd.DataFrame([[np.nan, 1]])), text)
        self.assertEqual(self.error(pd.DataFrame([[True, None]])), text)
        maybe = pd.DataFrame({"a": pd.array([True, None], dtype="boolean")})
        self.assertEqual(self.error(maybe), text)

    def test_what_is_no_frame(self):
        for wrong in ([[1, 0]], np.ones((2, 2)), "text", {"a": [1]}):
            text = self.error(wrong, kind=TypeError)
            self.assertIn("expected a one-hot pandas DataFrame, not", text)

    def test_sparse_frames_that_pandas_cannot_turn(self):
        frame = pd.DataFrame([[1, 0]], columns=[1, 2]).astype(pd.SparseDtype(int, 0))
        self.assertIn("start with `0` or cast them as string", self.error(frame))
        full = pd.DataFrame([[True, False]]).astype(pd.SparseDtype(bool, True))
        self.assertIn("fill value must be 0", self.error(full))

    def test_warnings_point_to_the_caller(self):
        frame = pd.DataFrame([[0, 1], [1, 1]])
        calls = [lambda miner=miner: miner(frame) for miner in MINERS]
        sets = quietly(ours.apriori, frame)
        calls.append(lambda: ours.association_rules(sets, 2, frame))
        for call in calls:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call()
            self.assertEqual([one.category for one in caught], [DeprecationWarning])
            self.assertIn("non-bool types", str(caught[0].message))
            self.assertEqual(caught[0].filename, __file__)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ours.fpgrowth(frame, null_values=True)
        self.assertIn("null_values=True is inefficient", str(caught[-1].message))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ours.apriori(frame.astype(bool))


class Null(unittest.TestCase):
    def test_support_is_the_share_of_the_rows_without_nan(self):
        for seed in range(25):
            source = np.random.default_rng(seed)
            cells = (source.random((14, 5)) < 0.6).astype(float)
            cells[source.random(cells.shape) < 0.2] = np.nan
            frame = pd.DataFrame(cells)
            found = quietly(ours.fpgrowth, frame, min_support=0.4, null_values=True)
            supports = dict(zip(found["itemsets"], found["support"]))
            for size in range(1, 6):
                for columns in itertools.combinations(range(5), size):
                    some = cells[:, columns]
                    known = ~np.isnan(some).any(axis=1)
                    ones = (some == 1).all(axis=1).sum()
                    share = ones / known.sum() if known.any() else 0.0
                    here = frozenset(columns)
                    if here in supports:
                        self.assertEqual(supports[here], share)
                        self.assertGreaterEqual(share, 0.4)
                    else:  # Left out: too rare, or a subset is.
                        rare = [one for one in itertools.chain.from_iterable(
                            itertools.combinations(columns, r) for r in range(1, size))
                            if frozenset(one) not in supports]
                        present = (np.isnan(some) | (some == 1)).all(axis=1).sum()
                        self.assertTrue(share < 0.4 or present < 0.4 * 14 or rare)
            largest = quietly(ours.fpmax, frame, min_support=0.4, null_values=True)
            self.assertLessEqual(set(largest["itemsets"]), set(found["itemsets"]))


    def test_rules_count_the_rows_without_nan(self):
        compared = 0
        for seed in range(20):
            source = np.random.default_rng(seed)
            cells = (source.random((16, 4)) < 0.75).astype(float)
            cells[source.random(cells.shape) < 0.15] = np.nan
            frame = pd.DataFrame(cells, columns=list("abcd"))
            sets = quietly(ours.fpgrowth, frame, 0.2, null_values=True, use_colnames=True)
            try:
                rules = quietly(ours.association_rules, sets, 16, frame, True, "confidence", 0.1)
            except KeyError:
                continue  # A side is too rare by itself: supports with NaN need not grow.
            for _, rule in rules.iterrows():
                left = frame[list(rule["antecedents"])].to_numpy()
                right = frame[list(rule["consequents"])].to_numpy()
                both = np.hstack([left, right])
                known = ~np.isnan(both).any(axis=1)
                has = (both == 1).all(axis=1).sum()
                # Confidence: of the rows that have the left side and know the right one.
                left_known = ((left == 1).all(axis=1) & ~np.isnan(right).any(axis=1)).sum()
                right_known = ((right == 1).all(axis=1) & ~np.isnan(left).any(axis=1)).sum()
                self.assertAlmostEqual(rule["support"], has / known.sum())
                self.assertAlmostEqual(rule["confidence"], has / left_known)
                self.assertAlmostEqual(rule["kulczynski"],
                                       (has / left_known + has / right_known) / 2)
                self.assertAlmostEqual(rule["representativity"], known.sum() / 16)
                compared += 1
        self.assertGreater(compared, 100)


def brute_rules(frame, rows, metric, min_threshold):
    """[(antecedent, consequent, measures)] in mlxtend's order, rule by rule."""
    # mlxtend copies each set item by item, which may change the order in which it yields them.
    supports = {frozenset(item for item in one): share for share, one in rows_of(frame)}
    found = []
    for whole, both in supports.items():
        for size in range(len(whole) - 1, 0, -1):
            for left in itertools.combinations(whole, size):
                left = frozenset(left)
                right = whole - left
                a, c = supports[left], supports[right]
                confidence = both * rows / (a * rows)
                leverage = both - a * c
                zhang = max(both * (1 - a), a * (c - both))
                measures = {
                    "antecedent support": a, "consequent support": c, "support": both,
                    "confidence": confidence, "lift": confidence / c, "representativity": 1.0,
                    "leverage": leverage,
                    "conviction": (1 - c) / (1 - confidence) if confidence < 1 else math.inf,
                    "zhangs_metric": leverage / zhang if zhang else 0.0,
                    "jaccard": both / (a + c - both),
                    "certainty": (confidence - c) / (1 - c) if c != 1 else 0.0,
                    "kulczynski": (confidence + both * rows / (c * rows)) / 2}
                if measures[metric] >= min_threshold:
                    found.append((left, right, measures))
    return found


class Rules(unittest.TestCase):
    METRICS = ours.association_rules.__defaults__[-1]

    def test_measures_and_order_are_those_of_brute_force(self):
        for seed in range(12):
            frame = random_frame(seed, names=seed % 2 == 1)
            sets = ours.fpgrowth(frame, min_support=0.15, use_colnames=seed % 2 == 1)
            for metric in self.METRICS:
                if not len(sets):
                    continue
                found = ours.association_rules(sets, len(frame), metric=metric, min_threshold=0.4)
                expected = brute_rules(sets, len(frame), metric, 0.4)
                self.assertEqual(list(found.columns), ["antecedents", "consequents", *self.METRICS])
                self.assertEqual(list(zip(found["antecedents"], found["consequents"])),
                                 [rule[:2] for rule in expected])
                for name in self.METRICS:
                    self.assertEqual(found[name].tolist(), [rule[2][name] for rule in expected])

    def test_chunks_do_not_show(self):
        from lode import _rules_frame

        frame = pd.DataFrame(np.random.default_rng(1).random((30, 8)) < 0.7)
        sets = ours.apriori(frame, min_support=0.1)
        expected = ours.association_rules(sets, 30, min_threshold=0.5)
        self.assertGreater(len(expected), 100)
        chunk = _rules_frame.CHUNK
        try:
            for size in (1, 7, 100):
                _rules_frame.CHUNK = size
                pd.testing.assert_frame_equal(
                    ours.association_rules(sets, 30, min_threshold=0.5), expected)
        finally:
            _rules_frame.CHUNK = chunk

    def test_any_collection_and_numpy_numbers_are_itemsets(self):
        expected = ours.association_rules(
            pd.DataFrame({"support": [0.5, 0.6, 0.4],
                          "itemsets": [frozenset([1]), frozenset([2]), frozenset([1, 2])]}),
            min_threshold=0.1)
        for kind in (list, tuple, set, np.array, lambda items: frozenset(map(np.int32, items))):
            sets = pd.DataFrame({"support": [0.5, 0.6, 0.4],
                                 "itemsets": [kind([1]), kind([2]), kind([1, 2])]})
            found = ours.association_rules(sets, min_threshold=0.1)
            pd.testing.assert_frame_equal(found, expected)
            self.assertTrue(all(type(i) is int for one in found["antecedents"] for i in one))

    def test_the_last_of_two_equal_sets_counts(self):
        sets = pd.DataFrame({"support": [0.9, 0.6, 0.4, 0.5],
                             "itemsets": [[1], [2], [1, 2], [1]]})
        found = ours.association_rules(sets, min_threshold=0.0)
        self.assertEqual(found["antecedent support"].tolist(), [0.5, 0.6])

    def test_missing_subsets(self):
        frame = pd.DataFrame(np.random.default_rng(2).random((40, 6)) < 0.7, columns=list("abcdef"))
        sets = ours.apriori(frame, min_support=0.2, use_colnames=True)
        large = sets[sets["itemsets"].map(len) > 1].reset_index(drop=True)
        with self.assertRaises(KeyError) as caught:
            ours.association_rules(large, 40)
        self.assertRegex(caught.exception.args[0], r"^frozenset\({'.'}\)You are likely getting")
        expected = ours.association_rules(sets, 40)
        for original in (frame, frame.astype(pd.SparseDtype(bool, False))):
            found = ours.association_rules(large, 40, original)
            pd.testing.assert_frame_equal(found, expected)
        positions = large.assign(itemsets=large["itemsets"].map(
            lambda one: frozenset("abcdef".index(item) for item in one)))
        found = ours.association_rules(positions, 40, frame)
        self.assertEqual(sorted(found["confidence"]), sorted(expected["confidence"]))
        numbered = frame.rename(columns=dict(zip("abcdef", [3, 4, 5, 0, 1, 2])))
        for names in (False, True):  # Integers are names or positions: the supports tell.
            sets = ours.apriori(numbered, min_support=0.2, use_colnames=names)
            large = sets[sets["itemsets"].map(len) > 1]
            pd.testing.assert_frame_equal(ours.association_rules(large, 40, numbered),
                                          ours.association_rules(sets, 40))
        with self.assertRaisesRegex(ValueError, "df_orig: the supports of df do not match"):
            ours.association_rules(large, 40, ~numbered)
        maximal = ours.fpmax(frame, min_support=0.2, use_colnames=True)
        self.assertGreater(len(ours.association_rules(maximal, 40, frame)), 0)

    def test_support_only(self):
        sets = pd.DataFrame({"support": [0.5, 0.2], "itemsets": [["a", "b"], ["a", "b", "c"]]})
        found = ours.association_rules(sets, support_only=True, min_threshold=0.1)
        self.assertEqual(found["support"].tolist(), [0.5] * 2 + [0.2] * 6)
        self.assertTrue(found["confidence"].isna().all())
        self.assertEqual(found["antecedents"][2] | found["consequents"][2], frozenset("abc"))
        few = ours.association_rules(sets, support_only=True, min_threshold=0.1,
                                     return_metrics=["lift"])
        self.assertEqual(list(few.columns), ["antecedents", "consequents", "lift", "support"])

    def test_wrong_arguments(self):
        sets = ours.apriori(pd.DataFrame([[True, True], [True, False]]), min_support=0.1)
        self.assertEqual(len(ours.association_rules(sets, min_threshold=2)), 0)
        for error, call in (
                (ValueError, lambda: ours.association_rules(sets[:0])),
                (ValueError, lambda: ours.association_rules(sets[["support"]])),
                (ValueError, lambda: ours.association_rules(sets, metric="unicorn")),
                (KeyError, lambda: ours.association_rules(sets, min_threshold=0,
                                                          return_metrics=["unicorn"])),
                (TypeError, lambda: ours.association_rules(sets, null_values=True)),
                (TypeError, lambda: ours.association_rules(sets, 1, pd.DataFrame([[1]]), True)),
                (TypeError, lambda: ours.association_rules(sets.assign(itemsets=7)))):
            with self.assertRaises(error):
                call()
        giant = pd.DataFrame({"support": [1.0], "itemsets": [list(range(31))]})
        with self.assertRaisesRegex(OverflowError, "an itemset of 31 items has 2.31 rules"):
            ours.association_rules(giant)


class Encoder(unittest.TestCase):
    ROWS = [["b", "a"], ["a", "a"], [], ["c", "b"]]
    CELLS = [[1, 1, 0], [1, 0, 0], [0, 0, 0], [0, 1, 1]]

    def test_there_and_back(self):
        encoder = ours.TransactionEncoder()
        cells = encoder.fit_transform(self.ROWS)
        self.assertEqual((cells.dtype, cells.tolist()), (bool, np.array(self.CELLS, bool).tolist()))
        packed = encoder.transform(self.ROWS, sparse=True)
        self.assertEqual((packed.dtype, packed.toarray().tolist()), (bool, cells.tolist()))
        self.assertTrue((packed.data == True).all())  # noqa: E712
        back = [["a", "b"], ["a"], [], ["b", "c"]]
        self.assertEqual(encoder.inverse_transform(cells), back)
        self.assertEqual(encoder.inverse_transform(packed), back)

    def test_the_sparse_matrix_has_all_columns(self):
        encoder = ours.TransactionEncoder().fit(self.ROWS)
        self.assertEqual(encoder.transform([["a"]], sparse=True).shape, (1, 3))

    def test_an_item_that_fit_has_not_seen_is_an_error(self):
        encoder = ours.TransactionEncoder().fit(self.ROWS)
        for packed in (False, True):
            with self.assertRaises(KeyError):
                encoder.transform([["z"]], sparse=packed)

    def test_frames_if_asked_for(self):
        encoder = ours.TransactionEncoder().set_output(transform="pandas")
        self.assertEqual(list(encoder.fit_transform(self.ROWS).columns), ["a", "b", "c"])
        with self.assertRaises(ValueError):
            encoder.set_output(transform="polars")


    def test_without_scikit_learn(self):
        program = (
            "import sys; sys.modules['sklearn'] = None\n"
            "from lode.mlxtend import TransactionEncoder, apriori\n"
            "encoder = TransactionEncoder()\n"
            "assert not hasattr(encoder, 'columns_')\n"
            "try:\n    encoder.get_feature_names_out()\n"
            "except AttributeError as error:\n    assert 'call fit() first' in str(error)\n"
            "frame = encoder.set_output(transform='pandas').fit_transform([['a'], ['b', 'a']])\n"
            "print(len(apriori(frame)), encoder.get_feature_names_out().tolist())\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.stderr), ("3 ['a', 'b']\n", ""))


class Documents(unittest.TestCase):
    ROOT = pathlib.Path(__file__).resolve().parents[2]

    def test_the_notebook_runs(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(self.ROOT / "python" / "notebooks" / "from_mlxtend.py"))
        self.assertRegex(out.getvalue(), r"[\d,]+ rules with df_orig")

    def test_the_differences_are_numbered(self):
        text = (self.ROOT / "docs" / "mlxtend.md").read_text(encoding="utf-8")
        numbers = [int(number) for number in re.findall(r"^(\d+)\. ", text, re.M)]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))


class Module(unittest.TestCase):
    """The loops in C, by themselves."""

    OFFSETS = np.array([0, 1, 2, 4], dtype=np.int64)
    ITEMS = np.array([1, 0, 0, 1], dtype=np.int32)

    def fill(self, order, labels, items=ITEMS, offsets=OFFSETS):
        out = np.empty(len(order), dtype=object)
        _lode.fill_frozensets(out, offsets, items, np.array(order, dtype=np.int64), labels)
        return out.tolist()

    def test_frozensets(self):
        self.assertEqual(self.fill([2, 0], ["x", "y"]), [frozenset("xy"), frozenset("y")])
        self.assertFalse(any(map(gc.is_tracked, self.fill([2, 0], ["x", "y"]))))
        self.assertTrue(all(map(gc.is_tracked, self.fill([2, 0], [("x",), [].append]))))
        for wrong in (dict(order=[3]), dict(order=[-1]),
                      dict(order=[0], items=np.array([7, 0, 0, 1], dtype=np.int32)),
                      dict(order=[0], offsets=np.array([0, 2, 1, 4], dtype=np.int64)),
                      dict(order=[0], offsets=np.array([0, 9], dtype=np.int64))):
            with self.assertRaises((IndexError, ValueError)):
                self.fill(labels=["x", "y"], **wrong)
        with self.assertRaises(TypeError):
            self.fill([0], [[], []])

    def test_nothing_leaks(self):
        frame = random_frame(3, names=True)

        def work():
            sets = ours.apriori(frame, min_support=0.1, use_colnames=True)
            ours.association_rules(sets, len(frame), min_threshold=0.1)
            with self.assertRaises(IndexError):
                self.fill([3], ["x", "y"])

        for _ in range(50):
            work()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(300):
            work()
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        self.assertLess(grown, 8 * 1024)


if __name__ == "__main__":
    unittest.main()
