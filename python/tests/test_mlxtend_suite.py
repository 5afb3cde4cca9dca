"""mlxtend's own tests of frequent_patterns and TransactionEncoder, with lode.mlxtend in place, and
random frames through its functions and ours.

They run if LODE_MLXTEND names a checkout of github.com/rasbt/mlxtend; nothing of it is kept here.
Every test must pass but those of EXPLAINED, each with the documented difference that explains it;
one of these that passes all the same is an error, so that the list stays true.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import importlib
import math
import os
import re
import sys
import types
import unittest
import warnings

import numpy as np

from support import optional

if optional("pandas") is None or optional("scipy") is None:
    raise unittest.SkipTest("pandas and scipy are not installed")

import pandas as pd

from lode import mlxtend as ours

ROOT = os.environ.get("LODE_MLXTEND")
MINERS = ["apriori", "fpgrowth", "fpmax", "hmine"]
METRICS = ours.association_rules.__defaults__[-1]
FOLDERS = ["mlxtend/frequent_patterns/tests", "mlxtend/preprocessing/tests"]
FILES = [
    "test_apriori",
    "test_fpgrowth",
    "test_fpmax",
    "test_hmine",
    "test_association_rules",
    "test_transactionencoder",
]
# Test name: the heading of docs/mlxtend.md that explains why it fails.
EXPLAINED = {}
AT_LEAST = 110


def stand_in_pytest():
    """The one thing of pytest that mlxtend's tests use, for machines without it."""
    module = types.ModuleType("pytest")

    @contextlib.contextmanager
    def raises(error):
        try:
            yield
        except error:
            return
        raise AssertionError(f"{error.__name__} was expected")

    module.raises = raises
    return module


def stand_in_packaging():
    """The one class of packaging that mlxtend and its tests use, likewise."""
    module = types.ModuleType("packaging")
    module.version = types.ModuleType("packaging.version")

    class Version(tuple):
        def __new__(cls, text):
            return super().__new__(cls, map(int, re.findall(r"\d+", text)[:3]))

    module.version.Version = Version
    return {"packaging": module, "packaging.version": module.version}


def put_in_place():
    """Makes mlxtend's packages hand out our functions."""
    from mlxtend import frequent_patterns, preprocessing

    for name in ["apriori", "fpgrowth", "fpmax", "hmine", "association_rules"]:
        setattr(frequent_patterns, name, getattr(ours, name))
    preprocessing.TransactionEncoder = ours.TransactionEncoder


def tests_of(module):
    """Yields (name, function) of the test cases and the plain functions of a module."""
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            for case in unittest.defaultTestLoader.loadTestsFromTestCase(value):
                yield f"{module.__name__}.{name}.{case._testMethodName}", case.debug
        elif name.startswith("test_") and isinstance(value, types.FunctionType):
            yield f"{module.__name__}.{name}", value


