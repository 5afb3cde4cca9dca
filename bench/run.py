#!/usr/bin/env python3
"""Measures commands against each other: the harness behind every number that lode claims.

usage: run.py [options] CASE...                      bench/cases/CASE.json, all CASE-*.json, or a path
       run.py [options] --name NAME 'A=command' ...  commands of your own, with the same placeholders

Commands take turns (A B C A B C ...) after warm-ups. Shown are the median and the spread (distance
of the quartiles) of wall time and CPU time, the peak resident memory, and the ratio of the medians
to the first command. All runs of a row must report the same count, or nothing is written and the
exit status is 1. Placeholders: {lode} {build} {peers} {data} {file} {plain}; see bench/README.md.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import json
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import provenance  # noqa: E402

CASES = ROOT / "bench" / "cases"
CACHE = ROOT / "build" / "bench-data"
LAUNCHER = ROOT / "build" / "bench-launch"
# What lode prints with --count, and what Borgelt's programs print.
COUNT = r"^total\s+(\d+)\s*$|\[(\d+) set\(s\)\]"
TAIL_BYTES = 1 << 20


class Problem(Exception):
    """Something that makes the comparison worthless; the message is for the user."""


def note(text):
    print(text, file=sys.stderr, flush=True)


# --- what to run ----------------------------------------------------------------------------------

def case_files(names):
    """The case files of these names: paths, files of bench/cases, or all whose name starts so."""
    for name in names:
        path = Path(name) if name.endswith(".json") else CASES / f"{name}.json"
        group = [] if path.exists() else sorted(CASES.glob(f"{name}-*.json"))
        yield from group or [path]


def load_case(path):
    """Reads a case file."""
    try:
        case = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Problem(f"{path}: {error}") from None
    case.setdefault("name", path.stem)
    return case


def ad_hoc_case(options):
    """A case of one row from the command line."""
    commands = []
    for text in options.what:
        name, equals, command = text.partition("=")
        if not equals:
            raise Problem(f"expected NAME=COMMAND, not {text!r}")
        commands.append({"name": name, "command": command, "count": options.count_regex})
    row = {"name": options.name, **({"file": options.file} if options.file else {})}
    return {"name": options.name, "rows": [row], "commands": commands}


def fill(word, values):
    """Replaces the placeholders in one word of a command."""
    def value(match):
        if match[1] not in values:
            raise Problem(f"unknown placeholder {match[0]}; there are: {', '.join(values)}")
        return values[match[1]]
    return re.sub(r"\{(\w+)\}", value, word)


def plain_file(source, times, head):
    """The path of an uncompressed copy of a data file, written `times` times in a row and then cut
    to its first `head` lines. The copy has the time stamp of its source, which tells whether it is
    still a copy of it."""
    name = source.name[:-4] if source.suffix == ".zst" else source.name
    name += f".x{times}" if times > 1 else ""
    target = CACHE / (f"{name}.head{head}" if head else name)
    stamp = source.stat().st_mtime_ns
    if target.exists() and target.stat().st_mtime_ns == stamp:
        return target
    CACHE.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    note(f"making {target.relative_to(ROOT)}")
    with open(partial, "wb") as out:
        for _ in range(times):
            if source.suffix == ".zst":
                if subprocess.run(["zstd", "-dcq", str(source)], stdout=out).returncode:
                    raise Problem(f"cannot decompress {source}")
            else:
                with open(source, "rb") as plain:
                    shutil.copyfileobj(plain, out)
    if head:
        cut_lines(partial, head)
    os.utime(partial, ns=(stamp, stamp))
    partial.rename(target)
    return target


def cut_lines(path, n):
    """Cuts a file after its first n lines."""
    with open(path, "rb+") as file:
        for _ in range(n):
            if not file.readline():
                raise Problem(f"{path}: fewer than {n} lines")
        file.truncate(file.tell())


def row_values(row, places):
    """The placeholders of a row; None (and a note) if its data is not here."""
    values = {**places, **{key: str(value) for key, value in row.items()}}
    if "file" in row:
        source = Path(places["data"]) / row["file"]
        if not source.exists():
            note(f"skip: row {row['name']}: there is no {source} (set LODE_DATA)")
            return None
        values["file"] = str(source)
        values["plain"] = str(plain_file(source, row.get("times", 1), row.get("head", 0)))
    return values


def usable_commands(case, places):
    """The commands whose program can be found; a note for each of the others."""
    usable = []
    for command in case["commands"]:
        if "{peers}" in command["command"] and not places["peers"]:
            note(f"skip: {command['name']}: LODE_PEERS is not set")
            continue
        program = fill(shlex.split(command["command"])[0], places)
        if not shutil.which(program):
            note(f"skip: {command['name']}: there is no program {program}")
            continue
        usable.append(command)
    return usable


# --- one run --------------------------------------------------------------------------------------

def build_launcher():
    """Compiles bench/launch.c if need be."""
    source = ROOT / "bench" / "launch.c"
    if LAUNCHER.exists() and LAUNCHER.stat().st_mtime >= source.stat().st_mtime:
        return
    LAUNCHER.parent.mkdir(parents=True, exist_ok=True)
    partial = f"{LAUNCHER}.{os.getpid()}"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", partial, str(source)], check=True)
    os.replace(partial, LAUNCHER)


def read_tail(path):
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        return file.read().decode(errors="replace")


def from_report(report, expression):
    """The number at a dotted path of lode's report; max(path) or sum(path) of a list. In a path,
    levels>=3 and levels=2 are the entries of that size, and a key after them applies to each."""
    match = re.fullmatch(r"(max|sum)\((.+)\)", expression)
    value = report
    for key in (match[2] if match else expression).split("."):
        name, order, size = re.fullmatch(r"(\w+)(?:(>=|=)(\d+))?", key).groups()
        value = [entry[name] for entry in value] if isinstance(value, list) else value[name]
        if order:
            value = [entry for entry in value if entry["size"] == int(size)
                     or (order == ">=" and entry["size"] > int(size))]
    if match:
        value = {"max": max, "sum": sum}[match[1]](value)
    return float(value)


def measure_extra(measure, report, output):
    """One further measure of a run: from the report, or the last match in the output."""
    if "report" in measure:
        return from_report(report, measure["report"])
    return float(re.findall(measure["match"], output, re.M)[-1])


def run_once(command, values, timeout):
    """Runs one command; returns {"count", "wall", "cpu", "rss", and further measures}."""
    words = [fill(word, values) for word in shlex.split(command["command"])]
    measures = command.get("measures", {})
    with tempfile.TemporaryDirectory(prefix="lode-bench-") as folder:
        result, out, err, report = (Path(folder, name)
                                    for name in ("result", "out", "err", "report.json"))
        if any("report" in measure for measure in measures.values()):
            words += ["--report", f"json={report}"]
        launch(words, [LAUNCHER, result, out, err], timeout)
        status, wall, user, system, rss = result.read_text().split()
        output = "\n".join(read_tail(path) for path in (out, err, report) if path.exists())
        if status != "0":
            raise Problem(f"exit status {status}: {shlex.join(words)}\n{output.strip()}")
        run = {"wall": float(wall), "cpu": float(user) + float(system), "rss": int(rss) / 1024}
        run["count"] = read_count(command.get("count") or COUNT, output, words)
        try:
            loaded = json.loads(report.read_text()) if report.exists() else {}
            for name, measure in measures.items():
                run[name] = measure_extra(measure, loaded, output)
        except (LookupError, AttributeError, TypeError, ValueError) as error:
            raise Problem(f"cannot read {name!r} ({error!r}): {shlex.join(words)}") from None
    return run


def launch(words, launcher, timeout):
    """Runs the launcher; kills it and its command when the time is up."""
    process = subprocess.Popen([*map(str, launcher), *words], start_new_session=True)
    try:
        code = process.wait(timeout)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise Problem(f"still running after {timeout} s: {shlex.join(words)}") from None
        raise
    if code:
        raise Problem(f"the launcher failed: {shlex.join(words)}")


def read_count(pattern, output, words):
    """The number of patterns that a run reports: the last match."""
    found = None
    for found in re.finditer(pattern, output, re.M):
        pass
    if not found:
        raise Problem(f"no count matches {pattern!r} in the output of: {shlex.join(words)}")
    return next(group for group in found.groups() if group is not None)


# --- a row: all commands in turn ------------------------------------------------------------------

def check_counts(row, runs):
    """Refuses to compare runs that did not do the same work."""
    counts = {name: sorted({run["count"] for run in of_name}) for name, of_name in runs.items()}
    if len({count for found in counts.values() for count in found}) > 1:
        listed = ", ".join(f"{name} {' and '.join(found)}" for name, found in counts.items())
        raise Problem(f"row {row}: the counts differ, so the times cannot be compared: {listed}")


def run_row(row, commands, values, options):
    """Measures one row; returns {command name: [runs]}."""
    runs = {command["name"]: [] for command in commands}
    for turn in range(options.warmup + options.repeat):
        for command in commands:
            run = run_once(command, values, options.timeout)
            if turn >= options.warmup:
                runs[command["name"]].append(run)
        note(f"  {row}: {turn + 1} of {options.warmup + options.repeat}")
    check_counts(row, runs)
    return runs


def spread(values):
    """The distance of the quartiles; of the extremes where there are fewer than four values."""
    if len(values) < 4:
        return max(values) - min(values)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return high - low


def summarise(runs, metric):
    """One line of results for each command of a row."""
    lines, base = [], None
    for name, of_name in runs.items():
        line = {"command": name, "runs": len(of_name), "count": of_name[0]["count"]}
        for key in of_name[0]:
            if key not in ("count", "rss"):
                values = [run[key] for run in of_name]
                line[f"{key}_median"] = statistics.median(values)
                line[f"{key}_min"] = min(values)
                line[f"{key}_max"] = max(values)
                line[f"{key}_spread"] = spread(values)
        line["peak_mib"] = max(run["rss"] for run in of_name)
        if f"{metric}_median" not in line:
            raise Problem(f"{name} has no metric {metric!r}")
        line["metric"] = metric
        base = base if base is not None else line[f"{metric}_median"]
        line["ratio"] = line[f"{metric}_median"] / base if base else float("nan")
        lines.append(line)
    return lines


# --- what comes out -------------------------------------------------------------------------------

def short(value):
    """Six digits of a measured number; counts, which are whole, in full."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.6g}"
    return str(value)


