"""What a paper's experiment is made of; README.md in this folder shows how to write one.

A paper is a list of figures. A figure has points (places on its x axis, each with its data) and
systems (its curves). A point and a system together are a cell: what is run, and a line of the CSV.
Definitions are data, so that they can be planned, run in parts, drawn and judged by the same code;
the only functions in them are the verdict and, where needed, an estimate and derived numbers.

SPDX-License-Identifier: Apache-2.0
"""
import dataclasses
import math
import re
from typing import Callable, Optional

SCALES = ("tiny", "small", "paper")

# --- data -----------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Data:
    """A data file: made by a command ({made} is its path), or a real one below LODE_DATA.

    size is what making it costs: items, or edges, to write. keep: False for files that are removed
    as soon as no cell needs them any more."""
    name: str
    make: str = ""
    file: str = ""
    head: int = 0
    transactions: int = 0
    size: float = 0
    keep: bool = True

    def text(self):
        """A line that says how the file is made, for the CSV."""
        return self.make or self.file + (f", the first {self.head} lines" if self.head else "")


def quest(n, length, pattern, items, seed=1):
    """Baskets with the defaults of IBM's program: 10,000 patterns, correlation and corruption 0.25."""
    name = f"T{length}I{pattern}D{short(n)} of {items:,} items"
    return Data(name, f"{{lode}} generate quest --like ibm --transactions {n} --length {length} "
                f"--pattern-length {pattern} --items {items} --seed {seed} -o {{made}}",
                transactions=n, size=n * length, keep=n * length < 300e6)


def made(name, options, n, size):
    """Any other `lode generate` command: its words after `lode generate`, without -o."""
    return Data(name, f"{{lode}} generate {options} -o {{made}}", transactions=n, size=size)


def mutated(file, lines, times, rate=0.05, seed=1):
    """A real data set below LODE_DATA, `times` times, with a share of its items replaced."""
    stem = file.split("/")[-1].split(".")[0]
    return Data(f"{stem} x {times}", f"{{lode}} generate mutate {{data}}/{file} --times {times} "
                f"--rate {rate} --seed {seed} -o {{made}}", transactions=lines * times,
                size=lines * times * 35)


def real(file, head=0):
    """A real data set below LODE_DATA, or its first `head` lines."""
    stem = file.split("/")[-1].split(".")[0]
    return Data(stem + (f", {head:,} lines" if head else ""), file=file, head=head)


def short(n):
    """Formats 100000 as 100K, and 15000000 as 15M."""
    for unit, size in (("M", 10 ** 6), ("K", 10 ** 3)):
        if n >= size and n * 10 % size == 0:
            return f"{n / size:g}{unit}"
    return str(n)


# Other miners, by the name that they must have in LODE_PEERS: where they come from, and what their
# options mean. How they were compiled is not recorded.
ALL_SETS = ("`-s-N` is the minimum count; `-S-99999999` lifts the upper bound, which would otherwise drop sets that are "
            "in every transaction; without an output file, sets are only counted")
CLONE = "from the public repository csinva/pyfim-clone"
PROGRAMS = {
    "eclat": f"Christian Borgelt's Eclat, {CLONE}. {ALL_SETS}. It chooses its variant itself",
    "fpgrowth": f"Christian Borgelt's FP-growth, {CLONE}. {ALL_SETS}",
    "apriori": f"Christian Borgelt's Apriori, {CLONE}. {ALL_SETS}",
    "freqmine": "FP-growth of the PARSEC 3.0 benchmarks (`pkgs/apps/freqmine`), built with OpenMP; data, minimum count, and "
                "`OMP_NUM_THREADS` for the number of threads. It prints the number of sets of each size",
    "gaston": "Gaston 1.0 with occurrence lists, by Siegfried Nijssen, in the copy of the public repository "
              "AlekseyBuzmakov/LibGastonForSofia at 97bd85f; minimum count, data",
    "gspan": "gBolt, the public repository Jokeren/gBolt at 83774d1; `-s` is the minimum share",
}


