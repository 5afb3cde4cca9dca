"""Results of an experiment: the CSV, and what verdicts, plots and pages read from it.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import os
import re
import statistics
from pathlib import Path

import provenance
from model import slope

HOLDS = "holds"
FAILS = "does not hold"
IMPOSSIBLE = "cannot hold as printed"
NEEDS_GPU = "not measured here (needs a GPU)"
OPEN = "not measured here"
NO_CLAIM = "nothing is claimed"
WORDS = (HOLDS, FAILS, IMPOSSIBLE, NEEDS_GPU, OPEN, NO_CLAIM)
MEASURED = "measured"
PARTS = ("mean", "min", "max", "sd")
FIXED = ("figure", "x", "system", "device", "runs", "status", "count", "data")


class Results:
    """The lines of one figure. Verdict functions get it, and know nothing else."""

    def __init__(self, lines):
        self.lines = lines
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
        """[(x, system / base)] where both were measured: how many times as long, or as much."""
        below = dict(self.curve(base, metric))
        return [(x, value / below[x]) for x, value in self.curve(system, metric) if below.get(x)]

    def slope(self, system, metric="wall"):
        """The exponent with which a curve grows with x, or None."""
        return slope([pair for pair in self.curve(system, metric) if not isinstance(pair[0], str)])

    def first_measured(self, *systems):
        """The first of these systems that has a measured cell, or None."""
        return next((system for system in systems if self.curve(system)), None)


def number(x):
    try:
        return float(x)
    except ValueError:
        return x


def missing(results, *systems):
    """The verdict if one of these systems has no measured cell at all, or else None."""
    for system in systems:
        if results.curve(system):
            continue
        found = sorted({line["status"] for line in results.lines if line["system"] == system})
        why = "; ".join(found) or "not run"
        needs = any("GPU" in status for status in found)
        return (NEEDS_GPU if needs else OPEN), f"{system}: {why}."
    return None


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
    starts = tuple({f"# command of {line['system']}: " for line in lines}
                   | {f"# data {line['data']}: " for line in lines})
    return [line for line in head if starts and line.startswith(starts)]


def figures_of(path):
    """({figure id: Results}, {name: value} of the head) of a table."""
    head, lines = read_csv(path)
    about = dict(line[2:].split(": ", 1) for line in head if ": " in line)
    ids = dict.fromkeys(line["figure"] for line in lines)
    return {key: Results([line for line in lines if line["figure"] == key]) for key in ids}, about


def newest(number_of_paper, scale, folder=provenance.RESULTS):
    """The newest table of a paper at a scale, by the date in its name, or None."""
    found = Path(folder).glob(f"experiment-{number_of_paper}-{scale}-*.csv")
    return max(found, key=lambda path: (path.stem[-10:], path.name), default=None)