def cell(median, distance):
    """Seconds with their spread, or a whole number that is the same in every run."""
    whole = median.is_integer() and distance == 0 and median != 0
    return str(int(median)) if whole else f"{median:.3f} ±{distance:.3f}"


def print_table(lines, extra):
    """A table to read: medians with their spreads; times are in seconds."""
    head = ["row", "command", "count"]
    head += ["wall s", "cpu s", *extra, "peak MiB", "ratio"]
    rows = [head]
    for line in lines:
        cells = [line["row"], line["command"], line["count"]]
        for key in ("wall", "cpu", *extra):
            cells.append(cell(line[key + "_median"], line[key + "_spread"])
                         if f"{key}_median" in line else "-")
        rows.append(cells + [f"{line['peak_mib']:.1f}", f"{line['ratio']:.3f}"])
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for row in rows:
        print("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width)
                        for i, (cell, width) in enumerate(zip(row, widths))).rstrip())
    print(f"median ± spread of the quartiles; ratio: {lines[0]['metric']}, to the first command")


def write_csv(path, machine, case, lines):
    """The same for machines, with where it comes from on top."""
    columns = list(dict.fromkeys(key for line in lines for key in line))
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write("\n".join(provenance.header(machine)) + "\n")
        for command in case["commands"]:
            file.write(f"# {command['name']}: {command['command']}\n")
        table = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        table.writeheader()
        table.writerows({key: short(value) for key, value in line.items()} for line in lines)


