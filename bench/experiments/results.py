"""Results of an experiment: the CSV, and what verdicts, plots and pages read from it.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import dataclasses
import os
import re
import statistics
from pathlib import Path

import provenance
from model import slope

HOLDS = "holds"
BETTER = "better than claimed"
FAILS = "does not hold"
OPEN = "cannot be answered here"
NO_CLAIM = "nothing is claimed"
WORDS = (HOLDS, BETTER, FAILS, OPEN, NO_CLAIM)
MEASURED = "measured"
POINTS = 3  # measured points that a statement about growth needs
PARTS = ("mean", "min", "max", "sd")
FIXED = ("figure", "x", "system", "device", "runs", "status", "count", "data")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """word: one of WORDS. cause: one or two sentences that say why. numbers: what it rests on."""
    word: str
    cause: str
    numbers: str = ""

    def text(self):
        return " ".join(part for part in (f"**{self.word[0].upper()}{self.word[1:]}.**", self.cause,
                                          self.numbers) if part)


class Results:
    """The lines of one figure, and with `figures` those of the others of the same paper. Verdict functions
    get it, and know nothing else."""

    def __init__(self, lines, figures=None):
        self.lines = lines
        self.figures = figures if figures is not None else {}
        self.xs = list(dict.fromkeys(line["x"] for line in lines))
        self.systems = list(dict.fromkeys(line["system"] for line in lines))
        self._at = {(line["x"], line["system"]): line for line in lines}

    def line(self, system, x):
        return self._at.get((str(x), system), {})

    def status(self, system, x):
        return self.line(system, x).get("status", "")

    def value(self, system, x, metric="wall", part="mean"):
        """A number, or None where there is a gap."""
        text = self.line(system, x).get(f"{metric}_{part}", "")
        return float(text) if text else None

    def predicted(self, system, x):
        """Seconds, at least, of a run that was not started because it would have been too long, or
        None."""
        found = re.search(r"predicted (?:more than )?([0-9.]+)", self.status(system, x))
        return float(found[1]) if found else None

    def count(self, x):
        """The number of patterns at x that all systems agree on, or None."""
        found = [line["count"] for line in self.lines if line["x"] == str(x) and line["count"]
                 and line["status"] == MEASURED]
        return int(found[0]) if found else None

    def curve(self, system, metric="wall"):
        """[(x, value)] where it was measured; x as a number where it is one."""
        pairs = [(number(x), self.value(system, x, metric)) for x in self.xs]
        return [(x, value) for x, value in pairs if value is not None]

    def ratios(self, system, base, metric="wall"):
        """[(x, system / base)] where both were measured: how many times as long, or as much. A 0 is less
        than the clock of a program shows."""
        below = dict(self.curve(base, metric))
        return [(x, value / below[x]) for x, value in self.curve(system, metric) if value and below.get(x)]

    def slope(self, system, metric="wall"):
        """The exponent with which a curve grows with x; None for fewer than three points."""
        pairs = [pair for pair in self.curve(system, metric) if not isinstance(pair[0], str)]
        return slope(pairs) if len(pairs) >= POINTS else None

    def other(self, figure):
        """Another figure of the same paper; without lines if it is not in the tables."""
        return self.figures.get(figure, Results([]))

    def first_measured(self, *systems):
        """The first of these systems that has a measured cell, or None."""
        return next((system for system in systems if self.curve(system)), None)


def number(x):
    try:
        return float(x)
    except ValueError:
        return x


NO_GPU = "The claim is about a GPU, and the machine has none."


def missing(results, *systems):
    """The verdict if one of these systems has no measured cell at all, or else None."""
    for system in systems:
        if results.curve(system):
            continue
        found = sorted({line["status"] for line in results.lines if line["system"] == system})
        if any("no GPU" in status for status in found):
            return Verdict(OPEN, NO_GPU)
        return Verdict(OPEN, f"There is no number of {system}: {'; '.join(map(reason, found)) or 'not run'}.")
    return None


TIME_WAS_UP = "not run, because the time for measuring was used up"


def reason(status):
    """Why a cell has no number, for a reader of a page, who does not know how programs are found."""
    if status == "not run":
        return TIME_WAS_UP
    return re.sub(r"^no (\S+)(: LODE_PEERS is not set| in LODE_PEERS)$", r"the program \1 was not at hand", status)


# --- writing and reading --------------------------------------------------------------------------


def summary(runs):
    """{metric_part: text} of the runs of a cell."""
    columns = {}
    for name in runs[0] if runs else ():
        values = [run[name] for run in runs if run.get(name) is not None]
        if name == "count" or len(values) < len(runs):
            continue
        spread = statistics.stdev(values) if len(values) > 1 else 0.0
        for part, value in zip(PARTS, (statistics.mean(values), min(values), max(values), spread)):
            columns[f"{name}_{part}"] = f"{value:.9g}"
    return columns


def write_csv(path, head, lines):
    """Writes a table by a temporary name; columns are those of all lines together."""
    metrics = sorted({key for line in lines for key in line} - set(FIXED),
                     key=lambda key: (key.rsplit("_", 1)[0], PARTS.index(key.rsplit("_", 1)[1])))
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with open(partial, "w", newline="", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in head)
        writer = csv.DictWriter(file, [*FIXED, *metrics], restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    os.replace(partial, path)


def read_csv(path):
    """(head lines, lines) of such a table."""
    with open(path, newline="", encoding="utf-8") as file:
        text = file.read().splitlines()
    head = [line for line in text if line.startswith("#")]
    return head, list(csv.DictReader(text[len(head):]))


def without_blanks(line):
    """A line as it was before it was written: without the metrics that have no value."""
    return {key: value for key, value in line.items() if value or key in FIXED}


def measured_before(line, old, counts):
    """The line of an older table that replaces a gap, or None. `counts`: what our own systems have
    found there since then."""
    same = [other for other in old if other["status"] == MEASURED
            and all(other[key] == line[key] for key in ("figure", "x", "system", "data"))
            and counts <= {other["count"]}]
    return without_blanks(same[0]) if same else None


def head_that_stays(head, lines):
    """The lines of a head with the commands and data of these lines."""
    starts = ("# version of ",) * bool(lines) + tuple({f"# command of {line['system']}: " for line in lines}
                   | {f"# data {line['data']}: " for line in lines})
    return [line for line in head if starts and line.startswith(starts)]


def about(head):
    """{name: value} of the head of a table."""
    return dict(line[2:].split(": ", 1) for line in head if ": " in line)


def by_figure(lines):
    ids = dict.fromkeys(line["figure"] for line in lines)
    found = {}
    for key in ids:
        found[key] = Results([line for line in lines if line["figure"] == key], found)
    return found


def figures_of(path):
    """({figure id: Results}, {name: value} of the head) of a table."""
    head, lines = read_csv(path)
    return by_figure(lines), about(head)


def newest(number_of_paper, scale, folder=provenance.RESULTS):
    """The tables that belong together, of a paper at a scale: the newest with a GPU, or else the newest,
    and the newest of every other machine that measured the same engines."""
    tables = {}
    for path in sorted(Path(folder).glob(f"experiment-{number_of_paper}-{scale}-*.csv"),
                       key=lambda path: path.stem[-10:]):
        tables[path.stem[:-10]] = path  # by machine; the last one is the newest
    heads = {path: about(read_csv(path)[0]) for path in tables.values()}
    order = sorted(heads, key=lambda path: ("gpu" in heads[path], path.stem[-10:], path.name), reverse=True)
    return order[:1] + [path for path in order[1:]
                        if heads[path].get("engines", "none") == heads[order[0]].get("engines")]


def joined(paths):
    """({figure id: Results}, [{name: value} of each head]) of tables that belong together. What is not
    measured in the first is taken from the next that has it, and says so (`elsewhere`); or else from
    the next that has predicted it."""
    heads, tables = zip(*(read_csv(path) for path in paths))
    lines = list(tables[0])
    for head, others in zip(heads[1:], tables[1:]):
        better = {key_of(line): {**line, "elsewhere": about(head).get("cpu", "another machine")
                                 if line["status"] == MEASURED else ""}
                  for line in others if line["status"] == MEASURED or "predicted" in line["status"]}
        lines = [line if line["status"] == MEASURED else better.get(key_of(line), line) for line in lines]
    return by_figure(lines), [about(head) for head in heads]


def key_of(line):
    return line["figure"], line["x"], line["system"], line["data"]
