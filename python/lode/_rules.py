"""Association rules by columns: what Data.rules() returns.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import json
from typing import (TYPE_CHECKING, Any, Callable, Dict, Hashable, Iterable, Iterator, List,
                    NamedTuple, Optional, Tuple, Union, overload)

import numpy as np

from . import _columns, _lode, _show
from ._columns import Array, Selection
from ._errors import InvalidError

if TYPE_CHECKING:
    from ._data import Data

_COUNTS = ("both", "body", "head")
_REALS = ("best_confidence", "best_lift", "adjusted_p")


class Rule(NamedTuple):
    """One rule: transactions with the body often have the head, too."""

    body: Tuple[Hashable, ...]
    head: Tuple[Hashable, ...]
    both: int  # transactions with body and head
    body_count: int  # with the body
    head_count: int  # with the head


class Rules:
    """Rules in columns, which belong to lode and are not copied.

    Rule i has the body `items[offsets[2 * i]:offsets[2 * i + 1]]` and the head from there to
    `offsets[2 * i + 2]`; `both[i]` transactions have both, `body[i]` the body and `head[i]` the
    head, of `n`. Measures are computed from these counts when they are asked for.

    >>> import lode
    >>> data = lode.Data([["milk", "bread"], ["milk"], ["milk", "bread", "beer"]])
    >>> rules = data.rules(2, 0.5)
    >>> rules["confidence"].tolist()
    [1.0, 0.6666666666666666]
    >>> rules.show()
    body   head   support  confidence   lift
    bread  milk     66.7%       1.000  1.000
    milk   bread    66.7%       0.667  1.000
    """

    def __init__(self, data: "Data", columns: Dict[str, Array], complete: bool = True,
                 result: Any = None) -> None:
        self.data = data
        self.offsets: Array = columns["offsets"]
        self.items: Array = columns["items"]
        self.both: Array = columns["both"]
        self.body: Array = columns["body"]
        self.head: Array = columns["head"]
        self.complete = complete
        self.measures: Tuple[str, ...] = ("support", "confidence", "lift")
        """The measures that to_pandas() and show() have."""
        self._columns = columns
        self._result = result

    @classmethod
    def _of(cls, data: "Data", result: Any, complete: bool) -> "Rules":
        lent = result.columns()
        columns = {"offsets": _columns.offsets_view(lent["offsets"]),
                   "items": _columns.view(lent["items"], np.uint32)}
        columns.update({name: _columns.view(lent[name], np.int64) for name in _COUNTS})
        columns.update({name: _columns.view(lent[name], np.float64) for name in _REALS})
        held_out = _columns.view(lent["held_out"], np.int64)
        columns["held_out"] = None if held_out is None else held_out.reshape(-1, 4)
        return cls(data, columns, complete, result)

    @classmethod
    def _with(cls, measures: Tuple[str, ...]) -> Callable[["Data", Any, bool], "Rules"]:
        """Like _of(), for rules that show these measures."""
        def make(data: "Data", result: Any, complete: bool) -> "Rules":
            rules = cls._of(data, result, complete)
            rules.measures = measures
            return rules
        return make

    def __len__(self) -> int:
        return len(self.both)

    @property
    def n(self) -> int:
        """Transactions of the data, or the sum of their weights: 100%."""
        return self.data.total

    @property
    def names(self) -> Optional[List[Hashable]]:
        """The names of the items by number; None: they are numbers."""
        return self.data.names

    @property
    def body_sizes(self) -> Array:
        """How many items each body has."""
        return self.offsets[1::2] - self.offsets[0:-1:2]

    @property
    def head_sizes(self) -> Array:
        """How many items each head has."""
        return self.offsets[2::2] - self.offsets[1::2]

    @property
    def report(self) -> Dict[str, Any]:
        """What the search did. Empty for a selection."""
        return json.loads(self._result.report(True)) if self._result else {}

    def measure(self, name: str) -> Array:
        """A measure of all rules, by any name that lode.measures() lists; float64."""
        self._check_known(name)
        columns = {key: value for key, value in self._columns.items()
                   if key not in ("offsets", "items") and value is not None}
        columns = {key: np.ascontiguousarray(value) for key, value in columns.items()}
        return _columns.view(_lode.measure(name, columns, self._total()), np.float64)

    def _check_known(self, name: str) -> None:
        needed = _row_of(name)["needs"]
        if len(self) and needed and self._columns[_NEEDS[needed].column] is None:
            raise InvalidError(f"{name} was not computed; expected {_NEEDS[needed].ask(name)}")

    def _total(self) -> int:
        """Where transactions were held out, the others are what the rules were found in."""
        held_out = self._columns["held_out"]
        return self.n if held_out is None or not len(held_out) else self.n - int(held_out[0, 3])

    # ---- Single ones and selections -------------------------------------------------------------

    @overload
    def __getitem__(self, key: int) -> Rule: ...

    @overload
    def __getitem__(self, key: str) -> Array: ...

    @overload
    def __getitem__(self, key: Selection) -> "Rules": ...

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.measure(key)
        if isinstance(key, (int, np.integer)):
            return self._one(range(len(self))[key])
        if isinstance(key, slice):
            key = np.arange(*key.indices(len(self)))
        return self._take(_columns.index_of(key, len(self)))

    def _one(self, i: int) -> Rule:
        a, b, c = self.offsets[2 * i:2 * i + 3]
        return Rule(_columns.names_of(self.items[a:b].tolist(), self.names),
                    _columns.names_of(self.items[b:c].tolist(), self.names), int(self.both[i]),
                    int(self.body[i]), int(self.head[i]))

    def _take(self, index: Array) -> "Rules":
        sides = np.empty(2 * len(index), np.int64)
        sides[0::2] = 2 * index
        sides[1::2] = 2 * index + 1
        offsets, items = _columns.gather(self.offsets, self.items, sides)
        columns = {name: None if column is None else column[index]
                   for name, column in self._columns.items() if name not in ("offsets", "items")}
        rules = Rules(self.data, {**columns, "offsets": offsets, "items": items}, self.complete)
        rules.measures = self.measures
        return rules

    def __iter__(self) -> Iterator[Rule]:
        """One by one, made when they are asked for."""
        for i in range(len(self)):
            yield self._one(i)

    def sort_by(self, name: str, ascending: Optional[bool] = None) -> "Rules":
        """The same, ordered by a measure: the best first, as data.rules(sort_by=name) has them; of
        some, such as p-values, the best are low. `ascending` says True or False otherwise. What has
        no value comes last; equal ones stay as they are."""
        values = self.measure(name)
        if ascending is None:
            ascending = _row_of(name)["better"] < 0
        return self._take(np.argsort(values if ascending else -values, kind="stable"))

    def _side(self, first: int) -> Tuple[Array, Array]:
        sides = 2 * np.arange(len(self)) + first
        return _columns.gather(self.offsets, self.items, sides)

    # ---- Elsewhere ------------------------------------------------------------------------------

    def to_pandas(self) -> Any:
        """A frame with the columns body, head, their counts, and the measures asked for."""
        import pandas

        from .pandas_array import ItemsetArray
        columns = {"body": ItemsetArray(*self._side(0), self.names),
                   "head": ItemsetArray(*self._side(1), self.names), "both": self.both,
                   "body_count": self.body, "head_count": self.head}
        columns.update({name: self.measure(name) for name in self.measures})
        return pandas.DataFrame(columns, copy=False)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """For pyarrow, polars and others: body, head, their counts, the measures asked for."""
        from ._arrow import List as ListColumn
        from ._arrow import Numbers, stream
        columns: Dict[str, Any] = {"body": ListColumn(*self._side(0), self.names),
                                   "head": ListColumn(*self._side(1), self.names),
                                   "both": Numbers(self.both), "body_count": Numbers(self.body),
                                   "head_count": Numbers(self.head)}
        columns.update({name: Numbers(self.measure(name)) for name in self.measures})
        return stream(columns)

    # ---- For people -----------------------------------------------------------------------------

    def _rows(self, most: int) -> _show.Table:
        first = self[:most]
        values = [first.measure(name) for name in self.measures]
        rows = [[", ".join(map(str, rule.body)), ", ".join(map(str, rule.head)),
                 *(_figure(name, column[i]) for name, column in zip(self.measures, values))]
                for i, rule in enumerate(first)]
        return _show.Table(["body", "head", *self.measures], rows,
                           first.measure("confidence").tolist(), len(self), "rules", self.complete,
                           2)

    def show(self, most: int = 20) -> None:
        """Prints the first ones; in a notebook, an expression shows a table with bars."""
        print(_show.text(self._rows(most)))

    def __repr__(self) -> str:
        return f"<{len(self):,} rules of {self.n:,} transactions" + (
            ">" if self.complete else ", incomplete>")

    def _repr_html_(self) -> str:
        return _show.html(self._rows(_show.NOTEBOOK_ROWS))


def _figure(name: str, value: float) -> str:
    if name == "support":
        return f"{100 * value:.1f}%"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.4g}"


class _Need(NamedTuple):
    """What a measure needs besides counts: its column, and the argument that makes it."""

    column: str
    how: str

    def ask(self, name: str) -> str:
        """What to write to have the measure."""
        return f"rules(…, {self.how.format(name=name)})"


# By lode_measure_needs, lode/measures.h.
_NEEDS = {1: _Need("best_confidence", "measures=['{name}']"),
          2: _Need("adjusted_p", "adjust='holm'"), 3: _Need("held_out", "holdout=0.3")}
_HELD_OUT = ("heldOutSupport", "heldOutConfidence", "heldOutLift", "heldOutP")


def _plain_name(name: str) -> str:
    return "".join(c for c in name.lower() if c not in "_-. ")


def _row_of(name: str) -> Dict[str, Any]:
    """The row of a measure in the table, by its name or an alias."""
    if not isinstance(name, str):
        raise InvalidError(f"the measure {name!r}; expected a name, which lode.measures() lists")
    for row in _lode.measures():
        if _plain_name(name) in map(_plain_name, [row["name"], *row["aliases"].split()]):
            return row
    raise InvalidError(f"there is no measure {name!r}; lode.measures() lists them")


def check_measure(name: str) -> None:
    """Refuses a name that no measure has."""
    _row_of(name)


def asked_measures(names: Union[str, Iterable[str]], adjusted: bool,
                   held_out: bool) -> Tuple[str, ...]:
    """The measures to show: those asked for, and what the tests asked for have as a result. Refuses
    those that there are not, and those that need another argument, before anything is mined."""
    asked = [names] if isinstance(names, str) else list(names)
    for name in asked:
        needed = _row_of(name)["needs"]
        if (needed == 2 and not adjusted) or (needed == 3 and not held_out):
            raise InvalidError(f"measures: {name} needs another argument; expected "
                               f"{_NEEDS[needed].ask(name)}")
    known = {_row_of(name)["name"] for name in asked}
    more = (("adjustedP",) if adjusted else ()) + (_HELD_OUT if held_out else ())
    return tuple(asked) + tuple(name for name in more if name not in known)


def needs_general(names: Iterable[str]) -> bool:
    """Whether some measure compares a rule with more general ones."""
    return any(_row_of(name)["needs"] == 1 for name in names)


def measures() -> List[Dict[str, Any]]:
    """The table of measures: name, aliases, formula, help, …

    >>> [m["formula"] for m in measures() if m["name"] == "confidence"]
    ['n11 / n1x']
    """
    return list(_lode.measures())