def run_case(case, options, places):
    """Measures a case, prints its table and writes its file."""
    commands = usable_commands(case, places)
    metric = options.metric or case.get("metric", "wall")
    lines = []
    for row in case["rows"] if commands else []:
        values = row_values(row, places)
        if values:
            for line in summarise(run_row(row["name"], commands, values, options), metric):
                lines.append({"row": row["name"], **line})
    if not lines:
        raise Problem(f"{case['name']}: nothing could be measured here")
    extra = dict.fromkeys(key for command in commands for key in command.get("measures", {}))
    print(f"\n{case['name']}: {case.get('about', '')}".rstrip(": "))
    print_table(lines, extra)
    path = provenance.results_path(case["name"], options.machine, options.results)
    write_csv(path, options.machine, {**case, "commands": commands}, lines)
    print(f"written: {path}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.rsplit("\n\n", 1)[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    parser.add_argument("what", nargs="+", help="cases, or NAME=COMMAND with --name")
    parser.add_argument("--name", help="compare the given commands under this name")
    parser.add_argument("--file", help="with --name: a data file below {data}, for {file}, {plain}")
    parser.add_argument("--count-regex", help="with --name: finds the count in the output")
    parser.add_argument("--repeat", type=int, default=7, help="measured runs (default: 7)")
    parser.add_argument("--warmup", type=int, default=1, help="runs before them (default: 1)")
    parser.add_argument("--timeout", type=float, default=600, help="seconds a run may take")
    parser.add_argument("--metric", help="what the ratio compares: wall, cpu or a measure")
    parser.add_argument("--machine", default=provenance.machine_slug(),
                        help="the machine's name in the file (default: from the processor)")
    parser.add_argument("--results", type=Path, default=provenance.RESULTS,
                        help="where the CSV goes (default: bench/results)")
    options = parser.parse_args()
    if options.repeat < 1 or options.warmup < 0:
        parser.error("at least one run, please")
    if not options.name and (options.file or options.count_regex):
        parser.error("--file and --count-regex go with --name")
    return options


def main():
    options = parse_arguments()
    data = os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data")
    lode = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
    places = {"lode": lode, "build": str(Path(lode).parent),
              "peers": os.environ.get("LODE_PEERS", ""), "data": str(Path(data).resolve())}
    try:
        build_launcher()
        cases = [ad_hoc_case(options)] if options.name else map(load_case, case_files(options.what))
        for case in cases:
            run_case(case, options, places)
    except Problem as problem:
        note(f"run.py: {problem}")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