# --- figures --------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False)
class Point:
    """A place on the x axis. x is a number, or a text where the axis has no numbers.

    percent is the minimum support; commands get it as {support} (1%), {percent} (1) and {minsup}
    (the count, rounded up). values are further placeholders. work is what the cost grows with, by
    default x if that is a number, else 1; series: cells are predicted from others of the same series.
    only: names of the systems that run here; by default all. probe: smaller data and how many times as
    long this point takes: where nothing of a curve is known, it is run on that first."""
    x: object
    data: Data
    percent: float = 0
    values: dict = dataclasses.field(default_factory=dict)
    work: float = 0
    series: str = ""
    only: tuple = ()
    probe: tuple = ()

    def cost(self):
        if self.work:
            return self.work
        return float(self.x) if isinstance(self.x, (int, float)) and self.x > 0 else 1.0


@dataclasses.dataclass(frozen=True, eq=False)
class System:
    """A curve: a command with placeholders {lode} {plain} {support} {percent} {minsup} {gpu}, and the
    values of the point. {gpu} is the device asked for, such as cuda:0; a command that has it, or has
    gpu=True, runs only where there is one. {peers}/NAME is another miner, from LODE_PEERS.

    measures: as in bench/cases (bench/README.md), by name; a value that the report does not have is a
    gap. estimate: seconds of a point, for --plan and where nothing of the curve was measured yet.
    count, count_by, count_extra: as in bench/cases. may_fail: a failure is a gap, not an error.
    cores: how many processors the machine must have at `paper`."""
    name: str
    command: str
    gpu: bool = False
    cores: int = 1
    measures: dict = dataclasses.field(default_factory=dict)
    estimate: Optional[Callable] = None
    count: Optional[str] = None
    count_by: str = ""
    count_extra: int = 0
    may_fail: bool = False

    @property
    def needs_gpu(self):
        return self.gpu or "{gpu}" in self.command

    @property
    def peer(self):
        """The name of another miner, or ""."""
        found = re.search(r"\{peers\}/(\S+)", self.command)
        return found[1] if found else ""


@dataclasses.dataclass(frozen=True, eq=False)
class Panel:
    """One plot of a figure: a metric over x. kind: line or bars. systems: by default all."""
    metric: str
    label: str
    log: bool = True
    kind: str = "line"
    systems: tuple = ()


@dataclasses.dataclass(frozen=True, eq=False)
class Figure:
    """A figure or table of a paper. points: {scale: [Point]}; a scale that is not there has none.

    derived: {name: function of a run}, for metrics that are computed from others of the same run, such
    as shares; a KeyError or a division by zero is a gap. verdict: function of Results (results.py).
    log_x: a logarithmic x axis."""
    id: str
    title: str
    varied: str
    x: str
    claim: str
    systems: list
    points: dict
    panels: list
    verdict: Callable
    derived: dict = dataclasses.field(default_factory=dict)
    log_x: bool = False
    warmup: bool = False

    @property
    def slug(self):
        return "-".join(re.findall(r"[a-z0-9]+", self.id.lower()))


@dataclasses.dataclass(frozen=True, eq=False)
class Paper:
    """number: 000 and so on. minutes: what cells that do not need a GPU may take in all, by scale; the
    shortest come first, and what does not fit any more is left out and predicted. remarks: function of
    {figure id: Results} that returns sentences with numbers, for the head of the page."""
    number: str
    title: str
    figures: list
    minutes: dict = dataclasses.field(default_factory=dict)
    remarks: Optional[Callable] = None


@dataclasses.dataclass(frozen=True, eq=False)
class Cell:
    """One system at one point of one figure."""
    figure: Figure
    point: Point
    system: System

    @property
    def key(self):
        return (self.figure.id, str(self.point.x), self.system.name)


def cells_of(paper, scale, only=()):
    """All cells of a paper at a scale, or those of some of its figures."""
    return [Cell(figure, point, system) for figure in paper.figures
            if not only or {figure.id, figure.slug, figure.id.split()[0]} & set(only)
            for point in figure.points.get(scale, [])
            for system in figure.systems if not point.only or system.name in point.only]


def power_law(points):
    """Fits y = a * x^b to (x, y) pairs; returns b and a function. One pair: b = 1."""
    points = [(x, y) for x, y in points if x > 0 and y > 0]
    if not points:
        return None
    exponent = slope(points) if len({x for x, _ in points}) > 1 else 1.0
    exponent = min(max(exponent, 0.0), 4.0)
    x0, y0 = max(points)
    return exponent, lambda x: y0 * (x / x0) ** exponent


def slope(points):
    """The exponent of y = a * x^b by least squares over logarithms; None for fewer than two x."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    mx, my = (sum(values) / len(logs) for values in zip(*logs))
    return (sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs))
