"""Drop-in replacement for mlxtend.frequent_patterns.

Change the import and keep the rest of a notebook:

    from lode.mlxtend import TransactionEncoder, apriori, fpgrowth, association_rules

Signatures, columns, errors and warnings are those of mlxtend 0.25; docs/mlxtend.md lists every
difference. The four functions differ only in what they return (fpmax: maximal sets) and in the row
order; lode chooses the algorithm from the data.

>>> import pandas as pd
>>> frame = pd.DataFrame([[True, True], [True, False]], columns=["bread", "milk"])
>>> found = apriori(frame, min_support=0.5, use_colnames=True)
>>> [(support, sorted(items)) for support, items in zip(found["support"], found["itemsets"])]
[(1.0, ['bread']), (0.5, ['milk']), (0.5, ['bread', 'milk'])]

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import itertools
import math
import sys
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np
import pandas as pd
from scipy import sparse as _sparse

import lode

from . import _lode
from ._columns import Array
from ._errors import BudgetError
from ._onehot import NullCounts, check_frame, check_min_support, matrix_of
from ._options import least_count
from ._rules_frame import association_rules

try:
    from sklearn import get_config
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.exceptions import NotFittedError
except ImportError:  # Only clone() and pipelines need scikit-learn.
    NotFittedError = AttributeError
    get_config = dict

    class BaseEstimator:  # type: ignore[no-redef]
        """Stand-in for scikit-learn's class."""

    class TransformerMixin:  # type: ignore[no-redef]
        """Stand-in that accepts the keywords of scikit-learn's class."""

        def __init_subclass__(cls, **_: Any) -> None:
            """Stand-in that wraps nothing."""


Baskets = Sequence[Sequence[Any]]

__all__ = [
    "TransactionEncoder",
    "apriori",
    "association_rules",
    "fpgrowth",
    "fpmax",
    "hmine",
]


class _Found:
    """Itemsets as columns; lode returns them ordered by size, then by items."""

    def __init__(self, offsets: Array, items: Array, supports: Array) -> None:
        self.offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        self.items = np.ascontiguousarray(items).view(np.int32)
        self.supports = supports
        self.order = np.arange(len(supports), dtype=np.int64)
        self.chosen = np.ones(len(supports), dtype=bool)

    @property
    def sizes(self) -> Array:
        return np.diff(self.offsets)

    def sort_by_columns(self) -> None:
        """Sorts so that each set comes before those that begin with it."""
        _lode.sort_rows(self.offsets, self.items, self.order)

    def keep(self, chosen: Array) -> None:
        """Keeps only the sets for which the mask `chosen` is true."""
        self.chosen &= chosen

    def _check_room(self) -> None:
        """Raises if frozensets of all sets would not fit into memory; they take about ten times as
        much as the columns."""
        counts = np.bincount(self.sizes[self.chosen])
        needed = sum(int(n) * sys.getsizeof(frozenset(range(k))) for k, n in enumerate(counts) if n)
        budget = _lode.memory_budget()
        if 0 < budget < needed:
            error = BudgetError(
                f"{int(counts.sum()):,} frozensets take about {needed / 2**20:,.0f} MiB, and "
                f"{budget / 2**20:,.0f} MiB may be used. Expected a higher min_support, a smaller "
                "max_len, or lode.Data(df).itemsets(), whose columns take a tenth of that")
            error.needed = needed
            raise error

    def frame(self, labels: List[Any]) -> Any:
        """The DataFrame of the sets, in order."""
        self._check_room()
        order = self.order[self.chosen[self.order]]
        sets = np.empty(len(order), dtype=object)
        _lode.fill_frozensets(sets, self.offsets, self.items, order, labels)
        columns = {"support": self.supports[order], "itemsets": sets}
        return pd.DataFrame(columns, copy=False)


def _nothing() -> _Found:
    return _Found(np.zeros(1), np.empty(0, dtype=np.int32), np.empty(0))


def _mine(matrix: Any, least: int, target: str, max_len: Optional[int]) -> _Found:
    """The itemsets of a matrix with a count of at least `least`; counts become fractions."""
    rows, columns = matrix.shape
    if rows == 0 or columns == 0 or least > rows:
        return _nothing()
    found = lode.Data(matrix).itemsets(least, target=target, max_size=max_len)
    return _Found(found.offsets, found.items, found.supports / rows)


