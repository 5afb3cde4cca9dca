"""Progress: a tqdm bar if tqdm is installed, else a line on a terminal, or the caller's function.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Callable, Iterator, NamedTuple, Optional, Union

from ._errors import InvalidError


class Progress(NamedTuple):
    """The progress of a job, as passed to a progress function."""

    phase: str  # "wait", "read", "mine", "write"
    share: float  # of the phase, 0 to 1
    seconds: float  # since it began
    patterns: int  # found so far
    left: float  # estimated seconds left; negative while nothing is known


Function = Callable[[Progress], object]
Wanted = Union[None, bool, Function]
Raw = Callable[[str, float, float, int, float], object]


class _Bar:
    """A tqdm bar, for terminals and notebooks."""

    def __init__(self, tqdm: Any) -> None:
        self.bar = tqdm(total=100, bar_format="{desc} {percentage:3.0f}%|{bar}| {postfix}",
                        leave=False)

    def __call__(self, p: Progress) -> None:
        self.bar.set_description_str(p.phase, refresh=False)
        self.bar.set_postfix_str(_words(p), refresh=False)
        self.bar.n = 100 * p.share
        self.bar.refresh()

    def close(self) -> None:
        self.bar.close()


class _Line:
    """A line of text that is overwritten."""

    def __init__(self) -> None:
        self.width = 0

    def __call__(self, p: Progress) -> None:
        text = f"{p.phase} {100 * p.share:3.0f}% {_words(p)}"
        self.write(text.ljust(self.width))
        self.width = len(text)

    def write(self, text: str) -> None:
        sys.stderr.write("\r" + text)
        sys.stderr.flush()

    def close(self) -> None:
        if self.width:
            self.write(" " * self.width + "\r")


def _words(p: Progress) -> str:
    left = f", about {p.left:.0f} s left" if p.left >= 0 else ""
    return f"{p.patterns:,} patterns, {p.seconds:.0f} s{left}"


def _made() -> Optional[Union[_Bar, _Line]]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line() if sys.stderr.isatty() else None
    return _Bar(tqdm)


@contextmanager
def shown(progress: Wanted) -> Iterator[Optional[Raw]]:
    """The function to pass to the C module for progress=None, True or a function."""
    if progress is None or progress is False:
        yield None
        return
    if progress is not True and not callable(progress):
        raise InvalidError(f"progress={progress!r}: expected None, True, or a function "
                           "whose argument is a lode.Progress")
    show = _made() if progress is True else progress
    if show is None:
        yield None
        return
    function: Function = show
    try:
        yield lambda *figures: function(Progress(*figures))
    finally:
        if isinstance(show, (_Bar, _Line)):
            show.close()
