"""One run of one command: what it counted, what it cost.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

from problem import ROOT, Problem
from rows import fill

LAUNCHER = ROOT / "build" / "bench-launch"
# What lode prints with --count, and what Borgelt's programs print.
COUNT = r"^total\s+(\d+)\s*$|\[(\d+) set\(s\)\]"
TAIL_BYTES = 1 << 20


class TimeUp(Problem):
    """A run took longer than it may."""


def build_launcher():
    """Compiles bench/launch.c if necessary."""
    source = ROOT / "bench" / "launch.c"
    if LAUNCHER.exists() and LAUNCHER.stat().st_mtime >= source.stat().st_mtime:
        return
    LAUNCHER.parent.mkdir(parents=True, exist_ok=True)
    partial = f"{LAUNCHER}.{os.getpid()}"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", partial, str(source)], check=True)
    os.replace(partial, LAUNCHER)


@contextlib.contextmanager
def interrupt_later():
    """Holds Ctrl-C back: within Popen(), it would leave a process that nobody knows."""
    if threading.current_thread() is not threading.main_thread():  # Ctrl-C does not reach this thread
        yield
        return
    came = []
    before = signal.signal(signal.SIGINT, lambda *_: came.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        signal.raise_signal(signal.SIGINT)


def launch(words, launcher, timeout):
    """Runs the launcher; kills it and its command when the time is up."""
    process = None
    try:
        with interrupt_later():
            process = subprocess.Popen([*map(str, launcher), *words], start_new_session=True)
        code = process.wait(timeout)
    except BaseException as error:
        if process:
            with contextlib.suppress(ProcessLookupError):  # it may have ended just now
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()  # or its group is not there yet
            process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            raise TimeUp(f"still running after {timeout} s: {shlex.join(words)}") from None
        raise
    if code:
        raise Problem(f"the launcher failed: {shlex.join(words)}")


def read_tail(path):
    with open(path, "rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        return file.read().decode(errors="replace")


def count_lines(path):
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b""))


def matched_numbers(pattern, output):
    """The number in each match of the pattern: the text of one of its capturing groups."""
    for found in re.finditer(pattern, output, re.M):
        yield int(next(group for group in found.groups() if group is not None))


def read_count(command, out, output, words):
    """The number of patterns that a run reports: the last match, or what the case asks for."""
    if command.get("count_by") == "lines":
        return count_lines(out)
    pattern = command.get("count") or COUNT
    found = list(matched_numbers(pattern, output))
    if not found:
        raise Problem(f"no count matches {pattern!r} in the output of: {shlex.join(words)}")
    count = sum(found) if command.get("count_by") == "sum" else found[-1]
    return count - command.get("count_extra", 0)


def from_report(report, expression):
    """The number at a dotted path of lode's report, or the sum of several, joined by +; max(path) or
    sum(path) of a list. In a path, levels>=3 and levels=2 are the entries of that size, and a key
    after them applies to each."""
    if "+" in expression:
        return sum(from_report(report, part) for part in expression.split("+"))
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


def busiest(run, report):
    """CPU seconds of the busiest thread plus those before and after the threads: the time of the
    process minus that of the other threads."""
    threads = [float(seconds) for seconds in report["thread_seconds"]]
    return run["cpu"] - sum(threads) + max(threads)


def measure_extra(measure, run, report, output):
    """One further measure of a run: from the report, or the last match in the output."""
    if measure.get("report") == "busiest":
        return busiest(run, report)
    if "report" in measure:
        return from_report(report, measure["report"])
    return float(re.findall(measure["match"], output, re.M)[-1])


def run_once(command, values, timeout):
    """Runs one command; returns {"count", "wall", "cpu", "peak", and further measures}."""
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
        run = {"wall": float(wall), "cpu": float(user) + float(system), "peak": int(rss) / 1024}
        run["count"] = read_count(command, out, output, words)
        loaded = json.loads(report.read_text()) if report.exists() else {}
        for name, measure in measures.items():
            try:
                run[name] = measure_extra(measure, run, loaded, output)
            except (LookupError, AttributeError, TypeError, ValueError) as error:
                if not measure.get("optional"):
                    raise Problem(f"cannot read {name!r} ({error!r}): {shlex.join(words)}") from None
    return run