def _mine_with_null(frame: Any, min_support: float, target: str,
                    max_len: Optional[int]) -> _Found:
    """Itemsets with mlxtend's handling of NaN: a set is searched in rows where its items are 1 or
    NaN, and its support is the share among the rows without NaN in its items."""
    counts = NullCounts(frame)
    if counts.rows == 0:
        return _nothing()
    known = counts.rows - counts.count(counts.null)
    share = np.divide(counts.count(counts.ones), known, out=np.zeros(len(known)), where=known > 0)
    columns = np.flatnonzero(share >= min_support).astype(np.int32)
    least = least_count(min_support, counts.rows)
    found = _mine(counts.present[:, columns], least, target, max_len)
    found.items = columns[found.items]
    ranges = zip(found.offsets[:-1], found.offsets[1:])
    supports = [counts.support(found.items[begin:end]) for begin, end in ranges]
    found.supports = np.array(supports, dtype=float)
    found.keep(found.supports >= min_support)
    return found


def _search(df: Any, min_support: float, null_values: bool, target: str,
            max_len: Optional[int]) -> _Found:
    """Checks a DataFrame and mines it."""
    check_frame(df, null_values)
    check_min_support(min_support)
    if null_values:
        return _mine_with_null(df, min_support, target, max_len)
    least = least_count(min_support, len(df)) if len(df) else 1
    return _mine(matrix_of(df), least, target, max_len)


def _labels(frame: Any, use_colnames: bool) -> List[Any]:
    return frame.columns.tolist() if use_colnames else list(range(frame.shape[1]))


def _tell_sizes(found: _Found, width: int) -> None:
    """Prints what mlxtend's apriori prints: the cells of the table of sets, for each size from 2.
    """
    sizes = np.bincount(found.sizes)
    for size in range(2, len(sizes)):
        cells = sizes[size] * (size + width)
        print(f"\rProcessing {cells} combinations | Sampling itemset size {size}", end="")
    print()


def _tell_counts(found: _Found) -> None:
    for size, count in enumerate(np.bincount(found.sizes[found.chosen])):
        if count:
            print(f"{count} itemset(s) of {size} item(s)")


def _size_limit(max_len: Optional[float]) -> Optional[int]:
    """Converts max_len for lode: None and 0 mean no limit, negative numbers mean 1."""
    if not max_len:
        return None
    return max(1, math.ceil(max_len))


def apriori(
    df: Any,
    min_support: float = 0.5,
    use_colnames: bool = False,
    max_len: Optional[int] = None,
    verbose: int = 0,
    low_memory: bool = False,
    n_jobs: Optional[int] = 1,
) -> Any:
    """Find frequent itemsets of a one-hot DataFrame, ordered by size, then by columns.

    df: one-hot DataFrame of bool (dense or sparse), or of 0 and 1.
    min_support: minimum support, a fraction of the rows in (0, 1].
    use_colnames: use column names in the sets instead of positions.
    max_len: maximum size of a set; None = no limit.
    verbose: if not 0, print the number of sets of each size.
    low_memory, n_jobs: accepted for compatibility and ignored. lode needs little memory and uses
        all cores; lode.Data.itemsets() has options for both.

    Returns a DataFrame with the columns support and itemsets (frozensets).
    """
    check_min_support(min_support)
    found = _search(df, min_support, False, "all", _size_limit(max_len))
    if verbose:
        _tell_sizes(found, width=1 if low_memory else 0)
    return found.frame(_labels(df, use_colnames))


def fpgrowth(
    df: Any,
    min_support: float = 0.5,
    null_values: bool = False,
    use_colnames: bool = False,
    max_len: Optional[int] = None,
    verbose: int = 0,
) -> Any:
    """Find frequent itemsets of a one-hot DataFrame; see apriori() for the other parameters.

    null_values: if True, df may have NaN; the support of a set is then its share of the rows in
        which none of its items is NaN.
    """
    found = _search(df, min_support, null_values, "all", _size_limit(max_len))
    if max_len:
        found.keep(found.sizes <= max_len)  # a negative max_len leaves nothing, as in mlxtend
    if verbose:
        _tell_counts(found)
    return found.frame(_labels(df, use_colnames))


