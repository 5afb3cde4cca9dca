"""Converts Python arguments to options of lode: names with dashes, values as text.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import functools
import math
import numbers
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import Any, Callable, Iterable, List, Optional, Tuple, TypeVar, Union, cast

import numpy as np

from ._errors import InvalidError

Support = Union[int, float, str, Fraction, Decimal]
Options = List[Tuple[str, Optional[str]]]
F = TypeVar("F", bound=Callable[..., Any])

def renamed(**names: str) -> Callable[[F], F]:
    """Lets a function accept arguments by their former names."""
    def wrap(function: F) -> F:
        @functools.wraps(function)
        def call(*args: Any, **given: Any) -> Any:
            for old in names.keys() & given.keys():
                if names[old] in given:
                    raise TypeError(f"{old} and {names[old]} are the same argument")
                given[names[old]] = given.pop(old)
            return function(*args, **given)
        return cast(F, call)
    return wrap


_ZERO_IS_DEFAULT = ("threads", "want", "seed", "min_size", "min_edges", "min_vertices")
_MOST_DIGITS = 18  # that lode reads exactly
_NOTHING = "0." + "1".zfill(_MOST_DIGITS)  # a share that admits every count, as a minimum, or none


def _share_text(share: Decimal) -> Optional[str]:
    """A share as text that lode parses exactly; None if it has too many digits."""
    digits = -int(share.normalize().as_tuple().exponent)
    if share == 1:
        return "100%"
    return format(share.normalize(), "f") if digits <= _MOST_DIGITS else None


# ---- Floats ---------------------------------------------------------------------------------------
# A float x admits a count c of n exactly when c / n, divided and rounded as floats are, is at least x.
# That is so from the middle between x and the float below it on.

def _is_float(value: Any) -> bool:
    """Whether a share is a float; Fractions and Decimals are exact."""
    return not isinstance(value, (numbers.Rational, Decimal))


def _float_bound(value: Any, towards: float) -> Tuple[Fraction, bool]:
    """The bound from which exact shares round to `x` or lie beyond it, coming from the side of
    `towards`, and whether the bound itself does. Each float type has its own precision."""
    x = value if isinstance(value, np.floating) else np.float64(value)
    exact, other = (Fraction(*one.as_integer_ratio()) for one in (x, np.nextafter(x, type(x)(towards))))
    ends_even = exact / (exact - other) % 2 == 0  # a tie goes to the even float
    return (exact + other) / 2, ends_even


def _next_share(bound: Fraction, n: int) -> Fraction:
    """The smallest fraction with at most this denominator that is not below the bound.

    As Fraction.limit_denominator(), which returns the nearer of the two neighbours."""
    if bound.denominator <= n:
        return bound
    p0, q0, p1, q1 = 0, 1, 1, 0
    above, below = bound.numerator, bound.denominator
    while q0 + above // below * q1 <= n:
        times = above // below
        p0, q0, p1, q1 = p1, q1, p0 + times * p1, q0 + times * q1
        above, below = below, above - times * below
    times = (n - q0) // q1
    return max(Fraction(p0 + times * p1, q0 + times * q1), Fraction(p1, q1))


def _exact_share(value: Any, total: int) -> Fraction:
    """An exact share that admits the same counts up to `total` as a float does."""
    bound, included = _float_bound(value, 0)
    most = max(1, total)
    if not included:
        bound += Fraction(1, 2 * most * bound.denominator)
    return _next_share(bound, most)


def least_count(value: Any, total: int) -> int:
    """The smallest count that a share admits, at least 1.

    >>> least_count(0.07, 100), least_count(5 / 7, 7), least_count(0.0701, 100)
    (7, 5, 8)
    """
    share = _exact_share(value, total) if _is_float(value) else Fraction(value)
    return max(1, math.ceil(share * total))


def _most_count(value: Any, total: int) -> int:
    """The largest count whose share is at most this one; it may be 0."""
    if not _is_float(value):
        return math.floor(Fraction(value) * total)
    bound, included = _float_bound(value, 2)
    count = math.floor(bound * total)
    return count - (count == bound * total and not included)


# ---- Shares as text -------------------------------------------------------------------------------

def _refuse(name: str, value: Any) -> InvalidError:
    return InvalidError(f"{name}={value!r}: expected a count such as 250 (an int), a share such as "
                        "0.01 (a float above 0, at most 1.0), or a text such as '1%'")


def _is_share(value: Any) -> bool:
    """Whether a value is a number from 0 to 1."""
    known = not isinstance(value, bool) and isinstance(value, (numbers.Real, Decimal))
    return known and math.isfinite(value) and bool(0 <= value <= 1)


def _checked(name: str, value: Any) -> Any:
    """A support that is a count or a share."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    if not _is_share(value) or value == 0:
        raise _refuse(name, value)
    return value


