#!/usr/bin/env python3
"""Repeats the experiments of the papers: every figure, its systems and ours, its metric, its claim.

usage: experiment.py NNN...|all [--figure ID]... [--scale tiny|small|paper] [--plan] [options]
       experiment.py NNN...|all --pages|--check

Writes bench/results/experiment-NNN-SCALE-MACHINE-DATE.csv, plots where matplotlib is installed, and
docs/papers/NNN.md. A start that was stopped, or that --minutes has ended, goes on where it was when it
is started again. With --figure no page is written; --pages does that. All systems of a point must find the same number of patterns, or nothing of that
figure is written and the exit status is 1. Definitions: bench/experiments/README.md.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import importlib
import math
import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "bench"), str(ROOT / "bench" / "experiments")]
INTERRUPTED = "experiment.py: interrupted; start it again to go on"


def explain(kind, error, trace):
    """Says in one line that Ctrl-C came while modules were being loaded."""
    if issubclass(kind, KeyboardInterrupt):
        print(INTERRUPTED, file=sys.stderr)
    else:
        sys.__excepthook__(kind, error, trace)


if __name__ == "__main__":
    sys.excepthook = explain
import provenance  # noqa: E402
import cells as planning  # noqa: E402
import pages  # noqa: E402
import results  # noqa: E402
import rows  # noqa: E402
from model import SCALES, cells_of  # noqa: E402
from problem import Misuse, Problem, note  # noqa: E402
from runner import Journal, Runner  # noqa: E402
from runs import build_launcher  # noqa: E402

FOLDER = ROOT / "bench" / "experiments"
ROOMY = 40 << 30  # bytes that must be free in memory for data to be kept there


def load_papers(names, folder=FOLDER):
    """The papers of these numbers, or all."""
    if folder != FOLDER:
        sys.path.insert(0, str(folder))
    there = sorted(path.stem[6:] for path in folder.glob("paper_*.py"))
    wanted = there if "all" in names else list(dict.fromkeys(names))
    for name in names:
        if name not in (*there, "all"):
            raise Misuse(f"there is no paper {name}; there are: {', '.join(there)}, all")
    return [importlib.import_module(f"paper_{name}").PAPER for name in wanted]


# --- planning -------------------------------------------------------------------------------------


def plan(paper, runner, settings):
    """Prints cells and predicted minutes of each figure; returns the seconds of the paper."""
    done = runner.done()
    seconds, counts, left = collections.Counter(), collections.Counter(), collections.Counter()
    made, shared = set(), set()
    budget = 60 * settings.cpu_minutes(paper) - runner.spent()
    waiting = [(cell, planning.predict(cell, done, settings, runner.probed(cell)))
               for cell in runner.waiting()]
    for cell, one in sorted(waiting, key=lambda pair: (not pair[0].system.needs_gpu, pair[1])):
        cost = planning.cell_seconds(one, settings, settings.limit)
        figure, free = cell.figure.id, not cell.system.needs_gpu
        if runner.wants_probe(cell, done):
            budget -= one / cell.point.probe[1]
            seconds[figure] += one / cell.point.probe[1]
        if not cost or free and cost > budget:
            left[figure] += 1
            continue
        if runner.keys[cell.key] in shared:  # another figure has the same run
            continue
        shared.add(runner.keys[cell.key])
        budget -= cost if free else 0
        if cell.point.data not in made:
            made.add(cell.point.data)
            cost += planning.make_seconds(cell.point.data, settings)
        counts[figure] += 1
        seconds[figure] += cost
    for figure in paper.figures:
        key = figure.id
        gaps = sum(bool(gap) for (name, _, _), gap in runner.gaps.items() if name == key)
        ready = sum(cell.figure is figure for cell, _ in done)
        print(f"{paper.number}  figure {key:10} {counts[key]:4} cells  {seconds[key] / 60:6.1f} min"
              f"   {left[key]} predicted too long, {gaps} not possible here, {ready} done")
    total = sum(seconds.values())
    print(f"{paper.number}  in all {sum(counts.values()):15} cells  {total / 60:6.1f} min")
    return total


# --- running --------------------------------------------------------------------------------------


def line_of(cell, runner):
    """A line of the CSV."""
    record = runner.record(cell) or {"status": runner.gaps[cell.key] or runner.unfinished(cell),
                                     "runs": []}
    figure, x, system = cell.key
    runs = [dict(run) for run in record["runs"]]
    for run in runs:
        for name, function in cell.figure.derived.items():
            try:
                run[name] = function(run)
            except (KeyError, ZeroDivisionError, TypeError):
                pass
    count = str(runs[0]["count"]) if runs else ""
    return {"figure": figure, "x": x, "system": system, "device": runner.device(cell),
            "runs": len(runs), "status": record["status"], "count": count,
            "data": cell.point.data.name, **results.summary(runs)}


def disagreement(figure, cells, runner):
    """Marks peers that found a different number; returns what is wrong among our own systems, or
    ""."""
    for x in dict.fromkeys(str(cell.point.x) for cell in cells):
        counts = {cell: {run["count"] for run in runner.record(cell)["runs"]} for cell in cells
                  if str(cell.point.x) == x and runner.record(cell) and runner.record(cell)["runs"]}
        own = {count for cell, found in counts.items() if not cell.system.peer for count in found}
        if len(own) > 1:
            listed = ", ".join(f"{cell.system.name} {sorted(found)}" for cell, found in counts.items())
            return f"figure {figure.id} at {x}: the counts differ: {listed}"
        for cell in counts:
            wrong = runner.wrong_count(cell, runner.record(cell))
            if wrong:
                runner.tell(cell, wrong)
                runner.record(cell).update(status=wrong, runs=[])
    return ""


def finish(paper, runner, options):
    """Writes the CSV of a paper, without the figures whose systems disagree; returns its path and
    what went wrong."""
    path = provenance.results_path(f"experiment-{paper.number}-{options.scale}", options.machine,
                                   options.results)
    old_head, old = results.read_csv(path) if path.exists() else ([], [])
    lines, wrong, commands, data = [], [], {}, {}
    for figure in paper.figures:
        cells = [cell for cell in runner.cells if cell.figure is figure]
        order = {cell.key: i for i, cell in enumerate(cells_of(paper, options.scale))}
        cells.sort(key=lambda cell: order[cell.key])
        problem = disagreement(figure, cells, runner)
        if problem:
            wrong.append(problem)
            continue
        wrong += [f"figure {cell.figure.id} at {cell.point.x}, {cell.system.name}: "
                  f"{runner.record(cell)['status']}" for cell in cells
                  if (runner.record(cell) or {}).get("bad")]
        lines += lines_of(cells, runner, old)
        for cell in cells:
            commands.setdefault(cell.system.command, cell.system.name)
            data.setdefault(cell.point.data.text(), cell.point.data.name)
    if not lines:
        return None, wrong
    staying = other_figures(old, paper, options)
    about = [*(f"# command of {name}: {command}" for command, name in commands.items()),
             *(f"# data {name}: {text}" for text, name in data.items())]
    peers = {cell.system.peer: planning.program_of(cell, runner.settings) for cell in runner.cells
             if cell.system.peer and not runner.gaps[cell.key]}
    about += [f"# version of {name}: {planning.version_of(path)}" for name, path in sorted(peers.items())]
    about += [line for line in results.head_that_stays(old_head, staying) if line not in about]
    engines = " ".join(f"{folder}={code}" for folder, code in provenance.engines().items())
    head = [*runner.journal.head, f"# engines: {engines}", f"# scale: {options.scale}",
            f"# limit: {options.limit:g} s a run; {runner.settings.repeats} runs where the first is below "
            f"{planning.AGAIN_BELOW:g} s, else one",
            *sorted(about, key=lambda line: line.startswith("# data "))]
    results.write_csv(path, head, lines + staying)
    return path, wrong


def lines_of(cells, runner, old):
    """The lines of some cells. Where a cell has only a gap, the measured line in today's table is
    kept."""
    lines, kept = [], {}
    for cell in cells:
        line, before = line_of(cell, runner), None
        if not runner.record(cell):
            counts = {str(count) for count in runner.own_counts(cell)}
            before = results.measured_before(line, old, counts)
        if before:
            kept.setdefault(line["status"], []).append(line)
        lines.append(before or line)
    for why, gaps in kept.items():
        note(f"{runner.paper.number} figure {gaps[0]['figure']}: {why}; the measured lines of the table of "
             f"today stay ({len(gaps)})")
    return lines


def other_figures(old, paper, options):
    """With --figure: the lines of the other figures in today's table, which are kept."""
    if not options.figure:
        return []
    mine = {cell.figure.id for cell in cells_of(paper, options.scale, options.figure)}
    return [results.without_blanks(line) for line in old if line["figure"] not in mine]


