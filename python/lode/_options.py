"""Arguments of Python as options of lode: names with dashes, values as text.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import math
import numbers
from decimal import Decimal
from fractions import Fraction
from typing import Any, Iterable, List, Optional, Tuple, Union

from ._errors import InvalidError

Support = Union[int, float, str, Fraction, Decimal]
Options = List[Tuple[str, Optional[str]]]

_ZERO_IS_DEFAULT = ("threads", "want", "seed", "min_size", "min_edges", "min_vertices")
_MOST_DIGITS = 18  # that lode reads exactly


def _decimal_of(value: Any) -> Decimal:
    """The decimal that repr() shows: 0.28 is 28/100, not the nearest binary fraction."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


def _share_text(share: Decimal) -> Optional[str]:
    """A share as text that lode reads exactly, or None if it has too many digits."""
    digits = -int(share.normalize().as_tuple().exponent)
    if share == 1:
        return "100%"
    return format(share.normalize(), "f") if digits <= _MOST_DIGITS else None


def _refuse(name: str, value: Any) -> InvalidError:
    return InvalidError(f"{name}={value!r}: expected a count such as 250 (an int), a share such as "
                        "0.01 (a float above 0, at most 1.0), or a text such as '1%'")


def threshold(name: str, value: Support, total: Optional[int]) -> str:
    """A support as lode reads it: int = count, float = share, exactly as its digits say.

    `total` transactions are 100%; None = lode knows better (it holds some out).

    >>> threshold("min_support", 0.28, 25), threshold("min_support", 7, 25)
    ('0.28', '7')
    """
    if isinstance(value, str):
        return value
    value = getattr(value, "min_count", value)  # a point of a curve
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, Decimal)):
        raise _refuse(name, value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, Fraction):
        share: Union[Fraction, Decimal] = value
    else:
        share = _decimal_of(value)
        if not share.is_finite():
            raise _refuse(name, value)
    if not 0 < share <= 1:
        raise _refuse(name, value)
    text = _share_text(share) if isinstance(share, Decimal) else None
    if text is None and total is None:
        raise InvalidError(f"{name}={value!r}: expected at most {_MOST_DIGITS} digits")
    return text or str(max(1, math.ceil(Fraction(share) * (total or 0))))


def _below(share: Union[Fraction, Decimal], total: int) -> Optional[str]:
    """A decimal just below a share of more digits than lode reads, such as 2/3, if no number of at
    most `total` transactions has a share between the two: then they bound the same."""
    exact = Fraction(share)
    if exact.denominator * max(1, total) >= 10**_MOST_DIGITS:
        return None
    return format(Decimal(int(exact * 10**_MOST_DIGITS)).scaleb(-_MOST_DIGITS), "f")


def ratio(name: str, value: Support, total: int) -> Optional[str]:
    """A share such as a confidence, from 0 (None: any) to 1, as lode reads it; `total` transactions
    are the most that it is a share of.

    >>> [ratio("min_confidence", value, 100) for value in (0.8, 1, "60%", Fraction(2, 3))]
    ['0.8', '100%', '60%', '0.666666666666666666']
    """
    if isinstance(value, str):
        return value
    if not isinstance(value, bool) and isinstance(value, (numbers.Real, Decimal)):
        share: Union[Fraction, Decimal] = (
            value if isinstance(value, Fraction) else _decimal_of(value))
        if share == 0:
            return None
        if (isinstance(share, Fraction) or share.is_finite()) and 0 < share <= 1:
            text = _share_text(share) if isinstance(share, Decimal) else (
                "100%" if share == 1 else None)
            text = text or _below(share, total)
            if text is not None:
                return text
    raise InvalidError(f"{name}={value!r}: expected a share from 0 to 1 such as 0.8, or '80%'; with "
                       f"at most {_MOST_DIGITS} digits")


def text_of(value: Any) -> Optional[str]:
    """An option's value as text; None for a switch that is on."""
    if value is True:
        return None
    if isinstance(value, float):
        return repr(value)
    return str(value)


def add(options: Options, **values: Any) -> Options:
    """Appends options that are set, by their names in Python: None and False mean "not set", and so
    does 0 where it is the default."""
    for name, value in values.items():
        if value is None or value is False or (name in _ZERO_IS_DEFAULT and value == 0):
            continue
        if isinstance(value, (int, float)) and value < 0:
            raise InvalidError(f"{name}={value}: expected a positive number")
        options.append((name.replace("_", "-"), text_of(value)))
    return options


def add_list(options: Options, name: str, lines: Iterable[str]) -> Options:
    """Appends an option that may be repeated, once for each line."""
    options.extend((name.replace("_", "-"), line) for line in lines)
    return options


_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


_UNLIMITED = 2**64 - 1


def byte_count(memory: Union[None, int, str]) -> int:
    """A memory budget, an int of bytes or a text such as "512M", in bytes; 0 = the default.

    >>> byte_count("4G") == byte_count(4 << 30)
    True
    """
    if memory is None:
        return 0
    if memory == "unlimited":
        return _UNLIMITED
    text = str(memory).strip().upper().removesuffix("B").removesuffix("I")
    number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS and text[-1:] else (text, "")
    try:
        n = int(Decimal(number) * _UNITS[unit])
    except ArithmeticError:
        n = 0
    if n <= 0:
        raise InvalidError(f"memory={memory!r}: expected bytes, a size such as '512M' or '4G', or "
                           "'unlimited'")
    return n


def add_memory(options: Options, memory: Union[None, int, str]) -> Options:
    """Appends a memory budget, if there is one."""
    if memory is not None:
        n = byte_count(memory)
        options.append(("memory", "unlimited" if n == _UNLIMITED else str(n)))
    return options
