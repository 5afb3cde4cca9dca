"""What itemsets, rules and subgraphs have in common: columns, selections, copies, tables.

A result is a dictionary of columns. Some are plain, with a value for each row; others are lists,
whose offsets say where those of each row begin. The columns are those of lode, lent and not copied,
or of a selection; nobody can write to them. So a slice shares them, and a copy is a new name.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import json
import numbers
from typing import (Any, ClassVar, Dict, Generic, Iterator, Mapping, Optional, Self, Tuple, TypeVar,
                    overload)

import numpy as np

from . import _columns, _show
from ._columns import Array, Selection
from ._errors import InvalidError

One = TypeVar("One")
Bounds = Optional[Mapping[str, float]]


class Results(Generic[One]):
    """Rows by columns: see Itemsets, Rules and Subgraphs."""

    _lists: ClassVar[Dict[str, Tuple[str, ...]]]  # columns of offsets, and those that they divide
    _sides: ClassVar[int] = 1  # lists of each row, one after the other
    _count: ClassVar[str] = "supports"  # the column of counts
    _words: ClassVar[Tuple[str, str]]  # what they are, and what they are found in
    _kept: ClassVar[Tuple[str, ...]] = ()  # attributes that a selection has, too

    def __init__(self, source: Any, columns: Dict[str, Array], complete: bool = True,
                 data: Any = None, result: Any = None) -> None:
        self.data = data
        """What they were found in; None where they were loaded or unpickled."""
        self.complete = complete
        """False if a limit or Ctrl-C ended the search: then these are some of all."""
        self._source = source
        self._columns = {name: _columns.locked(column) for name, column in columns.items()}
        self._result = result
        self._told: Dict[str, Any] = {}  # the report and the threshold, where there is no result

    # ---- What there is --------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._columns[self._count])

    @property
    def n(self) -> int:
        """What is 100%: transactions (the sum of their weights, if they have any) or graphs."""
        return int(self._source.total)

    @property
    def report(self) -> Dict[str, Any]:
        """What the search did: algorithm, device, times, memory. Empty for a selection."""
        if self._result is not None:
            return dict(json.loads(self._result.report(True)))
        return dict(self._told.get("report", {}))

    @property
    def min_count(self) -> int:
        """The threshold of the search as a count, which a share has become exactly; of a selection,
        the lowest support in it."""
        if self._result is not None:
            return int(self._result.head()[1])
        if "min_count" in self._told:
            return int(self._told["min_count"])
        return int(self._columns[self._count].min()) if len(self) else 0

    # ---- Columns --------------------------------------------------------------------------------

    def _figures(self) -> Tuple[str, ...]:
        """The names of the columns of numbers that found[name] knows."""
        raise NotImplementedError

    def column(self, name: str) -> Array:
        """A column of numbers, by the name that it has in to_pandas(); `found[name]` is the same.

        >>> import lode
        >>> lode.Data([[1, 2], [1], [1, 2, 3]]).itemsets(2)["count"].tolist()
        [3, 2, 2]
        """
        if name not in self._figures():
            raise InvalidError(f"there is no column {name!r} of numbers; expected one of "
                               f"{', '.join(self._figures())}, or the number of a row")
        return self._figure(name)

    def _figure(self, name: str) -> Array:
        raise NotImplementedError

    def _ascends(self, name: str) -> bool:
        """Whether the low values of a column are the better ones."""
        return False

    # ---- Single ones and selections -------------------------------------------------------------

    @overload
    def __getitem__(self, key: int) -> One: ...

    @overload
    def __getitem__(self, key: str) -> Array: ...

    @overload
    def __getitem__(self, key: Selection) -> Self: ...

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.column(key)
        if isinstance(key, (int, np.integer)):
            if not -len(self) <= key < len(self):
                raise IndexError(f"number {key}; there are {len(self):,} {self._words[0]}")
            return self._one(int(key) % len(self))
        if isinstance(key, slice):
            first, end, step = key.indices(len(self))
            if step == 1:
                return self._cut(first, max(first, end))
            key = np.arange(first, end, step)
        return self._take(_columns.index_of(key, len(self)))

    def _one(self, i: int) -> One:
        raise NotImplementedError

    def _plain(self) -> Dict[str, Array]:
        """The columns that have a value for each row."""
        lists = {*self._lists, *(name for values in self._lists.values() for name in values)}
        return {name: column for name, column in self._columns.items() if name not in lists}

    def _cut(self, first: int, end: int) -> Self:
        """Rows one after the other: their columns are not copied."""
        columns = {name: None if column is None else column[first:end]
                   for name, column in self._plain().items()}
        for offsets, values in self._lists.items():
            for name in values:
                columns[offsets], columns[name] = _columns.cut(
                    self._columns[offsets], self._columns[name], self._sides * first,
                    self._sides * end)
        return self._selected(columns)

    def _take(self, index: Array) -> Self:
        columns = {name: None if column is None else column[index]
                   for name, column in self._plain().items()}
        lists = (self._sides * index[:, None] + np.arange(self._sides)).ravel()
        for offsets, values in self._lists.items():
            for name in values:
                columns[offsets], columns[name] = _columns.gather(
                    self._columns[offsets], self._columns[name], lists)
        return self._selected(columns)

    def _selected(self, columns: Dict[str, Array]) -> Self:
        part = type(self)(self._source, columns, self.complete, self.data)
        for name in self._kept:
            setattr(part, name, getattr(self, name))
        return part

    def __iter__(self) -> Iterator[One]:
        """One by one, made when they are asked for."""
        for i in range(len(self)):
            yield self._one(i)

    def head(self, n: int = 5) -> Self:
        """The first n."""
        return self[:n]

    def tail(self, n: int = 5) -> Self:
        """The last n."""
        return self[len(self) - n if n < len(self) else 0:] if n >= 0 else self[-n:]

    def sample(self, n: int = 1, seed: Optional[int] = None) -> Self:
        """n of them by chance, no one twice, in their order; the same ones for the same seed."""
        if not 0 <= n <= len(self):
            raise InvalidError(f"a sample of {n}; expected 0 to {len(self)}")
        return self._take(np.sort(np.random.default_rng(seed).choice(len(self), n, replace=False)))

    def filter(self, minima: Bounds = None, maxima: Bounds = None) -> Self:
        """Those whose columns are within bounds, which belong to them: filter({"count": 2}).

        >>> import lode
        >>> lode.Data([[1, 2], [1], [1, 2, 3]]).itemsets(1).filter({"size": 2}, {"count": 1})
        <3 itemsets of 3 transactions>
        """
        keep = np.ones(len(self), bool)
        for bound, value in check_bounds("minima", minima).items():
            keep &= self[bound] >= value
        for bound, value in check_bounds("maxima", maxima).items():
            keep &= self[bound] <= value
        return self[keep]

    def sort_by(self, name: str, ascending: Optional[bool] = None) -> Self:
        """The same, ordered by a column: the best first, as data.rules(sort_by=name) has them; of
        some, such as p-values, the best are low. `ascending` says True or False otherwise. What has
        no value comes last; equal ones stay as they are."""
        values = self.column(name)
        if ascending is None:
            ascending = self._ascends(name)
        return self._take(np.argsort(values if ascending else -values, kind="stable"))

    def equals(self, other: Any) -> bool:
        """Whether these are the same rows in the same order, with the same names and counts."""
        return type(other) is type(self) and len(other) == len(self) and self.n == other.n and all(
            one == another for one, another in zip(self, other))

    # ---- Copies ---------------------------------------------------------------------------------

    def __copy__(self) -> Self:
        copy = self._selected(self._columns)
        copy._result, copy._told = self._result, self._told
        return copy

    def __deepcopy__(self, memo: Any) -> Self:
        return self.__copy__()  # nobody can write to the columns

    def __reduce__(self) -> Any:
        kept = {name: getattr(self, name) for name in self._kept}
        told = self._told if self._result is None else {"report": self.report,
                                                        "min_count": self.min_count}
        columns = {name: None if column is None else np.ascontiguousarray(column)
                   for name, column in self._columns.items()}
        return _restored, (type(self), self._source, columns, self.complete, told, kept)

    def __getattr__(self, name: str) -> Any:
        hint = "" if name.startswith("_") else ("; to_pandas() makes a frame, which has all that "
                                                "pandas can do")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{hint}")

    # ---- Elsewhere ------------------------------------------------------------------------------

    def _table(self) -> Dict[str, Any]:
        """The columns of to_pandas()."""
        raise NotImplementedError

    def to_pandas(self, copy: bool = True) -> Any:
        """A frame of pandas; docs/python.md lists its columns. `copy=False` lends the columns of
        numbers as they are: then they cannot be written to."""
        import pandas
        table = self._table()
        for name, column in table.items():
            if copy and isinstance(column, np.ndarray) and not column.flags.writeable:
                table[name] = column.copy()
        return pandas.DataFrame(table, copy=False)

    def _arrow(self) -> Dict[str, Any]:
        """The columns of the stream, as _arrow.Numbers and _arrow.List."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """For pyarrow, polars and others: the same columns, without a copy."""
        from ._arrow import stream
        return stream(self._arrow())

    # ---- For people -----------------------------------------------------------------------------

    def _shown(self) -> Self:
        """The rows in the order in which people see them."""
        return self

    def _rows(self, most: int) -> _show.Table:
        """A table of the first ones."""
        raise NotImplementedError

    def show(self, most: int = 20) -> None:
        """Prints the first ones; in a notebook, an expression shows a table with bars, or drawings
        of graphs. Itemsets come in the order of their supports."""
        print(_show.text(self._shown()._rows(most)))

    def __repr__(self) -> str:
        return f"<{len(self):,} {self._words[0]} of {self.n:,} {self._words[1]}" + (
            ">" if self.complete else ", incomplete>")

    def _repr_html_(self) -> str:
        return _show.html(self._shown()._rows(_show.NOTEBOOK_ROWS))


class Supported(Results[One]):
    """Results with a support for each row."""

    @property
    def supports(self) -> Array:
        """In how many transactions, or graphs, each occurs; int64."""
        return self._columns["supports"]

    @property
    def sizes(self) -> Array:
        """How many items, or edges, each has."""
        raise NotImplementedError

    @property
    def shares(self) -> Array:
        """Supports as shares of all, from 0 to 1."""
        return self.supports / self.n if self.n else np.zeros(len(self))

    def by_support(self) -> Self:
        """The same, those of the highest support first; of equal support, as they are now."""
        return self.sort_by("count")


def _restored(kind: Any, source: Any, columns: Dict[str, Array], complete: bool,
              told: Dict[str, Any], kept: Dict[str, Any]) -> Any:
    """A result as it was pickled."""
    made = kind(source, columns, complete)
    made._told = told
    for name, value in kept.items():
        setattr(made, name, value)
    return made


def check_bounds(name: str, bounds: Bounds) -> Mapping[str, float]:
    """Bounds of columns: a dict of numbers, none of which is missing."""
    if bounds is None:
        return {}
    if not isinstance(bounds, Mapping):
        raise InvalidError(f"{name}={bounds!r}: expected a dict of measures, such as {{'lift': 1.5}}")
    for measure, value in bounds.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise InvalidError(f"{name}: {measure!r} is {value!r}; expected a number")
    return bounds
