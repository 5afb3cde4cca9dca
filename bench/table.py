"""The output of a measurement: medians and ratios, a table for people and a CSV file.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import math
import statistics

from problem import Problem, note

import measured
import provenance
import slower


def spread(values):
    """The distance of the quartiles, or of the extremes if there are fewer than four values."""
    if len(values) < 4:
        return max(values) - min(values)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return high - low


def line_of(name, outcome):
    """One line of results: a command in a row."""
    runs = outcome["runs"]
    line = {"command": name, "runs": len(runs), "count": str(runs[0]["count"]) if runs else "",
            "result": outcome["result"]}
    for key in runs[0] if runs else ():
        if key in ("count", "peak"):
            continue
        values = [run[key] for run in runs]
        line[f"{key}_median"] = statistics.median(values)
        line[f"{key}_min"] = min(values)
        line[f"{key}_max"] = max(values)
        line[f"{key}_spread"] = spread(values)
    if runs:
        line["peak_mib"] = max(run["peak"] for run in runs)
    return line


def value_of(line, metric):
    return line.get("peak_mib" if metric == "peak" else f"{metric}_median")


def pick_base(lines, peers, metric):
    """The line that the others are compared with: the first, or the best peer with the right
    answer; None if there is no such peer."""
    if not peers:
        return lines[0]
    right = [line for line in lines if line["command"] in peers and line["result"] == "right"]
    return min(right, key=lambda line: value_of(line, metric), default=None)


def summarise(outcomes, peers, metrics, floor):
    """The lines of a row, with their ratios: by the first metric in `ratio`, and by the others in
    columns of their own. The value they are compared with counts as at least `floor`."""
    lines = [line_of(name, outcome) for name, outcome in outcomes.items()]
    for i, metric in enumerate(metrics):
        base = pick_base(lines, peers, metric)
        for line in lines:
            mine = value_of(line, metric)
            if mine is None and line["runs"] > 0 and line["command"] not in peers:
                raise Problem(f"{line['command']} has no metric {metric!r}")
            if i == 0:
                line["metric"] = metric
                if peers:
                    line["base"] = base["command"] if base else ""
            column = "ratio" if i == 0 else f"ratio_{metric}"
            of_base = value_of(base, metric) if base else None
            of_base = None if of_base is None else max(of_base, floor)
            line[column] = mine / of_base if mine is not None and of_base else float("nan")
    return lines


# --- the table ------------------------------------------------------------------------------------

def short(value):
    """Six digits of a measured number; counts, which are whole, in full."""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.6g}"
    return str(value)


def cell(median, distance):
    """Seconds with their spread, or a whole number that is the same in every run."""
    whole = median.is_integer() and distance == 0 and median != 0
    if whole:
        return str(int(median))
    digits = ".3g" if 0 < abs(median) < 0.1 else ".3f"
    return f"{median:{digits}} ±{distance:{digits}}"


def table_cells(line, extra, ratios):
    cells = [line["row"], line["command"], line["count"] or line["result"]]
    if line["count"] and line["result"] == "wrong":
        cells[2] += " wrong"
    for key in ("wall", "cpu", *extra):
        cells.append(cell(line[key + "_median"], line[key + "_spread"])
                     if f"{key}_median" in line else "-")
    cells.append(f"{line['peak_mib']:.1f}" if "peak_mib" in line else "-")
    return cells + ["-" if math.isnan(line[name]) else f"{line[name]:.3f}" for name in ratios]


def print_table(lines, extra, metrics, beside):
    """Prints a table for people: medians with their spreads; times are in seconds."""
    ratios = ["ratio", *(f"ratio_{metric}" for metric in metrics[1:])]
    head = ["row", "command", "count", "wall s", "cpu s", *extra, "peak MiB",
            *(name.replace("_", " ") for name in [*ratios, *beside])]
    if any(line.get("slower") for line in lines):
        beside = [*beside, "slower"]
        head.append("")
    rows = [head] + [table_cells(line, extra, ratios) + [str(line[name]) for name in beside]
                     for line in lines]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for row in rows:
        print("  ".join(text.ljust(width) if i < 2 else text.rjust(width)
                        for i, (text, width) in enumerate(zip(row, widths))).rstrip())
    base = "the best right peer of the row" if "base" in lines[0] else "the first command"
    print(f"median ± spread of the quartiles; ratio: {metrics[0]}, to {base}")


def verdict(lines, peers, metric, least):
    """How the commands do in the rows that count: those in which the best peer, or else the first
    command, takes at least `least`."""
    first = lines[0]["command"]
    bases = {line["row"]: value_of(line, metric) for line in lines
             if line["command"] == line.get("base", first)}
    others = peers or {first}
    for name in dict.fromkeys(line["command"] for line in lines if line["command"] not in others):
        mine = [line for line in lines if line["command"] == name
                and bases.get(line["row"], 0) >= least and not math.isnan(line["ratio"])]
        if not mine:
            continue
        mean = math.exp(sum(math.log(line["ratio"]) for line in mine) / len(mine))
        worst = max(mine, key=lambda line: line["ratio"])
        above = [line for line in mine if line["ratio"] > 1]
        yield (f"{name}: {len(mine)} rows of {least:g} or more: geometric mean of the ratios "
               f"{mean:.3f}, largest {worst['ratio']:.3f} ({worst['row']}), above 1: {len(above)}"
               + "".join(f"\n  {line['row']}: {line['ratio']:.3f} of {line.get('base', first)}"
                         for line in above))


def slopes(lines, case):
    """The exponent by which each measure grows with a field of the rows: least squares on
    logarithms."""
    size = {row["name"]: float(row[case["slope"]["x"]]) for row in case["rows"]}
    for name in dict.fromkeys(line["command"] for line in lines):
        for metric in case["slope"]["of"]:
            points = [(math.log(size[line["row"]]), math.log(value_of(line, metric)))
                      for line in lines if line["command"] == name and value_of(line, metric)]
            if len(points) < 2:
                continue
            mean_x, mean_y = (sum(values) / len(points) for values in zip(*points))
            top = sum((x - mean_x) * (y - mean_y) for x, y in points)
            slope = top / sum((x - mean_x) ** 2 for x, _ in points)
            yield f"{name}: {metric} grows as {case['slope']['x']}^{slope:.3f}"


def write_csv(path, machine, case, lines, remarks):
    """Writes the table as CSV, with its provenance at the top."""
    columns = list(dict.fromkeys(key for line in lines for key in line))
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write("\n".join(provenance.header(machine)) + "\n")
        for command in case["commands"]:
            file.write(f"# {command['name']}: {command['command']}\n")
        for remark in remarks:
            file.write("".join(f"# {line}\n" for line in remark.splitlines()))
        table = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        table.writeheader()
        table.writerows({key: short(value) for key, value in line.items()} for line in lines)


def finish(case, lines, metrics, options):
    """Prints the table of a case and writes its file."""
    commands = case["commands"]
    peers = {command["name"] for command in commands if command.get("peer")}
    extra = dict.fromkeys(key for command in commands for key in command.get("measures", {}))
    remarks = []
    if peers or options.against:
        remarks += verdict(lines, peers, metrics[0], case.get("least", 0.02))
    if "slope" in case:
        remarks += slopes(lines, case)
    if not options.against:
        remarks += slower.mark(case, lines, metrics[0], options)
    print(f"\n{case['name']}: {case.get('about', '')}".rstrip(": "))
    print_table(lines, extra, metrics, case.get("beside", []))
    for remark in remarks:
        print(remark)
    write(case, lines, remarks, options)


def write(case, lines, remarks, options):
    """Writes the file of a case."""
    path = provenance.results_path(case["name"], options.machine, options.results)
    part = options.only or options.commands
    write_csv(path, options.machine, case, lines, [*remarks, *([measured.PART] if part else [])])
    print(f"written: {path}")
    if part:
        note(f"{measured.PART}, and the file holds that part; documents are not written from it")
