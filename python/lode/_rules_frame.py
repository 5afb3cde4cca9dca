"""association_rules(): rules from a DataFrame of itemsets.

Itemsets are numbered (lode._lode.SetIndex), a rule is three numbers, and measures are computed for
whole chunks of rules. Only rules that pass cost objects: the frozensets of the input DataFrame.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import itertools
from fractions import Fraction
from typing import (Any, Callable, Dict, FrozenSet, Iterator, List, Optional, Sequence,
                    Tuple)

import numpy as np
import pandas as pd

from . import _lode
from ._columns import Array
from ._onehot import NullCounts, check_frame, matrix_of

_metrics = [
    "antecedent support",
    "consequent support",
    "support",
    "confidence",
    "lift",
    "representativity",
    "leverage",
    "conviction",
    "zhangs_metric",
    "jaccard",
    "certainty",
    "kulczynski",
]

# Rules per chunk: about 60 MB of numbers and measures.
CHUNK = 1 << 20
# Number of itemsets whose supports are compared with the original DataFrame.
TRIED = 100
# Bytes of packed rows processed at a time when NaN is counted per rule.
NULL_BYTES = 1 << 24
# The rounding error of five operations on doubles, and the number of rows up to which it is smaller
# than the difference of two confidences.
ROUNDED = 2.0**-50
MOST_ROWS = 10**7


class _Measures:
    """The measures of a chunk of rules, as arrays. Formulas and order of operations are mlxtend's,
    so that even the last digit is the same."""

    def __init__(self, rows: float, whole: Array, antecedent: Array, consequent: Array,
                 null: Optional[Tuple[Array, ...]] = None) -> None:
        self.rows = rows
        self.sAC, self.sA, self.sC = whole, antecedent, consequent
        zero = np.zeros(len(whole))
        self.disAC, self.disA, self.disC, self.dis_int, self.dis_int_ = null or (zero,) * 5

    def confidence(self) -> Array:
        known = self.sA * (self.rows - self.disA) - self.dis_int
        return self.sAC * (self.rows - self.disAC) / known

    def conviction(self) -> Array:
        confidence = self.confidence()
        result = np.full(len(confidence), np.inf)
        below = confidence < 1.0
        result[below] = (1.0 - self.sC[below]) / (1.0 - confidence[below])
        return result

    def zhangs_metric(self) -> Array:
        denominator = np.maximum(self.sAC * (1 - self.sA), self.sA * (self.sC - self.sAC))
        return np.where(denominator == 0, 0, self.leverage() / denominator)

    def certainty(self) -> Array:
        denominator = 1 - self.sC
        return np.where(denominator == 0, 0, (self.confidence() - self.sC) / denominator)

    def kulczynski(self) -> Array:
        known = self.sC * (self.rows - self.disC) - self.dis_int_
        return (self.confidence() + self.sAC * (self.rows - self.disAC) / known) / 2

    def leverage(self) -> Array:
        return self.sAC - self.sA * self.sC

    def take(self, name: str) -> Array:
        """The values of a measure, given by name."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return _FORMULAS[name](self)


_FORMULAS: Dict[str, Callable[[_Measures], Array]] = {
    "antecedent support": lambda m: m.sA,
    "consequent support": lambda m: m.sC,
    "support": lambda m: m.sAC,
    "confidence": _Measures.confidence,
    "lift": lambda m: m.confidence() / m.sC,
    "representativity": lambda m: (m.rows - m.disAC) / m.rows,
    "leverage": _Measures.leverage,
    "conviction": _Measures.conviction,
    "zhangs_metric": _Measures.zhangs_metric,
    "jaccard": lambda m: m.sAC / (m.sA + m.sC - m.sAC),
    "certainty": _Measures.certainty,
    "kulczynski": _Measures.kulczynski,
}


def _by_name(frame: Any) -> Dict[Any, int]:
    return {name: place for place, name in enumerate(frame.columns)}


def _by_position(frame: Any) -> Dict[Any, int]:
    return {place: place for place in range(frame.shape[1])}


def _places_as_mlxtend(frame: Any, first: FrozenSet[Any]) -> Dict[Any, int]:
    """The columns of items in a DataFrame with NaN; if the first itemset has integers, these are
    positions."""
    whole = all(isinstance(item, int) and not isinstance(item, bool) for item in first)
    return _by_position(frame) if whole else _by_name(frame)


