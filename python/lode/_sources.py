"""Converts lists, dicts, DataFrames and matrices to offsets and items.

Every function here returns Arrays. Items are numbers: those of the source if it has numbers,
otherwise positions in `names`. Rows of a one-hot source without items are transactions, too.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import numbers
import sys
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Hashable, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from . import _lode
from ._errors import InvalidError, warn

MOST_ITEM = 2**32 - 1
_LOOKED_AT = (1000, 16)  # rows and columns of a DataFrame checked for a warning


@dataclass
class Arrays:
    """Transactions by columns: transaction t has items[offsets[t]:offsets[t + 1]]. For a dense
    matrix they are rows of bits instead."""

    offsets: Any  # u64, one more entry than transactions
    items: Any  # u32
    names: Optional[List[Hashable]] = None
    ids: Optional[List[Hashable]] = None
    weights: Any = None  # one per transaction, or None
    bits: Any = None  # u64: per transaction, one word per 64 items
    shape: Tuple[int, int] = (0, 0)  # of the bit matrix
    columns: Optional[int] = None  # number of columns of any other matrix
    handle: Any = None  # the data set, if it was made without arrays

    @property
    def n(self) -> int:
        """The number of transactions."""
        return len(memoryview(self.offsets).cast("B")) // 8 - 1 if self.bits is None else self.shape[0]

    @property
    def width(self) -> Optional[int]:
        """The number of items that exist even without a transaction; None: only those with one."""
        if self.names is not None:
            return len(self.names)
        return self.columns if self.bits is None else self.shape[1]

    def made(self, how: Any, show: Any, budget: int) -> Any:
        """The outcome of making a data set from them."""
        if self.bits is None:
            return _lode.from_arrays(self.offsets, self.items, self.weights, how, show, budget)
        return _lode.from_bits(self.bits, *self.shape, self.weights, how, show, budget)


def loaded(module: str) -> Any:
    """A module if it is already imported, else None: a caller with an object of it imported it."""
    return sys.modules.get(module)


def offsets_of(array: Any) -> "np.ndarray[Any, Any]":
    return np.ascontiguousarray(array, dtype=np.uint64)


def items_of(array: Any) -> "np.ndarray[Any, Any]":
    return np.ascontiguousarray(array, dtype=np.uint32)


# ---- Lists and dicts ----------------------------------------------------------------------------

def from_lists(source: Iterable[Iterable[Hashable]]) -> Arrays:
    """Transactions from a list of lists, or another iterable of collections of items."""
    if not isinstance(source, (Sequence, np.ndarray)):
        try:
            source = list(source)
        except TypeError:
            raise InvalidError(f"cannot make data of {_short(source)}; expected a path, a list of "
                               "lists, a dict of sets, a DataFrame, a matrix, or an object with "
                               "__arrow_c_stream__") from None
    try:
        offsets, items, names = _encoded(source)
    except (TypeError, ValueError) as error:
        raise InvalidError(str(error)) from None
    if names is None:
        return Arrays(offsets, items)
    items, names = in_order(np.frombuffer(items, np.uint32), names)
    return Arrays(offsets, items, names)


def _encoded(source: Any) -> Any:
    try:
        return _lode.encode(source, False)
    except OverflowError:  # numbers of more than 32 bits, such as bar codes, are names
        return _lode.encode(source, True)


def from_dict(source: Mapping[Hashable, Iterable[Hashable]]) -> Arrays:
    """Transactions from a dict {transaction: its items}."""
    arrays = from_lists(list(source.values()))
    arrays.ids = list(source)
    return arrays


def in_order(items: Any, names: List[Hashable]) -> Any:
    """Numbers items in the order of their names, if these can be ordered."""
    try:
        order = sorted(range(len(names)), key=names.__getitem__)  # type: ignore[arg-type]
    except TypeError:
        return items, names
    rank = np.empty(len(names), np.uint32)
    rank[order] = np.arange(len(names), dtype=np.uint32)
    return rank[items] if len(names) else items, [names[i] for i in order]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


# ---- Matrices -----------------------------------------------------------------------------------

def from_matrix(matrix: Any, names: Optional[Sequence[Hashable]] = None) -> Arrays:
    """Transactions from the rows of a matrix: a value above zero means that the item is there."""
    if matrix.ndim != 2:
        raise InvalidError(f"an array of {matrix.ndim} dimensions; expected 2: a row for each "
                           "transaction, a column for each item")
    cells = as_bytes(matrix, names)
    if cells.size and 1 not in cells.strides:
        cells = np.ascontiguousarray(cells)
    if any(stride < 0 for stride in cells.strides):
        cells = np.ascontiguousarray(cells)
    rows, columns = cells.shape
    return Arrays(None, None, list(names) if names is not None else None,
                  bits=_lode.onehot(cells), shape=(rows, columns))


def as_bytes(matrix: Any, names: Optional[Sequence[Hashable]] = None) -> Any:
    """The matrix with a byte per cell, without a copy if it already has."""
    kind = matrix.dtype.kind
    if kind == "O":
        _check_objects(matrix, names)
        return (matrix > 0).astype(bool).view(np.uint8)
    if kind == "b" or (kind == "u" and matrix.dtype.itemsize == 1):
        return matrix.view(np.uint8)
    if kind not in "uif":
        raise InvalidError(f"a matrix of {matrix.dtype}; expected bool, or numbers that are above "
                           "zero where the item is in the transaction")
    _check_cells(matrix, names)
    return (matrix > 0).view(np.uint8)


def _check_objects(matrix: Any, names: Optional[Sequence[Hashable]]) -> None:
    """Checks an object array: cells must be bools or numbers, not None, NaN or text."""
    for row, cells in enumerate(matrix):
        for column, cell in enumerate(cells):
            if _is_cell(cell):
                continue
            name = column if names is None else repr(names[column])
            raise InvalidError(
                f"row {row}, column {name} is {_short(cell)}; expected 0 or False where the item is "
                "not in the transaction, and above 0 or True where it is. If each row of the array "
                "lists the items of a basket, pass array.tolist() instead")


def _is_cell(cell: Any) -> bool:
    known: Any = cell if isinstance(cell, (numbers.Real, Decimal, np.bool_)) else -1
    return bool(known >= 0)


def refuse_masked(array: Any) -> None:
    """Raises if a cell is masked, because it is neither present nor absent."""
    mask = np.asarray(array.mask) if isinstance(array, np.ma.MaskedArray) else np.zeros(0, bool)
    if mask.any():
        mask = np.broadcast_to(mask, array.shape)
        place = ", ".join(str(int(i[0])) for i in mask.nonzero())
        raise InvalidError(f"the cell ({place}) is masked; expected a value in every cell. "
                           "With .filled(0), the items of masked cells are not in the transaction")


def check_names(names: Optional[Sequence[Hashable]]) -> None:
    """Checks that item names exist, are hashable and are unique."""
    seen = set()
    for i, name in enumerate(names or ()):
        if _is_missing(name):
            raise InvalidError(f"item {i} has the name {name!r}; expected a name for every item")
        try:
            known = name in seen
        except TypeError:
            raise InvalidError(f"item {i} has the name {_short(name)}, which cannot be hashed; "
                               "expected names such as strings or numbers") from None
        if known:
            raise InvalidError(f"item {i} has the name {name!r}, which an earlier item already has; "
                               "expected different names")
        seen.add(name)


def _is_missing(name: Any) -> bool:
    if name is None or (isinstance(name, (float, np.floating)) and name != name):
        return True
    pandas = loaded("pandas")
    return pandas is not None and (name is pandas.NA or name is pandas.NaT)


def _check_cells(matrix: Any, names: Optional[Sequence[Hashable]]) -> None:
    wrong = matrix < 0
    if matrix.dtype.kind == "f":
        wrong |= np.isnan(matrix)
    if not wrong.any():
        return
    row, column = (int(i[0]) for i in wrong.nonzero())
    name = column if names is None else repr(names[column])
    raise InvalidError(f"row {row}, column {name} is {matrix[row, column]}; expected 0 or False "
                       "where the item is not in the transaction, and above 0 or True where it is")


def from_csr(matrix: Any, names: Optional[Sequence[Hashable]] = None) -> Arrays:
    """Transactions from a scipy sparse matrix: a value above zero means that the item is there."""
    if matrix.ndim != 2:
        raise InvalidError("a sparse array of one dimension; expected 2: a row for each transaction")
    csr = matrix.tocsr()
    _check_indices(csr)
    if csr.data.dtype.kind not in "buif":
        raise InvalidError(f"a sparse matrix of {csr.data.dtype}; expected bool or numbers")
    wrong = csr.data < 0 if csr.data.dtype.kind in "if" else np.zeros(0, bool)
    if csr.data.dtype.kind == "f":
        wrong = wrong | np.isnan(csr.data)
    if wrong.any():
        raise InvalidError(f"a sparse matrix with the value {csr.data[wrong][0]}; expected values "
                           "above 0 or True where the item is in the transaction")
    if not csr.data.all():
        csr = csr.copy()
        csr.eliminate_zeros()
    if csr.shape[1] > MOST_ITEM:
        raise InvalidError(f"{csr.shape[1]} columns; expected at most {MOST_ITEM}")
    return Arrays(offsets_of(csr.indptr), items_of(csr.indices),
                  list(names) if names is not None else None, columns=csr.shape[1])


def _check_indices(csr: Any) -> None:
    """Checks the arrays of a sparse matrix, which scipy does not."""
    starts, indices = csr.indptr, csr.indices
    if len(starts) != csr.shape[0] + 1 or starts[0] != 0 or starts[-1] > len(indices) or (
            np.diff(starts) < 0).any() or len(csr.data) < starts[-1]:
        raise InvalidError("the indptr of the sparse matrix does not match its rows; expected numbers "
                           "that begin with 0, do not decrease, and end with the number of values")
    used = indices[:starts[-1]]
    if len(used) and (used.min() < 0 or used.max() >= csr.shape[1]):
        wrong = used.min() if used.min() < 0 else used.max()
        raise InvalidError(f"a sparse matrix with the column {wrong}; expected columns from 0 to "
                           f"{csr.shape[1] - 1}, as its shape says")


# ---- pandas DataFrames --------------------------------------------------------------------------

def from_frame(frame: Any) -> Arrays:
    """Transactions from a one-hot DataFrame: a row per transaction, a column per item."""
    names = list(frame.columns)
    pandas = loaded("pandas")
    kinds = set(frame.dtypes)
    sparse = [isinstance(kind, pandas.SparseDtype) for kind in kinds]
    if sparse and all(sparse):
        return from_csr(_sparse_matrix(frame), names)
    wrong = {kind for kind in kinds if getattr(kind, "kind", "O") not in "buif"}
    for i, (name, kind) in enumerate(zip(names, frame.dtypes) if wrong else ()):
        if kind in wrong and not (kind == object and all(map(_is_cell, frame.iloc[:, i]))):
            raise InvalidError(
                f"column {name!r} has the type {kind}; expected bool, or numbers above 0 where the "
                "item is there. For a table of (transaction, item) rows, give tid= and item=")
    matrix = _matrix_of(frame, any(sparse))
    _warn_of_numbers(frame, names)
    return from_matrix(matrix, names)


def _warn_of_numbers(frame: Any, names: List[Hashable]) -> None:
    """Warns about columns with many values and hardly a zero, which are probably not one-hot. Checks
    the first rows and columns."""
    rows, columns = _LOOKED_AT
    for i, kind in enumerate(frame.dtypes[:columns]):
        if getattr(kind, "kind", "O") == "b":
            continue
        column = np.asarray(frame.iloc[:rows, i].to_numpy(_plain(kind)))
        if (column == 0).sum() <= 1 and len(np.unique(column)) > 2:
            warn(f"column {names[i]!r} has many values and hardly a 0, so this item is in nearly every "
                 "transaction (a value above 0 means that the item is there). For a table of "
                 "(transaction, item) rows, give tid= and item=. If the column has numbers such as "
                 "prices, leave it out, or compare it with a bound")
            return


def from_weighted_frame(frame: Any, weights: Any) -> Arrays:
    """Transactions from a one-hot DataFrame, one of whose columns may hold the weights."""
    if not isinstance(weights, str):
        return from_frame(frame)
    check_column("weights", weights, frame)
    check_there(frame[weights], weights)
    arrays = from_frame(frame.drop(columns=[weights]))
    arrays.weights = check_weights(frame[weights].to_numpy(_plain(frame[weights].dtype)), len(frame))
    return arrays


def _matrix_of(frame: Any, some_sparse: bool) -> Any:
    kinds = set(frame.dtypes)
    if some_sparse or len(kinds) > 1 or not all(isinstance(kind, np.dtype) for kind in kinds):
        if frame.isna().to_numpy().any():
            raise InvalidError("the frame has missing values; expected 0 or False, and above 0 or "
                               "True")
        cells = np.empty(frame.shape[::-1], np.uint8)
        for i, (name, kind, row) in enumerate(zip(frame.columns, frame.dtypes, cells)):
            column = frame.iloc[:, i].to_numpy(_plain(kind))
            row[:] = as_bytes(column.reshape(-1, 1), [name])[:, 0]
        return cells.T
    return frame.to_numpy()


def _plain(kind: Any) -> Any:
    """The numpy dtype for a pandas dtype, such as bool for boolean."""
    kind = getattr(kind, "subtype", kind)
    return kind if isinstance(kind, np.dtype) else np.dtype(kind.type)


def _sparse_matrix(frame: Any) -> Any:
    from ._onehot import sparse_matrix
    try:
        return sparse_matrix(frame)
    except ValueError:
        raise InvalidError("a sparse frame whose fill value is not 0 or False; expected "
                           "pandas.SparseDtype(bool, False)") from None


def from_long(frame: Any, tid: Hashable, item: Hashable, weight: Optional[Hashable]) -> Arrays:
    """Transactions from a long table with a row per (transaction, item)."""
    tids = tid if isinstance(tid, list) else [tid]
    for role, name in (*(("tid", one) for one in tids), ("item", item), ("weights", weight)):
        if name is not None:
            check_column(role, name, frame)
    rows, ids = _codes(frame[tid], tid) if len(tids) == 1 and tids[0] is tid else _codes_of_several(
        frame, tids)
    arrays = grouped(rows, len(ids), frame[item], item)
    arrays.ids = list(ids)
    if weight is not None:
        check_there(frame[weight], weight)
        values = frame[weight].to_numpy(_plain(frame[weight].dtype))
        arrays.weights = weights_of_rows(values, rows, len(ids), weight)
    return arrays


def with_levels(frame: Any, *names: Any) -> Any:
    """The DataFrame with the requested index levels as columns."""
    given = [one for name in names for one in (name if isinstance(name, list) else [name])]
    levels = [level for level in frame.index.names
              if level is not None and level in given and level not in frame.columns]
    return frame.reset_index(levels) if levels else frame


def _codes_of_several(frame: Any, names: Sequence[Hashable]) -> Tuple[Any, Any]:
    """Codes of rows by several columns, and the tuple of values for each code."""
    if not names:
        raise InvalidError("tid=[]: expected a column, or several")
    for name in names:
        check_there(frame[name], name)
    groups = frame.groupby(list(names), sort=False, observed=True)
    first = frame.drop_duplicates(list(names))
    return groups.ngroup().to_numpy(), list(zip(*(first[name] for name in names)))


def check_column(role: str, name: Any, frame: Any) -> None:
    """Checks that the DataFrame has exactly one column with this name."""
    if not isinstance(name, Hashable) or name not in frame.columns:
        raise InvalidError(f"{role}={name!r}: there is no such column; expected one of "
                           f"{', '.join(repr(c) for c in frame.columns[:20])}")
    if getattr(frame[name], "ndim", 1) != 1:
        raise InvalidError(f"{role}={name!r}: several columns have this name; expected one")


def _codes(column: Any, name: Any) -> Any:
    check_there(column, name)
    pandas = loaded("pandas")
    if isinstance(column.dtype, pandas.SparseDtype):
        column = column.sparse.to_dense()
    try:
        return pandas.factorize(column)
    except TypeError:
        raise InvalidError(f"column {name!r} has values that cannot be hashed, such as "
                           f"{_short(column.iloc[0])}; expected strings or numbers. .explode() makes "
                           "a row for each member of a list") from None


def check_there(column: Any, name: Hashable) -> None:
    """Raises if a value of a column is missing."""
    missing = column.isna().to_numpy()
    if missing.any():
        raise InvalidError(f"column {name!r}: row {int(missing.argmax())} has no value; expected "
                           "one in every row")


def grouped(rows: Any, n: int, column: Any, name: Hashable) -> Arrays:
    """Groups the items of a column by transaction, given the transaction number of each row."""
    check_there(column, name)
    if isinstance(column.dtype, loaded("pandas").SparseDtype):
        column = column.sparse.to_dense()
    if column.dtype.kind in "iu":
        items = column.to_numpy(np.dtype(column.dtype.name.lower()))
        if len(items) and items.min() < 0:
            raise InvalidError(f"column {name!r}: the item {items.min()} is negative; expected "
                               "integers from 0, or strings")
        names = None
        if len(items) and items.max() > MOST_ITEM:
            codes, values = _codes(column, name)
            items, names = in_order(codes, list(values.tolist()))
    else:
        codes, values = _codes(column, name)
        names = list(values)
        check_kinds(names, name)
        items, names = in_order(codes, names)
    offsets, items = _lode.group(np.ascontiguousarray(rows, np.int64), items_of(items), n)
    return Arrays(offsets, items, names)


def check_kinds(names: Sequence[Hashable], column: Hashable) -> None:
    """Raises if a column mixes strings and numbers, which is usually a mistake in the data."""
    kinds = {"strings" if isinstance(name, str) else
             "numbers" if isinstance(name, (int, float, np.number)) else "other objects"
             for name in names}
    if len(kinds) > 1:
        raise InvalidError(f"column {column!r} has {' and '.join(sorted(kinds))}; expected items of "
                           "one kind: use .astype(str)")


def weights_of_rows(values: Any, rows: Any, n: int, name: Hashable) -> Any:
    """The weights of n transactions from those of their rows, which must agree."""
    values = check_weights(values, len(values))
    weights = np.zeros(n, np.uint32)
    weights[rows] = values
    if (weights[rows] != values).any():
        row = int((weights[rows] != values).nonzero()[0][0])
        raise InvalidError(f"column {name!r}: row {row} differs from other rows of its transaction; "
                           "expected one weight for each transaction")
    return weights


def check_weights(weights: Any, n: int) -> Any:
    """Checks weights and converts them to u32."""
    refuse_masked(weights)
    if isinstance(weights, Mapping) or not hasattr(weights, "__len__"):
        raise InvalidError(f"weights of the type {type(weights).__name__}; expected a list, an array "
                           "or a Series of whole numbers, or the name of a column")
    array = np.asarray(weights)
    if array.shape != (n,):
        raise InvalidError(f"weights of the shape {array.shape}; expected {n}, one for each "
                           "transaction")
    if array.dtype.kind not in "biu" and not (
            array.dtype.kind == "f" and np.isfinite(array).all() and (array % 1 == 0).all()):
        raise InvalidError("weights that are not whole numbers; expected whole numbers from 1")
    if n and (array.min() < 1 or array.max() > MOST_ITEM):
        raise InvalidError(f"a weight of {array.min() if array.min() < 1 else array.max()}; "
                           f"expected whole numbers from 1 to {MOST_ITEM}")
    return np.ascontiguousarray(array, dtype=np.uint32)
