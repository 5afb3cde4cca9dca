"""Frequent itemsets by columns, as returned by Data.itemsets().

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import os
from typing import (TYPE_CHECKING, Any, ClassVar, Dict, Hashable, List, NamedTuple, Optional, Self,
                    Sequence, Tuple, Union)

import numpy as np

from . import _columns, _lode, _show
from ._columns import Array
from ._errors import InvalidError, UnsupportedError
from ._names import ItemNames
from ._results import One, Results, Supported

if TYPE_CHECKING:
    from ._data import Data


class Itemset(NamedTuple):
    """One itemset: its items, by name, and its support (how many transactions have all of them)."""

    items: Tuple[Hashable, ...]
    support: int


class OfItems(Results[One]):
    """Results whose rows are lists of items: itemsets and rules."""

    _source: ItemNames
    _lists: ClassVar[Dict[str, Tuple[str, ...]]] = {"offsets": ("items",)}

    @property
    def offsets(self) -> Array:
        """Where each list begins in `items`; int64, one more entry than lists."""
        return self._columns["offsets"]

    @property
    def items(self) -> Array:
        """The concatenated items of all lists; uint32."""
        return self._columns["items"]

    @property
    def names(self) -> Optional[List[Hashable]]:
        """The names of the items, by number; None if items are numbers."""
        return self._source.names

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Save as an Arrow file for lode.load(), `lode query`, pyarrow, polars, R and DuckDB. It has
        names as text, counts, and the common measures of rules."""
        from ._files import save
        if getattr(self, "class_columns", ()):
            raise UnsupportedError(f"{path}: cannot save the columns of classes; use pickle, "
                                   "to_pandas() or `lode itemsets … --class … -o FILE.arrow`")
        save(self, path)

    def _named(self, first: int, end: int) -> Tuple[Hashable, ...]:
        """The items from one position to another, by name."""
        return _columns.names_of(self.items[first:end].tolist(), self.names)

    def _of_these(self, items: Tuple[Hashable, ...]) -> Tuple[Array, int]:
        """How many of these items each list has, and the number of distinct items given."""
        numbers = self._source.numbers_of(items)
        marked = np.isin(self.items, np.array(numbers, np.uint32))
        return _columns.counts_of_marked(self.offsets, marked), len(numbers)

    def _lists_of(self, items: Any) -> Array:
        """A mask of the lists that consist of exactly these items."""
        if isinstance(items, (str, bytes)) or not isinstance(items, (tuple, list, set, frozenset)):
            raise TypeError(f"{items!r}: expected a set, tuple or list of items, such as ('milk',)")
        sizes = np.diff(self.offsets)
        if any(self._source.find(item) is None for item in items):
            return np.zeros(len(sizes), bool)
        there, n = self._of_these(tuple(items))
        return (there == n) & (sizes == n)