class _Counter:
    """Counts itemsets in the DataFrame in which they were found.

    Integers may be column names or positions; the known supports tell which.
    """

    def __init__(self, frame: Any, sets: List[FrozenSet[Any]], supports: Array) -> None:
        matrix = matrix_of(frame)
        dense = matrix if isinstance(matrix, np.ndarray) else matrix.toarray()
        self.rows = len(dense)
        self.packed = np.packbits(dense, axis=0).T.copy()
        for places in (_by_name(frame), _by_position(frame)):
            self.places = places
            if all(self.agrees(items, known) for items, known in zip(sets[:TRIED], supports)):
                return
        raise ValueError(
            "df_orig: the supports of df do not match this frame; expected the frame in which "
            "the itemsets were found"
        )

    def agrees(self, items: FrozenSet[Any], known: float) -> bool:
        """Whether all items have columns, and give the known support."""
        if not items <= self.places.keys():
            return False
        return bool(np.isclose(self.support(items), known, rtol=1e-6, atol=0))

    def support(self, items: FrozenSet[Any]) -> float:
        """The share of rows that have all of the items."""
        if not items <= self.places.keys():
            raise ValueError(f"df_orig: there is no column for an item of {set(items)}")
        rows = np.bitwise_and.reduce(self.packed[[self.places[item] for item in items]], axis=0)
        return int(NullCounts.ONES_OF[rows].sum(dtype=np.int64)) / self.rows


