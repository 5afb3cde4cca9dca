"""Marks what has become slower than the last committed results of the same case and machine.

A cell is slower if its median is more than a tenth above the earlier one of the same row and
command, and the ranges of both, median and spread, do not overlap. A single run has no spread, so
comparisons of single runs are marked as such.

SPDX-License-Identifier: Apache-2.0
"""
import subprocess
from pathlib import Path

from measured import Results, results_of
from problem import ROOT

import provenance

TENTH = 1.10


def committed(case, path):
    """A results file as it was committed: one of an earlier day as it is, one of today from git;
    None if that is not committed. Without git, files are used as they are."""
    if path.stem[-10:] != provenance.today() or not (ROOT / ".git").exists():
        return Results(case, path)
    try:
        name = path.resolve().relative_to(ROOT)
        done = subprocess.run(["git", "show", f"HEAD:{name}"], cwd=ROOT, capture_output=True)
    except (OSError, ValueError):  # no git, or a folder elsewhere
        return None
    return None if done.returncode else Results(case, path, done.stdout.decode())


def last_results(case, machine, folder):
    """The last committed results of a case on this kind of machine; None if there are none."""
    folders = dict.fromkeys((Path(folder).resolve(), provenance.RESULTS.resolve()))
    found = (committed(case, path) for path in reversed(results_of(case, machine, folders)))
    return next((results for results in found if results and not results.is_part), None)


def more_than(line, before, metric, higher):
    """How many times slower a line is than before, if that exceeds the spread of both; else None.
    """
    try:
        now, then = float(line[f"{metric}_median"]), float(before[f"{metric}_median"])
        spread = float(line[f"{metric}_spread"]), float(before[f"{metric}_spread"])
    except (KeyError, ValueError):  # not measured now, or not then
        return None
    if now <= 0 or then <= 0:
        return None
    apart = (now + spread[0] < then - spread[1]) if higher else (now - spread[0] > then + spread[1])
    ratio = then / now if higher else now / then
    return ratio if apart and ratio > TENTH else None


def mark(case, lines, metric, options):
    """Adds the column `slower` to the lines; returns what to print at the end."""
    last = last_results(case["name"], options.machine, options.results)
    if not last or metric == "peak":
        return []
    when = f"{last.head.get('date', '?')} ({last.head.get('commit', 'unknown')})"
    own, found = [], []
    for line in lines:
        before = last.by_cell.get((line["row"], line["command"]), {})
        peer = "base" in line and line["command"] in peers_of(case)
        ratio = None if peer else more_than(line, before, metric, case.get("higher_is_better"))
        single = "" if line["runs"] > 1 and before.get("runs") != "1" else ", single runs"
        line["slower"] = f"slower {ratio:.2f}x than {when}{single}" if ratio else ""
        if not peer and before.get(f"{metric}_median"):
            own.append(line)
        if ratio:
            found.append(line)
    return [f"{len(found)} of {len(own)} cells are slower by {metric} than on {when}, by more than a tenth "
            "and beyond the spread of both"
            + "".join(f"\n  {line['row']}, {line['command']}: {line['slower']}" for line in found)]


def peers_of(case):
    return {command["name"] for command in case["commands"] if command.get("peer")}
