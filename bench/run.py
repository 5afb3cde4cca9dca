#!/usr/bin/env python3
"""Measures commands against each other: the harness behind every number that lode claims.

usage: run.py [options] CASE...                      bench/cases/CASE.json, all CASE-*.json, or a path
       run.py [options] --against PROGRAM CASE...    another build of lode: before, now, before again
       run.py [options] --name NAME 'A=command' ...  commands of your own, with the same placeholders

Commands take turns (A B C A B C ...) after warm-ups. Shown are the median and the spread (distance
of the quartiles) of wall time and CPU time, the peak resident memory, and the ratio of the medians
to the first command, or to the best peer. All runs of a row must report the same count, or nothing
is written and the exit status is 1; peers may be wrong, and are then no match.
Placeholders: {lode} {algorithm} {build} {peers} {data} {file} {plain}; see bench/README.md.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import re
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import provenance  # noqa: E402
import entries  # noqa: E402
import rows  # noqa: E402
import table  # noqa: E402
from problem import Problem, note  # noqa: E402
from runs import TimeUp, build_launcher, run_once  # noqa: E402

# A peer that takes this many times the CPU time of the fastest right one is not run again.
HOPELESS = 3


def is_right(command, count, expected):
    """Whether a command has found the expected number; some also count the empty set."""
    return count in (expected, expected + command.get("count_may_add", 0))


def check_counts(row, commands, outcomes, peers):
    """Refuses to compare runs that did different work; finds the peers that are wrong. Commands
    that find something else on purpose (`finds`) are compared with themselves."""
    counts = {name: sorted({run["count"] for run in outcome["runs"]})
              for name, outcome in outcomes.items()}
    for command in (command for command in commands if "finds" in command):
        if len(counts.pop(command["name"])) > 1:
            raise Problem(f"row {row['name']}: the counts of {command['name']} differ from run to run")
        outcomes[command["name"]]["result"] = outcomes[command["name"]]["result"] or "right"
    own = {count for name, found in counts.items() if name not in peers for count in found}
    if "expect" in row:
        own.add(int(row["expect"]))
    if len(own) > 1:
        listed = ", ".join(f"{name} {' and '.join(map(str, found))}"
                           for name, found in counts.items() if name not in peers)
        listed += f", expected {row['expect']}" if "expect" in row else ""
        raise Problem(f"row {row['name']}: the counts differ, so the times cannot be compared: "
                      f"{listed}")
    for command in commands:
        outcome = outcomes[command["name"]]
        if outcome["runs"] and command["name"] in counts:
            found = counts[command["name"]]
            right = not own or all(is_right(command, count, min(own)) for count in found)
            outcome["result"] = "right" if right else "wrong"


def run_turn(commands, values, outcomes, timeout):
    """Runs every command once. Drops a command that may fail if it fails or takes too long."""
    for command in commands:
        outcome = outcomes[command["name"]]
        if outcome["result"]:
            continue
        try:
            outcome["runs"].append(run_once(command, values, timeout))
        except Problem as problem:
            if not command.get("peer") and not command.get("may_fail"):
                raise
            outcome["result"] = f"over {timeout:g} s" if isinstance(problem, TimeUp) else "failed"
            outcome["runs"].clear()
            note(f"  {command['name']}: {outcome['result']}")


def hopeless(row, commands, outcomes):
    """The peers that took far longer in the first turn than the fastest correct one."""
    first = {name: outcome["runs"][0] for name, outcome in outcomes.items() if outcome["runs"]}
    own = [first[command["name"]]["count"] for command in commands
           if not command.get("peer") and command["name"] in first]
    right = int(row["expect"]) if "expect" in row else own[0] if own else -1
    peers = [command for command in commands if command.get("peer") and command["name"] in first]
    fastest = min((first[peer["name"]]["cpu"] for peer in peers
                   if is_right(peer, first[peer["name"]]["count"], right)), default=float("inf"))
    return {peer["name"] for peer in peers if first[peer["name"]]["cpu"] > HOPELESS * fastest}


def run_row(row, commands, values, options):
    """Measures one row; returns {command name: {"runs", "result"}}. The first turns are warm-ups,
    unless one of them has already used up the row's time."""
    outcomes = {command["name"]: {"runs": [], "result": ""} for command in commands}
    peers = {command["name"] for command in commands if command.get("peer")}
    total = options.warmup + options.repeat
    dropped = set()
    start = time.monotonic()
    for turn in range(total):
        before = time.monotonic()
        run_turn([command for command in commands if command["name"] not in dropped], values,
                 outcomes, options.timeout)
        now = time.monotonic()
        out_of_time = options.row_seconds and now - start + (now - before) > options.row_seconds
        note(f"  {row['name']}: {turn + 1} of {total}" + (", time is up" if out_of_time else ""))
        if out_of_time:
            break
        if turn == 0:
            dropped = hopeless(row, commands, outcomes)
        if turn < options.warmup:
            for name in outcomes.keys() - dropped:
                outcomes[name]["runs"].clear()
    check_counts(row, commands, outcomes, peers)
    return outcomes


