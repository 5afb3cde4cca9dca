"""One-hot DataFrames, with the rules of mlxtend.

Checks, their order and their messages are mlxtend's, so that code which catches its errors still
works. They run in numpy once per DataFrame, not once per cell.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import warnings
from typing import Any, List, Set, Union

import numpy as np
import pandas as pd
from scipy import sparse

from ._columns import Array

Positions = Union[List[int], Array]

NOT_BOOL = (
    "DataFrames with non-bool types result in worse computational"
    "performance and their support might be discontinued in the future."
    "Please use a DataFrame with bool type"
)
NO_NAN = (
    "null_values=True is inefficient when there are no NaN values in the DataFrame."
    "Set null_values=False for faster output."
)
NAN = "NaN values are not permitted in the DataFrame when null_values=False."
INTEGER_COLUMNS = (
    "Due to current limitations in Pandas, "
    "if the sparse format has integer column names,"
    "names, please make sure they either start "
    "with `0` or cast them as string column names: "
    "`df.columns = [str(i) for i in df.columns`]."
)
# Stack levels between a warning issued here and the caller of the package.
CALLER = 4


def _kinds(frame: Any) -> Set[Any]:
    """The distinct dtypes of the columns; usually one, however many columns there are."""
    return set(frame.dtypes)


def is_sparse(frame: Any) -> bool:
    """Whether every column of a DataFrame is sparse, without making a pandas accessor."""
    return all(isinstance(kind, pd.SparseDtype) for kind in _kinds(frame))


def _column_arrays(frame: Any) -> List[Any]:
    """The arrays of the columns, by the fastest way in this version of pandas."""
    quick = getattr(frame, "_iter_column_arrays", None)
    return list(quick() if quick else (frame.iloc[:, i].array for i in range(frame.shape[1])))


def sparse_matrix(frame: Any) -> Any:
    """The CSR matrix of a sparse DataFrame, without stored zeros.

    As frame.sparse.to_coo(), without a pandas object per column.
    """
    if frame.size == 0:
        return sparse.csr_matrix(frame.shape, dtype=bool)
    arrays = _column_arrays(frame)
    if any(array.fill_value != 0 for array in arrays):
        raise ValueError("fill value must be 0 when converting to COO matrix")
    places = [array.sp_index.indices for array in arrays]
    values = np.concatenate([array.sp_values for array in arrays])
    starts = np.concatenate([[0], np.cumsum([len(place) for place in places])])
    columns = sparse.csc_matrix((values, np.concatenate(places), starts), shape=frame.shape)
    columns.eliminate_zeros()
    return columns.tocsr()


def check_min_support(min_support: float) -> None:
    """Raises mlxtend's ValueError unless 0 < min_support <= 1."""
    if not 0.0 < min_support <= 1.0:
        raise ValueError(
            "`min_support` must be a positive number within the interval `(0, 1]`. "
            f"Got {min_support}."
        )


def _bool_or_nan(frame: Any) -> bool:
    """Whether a DataFrame has only bool values and NaN, whatever its dtypes."""
    if all(kind == bool for kind in _kinds(frame)):
        return True
    cells = frame.to_numpy(dtype=object).ravel()
    nan = pd.isna(cells)
    return all(isinstance(cell, bool) for cell in cells[~nan])


def _cells_of(frame: Any) -> Array:
    """The cells of a dense DataFrame. pandas.NA (in Int64, boolean and the like) becomes NaN,
    because comparisons with pandas.NA have no result."""
    if all(isinstance(kind, np.dtype) for kind in _kinds(frame)):
        return frame.to_numpy()
    cells = frame.to_numpy(dtype=object, copy=True)
    cells[pd.isna(cells)] = np.nan
    return cells


def _values_to_check(frame: Any) -> Any:
    if is_sparse(frame):
        return np.concatenate([array.sp_values for array in _column_arrays(frame)])
    return _cells_of(frame)


def _check_values(frame: Any, null_values: bool) -> None:
    values = _values_to_check(frame)
    wrong = (values != 1) & (values != 0)
    if null_values:
        wrong &= ~pd.isna(values)
    found = np.argwhere(wrong)
    if len(found):
        allowed = "True, False, 0, 1, NaN" if null_values else "True, False, 0, 1"
        raise ValueError(
            f"The allowed values for a DataFrame are {allowed}. "
            f"Found value {values[tuple(found[0])]}"
        )


def check_frame(frame: Any, null_values: bool = False) -> None:
    """Raises or warns as mlxtend does if a DataFrame is not one-hot. None is allowed."""
    if frame is None:
        return
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(
            "expected a one-hot pandas DataFrame, not "
            f"{type(frame).__name__}; lode.Data takes lists, arrays, matrices and long tables"
        )
    if frame.size == 0:
        return
    if is_sparse(frame) and not isinstance(frame.columns[0], str) and frame.columns[0] != 0:
        raise ValueError(INTEGER_COLUMNS)
    if null_values:
        fine = _bool_or_nan(frame)
    else:
        fine = all(pd.api.types.is_bool_dtype(kind) for kind in _kinds(frame))
    if fine:
        return
    warnings.warn(NOT_BOOL, DeprecationWarning, stacklevel=CALLER)
    has_nan = bool(frame.isna().any().any())
    if null_values and not has_nan:
        warnings.warn(NO_NAN, stacklevel=CALLER)
    if not null_values and has_nan:
        raise ValueError(NAN)
    _check_values(frame, null_values)


def matrix_of(frame: Any) -> Any:
    """A checked DataFrame in the form that lode.Data accepts: a bool matrix, or CSR."""
    if is_sparse(frame):
        return sparse_matrix(frame)
    values = frame.to_numpy()
    if values.dtype == bool:
        return values
    if values.dtype == object and pd.isna(values).any():
        raise ValueError(NAN)
    return values != 0 if values.dtype != object else values.astype(bool)


class NullCounts:
    """Counts for a DataFrame with NaN: rows that have all items of a set, and rows in which none of
    them is NaN.

    Columns are packed bits, so a set costs one pass over n / 8 bytes per item.
    """

    ONES_OF = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)

    def __init__(self, frame: Any) -> None:
        values = _cells_of(frame)
        null = pd.isna(values)
        ones = np.asarray(values == 1, dtype=bool)
        self.rows = len(values)
        self.present = null | ones
        self.null = np.packbits(null, axis=0).T.copy()
        self.ones = np.packbits(ones, axis=0).T.copy()

    def count(self, packed: Array) -> Array:
        """The number of bits set in each row of a packed bit matrix."""
        return self.ONES_OF[packed].sum(axis=-1, dtype=np.int64)

    def all_ones(self, positions: Positions) -> Array:
        """The rows, as packed bits, in which all of these columns are 1."""
        return np.bitwise_and.reduce(self.ones[positions], axis=0)

    def any_null(self, positions: Positions) -> Array:
        """The rows, as packed bits, in which any of these columns is NaN."""
        return np.bitwise_or.reduce(self.null[positions], axis=0)

    def support(self, positions: Positions) -> float:
        """The share of rows with all of these columns, among the rows without NaN in them; 0 if there
        are none."""
        known = self.rows - int(self.count(self.any_null(positions)))
        return int(self.count(self.all_ones(positions))) / known if known else 0.0