def run_paper(paper, options, settings, until):
    """Plans or runs one paper; returns (seconds planned, cells left, problems)."""
    cells = cells_of(paper, options.scale, options.figure)
    journal = Journal(journal_path(paper, options), provenance.header(options.machine))
    runner = Runner(paper, cells, settings, journal)
    if options.again:
        runner.forget(only_here=options.plan)
    if options.plan:
        return plan(paper, runner, settings), 0, []
    left = runner.run(until)
    if left:
        note(f"{paper.number}: the time is up, {left} cells are left; start it again to go on")
        if not options.partial:
            return 0, left, []
    path, wrong = finish(paper, runner, options)
    if path:
        print(path)
        tell(paper, path)
    return 0, left, wrong


def tell(paper, path):
    """Prints the verdict of each figure."""
    found, _ = results.figures_of(path)
    for figure in paper.figures:
        if figure.id in found:
            print(f"{paper.number} figure {figure.id}: {pages.verdict_of(figure, found[figure.id]).text()}")


def journal_path(paper, options):
    folder = options.results if options.results != provenance.RESULTS else ROOT / "build"
    name = f"experiment-{paper.number}-{options.scale}-{provenance.slug(options.machine)}.jsonl"
    return folder / name


def data_folder(options):
    """Where data are made: LODE_BENCH_DATA, or else memory for `paper` if there is room, or else
    build."""
    memory = Path("/dev/shm")
    if "LODE_BENCH_DATA" not in os.environ and options.scale == "paper" and memory.is_dir():
        about = os.statvfs(memory)
        if about.f_bavail * about.f_frsize > ROOMY:
            return memory / "lode-bench-data"
    return rows.CACHE


