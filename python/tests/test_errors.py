"""Wrong input of every kind: an exception that says what was expected, and where.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np

import lode
from support import SANITIZED, needs, optional

pandas = optional("pandas")
sparse = optional("scipy.sparse")


class Case(unittest.TestCase):
    def refused(self, pattern, make, *args, error=lode.InvalidError, **keywords):
        with self.assertRaisesRegex(error, pattern) as caught:
            make(*args, **keywords)
        self.assertIsInstance(caught.exception, lode.Error)
        return caught.exception


class Lists(Case):
    def test_items(self):
        nan = float("nan")
        for wrong, pattern in (
                ([[1, 2], [nan]], "transaction 1: nan is not an item; expected integers"),
                ([["a"], [None]], "transaction 1: None is not an item"),
                ([["a", nan]], "nan is not an item"),
                ([[1.5, 2]], "the item 2, but earlier items are other objects"),
                ([[True]], "True is not an item"),
                ([[1], [2, -3]], "transaction 1: the item -3 is negative; expected integers from 0"),
                ([[-10**30]], "negative"),
                ([["a"], [1]], "transaction 1 has the item 1, but earlier items are strings"),
                ([[1], ["a"]], "the item 'a', but earlier items are integers"),
                ([[1], [(1, 2)]], "earlier items are integers"),
                ([[["a"]]], "unhashable")):
            self.refused(pattern, lode.Data, wrong)

    def test_transactions(self):
        for wrong, pattern in (
                (["milk", "bread"], "transaction 0 is 'milk'; expected a list, set or other"),
                ([[1], 2], "transaction 1 is 2; expected a list"),
                ([b"ab"], "transaction 0 is b'ab'"),
                ([None], "transaction 0 is None"),
                (5, "cannot make data of 5; expected a path, a list of lists"),
                (None, "cannot make data of None"),
                (object(), "cannot make data of")):
            self.refused(pattern, lode.Data, wrong)

    def test_errors_of_iterators_go_on(self):
        def broken():
            yield [1]
            raise KeyError("mine")
        with self.assertRaises(KeyError):
            lode.Data(broken())

    def test_arguments(self):
        self.refused("tid and item: expected a table", lode.Data, [[1]], tid="a", item="b")
        self.refused("names: ", lode.Data, [[1]], names=["a"])
        with self.assertRaisesRegex(TypeError, "format: only for files"):
            lode.Data([[1]], format="basket")
        self.refused("2 names; expected 3", lode.Data, np.ones((2, 3), bool), names=["a", "b"])
        for weights, pattern in (([1], r"expected 2, one for each"), ([1, 0], "a weight of 0"),
                                 ([1, -4], "a weight of -4"), ([1, 2.5], "not whole numbers"),
                                 ([1, float("nan")], "not whole numbers"), (["a", "b"], "not whole"),
                                 ([1, 2**32], "a weight of 4294967296")):
            self.refused(pattern, lode.Data, [[1], [2]], weights=weights)
        self.refused("memory='lots'", lode.Data, [[1]], memory="lots")
        self.refused("threads=-2", lode.Data, [[1]], threads=-2)
        self.refused("progress=5", lode.Data, [[1]], progress=5)


class Matrices(Case):
    def test_cells(self):
        self.refused("row 1, column 0 is -1", lode.Data, np.array([[1, 0], [-1, 1]]))
        self.refused("row 0, column 1 is nan", lode.Data, np.array([[1, np.nan]]))
        self.refused("row 0, column 'b' is nan", lode.Data, np.array([[1, np.nan]]),
                     names=["a", "b"])
        self.refused("a matrix of .U1; expected bool", lode.Data, np.array([["a"]]))
        self.refused("1 dimensions; expected 2", lode.Data, np.array([1, 0]))
        self.refused("3 dimensions", lode.Data, np.zeros((2, 2, 2), bool))
        self.refused("complex", lode.Data, np.zeros((2, 2), complex))

    @needs("scipy")
    def test_sparse(self):
        self.refused("the value -1", lode.Data, sparse.csr_matrix([[1, -1]]))
        self.refused("the value nan", lode.Data, sparse.csr_matrix([[1, np.nan]]))
        self.refused("complex", lode.Data, sparse.csr_matrix([[1j]]))

    def test_ragged(self):
        self.refused("transaction 0 is 1", lode.Data, np.array([1, [2, 3]], dtype=object))


@needs("pandas")
class Frames(Case):
    def test_onehot(self):
        frame = pandas.DataFrame({"a": [True, False], "b": ["x", "y"]})
        self.refused("column 'b' has the type object; expected bool.*give tid= and item=",
                     lode.Data, frame)
        self.refused("row 1, column 'a' is nan", lode.Data, pandas.DataFrame({"a": [1, np.nan]}))
        self.refused("row 0, column 'a' is -2", lode.Data, pandas.DataFrame({"a": [-2, 1]}))
        missing = pandas.DataFrame({"a": pandas.array([True, None], "boolean")})
        self.refused("missing values", lode.Data, missing)
        self.refused("datetime", lode.Data, pandas.DataFrame(
            {"a": pandas.to_datetime(["2020-01-01"])}))
        negative = pandas.DataFrame({"a": [True, False], "b": [-2, 1]})
        self.refused("row 0, column 'b' is -2", lode.Data, negative)

    @needs("scipy")
    def test_sparse_fill(self):
        frame = pandas.DataFrame({"a": [1, 0]}).astype(pandas.SparseDtype(int, 1))
        self.refused("fill value", lode.Data, frame)

    def test_long(self):
        frame = pandas.DataFrame({"t": [1, 1, 2], "i": ["a", None, "b"], "m": ["a", 1, 2]})
        self.refused("item='x': there is no such column; expected one of 't', 'i', 'm'",
                     lode.Data, frame, tid="t", item="x")
        self.refused("expected both", lode.Data, frame, tid="t")
        self.refused("column 'i': row 1 has no value", lode.Data, frame, tid="t", item="i")
        self.refused("column 'm' has numbers and strings", lode.Data, frame, tid="t", item="m")
        self.refused("column 'i': row 1 has no value", lode.Data, frame, tid="i", item="t")
        negative = pandas.DataFrame({"t": [1, 1], "i": [3, -3]})
        self.refused("the item -3 is negative", lode.Data, negative, tid="t", item="i")
        floats = pandas.DataFrame({"t": [1, 1], "i": [3.5, np.nan]})
        self.refused("column 'i': row 1 has no value", lode.Data, floats, tid="t", item="i")
        missing = pandas.DataFrame({"t": [1, 1], "i": pandas.array([3, None], "Int64")})
        self.refused("column 'i': row 1 has no value", lode.Data, missing, tid="t", item="i")
        twice = pandas.DataFrame([[1, 1, "a"]], columns=["t", "t", "i"])
        self.refused("several columns", lode.Data, twice, tid="t", item="i")
        self.refused("no such column", lode.Data, frame, tid=["x"], item="i")
        weights = pandas.DataFrame({"t": [1, 1], "i": ["a", "b"], "w": [1, 2]})
        self.refused("column 'w': row 0 differs", lode.Data, weights, tid="t", item="i",
                     weights="w")


class Files(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "in.csv")

    def write(self, content):
        self.path.write_bytes(content)
        return self.path

    def test_missing(self):
        error = self.refused("nowhere", lode.Data, "/nowhere/at all", error=FileNotFoundError)
        self.assertIsInstance(error, lode.NotFoundError)

    def test_parse(self):
        path = self.write(b"tid,item\n1,a\n2\n")
        error = self.refused("in.csv", lode.Data, path, format="table", error=lode.ParseError)
        self.assertEqual((error.file, error.line), (str(path), 3))
        path = self.write(b"1 2\n1 x3\n")
        error = self.refused(":2:3: ", lode.Data, path, format="fimi", error=lode.ParseError)
        self.assertEqual((error.file, error.line, error.column), (str(path), 2, 3))
        self.assertIsInstance(error, ValueError)

    def test_utf8(self):
        path = self.write(b"caf\xe9,milk\nmilk,tea\n")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lode.LodeWarning)
            self.refused("not UTF-8; expected UTF-8", lode.Data, path, format="basket",
                         separator=",")

    def test_options(self):
        path = self.write(b"a,b\n")
        self.refused("format|expected one of", lode.Data, path, format="xml")
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'no_such'"):
            lode.Data(path, no_such=1)
        self.refused("expected the name or number of a column", lode.Data, path, tid=1.5)
        self.refused("weights=", lode.Data, path, weights=[1])
        self.refused("only for the columns of a matrix", lode.Data, path, names=["a"])

    def test_warnings(self):
        path = self.write(b"id,a\n1,x\n1,y\n2,x\n")  # a header, or a basket?
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            lode.Data(path)
        self.assertEqual(len(caught), 1)
        for one in caught:
            self.assertTrue(issubclass(one.category, lode.LodeWarning))
            self.assertEqual(one.filename, __file__)


class Searches(Case):
    def setUp(self):
        self.data = lode.Data([["a", "b"], ["a"]])

    def test_supports(self):
        for wrong in (0, -1, 0.0, -0.5, 1.5, 5.0, float("nan"), float("inf"), True, None, [1], "x",
                      "200%", "0%", 1j):
            self.refused("expected|above zero|required|can never|minimum support|min-support",
                         self.data.itemsets, wrong)
            self.refused("expected|above zero|required|can never|minimum support|min-support",
                         self.data.rules, wrong)

    def test_options(self):
        self.refused("expected all, closed", self.data.itemsets, 1, "biggest")
        self.refused("expected one of", self.data.itemsets, 1, algorithm="magic")
        self.refused("top", self.data.itemsets, 1, "top:0")
        for option in ("max_size", "limit_patterns"):
            self.refused("whole number from 1", self.data.itemsets, 1, **{option: 0})
        self.refused("no measure 'x'", self.data.rules, 1, measures=["x"])
        for confidence in (-0.5, 1.5, True, float("nan"), [1]):
            self.refused("min_confidence=.*from 0 to 1", self.data.rules, 1, confidence)
        self.refused("max_size=-1", self.data.itemsets, 1, max_size=-1)
        self.refused("no item 'z'", self.data.itemsets, 1, include="z")
        self.refused("no item matches 'z\\*'", self.data.itemsets, 1, exclude="z*")
        self.refused("device", self.data.itemsets, 1, device="abacus",
                     error=(lode.InvalidError, lode.UnsupportedError, lode.DeviceError))
        self.refused("no measure", self.data.rules(1, 0.1).measure, "beauty")
        self.refused("beauty", self.data.rules, 1, minima={"beauty": 1})
        self.refused("expected a number", lode.Data([[1]]).itemsets, 1, include="x")

    def test_budget(self):
        data = lode.Data([list(range(18))] * 2)
        error = self.refused("memory|budget", data.itemsets, 1, memory="1M", error=MemoryError)
        self.assertIsInstance(error, lode.BudgetError)
        if "patterns were found" in str(error):  # a busy machine has told of progress before the end
            self.assertEqual(error.needed, 0)
        else:
            self.assertEqual(len(data.itemsets(1, memory=error.needed)), 2**18 - 1)

    def test_equal_items(self):
        """A result of a single family is refused as soon as any other."""
        data = lode.Data([list(range(50))] * 2)
        self.refused("is too small: [0-9,]+ patterns", data.itemsets, 1, memory="8M",
                     error=lode.BudgetError)

    @unittest.skipIf(SANITIZED, "sanitizers have an address space of their own")
    def test_default_budget(self):
        """Without memory=, a result that does not fit is an exception, and not the end of the process."""
        program = (
            "import lode, resource\n"
            "resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))\n"
            "data = lode.Data([range(60)] * 2 + [range(i, i + 30) for i in range(30)])\n"
            "for search in (data.itemsets, data.rules):\n"
            "    try:\n"
            "        search(1)\n"
            "    except lode.BudgetError as error:\n"
            "        print(isinstance(error, MemoryError), error)\n"
            "print(data.count(1, max_size=2))\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              timeout=120)
        lines = done.stdout.splitlines()
        self.assertEqual((len(lines), lines[-1:]), (3, ["1830"]), done.stderr)
        for line in lines[:2]:
            self.assertRegex(line, r"^True the memory budget of [0-9.]+ MiB \(the default, 80% of the memory that ulimit allows\) is too small: .* Expected a larger memory=")


if __name__ == "__main__":
    unittest.main()
