"""Base classes of itemsets, rules and subgraphs: columns, selections, copies, tables.

A result is a dictionary of columns. Plain columns have a value per row; list columns have offsets
that say where the list of each row begins. All columns are read-only views of lode's memory, or
belong to a selection, so slices share them and copies copy nothing.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import json
import numbers
from typing import (Any, ClassVar, Dict, Generic, Iterable, Iterator, List, Mapping, Optional, Self,
                    Sequence, Tuple, TypeVar, overload)

import numpy as np

from . import _classes, _columns, _show
from ._columns import Array, Selection
from ._errors import InvalidError

One = TypeVar("One")
Bounds = Optional[Mapping[str, float]]
_CLASS = "class:"  # begins the names of the columns that compare classes


class Results(Generic[One]):
    """Base class of results; see Itemsets, Rules and Subgraphs."""

    _lists: ClassVar[Dict[str, Tuple[str, ...]]]  # columns of offsets, and those that they divide
    _sides: ClassVar[int] = 1  # lists of each row, one after the other
    _count: ClassVar[str] = "supports"  # the column of counts
    _words: ClassVar[Tuple[str, str]]  # what they are, and what they are found in
    _kept: ClassVar[Tuple[str, ...]] = ()  # attributes that a selection has, too

    def __init__(self, source: Any, columns: Dict[str, Array], complete: bool = True,
                 data: Any = None, result: Any = None) -> None:
        self.data = data
        """The data set that was mined; None for a loaded or unpickled result."""
        self.complete = complete
        """False if a limit or Ctrl-C ended the search, so that patterns may be missing."""
        self._source = source
        self._columns = {name: _columns.locked(column) for name, column in columns.items()}
        self._result = result
        self._told: Dict[str, Any] = {}  # the report and the threshold, where there is no result

    # ---- Properties -----------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._columns[self._count])

    @property
    def n(self) -> int:
        """The total: the number of transactions (or sum of their weights) or graphs."""
        return int(self._source.total)

    @property
    def report(self) -> Dict[str, Any]:
        """The report of the search: algorithm, device, times, memory. Empty for a selection."""
        if self._result is not None:
            return dict(json.loads(self._result.report(True)))
        return dict(self._told.get("report", {}))

    @property
    def min_count(self) -> int:
        """The threshold of the search as a count; for a selection, its lowest support."""
        if self._result is not None:
            return int(self._result.head()[1])
        if "min_count" in self._told:
            return int(self._told["min_count"])
        return int(self._columns[self._count].min()) if len(self) else 0

    # ---- Columns --------------------------------------------------------------------------------

    def _figures(self) -> Tuple[str, ...]:
        """The names of the numeric columns that found[name] accepts."""
        raise NotImplementedError

    def column(self, name: str) -> Array:
        """A numeric column, by its name in to_pandas(); the same as `found[name]`.

        >>> import lode
        >>> lode.Data([[1, 2], [1], [1, 2, 3]]).itemsets(2)["count"].tolist()
        [3, 2, 2]
        """
        if name not in self._figures():
            raise InvalidError(f"{name!r} is not a column of numbers; expected one of "
                               f"{', '.join(self._figures())}; an integer is a row number")
        return self._figure(name)

    def _figure(self, name: str) -> Array:
        raise NotImplementedError

    def _ascends(self, name: str) -> bool:
        """Whether low values of a column are better."""
        return False

    # ---- Rows and selections --------------------------------------------------------------------

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
                raise IndexError(f"there is no row {key}; there are {len(self):,} {self._words[0]}")
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
        """The columns with a value per row."""
        lists = {*self._lists, *(name for values in self._lists.values() for name in values)}
        return {name: column for name, column in self._columns.items() if name not in lists}

    def _cut(self, first: int, end: int) -> Self:
        """A range of rows; columns are not copied."""
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
        """Iterates over the rows, making one object at a time."""
        for i in range(len(self)):
            yield self._one(i)

    def head(self, n: int = 5) -> Self:
        """The first n rows."""
        return self[:n]

    def tail(self, n: int = 5) -> Self:
        """The last n rows."""
        return self[len(self) - n if n < len(self) else 0:] if n >= 0 else self[-n:]

    def sample(self, n: int = 1, seed: Optional[int] = None) -> Self:
        """A random sample of n rows without replacement, in their order; reproducible by `seed`."""
        if not 0 <= n <= len(self):
            raise InvalidError(f"a sample of {n} rows; expected 0 to {len(self)}")
        return self._take(np.sort(np.random.default_rng(seed).choice(len(self), n, replace=False)))

    def filter(self, minima: Bounds = None, maxima: Bounds = None) -> Self:
        """Select rows by inclusive bounds of columns: filter(minima, maxima).

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
        """Sort by a column, best first, as data.rules(sort_by=name); for some columns, such as
        p-values, low values are best. `ascending` overrides that. NaN comes last; the sort is
        stable."""
        values = self.column(name)
        if ascending is None:
            ascending = self._ascends(name)
        return self._take(np.argsort(values if ascending else -values, kind="stable"))

    def equals(self, other: Any) -> bool:
        """Whether two results have the same rows in the same order, with equal names and counts."""
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

    # ---- Export ---------------------------------------------------------------------------------

    def _table(self) -> Dict[str, Any]:
        """The columns of to_pandas()."""
        raise NotImplementedError

    def to_pandas(self, copy: bool = True) -> Any:
        """Convert to a pandas DataFrame; docs/python.md lists its columns. With `copy=False`, its
        numeric columns are read-only views."""
        import pandas
        table = self._table()
        for name, column in table.items():
            if copy and isinstance(column, np.ndarray) and not column.flags.writeable:
                table[name] = column.copy()
        return pandas.DataFrame(table, copy=False)

    def _arrow(self) -> Dict[str, Any]:
        """The columns of the Arrow stream, as _arrow.Numbers and _arrow.List."""
        raise NotImplementedError

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Exports the columns to pyarrow, polars and others, without a copy."""
        from ._arrow import stream
        return stream(self._arrow())

    # ---- Display --------------------------------------------------------------------------------

    def _shown(self) -> Self:
        """The rows in display order."""
        return self

    def _rows(self, most: int) -> _show.Table:
        """A table of the first rows."""
        raise NotImplementedError

    def show(self, most: int = 20) -> None:
        """Print the first rows; itemsets are ordered by support. Notebooks display results as a
        table with bars, or as drawings of graphs."""
        print(_show.text(self._shown()._rows(most)))

    def __repr__(self) -> str:
        return f"<{len(self):,} {self._words[0]} of {self.n:,} {self._words[1]}" + (
            ">" if self.complete else ", incomplete>")

    def _repr_html_(self) -> str:
        return _show.html(self._shown()._rows(_show.NOTEBOOK_ROWS))


class Supported(Results[One]):
    """Results with a support for each row."""

    _kept = ("class_columns", "tested")
    class_columns: Tuple[str, ...] = ()
    """The names of the columns that compare classes, such as oddsRatio; () without classes."""
    tested: Optional[Dict[str, Any]] = None
    """After significant=…: alpha, by, level (the largest significant p-value), tests, found,
    permutations, seed. None without a test."""

    def _compared(self, lent: Dict[str, Any], names: Sequence[str]) -> Self:
        """Takes the columns of classes over, with the names of the classes if lode lacks them."""
        columns = _classes.named_columns(lent["classes"], names)
        for name, column in columns:
            self._columns[_CLASS + name] = _columns.locked(_columns.view(column, np.float64))
        self.class_columns = tuple(name for name, _ in columns)
        self.tested = _classes.tested(self.report) if columns else None
        return self

    def _class_column(self, name: str) -> Array:
        values = self._columns[_CLASS + name]
        whole = name.startswith("count_") or name == "class"
        return values.astype(np.int64) if whole else values

    def _ascends(self, name: str) -> bool:
        return name in ("p", "adjustedP") or super()._ascends(name)

    def _class_heads(self) -> Tuple[str, ...]:
        """The columns of classes that are displayed."""
        return tuple(name for name in ("oddsRatio", "p", "adjustedP") if name in self.class_columns)

    def _class_cells(self) -> Iterable[List[str]]:
        columns = [self[name].tolist() for name in self._class_heads()]
        return [[f"{column[i]:.3g}" for column in columns] for i in range(len(self))]

    def __repr__(self) -> str:
        text = super().__repr__()
        if self.tested is None:
            return text
        how = f"by {self.tested['by']} at {self.tested['alpha']:g}"
        return text.replace(f" {self._words[0]}", f" significant {self._words[0]}",
                            1)[:-1] + f", tested {how}>"

    @property
    def supports(self) -> Array:
        """The number of transactions, or graphs, that contain each pattern; int64."""
        return self._columns["supports"]

    @property
    def sizes(self) -> Array:
        """The number of items, or edges, of each pattern."""
        raise NotImplementedError

    @property
    def shares(self) -> Array:
        """Supports as shares of the total, from 0 to 1."""
        return self.supports / self.n if self.n else np.zeros(len(self))

    def by_support(self) -> Self:
        """Sort by support, the highest first; the sort is stable."""
        return self.sort_by("count")


def _restored(kind: Any, source: Any, columns: Dict[str, Array], complete: bool,
              told: Dict[str, Any], kept: Dict[str, Any]) -> Any:
    """Restores a pickled result."""
    made = kind(source, columns, complete)
    made._told = told
    for name, value in kept.items():
        setattr(made, name, value)
    return made


def check_bounds(name: str, bounds: Bounds) -> Mapping[str, float]:
    """Checks bounds of columns: a dict of numbers without NaN."""
    if bounds is None:
        return {}
    if not isinstance(bounds, Mapping):
        raise InvalidError(f"{name}={bounds!r}: expected a dict of measures, such as {{'lift': 1.5}}")
    for measure, value in bounds.items():
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise InvalidError(f"{name}: {measure!r} is {value!r}; expected a number")
    return bounds
