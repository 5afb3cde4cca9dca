"""Columns of itemsets and subgraphs in pandas: what users do with them, and pandas' own tests.

SPDX-License-Identifier: Apache-2.0
"""
import io
import pickle
import unittest
from contextlib import redirect_stdout

import numpy as np

import lode
from support import LONG, draw, needs, optional

pandas = optional("pandas")
if pandas is not None:
    from lode.pandas_array import ItemsetArray
NAMED = [[f"n{i}" for i in row] for row in draw(7, 60, 8, 0.45)]

# Of pandas' own tests, those that its columns of tuples cannot pass, by the reason.
EXPLAINED = {
    "pandas takes a tuple for a list of values, where a single one is set, filled in or repeated": [
        "test_series_constructor_scalar_with_index", "test_from_dtype", "test_fillna_copy_frame",
        "test_fillna_copy_series", "test_fillna_scalar", "test_fillna_no_op_returns_copy",
        "test_fillna_series", "test_fillna_frame", "test_setitem_sequence_broadcasts",
        "test_setitem_loc_scalar_mixed", "test_setitem_loc_scalar_multiple_homogoneous",
        "test_setitem_iloc_scalar_mixed", "test_setitem_iloc_scalar_multiple_homogoneous",
        "test_setitem_mask", "test_setitem_mask_boolean_array_with_na", "test_setitem_integer_array",
        "test_setitem_mask_broadcast", "test_setitem_slice", "test_setitem_loc_iloc_slice"],
    "what is set makes new arrays, which a view made before does not show": [
        "test_view", "test_transpose", "test_setitem_preserves_views"],
    "an argument that pandas has removed (na_sentinel)": [
        "test_factorize", "test_factorize_equivalence"],
    "sets have no order by < (sort_values has one, by their items)": ["test_searchsorted"],
}
SUITE = '''
import operator, random
import pandas as pd, pytest
from pandas.tests.extension import base
from lode.pandas_array import ItemsetArray, ItemsetDtype

def make():
    source = random.Random(0)
    return [tuple(sorted(source.sample("abcdefgh", source.randrange(1, 5)))) for _ in range(100)]

VALUES = {"dtype": lambda: ItemsetDtype(), "na_value": lambda: pd.NA,
          "data": lambda: ItemsetArray._from_sequence(make()), "invalid_scalar": lambda: object(),
          "data_missing": lambda: ItemsetArray._from_sequence([None, ("a",)]),
          "data_for_sorting": lambda: ItemsetArray._from_sequence([("b",), ("c",), ("a", "b")]),
          "data_missing_for_sorting": lambda: ItemsetArray._from_sequence([("b",), None, ("a",)]),
          "data_for_grouping": lambda: ItemsetArray._from_sequence(
              [("b",), ("b",), None, None, ("a", "b"), ("a", "b"), ("b",), ("c",)]),
          "na_cmp": lambda: lambda x, y: x is pd.NA and y is pd.NA,
          "all_data": lambda: ItemsetArray._from_sequence([("a",)] * 40 + [None] + [("b",)] * 9),
          "data_repeated": lambda: lambda n: (ItemsetArray._from_sequence(make())
                                              for _ in range(n))}
PARAMS = {"groupby_apply_op": [lambda x: 1, lambda x: [1] * len(x),
                               lambda x: pd.Series([1] * len(x)), lambda x: x],
          "as_frame": [True, False], "as_series": [True, False], "as_array": [True, False],
          "use_numpy": [True, False], "box_in_series": [True, False],
          "fillna_method": ["ffill", "bfill"], "sort_by_key": [None, lambda x: x],
          "comparison_op": [operator.eq, operator.ne]}
for name, value in VALUES.items():
    globals()[name] = pytest.fixture(name=name)(lambda value=value: value())

def fixture_of(name):
    @pytest.fixture(name=name, params=PARAMS[name])
    def chosen(request):
        return request.param
    return chosen

for name in PARAMS:
    globals()[name] = fixture_of(name)
for name in ("Casting", "Constructors", "Dtype", "Getitem", "Groupby", "Index", "Interface",
             "Methods", "Missing", "ComparisonOps", "Printing", "Reshaping", "Setitem"):
    globals()[f"Test{name}"] = type(f"Test{name}", (getattr(base, f"Base{name}Tests"),), {})
'''


