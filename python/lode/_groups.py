"""Groups of items as lode takes them: a group of several is a file while a job runs.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import tempfile
from typing import Any, List


class GroupFiles:
    """Files of groups, which are gone when the block of a `with` ends."""

    def __init__(self) -> None:
        self._files: List[Any] = []

    def __enter__(self) -> "GroupFiles":
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.close()
        self._files.clear()

    def add(self, lines: List[str]) -> str:
        """The group of these lines, as an option names it."""
        file = tempfile.NamedTemporaryFile("w", prefix="lode-", suffix=".txt", encoding="utf-8")
        self._files.append(file)
        file.write("".join(line + "\n" for line in lines))
        file.flush()
        return "@" + file.name
