"""Runs the cells of an experiment: data, prediction, repeats, and the journal that makes it resumable.

Every finished cell is a line of the journal, written at once, and known by what was run: program (by
its hash), command, data. So a second start goes on where the first was stopped, a changed program
starts anew, and figures that ask for the same run share it.

SPDX-License-Identifier: Apache-2.0
"""
import dataclasses
import hashlib
import json
import math
import shutil
import subprocess
import time
from pathlib import Path

import rows
from model import power_law
from problem import Problem, note
from results import MEASURED
from runs import TimeUp, run_once

AGAIN_BELOW = 2.0  # seconds: a cell whose first run is shorter is run several times
REPEATS = {"tiny": 1, "small": 5, "paper": 5}
ESTIMATE = {"tiny": 0.05, "small": 0.5, "paper": 1.0}  # of cells of which nothing is known
TELLING = 0.3  # seconds: shorter runs say nothing about longer ones
PROBE_PART = 6  # a probe may take this part of the limit, and a cell that will is not probed
CUDA_START = 0.45  # seconds of a short run on a GPU
ITEMS_A_SECOND = 2e7  # that one core generates and writes


@dataclasses.dataclass
class Settings:
    """What holds for all cells of a start."""
    places: dict
    scale: str
    gpu: str  # the device for {gpu}, or "" where there is none
    limit: float
    cores: int


# --- what is run ----------------------------------------------------------------------------------


def file_hash(path):
    found = shutil.which(path)
    return hashlib.sha256(Path(found).read_bytes()).hexdigest()[:16] if found else ""


def program_of(cell, settings):
    """The path of the program that a cell runs, past env and NAME=VALUE."""
    if cell.system.peer:
        return f"{settings.places['peers']}/{cell.system.peer}"
    return settings.places["lode"]


def gap_of(cell, settings):
    """Why a cell cannot be run here, or ""."""
    if cell.system.needs_gpu and not settings.gpu:
        return "no GPU here"
    if cell.system.peer:
        if not settings.places["peers"]:
            return f"no {cell.system.peer}: LODE_PEERS is not set"
        if not shutil.which(program_of(cell, settings)):
            return f"no {cell.system.peer} in LODE_PEERS"
    source = source_of(cell.point.data, settings)
    return f"no {source.name} in LODE_DATA" if source and not source.exists() else ""


def source_of(data, settings):
    """The real data set that a data file is made of, or None."""
    name = data.file or next((word[7:] for word in data.make.split() if word.startswith("{data}/")), "")
    return Path(settings.places["data"]) / name if name else None


def command_of(cell, settings):
    """The command of a cell as the CSV tells it: its own placeholders filled, paths not."""
    point = cell.point
    own = {"support": f"{point.percent:g}%", "percent": f"{point.percent:g}",
           "gpu": settings.gpu or "cuda:0", **{key: str(value) for key, value in point.values.items()}}
    kept = {name: "{%s}" % name for name in ("lode", "peers", "plain", "minsup", "data")}
    return " ".join(rows.fill(word, {**kept, **own}) for word in cell.system.command.split())


def key_of(cell, settings, hashes, data=None):
    """What a run is known by in the journal."""
    program = program_of(cell, settings)
    if program not in hashes:
        hashes[program] = file_hash(program)
    parts = [hashes[program], command_of(cell, settings), (data or cell.point.data).text(),
             cell.point.percent, sorted(cell.system.measures.items()), settings.scale]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:20]


def device_of(cell, settings):
    """The device in the command, for the CSV."""
    words = command_of(cell, settings).split()
    return next((words[i + 1] for i, word in enumerate(words[:-1]) if word in ("--device", "-d")), "cpu")


# --- data -----------------------------------------------------------------------------------------


def data_path(data, settings):
    """The plain file of a point; made if it is not there yet."""
    if data.file:
        source = source_of(data, settings)
        return rows.plain_file(source, 1, data.head, False)
    return rows.made_file(data.make, settings.places)


def make_seconds(data, settings):
    """What making a file will take, roughly."""
    return 0.05 + data.size / ITEMS_A_SECOND / min(settings.cores, 16)


def count_transactions(path):
    """Lines of a file of baskets, or graphs of a file of graphs."""
    if path.name.endswith(".lg"):
        with open(path, "rb") as file:
            return sum(line.startswith(b"t") for line in file)
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def values_of(cell, path, settings, data=None):
    """The placeholders of a cell."""
    point = cell.point
    n = (data or point.data).transactions or count_transactions(path)
    # A hair less, so that 3% of 100 is 3 and not 4 because of how numbers are stored.
    minsup = max(1, math.ceil(n * point.percent / 100 - 1e-9 * n))
    return {**settings.places, "plain": str(path), "support": f"{point.percent:g}%",
            "percent": f"{point.percent:g}", "minsup": str(minsup), "gpu": settings.gpu,
            **{key: str(value) for key, value in point.values.items()}}