def number_from(least, kind=float):
    """A type for argparse: a finite number, at least this one."""
    def parse(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not least <= value < math.inf:
            what = "whole number" if kind is int else "number"
            raise argparse.ArgumentTypeError(f"{text!r} is not a {what} of {least} or more")
        return value
    return parse


def device_name(text):
    """A type for argparse: a device for cells that need a GPU."""
    if not re.fullmatch(r"cpu|auto|cuda(:\d+)?(\*[1-9]\d*)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no device; such as cpu, auto, cuda, cuda:0, cuda:0*2")
    return text


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.rsplit("\n\n", 1)[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("papers", nargs="+", metavar="NNN", help="numbers of papers, or all")
    parser.add_argument("--figure", action="append", default=[], metavar="ID",
                        help="only this figure, and no page; may be repeated")
    parser.add_argument("--scale", choices=SCALES, default="small", help="how large (default: small)")
    parser.add_argument("--device", default="auto", type=device_name,
                        help="the GPU for cells that need one, such as cuda:0; cpu for none")
    parser.add_argument("--plan", action="store_true", help="print cells and minutes, run nothing")
    parser.add_argument("--minutes", type=number_from(0), help="start no cell after so long")
    parser.add_argument("--cpu-minutes", type=number_from(0), metavar="MINUTES",
                        help="of each paper for cells without a GPU (default: as it is defined)")
    parser.add_argument("--partial", action="store_true",
                        help="with --minutes: write the tables even if cells are left")
    parser.add_argument("--limit", type=number_from(0), default=60,
                        help="seconds: a cell predicted to take longer is not started (default: 60)")
    parser.add_argument("--repeat", type=number_from(1, int), default=0, metavar="N",
                        help="runs of a cell whose first takes less than 2 s (default: 5; tiny: 1)")
    parser.add_argument("--again", action="store_true", help="forget what was finished before (with --figure: of these figures)")
    parser.add_argument("--pages", action="store_true", help="only write pages and plots")
    parser.add_argument("--check", action="store_true", help="only say whether the pages are current")
    parser.add_argument("--machine", default=provenance.machine_slug(),
                        help="the machine's name in the file (default: from the processor)")
    parser.add_argument("--results", type=Path,
                        help="where the CSV goes (default: bench/results; of tiny: build/experiments)")
    parser.add_argument("--docs", type=Path,
                        help="where pages and plots go (default: docs/papers; of tiny: build/experiments)")
    parser.add_argument("--definitions", type=Path, default=FOLDER, help=argparse.SUPPRESS)
    options = parser.parse_args()
    aside = ROOT / "build" / "experiments" if options.scale == "tiny" else None  # nothing to commit
    options.results = options.results or aside or provenance.RESULTS
    options.docs = options.docs or aside or ROOT / "docs" / "papers"
    return options


def make_settings(options):
    data = os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data")
    lode = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
    places = {"lode": lode, "peers": os.environ.get("LODE_PEERS", ""),
              "data": str(Path(data).resolve())}
    gpu = "cuda:0" if options.device == "auto" else options.device
    if options.device == "cpu" or options.device == "auto" and not planning.has_gpu(lode):
        gpu = ""
    # A plan of the papers' sizes is one for the machine that they are for.
    cores = 16 if options.plan and options.scale == "paper" else provenance.cpu_count()
    return planning.Settings(places, options.scale, gpu, options.limit, cores, options.repeat,
                             options.cpu_minutes)


def chosen(papers, options):
    """The papers that have one of the chosen figures; names the papers that are skipped."""
    if not options.figure:
        return papers
    for figure in options.figure:
        if not any(cells_of(paper, scale, [figure]) for paper in papers for scale in SCALES):
            there = "; ".join(f"{paper.number}: " + ", ".join(repr(one.id) for one in paper.figures)
                              for paper in papers)
            raise Misuse(f"there is no such figure: {figure!r}; there are: {there}")
    having = [paper for paper in papers if cells_of(paper, options.scale, options.figure)]
    if not having:
        raise Misuse(f"no such figure has cells at the scale {options.scale}")
    for paper in papers:
        if paper not in having:
            note(f"{paper.number}: skipped, it has no such figure at the scale {options.scale}")
    return having


def check_writable(folder):
    """Makes a folder, and fails at once if files cannot be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise Problem(f"{folder} cannot be written: {error.strerror}") from None


def write_pages(papers, options, left, wrong):
    """Writes the pages after a run, or says why not."""
    why = "with --figure" if options.figure else "while cells are left" if left \
        else "where something went wrong" if wrong else ""
    if why:
        note(f"no page is written {why}; --pages writes pages from the tables there are")
    else:
        pages.write_all(papers, options.results, options.docs)


def run_all(papers, options):
    """Plans or runs the papers; returns the exit status."""
    settings = make_settings(options)
    rows.CACHE = data_folder(options)
    if not options.plan:
        build_launcher()
        check_writable(options.results)
        if not options.figure:
            check_writable(options.docs)
    until = math.inf if options.minutes is None else time.monotonic() + 60 * options.minutes
    total, left, wrong = 0.0, 0, []
    for paper in papers:
        if options.again and not options.figure and not options.plan:
            journal_path(paper, options).unlink(missing_ok=True)
        seconds, remaining, problems = run_paper(paper, options, settings, until)
        total, left, wrong = total + seconds, left + remaining, wrong + problems
    if options.plan:
        print(f"all papers at {options.scale}: {total / 60:.1f} min")
    for problem in wrong:
        note(f"experiment.py: {problem}")
    if not options.plan:
        write_pages(papers, options, left, wrong)
    return 1 if wrong else 0


def run(options):
    """Runs the command line; returns the exit status."""
    papers = load_papers(options.papers, options.definitions)
    if options.check:
        return pages.check_all(papers, options.results, options.docs)
    if options.pages:
        check_writable(options.docs)
        pages.write_all(papers, options.results, options.docs)
        return 0
    return run_all(chosen(papers, options), options)


def main():
    try:
        return run(parse_arguments())
    except Problem as problem:
        note(f"experiment.py: {problem}")
        return 2 if isinstance(problem, Misuse) else 1
    except OSError as error:
        note(f"experiment.py: {error.filename or 'files'}: {error.strerror}")
        return 1
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        note(INTERRUPTED)
        return 130


if __name__ == "__main__":
    sys.exit(main())
