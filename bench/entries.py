"""Tables of lists in lode's report, such as its work by depth: a line for every entry.

A case with `entries`, the path of the list, does not measure time: each command runs once per row.

SPDX-License-Identifier: Apache-2.0
"""
import json
import tempfile
from pathlib import Path

import rows
import runs
import table
from problem import Problem


def entries_of(report, path):
    """Returns the list at a dotted path of a report."""
    for key in path.split("."):
        report = report[key]
    return report


def run_one(case, command, values, timeout):
    """Runs a command once; returns what it counted and the entries of its report."""
    with tempfile.TemporaryDirectory(prefix="lode-bench-") as folder:
        report = Path(folder, "report.json")
        told = {**command, "command": f"{command['command']} --report json={report}", "measures": {}}
        run = runs.run_once(told, values, timeout)
        try:
            return run["count"], entries_of(json.loads(report.read_text()), case["entries"])
        except (LookupError, TypeError, ValueError) as error:
            raise Problem(f"no {case['entries']!r} in the report ({error!r}): "
                          f"{command['command']}") from None


def print_entries(lines):
    """Prints the entries as a table."""
    cells = [list(lines[0])] + [[table.short(value) for value in line.values()] for line in lines]
    widths = [max(map(len, column)) for column in zip(*cells)]
    for row in cells:
        print("  ".join(text.ljust(width) if i < 2 else text.rjust(width)
                        for i, (text, width) in enumerate(zip(row, widths))).rstrip())


def run_case(case, commands, options, places):
    """Runs a case of this kind, prints its table and writes its file."""
    lines = []
    for row in rows.case_rows(case, places, options.only):
        values = rows.row_values(row, case, places)
        for command in commands if values else []:
            count, found = run_one(case, command, values, options.timeout)
            lines += [{"row": row["name"], "command": command["name"], "count": str(count), **entry}
                      for entry in found]
    if not lines:
        raise Problem(f"{case['name']}: nothing could be measured here")
    print(f"\n{case['name']}: {case.get('about', '')}".rstrip(": "))
    print_entries(lines)
    table.write({**case, "commands": commands}, lines, [], options)