def outcome_of(test):
    """None, or what a test has raised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            test()
    except Exception as error:  # A test may raise anything.
        return error
    return None


def random_frames(count):
    """Frames with a threshold and the largest size, of bool, numbers, sparse, and with NaN."""
    source = np.random.default_rng(22)
    for number in range(count):
        shape = (int(source.integers(1, 30)), int(source.integers(1, 5 if number % 4 == 3 else 8)))
        frame = pd.DataFrame(source.random(shape) < source.random())
        if number % 2:
            frame.columns = [f"c{i}" for i in range(shape[1])]
        if number % 4 == 1:
            frame = frame.astype(pd.SparseDtype(bool, False))
        elif number % 4 == 3:
            frame = frame.astype(float).mask(source.random(shape) < 0.1)
        yield frame, round(float(source.uniform(0.03, 1)), 2), [None, None, 1, 2, 3][number % 5]


def sorted_rows(frame):
    """The rows of a frame of sets in one order: (items, support)."""
    rows = zip(frame["itemsets"], frame["support"])
    return sorted((sorted(map(str, items)), support) for items, support in rows)


@unittest.skipUnless(ROOT, "LODE_MLXTEND is not set: expected a checkout of rasbt/mlxtend")
class Mlxtend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        sys.path[:0] = [ROOT] + [os.path.join(ROOT, folder) for folder in FOLDERS]
        if importlib.util.find_spec("pytest") is None:
            sys.modules["pytest"] = stand_in_pytest()
        if importlib.util.find_spec("packaging") is None:
            sys.modules.update(stand_in_packaging())
        importlib.import_module("mlxtend.frequent_patterns")  # It makes Python show all warnings.
        warnings.simplefilter("ignore")

    def theirs(self, name):
        """A function of mlxtend, whatever its package hands out."""
        return getattr(importlib.import_module(f"mlxtend.frequent_patterns.{name}"), name)

    def compare(self, name, frame, **keywords):
        """Both results; they must have the same rows, of apriori and hmine in the same order."""
        expected = self.theirs(name)(frame, **keywords)
        found = getattr(ours, name)(frame, **keywords)
        if name in ("apriori", "hmine"):
            self.assertEqual(found["itemsets"].tolist(), expected["itemsets"].tolist())
        self.assertEqual(sorted_rows(found), sorted_rows(expected))
        return expected

    def test_random_frames_give_the_same_sets_and_rules(self):
        compared = 0
        for frame, min_support, max_len in random_frames(60):
            if ours.least_count(min_support, len(frame)) != math.ceil(min_support * len(frame)):
                continue  # docs/mlxtend.md, difference 1
            how = dict(min_support=min_support, max_len=max_len)
            if frame.isna().any().any():
                how["null_values"] = True
            names = ["fpgrowth", "fpmax"] if "null_values" in how else MINERS
            sets = [self.compare(name, frame, **how) for name in names][0]
            metric = METRICS[compared % len(METRICS)]
            if len(sets) and len(frame) > 1:
                self.compare_rules(sets, len(frame), frame if "null_values" in how else None,
                                   "null_values" in how, metric, 0.3)
            compared += 1
        self.assertGreater(compared, 45)

    def test_the_first_difference_is_one(self):
        """docs/mlxtend.md: mlxtend takes 0.07 of 100 rows as 8 but in apriori."""
        row = np.arange(100)
        frame = pd.DataFrame({"a": row < 9, "b": (row < 7) | (row > 95), "c": row > 60})
        for name in MINERS:
            pair = [frozenset([0, 1]) in set(function(frame, min_support=0.07)["itemsets"])
                    for function in (self.theirs(name), getattr(ours, name))]
            self.assertEqual(pair, [name == "apriori", True])

    def compare_rules(self, sets, *arguments):
        """Rules are the same to the last digit, in the same order, and so is a KeyError."""
        try:
            expected = self.theirs("association_rules")(sets, *arguments)
        except KeyError as error:
            with self.assertRaises(KeyError) as caught:
                ours.association_rules(sets, *arguments)
            self.assertEqual(str(caught.exception)[-60:], str(error)[-60:])
            return
        found = ours.association_rules(sets, *arguments)
        pd.testing.assert_frame_equal(found, expected, check_exact=True, check_dtype=len(found) > 0)

    def test_their_tests_pass_with_ours(self):
        put_in_place()
        ran = {}
        for file in FILES:
            for name, test in tests_of(importlib.import_module(file)):
                ran[name] = outcome_of(test)
        failed = {name: error for name, error in ran.items() if error is not None}
        print(f"mlxtend's tests: {len(ran) - len(failed)} of {len(ran)} pass")
        for name in failed:
            print(f"  {name}: {EXPLAINED.get(name, 'NOT EXPLAINED')}: {failed[name]!r:.200}")
        self.assertEqual(set(failed), set(EXPLAINED))
        self.assertGreaterEqual(len(ran), AT_LEAST)


if __name__ == "__main__":
    unittest.main()
