"""Display tables: text for terminals, HTML with SVG bars for notebooks.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

from html import escape
from typing import Any, Hashable, List, NamedTuple, Sequence, Tuple

NOTEBOOK_ROWS = 20
_BAR = 80  # pixels
_LONGEST = 200  # characters of a cell


class Table(NamedTuple):
    """Rows of text; the first `texts` columns are left-aligned, the others right-aligned."""

    head: List[str]
    rows: List[List[str]]
    bars: List[float]  # a share from 0 to 1 for each row
    total: int  # of which these are the first
    what: str
    complete: bool = True
    texts: int = 1


def items(names: Sequence[Hashable]) -> str:
    """Items as display text: one line, shortened to fit a table."""
    return shortened(", ".join(map(str, names)))


def shortened(words: str) -> str:
    """A text shortened to one line, with unprintable characters escaped as in Python."""
    cut = words if len(words) <= _LONGEST else words[:_LONGEST - 1] + "…"
    if cut.isprintable():
        return cut
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in cut)


def percent(count: int, n: int) -> str:
    return share(count / n) if n else "-"


def share(value: float) -> str:
    """A share in percent; small shares get enough digits for a non-zero one."""
    return f"{100 * value:.1f}%" if value >= 0.0005 or value <= 0 else f"{100 * value:.1g}%"


def rest(more: int, what: str, complete: bool) -> str:
    """The note below the first rows or pictures."""
    lines = [f"... and {more:,} more {what}"] if more > 0 else []
    if not complete:
        lines.append(f"The search ended early, so there may be more {what}.")
    return "\n".join(lines)


def _rest(table: Table) -> str:
    return rest(table.total - len(table.rows), table.what, table.complete)


def text(table: Table) -> str:
    """A table as text."""
    lines = [table.head, *table.rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.head))]
    out = ["  ".join(cell.ljust(w) if i < table.texts else cell.rjust(w)
                     for i, (cell, w) in enumerate(zip(line, widths))).rstrip() for line in lines]
    below = _rest(table)
    return "\n".join(out + ([below] if below else []))


def bar(share: float) -> str:
    """A bar as SVG."""
    width = max(0.0, min(1.0, share)) * _BAR
    return (f'<svg width="{_BAR}" height="12" role="img" aria-label="{100 * share:.1f}%">'
            f'<rect width="{_BAR}" height="12" fill="#8884" rx="2"/>'
            f'<rect width="{width:.1f}" height="12" fill="#2a78b5" rx="2"/></svg>')


def figures(title: str, rows: Sequence[Tuple[str, Any]]) -> str:
    """A small HTML table with a name and a figure per row."""
    body = "".join(f'<tr><th style="text-align:left">{escape(name.replace("_", " "))}</th>'
                   f'<td style="text-align:right">{value:,}</td></tr>' for name, value in rows)
    return f"<table><caption>{escape(title)}</caption><tbody>{body}</tbody></table>"


def html(table: Table) -> str:
    """An HTML table with a bar per row."""
    head = "".join(f"<th>{escape(name)}</th>" for name in [*table.head, ""])
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:{"left" if i < table.texts else "right"}">'
                         f"{escape(cell)}</td>" for i, cell in enumerate(row)) +
        f"<td>{bar(share)}</td></tr>" for row, share in zip(table.rows, table.bars))
    below = paragraph(_rest(table))
    return (f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" + below)


def paragraph(words: str) -> str:
    """Lines of text as HTML; empty if there are none."""
    return f"<p>{escape(words)}</p>".replace("\n", "<br>") if words else ""
