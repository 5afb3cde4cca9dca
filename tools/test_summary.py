#!/usr/bin/env python3
"""Summarises the tiers of a test run: what failed, what was skipped and why, what was slow.

Reads the JUnit files of ctest, one per tier and named after it. If a file is missing, the build has
failed; if it has no tests, the filter matches none. TIER.seconds next to it, if it exists, has three
numbers: processor seconds of the build and of the tests, and seconds on the clock. The last line is
"N passed, N failed". With --table, writes bench/results/long-MACHINE-DATE.csv: one line for each test
of the first tier, and one for each line "row: CASE,RESULT,SECONDS" that a test has printed. With
--document, updates the table of tiers in docs/testing.md; tiers that are not given keep their rows.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import re
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import provenance

SLOWEST = 10
DOCUMENT = provenance.ROOT / "docs" / "testing.md"
TABLE = re.compile(r"(<!-- tiers -->\n)(.*?)(<!-- end of tiers -->)", re.S)
HEADER = ("| tier | tests | build, CPU s | tests, CPU s | build and tests on 2 cores, elapsed s |",
          "|---|---|---|---|---|")
ORDER = ("quick", "test", "asan", "tsan", "python")


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


def read_seconds(path):
    """Processor seconds of build and tests, and elapsed seconds; None if they were not recorded."""
    path = path.with_suffix(".seconds")
    return tuple(map(int, path.read_text().split())) if path.exists() else None


def show_tier(name, tests, seconds):
    """Prints the summary of one tier; returns (passed, failed)."""
    if not tests:
        print(f"{name:6} " + ("failed to build" if tests is None else "failed: no such test"))
        return 0, 1
    count = {outcome: sum(test.outcome == outcome for test in tests)
             for outcome in ("passed", "failed", "skipped")}
    print(f"{name:6} {count['passed']} passed, {count['failed']} failed, "
          f"{count['skipped']} skipped"
          + ("; {2} s, of the processors {0} s to build and {1} s to test".format(*seconds)
             if seconds else ""))
    for test in tests:
        if test.outcome == "failed":
            print(f"       failed: {test.name}")
        for reason in test.lines("skip:"):
            print(f"       skipped: {test.name}: {reason}")
    return count["passed"], count["failed"]


def show_slow(tiers):
    """Names the slowest tests of all tiers, and the total time of all tests."""
    tests = [(test.seconds, f"{name} {test.name}") for name, tests in tiers for test in tests or ()]
    slowest = sorted(tests, reverse=True)[:SLOWEST]
    print("slowest: " + ", ".join(f"{name} ({seconds:.1f} s)" for seconds, name in slowest))
    print(f"all tests, one after the other: {sum(seconds for seconds, _ in tests):.0f} s")


def write_document(rows, path=DOCUMENT):
    """Puts rows, {tier: (tests, build, run)}, into the table of the document."""
    text = path.read_text(encoding="utf-8")
    old = TABLE.search(text)[2]
    lines = {line.split("`")[1]: line for line in old.splitlines() if "`" in line}
    for name, (tests, build, run) in rows.items():
        lines[name] = f"| `{name}` | {tests} | {build} | {run} | {(build + run + 1) // 2} |"
    order = sorted(lines, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    table = "\n".join((*HEADER, *(lines[name] for name in order))) + "\n"
    path.write_text(TABLE.sub(lambda found: found[1] + table + found[3], text), encoding="utf-8")


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
    parser.add_argument("--document", action="store_true", help="write the table of docs/testing.md")
    parser.add_argument("files", nargs="+", type=Path, help="JUnit files, such as build/asan.xml")
    options = parser.parse_args()

    tiers = [(path.stem, read_tier(path)) for path in options.files]
    print()
    seconds = [read_seconds(path) for path in options.files]
    totals = [show_tier(name, tests, cpu) for (name, tests), cpu in zip(tiers, seconds)]
    first = tiers[0][1]
    if options.table and first is not None:
        machine = provenance.machine_slug()
        path = provenance.results_path("long", machine)
        write_table(first, path, machine)
        print(f"table: {path.relative_to(provenance.ROOT)}")
    show_slow(tiers)
    if options.document:
        write_document({name: (len(tests), *cpu[:2])
                        for (name, tests), cpu in zip(tiers, seconds) if tests and cpu})
    passed, failed = (sum(column) for column in zip(*totals))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
