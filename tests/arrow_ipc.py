"""A small writer of Arrow files and IPC streams, for tests of lode's reader.

    table = [Column("order", "i", [1, 1, 2]), Column("item", "u", ["milk", "bread", None])]
    write(path, table, batch=2, stream=False, codec="zstd")

Formats are those of the C data interface: c C s S i I l L f g b u U vu tdD ts n, d:P,S and lists of these
("+l:u", "+L:i"). With a dictionary, "u@i" has int32 indices.

SPDX-License-Identifier: Apache-2.0
"""
import struct
import subprocess
from pathlib import Path
from typing import Any, List, NamedTuple

MARK = b"\xff\xff\xff\xff"
WIDTHS = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "f": "f",
          "g": "d", "tdD": "i"}


class Column(NamedTuple):
    name: str
    format: str
    cells: List[Any]


# ---- FlatBuffers: a table is a list of fields, each None, (struct format, number), or what it points to

class Structs(NamedTuple):
    """A vector of structs or numbers."""

    n: int
    data: bytes


def _pad(out, width, before=0):
    out.extend(bytes(-(len(out) + before) % width))


def _put(out, value):
    """Appends a value to which a field points, and returns where it begins."""
    if isinstance(value, str):
        _pad(out, 4)
        at = len(out)
        out += struct.pack("<I", len(value.encode())) + value.encode() + b"\0"
    elif isinstance(value, Structs):
        _pad(out, 8, 4)
        at = len(out)
        out += struct.pack("<I", value.n) + value.data
    elif isinstance(value, tuple):  # a vector of tables
        _pad(out, 4)
        at = len(out)
        out += struct.pack("<I", len(value)) + bytes(4 * len(value))
        for i, table in enumerate(value):
            place = at + 4 + 4 * i
            struct.pack_into("<I", out, place, _put(out, list(table)) - place)
    else:
        at = _put_table(out, value)
    return at


def _put_table(out, fields):
    _pad(out, 8, 4)
    offsets, inside, numbers = [], 8, b""
    for field in fields:
        number = isinstance(field, tuple) and len(field) == 2 and isinstance(field[0], str)
        data = b"" if field is None else struct.pack("<" + field[0], field[1]) if number else bytes(4)
        numbers += bytes(-(inside + len(numbers)) % (len(data) or 1))
        offsets.append(inside + len(numbers) if data else 0)
        numbers += data
    vtable = struct.pack(f"<{2 + len(fields)}H", 4 + 2 * len(fields), inside + len(numbers), *offsets)
    vtable_at = len(out)
    out += vtable
    _pad(out, 8)
    at = len(out)
    out += struct.pack("<ii", at - vtable_at, 0) + numbers
    for field, offset in zip(fields, offsets):
        if field is None or (isinstance(field, tuple) and len(field) == 2 and isinstance(field[0], str)):
            continue
        struct.pack_into("<I", out, at + offset, _put(out, field) - at - offset)
    return at


def flat(root):
    out = bytearray(4)
    struct.pack_into("<I", out, 0, _put(out, root))
    return bytes(out)


# ---- types

def _type(format):
    """Number and table of a type."""
    if format in ("f", "g"):
        return 3, [("h", 1 if format == "f" else 2)]
    if len(format) == 1 and format in "cCsSiIlL":
        return 2, [("i", 8 * struct.calcsize(WIDTHS[format])), ("B", format.islower())]
    if format.startswith("d:"):
        return 7, [("i", int(n)) for n in format[2:].split(",")]
    if format.startswith("ts"):
        return 10, [("h", "smun".index(format[2])), format[4:] or None]
    if format == "tdD":
        return 8, [("h", 0)]
    return {"n": 1, "u": 5, "b": 6, "U": 20, "vu": 24, "+l": 12, "+L": 21, "+s": 13}[format], []


def _field(name, format, ids):
    children, dictionary = (), None
    if format.startswith("+") and ":" in format:
        format, inner = format.split(":", 1)
        children = (_field("item", inner, ids),)
    if "@" in format:
        format, index = format.split("@")
        ids.append(format)
        dictionary = [("q", len(ids) - 1), _type(index)[1]]
    number, table = _type(format)
    return [name, ("B", 1), ("B", number), table, dictionary, children]


# ---- arrays