def threshold(name: str, value: Support, total: int, part: bool = False) -> str:
    """A minimum support as text: an int is a count, anything else a share of `total` transactions
    or, if lode holds some out (`part`), of the others.

    >>> threshold("min_support", 0.28, 25), threshold("min_support", 7, 25)
    ('7', '7')
    >>> threshold("min_support", 0.28, 25, part=True)
    '0.28'
    """
    if isinstance(value, str):
        return value
    value = _checked(name, getattr(value, "min_count", value))  # a point of a curve has one
    if isinstance(value, int):
        return str(value)
    return ratio(name, value, total) or "" if part else str(least_count(value, total))


def maximum(name: str, value: Support, total: int) -> str:
    """A maximum support as text, likewise."""
    if isinstance(value, str):
        return value
    value = _checked(name, getattr(value, "min_count", value))
    count = value if isinstance(value, int) else _most_count(value, total)
    return str(count) if count or isinstance(value, int) else _NOTHING


def _below(exact: Fraction) -> str:
    """The largest decimal that lode can parse and that is not above a share."""
    digits = Decimal(int(exact * 10**_MOST_DIGITS)).scaleb(-_MOST_DIGITS)
    return _share_text(digits) or _NOTHING


def ratio(name: str, value: Support, total: int) -> Optional[str]:
    """A share from 0 to 1, such as a confidence, as text (None if it is 0). It is a share of at most
    `total` transactions.

    >>> [ratio("min_confidence", value, 100) for value in (0.8, 1, "60%", Fraction(2, 3), 2 / 3)]
    ['0.8', '100%', '60%', '0.666666666666666666', '0.666666666666666666']
    """
    if isinstance(value, str):
        return value
    if not _is_share(value):
        raise _refuse_ratio(name, value)
    if value == 0:
        return None
    text = _share_text(value) if isinstance(value, Decimal) else None
    if text is not None:
        return text
    if _is_float(value):
        return _below(_exact_share(value, total))
    exact = Fraction(value)  # of more digits than lode reads, perhaps: no share may lie between
    if exact.denominator * max(1, total) >= 10**_MOST_DIGITS:
        raise _refuse_ratio(name, value)
    return _below(exact)


def _refuse_ratio(name: str, value: Any) -> InvalidError:
    return InvalidError(f"{name}={value!r}: expected a share from 0 to 1 such as 0.8, or '80%'; with "
                        f"at most {_MOST_DIGITS} digits")


def text_of(value: Any) -> Optional[str]:
    """The value of an option as text; None for a switch that is on."""
    if value is True:
        return None
    if isinstance(value, float) and math.isfinite(value):
        return format(Decimal(repr(float(value))), "f")  # without an exponent
    return str(value)


def level(name: str, value: Any, measure: str) -> Options:
    """Options for an upper bound of a measure that is a share. The library parses 18 digits, so a
    float with more is rounded up, and the exact value is added as a bound of the measure."""
    if not isinstance(value, float) or not 0 < value <= 1:
        return add([], **{name: value})
    exact = Decimal(repr(float(value)))
    text = _share_text(exact)
    if text is not None:
        return [(name, text)]
    above = exact.quantize(Decimal(_NOTHING), ROUND_CEILING)
    return [(name, _share_text(above) or _NOTHING), ("max", f"{measure}={value!r}")]


def add(options: Options, **values: Any) -> Options:
    """Appends options by their Python names. None, False and a default of 0 mean "not set"."""
    for name, value in values.items():
        if value is None or value is False or (name in _ZERO_IS_DEFAULT and value == 0):
            continue
        if isinstance(value, (int, float)) and value < 0:
            raise InvalidError(f"{name}={value}: expected a positive number")
        options.append((name.replace("_", "-"), text_of(value)))
    return options


def add_list(options: Options, name: str, lines: Iterable[str]) -> Options:
    """Appends an option that is a list of lines, unless it is empty."""
    text = "\n".join(lines)
    if text:
        options.append((name.replace("_", "-"), text))
    return options


_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


_UNLIMITED = 2**64 - 1


def byte_count(memory: Union[None, int, str]) -> int:
    """A memory budget, given in bytes or as text such as "512M", in bytes; 0 = the default.

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
    except (ArithmeticError, ValueError):  # such as "inf" and "nan"
        n = 0
    if not 0 < n < _UNLIMITED:
        raise InvalidError(f"memory={memory!r}: expected bytes, a size such as '512M' or '4G', or "
                           "'unlimited'")
    return n


def add_memory(options: Options, memory: Union[None, int, str]) -> Options:
    """Appends a memory budget, if it is set."""
    if memory is not None:
        n = byte_count(memory)
        options.append(("memory", "unlimited" if n == _UNLIMITED else str(n)))
    return options