def run_case(case, options, places):
    """Measures a case, prints its table and writes its file."""
    commands = rows.usable_commands(case, places, options.commands)
    if "entries" in case:
        entries.run_case(case, commands, options, places)
        return
    peers = {command["name"] for command in commands if command.get("peer")}
    metric = options.metric or case.get("metric", "wall")
    metrics = [metric, *case.get("also", [])]
    lines = []
    for row in rows.case_rows(case, places, options.only) if commands else []:
        wanted = [command for command in commands if re.search(command.get("rows", ""), row["name"])]
        values = rows.row_values(row, case, places) if wanted else None
        if values:
            outcomes = run_row(row, wanted, values, options)
            beside = {name: row.get(name, "") for name in case.get("beside", [])}
            for line in table.summarise(outcomes, peers, metrics, case.get("floor", 0)):
                lines.append({"row": row["name"], **line, **beside})
            rows.drop_made(row, case, values)
    if not lines:
        raise Problem(f"{case['name']}: nothing could be measured here")
    table.finish({**case, "commands": commands}, lines, metrics, options)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.rsplit("\n\n", 1)[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("what", nargs="+", help="cases, or NAME=COMMAND with --name")
    parser.add_argument("--name", help="compare the given commands under this name")
    parser.add_argument("--against", metavar="PROGRAM",
                        help="compare {lode} with this build of it, and with nothing else")
    parser.add_argument("--file", help="with --name: a data file below {data}, for {file}, {plain}")
    parser.add_argument("--count-regex", help="with --name: finds the count in the output")
    parser.add_argument("--only", help="only rows whose name this pattern finds")
    parser.add_argument("--commands", help="only commands whose name this pattern finds")
    parser.add_argument("--algorithm", default="auto", help="for {algorithm} (default: auto)")
    parser.add_argument("--repeat", type=int, help="measured runs (default: the case's, or 7)")
    parser.add_argument("--warmup", type=int, help="runs before them (default: the case's, or 1)")
    parser.add_argument("--timeout", type=float,
                        help="seconds a run may take (default: the case's, or 600)")
    parser.add_argument("--row-seconds", type=float,
                        help="no further turn of a row after so long (default: the case's, or none)")
    parser.add_argument("--metric", help="what the ratio compares: wall, cpu, peak or a measure")
    parser.add_argument("--machine", default=provenance.machine_slug(),
                        help="the machine's name in the file (default: from the processor)")
    parser.add_argument("--results", type=Path, default=provenance.RESULTS,
                        help="where the CSV goes (default: bench/results)")
    options = parser.parse_args()
    if (options.repeat or 1) < 1 or (options.warmup or 0) < 0:
        parser.error("at least one run, please")
    if options.name and options.against:
        parser.error("--against goes with cases")
    if not options.name and (options.file or options.count_regex):
        parser.error("--file and --count-regex go with --name")
    return options


def case_options(options, case):
    """The options for a case: those given, or else those of the case, or else the defaults."""
    usual = {"repeat": 7, "warmup": 1, "timeout": 600, "row_seconds": 0}
    chosen = {name: getattr(options, name) if getattr(options, name) is not None
              else case.get(name, value) for name, value in usual.items()}
    return argparse.Namespace(**{**vars(options), **chosen})


def main():
    options = parse_arguments()
    data = os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data")
    lode = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
    places = {"lode": lode, "before": options.against or "", "build": str(Path(lode).parent), "algorithm": options.algorithm,
              "peers": os.environ.get("LODE_PEERS", ""), "data": str(Path(data).resolve()), "bench": str(ROOT / "bench")}
    try:
        build_launcher()
        cases = ([rows.ad_hoc_case(options)] if options.name
                 else map(rows.load_case, rows.case_files(options.what)))
        for case in cases:
            if options.against:
                case = rows.against_case(case)
            run_case(case, case_options(options, case), places)
    except Problem as problem:
        note(f"run.py: {problem}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