class Itemsets(OfItems[Itemset], Supported[Itemset]):
    """Itemsets stored by columns, which are views of lode's memory.

    Itemset i has the items `items[offsets[i]:offsets[i + 1]]`, ascending, and occurs in
    `supports[i]` of `n` transactions. Itemsets are ordered by size, then by items.

    >>> import lode
    >>> data = lode.Data([["milk", "bread"], ["milk"], ["milk", "bread", "beer"]])
    >>> found = data.itemsets(2)
    >>> len(found), found.supports.tolist()
    (3, [2, 3, 2])
    >>> found[0], found[-1]
    (Itemset(items=('bread',), support=2), Itemset(items=('bread', 'milk'), support=2))
    >>> found[found.sizes > 1].to_lists()
    [['bread', 'milk']]
    >>> [itemset.support for itemset in found.containing("milk")]
    [3, 2]
    >>> {"milk", "bread"} in found, found.index(["milk", "bread"])
    (True, 2)
    """

    _words = ("itemsets", "transactions")

    @classmethod
    def _of(cls, data: "Data", result: Any, complete: bool,
            classes: Sequence[str] = ()) -> "Itemsets":
        lent = result.columns()
        columns = {"supports": _columns.view(lent["supports"], np.int64),
                   "offsets": _columns.offsets_view(lent["offsets"]),
                   "items": _columns.view(lent["items"], np.uint32)}
        return cls(data._item_names, columns, complete, data, result)._compared(lent, classes)

    @property
    def sizes(self) -> Array:
        """The number of items of each itemset."""
        return np.diff(self.offsets)

    def _figures(self) -> Tuple[str, ...]:
        return ("size", "count", "support", *self.class_columns)

    def _figure(self, name: str) -> Array:
        if name in self.class_columns:
            return self._class_column(name)
        return {"size": self.sizes, "count": self.supports, "support": self.shares}[name]

    def column(self, name: str) -> Array:
        """A numeric column of to_pandas(), or a measure; the same as `found[name]`."""
        return self._figure(name) if name in self._figures() else self.measure(name)

    def measure(self, name: str) -> Array:
        """A measure of all itemsets: lift, leverage or allConfidence; float64. docs/measures.md has
        the formulas.

        >>> import lode
        >>> found = lode.Data([["a", "b"], ["a", "b"], ["c"], ["a"]]).itemsets(2)
        >>> found.to_lists(), found["lift"].tolist()
        ([['a'], ['b'], ['a', 'b']], [1.0, 1.0, 1.3333333333333333])
        """
        if self.data is None:
            raise InvalidError(f"{name!r}: a loaded or unpickled result does not know the supports of "
                               "its items; `lode query` computes measures of Arrow files")
        numbers, supports = self.data.item_supports
        order, first, end = np.argsort(numbers), self.offsets[0], self.offsets[-1]
        at = order[np.searchsorted(numbers, self.items[first:end], sorter=order)]
        block = _lode.itemset_measure(name, np.ascontiguousarray(self.offsets - first, np.int64),
                                      np.ascontiguousarray(self.supports, np.int64),
                                      np.ascontiguousarray(supports[at], np.int64), self.n)
        return _columns.view(block, np.float64)

    # ---- Rows and selections --------------------------------------------------------------------

    def _one(self, i: int) -> Itemset:
        return Itemset(self._named(*self.offsets[i:i + 2]), int(self.supports[i]))

    def containing(self, *items: Hashable) -> Self:
        """Select itemsets that have all of these items, given by name: containing("a", "b")."""
        there, n = self._of_these(items)
        return self[there == n]

    def index(self, items: Any) -> int:
        """The row of the itemset with exactly these items; ValueError if there is none."""
        at = np.flatnonzero(self._lists_of(items.items if isinstance(items, Itemset) else items))
        if len(at) == 0:
            raise InvalidError(f"the itemset {items!r} is not among these {len(self):,} itemsets")
        return int(at[0])

    def __contains__(self, items: Any) -> bool:
        return bool(self._lists_of(items.items if isinstance(items, Itemset) else items).any())

    # ---- Export ---------------------------------------------------------------------------------

    def to_lists(self, names: bool = True) -> List[List[Hashable]]:
        """Convert to a list of lists of items, by name or by number. Makes an object per itemset."""
        flat = self.items.tolist()
        if names and self.names is not None:
            known = self.names
            flat = [known[i] for i in flat]
        ends = self.offsets.tolist()
        return [flat[a:b] for a, b in zip(ends, ends[1:])]

    def _table(self) -> Dict[str, Any]:
        from .pandas_array import ItemsetArray
        return {"itemset": ItemsetArray(self.offsets, self.items, self.names),
                **{name: self[name] for name in self._figures()}}

    def _arrow(self) -> Dict[str, Any]:
        from ._arrow import List as ListColumn
        from ._arrow import Numbers
        return {"items": ListColumn(self.offsets, self.items, self.names),
                "count": Numbers(self.supports),
                **{name: Numbers(self[name]) for name in self.class_columns}}

    # ---- Display --------------------------------------------------------------------------------

    def _shown(self) -> Self:
        return self.sort_by("p") if self.class_columns else self.by_support()

    def _rows(self, most: int) -> _show.Table:
        first = self[:most]
        rows = [[_show.items(one.items), f"{one.support:,}", _show.percent(one.support, self.n),
                 *cells] for one, cells in zip(first, first._class_cells())]
        return _show.Table(["itemset", "count", "support", *self._class_heads()], rows,
                           first.shares.tolist(), len(self), "itemsets", self.complete)


class Count(int):
    """The number of patterns, an int; `by_size` has the number of each size."""

    by_size: Dict[int, int]
    complete: bool

    def __new__(cls, total: int, by_size: Dict[int, int], complete: bool) -> "Count":
        self = super().__new__(cls, total)
        self.by_size = by_size
        self.complete = complete
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        return Count, (int(self), self.by_size, self.complete)