class _Itemsets:
    """The numbered itemsets of a DataFrame, their supports, and what else their rules need."""

    def __init__(self, frame: Any, original: Any, rows: int, null_values: bool,
                 support_only: bool) -> None:
        self.index = _lode.SetIndex(np.generic)
        numbers = np.empty(len(frame), dtype=np.int32)
        self.index.extend(frame["itemsets"].tolist(), numbers)
        self.count = len(self.index.sets)
        self.supports = np.empty(self.count)
        self.supports[numbers] = frame["support"].to_numpy(dtype=float)
        self.rows = rows
        self.original = original
        self.null_values = null_values
        self.support_only = support_only
        self.null: Any = None
        if null_values:
            self.null = NullCounts(original)
            self.places = _places_as_mlxtend(original, self.index.sets[0])

    def chunks(self) -> Iterator[List[Array]]:
        """Yields arrays (whole, antecedent, consequent) of set numbers."""
        limit = CHUNK
        if self.null is not None:
            limit = max(1, NULL_BYTES // (self.null.rows // 8 + 1))
        begin = 0
        while begin < self.count:
            room = max(limit, self.index.needed(begin))
            numbers = [np.empty(room, dtype=np.int32) for _ in range(3)]
            after, written, missing = self.index.rules(begin, self.count, *numbers)
            chunk = [array[:written] for array in numbers]
            if missing:
                self.add_missing(chunk)
                continue
            begin = after
            if written:
                yield chunk

    def add_missing(self, chunk: List[Array]) -> None:
        """Adds the subsets that the DataFrame lacks: counted in df_orig if it is given; not counted
        if only the supports of whole rules are needed."""
        if not self.support_only and (self.original is None or self.null_values):
            self.raise_missing(chunk)
        self.index.complete(self.count)
        added = self.index.sets[len(self.supports) :]
        if self.support_only:
            counts = np.full(len(added), np.nan)
        else:
            known = self.index.sets[: self.count]
            counter = _Counter(self.original, known, self.supports)
            counts = np.array([counter.support(items) for items in added])
        self.supports = np.concatenate([self.supports, counts])

    def raise_missing(self, chunk: List[Array]) -> None:
        """Raises mlxtend's KeyError for the first rule with a side that the DataFrame lacks."""
        whole, antecedent, consequent = chunk
        rule = int(np.flatnonzero((antecedent < 0) | (consequent < 0))[0])
        first = int(np.flatnonzero(whole == whole[rule])[0])
        items = frozenset(list(self.index.sets[whole[rule]]))
        sides = itertools.chain.from_iterable(
            itertools.combinations(items, size) for size in range(len(items) - 1, 0, -1)
        )
        left = frozenset(next(itertools.islice(sides, rule - first, None)))
        lacking = left if antecedent[rule] < 0 else items - left
        raise KeyError(
            f"{lacking!r}You are likely getting this error because the DataFrame is missing "
            " antecedent and/or consequent  information. You can try using the "
            " `support_only=True` option"
        )

    def null_counts(self, chunk: List[Array]) -> Tuple[Array, ...]:
        """mlxtend's five NaN counts for each rule of a chunk."""
        null: Dict[int, Array] = {}
        ones: Dict[int, Array] = {}
        for number in np.unique(np.concatenate(chunk)).tolist():
            positions = [self.places[item] for item in self.index.sets[number]]
            null[number] = self.null.any_null(positions)
            ones[number] = self.null.all_ones(positions)

        def rows_of(rows: Dict[int, Array], numbers: Array) -> Array:
            return np.array([rows[number] for number in numbers.tolist()])

        whole, antecedent, consequent = chunk
        null_a, null_c = rows_of(null, antecedent), rows_of(null, consequent)
        packed = (
            rows_of(null, whole),
            null_a,
            null_c,
            null_c & rows_of(ones, antecedent),
            null_a & rows_of(ones, consequent),
        )
        return tuple(self.null.count(rows).astype(float) for rows in packed)

    def measures(self, chunk: List[Array]) -> _Measures:
        """The measures of a chunk."""
        null = None
        if self.null is not None and not self.support_only:
            null = self.null_counts(chunk)
        whole, antecedent, consequent = (self.supports[numbers] for numbers in chunk)
        return _Measures(self.rows, whole, antecedent, consequent, null)


def _check(df: Any, num_itemsets: int, df_orig: Any, null_values: bool) -> None:
    if null_values and df_orig is None:
        raise TypeError("If null values exist, df_orig must be provided.")
    if null_values and num_itemsets == 1:
        raise TypeError("If null values exist, num_itemsets must be provided.")
    check_frame(df_orig, null_values)
    if not df.shape[0]:
        raise ValueError("The input DataFrame `df` containing the frequent itemsets is empty.")
    if not all(column in df.columns for column in ["support", "itemsets"]):
        raise ValueError("Dataframe needs to contain the columns 'support' and 'itemsets'")


def _admit_rounded(reached: Array, score: Array, least: float) -> None:
    """Admits confidences below the threshold only because of rounding: the quotient of two supports
    can be slightly less than the quotient k / n of their counts."""
    near = np.flatnonzero(~reached & (score >= least * (1 - ROUNDED)))
    for value in np.unique(score[near]).tolist():
        exact = Fraction(value).limit_denominator(MOST_ROWS)
        if abs(exact - Fraction(value)) <= Fraction(value) * Fraction(ROUNDED) and (
                float(exact) >= least):
            reached[near[score[near] == value]] = True


def _frame(itemsets: _Itemsets, passed: List[Any], return_metrics: Sequence[str]) -> Any:
    """The DataFrame of the rules that passed, from a list of chunks with measures."""
    sets = np.empty(len(itemsets.supports), dtype=object)
    sets[:] = itemsets.index.sets
    columns = {
        "antecedents": sets[np.concatenate([antecedent for antecedent, _, _ in passed])],
        "consequents": sets[np.concatenate([consequent for _, consequent, _ in passed])],
    }
    for name in return_metrics:
        columns[name] = np.concatenate([values[name] for _, _, values in passed])
    if itemsets.support_only:
        columns["support"] = np.concatenate([values["support"] for _, _, values in passed])
    return pd.DataFrame(columns, copy=False)


def association_rules(
    df: Any,
    num_itemsets: int = 1,
    df_orig: Any = None,
    null_values: bool = False,
    metric: str = "confidence",
    min_threshold: float = 0.8,
    support_only: bool = False,
    return_metrics: Sequence[str] = _metrics,
) -> Any:
    """Generate association rules from frequent itemsets.

    df: DataFrame with the columns support and itemsets, as returned by apriori() and the others.
    num_itemsets: number of rows of the original DataFrame; required if null_values.
    df_orig: the original DataFrame; required if null_values. Otherwise, if given, supports of
        subsets that df lacks are counted in it.
    null_values: whether df_orig has NaN.
    metric: the measure to compare with min_threshold.
    min_threshold: minimum value of the metric.
    support_only: compute only the column support, the others are NaN; df may lack subsets.
    return_metrics: columns to return in addition to antecedents and consequents.

    Returns a DataFrame with one rule per row.
    """
    _check(df, num_itemsets, df_orig, null_values)
    if support_only:
        metric = "support"
    elif metric not in _FORMULAS:
        raise ValueError(f"Metric must be one of {', '.join(_FORMULAS)}, got '{metric}'")
    itemsets = _Itemsets(df, df_orig, num_itemsets, null_values, support_only)
    passed = []
    for chunk in itemsets.chunks():
        score = itemsets.measures(chunk).take(metric)
        reached = score >= min_threshold
        if metric == "confidence":
            _admit_rounded(reached, score, min_threshold)
        chunk = [numbers[reached] for numbers in chunk]
        if not len(chunk[0]):
            continue
        measures = itemsets.measures(chunk)
        if support_only:
            values = {name: np.full(len(chunk[0]), np.nan) for name in return_metrics}
            values["support"] = measures.sAC
        else:
            values = {name: measures.take(name) for name in return_metrics}
        passed.append((chunk[1], chunk[2], values))
    if not passed:
        return pd.DataFrame(columns=["antecedents", "consequents"] + list(return_metrics))
    return _frame(itemsets, passed, return_metrics)