class Body:
    def __init__(self, codec):
        self.codec, self.nodes, self.buffers, self.data = codec, [], [], bytearray()
        self.views = []

    def buffer(self, data):
        data = bytes(data)
        if self.codec and data:
            packed = subprocess.run([self.codec, "-c", "-q", "-"], input=data, capture_output=True,
                                    check=True).stdout
            data = struct.pack("<q", len(data)) + packed if len(packed) < len(data) else \
                struct.pack("<q", -1) + data
        self.buffers.append((len(self.data), len(data)))
        self.data += data + bytes(-len(data) % 8)

    def bits(self, bits):
        out = bytearray((len(bits) + 7) // 8)
        for i, bit in enumerate(bits):
            out[i // 8] |= bool(bit) << i % 8
        self.buffer(out)

    def node(self, cells):
        nulls = sum(cell is None for cell in cells)
        self.nodes.append((len(cells), nulls))
        return nulls

    def add(self, format, cells, dictionaries):
        nulls = self.node(cells)
        if format == "n":
            return
        if nulls:
            self.bits([cell is not None for cell in cells])
        else:
            self.buffer(b"")
        if format.startswith("+"):
            self.lists(format, cells, dictionaries)
        elif "@" in format:
            values, index = format.split("@")
            entries = next(dictionaries)
            codes = [0 if cell is None else entries.index(cell) for cell in cells]
            self.buffer(struct.pack(f"<{len(codes)}{WIDTHS[index]}", *codes))
        elif format in ("u", "U"):
            self.texts(cells, "i" if format == "u" else "q")
        elif format == "vu":
            self.text_views(cells)
        elif format == "b":
            self.bits([bool(cell) for cell in cells])
        elif format.startswith("d:"):
            self.buffer(b"".join((cell or 0).to_bytes(16, "little", signed=True) for cell in cells))
        else:
            width = WIDTHS.get(format, "q")  # timestamps
            self.buffer(struct.pack(f"<{len(cells)}{width}", *(cell or 0 for cell in cells)))

    def texts(self, cells, width):
        texts = [(cell or "").encode() for cell in cells]
        ends = [sum(map(len, texts[:i])) for i in range(len(texts) + 1)] if len(texts) < 100 else [0]
        for text in texts if len(texts) >= 100 else ():
            ends.append(ends[-1] + len(text))
        self.buffer(struct.pack(f"<{len(ends)}{width}", *ends))
        self.buffer(b"".join(texts))

    def text_views(self, cells):
        views, text = b"", b""
        for cell in cells:
            word = (cell or "").encode()
            if len(word) <= 12:
                views += struct.pack("<i12s", len(word), word)
            else:
                views += struct.pack("<i4sii", len(word), word[:4], 0, len(text))
                text += word
        self.buffer(views)
        self.buffer(text)
        self.views.append(1)

    def lists(self, format, cells, dictionaries):
        outer, inner = format.split(":", 1)
        ends = [0]
        for cell in cells:
            ends.append(ends[-1] + len(cell or ()))
        self.buffer(struct.pack(f"<{len(ends)}{'i' if outer == '+l' else 'q'}", *ends))
        self.add(inner, [one for cell in cells for one in cell or ()], dictionaries)

    def batch(self, length):
        pairs = [Structs(len(list_), b"".join(struct.pack("<qq", *pair) for pair in list_))
                 for list_ in (self.nodes, self.buffers)]
        packing = [("b", ["lz4", "zstd"].index(self.codec)), ("b", 0)] if self.codec else None
        views = Structs(len(self.views), struct.pack(f"<{len(self.views)}q", *self.views))
        return [("q", length), *pairs, packing, views if self.views else None]


def _message(kind, header, body=b""):
    metadata = flat([("h", 4), ("B", kind), header, ("q", len(body))])
    metadata += bytes(-len(metadata) % 8)
    return MARK + struct.pack("<i", len(metadata)) + metadata + bytes(body)


def _values(column, rows):
    return [one for cell in rows for one in (cell or ())] if column.format[0] == "+" else rows


def messages(table, batch, codec=None):
    """The messages; every batch has dictionaries of its own, which replace those before."""
    ids = []
    fields = tuple(_field(c.name, c.format, ids) for c in table)
    yield _message(1, [("h", 0), fields])
    coded = [c for c in table if "@" in c.format]
    n = len(table[0].cells) if table else 0
    for start in range(0, n, batch):
        entries = []
        for number, (column, format) in enumerate(zip(coded, ids)):
            rows = _values(column, column.cells[start:start + batch])
            entries.append(list(dict.fromkeys(cell for cell in rows if cell is not None)))
            body = Body(codec)
            body.add(format, entries[-1], iter(()))
            yield _message(2, [("q", number), body.batch(len(entries[-1]))], body.data)
        body, dictionaries = Body(codec), iter(entries)
        for column in table:
            body.add(column.format, column.cells[start:start + batch], dictionaries)
        yield _message(3, body.batch(min(batch, n - start)), body.data)


def encode(table, batch=1 << 20, stream=False, codec=None):
    """The bytes of a file (whose footer lists nothing, as lode does not read it) or of a stream."""
    data = b"".join(messages(table, batch, codec)) + MARK + bytes(4)
    if stream:
        return data
    footer = flat([("h", 4)])
    return b"ARROW1\0\0" + data + footer + struct.pack("<i", len(footer)) + b"ARROW1"


def write(path, table, **how):
    Path(path).write_bytes(encode(table, **how))
