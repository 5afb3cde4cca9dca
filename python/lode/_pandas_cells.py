"""Base class of pandas extension arrays whose cells are made on access.

A subclass defines the number of rows, which rows are missing, how a cell or a selection is made,
and how arrays are concatenated. This class implements the rest of the interface of pandas.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
import pandas
from pandas.api.extensions import ExtensionArray
from pandas.api.indexers import check_array_indexer

from . import _columns
from ._columns import Array


def is_missing(cell: Any) -> bool:
    """Whether a value is None, NaN or NA."""
    return cell is None or cell is pandas.NA or cell is pandas.NaT or (
        isinstance(cell, float) and cell != cell)


class LazyCells(ExtensionArray):  # type: ignore[misc]
    """Rows whose cells are objects made on access."""

    # ---- For subclasses to implement ------------------------------------------------------------

    def isna(self) -> Array:
        """A mask of the missing rows."""
        raise NotImplementedError

    def _is_gone(self, i: int) -> bool:
        """Whether a row is missing."""
        raise NotImplementedError

    def _cell(self, i: int) -> Any:
        """The object for a row that is not missing."""
        raise NotImplementedError

    def _part(self, index: Array) -> Any:
        """The rows with these numbers; -1 makes a missing row."""
        raise NotImplementedError

    def _become(self, other: Any) -> None:
        """Replaces the rows by those of another array of the same type."""
        raise NotImplementedError

    def _words(self, cell: Any) -> str:
        """A cell as display text."""
        raise NotImplementedError

    def _is_cell(self, value: Any) -> bool:
        """Whether a value is a single cell, not a list of cells."""
        raise NotImplementedError

    # ---- Rows -----------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and len(key) == 2 and Ellipsis in (key[0], key[-1]):
            key = key[1] if key[0] is Ellipsis else key[0]  # as numpy's arrays are asked
        if isinstance(key, (int, np.integer)):
            if not -len(self) <= key < len(self):
                raise IndexError(f"index {key} is out of bounds for axis 0 with size {len(self)}")
            i = int(key) % len(self)
            return self.dtype.na_value if self._is_gone(i) else self._cell(i)
        return self._part(self._numbers(key))

    def _numbers(self, key: Any) -> Array:
        """The numbers of the rows selected by a slice, a mask or a list."""
        if isinstance(key, slice):
            return np.arange(*key.indices(len(self)))
        if not pandas.api.types.is_list_like(key):
            raise IndexError(f"{key!r}: only integers, slices (`:`), ellipsis (`...`), "
                             "numpy.newaxis (`None`) and integer or boolean arrays are valid indices")
        return _columns.index_of(check_array_indexer(self, key), len(self))

    def __setitem__(self, key: Any, value: Any) -> None:
        index = np.atleast_1d(np.arange(len(self))[check_array_indexer(self, key)])
        single = self._is_cell(value) or is_missing(value)
        new = self._from_sequence([value] if single else value, dtype=self.dtype)
        if not single and len(new) != len(index):
            raise ValueError(f"cannot set {len(index)} rows to {len(new)} values; expected as many")
        source = np.arange(len(self))
        source[index] = len(self) if single else len(self) + np.arange(len(new))
        self._become(self._concat_same_type([self, new]).take(source))

    def take(self, indices: Sequence[int], *, allow_fill: bool = False,
             fill_value: Any = None) -> Any:
        index = np.asarray(indices, np.int64)
        if len(index) and not len(self) and not (allow_fill and (index == -1).all()):
            raise IndexError("cannot do a non-empty take from an empty axes")
        if len(index) and index.max() >= len(self):
            raise IndexError(f"row number out of bounds; there are {len(self)} rows")
        if not allow_fill:
            if len(index) and index.min() < -len(self):
                raise IndexError(f"row number out of bounds; there are {len(self)} rows")
            return self._part(np.where(index < 0, index + len(self), index))
        if len(index) and index.min() < -1:
            raise ValueError("row number below -1; expected row numbers, or -1 for a missing row")
        if is_missing(fill_value) or not (index < 0).any():
            return self._part(index)
        filled = self._concat_same_type([self, self._from_sequence([fill_value])])
        return filled._part(np.where(index < 0, len(self), index))

    def copy(self) -> Any:
        return self._part(np.arange(len(self)))

    def _objects(self) -> Array:
        """A cell for each row."""
        cells = np.empty(len(self), object)
        for i, cell in enumerate(self):
            cells[i] = cell
        return cells

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        dtype = pandas.api.types.pandas_dtype(dtype)
        if dtype == self.dtype:
            return self.copy() if copy else self
        if isinstance(dtype, pandas.StringDtype):
            words = [cell if is_missing(cell) else str(cell) for cell in self]
            return dtype.construct_array_type()._from_sequence(words, dtype=dtype)
        if dtype == object:
            return self._objects()
        if dtype.kind == "U":
            return np.array([str(cell) for cell in self], dtype=dtype)
        raise TypeError(f"a column of the type {self.dtype} cannot be converted to {dtype}; "
                        "expected object or str")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return self.astype(object if dtype is None else dtype)

    @classmethod
    def _from_factorized(cls, values: Any, original: Any) -> Any:
        return cls._from_sequence(values, dtype=original.dtype)

    def __ne__(self, other: Any) -> Any:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else ~equal

    # ---- Unique rows ----------------------------------------------------------------------------

    def _first_rows(self) -> Array:
        """For each row, the number of the first equal row; -1 if it is missing."""
        values, _ = self._values_for_factorize()
        codes, _ = pandas.factorize(values)
        seen = np.full(codes.max() + 2 if len(codes) else 1, -1)
        known = np.flatnonzero(codes >= 0)
        seen[codes[known[::-1]]] = known[::-1]
        return np.where(codes >= 0, seen[codes], -1)

    def unique(self) -> Any:
        """The distinct rows in order of appearance; one missing row, if there are any."""
        first = self._first_rows()
        missing = np.flatnonzero(first < 0)
        kept = first == np.arange(len(self))
        kept[missing[:1]] = True
        return self[kept]

    def factorize(self, use_na_sentinel: bool = True) -> Any:
        """Codes of the rows, and the distinct rows. Missing rows have the code -1, or their own."""
        first = self._first_rows()
        if not use_na_sentinel and (first < 0).any():
            first[first < 0] = np.flatnonzero(first < 0)[0]
        codes, rows = pandas.factorize(np.where(first < 0, np.nan, first))
        return codes.astype(np.intp), self._part(rows.astype(np.int64))

    def value_counts(self, dropna: bool = True) -> Any:
        """The number of occurrences of each distinct row, the most frequent first."""
        codes, different = self.factorize()
        counts = np.bincount(codes[codes >= 0], minlength=len(different))
        missing = int((codes < 0).sum())
        if missing and not dropna:
            different = different.take(np.append(np.arange(len(different)), -1), allow_fill=True)
            counts = np.append(counts, missing)
        order = np.argsort(-counts, kind="stable")
        return pandas.Series(counts[order], index=pandas.Index(different.take(order)),
                             dtype="Int64", copy=False)

    # ---- Display --------------------------------------------------------------------------------

    def _formatter(self, boxed: bool = False) -> Any:
        return lambda cell: "<NA>" if is_missing(cell) else self._words(cell)
