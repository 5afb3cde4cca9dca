"""Groups of items (constraints) as option lines of lode.

A group of several items becomes a temporary @FILE while the job runs; messages about it show the
items instead of the file.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import re
import tempfile
from fnmatch import fnmatchcase
from typing import Any, Dict, Hashable, Iterable, List, Optional, Set, Union

import numpy as np

from ._errors import Error, InvalidError
from ._names import ItemNames

Groups = Union[None, str, int, Iterable[Any]]
_GLOB = frozenset("*?[")
_OF_GROUPS = re.compile("(include|exclude|lhs|rhs)")


class GroupFiles:
    """Temporary files for groups; removed at the end of the `with` block."""

    def __init__(self) -> None:
        self._files: List[Any] = []
        self.lines: Dict[str, List[str]] = {}  # path: lines of the file
        self.impossible = False  # no transaction has an item of some group

    def __enter__(self) -> "GroupFiles":
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.close()
        self._files.clear()

    def add(self, lines: List[str]) -> str:
        """Writes a group to a file, and returns the option value "@path"."""
        file = tempfile.NamedTemporaryFile("w", prefix="lode-", suffix=".txt", encoding="utf-8")
        self._files.append(file)
        self.lines[file.name] = lines
        file.write("".join(line + "\n" for line in lines))
        file.flush()
        return "@" + file.name


class Known:
    """The items that constraints can name. The first `columns` items exist even if no transaction
    has them; None: only items of transactions exist."""

    def __init__(self, names: ItemNames, handle: Any, columns: Optional[int]) -> None:
        self._names = names
        self._handle = handle
        self._columns = columns
        self._there: Optional[Set[int]] = None

    def is_item(self, value: Any) -> bool:
        """Whether a value is the name of an item; a tuple can be a name instead of a group."""
        try:
            return self._names.names is not None and self._names.find(value) is not None
        except (TypeError, ValueError):  # for example an array
            return False

    def only_numbers(self) -> bool:
        """Whether lode knows only numbers, and Python the names."""
        return self._names.names is not None and bool(self._handle.numbered())

    def globbed(self, glob: str, empty: bool = False) -> List[str]:
        """The names that a glob matches, which may be none if `empty`."""
        found = [name for name in self._names.names or [] if isinstance(name, str) and
                 fnmatchcase(name, glob)]
        if not found and not empty:
            raise InvalidError(f"no item matches {glob!r}")
        return found

    def members(self, group: Any) -> List[Any]:
        """The items and globs of a group; a single item counts as a group of one."""
        alone = self.is_item(group) or not isinstance(group, (list, tuple, set, frozenset))
        return [group] if alone else list(group)

    def groups(self, given: Groups) -> List[Any]:
        """The groups of an argument."""
        if given is None:
            return []
        if self.is_item(given) or isinstance(given, (str, int)) or not isinstance(given, Iterable):
            return [given]
        return list(given)

    def matching(self, item: Any) -> List[str]:
        """The option lines for the items that a name or glob matches. Items without a transaction,
        which lode does not know, are left out."""
        names = self._names.names
        if names is None or not isinstance(item, str) or self.is_item(item):
            return self._called(item)
        if not _GLOB & set(item):
            raise InvalidError(f"there is no item {item!r} in the data")
        return [line for name in self.globbed(item) for line in self._called(name)]

    def _called(self, item: Hashable) -> List[str]:
        number = self._names.number_of(item)
        if self._handle.numbered():
            return [] if self._is_empty(number) else [str(number)]
        if "\n" in str(item):
            raise InvalidError(f"the item {item!r} has a line break; constraints cannot name it")
        return ["".join("\\" + c if c in "*?[]\\@" else c for c in str(item))]

    def _is_empty(self, number: int) -> bool:
        """Whether this item is a column that no transaction has."""
        if self._columns is None or number >= self._columns:
            return False
        if self._there is None:
            items, supports = self._handle.items()
            counts = np.frombuffer(supports, np.uint64)
            self._there = set(np.frombuffer(items, np.uint32)[counts > 0].tolist())
        return number not in self._there

    def reword(self, error: Error, files: GroupFiles) -> None:
        """Replaces numbers and paths of temporary files by names in a message about groups."""
        message = str(error)
        if not _OF_GROUPS.match(message):
            return
        for path, lines in files.lines.items():
            message = message.replace(f"'@{path}'", ", ".join(f"'{line}'" for line in lines))
            message = re.sub(re.escape(path) + r":\d+: ", "", message)
        if self._handle.numbered() and self._names.names is not None:
            message = re.sub(r"'(\d+)'", self._name_of, message)
        error.args = (message,)

    def _name_of(self, number: "re.Match[str]") -> str:
        names = self._names.names or []
        at = int(number[1])
        return repr(names[at]) if at < len(names) else number[0]
