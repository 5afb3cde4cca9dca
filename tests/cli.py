#!/usr/bin/env python3
"""Runs plain-text tests of the command line.

usage: cli.py FILE.test...

A test file is read line by line:

  # words                a comment; empty lines mean nothing
  case WORDS             starts a case: a fresh temporary directory. What stands before the first
                         `case` is set up again for each case
  need data              skip the case unless the real data is there
  need program NAME      skip the case unless this program is installed
  file NAME              makes a file of the lines that follow and start with |
  | text                 one line of it (| alone: an empty line)
  $ COMMAND              runs a command with bash in that directory; `lode` is the program under
                         test, $DATA the folder of the real data; \\ at the end continues the line
  > text                 the next line of standard output, exactly
  >~ REGEX               the next line of standard output, as a whole
  >*                     any number of further lines; must come last
  ! text                 a line of standard error that contains this text
  !~ REGEX               a line of standard error in which this is found
  ? CODE                 the exit status (0 where it is not said)

A command without > lines must print nothing on standard output; standard error is free where no
! line asks for it. Environment: LODE_BIN is the program, LODE_DATA the real data.
Exit status: 0 passed, 1 failed, 2 a mistake in the test file, 77 all skipped.

SPDX-License-Identifier: Apache-2.0
"""
import difflib
import os
import re
import signal
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TIMEOUT_SECONDS = 600  # nothing takes more than a few; on a slow and busy machine, much more
SKIPPED = 77


class Mistake(Exception):
    """The test file itself is wrong."""


class Command:
    """One command, and what it is expected to do."""

    def __init__(self, text, line):
        self.text, self.line = text, line
        self.stdout, self.stderr, self.status = [], [], 0
        self.open_end = False


class Case:
    """A list of steps, each a Command or a (file name, lines) pair."""

    def __init__(self, title, steps=(), needs_data=False):
        self.title, self.steps, self.needs_data = title, list(steps), needs_data
        self.programs = []  # that must be installed

    def commands(self):
        return [step for step in self.steps if isinstance(step, Command)]


def expect(command, mark, text):
    """Adds one line of expectation to a command."""
    if mark in (">", ">~"):
        if command.open_end:
            raise Mistake(">* must come last")
        command.stdout.append((mark == ">~", text))
    elif mark == ">*":
        command.open_end = True
    elif mark in ("!", "!~"):
        command.stderr.append((mark == "!~", text))
    else:
        command.status = int(text)


def parse_line(case, line, number):
    """Adds one line of a test file to a case."""
    mark, _, text = line.partition(" ")
    last = case.steps[-1] if case.steps else None
    if mark == "$":
        case.steps.append(Command(text, number))
    elif line == "need data":
        case.needs_data = True
    elif line.startswith("need program ") and len(line.split()) == 3:
        case.programs.append(line.split()[2])
    elif mark == "file" and text.strip():
        case.steps.append((text.strip(), []))
    elif mark == "|" and isinstance(last, tuple):
        last[1].append(text)
    elif mark in (">", ">~", ">*", "!", "!~", "?") and isinstance(last, Command):
        expect(last, mark, text)
    else:
        raise Mistake(f"this line is not understood here: {line}")


def parse(path):
    """Reads a test file into a list of cases."""
    common, cases, command_text, start = Case(""), [], "", 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if command_text:
            line = command_text + "\n" + line
        else:
            start = number
        command_text = ""
        try:
            if line.startswith("$ ") and line.endswith("\\"):
                command_text = line
            elif not line.strip() or line.startswith("#"):
                pass
            elif line.startswith("case "):
                cases.append(Case(line[5:].strip(), common.steps, common.needs_data))
            else:
                parse_line(cases[-1] if cases else common, line, start)
        except (Mistake, ValueError) as error:
            raise Mistake(f"{path}:{number}: {error}") from None
    cases = cases or [common]
    for case in cases:
        if not case.commands():
            raise Mistake(f"{path}: case {case.title!r} runs no command")
    return cases


def run_command(text, folder, environment):
    """Runs a command; returns (status, stdout, stderr), the status None after the time limit."""
    process = subprocess.Popen(["bash", "-c", text], cwd=folder, env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = process.communicate(timeout=TIMEOUT_SECONDS)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        status = None
    return status, *(stream.decode(errors="backslashreplace").splitlines() for stream in (out, err))


def compare_stdout(command, lines):
    """A diff of expected and printed lines; empty if they agree. A pattern that matches is shown
    as the line it matched."""
    wanted = []
    for i, (is_regex, text) in enumerate(command.stdout):
        matches = is_regex and i < len(lines) and re.fullmatch(text, lines[i])
        wanted.append(lines[i] if matches else ("~ " if is_regex else "") + text)
    shown = lines[:len(wanted)] if command.open_end else lines
    return list(difflib.unified_diff(wanted, shown, "expected stdout", "stdout", lineterm=""))


def compare(command, status, out, err):
    """What is wrong with the outcome of a command, as lines of text."""
    if status is None:
        return [f"still running after {TIMEOUT_SECONDS} s"]
    # bash reports a program killed by a signal as 128 + signal; so does this for bash itself.
    status = 128 - status if status < 0 else status
    problems = compare_stdout(command, out)
    if status != command.status:
        problems.append(f"exit status {status}, expected {command.status}")
    for is_regex, text in command.stderr:
        if not any(re.search(text, line) if is_regex else text in line for line in err):
            problems.append(f"not on stderr: {text}")
    if problems:
        problems += [f"stderr: {line}" for line in err]
    return problems


def run_case(case, environment):
    """Runs a case up to the first command that goes wrong; returns (command, problems)."""
    with tempfile.TemporaryDirectory(prefix="lode-cli-") as folder:
        for step in case.steps:
            if isinstance(step, Command):
                problems = compare(step, *run_command(step.text, folder, environment))
                if problems:
                    return step, problems
            else:
                name, lines = step
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return None, []


def run_file(path, environment):
    """Runs the cases of a file; returns how many (passed, failed, skipped)."""
    passed = failed = skipped = 0
    for case in parse(path):
        name = f"{path.name}: {case.title}" if case.title else path.name
        if case.needs_data and not Path(environment["DATA"]).is_dir():
            skipped += 1
            print(f"skip: {name}: no real data in {environment['DATA']} (set LODE_DATA)")
            continue
        missing = [program for program in case.programs if not shutil.which(program)]
        if missing:
            skipped += 1
            print(f"skip: {name}: {missing[0]} is not installed")
            continue
        command, problems = run_case(case, environment)
        if problems:
            failed += 1
            print(f"{path}:{command.line}: failed: {name}\n  $ {command.text}")
            print("\n".join("  " + line for line in problems))
        else:
            passed += 1
    return passed, failed, skipped


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments else 2
    program = Path(os.environ.get("LODE_BIN", ROOT / "build" / "lode")).resolve()
    if not program.exists():
        print(f"there is no {program}; ./dev build makes it, or set LODE_BIN")
        return 2
    data = Path(os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data")).resolve()
    with tempfile.TemporaryDirectory(prefix="lode-bin-") as folder:
        Path(folder, "lode").symlink_to(program)
        environment = {**os.environ, "DATA": str(data), "LC_ALL": "C.UTF-8",
                       "PATH": folder + os.pathsep + os.environ["PATH"]}
        try:
            counts = [run_file(Path(name), environment) for name in arguments]
        except Mistake as mistake:
            print(mistake)
            return 2
    passed, failed, skipped = (sum(column) for column in zip(*counts))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    if failed:
        return 1
    return SKIPPED if passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
