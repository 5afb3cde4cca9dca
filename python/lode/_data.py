"""Data sets of transactions, and the methods that mine them.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import functools
import numbers
import os
from typing import (Any, Dict, Hashable, List, Mapping, NamedTuple, Optional, Sequence,
                    Tuple, Union)

import numpy as np

from . import _classes, _columns, _lode, _options, _show, _sources
from ._columns import Array
from ._errors import Error, FileError, InvalidError, ParseError, UnsupportedError, settle
from ._groups import GroupFiles, Groups, Known
from ._itemsets import Count, Itemsets
from ._names import ItemNames
from ._options import Options, Support
from ._progress import Wanted, shown
from ._results import check_bounds
from ._rules import Rules, asked_measures, check_measure, needs_general

_ALLOWED = ("lhs", "rhs")  # options that list allowed items, not excluded ones
_FILE_OPTIONS = ("format", "separator", "header", "drop_rows", "skip_bad_lines", "sheet", "spill",
                 "ignore", "split", "bins", "keep_missing")


class Data:
    """A data set of transactions, each a set of items.

    `source` is one of

    - a path, or a list of paths: any file that the lode command reads (docs/formats.md);
    - a list of lists, or another iterable of collections, of integers from 0 or of strings;
    - a dict of sets: {transaction: its items};
    - a long pandas DataFrame with a row per (transaction, item); `tid` and `item` name columns or
      index levels. A list of columns as `tid` makes ids that are tuples;
    - a one-hot pandas DataFrame, dense or sparse, with a column per item;
    - a one-hot numpy matrix or scipy sparse matrix (`names` may name its columns);
    - any object with `__arrow_c_stream__` (pyarrow, polars, duckdb): a column of lists, a table with
      `tid` and `item`, or a bool column per item.

    Items are numbers if the source has numbers: the integers themselves, or positions of columns
    without names. Otherwise they are positions in `names`.

    `weights`: the multiplicity of each transaction: whole numbers, or the name of a column.
    `memory`: a budget, such as "4G", for the data and all searches in them. By default each call
    may use 80% of what is available when it begins; "unlimited" = no limit.
    `spill`: a folder; files that exceed the budget are then mined from disk.
    `format`, `separator`, `header`, `drop_rows`, `skip_bad_lines`, `sheet`, `ignore`, `split`,
    `bins`, `keep_missing`: as in the lode command, for files only. `ignore` and `bins` may be lists.

    >>> data = Data([["milk", "bread"], ["milk"], ["milk", "bread", "beer"]])
    >>> data
    <Data: 3 transactions, 3 items>
    >>> data.n, data.n_items, data.names
    (3, 3, ['beer', 'bread', 'milk'])
    >>> data[0]
    ('bread', 'milk')
    """

    def __init__(self, source: Any, *, tid: Optional[Hashable] = None,
                 item: Optional[Hashable] = None, names: Optional[Sequence[Hashable]] = None,
                 weights: Any = None, threads: int = 0, memory: Union[None, int, str] = None,
                 progress: Wanted = None, **options: Any) -> None:
        self.ids: Optional[List[Hashable]] = None
        """The transaction ids of a dict or an in-memory table; None for other sources."""
        for name in options:
            if name not in _FILE_OPTIONS:
                raise TypeError(f"Data() got an unexpected keyword argument {name!r}; expected one "
                                f"of {', '.join(_FILE_OPTIONS)}")
        how = _options.add([], threads=threads)
        budget = self._budget = _options.byte_count(memory)
        self._spills = options.get("spill") is not None
        self._width: Optional[int] = None  # number of columns, if the source has columns
        paths = _paths(source)
        with shown(progress) as show:
            if paths is not None:
                _refuse_names(names)
                _file_options(how, tid, item, weights, options)
                outcome = _lode.open(paths, how, show, budget)
                self._handle = settle(outcome, lambda made, complete: made)
                self._names = _decoded(self._handle)
            else:
                if options:
                    raise TypeError(f"{', '.join(options)}: only for files, not for a "
                                    f"{type(source).__name__}")
                def read(capsule: Any, columns: Options) -> Any:
                    return _settled(_lode.from_arrow(capsule, columns + how, show, budget))

                arrays = _arrays(source, tid, item, names, weights, read)
                self._names, self.ids, self._width = arrays.names, arrays.ids, arrays.width
                self._handle = arrays.handle or settle(arrays.made(how, show, budget),
                                                       lambda made, complete: made)
        self._profile: Dict[str, Any] = self._handle.profile()
        self._item_names = ItemNames(self.total, self._names)
        self._known = Known(self._item_names, self._handle, self._width)

    # ---- Properties -----------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """The number of transactions, including empty ones."""
        return int(self._profile["transactions"])

    @property
    def total(self) -> int:
        """The total that shares refer to: the number of transactions, or the sum of their weights."""
        return int(self._profile["weight"])

    @property
    def n_items(self) -> int:
        """The number of items: of names or columns, or of distinct numbers."""
        return len(self._names) if self._names is not None else int(self._profile["items"])

    @property
    def names(self) -> Optional[List[Hashable]]:
        """The names of the items, by number; None if items are numbers."""
        return self._names

    @property
    def profile(self) -> Dict[str, Any]:
        """Figures: number of transactions, empty ones, items, occurrences, longest, …"""
        return dict(self._profile)

    @property
    def item_supports(self) -> Tuple[Array, Array]:
        """All items, by number, and the number of transactions with each."""
        items, supports = self._handle.items()
        return _columns.view(items, np.uint32), _columns.view(supports, np.int64)

    def number_of(self, item: Hashable) -> int:
        """The number of an item, given by name."""
        return self._item_names.number_of(item)

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, t: int) -> Tuple[Hashable, ...]:
        """The items of a transaction, by name."""
        if not isinstance(t, (int, np.integer)) or not -self.n <= t < self.n:
            raise IndexError(f"there is no transaction {t!r}; expected a single number from 0 "
                             f"to {self.n - 1}")
        numbers = _columns.view(self._handle.transaction(int(t) % self.n), np.uint32)
        return _columns.names_of(numbers.tolist(), self._names)

    def __reduce__(self) -> Tuple[Any, ...]:
        """Supports pickle, copy, multiprocessing and joblib; transactions are copied as arrays."""
        offsets, items, weights = self._handle.arrays()
        if self._spills and np.frombuffer(offsets, np.uint64)[-1] != self._profile["occurrences"]:
            raise UnsupportedError("these transactions are on disk (spill=), and cannot be pickled; "
                                   "expected data in memory. Pass the path to the other process instead")
        arrays = (_columns.view(offsets, np.uint64), _columns.view(items, np.uint32),
                  None if weights is None else _columns.view(weights, np.uint32))
        return _unpickled, (type(self), arrays, {
            "ids": self.ids, "_names": self._names, "_profile": self._profile,
            "_budget": self._budget, "_width": self._width})

    def _repr_html_(self) -> str:
        """HTML for notebooks: figures, and the most frequent items."""
        items, supports = self.item_supports
        order = np.argsort(-supports, kind="stable")[:_show.NOTEBOOK_ROWS]
        rows = [[str(self._names[i] if self._names is not None else i), f"{n:,}",
                 _show.percent(n, self.total)]
                for i, n in zip(items[order].tolist(), supports[order].tolist())]
        table = _show.Table(["item", "count", "support"], rows,
                            [n / self.total if self.total else 0.0
                             for n in supports[order].tolist()], self.n_items, "items")
        return _show.figures("Data", [("transactions", self.n), ("items", self.n_items),
                                      ("occurrences", self._profile["occurrences"]),
                                      ("longest", self._profile["longest"])]) + _show.html(table)

    def __repr__(self) -> str:
        return f"<Data: {self.n:,} transactions, {self.n_items:,} items>"

    # ---- Mining ---------------------------------------------------------------------------------

    @_options.renamed(must="include")
    def itemsets(self, min_support: Optional[Support] = None, target: str = "all", *,
                 min_size: int = 1, max_size: Optional[int] = None, include: Groups = None,
                 exclude: Groups = None, max_support: Optional[Support] = None,
                 minima: Optional[Mapping[str, float]] = None,
                 maxima: Optional[Mapping[str, float]] = None,
                 device: str = "auto", threads: int = 0, algorithm: Optional[str] = None,
                 memory: Union[None, int, str] = None,
                 limit_time: Union[None, float, str] = None, limit_patterns: Optional[int] = None,
                 verify: bool = False, classes: Any = None, significant: Optional[float] = None,
                 by: Optional[str] = None, permutations: Optional[int] = None, seed: int = 0,
                 strata: Any = None, alternative: Optional[str] = None,
                 progress: Wanted = None) -> Itemsets:
        """Find itemsets that occur in at least `min_support` transactions.

        `min_support`: an int is a count; a float is a share, met by a count c of n transactions if
        c / n >= min_support; text is parsed as in the lode command ("1%").
        `target`: "all", "closed", "maximal", "generators" or "top:K".
        `include`: items, or globs such as "beer*", that every itemset must have; a list within the
        list means at least one of its items.
        `exclude`: items, or globs, that no itemset may have.
        `minima`, `maxima`: bounds of lift, leverage or allConfidence, such as {"lift": 1.5}.
        `limit_time`, `limit_patterns`: end the search; the result is then not `complete`.
        `verify`: count every support again, in the transactions, and raise if one is wrong.
        `progress`: True, or a function that receives a lode.Progress.
        `classes`: groups to compare: an item or glob, or one label for each transaction (a list,
        an array, a Series). The result then has the columns of docs/groups.md, such as oddsRatio
        and p; `minima` and `maxima` accept them.
        `significant`: find only closed itemsets that differ between the groups by more than chance
        explains, at this level for all of them together, such as 0.05. `by`: "tarone",
        "permutation" or "fdr"; `permutations`: how many; `seed`: of the permutations; `strata`:
        permute only within these groups, given as for `classes`; `alternative`: "two-sided",
        "greater" or "less" in the first group. `min_support` may then be left out.

        Ctrl-C ends the search; KeyboardInterrupt.partial then has the itemsets found so far.

        >>> data = Data([["milk", "bread"], ["milk"], ["milk", "bread", "beer"]])
        >>> data.itemsets(0.5, target="closed").to_lists()
        [['milk'], ['bread', 'milk']]
        """
        given = locals()
        with GroupFiles() as files:
            how = self._mine_options(given, files)
            rows = _classes.Rows(self.n, "transactions", self._known, self.ids)
            names = rows.options(how, given, files)
            return self._run(_lode.itemsets, how, progress,
                             functools.partial(Itemsets._of, classes=names), files)

    @_options.renamed(must="include")
    def count(self, min_support: Optional[Support] = None, target: str = "all", *,
              min_size: int = 1, max_size: Optional[int] = None, include: Groups = None,
              exclude: Groups = None, max_support: Optional[Support] = None,
              minima: Optional[Mapping[str, float]] = None,
              maxima: Optional[Mapping[str, float]] = None, device: str = "auto",
              threads: int = 0, algorithm: Optional[str] = None,
              memory: Union[None, int, str] = None, limit_time: Union[None, float, str] = None,
              limit_patterns: Optional[int] = None, verify: bool = False,
              progress: Wanted = None) -> Count:
        """Count itemsets without storing them. Returns an int with the attribute `by_size`.

        >>> count = Data([[1, 2], [1], [1, 2, 3]]).count(2)
        >>> count, count.by_size
        (3, {1: 2, 2: 1})
        """
        given = locals()
        with GroupFiles() as files:
            how = self._mine_options(given, files)
            return self._run(_lode.itemsets, how, progress, _counted, files, count=True)

    @_options.renamed(must="include", must_lhs="include_lhs", must_rhs="include_rhs", max_head="max_rhs",
                      max_body="max_lhs")
    def rules(self, min_support: Support, min_confidence: Optional[Support] = None, *,
              max_rhs: Optional[int] = 1, max_lhs: Optional[int] = None, min_size: int = 0,
              max_size: Optional[int] = None, lhs: Groups = None, rhs: Groups = None,
              include: Groups = None, include_lhs: Groups = None, include_rhs: Groups = None,
              exclude: Groups = None, exclude_lhs: Groups = None, exclude_rhs: Groups = None,
              minima: Optional[Mapping[str, float]] = None,
              maxima: Optional[Mapping[str, float]] = None, measures: Union[str, Sequence[str]] = (
                  "support", "confidence", "lift"),
              sort_by: Optional[str] = None, top: Optional[int] = None, productive: bool = False,
              holdout: Union[None, float, str] = None, seed: int = 0, adjust: Optional[str] = None,
              significant: Optional[float] = None, device: str = "auto", threads: int = 0,
              algorithm: Optional[str] = None, memory: Union[None, int, str] = None,
              limit_time: Union[None, float, str] = None, limit_patterns: Optional[int] = None,
              verify: bool = False, progress: Wanted = None) -> Rules:
        """Find rules "antecedent → consequent" with a support of at least `min_support`.

        `max_rhs`: maximum number of items of the consequent; None = no limit.
        `lhs`, `rhs`: the items allowed in the antecedent and in the consequent.
        `minima`, `maxima`: bounds of measures, such as {"lift": 1.5}.
        `measures`: the measures for to_pandas() and show(), in addition to those that `adjust`,
        `significant` and `holdout` add; lode.measures() lists all.
        `sort_by`: a measure; `top`: only this many of the best by `sort_by`, and ties.
        docs/rules.md explains the other arguments.

        >>> data = Data([["milk", "bread"], ["milk"], ["milk", "bread", "beer"]])
        >>> for rule in data.rules(2, 0.9):
        ...     print(rule.body, "->", rule.head, rule.both, "of", rule.body_count)
        ('bread',) -> ('milk',) 2 of 2
        """
        given = locals()
        shown_measures = asked_measures(measures, adjust is not None or significant is not None,
                                        holdout is not None)
        with GroupFiles() as files:
            how = self._rule_options(given, files)
            if needs_general(shown_measures):  # a bound that every rule meets
                _options.add_list(how, "min", ["improvement=-1"])
            return self._run(_lode.rules, how, progress, Rules._with(shown_measures), files)

    def suggest(self, want: int = 0, target: Union[None, str, Sequence[str]] = None, *,
                min_confidence: Optional[Support] = None,
                limit_time: Union[None, float, str] = None, seed: int = 0, threads: int = 0,
                progress: Wanted = None) -> "Suggestion":
        """Estimate the number of patterns at each threshold, before mining.

        `want`: the number of patterns wanted; `answer` then has the threshold that gives about that
        number. `target`: "all", "closed", "maximal", "rules", or a list of these. docs/suggest.md
        describes the method.

        >>> data = Data([[i, i % 2 + 50, i % 3 + 60] for i in range(12)] * 3)
        >>> data.suggest(want=5).answer.min_count
        12
        """
        how = _options.add([], want=want, limit_time=limit_time, seed=seed, threads=threads)
        if target is not None:
            _options.add(how, target=target if isinstance(target, str) else ",".join(target))
        if min_confidence is not None:
            _options.add(how, min_confidence=_options.ratio("min_confidence", min_confidence,
                                                            self.total))
        with shown(progress) as show:
            outcome = _lode.suggest(self._handle, how, show)
        return settle(outcome, lambda points, complete: Suggestion(
            [Point(*point) for point in points], self.total, want))

    # ---- Options --------------------------------------------------------------------------------

    def _run(self, function: Any, how: Options, progress: Wanted, wrap: Any, files: GroupFiles,
             count: bool = False) -> Any:
        asked = dict(how).get("min-support")
        if files.impossible:  # a required item is in no transaction: nothing is found
            how = [option for option in how if option[0] not in ("min-support", "rare")]
            how.append(("min-support", str(self.total + 1)))
        try:
            with shown(progress) as show:
                outcome = function(self._handle, how, show, count)
            made = settle(outcome, lambda made, complete: wrap(self, made, complete))
        except Error as error:
            self._known.reword(error, files)
            raise
        if files.impossible and not count and asked is not None and asked.isdigit():
            made._told = {"report": made.report, "min_count": int(asked)}
            made._result = None
        return made

    def _common(self, given: Dict[str, Any], part: bool) -> Options:
        how: Options = []
        if given["min_support"] is not None:
            how.append(("min-support", _options.threshold("min_support", given["min_support"],
                                                          self.total, part)))
        names = ("max_size", "device", "threads", "algorithm", "limit_time", "limit_patterns",
                 "verify")
        _options.add(how, **{name: given[name] for name in names})
        return _options.add_memory(how, given["memory"])

    def _mine_options(self, given: Dict[str, Any], files: GroupFiles) -> Options:
        how = self._common(given, False)
        _options.add(how, target=given["target"], min_size=given["min_size"])
        if given["max_support"] is not None:
            how.append(("rare", _options.maximum("max_support", given["max_support"], self.total)))
        for name, option in (("minima", "min"), ("maxima", "max")):
            _options.add_list(how, option, _lines(name, given[name]))
        _options.add_list(how, "include", self._groups("include", given["include"], files))
        return _options.add_list(how, "exclude", self._union("exclude", given["exclude"], files))

    def _rule_options(self, given: Dict[str, Any], files: GroupFiles) -> Options:
        how = self._common(given, given["holdout"] is not None)
        if given["min_confidence"] is not None:
            _options.add(how, min_confidence=_options.ratio("min_confidence",
                                                            given["min_confidence"], self.total))
        _check_holdout(given["holdout"])
        whole = isinstance(given["max_rhs"], numbers.Integral)
        if given["max_rhs"] is not None and not (whole and given["max_rhs"] >= 1):
            raise InvalidError(f"max_rhs={given['max_rhs']!r}: expected 1 or more, or None for "
                               "consequents of any size")
        how.append(("max-rhs", "any" if given["max_rhs"] is None else str(given["max_rhs"])))
        names = ("max_lhs", "min_size", "sort_by", "top", "productive", "seed", "adjust")
        _options.add(how, **{name: given[name] for name in names})
        _options.add(how, holdout=_options.ratio("holdout", given["holdout"], self.total)
                     if isinstance(given["holdout"], float) else given["holdout"])
        how += _options.level("significant", given["significant"], "adjustedP")
        if given["top"] is not None and given["sort_by"] is None:
            raise InvalidError(f"top={given['top']}: the best by which measure? expected sort_by, "
                               "such as sort_by='lift'")
        for name in ("lhs", "rhs", "exclude", "exclude_lhs", "exclude_rhs"):
            _options.add_list(how, name, self._union(name, given[name], files))
        for name in ("include", "include_lhs", "include_rhs"):
            _options.add_list(how, name, self._groups(name, given[name], files))
        for name, option in (("minima", "min"), ("maxima", "max")):
            _options.add_list(how, option, _bounds(name, given[name]))
        return how

    # ---- Groups of items ------------------------------------------------------------------------

    def _union(self, option: str, groups: Groups, files: GroupFiles) -> List[str]:
        """The lines of an option that stands for all items of all groups."""
        known, given = self._known, self._known.groups(groups)
        lines = [line for group in given for one in known.members(group)
                 for line in known.matching(one)]
        files.impossible |= option in _ALLOWED and bool(given) and not lines
        return lines

    def _groups(self, option: str, groups: Groups, files: GroupFiles) -> List[str]:
        """The lines of an option that stands for one item of every group."""
        lines = []
        for group in self._known.groups(groups):
            members = self._known.members(group)
            if not members:
                raise InvalidError(f"{option}: an empty group; expected at least one item")
            found = [line for one in members for line in self._known.matching(one)]
            if found:
                lines.append(found[0] if len(found) == 1 else files.add(found))
            files.impossible |= not found
        return lines


def _unpickled(kind: Any, arrays: Tuple[Any, Any, Any], state: Dict[str, Any]) -> Data:
    """Restores a data set from the parts returned by Data.__reduce__()."""
    data: Data = kind.__new__(kind)
    outcome = _lode.from_arrays(*arrays, [], None, state["_budget"])
    data._handle = settle(outcome, lambda made, complete: made)
    data._spills, data._width = False, None
    for name, value in state.items():
        setattr(data, name, value)
    data._item_names = ItemNames(data.total, data._names)
    data._known = Known(data._item_names, data._handle, data._width)
    return data


class Point(NamedTuple):
    """A point of a curve: the number of patterns with a support of at least `min_count`."""

    target: str
    min_count: int
    patterns: float
    low: float  # 90% confidence interval of the number, with `high`
    high: float
    exact: bool
    answer: bool


class Suggestion:
    """Curves of the number of patterns by threshold, and the suggested thresholds."""

    def __init__(self, points: List[Point], total: int, want: int = 0) -> None:
        self.points = _answered(points, want)
        self.total = total
        self.want = want

    @property
    def answers(self) -> Dict[str, Point]:
        """The suggested threshold of each target that has one."""
        return {point.target: point for point in self.points if point.answer}

    @property
    def answer(self) -> Point:
        """The threshold that gives about `want` patterns, for the first target; `answers` has the
        thresholds of all targets. If even the highest support of any pattern gives more patterns, the
        answer is that support."""
        for point in self.points:
            if point.answer:
                return point
        if self.want == 0:
            raise InvalidError("no threshold was requested; expected suggest(want=1000)")
        if not self.points:
            raise InvalidError(
                f"no threshold for want={self.want}: either the data have no items, or even the "
                "highest threshold gives far more patterns than can be counted in the given time. Use "
                "a target with fewer patterns, such as 'closed' or 'maximal', or a higher limit_time")
        raise InvalidError(f"no threshold for want={self.want} was found in the given time; "
                           "use a higher limit_time")

    def to_pandas(self) -> Any:
        """Convert to a pandas DataFrame with a row per point."""
        import pandas
        return pandas.DataFrame(self.points, columns=list(Point._fields))

    def __repr__(self) -> str:
        lines = [f"{'target':8} {'count':>10} {'support':>9} {'patterns':>16}"]
        for p in self.points:
            share = f"{100 * p.min_count / self.total:.3g}%" if self.total else "-"
            number = f"{p.patterns:,.0f}" if p.exact else f"about {p.patterns:,.3g}"
            lines.append(f"{p.target:8} {p.min_count:>10,} {share:>9} {number:>16}" +
                         ("  <- answer" if p.answer else ""))
        return "\n".join(lines)


def _answered(points: List[Point], want: int) -> List[Point]:
    """Marks an answer for each target: the highest threshold, if even that has more than `want`
    patterns."""
    for target in dict.fromkeys(point.target for point in points) if want > 0 else ():
        own = [i for i, point in enumerate(points) if point.target == target]
        top = max(own, key=lambda i: points[i].min_count)
        if points[top].patterns > want and not any(points[i].answer for i in own):
            points[top] = points[top]._replace(answer=True)
    return points


def _check_holdout(holdout: Any) -> None:
    """Checks `holdout`: a number is a share; text may also be a path."""
    if holdout is not None and not isinstance(holdout, (str, os.PathLike)) and (
            isinstance(holdout, bool) or not isinstance(holdout, numbers.Real)
            or not 0 < float(holdout) < 1):
        raise InvalidError(f"holdout={holdout!r}: expected a share above 0 and below 1, such as 0.3, "
                           "or the path of a file")


def _bounds(name: str, bounds: Any) -> List[str]:
    """The lines of an option for bounds of measures."""
    for measure in check_bounds(name, bounds):
        check_measure(measure)
    return _lines(name, bounds)


def _lines(name: str, bounds: Any) -> List[str]:
    """The same, without knowing the names of the measures."""
    check_bounds(name, bounds)
    return [f"{measure}={float(value):.17g}" for measure, value in (bounds or {}).items()]


def _counted(data: Data, result: Any, complete: bool) -> Count:
    return Count(result.head()[0], result.sizes(), complete)


# ---- Sources ------------------------------------------------------------------------------------

def _paths(source: Any) -> Optional[List[bytes]]:
    """The paths, if the source is one or several; else None."""
    if isinstance(source, (str, bytes, os.PathLike)):
        return [os.fsencode(source)]
    if isinstance(source, (list, tuple)) and source and all(
            isinstance(one, os.PathLike) for one in source):
        return [os.fsencode(one) for one in source]
    return None


def _file_options(how: Options, tid: Any, item: Any, weights: Any, options: Dict[str, Any]) -> None:
    for name, column in (("tid", tid), ("item", item), ("weight", weights)):
        if column is not None and not isinstance(column, (str, int)):
            given = "weights" if name == "weight" else name
            raise InvalidError(f"{given}={column!r}: expected the name or number of a column of the "
                               "file")
        _options.add(how, **{name: column})
    for name, value in options.items():
        if isinstance(value, (list, tuple)):
            _options.add_list(how, name, value)
        else:
            _options.add(how, **{name: os.fspath(value) if isinstance(value, os.PathLike)
                                 else value})


def _refuse_names(names: Any) -> None:
    if names is not None:
        raise InvalidError("names: only for the columns of a matrix; other sources have their own "
                           "names")


def _decoded(handle: Any) -> Optional[List[Hashable]]:
    try:
        return handle.names()  # type: ignore[no-any-return]
    except UnicodeDecodeError as error:
        raise InvalidError(f"the item {error.object!r} of the file is not UTF-8; expected UTF-8. To "
                           "convert it, use `lode clean` or open(path, encoding='cp1252')"
                           ) from None


def _settled(outcome: Any) -> Any:
    """The data set of a stream; what is wrong with the stream is an InvalidError."""
    try:
        return settle(outcome, lambda made, complete: made)
    except (FileError, ParseError, UnsupportedError) as error:
        hint = str(error).find(" (drop_rows=")  # an option for files
        raise InvalidError(str(error)[:hint if hint >= 0 else None]) from None


def _arrays(source: Any, tid: Any, item: Any, names: Any, weights: Any, read: Any) -> _sources.Arrays:
    arrays = _from_any(source, tid, item, names, weights, read)
    _sources.check_names(arrays.names)
    if arrays.handle is None and arrays.weights is None and weights is not None:
        arrays.weights = _sources.check_weights(_in_order_of(source, arrays, weights), arrays.n)
    return arrays


def _in_order_of(source: Any, arrays: _sources.Arrays, weights: Any) -> Any:
    """Weights in the order of the transactions. A Series is aligned by the labels of the
    transactions: the values of tid=, the keys of a dict, or the index of a pandas object. Sources
    without labels, such as lists and matrices, use its values in order."""
    pandas = _sources.loaded("pandas")
    if pandas is None or not isinstance(weights, pandas.Series):
        return weights
    if arrays.ids is not None:
        labels = pandas.Index(arrays.ids)
    else:
        labels = getattr(source, "index", None)
    if not isinstance(labels, pandas.Index) or weights.index.equals(labels):
        return weights
    if weights.index.is_unique and labels.is_unique and len(weights) == len(labels) and (
            labels.isin(weights.index).all()):
        return weights.loc[labels]
    raise InvalidError("weights: the index of the Series does not match the transactions; expected "
                       "the same labels, or an array in the order of the transactions")


def _from_any(source: Any, tid: Any, item: Any, names: Any, weights: Any, read: Any) -> _sources.Arrays:
    pandas, sparse = _sources.loaded("pandas"), _sources.loaded("scipy.sparse")
    if pandas is not None and isinstance(source, pandas.DataFrame):
        return _from_pandas(source, tid, item, names, weights)
    is_table = hasattr(source, "__arrow_c_stream__")
    if not is_table and (tid is not None or item is not None):
        raise InvalidError("tid and item: expected a table with such columns, not a "
                           f"{type(source).__name__}")
    if is_table:
        from ._arrow import from_stream
        return from_stream(source, tid, item, weights, read)
    if sparse is not None and sparse.issparse(source):
        return _sources.from_csr(source, _checked(names, source.shape[1]))
    if isinstance(source, np.ndarray) and (source.dtype != object or source.ndim == 2):
        _sources.refuse_masked(source)
        return _sources.from_matrix(source, _checked(names, source.shape[-1] if source.ndim else 0))
    _refuse_names(names)
    if isinstance(source, Mapping):
        return _sources.from_dict(source)
    return _sources.from_lists(source)


def _from_pandas(frame: Any, tid: Any, item: Any, names: Any, weights: Any) -> _sources.Arrays:
    _refuse_names(names)
    if tid is None and item is None:
        return _sources.from_weighted_frame(frame, weights)
    if tid is None or item is None:
        raise InvalidError("tid and item: expected both, the columns of a table with a row for each "
                           "(transaction, item)")
    column = weights if isinstance(weights, str) else None
    return _sources.from_long(_sources.with_levels(frame, tid, item, column), tid, item, column)


def _checked(names: Any, n: int) -> Optional[List[Hashable]]:
    if names is None:
        return None
    listed = list(names)
    if len(listed) != n:
        raise InvalidError(f"{len(listed)} names; expected {n}, one for each column")
    return listed