# --- prediction -----------------------------------------------------------------------------------


def predict(cell, done, settings, probed=None):
    """Seconds that a run of a cell will take: from finished cells of its curve, else from its probe,
    else by its estimate."""
    finished = [(other.point.cost(), record["runs"][0]["wall"]) for other, record in done
                if record["status"] == MEASURED and other.figure is cell.figure
                and other.system is cell.system and other.point.series == cell.point.series]
    law = power_law(finished)
    # One point, or points that are nearly all start and end of a program, tell little of growth.
    told = len(finished) > 1 and max(wall for _, wall in finished) > TELLING or not cell.system.estimate
    if law and told:
        return law[1](cell.point.cost())
    if probed and not probed["status"].startswith("failed"):
        return probed_seconds(cell, probed, settings)
    return estimate(cell, settings)


def probed_seconds(cell, probed, settings):
    """What a run on smaller data tells, where time grows with the data: not on a GPU."""
    seconds = probed["runs"][0]["wall"] if probed["runs"] else settings.limit / PROBE_PART
    return seconds * cell.point.probe[1]


def estimate(cell, settings):
    if cell.system.estimate:
        return float(cell.system.estimate(cell.point))
    return CUDA_START if cell.system.needs_gpu else ESTIMATE[settings.scale]


def plain(seconds):
    """Seconds in three digits or more, never as a power of ten."""
    return f"{seconds:.0f}" if seconds >= 100 else f"{seconds:.3g}"


def cell_seconds(seconds, settings, limit):
    """What a cell costs in all: repeats of a short run, nothing for one that is not started."""
    if seconds > limit:
        return 0.0
    return seconds * (REPEATS[settings.scale] if seconds < AGAIN_BELOW else 1)


# --- running --------------------------------------------------------------------------------------


def case_command(system):
    """A system as bench/runs.py wants its commands."""
    return {"command": system.command, "count": system.count, "count_by": system.count_by,
            "count_extra": system.count_extra,
            "measures": {name: {**how, "optional": True} for name, how in system.measures.items()}}


def run_cell(cell, path, settings):
    """Runs a cell as often as it should be; returns its record for the journal."""
    system, command = cell.system, case_command(cell.system)
    values = values_of(cell, path, settings)
    runs, warm = [], cell.figure.warmup
    try:
        while True:
            run = run_once(command, values, 2 * settings.limit)
            if warm and run["wall"] < AGAIN_BELOW:
                warm = False
                continue
            runs.append(run)
            if len(runs) >= REPEATS[settings.scale] or runs[0]["wall"] >= AGAIN_BELOW:
                break
    except TimeUp:
        return {"status": f"over {2 * settings.limit:g} s, stopped", "runs": []}
    except Problem as problem:
        note(f"  {cell.system.name}: {problem}")
        why = str(problem).splitlines()
        return {"status": f"failed: {(why[1] if len(why) > 1 else why[0])[:120]}", "runs": [],
                "bad": not (system.peer or system.may_fail)}
    return {"status": MEASURED, "runs": runs}


def run_probe(cell, settings):
    """Runs a cell once on the smaller data of its probe; returns a record for the journal."""
    data, limit = cell.point.probe[0], settings.limit / PROBE_PART
    try:
        values = values_of(cell, data_path(data, settings), settings, data)
        return {"status": MEASURED, "runs": [run_once(case_command(cell.system), values, limit)]}
    except TimeUp:
        return {"status": f"over {limit:g} s, stopped", "runs": []}
    except Problem as problem:
        return {"status": f"failed: {str(problem).splitlines()[0][:120]}", "runs": []}


