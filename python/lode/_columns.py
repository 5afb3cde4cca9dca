"""Columns of the C module as numpy arrays, and operations on columns of lists.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from typing import Any, Hashable, List, Optional, Sequence, Tuple, Union

import numpy as np

Array = Any  # numpy.ndarray, whose type parameters differ between versions
Selection = Union[slice, List[int], "np.ndarray[Any, Any]"]


def view(column: Any, dtype: Any) -> Array:
    """A column as an array, without a copy; None stays None."""
    if column is None:
        return None
    return np.frombuffer(column, dtype) if len(column) else np.empty(0, dtype)


def offsets_view(column: Any) -> Array:
    """Offsets as int64, which numpy can mix with other integers without converting to float."""
    offsets = view(column, np.int64)
    return offsets if len(offsets) else np.zeros(1, np.int64)


def locked(column: Array) -> Array:
    """The array, read-only; None stays None."""
    if column is None or not column.flags.writeable:
        return column
    column = column.view()
    column.flags.writeable = False
    return column


def gather(offsets: Array, values: Array, index: Array) -> Tuple[Array, Array]:
    """A copy of the lists with the given numbers, as offsets and values; None if there are no
    lists."""
    if offsets is None:
        return None, None
    lengths = (offsets[1:] - offsets[:-1])[index]
    ends = np.zeros(len(index) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    where = np.repeat(offsets[:-1][index] - ends[:-1], lengths) + np.arange(ends[-1])
    return ends, values[where]


def cut(offsets: Array, values: Array, first: int, end: int) -> Tuple[Array, Array]:
    """The lists from `first` to `end` - 1. Values are not copied; offsets are copied unless they
    begin with 0. None if there are no lists."""
    if offsets is None:
        return None, None
    part = offsets[first:end + 1]
    part_values = values[part[0]:part[-1]]
    return (part if part[0] == 0 else part - part[0]), part_values


def index_of(key: Any, n: int) -> Array:
    """Row numbers from a boolean mask, or from a list or array of numbers."""
    index = np.asarray(_in_row_order(key, n))
    if index.dtype.kind == "b":
        if index.shape != (n,):
            raise IndexError(f"a mask of the shape {index.shape}; expected {n} values")
        return np.flatnonzero(index)
    if index.size == 0:
        return np.empty(0, np.int64)
    if index.ndim != 1 or index.dtype.kind not in "iu":
        raise TypeError("expected a number, a slice, a mask, a list of numbers or the name of a "
                        "column")
    if index.min() < -n or index.max() >= n:
        raise IndexError(f"row number out of range; there are {n} rows")
    return np.where(index < 0, index + n, index)


def _in_row_order(key: Any, n: int) -> Any:
    """A pandas mask, in row order: its index must be the row numbers, in any order."""
    labels = getattr(key, "index", None)
    if getattr(getattr(key, "dtype", None), "kind", "") != "b" or not hasattr(labels, "is_unique"):
        return key
    numbers = np.asarray(labels)
    if len(numbers) == n and np.array_equal(numbers, np.arange(n)):
        return key
    if len(numbers) != n or not np.array_equal(np.sort(numbers), np.arange(n)):
        raise IndexError(f"the index of the mask is not 0 to {n - 1}, the row numbers; expected a mask "
                         "made from to_pandas(), or mask.to_numpy()")
    return key.sort_index()


def names_of(numbers: Sequence[int], names: Optional[List[Hashable]]) -> Tuple[Hashable, ...]:
    """Items by name, or as numbers if they have no names."""
    if names is None:
        return tuple(numbers)
    return tuple([names[i] for i in numbers])


def counts_of_marked(offsets: Array, marked: Array) -> Array:
    """The number of marked values in each list."""
    running = np.zeros(len(marked) + 1, np.int64)
    np.cumsum(marked, out=running[1:])
    return running[offsets[1:]] - running[offsets[:-1]]
