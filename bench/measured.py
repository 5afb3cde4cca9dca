"""What was measured: the newest results of a case, looked up by row, command and column.

A results file is CASE-MACHINE-DATE.csv with comment lines on top (tools/provenance.py). Of the files of
a case and a kind of machine, the one with the latest date counts. Columns are read by name, so that a
case may get further ones at any time.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import re
import sys
from pathlib import Path

from problem import Problem

import provenance

sys.path.append(str(Path(__file__).resolve().parent / "experiments"))
import results as experiments  # noqa: E402

# The kinds of machine that the documents speak of, by the beginning of the names of cases.
KINDS = ((r"gpu-|golden-cuda|experiment-\d+-paper", "h200"), ("", "intel-xeon-2"))
PART = "only a part of the case was run"
# The papers' experiments, whose newest tables count whatever machine they are of, as on their pages.
EXPERIMENT = re.compile(r"experiment-(\d+)-(paper|small|tiny)")


class Missing(Problem):
    """A case that was not measured yet on that kind of machine."""

    def __init__(self, case, machine):
        super().__init__(f"no results of {case} on {machine}")
        self.case = case
        self.machine = machine


def split_head(text):
    """Splits the text of a results file: the known comment lines by name, all comment lines, the
    table."""
    lines = text.splitlines()
    comments = [line[1:].strip() for line in lines if line.startswith("#")]
    known = dict(re.match(r"([^:]+): (.*)", line).groups() for line in reversed(comments)
                 if re.match(r"[^:]+: ", line))
    return known, comments, lines[len(comments):]


def results_of(case, machine, folders):
    """All results files of a case on a machine, the latest last."""
    name = f"{provenance.slug(case)}-{provenance.slug(machine)}-"
    found = [path for folder in folders for path in Path(folder).glob(f"{name}*.csv")
             if re.fullmatch(r"\d{4}-\d\d-\d\d", path.stem[len(name):])]
    return sorted(found, key=lambda path: path.stem[-10:])


class Results:
    """A results file, or its text at another time."""

    def __init__(self, case, path, text=None):
        self.case, self.path = case, path
        self.head, comments, table = split_head(text or path.read_text(encoding="utf-8"))
        self.is_part = PART in comments
        self.lines = list(csv.DictReader(table))
        self.by_cell = {(line.get("row"), line.get("command")): line for line in self.lines}

    def rows(self):
        """The names of the rows, in the order of the file."""
        return list(dict.fromkeys(line["row"] for line in self.lines))

    def commands(self):
        return list(dict.fromkeys(line["command"] for line in self.lines))

    def line(self, row, command):
        """The line of a command in a row; fails if there is none."""
        if (row, command) not in self.by_cell:
            raise Problem(f"{self.path.name}: no line for {command!r} in row {row!r}, which the "
                          "documents speak of")
        return self.by_cell[row, command]

    def has(self, row, command, column="wall"):
        """Whether a command completed in a row and the column has a number."""
        line = self.by_cell.get((row, command), {})
        return any(line.get(name) not in (None, "", "nan") for name in (f"{column}_median", column))

    def text(self, row, command, column):
        """A cell as it is written; the median of a measure by the name of the measure."""
        line = self.line(row, command)
        value = line.get(f"{column}_median") or line.get(column)
        if value in (None, ""):
            raise Problem(f"{self.path.name}: no {column!r} for {command!r} in row {row!r}")
        return value

    def number(self, row, command, column="wall"):
        return float(self.text(row, command, column))

    def ratio(self, row, column, over, under):
        """The value of one command divided by that of another."""
        return self.number(row, over, column) / self.number(row, under, column)

    def spread(self, row, command, column):
        return float(self.line(row, command).get(f"{column}_spread") or 0)

    def runs(self):
        """The number of runs behind the medians: the fewest and the most of any line."""
        runs = [int(line["runs"]) for line in self.lines if line.get("runs") not in (None, "", "0")]
        return (min(runs), max(runs)) if runs else (1, 1)

    def source(self):
        """The provenance, for a footnote."""
        what = self.head.get("gpu", "").split(",")[0]
        cores = re.search(r"(\d+) processors", self.head.get("cpu", ""))
        machine = f"{what} and {cores[1]} cores" if what and cores else self.head.get("cpu", "")
        return (f"`bench/results/{self.path.name}`: {machine}; commit "
                f"{self.head.get('commit', 'unknown')}; {self.head.get('date', 'no date')}")


class Measured:
    """All results, and a record of which ones were used."""

    def __init__(self, folder=provenance.RESULTS):
        self.folder = Path(folder)
        self.used = {}

    def machine_of(self, case):
        return next(machine for start, machine in KINDS if re.match(start, case))

    def tables_of(self, case):
        """The files that may have the newest results of a case, the latest first."""
        found = EXPERIMENT.fullmatch(case)
        if not found:
            return reversed(results_of(case, self.machine_of(case), [self.folder]))
        return experiments.newest(*found.groups(), self.folder)[:1]

    def newest(self, case):
        """The newest whole results of a case on the machine for it."""
        if case not in self.used:
            paths = self.tables_of(case)
            newest = next((found for found in (Results(case, path) for path in paths)
                           if not found.is_part), None)
            if not newest:
                raise Missing(case, self.machine_of(case))
            self.used[case] = newest
        return self.used[case]

    def has(self, case):
        try:
            return bool(self.newest(case))
        except Missing:
            return False


# --- numbers to read ------------------------------------------------------------------------------

def seconds(value):
    """Seconds with three digits, and at most four decimals: 0.0032, 0.124, 1.24, 12.4."""
    if value < 0.00005:
        return "0"
    digits = next((n for least, n in ((100, 0), (10, 1), (1, 2), (0.1, 3)) if value >= least), 4)
    return f"{value:,.{digits}f}"


def number_of(text):
    """The number at the beginning of a text: 10 K as 10000."""
    found = re.match(r"([0-9.,]+) ?([KM]?)\b", text)
    return float(found[1].replace(",", "")) * {"": 1, "K": 1e3, "M": 1e6}[found[2]]


def round_number(value):
    """Two digits of a large number: 83 K, 1.2 M."""
    for unit, name in ((1e6, " M"), (1e3, " K")):
        if value >= unit:
            return f"{float(f'{value / unit:.2g}'):g}{name}"
    return f"{float(f'{value:.2g}'):g}"


def whole(value):
    """A count with separators between thousands."""
    return f"{int(float(value)):,}"


def times(value):
    """A factor as text: 1.24, 12, 340."""
    if value < 10:
        return f"{value:.2g}"
    return f"{float(f'{value:.3g}'):,.0f}"


def rate(value):
    """A rate, such as 3.95e15."""
    return re.sub(r"e\+0*", "e", f"{value:.2e}")


def size(value):
    """Bytes, in powers of ten."""
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "KB")):
        if value >= unit:
            return f"{value / unit:.3g} {name}"
    return f"{value:.0f} B"


def table(head, rows, left=1):
    """A Markdown table; the first `left` columns are words, the others numbers."""
    rule = ["---"] * left + ["---:"] * (len(head) - left)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *rows])


def spell_runs(found):
    """The number of runs that the medians are taken from, in words."""
    least, most = found.runs()
    words = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 7: "seven"}
    if least == most:
        return "one run each" if most == 1 else f"medians of {words.get(most, most)} runs"
    return f"medians of {words.get(least, least)} to {words.get(most, most)} runs"
