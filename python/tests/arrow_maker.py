"""Arrow streams as another library would make them, by ctypes alone: for tests of what is read.

make([{column: (format, values)}, …]) has a batch for each dictionary, or list of pairs where names are
repeated. Formats: i (int32) and all other numbers, dates and times; b (bool), u (strings, 32-bit
offsets), vu (strings by views), +l (lists of strings), d (a dictionary of strings: indices, strings).
None in i is a missing value.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import struct

from test_results import Array, Schema, Stream

SCHEMA_RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
ARRAY_RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
STREAM_RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))
released = {"arrays": 0}


@SCHEMA_RELEASE
def release_schema(schema):
    schema.contents.release = SCHEMA_RELEASE()


@ARRAY_RELEASE
def release_array(array):
    released["arrays"] += 1
    array.contents.release = ARRAY_RELEASE()


@STREAM_RELEASE
def release_stream(stream):
    stream.contents.release = None


def pairs(batch):
    return list(batch.items()) if isinstance(batch, dict) else batch


def widths(format):
    """How struct packs a number, date or time of an Arrow format; None: it is something else."""
    if format.startswith("t"):
        return "i" if format in ("tdD", "tts", "ttm", "tiM") else "q"
    return {"l": "q", "L": "Q", "g": "d", "f": "f", "i": "i", "c": "b"}.get(format)


def bits(values):
    out = bytearray((len(values) + 7) // 8)
    for i, value in enumerate(values):
        out[i // 8] |= bool(value) << i % 8
    return bytes(out)


class Maker:
    """A stream, and everything that must live as long as it does."""

    def __init__(self, batches):
        self.kept = []
        self.batches = batches
        self.at = 0

    def keep(self, thing):
        self.kept.append(thing)
        return thing

    def schema(self, out, format, name, children=()):
        out.format, out.name = self.keep(format.encode()), self.keep(name.encode())
        out.n_children, out.release = len(children), release_schema
        if children:
            pointers = (ctypes.POINTER(Schema) * len(children))(*map(ctypes.pointer, children))
            out.children = self.keep(pointers)
        return self.keep(out)

    def array(self, out, length, buffers, children=(), nulls=0):
        held = [self.keep(ctypes.create_string_buffer(b, len(b) + 1)) if b is not None else None
                for b in buffers]
        out.buffers = self.keep((ctypes.c_void_p * max(1, len(held)))(
            *[ctypes.addressof(b) if b is not None else None for b in held]))
        out.length, out.null_count, out.n_buffers = length, nulls, len(held)
        out.n_children, out.release = len(children), release_array
        if children:
            pointers = (ctypes.POINTER(Array) * len(children))(*map(ctypes.pointer, children))
            out.children = self.keep(pointers)
        return self.keep(out)

    def text(self, values):
        parts = [v if isinstance(v, bytes) else v.encode() for v in values]
        ends = [0]
        for part in parts:
            ends.append(ends[-1] + len(part))
        return self.array(Array(), len(parts), [None, struct.pack(f"{len(ends)}i", *ends),
                                                b"".join(parts)])

    def column(self, format, values):
        if format == "d":
            index, words = values
            made = self.column("i", index)
            made.dictionary = ctypes.pointer(self.text(words))
            return made
        if widths(format):
            valid = bits([v is not None for v in values]) if None in values else None
            return self.array(Array(), len(values), [valid, struct.pack(
                f"{len(values)}{widths(format)}", *(v or 0 for v in values))],
                              nulls=values.count(None))
        if format == "b":
            return self.array(Array(), len(values), [None, bits(values)])
        if format == "u":
            return self.text(values)
        if format == "+l":
            ends = [0]
            for one in values:
                ends.append(ends[-1] + len(one))
            child = self.text([item for one in values for item in one])
            return self.array(Array(), len(values), [None, struct.pack(f"{len(ends)}i", *ends)],
                              [child])
        if format == "vu":
            return self.views([value.encode() for value in values])
        return self.array(Array(), len(values), [None, b""])

    def views(self, parts):
        """Strings by views; those of more than 12 bytes are in two buffers by turns."""
        texts, views = [b"", b""], b""
        for k, part in enumerate(parts):
            if len(part) <= 12:
                views += struct.pack("i12s", len(part), part)
                continue
            views += struct.pack("i4sii", len(part), part[:4], k % 2, len(texts[k % 2]))
            texts[k % 2] += part
        sizes = struct.pack("2q", *map(len, texts))
        return self.array(Array(), len(parts), [None, views, *texts, sizes])

    def field(self, format, name):
        made = self.schema(Schema(), "i" if format == "d" else format, name,
                           [self.schema(Schema(), "u", "item")] if format == "+l" else ())
        if format == "d":
            made.dictionary = ctypes.pointer(self.schema(Schema(), "u", ""))
        return made

    def get_schema(self, stream, out):
        fields = [self.field(format, name) for name, (format, _) in pairs(self.batches[0])]
        self.schema(out.contents, "+s", "", fields)
        return 0

    def get_next(self, stream, out):
        if self.at == len(self.batches):
            ctypes.memset(ctypes.addressof(out.contents), 0, ctypes.sizeof(Array))
            return 0
        columns = [self.column(*column) for _, column in pairs(self.batches[self.at])]
        self.at += 1
        self.array(out.contents, columns[0].length, [None], columns)
        return 0

    def __arrow_c_stream__(self, requested_schema=None):
        stream = self.keep(Stream())
        stream.get_schema = Stream._fields_[0][1](self.get_schema)
        stream.get_next = Stream._fields_[1][1](self.get_next)
        stream.release = ctypes.cast(release_stream, ctypes.c_void_p)
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(stream), b"arrow_array_stream", None)


def make(batches):
    return Maker(batches)
