"""docs/papers/verdicts.md: every verdict as it was at commit 82c1c97 (verdicts_before.csv) and as it is now.

The verdicts of that time had no causes. They used whole runs where the papers time the search, two
points for growth, predicted times, and algorithms that are faster now.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import csv
from pathlib import Path

import pages
from results import NO_CLAIM, WORDS

NAME = "verdicts.md"
BEFORE = Path(__file__).resolve().parent / "verdicts_before.csv"
OPENING = """# The verdicts, before and now

This page shows how the verdict on every figure of the [papers](../papers.md) has changed since commit 82c1c97 of
2026-11-17, and the cause of each verdict. Before, a verdict could rest on two points, on predicted times, or on whole
runs where the paper times the search; several algorithms were slower than they are now; and there was no cause. The
numbers that a verdict rests on are on the page of its paper. `./dev experiment all --pages` writes this page.
"""


def before():
    """{(paper, figure): verdict} of that commit."""
    with open(BEFORE, newline="", encoding="utf-8") as file:
        return {(line["paper"], line["figure"]): line["verdict"] for line in csv.DictReader(file)}


def is_whole(papers):
    """Whether these are all the papers that the table is about."""
    return {number for number, _ in before()} <= {paper.number for paper in papers}


def counted(words):
    """How many figures have which verdict; our words first."""
    counts = collections.Counter(words)
    order = [word for word in WORDS if counts[word]] + sorted(set(counts) - set(WORDS))
    return ", ".join(f"{word} {counts[word]}" for word in order)


def now(figure, tables):
    """The verdict at the largest scale that answers, or None."""
    scale = next(iter(pages.scales_of(figure, tables)), None)
    return pages.verdict_of(figure, tables[scale][0][figure.id]) if scale else None


def line_of(figure, old, verdict):
    """A line of the table."""
    if verdict is None:
        return f"| {figure.id}: {figure.title} | {old or '–'} | not measured yet | |"
    cause = verdict.cause if verdict.word != NO_CLAIM else ""
    return f"| {figure.id}: {figure.title} | {old or '–'} | {verdict.word} | {cause} |"


def page_of(papers, tables_of):
    """The page. tables_of: {paper's number: what pages.tables_of() returns}."""
    old = before()
    verdicts = {(paper.number, figure.id): now(figure, tables_of[paper.number])
                for paper in papers for figure in paper.figures}
    words = [verdict.word if verdict else "not measured yet" for verdict in verdicts.values()]
    lines = [OPENING, f"Before, {len(old)} figures: {counted(old.values())}.", "", f"Now, {len(words)} figures: {counted(words)}."]
    for paper in papers:
        lines += ["", f"## [{paper.number}]({paper.number}.md): {paper.title}", "", "| figure | before | now | cause |", "|---|---|---|---|"]
        lines += [line_of(figure, old.get((paper.number, figure.id)), verdicts[paper.number, figure.id])
                  for figure in paper.figures]
    return "\n".join(lines) + "\n"