@needs("pandas")
class Itemsets(unittest.TestCase):
    def setUp(self):
        self.found = lode.Data(NAMED).itemsets(4)
        self.frame = self.found.to_pandas()
        self.column = self.frame["itemset"]
        self.tuples = [one.items for one in self.found]

    def test_conversions(self):
        self.assertEqual(self.column.astype(object).tolist(), self.tuples)
        self.assertEqual(self.column.astype(str).tolist(), [str(cell) for cell in self.tuples])
        self.assertEqual(self.column.astype("string").tolist(), [str(c) for c in self.tuples])
        self.assertEqual(self.column.map(", ".join).tolist(), [", ".join(c) for c in self.tuples])
        self.assertEqual(self.column.apply(len).tolist(), self.found.sizes.tolist())
        self.assertIs(self.column.astype("itemset").dtype.type, tuple)
        with self.assertRaisesRegex(TypeError, "expected object or str"):
            self.column.astype(float)
        again = pandas.Series(self.tuples, dtype="itemset")
        self.assertTrue((again == self.column).all())
        with self.assertRaisesRegex(TypeError, "row 1 is 'milk'; expected a tuple"):
            pandas.Series([("a",), "milk"], dtype="itemset")

    def test_files(self):
        out = io.StringIO()
        self.frame.to_csv(out)
        back = pandas.read_csv(io.StringIO(out.getvalue()))
        self.assertEqual(back["itemset"].tolist(), [str(cell) for cell in self.tuples])
        self.assertTrue(pickle.loads(pickle.dumps(self.frame)).equals(self.frame))
        self.assertEqual(len(self.frame.to_dict("records")), len(self.found))
        self.assertIn("n1", self.frame.to_html())
        self.assertIn("n1", self.frame.to_json())

    def test_different_ones(self):
        twice = pandas.concat([self.frame, self.frame.iloc[:3]], ignore_index=True)
        column = twice["itemset"]
        self.assertEqual(column.nunique(), len(self.found))
        self.assertEqual(column.unique().astype(object).tolist(), self.tuples)
        self.assertEqual(column.duplicated().sum(), 3)
        counts = column.value_counts()
        self.assertEqual((counts.max(), counts.sum()), (2, len(twice)))
        self.assertEqual(set(counts.index[:3]), set(self.tuples[:3]))
        described = column.describe()
        self.assertEqual((described["count"], described["unique"], described["freq"]),
                         (len(twice), len(self.found), 2))
        summed = twice.groupby("itemset")["count"].sum()
        self.assertEqual(summed[[self.tuples[0]]].iloc[0], 2 * self.found.supports[0])
        self.assertEqual(len(twice.drop_duplicates("itemset")), len(self.found))

    def test_order(self):
        self.assertEqual(self.frame.sort_values("itemset")["itemset"].tolist(), sorted(self.tuples))
        self.assertEqual(self.frame.sort_values(["size", "itemset"], ascending=False)[
            "itemset"].tolist(), sorted(self.tuples, key=lambda c: (len(c), c), reverse=True))

    def test_equal_ones(self):
        """Against other data, whose items have other numbers and another order."""
        pairs = pandas.DataFrame([[1, 1, 0], [1, 1, 1]], columns=["n3", "n1", "new"])
        other = lode.Data(pairs).itemsets(1).to_pandas()
        self.assertIn(("n3", "n1"), other["itemset"].tolist())
        self.assertEqual(self.column.isin(other["itemset"]).sum(), 3)
        merged = self.frame.merge(other, on="itemset")
        self.assertEqual({frozenset(cell) for cell in merged["itemset"]},
                         {frozenset(["n1"]), frozenset(["n3"]), frozenset(["n1", "n3"])})
        both = pandas.concat([self.frame, other])["itemset"]
        self.assertEqual(both.nunique(), len(self.found) + len(other) - 3)
        for one in (("n3", "n1"), {"n1", "n3"}, frozenset(["n1", "n3"])):
            self.assertEqual((self.column == one).sum(), 1)
            self.assertEqual((self.column != one).sum(), len(self.found) - 1)
        self.assertEqual((self.column == ("zz",)).sum(), 0)
        self.assertEqual((self.column == 5).sum(), 0)
        self.assertTrue((self.column == pandas.Series(self.tuples)).all())
        outer = self.frame.merge(other, on="itemset", how="outer")
        self.assertEqual(len(outer), len(self.found) + len(other) - 3)

    def test_against_python(self):
        """Random columns, missing rows and empty sets among them: as Python's sets have it."""
        for seed in range(30):
            chance = np.random.default_rng(seed)
            labels = [["a", "b", "c", "d"], [3, 1, 2**32 - 1], ["x", 1, None]][seed % 3]
            rows = [None if chance.random() < 0.2 else frozenset(
                label for label in labels if chance.random() < 0.4 and label is not None)
                for _ in range(chance.integers(0, 40))]
            column = pandas.Series(ItemsetArray._from_sequence(rows))
            kept = [row for row in rows if row is not None]
            self.assertEqual([None if cell is pandas.NA else frozenset(cell) for cell in column],
                             rows)
            self.assertEqual(column.isna().tolist(), [row is None for row in rows])
            self.assertEqual(column.nunique(), len(set(kept)))
            counts = column.value_counts(dropna=False)
            self.assertEqual(int(counts.sum()), len(rows))
            self.assertEqual({frozenset(cell): int(n) for cell, n in counts.items()
                              if cell is not pandas.NA}, {row: kept.count(row) for row in kept})
            codes, different = pandas.factorize(column)
            self.assertEqual([None if c < 0 else frozenset(different[c]) for c in codes], rows)
            self.assertEqual((column == column).tolist(), [row is not None for row in rows])
            wanted = kept[:2]
            self.assertEqual(column.isin(wanted).tolist(), [row in wanted for row in rows])
            self.assertEqual(len(column.dropna().sort_values()), len(kept))

    def test_missing(self):
        gone = self.frame.reindex([0, 10**6, 1])["itemset"]
        self.assertEqual(gone.isna().tolist(), [False, True, False])
        self.assertEqual(gone.dropna().tolist(), self.tuples[:2])
        self.assertIn("<NA>", repr(gone))
        self.assertEqual(gone.ffill().tolist(), [self.tuples[0], self.tuples[0], self.tuples[1]])
        self.assertEqual(self.column.shift(1).iloc[1:].tolist(), self.tuples[:-1])
        self.assertEqual(self.column.where(self.frame["size"] > 1).isna().sum(),
                         (self.found.sizes == 1).sum())

    def test_many(self):
        """Cells one by one take time that does not grow with the column."""
        column = lode.Data([list(range(15))] * 2).itemsets(1).to_pandas()["itemset"]
        self.assertEqual(list(column), column.astype(object).tolist())
        self.assertEqual(sum(len(cell) for cell in column), 15 * 2**14)
        self.assertEqual(column.nunique(), 2**15 - 1)

    def test_masks_of_frames_select_results(self):
        best = self.found[self.frame["count"] > 10]
        self.assertEqual(best.supports.tolist(), [n for n in self.found.supports if n > 10])


