"""Itemsets as a column of pandas, without an object for each.

A frame with millions of itemsets keeps them as lode does, in two arrays; a tuple is made when a
cell is looked at. `column.array.items` and `column.array.offsets` are the arrays, and
`column.astype(object)` makes tuples of all.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from typing import Any, Hashable, Iterable, List, Optional, Sequence, Tuple, Type

import numpy as np
from pandas.api.extensions import ExtensionArray, ExtensionDtype, register_extension_dtype, take

from . import _columns
from ._columns import Array


@register_extension_dtype
class ItemsetDtype(ExtensionDtype):  # type: ignore[misc]
    """The type of such a column: "itemset"."""

    name = "itemset"
    type = tuple
    na_value = None

    @classmethod
    def construct_array_type(cls) -> Type["ItemsetArray"]:
        return ItemsetArray


class ItemsetArray(ExtensionArray):  # type: ignore[misc]
    """Itemset i has the items `items[offsets[i]:offsets[i + 1]]`; a cell is a tuple of names."""

    def __init__(self, offsets: Array, items: Array,
                 names: Optional[List[Hashable]] = None) -> None:
        self.offsets = offsets
        self.items = items
        self.names = names

    @property
    def dtype(self) -> ItemsetDtype:
        return ItemsetDtype()

    @property
    def nbytes(self) -> int:
        return int(self.offsets.nbytes + self.items.nbytes)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, (int, np.integer)):
            i = range(len(self))[key]
            return _columns.names_of(self.items[self.offsets[i]:self.offsets[i + 1]].tolist(),
                                     self.names)
        if isinstance(key, slice):
            first, end, step = key.indices(len(self))
            if step == 1:
                return ItemsetArray(*_columns.cut(self.offsets, self.items, first,
                                                  max(first, end)), self.names)
            key = np.arange(first, end, step)
        index = _columns.index_of(np.asarray(key), len(self))
        return ItemsetArray(*_columns.gather(self.offsets, self.items, index), self.names)

    def isna(self) -> Array:
        return np.zeros(len(self), bool)

    def take(self, indices: Sequence[int], *, allow_fill: bool = False,
             fill_value: Any = None) -> Any:
        index = np.asarray(indices)
        if allow_fill and (index < 0).any():  # missing values are None, which only objects can be
            return take(self.astype(object), index, allow_fill=True, fill_value=None)
        return self[index]

    def copy(self) -> "ItemsetArray":
        return ItemsetArray(self.offsets.copy(), self.items.copy(), self.names)

    @classmethod
    def _concat_same_type(cls, parts: Sequence["ItemsetArray"]) -> "ItemsetArray":
        names = parts[0].names
        if any(part.names is not names and part.names != names for part in parts):
            return cls._from_sequence([cell for part in parts for cell in part])
        ends = np.cumsum([0] + [len(part.items) for part in parts])
        offsets = [part.offsets[:-1] + end for part, end in zip(parts, ends)] + [ends[-1:]]
        return cls(np.concatenate(offsets), np.concatenate([part.items for part in parts]), names)

    @classmethod
    def _from_sequence(cls, scalars: Iterable[Tuple[Hashable, ...]], *, dtype: Any = None,
                       copy: bool = False) -> "ItemsetArray":
        from ._sources import from_lists
        arrays = from_lists(list(scalars))
        return cls(np.frombuffer(arrays.offsets, np.int64),
                   np.array(np.frombuffer(arrays.items, np.uint32)), arrays.names)

    @classmethod
    def _from_factorized(cls, values: Any, original: "ItemsetArray") -> "ItemsetArray":
        return cls._from_sequence(values)

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        if isinstance(dtype, ItemsetDtype) or dtype == "itemset":
            return self.copy() if copy else self
        cells = np.empty(len(self), object)
        cells[:] = list(self)
        return cells if np.dtype(dtype) == object else cells.astype(dtype, copy=False)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.astype(object if dtype is None else dtype)

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, (tuple, frozenset, set)):
            wanted = set(other)
            return np.fromiter((set(cell) == wanted for cell in self), bool, len(self))
        if isinstance(other, ItemsetArray) and len(other) == len(self):
            return np.fromiter((set(a) == set(b) for a, b in zip(self, other)), bool, len(self))
        return NotImplemented

    def isin(self, values: Any) -> Array:
        """Whether each is one of these sets, tuples or lists, in whatever order their items are."""
        wanted = {frozenset(value) for value in values
                  if isinstance(value, (tuple, list, set, frozenset))}
        return np.fromiter((frozenset(cell) in wanted for cell in self), bool, len(self))

    def _formatter(self, boxed: bool = False) -> Any:
        return lambda cell: ", ".join(map(str, cell))
