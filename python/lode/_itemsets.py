"""Frequent itemsets by columns: what Data.itemsets() returns.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import json
from typing import (TYPE_CHECKING, Any, Dict, Hashable, Iterator, List, NamedTuple, Optional, Tuple,
                    Union, overload)

import numpy as np

from . import _columns, _show
from ._columns import Array, Selection

if TYPE_CHECKING:
    from ._data import Data


class Itemset(NamedTuple):
    """One itemset: its items, by name, and in how many transactions they occur together."""

    items: Tuple[Hashable, ...]
    support: int


class Itemsets:
    """Itemsets in columns, which belong to lode and are not copied.

    Itemset i has the items `items[offsets[i]:offsets[i + 1]]`, ascending, and occurs in
    `supports[i]` of `n` transactions. They are ordered by size, then by items.

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
    """

    def __init__(self, data: "Data", columns: Dict[str, Array], complete: bool = True,
                 result: Any = None) -> None:
        self.data = data
        self.supports: Array = columns["supports"]
        """In how many transactions each occurs; int64."""
        self.offsets: Array = columns["offsets"]
        """Where each begins in `items`; int64, one more than there are itemsets."""
        self.items: Array = columns["items"]
        """The items of all itemsets, one after the other; uint32."""
        self.complete = complete
        """False if a limit or Ctrl-C ended the search: then these are some of all."""
        self._result = result

    @classmethod
    def _of(cls, data: "Data", result: Any, complete: bool) -> "Itemsets":
        lent = result.columns()
        columns = {"supports": _columns.view(lent["supports"], np.int64),
                   "offsets": _columns.offsets_view(lent["offsets"]),
                   "items": _columns.view(lent["items"], np.uint32)}
        return cls(data, columns, complete, result)

    # ---- What there is --------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.supports)

    @property
    def n(self) -> int:
        """Transactions of the data (the sum of their weights, if they have any): 100%."""
        return self.data.total

    @property
    def names(self) -> Optional[List[Hashable]]:
        """The names of the items by number; None: they are numbers."""
        return self.data.names

    @property
    def sizes(self) -> Array:
        """How many items each has."""
        return np.diff(self.offsets)

    @property
    def shares(self) -> Array:
        """Supports as shares of all transactions, from 0 to 1."""
        return self.supports / self.n if self.n else np.zeros(len(self))

    @property
    def min_count(self) -> int:
        """The threshold of the search as a count, which a share has become exactly; of a selection,
        the lowest support in it."""
        if self._result:
            return int(self._result.head()[1])
        return int(self.supports.min()) if len(self) else 0

    @property
    def report(self) -> Dict[str, Any]:
        """What the search did: algorithm, device, times, memory. Empty for a selection."""
        return json.loads(self._result.report(True)) if self._result else {}

    # ---- Single ones and selections -------------------------------------------------------------

    @overload
    def __getitem__(self, key: int) -> Itemset: ...

    @overload
    def __getitem__(self, key: Selection) -> "Itemsets": ...

    def __getitem__(self, key: Any) -> Union[Itemset, "Itemsets"]:
        if isinstance(key, (int, np.integer)):
            return self._one(range(len(self))[key])
        if isinstance(key, slice):
            first, end, step = key.indices(len(self))
            if step == 1:
                return self._cut(first, max(first, end))
            key = np.arange(first, end, step)
        return self._take(_columns.index_of(key, len(self)))

    def _one(self, i: int) -> Itemset:
        numbers = self.items[self.offsets[i]:self.offsets[i + 1]].tolist()
        return Itemset(_columns.names_of(numbers, self.names), int(self.supports[i]))

    def _cut(self, first: int, end: int) -> "Itemsets":
        offsets, items = _columns.cut(self.offsets, self.items, first, end)
        columns = {"supports": self.supports[first:end], "offsets": offsets, "items": items}
        return Itemsets(self.data, columns, self.complete)

    def _take(self, index: Array) -> "Itemsets":
        offsets, items = _columns.gather(self.offsets, self.items, index)
        columns = {"supports": self.supports[index], "offsets": offsets, "items": items}
        return Itemsets(self.data, columns, self.complete)

    def __iter__(self) -> Iterator[Itemset]:
        """One by one, made when they are asked for."""
        for i in range(len(self)):
            yield self._one(i)

    def containing(self, *items: Hashable) -> "Itemsets":
        """Those that have all of these items, given by name."""
        numbers = [self.data.number_of(item) for item in dict.fromkeys(items)]
        marked = np.isin(self.items, np.array(numbers, np.uint32))
        return self[_columns.counts_of_marked(self.offsets, marked) == len(numbers)]

    def by_support(self) -> "Itemsets":
        """The same, those of the highest support first; of equal support, as they are now."""
        return self._take(np.argsort(-self.supports, kind="stable"))

    # ---- Elsewhere ------------------------------------------------------------------------------

    def to_lists(self, names: bool = True) -> List[List[Hashable]]:
        """A list of lists, by name or by number: an object for each itemset."""
        flat = self.items.tolist()
        if names and self.names is not None:
            known = self.names
            flat = [known[i] for i in flat]
        ends = self.offsets.tolist()
        return [flat[a:b] for a, b in zip(ends, ends[1:])]

    def to_pandas(self) -> Any:
        """A frame with the columns itemset, size, count and support (a share).

        The column of itemsets stays as it is in lode, without an object for each: see
        lode.pandas_array.ItemsetArray.
        """
        import pandas

        from .pandas_array import ItemsetArray
        return pandas.DataFrame({"itemset": ItemsetArray(self.offsets, self.items, self.names),
                                 "size": self.sizes, "count": self.supports,
                                 "support": self.shares}, copy=False)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """For pyarrow, polars and others: items (a list of names or numbers) and count."""
        from ._arrow import List as ListColumn
        from ._arrow import Numbers, stream
        return stream({"items": ListColumn(self.offsets, self.items, self.names),
                       "count": Numbers(self.supports)})

    # ---- For people -----------------------------------------------------------------------------

    def _rows(self, most: int) -> _show.Table:
        rows = [[", ".join(map(str, one.items)), f"{one.support:,}",
                 _show.percent(one.support, self.n)] for one in self[:most]]
        bars = (self.supports[:most] / max(1, self.n)).tolist()
        return _show.Table(["itemset", "count", "support"], rows, bars, len(self), "itemsets",
                           self.complete)

    def show(self, most: int = 20) -> None:
        """Prints the most frequent ones; in a notebook, an expression shows a table with bars.

        >>> import lode
        >>> lode.Data([[1, 2], [1], [1, 2, 3]]).itemsets(2).show()
        itemset  count  support
        1            3   100.0%
        2            2    66.7%
        1, 2         2    66.7%
        """
        print(_show.text(self.by_support()._rows(most)))

    def __repr__(self) -> str:
        return f"<{len(self):,} itemsets of {self.n:,} transactions" + (
            ">" if self.complete else ", incomplete>")

    def _repr_html_(self) -> str:
        return _show.html(self.by_support()._rows(_show.NOTEBOOK_ROWS))


class Count(int):
    """How many patterns there are, and how many of each size."""

    by_size: Dict[int, int]
    complete: bool

    def __new__(cls, total: int, by_size: Dict[int, int], complete: bool) -> "Count":
        self = super().__new__(cls, total)
        self.by_size = by_size
        self.complete = complete
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        return Count, (int(self), self.by_size, self.complete)
