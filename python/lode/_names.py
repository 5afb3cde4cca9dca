"""Totals and names: what a result keeps of its data set.

A result can outlive its data set, and is pickled without it.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from typing import Any, Dict, Hashable, Iterable, List, NamedTuple, Optional

import numpy as np

from ._errors import InvalidError
from ._sources import MOST_ITEM


class ItemNames:
    """The names of items, and the total that shares refer to."""

    def __init__(self, total: int, names: Optional[List[Hashable]]) -> None:
        self.total = total
        self.names = names
        self._numbers: Optional[Dict[Hashable, int]] = None

    def __reduce__(self) -> Any:
        return ItemNames, (self.total, self.names)

    def find(self, item: Any) -> Optional[int]:
        """The number of an item, given by name; None if there is none."""
        if self.names is None:
            known = isinstance(item, (int, np.integer)) and 0 <= item <= MOST_ITEM
            return int(item) if known else None
        if self._numbers is None:
            self._numbers = {name: i for i, name in enumerate(self.names)}
        try:
            return self._numbers.get(item)
        except TypeError:  # not hashable, so not a name
            return None

    def number_of(self, item: Hashable) -> int:
        """The number of an item, given by name; raises InvalidError if there is none."""
        number = self.find(item)
        if number is not None:
            return number
        if self.names is None:
            raise InvalidError(f"the item {item!r}: expected a number from 0, as in the data")
        raise InvalidError(f"there is no item {item!r} in the data")

    def numbers_of(self, items: Iterable[Hashable]) -> List[int]:
        """The numbers of the distinct items, in the given order."""
        listed = list(items)
        for item in listed:
            if not isinstance(item, Hashable):
                raise InvalidError(f"{item!r} is not an item; expected names of items as separate "
                                   "arguments")
        return [self.number_of(item) for item in dict.fromkeys(listed)]


class GraphNames(NamedTuple):
    """The number of graphs, whether they are directed, and the names of labels."""

    total: int
    directed: bool
    vertices: Dict[int, Hashable]
    edges: Dict[int, Hashable]
