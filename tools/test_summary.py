#!/usr/bin/env python3
"""Adds up the tiers of a test run: what failed, what was skipped and why, what was slow.

Reads the JUnit files of ctest, one per tier and named after it. If a file is missing, the build has
failed; if it has no tests, the filter matches none. The last line is "N passed, N failed". With
--table, writes bench/results/long-MACHINE-DATE.csv: a line for each test of the first tier, and one
for each line "row: CASE,RESULT,SECONDS" that a test has printed.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import provenance

SLOW_SECONDS = 3.0


class Test:
    """One test of one tier: its name, outcome, seconds and output."""

    def __init__(self, element):
        self.name = element.get("name")
        self.seconds = float(element.get("time") or 0)
        self.output = element.findtext("system-out") or ""
        if element.find("skipped") is not None:
            self.outcome = "skipped"
        else:
            self.outcome = "passed" if element.get("status") == "run" else "failed"

    def lines(self, mark):
        """The rest of each line of the output that starts with `mark`."""
        return [line[len(mark):].strip() for line in self.output.splitlines()
                if line.startswith(mark)]


def read_tier(path):
    """The tests of a tier; None if it was not run."""
    if not path.exists():
        return None
    return [Test(element) for element in xml.parse(path).getroot().iter("testcase")]


def show_tier(name, tests):
    """Prints the part of the summary that is about one tier; returns (passed, failed)."""
    if not tests:
        print(f"{name:6} " + ("failed to build" if tests is None else "failed: no such test"))
        return 0, 1
    count = {outcome: sum(test.outcome == outcome for test in tests)
             for outcome in ("passed", "failed", "skipped")}
    print(f"{name:6} {count['passed']} passed, {count['failed']} failed, "
          f"{count['skipped']} skipped")
    for test in tests:
        if test.outcome == "failed":
            print(f"       failed: {test.name}")
        for reason in test.lines("skip:"):
            print(f"       skipped: {test.name}: {reason}")
    return count["passed"], count["failed"]


def show_slow(tests):
    """Names everyday tests that take too long."""
    slow = sorted((t for t in tests if t.seconds > SLOW_SECONDS), key=lambda t: -t.seconds)
    if slow:
        print(f"longer than {SLOW_SECONDS:.0f} s: "
              + ", ".join(f"{t.name} ({t.seconds:.1f} s)" for t in slow))


def write_table(tests, path, machine):
    """Writes the table of a long run."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write("\n".join(provenance.header(machine)) + "\n")
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["test", "case", "result", "seconds"])
        for test in tests:
            table.writerow([test.name, "", test.outcome, f"{test.seconds:.2f}"])
            for row in test.lines("row:"):
                table.writerow([test.name, *next(csv.reader([row]))])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--table", action="store_true", help="write the table of a long run")
    parser.add_argument("files", nargs="+", type=Path, help="JUnit files, such as build/asan.xml")
    options = parser.parse_args()

    tiers = [(path.stem, read_tier(path)) for path in options.files]
    print()
    totals = [show_tier(name, tests) for name, tests in tiers]
    first = tiers[0][1]
    if options.table and first is not None:
        machine = provenance.machine_slug()
        path = provenance.results_path("long", machine)
        write_table(first, path, machine)
        print(f"table: {path.relative_to(provenance.ROOT)}")
    elif first is not None and tiers[0][0] == "test":
        show_slow(first)
    passed, failed = (sum(column) for column in zip(*totals))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