class Journal:
    """Finished cells, by key; those that were run are appended to a file, one line each. The last line
    may be cut short, if the machine went away; it is then left out, and the cell is run again."""

    def __init__(self, path):
        self.path, self.records = path, {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                record = json.loads(line)
                self.records[record["key"]] = record
            except (ValueError, KeyError):
                note(f"{path.name}: a damaged line is left out")

    def add(self, key, cell, record):
        figure, x, system = cell.key
        record = {"key": key, "figure": figure, "x": x, "system": system, **record}
        self.records[key] = record
        if not record["runs"] and "stopped" not in record["status"]:
            return  # not started, or failed: the next start, perhaps with another limit, decides anew
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


class Runner:
    """Goes through the cells of a paper in order, within the limits."""

    def __init__(self, paper, cells, settings, journal):
        self.paper, self.settings, self.journal = paper, settings, journal
        self.hashes, self.gaps = {}, {}
        self.cells = sorted(cells, key=lambda cell: not cell.system.needs_gpu)
        self.keys = {cell.key: key_of(cell, settings, self.hashes) for cell in self.cells}
        for cell in self.cells:
            self.gaps[cell.key] = gap_of(cell, settings)
        for gap in dict.fromkeys(gap for gap in self.gaps.values() if gap):
            note(f"{paper.number}: left out: {gap}")

    def record(self, cell):
        return self.journal.records.get(self.keys[cell.key])

    def done(self):
        return [(cell, self.record(cell)) for cell in self.cells if self.record(cell)]

    def waiting(self):
        """Cells that can be run here and have not been. Those that need a GPU come first, then those
        that have a probe to run, then the shortest."""
        cells = [cell for cell in self.cells if not self.gaps[cell.key] and not self.record(cell)]
        done = self.done()

        def order(cell):
            if cell.system.needs_gpu:
                return (0, not cell.point.data.keep)
            if self.wants_probe(cell, done):
                return (1, 0)
            return (2, predict(cell, done, self.settings, self.probed(cell)))
        return sorted(cells, key=order)

    def wants_probe(self, cell, done):
        """Whether a cell may be long, nothing is known of its curve, and a run on smaller data can tell."""
        may = cell.point.probe and not cell.system.needs_gpu and not self.probed(cell)
        long = may and estimate(cell, self.settings) * PROBE_PART > self.settings.limit
        return long and not any(
            other.system is cell.system and other.figure is cell.figure and record["runs"]
            and other.point.series == cell.point.series for other, record in done)

    def probed(self, cell):
        """The record of the probe of a cell, or None."""
        if not cell.point.probe or cell.system.needs_gpu:
            return None
        return self.journal.records.get(self.probe_key(cell))

    def probe_key(self, cell):
        return key_of(cell, self.settings, self.hashes, cell.point.probe[0])

    def probe(self, cell):
        """Runs the probe of a cell."""
        start = time.monotonic()
        record = run_probe(cell, self.settings)
        record["seconds"] = round(time.monotonic() - start, 3)
        self.journal.add(self.probe_key(cell), cell, record)
        self.tell(cell, f"{record['seconds']:.3g} s on a part of the data")

    def spent(self):
        """Seconds that cells without a GPU have taken, probes and their data included."""
        mine = {self.keys[cell.key] for cell in self.cells if not cell.system.needs_gpu}
        mine |= {self.probe_key(cell) for cell in self.cells
                 if cell.point.probe and not cell.system.needs_gpu}
        return sum(record.get("seconds", 0) for key, record in self.journal.records.items() if key in mine)

    def too_long(self, cell, seconds):
        """Why a cell is not started, or ""."""
        if seconds > self.settings.limit:
            probed = self.probed(cell)
            least = "more than " if probed and "stopped" in probed["status"] else ""
            return f"over {self.settings.limit:g} s, predicted {least}{plain(seconds)}"
        minutes = self.paper.minutes.get(self.settings.scale, math.inf)
        cost = cell_seconds(seconds, self.settings, self.settings.limit)
        if not cell.system.needs_gpu and self.spent() + cost > 60 * minutes:
            return f"left out, predicted {plain(seconds)}: {minutes:g} minutes without a GPU are used up"
        return ""

    def run(self, until):
        """Runs cells until the time is up; returns how many are left."""
        while True:
            waiting = self.waiting()
            if not waiting or time.monotonic() > until:
                return len(waiting)
            cell, done = waiting[0], self.done()
            if self.wants_probe(cell, done):
                self.probe(cell)
                continue
            seconds = predict(cell, done, self.settings, self.probed(cell))
            why = self.too_long(cell, seconds)
            start = time.monotonic()
            record = {"status": why, "runs": []} if why else self.measure(cell)
            record["seconds"] = round(time.monotonic() - start, 3)
            self.journal.add(self.keys[cell.key], cell, record)
            self.tell(cell, f"{record['runs'][0]['wall']:.3g} s" if record["runs"] else record["status"])

    def tell(self, cell, text):
        figure, x, system = cell.key
        note(f"{self.paper.number} figure {figure}, {x}, {system}: {text}")

    def measure(self, cell):
        data = cell.point.data
        try:
            path = data_path(data, self.settings)
        except Problem as problem:
            return {"status": f"failed: {str(problem)[:120]}", "runs": [], "bad": True}
        record = run_cell(cell, path, self.settings)
        if not data.keep and not self.needed(data, cell):
            path.unlink()
        return record

    def needed(self, data, cell):
        """Whether another cell will be run on this data, as far as one can tell."""
        done = self.done()
        return any(other is not cell and other.point.data == data
                   and predict(other, done, self.settings, self.probed(other)) <= self.settings.limit
                   for other in self.waiting())

    def device(self, cell):
        return device_of(cell, self.settings)


def has_gpu(lode):
    """Whether lode can use a GPU here."""
    try:
        done = subprocess.run([lode, "devices"], capture_output=True, text=True)
    except OSError as error:
        raise Problem(f"{lode}: {error.strerror}; ./dev build makes it") from None
    return any(line.startswith("cuda") and "not usable" not in line for line in done.stdout.splitlines())