@needs("pandas", "networkx")
class Subgraphs(unittest.TestCase):
    def setUp(self):
        from test_graphs import some_graphs
        self.found = lode.graphs(some_graphs(25)).subgraphs(4)
        self.frame = self.found.to_pandas()

    def test_cells(self):
        self.assertEqual(list(self.frame), ["subgraph", "vertices", "edges", "count", "support"])
        self.assertEqual(self.frame["subgraph"].tolist(), list(self.found))
        best = self.frame[self.frame["edges"] > 1].sort_values("count").iloc[-1]
        self.assertEqual(best["subgraph"].support, best["count"])
        self.assertTrue(best["subgraph"].svg().startswith("<svg"))
        self.assertIn(str(self.found[0]), self.frame.head(1).to_string())
        self.assertEqual(self.frame["subgraph"].astype(str)[1], str(self.found[1]))

    def test_operations(self):
        column = self.frame["subgraph"]
        self.assertEqual((column == self.found[3]).sum(), 1)
        both = pandas.concat([self.frame, self.found[:2].to_pandas()], ignore_index=True)
        self.assertEqual(both["subgraph"].nunique(), len(self.found))
        self.assertEqual(both["subgraph"].value_counts().max(), 2)
        gone = self.frame.reindex([0, 10**6])["subgraph"]
        self.assertEqual(gone.isna().tolist(), [False, True])
        self.assertTrue(pickle.loads(pickle.dumps(self.frame)).equals(self.frame))
        self.assertEqual(len(self.frame.sort_values("subgraph")), len(self.found))
        with self.assertRaisesRegex(TypeError, "expected a lode.Subgraph"):
            pandas.Series([1], dtype="subgraph")


@unittest.skipUnless(LONG, "pandas' own tests of columns take some seconds; LODE_LONG=1 runs them")
@needs("pandas", "pytest", "pandas.tests.extension.base")
class Suite(unittest.TestCase):
    def test_all(self):
        import pathlib
        import tempfile

        import pytest

        class Failed:
            names: list = []
            passed = 0

            def pytest_runtest_logreport(self, report):
                if report.failed:
                    self.names.append(report.nodeid.split("::")[-1].split("[")[0])
                elif report.when == "call" and report.passed:
                    self.passed += 1

        failed = Failed()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "test_columns.py")
            path.write_text(SUITE)
            out = io.StringIO()
            with redirect_stdout(out):
                pytest.main(["-q", "-p", "no:cacheprovider", "--tb=line", str(path)],
                            plugins=[failed])
        explained = {name for names in EXPLAINED.values() for name in names}
        self.assertEqual(set(failed.names) - explained, set(), out.getvalue())
        self.assertGreater(failed.passed, 250)
        print(f"{failed.passed} of pandas' tests pass, {len(failed.names)} are explained")


if __name__ == "__main__":
    unittest.main()
