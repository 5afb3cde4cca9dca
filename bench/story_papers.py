"""The outcome of the papers' experiments, in short: for docs/papers.md and docs/gpu-measured.md.

Whole tables and the reasons are on the pages docs/papers/NNN.md, which bench/experiments writes.
This module reads the same tables with the same functions, so that the pages cannot contradict each
other.

SPDX-License-Identifier: Apache-2.0
"""
import experiment
from experiment import pages
from results import BETTER, FAILS, HOLDS, NO_CLAIM, OPEN, Results, by_figure

from measured import table, whole

# Answers in the order of the index, and how to say that one figure or several have them.
ANSWERS = ((HOLDS, "holds", "hold"), (BETTER, "is better than claimed", "are better than claimed"),
           (FAILS, "does not hold", "do not hold"),
           (OPEN, "cannot be answered here", "cannot be answered here"),
           (NO_CLAIM, "claims nothing", "claim nothing"))
VARIANTS = ("vectors, read-only", "vectors, plain", "arrays, read-only", "arrays, plain")
FRONTIER, TENSOR = "frontier, 4 virtual GPUs", "tensor, GPU"


def case_of(number, scale="paper"):
    """The name under which the tables of a paper are cited."""
    return f"experiment-{number}-{scale}"


def lines_of(results, number, figure, scale="paper"):
    """The newest numbers of a figure, as verdicts get them."""
    found = results.newest(case_of(number, scale))
    return by_figure(found.lines).get(figure, Results([]))


def span(values, form="{:.1f}"):
    """From the least to the largest, or one number if they read the same."""
    low, high = form.format(min(values)), form.format(max(values))
    return low if low == high else f"{low} to {high}"


class Papers:
    def __init__(self, results, cite=None):
        self.results = results
        self.cite = cite or (lambda *cases: "")

    def figure(self, number, figure):
        return lines_of(self.results, number, figure)

    def verdict(self, number, figure):
        """The answer to the claim of a figure, on the GPU."""
        paper, = experiment.load_papers([number])
        wanted = next(one for one in paper.figures if one.id == figure)
        return pages.verdict_of(wanted, self.figure(number, figure)).word

    def data(self, number, figure):
        """The data of a figure whose points all use the same data."""
        return self.figure(number, figure).lines[0]["data"]

    def runs(self, number, figure):
        """How many runs the numbers of a figure are means of, in words."""
        runs = sorted({int(line["runs"]) for line in self.figure(number, figure).lines} - {0})
        if runs == [1]:
            return "one run each"
        return f"means of {' to '.join(map(str, dict.fromkeys((runs[0], runs[-1]))))} runs"

    # --- 004: grids of blocks ---

    def grids(self):
        """Milliseconds of both grids by the number of transactions."""
        found = self.figure("004", "8")
        square, folded = (dict(found.curve(f"{name} grid, GPU", "grid_ms")) for name in ("square", "folded"))
        return table(["transactions", "square grid, ms", "folded grid, ms"],
                     [[whole(x), f"{square[x]:.3g}", f"{folded[x]:.3g}"] for x in square if x in folded])

    def grid_saves(self, more=""):
        """Percent of the time of the square grid that the folded one saves: least to most."""
        ratios = self.figure("004", "8").ratios(f"folded grid{more}, GPU", f"square grid{more}, GPU", "grid_ms")
        return span([100 * (1 - ratio) for _, ratio in ratios]) + "%"

    # --- 002: records ---

    def records(self):
        """The largest number of graphs that has all four variants, and milliseconds of finding extensions there."""
        found = self.figure("002", "§4")
        x = [x for x in found.xs if all(found.value(name, x, "extend") for name in VARIANTS)][-1]
        times = [f"{1000 * found.value(name, x, 'extend'):.1f}" for name in VARIANTS]
        return whole(x), table(["stored as", "read-only loads, ms", "plain loads, ms"],
                               [["vectors", *times[:2]], ["arrays", *times[2:]]])

    # --- 000: batches, the largest data ---

    def batches(self):
        """Batches by ε."""
        found = self.figure("000", "18")
        return ", ".join(f"{whole(value)} {'without a limit' if isinstance(x, str) else f'for ε = {x:,.0f}'}"
                         for x, value in found.curve("frontier, GPU", "batches"))

    def batches_fall(self):
        """Whether batches never rise with ε, and lists never shrink."""
        found = self.figure("000", "18")
        batches, lists = ([value for _, value in found.curve("frontier, GPU", metric)]
                          for metric in ("batches", "lists"))
        return batches == sorted(batches, reverse=True) and lists == sorted(lists)

    def list_mib(self):
        """MiB of lists at the smallest and at the largest ε."""
        curve = self.figure("000", "18").curve("frontier, GPU", "list_mib")
        return [f"{value:,.0f}" for _, value in (curve[0], curve[-1])]

    def largest(self):
        """Seconds of whole runs on the largest data, in the words of the page where there are none."""
        found = self.figure("000", "tables 4-5 whole")
        return table(["data", "itemsets", "`frontier`, `--device cuda:0*4`", "`tensor`, `--device cuda`"],
                     [[x, whole(found.count(x)),
                       *(pages.cell_text(found, name, x, "wall") for name in (FRONTIER, TENSOR))]
                      for x in found.xs if found.count(x) is not None])

    # --- the index ---

    def answers(self, paper, tables):
        """{one of WORDS: figures, with the scale where it is not the largest}."""
        found = {}
        for figure in paper.figures:
            scale = next(iter(pages.scales_of(figure, tables)), None)
            word = pages.verdict_of(figure, tables[scale][0][figure.id]).word if scale else OPEN
            small = f" at `{scale}`" if scale and scale != next(iter(tables)) else ""
            found.setdefault(word, []).append(figure.id.replace(",", "") + small)
        return found

    def in_short(self, paper, tables):
        """How many figures have which answer, and which figures these are."""
        found = self.answers(paper, tables)
        parts = []
        for word, one, several in ANSWERS:
            figures = found.get(word, [])
            if figures:
                parts.append(f"{len(figures)} {one if len(figures) == 1 else several} ({', '.join(figures)})")
        return "; ".join(parts)

    def index(self):
        """A line for each paper."""
        rows = []
        for paper in experiment.load_papers(["all"]):
            tables = pages.tables_of(paper, self.results.folder)
            sources = self.cite(*(case_of(paper.number, scale) for scale in tables))
            rows.append([f"[{paper.number}: {paper.title}](papers/{paper.number}.md){sources}",
                         self.in_short(paper, tables)])
        return table(["paper", "figures and tables"], rows, left=2)
