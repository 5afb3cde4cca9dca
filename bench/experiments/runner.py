"""Runs the cells of an experiment, and keeps the journal that makes it resumable.

Every finished cell is written to the journal at once, as a line. Its key is what was run: program
(by its hash), command, data. So a second start continues where the first one was stopped, a changed
program starts from the beginning, and figures that need the same run share it.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import time

from cells import (AGAIN_BELOW, PROBE_PART, cell_seconds, data_path, device_of, estimate, gap_of, key_of,
                   plain, predict, predict_by_runs, values_of)
from problem import Problem, note
from results import MEASURED
from runs import TimeUp, run_once


def case_command(system):
    """Converts a system into a command for bench/runs.py."""
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
            if len(runs) >= settings.repeats or runs[0]["wall"] >= AGAIN_BELOW:
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
    """Finished cells, by key. New ones are appended to a file, one line each. The first line
    describes the machine, so that a table can be written elsewhere. If the machine crashed, the
    last line may be incomplete; it is then ignored, and the cell is run again."""

    def __init__(self, path, head):
        self.path, self.records, self.head = path, {}, head
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                record = json.loads(line)
                if "head" in record:
                    self.head = record["head"]
                else:
                    self.records[record["key"]] = record
            except (ValueError, KeyError):
                note(f"{path.name}: a damaged line is left out")

    def forget(self, lost, only_here):
        """Drops the records for which lost(record) is true; with only_here, not from the file."""
        self.records = {key: record for key, record in self.records.items() if not lost(record)}
        if only_here or not self.path.exists():
            return
        partial = self.path.with_name(self.path.name + ".partial")
        with open(partial, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in ({"head": self.head}, *self.records.values()))
        os.replace(partial, self.path)

    def add(self, key, cell, record):
        figure, x, system = cell.key
        record = {"key": key, "figure": figure, "x": x, "system": system, **record}
        self.records[key] = record
        if not record["runs"] and "stopped" not in record["status"]:
            return  # not started, or failed: the next start, perhaps with another limit, decides anew
        self.path.parent.mkdir(parents=True, exist_ok=True)
        first = [] if self.path.exists() else [{"head": self.head}]
        with open(self.path, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in (*first, record))


class Runner:
    """Goes through the cells of a paper in order, within the limits."""

    def __init__(self, paper, cells, settings, journal):
        self.paper, self.settings, self.journal = paper, settings, journal
        self.hashes, self.gaps, self.told = {}, {}, set()
        self.cells = sorted(cells, key=lambda cell: not cell.system.needs_gpu)
        self.keys = {cell.key: key_of(cell, settings, self.hashes) for cell in self.cells}
        for cell in self.cells:
            self.gaps[cell.key] = gap_of(cell, settings)
        for gap in dict.fromkeys(gap for gap in self.gaps.values() if gap):
            note(f"{paper.number}: left out: {gap}")

    def record(self, cell):
        return self.journal.records.get(self.keys[cell.key])

    def forget(self, only_here=False):
        """Drops from the journal the records of these cells, and those of their figures by other
        programs."""
        keys = {*self.keys.values(), *(self.probe_key(cell) for cell in self.cells if cell.point.probe)}
        figures = {cell.figure.id for cell in self.cells}
        self.journal.forget(lambda record: record["key"] in keys or record["figure"] in figures, only_here)

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
        """Whether to run a probe: the cell may be long, its curve is unknown, and smaller data can
        tell."""
        may = cell.point.probe and not cell.system.needs_gpu and not self.probed(cell)
        long = may and estimate(cell, self.settings) * PROBE_PART > self.settings.limit
        return long and not any(
            other.system is cell.system and other.figure is cell.figure and record["runs"]
            and other.point.series == cell.point.series for other, record in done)

    def foretold(self, cell):
        """The word for the source of a prediction: runs, or the definition."""
        known = predict_by_runs(cell, self.done(), self.settings, self.probed(cell))
        return "predicted" if known else "estimated"

    def unfinished(self, cell):
        """The status of a cell for which there was not enough time."""
        seconds = predict_by_runs(cell, self.done(), self.settings, self.probed(cell))
        if not seconds:
            return "not run"
        return self.too_long(cell, seconds) or f"left out, predicted {plain(seconds)}: the time was up"

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
            return f"over {self.settings.limit:g} s, {self.foretold(cell)} {least}{plain(seconds)}"
        minutes = self.settings.cpu_minutes(self.paper)
        cost = cell_seconds(seconds, self.settings, self.settings.limit)
        if not cell.system.needs_gpu and self.spent() + cost > 60 * minutes:
            return (f"left out, {self.foretold(cell)} {plain(seconds)}: {minutes:g} minutes without a GPU are "
                    "used up")
        return ""

    def run(self, until):
        """Runs cells until the time is up; returns how many are left."""
        while True:
            waiting = self.waiting()
            if not waiting or time.monotonic() >= until:
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
            self.tell(cell, self.outcome(cell, record))

    def own_counts(self, cell):
        """The numbers of patterns that our own systems found at the place of a cell."""
        return {run["count"] for other, record in self.done() for run in record["runs"]
                if other.key[:2] == cell.key[:2] and not other.system.peer}

    def wrong_count(self, cell, record):
        """The status of a peer that found a different number from ours, or ""."""
        found, own = {run["count"] for run in record["runs"]}, self.own_counts(cell)
        if not cell.system.peer or not found or not own or found == own:
            return ""
        return f"wrong: {min(found)} patterns, not {min(own)}"

    def outcome(self, cell, record):
        """Describes a finished cell in a few words."""
        if not record["runs"]:
            return record["status"]
        return self.wrong_count(cell, record) or f"{record['runs'][0]['wall']:.3g} s"

    def tell(self, cell, text):
        figure, x, system = cell.key
        line = f"{self.paper.number} figure {figure}, {x}, {system}: {text}"
        if line not in self.told:
            note(line)
        self.told.add(line)

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
        """Whether another cell will probably be run on this data."""
        done = self.done()
        return any(other is not cell and other.point.data == data
                   and predict(other, done, self.settings, self.probed(other)) <= self.settings.limit
                   for other in self.waiting())

    def device(self, cell):
        return device_of(cell, self.settings)
