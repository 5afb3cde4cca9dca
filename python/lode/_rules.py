"""Association rules by columns, as returned by Data.rules().

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import functools
from typing import (TYPE_CHECKING, Any, Callable, Dict, Hashable, Iterable, List, NamedTuple,
                    Optional, Self, Tuple, Union)

import numpy as np

from . import _columns, _lode, _show
from ._columns import Array
from ._errors import InvalidError
from ._itemsets import OfItems

if TYPE_CHECKING:
    from ._data import Data

_COUNTS = {"both": "both", "body_count": "body", "head_count": "head"}  # what users call them
_REALS = ("best_confidence", "best_lift", "adjusted_p")
_SIDES = {"body": (0,), "head": (1,), None: (0, 1)}


class Rule(NamedTuple):
    """One rule: transactions with the antecedent (`body`) often have the consequent (`head`), too.

    Measures that only need counts are attributes.

    >>> rule = Rule(("bread",), ("milk",), both=2, body_count=2, head_count=3, total=3)
    >>> rule.confidence, rule.lift, rule.jaccard
    (1.0, 1.0, 0.6666666666666666)
    """

    body: Tuple[Hashable, ...]
    head: Tuple[Hashable, ...]
    both: int  # transactions with antecedent and consequent
    body_count: int  # transactions with the antecedent
    head_count: int  # transactions with the consequent
    total: int  # all transactions; with `holdout`, those that were mined

    def measure(self, name: str) -> float:
        """A measure that only needs counts, by any name that lode.measures() lists."""
        if _row_of(name)["needs"]:
            raise InvalidError(f"{name} is not known for a single rule; expected rules[{name!r}], "
                               "which has its values for all rules")
        columns = {"both": self.both, "body": self.body_count, "head": self.head_count}
        arrays = {key: np.array([count], np.int64) for key, count in columns.items()}
        return float(_columns.view(_lode.measure(name, arrays, self.total), np.float64)[0])

    def __getattr__(self, name: str) -> float:
        if name.startswith("_") or not is_measure(name):
            raise AttributeError(f"Rule has no attribute {name!r}; expected a field or a measure, "
                                 "which lode.measures() lists")
        return self.measure(name)


class Rules(OfItems[Rule]):
    """Rules stored by columns, which are views of lode's memory.

    The antecedent (`body`) of rule i is `items[offsets[2 * i]:offsets[2 * i + 1]]`; its consequent
    (`head`) follows, up to `offsets[2 * i + 2]`. Of `n` transactions, `body_count[i]` have the
    antecedent, `head_count[i]` the consequent and `both[i]` both. Measures are computed from these
    counts on access: `rules["lift"]` and `rules.lift` are arrays, `rules[0].lift` is a number.

    >>> import lode
    >>> data = lode.Data([["milk", "bread"], ["milk"], ["milk", "bread", "beer"]])
    >>> rules = data.rules(2, 0.5)
    >>> rules["confidence"].tolist()
    [1.0, 0.6666666666666666]
    >>> rules.show()
    body   head   support  confidence   lift
    bread  milk     66.7%       1.000  1.000
    milk   bread    66.7%       0.667  1.000
    >>> rules.containing("milk", side="head").confidence.tolist()
    [1.0]
    >>> (["bread"], ["milk"]) in rules
    True
    """

    _sides = 2
    _count = "both"
    _words = ("rules", "transactions")
    _kept = ("measures",)
    measures: Tuple[str, ...] = ("support", "confidence", "lift")
    """The measures that to_pandas() and show() include."""

    @classmethod
    def _of(cls, data: "Data", result: Any, complete: bool) -> "Rules":
        lent = result.columns()
        columns = {"offsets": _columns.offsets_view(lent["offsets"]),
                   "items": _columns.view(lent["items"], np.uint32)}
        columns.update({name: _columns.view(lent[name], np.int64) for name in _COUNTS.values()})
        columns.update({name: _columns.view(lent[name], np.float64) for name in _REALS})
        held_out = _columns.view(lent["held_out"], np.int64)
        columns["held_out"] = None if held_out is None else held_out.reshape(-1, 4)
        return cls(data._item_names, columns, complete, data, result)

    @classmethod
    def _with(cls, measures: Tuple[str, ...]) -> Callable[["Data", Any, bool], "Rules"]:
        """Like _of(), for rules with these measures."""
        def make(data: "Data", result: Any, complete: bool) -> "Rules":
            rules = cls._of(data, result, complete)
            rules.measures = measures
            return rules
        return make

    @property
    def both(self) -> Array:
        """The number of transactions with antecedent and consequent; int64."""
        return self._columns["both"]

    @property
    def body_count(self) -> Array:
        """The number of transactions with each antecedent; int64."""
        return self._columns["body"]

    @property
    def head_count(self) -> Array:
        """The number of transactions with each consequent; int64."""
        return self._columns["head"]

    @property
    def body_sizes(self) -> Array:
        """The number of items of each antecedent."""
        return np.diff(self.offsets)[0::2]

    @property
    def head_sizes(self) -> Array:
        """The number of items of each consequent."""
        return np.diff(self.offsets)[1::2]

    # ---- Measures -------------------------------------------------------------------------------

    def measure(self, name: str) -> Array:
        """A measure of all rules, by any name that lode.measures() lists; float64."""
        self._check_known(name)
        columns = {key: np.ascontiguousarray(value) for key, value in self._plain().items()
                   if value is not None}
        return _columns.view(_lode.measure(name, columns, self._total()), np.float64)

    def _check_known(self, name: str) -> None:
        needed = _row_of(name)["needs"]
        if len(self) and needed and self._columns[_NEEDS[needed].column] is None:
            raise InvalidError(f"{name} was not computed; expected {_NEEDS[needed].ask(name)}")

    def _total(self) -> int:
        """The total of each rule: with `holdout`, only the transactions that were mined."""
        held_out = self._columns["held_out"]
        return self.n if held_out is None or not len(held_out) else self.n - int(held_out[0, 3])

    def column(self, name: str) -> Array:
        """A measure, or one of the counts both, body_count and head_count; same as `rules[name]`."""
        return self._columns[_COUNTS[name]] if name in _COUNTS else self.measure(name)

    def _ascends(self, name: str) -> bool:
        return name not in _COUNTS and _row_of(name)["better"] < 0

    def __getattr__(self, name: str) -> Array:
        if name.startswith("_") or not is_measure(name):
            return super().__getattr__(name)
        return self.measure(name)

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *(row["name"] for row in measures()
                                             if not row["needs"] and row["name"].isidentifier())})

    # ---- Rows and selections --------------------------------------------------------------------

    def _one(self, i: int) -> Rule:
        a, b, c = self.offsets[2 * i:2 * i + 3]
        return Rule(self._named(a, b), self._named(b, c), int(self.both[i]),
                    int(self.body_count[i]), int(self.head_count[i]), self._total())

    def containing(self, *items: Hashable, side: Optional[str] = None) -> Self:
        """Select rules that have all of these items, given by name, on either side. `side`: "body"
        (the antecedent) or "head" (the consequent) searches only one side."""
        if side not in _SIDES:
            raise InvalidError(f"side={side!r}; expected 'body', 'head' or None for both")
        there, n = self._of_these(items)
        return self[there.reshape(-1, 2)[:, _SIDES[side]].sum(axis=1) == n]

    def index(self, rule: Any) -> int:
        """The row of a rule, given as (antecedent, consequent); ValueError if there is none."""
        at = np.flatnonzero(self._is(rule))
        if len(at) == 0:
            raise InvalidError(f"the rule {rule!r} is not among these {len(self):,} rules")
        return int(at[0])

    def __contains__(self, rule: Any) -> bool:
        return bool(self._is(rule).any())

    def _is(self, rule: Any) -> Array:
        if not isinstance(rule, tuple) or len(rule) not in (2, len(Rule._fields)):
            raise TypeError(f"{rule!r}: expected a rule, or (body, head), such as (('bread',), "
                            "('milk',))")
        return self._lists_of(rule[0])[0::2] & self._lists_of(rule[1])[1::2]

    def _side(self, first: int) -> Tuple[Array, Array]:
        sides = 2 * np.arange(len(self)) + first
        return _columns.gather(self.offsets, self.items, sides)

    # ---- Export ---------------------------------------------------------------------------------

    def _table(self) -> Dict[str, Any]:
        from .pandas_array import ItemsetArray
        return {"body": ItemsetArray(*self._side(0), self.names),
                "head": ItemsetArray(*self._side(1), self.names),
                **{name: self[name] for name in [*_COUNTS, *self.measures]}}

    def _arrow(self) -> Dict[str, Any]:
        from ._arrow import List as ListColumn
        from ._arrow import Numbers
        return {"body": ListColumn(*self._side(0), self.names),
                "head": ListColumn(*self._side(1), self.names),
                **{name: Numbers(self[name]) for name in [*_COUNTS, *self.measures]}}

    # ---- Display --------------------------------------------------------------------------------

    def _rows(self, most: int) -> _show.Table:
        first = self[:most]
        values = [first[name] for name in self.measures]
        rows = [[_show.items(rule.body), _show.items(rule.head),
                 *(_figure(name, column[i]) for name, column in zip(self.measures, values))]
                for i, rule in enumerate(first)]
        return _show.Table(["body", "head", *self.measures], rows,
                           first.measure("confidence").tolist(), len(self), "rules", self.complete,
                           2)


def _figure(name: str, value: float) -> str:
    if name == "support":
        return _show.share(value)
    if 0 < abs(value) < 0.001:  # such as a p-value
        return f"{value:.3g}"
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.4g}"


class _Need(NamedTuple):
    """What a measure needs in addition to counts: a column, and the argument that creates it."""

    column: str
    how: str

    def ask(self, name: str) -> str:
        """The call that computes the measure."""
        return f"rules(…, {self.how.format(name=name)})"


# Keys are values of lode_measure_needs (lode/measures.h).
_NEEDS = {1: _Need("best_confidence", "measures=['{name}']"),
          2: _Need("adjusted_p", "adjust='holm'"), 3: _Need("held_out", "holdout=0.3")}
_HELD_OUT = ("heldOutSupport", "heldOutConfidence", "heldOutLift", "heldOutP")


def _plain_name(name: str) -> str:
    return "".join(c for c in name.lower() if c not in "_-. ")


@functools.lru_cache(maxsize=1)
def _by_name() -> Dict[str, Dict[str, Any]]:
    """The rows of the table by name and alias; the first of equal names."""
    rows: Dict[str, Dict[str, Any]] = {}
    for row in _lode.measures():
        for name in [row["name"], *row["aliases"].split()]:
            rows.setdefault(_plain_name(name), row)
    return rows


def is_measure(name: str) -> bool:
    """Whether a measure has this name or alias."""
    return _plain_name(name) in _by_name()


def _row_of(name: str) -> Dict[str, Any]:
    """The row of a measure in the table, by name or alias."""
    if not isinstance(name, str):
        raise InvalidError(f"the measure {name!r}; expected a name, which lode.measures() lists")
    if not is_measure(name):
        raise InvalidError(f"there is no measure {name!r}; lode.measures() lists them")
    return _by_name()[_plain_name(name)]


def check_measure(name: str) -> None:
    """Raises if no measure has this name."""
    _row_of(name)


def asked_measures(names: Union[str, Iterable[str]], adjusted: bool,
                   held_out: bool) -> Tuple[str, ...]:
    """The measures to include: those requested, and the results of the requested tests. Raises for
    unknown measures, and those that need another argument, before mining."""
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
    """Whether any of the measures compares a rule with more general ones."""
    return any(_row_of(name)["needs"] == 1 for name in names)


def measures() -> List[Dict[str, Any]]:
    """The table of measures: name, aliases, formula, help, …

    >>> [m["formula"] for m in measures() if m["name"] == "confidence"]
    ['n11 / n1x']
    """
    return list(_lode.measures())
