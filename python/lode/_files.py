"""Saves and loads results as Arrow files, as `lode … -w arrow` and `lode query` do.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import os
from typing import Any, Dict, Hashable, List, Optional, Tuple, Union

import numpy as np

from . import _columns, _lode
from ._arrow import text_of
from ._columns import Array
from ._errors import InvalidError, settle
from ._itemsets import Itemsets, OfItems
from ._names import ItemNames
from ._rules import Rules
from ._sources import MOST_ITEM

_RULES = 2  # lode_pattern_kind


def save(result: OfItems[Any], path: Union[str, "os.PathLike[str]"]) -> None:
    """Saves itemsets or rules as an Arrow file; see OfItems.save()."""
    rules = isinstance(result, Rules)
    items, names = _coded(result.items, result.names)
    _refuse_alike(names)
    offsets, text = text_of(names)
    counts = {"counts": result["both"], "body": result["body_count"],
              "head": result["head_count"]} if rules else {"counts": result["count"]}
    columns = {"offsets": result.offsets, "items": items, "name_offsets": offsets, "names": text,
               **counts}
    total = result._total() if isinstance(result, Rules) else result.n
    plain = {name: np.ascontiguousarray(column) if isinstance(column, np.ndarray) else column
             for name, column in columns.items()}
    settle(_lode.store_save(os.fsencode(path), plain, rules, result.complete, total,
                            result.min_count), lambda made, complete: None)


def _refuse_alike(names: List[Hashable]) -> None:
    """Raises if two items would get the same name in the file, where names are text."""
    by_text: Dict[str, Hashable] = {}
    for name in names:
        other = by_text.setdefault(str(name), name)
        if other is not name:
            raise InvalidError(f"the items {other!r} and {name!r} have the same text, so a file "
                               "cannot tell them apart; expected names that differ as text. pickle "
                               "keeps both")


def _coded(items: Array, names: Optional[List[Hashable]]) -> Tuple[Array, List[Hashable]]:
    """Items as positions in a list of names; numbers become names."""
    if names is not None:
        return items, names
    used, codes = np.unique(items, return_inverse=True)
    return codes.astype(np.uint32), used.tolist()


def load(path: Union[str, "os.PathLike[str]"]) -> Union[Itemsets, Rules]:
    """Load itemsets or rules from an Arrow file written by save() or `lode … -w arrow`.

    If all names are non-negative integers, items are numbers, as in lode.Data.

    >>> import lode, os, tempfile
    >>> found = lode.Data([["milk", "bread"], ["milk"]]).itemsets(1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found.save(os.path.join(folder, "sets.arrow"))
    ...     again = lode.load(os.path.join(folder, "sets.arrow"))
    >>> again.equals(found)
    True
    """
    try:
        outcome = _lode.store_load(os.fsencode(path))
    except InvalidError as error:
        raise InvalidError(f"{os.fspath(path)}: {error}") from None
    return settle(outcome, lambda made, complete: _result(*made))


def _result(about: Tuple[int, int, int, bool], names: List[Hashable], offsets: Any, items: Any,
            counts: Any, body: Any, head: Any) -> Union[Itemsets, Rules]:
    kind, total, min_count, ended = about
    numbers, known = _numbered(_columns.view(items, np.uint32), names)
    columns: Dict[str, Array] = {"offsets": _columns.offsets_view(offsets), "items": numbers}
    views = [_columns.view(column, np.int64) for column in (counts, body, head)]
    made: Union[Itemsets, Rules]
    if kind == _RULES:
        columns.update(zip(("both", "body", "head"), views))
        columns.update(dict.fromkeys(("best_confidence", "best_lift", "adjusted_p", "held_out")))
        made = Rules(ItemNames(total, known), columns, ended)
    else:
        made = Itemsets(ItemNames(total, known), {**columns, "supports": views[0]}, ended)
    made._told = {"min_count": min_count}
    return made


def _numbered(codes: Array, names: List[Hashable]) -> Tuple[Array, Optional[List[Hashable]]]:
    """Items as numbers without names, if every name is a number as lode writes it."""
    if not names or not all(isinstance(name, str) and name.isdecimal() and name.isascii() and
                            str(int(name)) == name and int(name) <= MOST_ITEM for name in names):
        return codes, names
    return np.array([int(str(name)) for name in names], np.uint32)[codes], None
