"""Groups of transactions or graphs (classes), which itemsets(classes=…) compares.

Labels become a temporary file with one label per line. Items that only Python has names for become
numbers, and the columns of the result get the names.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import os
import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import _options, _sources
from ._errors import InvalidError
from ._groups import _GLOB, GroupFiles, Known
from ._options import Options

ARGUMENTS = ("classes", "significant", "by", "permutations", "seed", "strata", "alternative")
_MOST = 16        # classes
_NAME_BYTES = 47  # of a class, in the name of a column
_PLAIN = re.compile(r'[\x00-\x1f",;\\|]')  # characters that names of columns do not have


class Rows:
    """What has classes: transactions, with the items that can name groups, or graphs."""

    def __init__(self, n: int, what: str, known: Optional[Known] = None,
                 ids: Optional[List[Any]] = None) -> None:
        self.n = n
        self.what = what
        self.known = known
        self.ids = ids

    def options(self, how: Options, given: Dict[str, Any], files: GroupFiles) -> List[str]:
        """Appends the options, and returns the names of the classes if lode does not know them."""
        _check(given)
        names: List[str] = []
        for option, argument in (("class", "classes"), ("strata", "strata")):
            if given[argument] is not None:
                text, found = self._groups(argument, given[argument], files)
                how.append((option, text))
                names = found if argument == "classes" else names
        by = given["by"]
        if given["permutations"] is not None:
            by = f"permutation={given['permutations']}"
        _options.add(how, significant=given["significant"], by=by, seed=given["seed"],
                     alternative=given["alternative"])
        return names

    def _groups(self, what: str, given: Any, files: GroupFiles) -> Tuple[str, List[str]]:
        """The text of an option, and the names of the groups where lode knows only numbers."""
        if isinstance(given, os.PathLike):
            return os.fspath(given), []
        text = isinstance(given, (str, int, np.integer)) and not isinstance(given, bool)
        if text or (self.known is not None and self.known.is_item(given)):
            return self._named(what, given, files)
        labels = self._labels(what, given)
        return files.add(labels)[1:], []

    # ---- Labels ---------------------------------------------------------------------------------

    def _labels(self, what: str, given: Any) -> List[str]:
        """One label per row, as text."""
        pandas = _sources.loaded("pandas")
        if pandas is not None and isinstance(given, pandas.Series):
            given = self._aligned(what, given, pandas)
        try:
            values = list(given)
        except TypeError:
            raise InvalidError(f"{what}={given!r}: expected the name of an item or column, or a "
                               f"label for each of the {self.what}") from None
        if len(values) != self.n:
            raise InvalidError(f"{what}: {len(values):,} labels; expected {self.n:,}, one for each "
                               f"of the {self.what}")
        labels = [_label(what, i, value) for i, value in enumerate(values)]
        if what == "classes":
            _check_classes(labels, self.what)
        return labels

    def _aligned(self, what: str, labels: Any, pandas: Any) -> Any:
        """A Series in the order of the rows, if these have ids."""
        if self.ids is None or not len(labels):
            return labels
        ids = pandas.Index(self.ids)
        if labels.index.equals(ids):
            return labels
        if labels.index.is_unique and ids.is_unique and ids.isin(labels.index).all():
            return labels.loc[ids]
        raise InvalidError(f"{what}: the index of the Series does not match the {self.what}; "
                           "expected their ids, or a list in the order of data.ids")

    # ---- Names of items -------------------------------------------------------------------------

    def _named(self, what: str, given: Any, files: GroupFiles) -> Tuple[str, List[str]]:
        if self.known is None or not self.known.only_numbers():
            return str(given), []
        groups = self._parts(what, given)
        parts, names = [], [name for name, _ in groups]
        for name, lines in groups:
            if not lines:
                raise InvalidError(f"{what}: {name!r} is in no transaction; expected groups with "
                                   "transactions")
            parts.append(lines[0] if len(lines) == 1 else files.add(lines))
        return ",".join(parts), names if len(names) > 1 else [names[0], f"not {names[0]}"]

    def _parts(self, what: str, given: Any) -> List[Tuple[str, List[str]]]:
        """The name of each group, and the numbers of its items, as the lode command would find
        them."""
        known = self.known
        assert known is not None
        if known.is_item(given):
            return [(str(given), known.matching(given))]
        text = str(given)
        if _GLOB & set(text) and "," not in text:
            return [(name, known.matching(name)) for name in known.globbed(text)]
        values = known.globbed("".join(f"[{c}]" if c in _GLOB else c for c in text) + "=*", True)
        if values:
            return [(name[len(text) + 1:], known.matching(name)) for name in values]
        if "," in text:
            return [(part, known.matching(part)) for part in text.split(",")]
        raise InvalidError(f"{what}: there is no item, and no column, with the name {given!r}; "
                           "labels must be a list, and the name of a file a pathlib.Path")


def _check(given: Dict[str, Any]) -> None:
    """Refuses what would have no effect."""
    asked = [name for name in ARGUMENTS[1:] if given[name] not in (None, 0)]
    if given["classes"] is None and asked:
        raise InvalidError(f"{asked[0]} requires classes: which groups are compared?")
    test = [name for name in ("by", "permutations", "seed", "strata") if name in asked or
            (name == "strata" and given["strata"] is not None)]
    if given["significant"] is None and test:
        raise InvalidError(f"{test[0]} requires significant, the level of the test, such as "
                           "significant=0.05")
    level = given["significant"]
    if level is not None and (isinstance(level, bool) or not isinstance(level, (int, float))
                              or not 0 < level < 1):
        raise InvalidError(f"significant={level!r}: expected a level above 0 and below 1, such as "
                           "0.05")
    if given["permutations"] is not None and given["by"] not in (None, "permutation"):
        raise InvalidError(f"permutations requires by='permutation', not by={given['by']!r}")


def _label(what: str, row: int, value: Any) -> str:
    missing = value is None or (isinstance(value, (float, np.floating)) and value != value)
    text = "" if missing else str(value)
    if not text.strip() or text in ("<NA>", "NaT"):
        raise InvalidError(f"{what}: the label of row {row} is missing; all must have one")
    if text != text.strip() or "\n" in text or "\r" in text or "\0" in text:
        raise InvalidError(f"{what}: the label {text!r} of row {row} has a line break, or blanks at "
                           "an end; expected a label without")
    return text


def _check_classes(labels: List[str], rows: str) -> None:
    different = dict.fromkeys(labels)
    if len(different) < 2:
        raise InvalidError(f"classes: all {rows} have the label {labels[0]!r}; expected two groups "
                           "or more" if labels else f"classes: there are no {rows}")
    if len(different) > _MOST:
        raise InvalidError(f"classes: {len(different)} different labels; expected at most {_MOST}")
    columns: Dict[bytes, str] = {}
    for label in different:
        other = columns.setdefault(_PLAIN.sub("_", label).encode()[:_NAME_BYTES], label)
        if other != label:
            raise InvalidError(f"classes: the labels {other!r} and {label!r} would have columns of "
                               f"the same name; expected other first {_NAME_BYTES} bytes")


# ---- Results ------------------------------------------------------------------------------------

def named_columns(lent: List[Tuple[str, Any]], names: Sequence[str]) -> List[Tuple[str, Any]]:
    """The columns of a result, with these names of the classes."""
    if not lent or not names:
        return lent
    heads = [f"{word}_{name}" for name in names for word in ("count", "share")]
    return [(heads[i] if i < len(heads) else name, column)
            for i, (name, column) in enumerate(lent)]


def tested(report: Dict[str, Any]) -> Optional[Dict[str, Any]]:
    """What a report says about a test; None if there was none."""
    found = report.get("significance") or {}
    return dict(found) if found.get("alpha") else None
