"""lode.h for Python's ctypes, as far as tests/test_ctypes.py needs it, written as a binding would be.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes as c

OK, CANCELLED, INVALID, PARSE, NOTFOUND, STOPPED = 0, 3, 4, 5, 9, 10


class Sized(c.Structure):
    """A struct that starts with its size, and everything else zero: LODE_INIT."""

    def __init__(self, **fields):
        super().__init__(**fields)
        self.size = c.sizeof(self)


class Progress(Sized):
    _fields_ = [("size", c.c_size_t), ("phase", c.c_char_p), ("share", c.c_double),
                ("seconds", c.c_double), ("patterns", c.c_uint64), ("rate", c.c_double),
                ("left", c.c_double), ("left_least", c.c_double), ("left_most", c.c_double)]


class Threshold(c.Structure):
    _fields_ = [("numerator", c.c_uint64), ("denominator", c.c_uint64)]


class CtxOptions(Sized):
    _fields_ = [("size", c.c_size_t), ("memory_bytes", c.c_uint64), ("threads", c.c_uint)]


PROGRESS = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Progress))
LOG = c.CFUNCTYPE(None, c.c_void_p, c.c_int, c.c_char_p)


class JobOptions(Sized):
    _fields_ = [("size", c.c_size_t), ("memory_bytes", c.c_uint64), ("threads", c.c_uint),
                ("device", c.c_char_p), ("device_memory_bytes", c.c_uint64), ("log", LOG),
                ("log_user", c.c_void_p), ("progress", PROGRESS), ("progress_user", c.c_void_p)]


class MineOptions(Sized):
    """The first fields are enough: the library takes the others for zero."""
    _fields_ = [("size", c.c_size_t), ("min_support", Threshold), ("algorithm", c.c_char_p),
                ("target", c.c_int), ("top_k", c.c_uint64)]


class Batch(Sized):
    _fields_ = [("size", c.c_size_t), ("prefix", c.POINTER(c.c_uint32)), ("n_prefix", c.c_uint32),
                ("items", c.POINTER(c.c_uint32)), ("supports", c.POINTER(c.c_uint64)),
                ("n", c.c_uint32), ("perfect", c.POINTER(c.c_uint32)), ("n_perfect", c.c_uint32)]


BATCH = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(Batch))


class Result(Sized):
    _fields_ = [("size", c.c_size_t), ("n", c.c_uint64), ("offsets", c.POINTER(c.c_uint64)),
                ("items", c.POINTER(c.c_uint32)), ("supports", c.POINTER(c.c_uint64))]


class Error(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class Library:
    """The functions, with their types."""

    def __init__(self, path):
        self.dll = c.CDLL(str(path))
        pointer, text = c.c_void_p, c.c_char_p
        types = {
            "lode_ctx_create": (c.c_int, [pointer, pointer]),
            "lode_ctx_free": (None, [pointer]),
            "lode_ctx_memory_used": (c.c_uint64, [pointer]),
            "lode_job_create": (c.c_int, [pointer, pointer, pointer]),
            "lode_job_free": (None, [pointer]),
            "lode_job_error": (text, [pointer]),
            "lode_job_cancel": (None, [pointer]),
            "lode_job_progress": (c.c_bool, [pointer, pointer]),
            "lode_dataset_open": (c.c_int, [pointer, pointer, text, pointer]),
            "lode_dataset_from_arrays": (c.c_int, [pointer, pointer, c.c_uint64, pointer, pointer,
                                                   pointer]),
            "lode_dataset_free": (None, [pointer]),
            "lode_dataset_item_name": (c.c_size_t, [pointer, c.c_uint32, text, c.c_size_t]),
            "lode_sink_count": (c.c_int, [pointer, pointer]),
            "lode_sink_memory": (c.c_int, [pointer, pointer]),
            "lode_sink_callback": (c.c_int, [pointer, pointer, BATCH, pointer]),
            "lode_sink_finish": (c.c_int, [pointer, c.c_bool]),
            "lode_sink_free": (None, [pointer]),
            "lode_sink_patterns": (c.c_uint64, [pointer]),
            "lode_sink_result": (c.c_bool, [pointer, pointer]),
            "lode_mine": (c.c_int, [pointer, pointer, pointer, pointer, pointer]),
        }
        for name, (result, arguments) in types.items():
            function = getattr(self.dll, name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name[len("lode_"):], function)


class Job:
    """One job, in a context or in one of its own."""

    def __init__(self, lode, ctx=None, **options):
        self.lode, self.handle = lode, c.c_void_p()
        self.options = JobOptions(**options)  # keeps the callbacks alive
        self.check(lode.job_create(c.byref(self.handle), ctx, c.byref(self.options)))

    def check(self, status):
        if status != OK:
            raise Error(status, self.lode.job_error(self.handle).decode())

    def make(self, function, *arguments):
        """Calls a function whose second argument is what it makes."""
        out = c.c_void_p()
        self.check(function(self.handle, c.byref(out), *arguments))
        return out

    def from_arrays(self, transactions):
        offsets, items = [0], []
        for row in transactions:
            items.extend(row)
            offsets.append(len(items))
        return self.make(self.lode.dataset_from_arrays, len(transactions),
                         (c.c_uint64 * len(offsets))(*offsets),
                         (c.c_uint32 * max(1, len(items)))(*items), None)

    def mine(self, data, sink, support, **more):
        options = MineOptions(min_support=Threshold(support, 0), **more)
        self.check(self.lode.mine(self.handle, data, c.byref(options), sink, None))

    def count(self, data, support, **more):
        sink = self.make(self.lode.sink_count)
        try:
            self.mine(data, sink, support, **more)
            return self.lode.sink_patterns(sink)
        finally:
            self.lode.sink_free(sink)

    def patterns(self, data, support, **more):
        """{items: support}, from the arrays of a result in memory."""
        sink = self.make(self.lode.sink_memory)
        try:
            self.mine(data, sink, support, **more)
            self.check(self.lode.sink_finish(sink, False))
            result = Result()
            assert self.lode.sink_result(sink, c.byref(result))
            offsets = result.offsets[:result.n + 1]
            items = result.items[:offsets[-1]]
            return {tuple(items[a:b]): support for a, b, support in
                    zip(offsets, offsets[1:], result.supports[:result.n])}
        finally:
            self.lode.sink_free(sink)

    def progress(self):
        out = Progress()
        assert self.lode.job_progress(self.handle, c.byref(out))
        return out

    def free(self):
        self.lode.job_free(self.handle)
        self.handle = None
