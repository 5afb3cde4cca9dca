"""Exceptions and warnings; settle() raises them for failed calls of the C module.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import re
import sys
import warnings
from typing import Any, Callable, Optional, Tuple, TypeVar

T = TypeVar("T")

# (object, status, message, warnings, raised, needed): see python/src/pylode.h.
Outcome = Tuple[Any, int, str, str, Optional[BaseException], int]

OK, CANCELLED, STOPPED = 0, 3, 10
_PLACE = re.compile(r"(?P<file>.*?):(?P<line>\d+)(?::(?P<column>\d+))?: ", re.S)


# The names in Python of options that lode's messages mention. Options of _SAME only change - to _.
_ARGUMENTS = {"rare": "max_support", "graphs": "supporters", "weight": "weights", "min": "minima",
              "max": "maxima", "measure": "measures", "class": "classes"}
_SAME = frozenset("""
    format separator header tid item drop-rows skip-bad-lines sheet threads memory spill device
    target min-support min-size max-size algorithm limit-time limit-patterns include exclude min-confidence
    max-rhs max-lhs lhs rhs include-lhs include-rhs exclude-lhs exclude-rhs sort-by top productive holdout
    seed adjust significant want directed skip-bad-graphs labels min-edges max-edges min-vertices
    max-vertices vertices induced embeddings verify by strata alternative
    ignore split bins keep-missing""".split())
_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*[a-z])( (?=[\d'A-Z]))?")


def in_python(message: str) -> str:
    """A message of lode in which arguments replace options of the command line.

    >>> in_python("the maximum (--rare) is below the minimum; --memory 3M is enough")
    'the maximum (max_support) is below the minimum; memory=3M is enough'
    """
    def argument(found: "re.Match[str]") -> str:
        option = found[1]
        if option not in _ARGUMENTS and option not in _SAME:
            return found[0]
        return _ARGUMENTS.get(option, option.replace("-", "_")) + ("=" if found[2] else "")
    return _OPTION.sub(argument, message)


class Error(Exception):
    """Base class of lode's exceptions; each also derives from the built-in exception that fits."""

    def __init__(self, message: str = "") -> None:
        super().__init__(in_python(message))


class InvalidError(Error, ValueError):
    """An argument, an option or in-memory data are invalid; the message says what was expected."""


class ParseError(Error, ValueError):
    """A file is malformed, at `file`, `line` and `column` (each None if unknown)."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        place = _PLACE.match(message)
        self.file: Optional[str] = place["file"] if place else None
        self.line: Optional[int] = int(place["line"]) if place else None
        self.column: Optional[int] = int(place["column"]) if place and place["column"] else None


class BudgetError(Error, MemoryError):
    """The memory budget is too small; `needed` bytes would be enough (0 = unknown)."""

    needed = 0


class OutOfMemoryError(Error, MemoryError):
    """The system has no more memory."""


class NotFoundError(Error, FileNotFoundError):
    """A file is missing or cannot be opened."""


class FileError(Error, OSError):
    """Reading or writing a file failed."""


class UnsupportedError(Error, NotImplementedError):
    """A valid request that this algorithm or device does not support."""


class DeviceError(Error, RuntimeError):
    """A device failed."""


class InternalError(Error, RuntimeError):
    """A bug in lode: please report it."""


class LodeWarning(UserWarning):
    """The call worked, but may not do what you meant; for example, a format had to be guessed."""


def refuse_result(budget: int, origin: Optional[str], patterns: int, seconds: float) -> None:
    """Raises BudgetError for a result that does not fit into memory. A budget of 0 means that of the
    data set. `origin` says where the budget comes from if the caller did not set it."""
    size = f" of {budget / 2**20:.1f} MiB" if budget else ""
    why = f" ({origin})" if origin else ""
    raise BudgetError(
        f"the memory budget{size}{why} is too small: {patterns:,} patterns were found in {seconds:.1f} s, "
        "and there are more. Expected a larger memory=, a higher min_support, or a target with fewer "
        "patterns, such as 'maximal'; count() counts patterns without storing them")


# Keys are values of lode_status (lode/status.h).
_CLASSES = {1: OutOfMemoryError, 2: BudgetError, 4: InvalidError, 5: ParseError, 6: FileError,
            7: UnsupportedError, 8: DeviceError, 9: NotFoundError}


def _callers_level() -> int:
    """The stack level, for warnings, of the code that called the package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("lode."):
        frame, level = frame.f_back, level + 1
    return level


def warn(message: str) -> None:
    """Issues a LodeWarning that points to the code that called the package."""
    warnings.warn(in_python(message), LodeWarning, stacklevel=_callers_level())


def settle(outcome: Outcome, wrap: Callable[[Any, bool], T]) -> T:
    """Returns wrap(result, complete) for an outcome, or raises its error.

    An exception from a signal or a progress function (usually KeyboardInterrupt) is raised again
    with the attribute `partial`: what was found until then, or None.
    """
    made, status, message, log, raised, needed = outcome
    for line in log.splitlines():
        warn(line)
    if raised is not None:
        lost = isinstance(raised, BudgetError)  # the result did not fit into memory
        partial = wrap(made, False) if made is not None and not lost else None
        raised.partial = partial  # type: ignore[attr-defined]
        raise raised
    if status in (OK, STOPPED, CANCELLED):
        return wrap(made, status == OK)
    error = _CLASSES.get(status, InternalError)(message)
    if isinstance(error, BudgetError):
        error.needed = needed
    raise error