def fpmax(
    df: Any,
    min_support: float = 0.5,
    null_values: bool = False,
    use_colnames: bool = False,
    max_len: Optional[int] = None,
    verbose: int = 0,
) -> Any:
    """Find maximal frequent itemsets of a one-hot DataFrame: those without a frequent superset.

    max_len: return only maximal sets of at most this size; see fpgrowth() for the other parameters.
    """
    found = _search(df, min_support, null_values, "maximal", None)
    if max_len is not None:
        found.keep(found.sizes <= max_len)
    if verbose:
        _tell_counts(found)
    return found.frame(_labels(df, use_colnames))


def hmine(
    df: Any,
    min_support: float = 0.5,
    use_colnames: bool = False,
    max_len: Optional[int] = None,
    verbose: int = 0,
) -> Any:
    """Find frequent itemsets of a one-hot DataFrame, ordered by columns: each set is followed by
    those that begin with it. See apriori() for the parameters."""
    found = _search(df, min_support, False, "all", _size_limit(max_len))
    found.sort_by_columns()
    if verbose:
        _tell_counts(found)
    return found.frame(_labels(df, use_colnames))


class TransactionEncoder(BaseEstimator, TransformerMixin,  # type: ignore[misc, call-arg]
                         auto_wrap_output_keys=None):
    """Encode lists of items as a one-hot bool matrix, with one column per item in sorted order.

    >>> encoder = TransactionEncoder()
    >>> encoder.fit_transform([["milk", "bread"], ["bread"]])
    array([[ True,  True],
           [ True, False]])
    >>> encoder.columns_
    ['bread', 'milk']
    """

    def __init__(self) -> None:
        """The encoder has no parameters."""

    def fit(self, X: Baskets) -> TransactionEncoder:
        """Learn the distinct items of X, a list of lists."""
        self.columns_ = sorted(set(itertools.chain.from_iterable(X)))
        self.columns_mapping_ = {item: column for column, item in enumerate(self.columns_)}
        return self

    def set_output(self, *, transform: Optional[str] = None) -> TransactionEncoder:
        """Set the output of transform(): "default" = array, "pandas" = DataFrame."""
        if transform is not None:
            if transform not in ("default", "pandas"):
                raise ValueError(f"transform: expected 'default' or 'pandas', not {transform!r}")
            self._sklearn_output_config = {"transform": transform}
        return self

    def _wants_frame(self) -> bool:
        chosen = getattr(self, "_sklearn_output_config", get_config())
        return chosen.get("transform", chosen.get("transform_output")) == "pandas"

    def _places(self, X: Baskets) -> Tuple[Array, Array]:
        """The columns of all items, row by row, and the number of items of each row."""
        counts = np.fromiter((len(row) for row in X), dtype=np.int64, count=len(X))
        column_of = self.columns_mapping_.__getitem__
        columns = map(column_of, itertools.chain.from_iterable(X))
        return np.fromiter(columns, dtype=np.int32, count=int(counts.sum())), counts

    def transform(self, X: Baskets, sparse: bool = False) -> Any:
        """Encode X as a one-hot matrix: a bool array, or CSR if `sparse`."""
        shape = (len(X), len(self.columns_))
        columns, counts = self._places(X)
        rows = np.repeat(np.arange(len(X)), counts)
        if not sparse:
            array = np.zeros(shape, dtype=bool)
            array[rows, columns] = True
            if self._wants_frame():
                return pd.DataFrame(array, columns=self.columns_)
            return array
        truth = np.ones(len(columns), dtype=bool)
        return _sparse.coo_matrix((truth, (rows, columns)), shape=shape).tocsr()

    def inverse_transform(self, array: Any) -> List[List[Any]]:
        """Decode a one-hot matrix to lists of items."""
        if _sparse.issparse(array):
            array = array.toarray()
        return [[self.columns_[i] for i in np.flatnonzero(row)] for row in np.asarray(array)]

    def fit_transform(self, X: Baskets, sparse: bool = False) -> Any:
        """fit(X), then transform(X)."""
        return self.fit(X).transform(X, sparse=sparse)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The item of each column. input_features is ignored, present for API consistency."""
        if not hasattr(self, "columns_"):
            raise NotFittedError("this TransactionEncoder is not fitted yet: call fit() first")
        return np.asarray(self.columns_, dtype=object)
