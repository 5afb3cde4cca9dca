"""Arrow streams: exports results to other libraries, and imports data from them.

Imported arrays are tuples (python/src/arrow_in.c); numpy reads their buffers without a copy.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from typing import Any, Dict, Hashable, Iterable, NamedTuple, Optional, Sequence, Tuple
from typing import List as ListOf

import numpy as np

from . import _lode, _sources
from ._columns import Array
from ._errors import InvalidError

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
    """An array as returned by the C module."""

    name: Optional[str]
    format: str
    length: int
    offset: int
    null_count: int
    buffers: ListOf[Any]
    children: ListOf[Any]
    dictionary: Any


Columns = ListOf[Tuple[Any, ListOf[_Node]]]
_TYPES = {"c": np.int8, "C": np.uint8, "s": np.int16, "S": np.uint16, "i": np.int32,
          "I": np.uint32, "l": np.int64, "L": np.uint64, "f": np.float32, "g": np.float64}


_DATES = {"tdD": ("i", "D"), "tdm": ("l", "ms")}  # type of the numbers, and their unit
_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}


def _date_of(format: str) -> Optional[Tuple[str, str]]:
    """Number type and unit of a date or timestamp; None for other formats, such as times of day."""
    if format[:2] == "ts" and format[2:3] in _UNITS and format[3:4] == ":":
        return "l", _UNITS[format[2]]
    return _DATES.get(format)


def _check_nulls(node: _Node, name: Any) -> None:
    valid = node.buffers[0] if node.buffers else None
    if node.null_count == 0 or valid is None or len(valid) == 0 or node.length == 0:
        return
    bits = np.unpackbits(np.frombuffer(valid, np.uint8), bitorder="little")
    bits = bits[node.offset:node.offset + node.length]
    if not bits.all():
        raise InvalidError(f"column {name!r}: row {int(bits.argmin())} has no value; expected one "
                           "in every row")


def _numbers(node: _Node, format: str = "") -> Array:
    kind = _TYPES[format or node.format]
    values = np.frombuffer(node.buffers[1], kind) if len(node.buffers[1]) else np.empty(0, kind)
    return values[node.offset:node.offset + node.length]


def _bools(node: _Node) -> Array:
    data = node.buffers[1]
    bits = np.unpackbits(np.frombuffer(data, np.uint8) if len(data) else np.empty(0, np.uint8),
                         bitorder="little")
    return bits[node.offset:node.offset + node.length]


def _offsets(node: _Node) -> Array:
    kind = np.int32 if node.format in ("u", "+l") else np.int64
    data = node.buffers[1]
    offsets = np.frombuffer(data, kind) if len(data) else np.zeros(1, kind)
    return offsets[node.offset:node.offset + node.length + 1].astype(np.int64)


def _viewed(node: _Node) -> Tuple[Array, bytes]:
    """Offsets and text of a string view column; strings of up to 12 bytes are inside the view."""
    views = np.frombuffer(node.buffers[1], np.int32) if len(node.buffers[1]) else np.empty(
        0, np.int32)
    views = views.reshape(-1, 4)[node.offset:node.offset + node.length]
    texts = [bytes(memoryview(buffer)) for buffer in node.buffers[2:-1]]
    parts = [view[1:].tobytes()[:view[0]] if view[0] <= 12 else
             texts[view[2]][view[3]:view[3] + view[0]] for view in views]
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum(views[:, 0], out=offsets[1:])
    return offsets, b"".join(parts)


class _Codes:
    """Encodes the values of a column over all its arrays; `names` is in the order of the codes."""

    def __init__(self, name: Any) -> None:
        self.name = name
        self.codes: Dict[Hashable, int] = {}
        self.names: ListOf[Hashable] = []

    def of(self, node: _Node) -> Array:
        _check_nulls(node, self.name)
        if node.dictionary is not None:
            return self._of_entries(node, self.of(_Node(*node.dictionary)))
        if node.format in ("u", "U"):
            return self._interned(_offsets(node), node.buffers[2] if len(node.buffers) > 2 else b"")
        if node.format == "vu":
            return self._interned(*_viewed(node))
        date = _date_of(node.format)
        if date is not None:
            return self._of_dates(_numbers(node, date[0]), date[1], node.format)
        if node.format not in _TYPES:
            raise _unknown(self.name, node.format, "strings, numbers, dates or timestamps")
        return self._of_numbers(_numbers(node))

    def _of_entries(self, node: _Node, known: Array) -> Array:
        """Codes of rows that refer to the entries of a dictionary."""
        if node.format not in _TYPES or node.format in "fg":
            raise _unknown(self.name, node.format, "a dictionary with whole numbers as indices")
        index = _numbers(node)
        wrong = (index < 0) | (index >= len(known))
        if wrong.any():
            row = int(wrong.argmax())
            raise InvalidError(f"column {self.name!r}: row {row} refers to entry {index[row]} of a "
                               f"dictionary with {len(known)} entries")
        return known[index] if len(index) else np.empty(0, np.uint32)

    def used(self, codes: Array) -> Array:
        """The codes, renumbered without dictionary entries that no row uses."""
        there, codes = np.unique(codes, return_inverse=True)
        self.names = [self.names[code] for code in there.tolist()]
        return codes.astype(np.uint32)

    def _interned(self, offsets: Array, text: Any) -> Array:
        try:
            codes = _lode.intern(offsets, text, self.codes, self.names)
        except UnicodeDecodeError as error:
            raise InvalidError(f"column {self.name!r}: {error.object!r} is not UTF-8") from None
        return np.frombuffer(codes, np.uint32) if len(codes) else np.empty(0, np.uint32)

    def _of_numbers(self, values: Array) -> Array:
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise self._missing(int(np.isnan(values).argmax()))
        different, inverse = np.unique(values, return_inverse=True)
        return self._known(different.tolist())[inverse]

    def _missing(self, row: int) -> InvalidError:
        return InvalidError(f"column {self.name!r}: row {row} has no value; expected one in every "
                            "row")

    def _of_dates(self, values: Array, unit: str, format: str) -> Array:
        """Dates and timestamps become text: 2022-01-08, 2022-01-08T12:30:00 (with Z for UTC)."""
        different, inverse = np.unique(values, return_inverse=True)
        dates = different.astype(f"datetime64[{unit}]")
        if np.isnat(dates).any():
            raise self._missing(int(np.isnat(dates[inverse]).argmax()))
        text = np.datetime_as_string(dates.astype("datetime64[D]") if format == "tdm" else dates)
        zone = "Z" if format[4:] else ""
        return self._known([str(one) + zone for one in text])[inverse]

    def _known(self, values: Iterable[Hashable]) -> Array:
        """The codes of values; new values get the next codes."""
        codes = []
        for value in values:
            if value not in self.codes:
                self.codes[value] = len(self.names)
                self.names.append(value)
            codes.append(self.codes[value])
        return np.array(codes, np.uint32)


def _unknown(name: Any, format: str, expected: str) -> InvalidError:
    return InvalidError(f"column {name!r} has the Arrow format '{format}'; expected {expected}")


def _concatenated(parts: ListOf[Array], kind: Any) -> Array:
    return np.concatenate(parts) if parts else np.empty(0, kind)


def _items(nodes: ListOf[_Node], name: Any) -> Tuple[Array, Optional[ListOf[Hashable]]]:
    """Items of a column: numbers unchanged, other values as codes of names."""
    if nodes and all(n.dictionary is None and n.format in "cCsSiIlL" for n in nodes):
        for node in nodes:
            _check_nulls(node, name)
        values = _concatenated([_numbers(node) for node in nodes], np.uint32)
        if not len(values) or (values.min() >= 0 and values.max() <= _sources.MOST_ITEM):
            return _sources.items_of(values), None
        if values.min() < 0:
            raise InvalidError(f"column {name!r}: the item {values.min()} is negative; expected "
                               "integers from 0, or strings")
    codes = _Codes(name)
    items = _concatenated([codes.of(node) for node in nodes], np.uint32)
    if any(node.dictionary is not None for node in nodes):
        items = codes.used(items)
    items, names = _sources.in_order(items, codes.names)
    return _sources.items_of(items), names


def _lists(nodes: ListOf[_Node], name: Any) -> _sources.Arrays:
    """Transactions from a column of lists."""
    lengths, parts = [], []
    for node in nodes:
        _check_nulls(node, name)
        offsets = _offsets(node)
        child = _Node(*node.children[0])
        parts.append(child._replace(offset=child.offset + int(offsets[0]),
                                    length=int(offsets[-1] - offsets[0])))
        lengths.append(np.diff(offsets))
    items, names = _items(parts, name)
    ends = np.zeros(sum(map(len, lengths)) + 1, np.int64)
    np.cumsum(_concatenated(lengths, np.int64), out=ends[1:])
    return _sources.Arrays(ends.view(np.uint64), items, names)


def _column(columns: Columns, role: str, name: Any) -> ListOf[_Node]:
    """The only column with this name."""
    found = [nodes for other, nodes in columns if other == name]
    if not found:
        raise InvalidError(f"{role}={name!r}: there is no such column; expected one of "
                           f"{', '.join(repr(other) for other, _ in columns)}")
    if len(found) > 1:
        raise InvalidError(f"{role}={name!r}: several columns have this name; expected one")
    return found[0]


def _long(columns: Columns, tid: Hashable, item: Hashable, weights: Any) -> _sources.Arrays:
    tids, column = _column(columns, "tid", tid), _column(columns, "item", item)
    codes = _Codes(tid)
    rows = _concatenated([codes.of(node) for node in tids], np.uint32)
    if any(node.dictionary is not None for node in tids):
        rows = codes.used(rows)
    items, names = _items(column, item)
    offsets, grouped = _lode.group(rows.astype(np.int64), items, len(codes.names))
    arrays = _sources.Arrays(offsets, grouped, names, codes.names)
    if isinstance(weights, str):
        values = _weights(_column(columns, "weights", weights), weights)
        arrays.weights = _sources.weights_of_rows(values, rows, len(codes.names), weights)
    return arrays


def _weights(nodes: ListOf[_Node], name: Any) -> Array:
    for node in nodes:
        _check_nulls(node, name)
        if node.format not in _TYPES or node.dictionary is not None:
            raise _unknown(name, node.format, "whole numbers from 1")
    return _concatenated([_numbers(node) for node in nodes], np.uint32)


def _onehot(columns: Columns, n_rows: int) -> _sources.Arrays:
    cells = np.zeros((len(columns), n_rows), np.uint8)
    for row, (name, nodes) in zip(cells, columns):
        at = 0
        for node in nodes:
            _check_nulls(node, name)
            if node.dictionary is not None or (node.format != "b" and node.format not in _TYPES):
                raise _unknown(name, node.format, "bool, or numbers above 0 where the item is "
                               "there; for other tables, give tid= and item=")
            row[at:at + node.length] = _bools(node) if node.format == "b" else _sources.as_bytes(
                _numbers(node).reshape(-1, 1), [name])[:, 0]
            at += node.length
    return _sources.from_matrix(cells.T, [name for name, _ in columns])


def from_stream(source: Any, tid: Any, item: Any, weights: Any) -> _sources.Arrays:
    """Transactions from any object with __arrow_c_stream__."""
    format, fields, arrays = _lode.arrow_read(source.__arrow_c_stream__())
    nodes = [_Node(*array) for array in arrays]
    if format in ("+l", "+L"):
        return _lists(nodes, "lists")
    if format != "+s":
        raise _unknown("of the stream", format, "a table, or a column of lists")
    columns = [(name, [_moved(_Node(*node.children[i]), node) for node in nodes])
               for i, (name, _) in enumerate(fields)]
    lists = [name for name, kind in fields if kind in ("+l", "+L")]
    if tid is not None:
        if item is None:
            raise InvalidError("tid and item: expected both, the columns of a table")
        return _long(columns, tid, item, weights)
    if item is not None and item not in lists:
        raise InvalidError(f"item={item!r}: expected a column of lists" +
                           (f": {', '.join(map(repr, lists))}" if lists else ", or tid= as well"))
    if item is not None or len(lists) == 1:
        name = item if item is not None else lists[0]
        return _lists(_column(columns, "item", name), name)
    if isinstance(weights, str):
        values = _weights(_column(columns, "weights", weights), weights)
        made = _onehot([column for column in columns if column[0] != weights], len(values))
        made.weights = _sources.check_weights(values, len(values))
        return made
    return _onehot(columns, sum(node.length for node in nodes))


def _moved(child: _Node, parent: _Node) -> _Node:
    """A child of a struct array, with the offset of the struct applied."""
    return child._replace(offset=child.offset + parent.offset, length=parent.length)
