"""pandas extension types for itemsets and subgraphs, without an object per cell.

A DataFrame with millions of itemsets stores them in two arrays; a cell becomes a tuple on access.
`column.array.items` and `column.array.offsets` are the arrays, and `column.astype(object)` makes
all tuples. A cell of a column of subgraphs is a lode.Subgraph.

Two itemsets are equal if they have the same items, in any order:

>>> import lode
>>> frame = lode.Data([["milk", "bread"], ["milk"], ["bread", "milk"]]).itemsets(2).to_pandas()
>>> frame[frame["itemset"] == {"milk", "bread"}]["count"].tolist()
[2]
>>> frame["itemset"].map(", ".join).tolist()
['bread', 'milk', 'bread, milk']

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from typing import Any, Dict, Hashable, Iterable, List, Optional, Sequence, Tuple, Type

import numpy as np
import pandas
from pandas.api.extensions import ExtensionDtype, register_extension_dtype

from . import _columns, _lode, _show
from ._columns import Array
from ._pandas_cells import LazyCells, is_missing
from ._subgraphs import Subgraph

_SETS = (tuple, list, set, frozenset)


@register_extension_dtype
class ItemsetDtype(ExtensionDtype):  # type: ignore[misc]
    """The dtype of a column of itemsets: "itemset"."""

    name = "itemset"
    type = tuple
    na_value = pandas.NA

    def __repr__(self) -> str:
        return "ItemsetDtype()"

    @classmethod
    def construct_array_type(cls) -> Type["ItemsetArray"]:
        return ItemsetArray


@register_extension_dtype
class SubgraphDtype(ExtensionDtype):  # type: ignore[misc]
    """The dtype of a column of subgraphs: "subgraph"."""

    name = "subgraph"
    type = Subgraph
    na_value = pandas.NA

    def __repr__(self) -> str:
        return "SubgraphDtype()"

    @classmethod
    def construct_array_type(cls) -> Type["SubgraphArray"]:
        return SubgraphArray


# ---- Itemsets -----------------------------------------------------------------------------------

def _in_rows(offsets: Array, items: Array) -> Tuple[Array, Array]:
    """Rows with ascending, distinct items."""
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((items, rows))
    items = items[order]
    new = np.ones(len(items), bool)
    new[1:] = (items[1:] != items[:-1]) | (rows[1:] != rows[:-1])
    ends = np.zeros(len(offsets), np.int64)
    np.cumsum(np.bincount(rows[new], minlength=len(offsets) - 1), out=ends[1:])
    return ends, items[new]


def _small(items: Array) -> Array:
    """Items renumbered from 0 in the same order, so that they can index a table."""
    if not len(items) or items.max() < len(items) + 2**16:
        return np.ascontiguousarray(items)
    return np.unique(items, return_inverse=True)[1].astype(np.uint32)


def _ranked(names: Iterable[Hashable]) -> List[Hashable]:
    """Names in an order that depends only on the names."""
    listed = list(names)
    try:
        return sorted(listed)  # type: ignore[type-var]
    except TypeError:
        return sorted(listed, key=lambda name: (type(name).__name__, repr(name)))


class ItemsetArray(LazyCells):
    """An array of itemsets; a cell is a tuple of names.

    Itemset i has the items `items[offsets[i]:offsets[i + 1]]`. `missing` is a mask of rows without
    an itemset; None = no row is missing.
    """

    def __init__(self, offsets: Array, items: Array, names: Optional[List[Hashable]] = None,
                 missing: Optional[Array] = None) -> None:
        self.offsets = offsets
        self.items = items
        self.names = names
        self.missing = missing

    @property
    def dtype(self) -> ItemsetDtype:
        return ItemsetDtype()

    @property
    def nbytes(self) -> int:
        return int(self.offsets.nbytes + self.items.nbytes)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def isna(self) -> Array:
        return np.zeros(len(self), bool) if self.missing is None else self.missing.copy()

    def _is_gone(self, i: int) -> bool:
        return self.missing is not None and bool(self.missing[i])

    def _cell(self, i: int) -> Tuple[Hashable, ...]:
        return _columns.names_of(self.items[self.offsets[i]:self.offsets[i + 1]].tolist(),
                                 self.names)

    def _is_cell(self, value: Any) -> bool:
        return isinstance(value, (tuple, set, frozenset))

    def _words(self, cell: Any) -> str:
        return _show.items(cell)

    def _objects(self) -> Array:
        flat = _columns.names_of(self.items.tolist(), self.names)
        ends = self.offsets.tolist()
        cells = np.empty(len(self), object)
        for i, (first, end) in enumerate(zip(ends, ends[1:])):
            cells[i] = flat[first:end]
        cells[self.isna()] = self.dtype.na_value
        return cells

    # ---- Selections -----------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            first, end, step = key.indices(len(self))
            if step == 1:
                end = max(first, end)
                missing = None if self.missing is None else self.missing[first:end]
                return ItemsetArray(*_columns.cut(self.offsets, self.items, first, end), self.names,
                                    missing)
        return super().__getitem__(key)

    def _part(self, index: Array) -> "ItemsetArray":
        gone = index < 0
        if not gone.any():
            missing = None if self.missing is None else self.missing[index]
            return ItemsetArray(*_columns.gather(self.offsets, self.items, index), self.names,
                                missing)
        more = ItemsetArray(np.append(self.offsets, self.offsets[-1]), self.items, self.names,
                            np.append(self.isna(), True))
        return more._part(np.where(gone, len(self), index))

    def _become(self, other: "ItemsetArray") -> None:
        self.offsets, self.items = other.offsets, other.items
        self.names, self.missing = other.names, other.missing

    @classmethod
    def _concat_same_type(cls, parts: Sequence["ItemsetArray"]) -> "ItemsetArray":
        names = parts[0].names
        if any(part.names is not names and part.names != names for part in parts):
            known = _ranked({name for part in parts for name in part._used()})
            parts, names = [part._with_names(known) for part in parts], known
        ends = np.cumsum([0] + [len(part.items) for part in parts])
        offsets = [part.offsets[:-1] + end for part, end in zip(parts, ends)] + [ends[-1:]]
        missing = None if all(part.missing is None for part in parts) else np.concatenate(
            [part.isna() for part in parts])
        return cls(np.concatenate(offsets), np.concatenate([part.items for part in parts]), names,
                   missing)

    def _used(self) -> Iterable[Hashable]:
        """The sorted names of the items that occur."""
        return _columns.names_of(np.unique(self.items).tolist(), self.names)

    def _with_names(self, names: List[Hashable]) -> "ItemsetArray":
        """The same sets with items renumbered as positions in `names`, which has all that occur."""
        if self.names is names:
            return self
        numbers: Dict[Hashable, int] = {name: i for i, name in enumerate(names)}
        used, inverse = np.unique(self.items, return_inverse=True)
        new = np.array([numbers[name] for name in _columns.names_of(used.tolist(), self.names)],
                       np.uint32)
        items = new[inverse] if len(used) else self.items
        return ItemsetArray(*_in_rows(self.offsets, items), names, self.missing)

    @classmethod
    def _from_sequence(cls, scalars: Iterable[Any], *, dtype: Any = None,
                       copy: bool = False) -> "ItemsetArray":
        if isinstance(scalars, ItemsetArray):
            return scalars.copy() if copy else scalars
        cells = list(scalars)
        for i, cell in enumerate(cells):
            if not isinstance(cell, _SETS) and not is_missing(cell):
                raise TypeError(f"row {i} is {cell!r}; expected a tuple, set or list of items")
        missing = np.array([is_missing(cell) for cell in cells], bool)
        rows = [() if gone else tuple(cell) for cell, gone in zip(cells, missing)]
        names = _ranked({item for row in rows for item in row})
        numbers = {name: i for i, name in enumerate(names)}
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        items = np.array([numbers[item] for row in rows for item in row], np.uint32)
        return cls(*_in_rows(offsets, items), names, missing if missing.any() else None)

    # ---- Equality and order ---------------------------------------------------------------------

    def _sorted_rows(self) -> Tuple[Array, Array]:
        """The rows sorted by items, and a mask of those that differ from the row before."""
        by_size = np.argsort(np.diff(self.offsets), kind="stable")
        ends, items = _columns.gather(self.offsets, _small(self.items), by_size)
        empty = int(np.searchsorted(ends, 0, side="right")) - 1  # the C module sorts the others
        order = np.empty(len(self) - empty, np.int64)
        _lode.sort_rows(ends[empty:].copy(), items.view(np.int32), order)
        order = np.append(np.arange(empty), order + empty)
        ends, items = _columns.gather(ends, items, order)
        order = by_size[order]
        lengths = np.diff(ends)
        differ = np.ones(len(order), bool)
        differ[1:] = lengths[1:] != lengths[:-1]
        of = np.repeat(np.arange(len(order)), lengths)
        at = np.flatnonzero(~differ[of]) if len(of) else np.empty(0, np.int64)
        differ[of[at[items[at] != items[at - lengths[of[at]]]]]] = True
        return order, differ

    def _ranks(self) -> Array:
        """Ranks of the rows by their items; equal sets have equal ranks."""
        ranks = np.empty(len(self), np.int64)
        order, differ = self._sorted_rows()
        ranks[order] = np.cumsum(differ) - 1
        return ranks

    def _first_rows(self) -> Array:
        order, differ = self._sorted_rows()
        starts = np.flatnonzero(differ)
        least = np.minimum.reduceat(order, starts) if len(starts) else starts
        first = np.empty(len(self), np.int64)
        first[order] = np.repeat(least, np.diff(np.append(starts, len(order))))
        if self.missing is not None and self.missing.any():
            # An empty set looks like a missing row: find the first that is not missing.
            empty = (np.diff(self.offsets) == 0) & ~self.missing
            first[empty] = np.flatnonzero(empty)[0] if empty.any() else 0
            first[self.missing] = -1
        return first

    def _values_for_argsort(self) -> Array:
        return self._ranks()

    def _values_for_factorize(self) -> Tuple[Array, Any]:
        """Tuples that are equal for equal sets, also of other arrays; for merges and hashes."""
        used = _ranked(self._used())
        return self._with_names(used)._objects(), self.dtype.na_value

    def _hash_pandas_object(self, *, encoding: str, hash_key: str, categorize: bool) -> Array:
        values, _ = self._values_for_factorize()
        return pandas.util.hash_array(values, encoding, hash_key, categorize)

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, (pandas.Series, pandas.Index, pandas.DataFrame)):
            return NotImplemented
        if is_missing(other):
            return np.zeros(len(self), bool)
        if isinstance(other, (tuple, frozenset, set)):
            other = self._from_sequence([other])
            return self._equals(other._part(np.zeros(len(self), np.int64)))
        if not pandas.api.types.is_list_like(other):
            return np.zeros(len(self), bool)
        if len(other) != len(self):
            raise ValueError(f"cannot compare {len(self)} itemsets with {len(other)}; expected as many")
        known = [cell if isinstance(cell, _SETS) else None for cell in other]
        return self._equals(other if isinstance(other, ItemsetArray) else
                            self._from_sequence(known))

    def _equals(self, other: "ItemsetArray") -> Array:
        both = self._concat_same_type([self, other])
        ranks = both._ranks()
        return (ranks[:len(self)] == ranks[len(self):]) & ~self.isna() & ~other.isna()

    def isin(self, values: Any) -> Array:
        """A mask of rows that equal one of these sets, tuples or lists, with items in any order."""
        values = list(values)
        wanted = self._from_sequence([value for value in values if isinstance(value, _SETS)])
        both = self._concat_same_type([self, wanted])
        ranks = both._ranks()
        found = np.isin(ranks[:len(self)], ranks[len(self):])
        return np.where(self.isna(), any(is_missing(value) for value in values), found)


# ---- Subgraphs ----------------------------------------------------------------------------------

class SubgraphArray(LazyCells):
    """An array of subgraphs that refers to results: row i is `sources[which[i]][rows[i]]`, or
    missing if rows[i] is -1."""

    def __init__(self, source: Any, sources: Optional[List[Any]] = None,
                 which: Optional[Array] = None, rows: Optional[Array] = None) -> None:
        self.sources: List[Any] = [source] if sources is None else sources
        self.rows: Array = np.arange(len(source)) if rows is None else rows
        self.which: Array = np.zeros(len(self.rows), np.int64) if which is None else which

    @property
    def dtype(self) -> SubgraphDtype:
        return SubgraphDtype()

    @property
    def nbytes(self) -> int:
        return int(self.which.nbytes + self.rows.nbytes)

    def __len__(self) -> int:
        return len(self.rows)

    def isna(self) -> Array:
        return self.rows < 0

    def _is_gone(self, i: int) -> bool:
        return bool(self.rows[i] < 0)

    def _cell(self, i: int) -> Subgraph:
        made: Subgraph = self.sources[self.which[i]][int(self.rows[i])]
        return made

    def _is_cell(self, value: Any) -> bool:
        return isinstance(value, Subgraph)

    def _words(self, cell: Any) -> str:
        return _show.shortened(str(cell))

    def _part(self, index: Array) -> "SubgraphArray":
        rows = np.where(index < 0, -1, self.rows[index] if len(self) else -1)
        which = np.where(index < 0, 0, self.which[index] if len(self) else 0)
        return SubgraphArray(None, self.sources, which, rows)

    def _become(self, other: "SubgraphArray") -> None:
        self.sources, self.which, self.rows = other.sources, other.which, other.rows

    @classmethod
    def _concat_same_type(cls, parts: Sequence["SubgraphArray"]) -> "SubgraphArray":
        before = np.cumsum([0] + [len(part.sources) for part in parts])
        return cls(None, [source for part in parts for source in part.sources],
                   np.concatenate([part.which + n for part, n in zip(parts, before)]),
                   np.concatenate([part.rows for part in parts]))

    @classmethod
    def _from_sequence(cls, scalars: Iterable[Any], *, dtype: Any = None,
                       copy: bool = False) -> "SubgraphArray":
        if isinstance(scalars, SubgraphArray):
            return scalars.copy() if copy else scalars
        cells = list(scalars)
        for i, cell in enumerate(cells):
            if not isinstance(cell, Subgraph) and not is_missing(cell):
                raise TypeError(f"row {i} is {cell!r}; expected a lode.Subgraph")
        rows = np.array([-1 if is_missing(cell) else i for i, cell in enumerate(cells)], np.int64)
        return cls(cells, rows=rows)

    def _values_for_factorize(self) -> Tuple[Array, Any]:
        return self._objects(), self.dtype.na_value

    def _values_for_argsort(self) -> Array:
        """Sort keys: by size, then by text."""
        keys = [(len(one.edges), str(one)) if isinstance(one, Subgraph) else (0, "")
                for one in self]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        ranks = np.empty(len(keys), np.int64)
        ranks[order] = np.cumsum([i > 0 and keys[order[i]] != keys[order[i - 1]]
                                  for i in range(len(order))]) if order else 0
        return ranks

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, (pandas.Series, pandas.Index, pandas.DataFrame)):
            return NotImplemented
        others: Iterable[Any] = [other] * len(self) if isinstance(other, Subgraph) or (
            not pandas.api.types.is_list_like(other)) else other
        return np.array([isinstance(a, Subgraph) and isinstance(b, Subgraph) and a == b
                         for a, b in zip(self, others)], bool)
