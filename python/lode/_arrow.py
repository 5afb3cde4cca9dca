"""Arrow streams: exports results to other libraries, and imports data from them.

lode itself reads streams of lists and of pairs. The columns of a one-hot table are tuples
(python/src/arrow_in.c), whose buffers numpy reads without a copy.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from typing import Any, Callable, Dict, Hashable, NamedTuple, Optional, Sequence, Tuple
from typing import List as ListOf

import numpy as np

from . import _lode, _sources
from ._columns import Array
from ._errors import InvalidError
from ._options import Options

# ---- Out ----------------------------------------------------------------------------------------

_FORMATS = {"int64": "l", "float64": "g", "uint32": "I"}


class Numbers(NamedTuple):
    """A column of int64, float64 or uint32."""

    values: Array

    def column(self, name: str) -> Tuple[Any, ...]:
        values = np.ascontiguousarray(self.values)
        return name, _FORMATS[values.dtype.name], values


class List(NamedTuple):
    """A column of lists of items, by name if they have names."""

    offsets: Array
    values: Array
    names: Optional[ListOf[Hashable]]

    def column(self, name: str) -> Tuple[Any, ...]:
        names = None if self.names is None else text_of(self.names)
        return (name, "+L", np.ascontiguousarray(self.offsets), np.ascontiguousarray(self.values),
                names)


def text_of(names: Sequence[Hashable]) -> Tuple[Array, bytes]:
    """Names as a column of large strings."""
    try:
        parts = [str(name).encode() for name in names]
    except UnicodeEncodeError as error:
        raise InvalidError(f"the name {error.object!r} cannot be written as UTF-8") from None
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    return offsets, b"".join(parts)


def stream(columns: Dict[str, Any]) -> Any:
    """A capsule for __arrow_c_stream__: one batch, without copying arrays."""
    return _lode.arrow_stream([column.column(name) for name, column in columns.items()])


# ---- In -----------------------------------------------------------------------------------------

class _Node(NamedTuple):
    """A column of a batch, as returned by the C module."""

    name: Optional[str]
    format: str
    length: int
    offset: int
    null_count: int
    buffers: ListOf[Any]


Columns = ListOf[Tuple[Any, ListOf[_Node]]]
Fields = ListOf[Tuple[Any, str, str]]
Read = Callable[[Any, Options], Any]
_TYPES = {"c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32,
          "I": np.uint32, "l": np.int64, "L": np.uint64, "f": np.float32, "g": np.float64}


def _check_nulls(node: _Node, name: Any) -> None:
    valid = node.buffers[0] if node.buffers else None
    if node.null_count == 0 or valid is None or len(valid) == 0 or node.length == 0:
        return
    bits = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")
    bits = bits[node.offset:node.offset + node.length]
    if not bits.all():
        raise InvalidError(f"column {name!r}: row {int(bits.argmin())} has no value; expected one "
                           "in every row")


def _numbers(node: _Node) -> Array:
    kind = _TYPES[node.format]
    values = np.frombuffer(node.buffers[1], kind) if len(node.buffers[1]) else np.empty(0, kind)
    return values[node.offset:node.offset + node.length]


def _bools(node: _Node) -> Array:
    data = node.buffers[1]
    bits = np.unpackbits(np.frombuffer(data, np.uint8) if len(data) else np.empty(0, np.uint8),
                         bitorder="little")
    return bits[node.offset:node.offset + node.length]


def _unknown(name: Any, format: str, expected: str) -> InvalidError:
    return InvalidError(f"column {name!r} has the Arrow format '{format}'; expected {expected}")


def _weights(nodes: ListOf[_Node], name: Any) -> Array:
    for node in nodes:
        _check_nulls(node, name)
        if node.format not in _TYPES:
            raise _unknown(name, node.format, "whole numbers from 1")
    parts = [_numbers(node) for node in nodes]
    return np.concatenate(parts) if parts else np.empty(0, np.uint32)


def _cells(columns: Columns, n_rows: int) -> _sources.Arrays:
    cells = np.zeros((len(columns), n_rows), np.uint8)
    for row, (name, nodes) in zip(cells, columns):
        at = 0
        for node in nodes:
            _check_nulls(node, name)
            if node.format != "b" and node.format not in _TYPES:
                raise _unknown(name, node.format, "bool, or numbers above 0 where the item is "
                               "there; for other tables, give tid= and item=")
            row[at:at + node.length] = _bools(node) if node.format == "b" else _sources.as_bytes(
                _numbers(node).reshape(-1, 1), [name])[:, 0]
            at += node.length
    return _sources.from_matrix(cells.T, [name for name, _ in columns])


def _onehot(capsule: Any, fields: Fields, weights: Any) -> _sources.Arrays:
    """Transactions from a table with a column of bools or numbers for each item."""
    batches = _lode.arrow_read(capsule)
    columns = [(name, [_Node(*parts[i])._replace(offset=parts[i][3] + offset, length=length)
                       for length, offset, parts in batches])
               for i, (name, *_) in enumerate(fields)]
    if not isinstance(weights, str):
        return _cells(columns, sum(length for length, *_ in batches))
    values = _weights(columns[_column(fields, "weights", weights)][1], weights)
    made = _cells([column for column in columns if column[0] != weights], len(values))
    made.weights = _sources.check_weights(values, len(values))
    return made


def _column(fields: Fields, role: str, name: Any) -> int:
    """The position of the only column with this name."""
    found = [i for i, field in enumerate(fields) if field[0] == name]
    if not found:
        raise InvalidError(f"{role}={name!r}: there is no such column; expected one of "
                           f"{', '.join(repr(field[0]) for field in fields)}")
    if len(found) > 1:
        raise InvalidError(f"{role}={name!r}: several columns have this name; expected one")
    return found[0]


def _typed(names: Optional[ListOf[Any]], format: str) -> Optional[ListOf[Hashable]]:
    """Names as the numbers that they are in a column of this format."""
    if names is None or format not in _TYPES:
        return names
    return list(map(float if format in "fg" else int, names))


def _chosen(fields: Fields, table: bool, tid: Any, item: Any) -> Optional[int]:
    """The column with the items; None: every column is an item."""
    lists = [field[0] for field in fields if field[1] in ("+l", "+L")]
    if not table:
        return 0
    if tid is not None and item is None:
        raise InvalidError("tid and item: expected both, the columns of a table")
    if tid is None and item is not None and item not in lists:
        raise InvalidError(f"item={item!r}: expected a column of lists" +
                           (f": {', '.join(map(repr, lists))}" if lists else ", or tid= as well"))
    if item is None and len(lists) != 1:
        return None
    return _column(fields, "item", item if item is not None else lists[0])


def from_stream(source: Any, tid: Any, item: Any, weights: Any, read: Read) -> _sources.Arrays:
    """Transactions from any object with __arrow_c_stream__. `read` makes a data set of a capsule
    and options, as lode reads tables in files."""
    capsule = source.__arrow_c_stream__()
    format, fields = _lode.arrow_fields(capsule)
    if format not in ("+s", "+l", "+L"):
        raise _unknown("of the stream", format, "a table, or a column of lists")
    t = _column(fields, "tid", tid) if tid is not None and format == "+s" and item is not None else None
    i = _chosen(fields, format == "+s", tid, item)
    if i is None:
        return _onehot(capsule, fields, weights)
    how: Options = [("item", str(i + 1))]
    if t is not None:
        how += [("format", "table"), ("tid", str(t + 1)), ("ids", None)]
    if isinstance(weights, str):
        how.append(("weight", str(_column(fields, "weights", weights) + 1)))
    handle = read(capsule, how)
    names = _typed(_decoded(handle), fields[i][2])
    ids = _typed(handle.ids(), fields[t][2]) if t is not None else None
    if weights is None or isinstance(weights, str):
        return _sources.Arrays(b"", b"", names, ids, handle=handle)
    offsets, items, _ = handle.arrays()
    return _sources.Arrays(offsets, items, names, ids)


def _decoded(handle: Any) -> Optional[ListOf[Hashable]]:
    try:
        return handle.names()  # type: ignore[no-any-return]
    except UnicodeDecodeError as error:
        raise InvalidError(f"the item {error.object!r} is not UTF-8") from None
