#!/usr/bin/env python3
"""Plays recorded searches on 1 to 10,000 ranks of the event model, and on up to some hundred simulated
ranks where SimGrid is installed; writes a table and a plot.

usage: simulate.py [--build DIR] [--ranks N,N,…] [--simulate N,N,…] [--add] NAME=TREE…

TREE is what mpi-record has written. Writes bench/results/mpi-model-DATE.csv and docs/plots/mpi-model.svg.
The simulated cluster has the latency and the costs of messages that the model has (mpi/tuning.h).

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import datetime
import math
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
COLUMNS = ["data", "by", "ranks", "seconds", "efficiency", "messages", "steals", "granted", "idle_share",
           "recorded_tasks", "largest_task"]
RANKS = "1,4,16,64,256,1024,4096,10000"
SIMULATED = "16,64,256"
COLOURS = ("#1b6ca8", "#c2571a", "#2e7d4f", "#7a4fa0", "#8a6d00", "#444444", "#b03060", "#008b8b",
           "#6b8e23", "#a0522d")
WIDTH, HEIGHT, LEFT, TOP, RIGHT = 700, 360, 60, 20, 190
# All hosts hang on one switch: a message goes up one link and down another.
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="ranks" prefix="rank" suffix="" radical="0-{last}" speed="1Gf" bw="{bandwidth}Bps" lat="{latency}s"/>
</platform>
"""


def tuning():
    """Numbers of mpi/tuning.h."""
    text = (ROOT / "mpi" / "tuning.h").read_text(encoding="utf-8")
    return {name: float(value) for name, value in re.findall(r"#define (\w+)\s+([\d.e+-]+)", text)}


def smpi_options(known):
    """What smpirun is told: no time but that which is said, messages that cost what the model says,
    the network as it is in the platform, and looks at it that cost nothing."""
    cost = f"0:{known['MODEL_MESSAGE_SECONDS']}:0"
    settings = {"simulate-computation": "no", "os": cost, "ois": cost, "or": cost, "bw-factor": "0:1",
                "lat-factor": "0:1", "iprobe": "0", "test": "0"}
    return [f"--cfg=smpi/{name}:{value}" for name, value in settings.items()]


def simulate(build, tree, ranks, *words):
    """The line that simulated ranks print; "pauses": with those of lode-mpi."""
    known = tuning()
    with tempfile.TemporaryDirectory() as folder:
        platform, hosts = Path(folder) / "platform.xml", Path(folder) / "hosts"
        platform.write_text(PLATFORM.format(last=ranks - 1, bandwidth=known["MODEL_BYTES_PER_SECOND"],
                                            latency=known["MODEL_LATENCY"] / 2))
        hosts.write_text("".join(f"rank{i}\n" for i in range(ranks)))
        command = ["smpirun", "-np", str(ranks), "-platform", str(platform), "-hostfile", str(hosts),
                   *smpi_options(known), "--log=root.thres:error", str(build / "mpi-simulated"), str(tree),
                   *words]
        done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def can_simulate(build):
    """Whether simulated ranks were built, and can be run."""
    return shutil.which("smpirun") is not None and (build / "mpi-simulated").exists()


def model(build, tree, ranks):
    """The line that the event model prints."""
    return subprocess.run([str(build / "mpi-model"), tree, str(ranks)], check=True, text=True,
                          capture_output=True).stdout.strip()


def row(name, by, line):
    """One row of the table."""
    print(f"{name}, {by}: {line}", flush=True)
    return dict(zip(COLUMNS, [name, by, *line.split(",")]))


def rows_of(options, name, tree):
    """All rows of one recorded search."""
    rows = [row(name, "model", model(options.build, tree, ranks)) for ranks in options.ranks]
    if not options.simulate:
        return rows
    if not can_simulate(options.build):
        print("no simulation: SimGrid (smpicc, smpirun) was not found")
        return rows
    for ranks in options.simulate:
        rows.append(row(name, "simulation", simulate(options.build, tree, ranks)))
    last = simulate(options.build, tree, options.simulate[-1], "pauses")
    rows.append(row(name, "simulation with the pauses of lode-mpi", last))
    return rows


def place(ranks, efficiency, most):
    """Where a point of the plot is: ranks by their logarithm."""
    x = LEFT + (WIDTH - LEFT - RIGHT) * math.log(ranks) / math.log(most)
    return f"{x:.1f},{TOP + (HEIGHT - TOP - 50) * (1 - efficiency):.1f}"


def curve(rows, colour, name, most, label_y):
    """One search: a line of the model, circles of the simulation, and its name at the right."""
    points = {by: [place(int(one["ranks"]), float(one["efficiency"]), most) for one in rows
                   if one["data"] == name and one["by"] == by] for by in ("model", "simulation")}
    lines = [f'<polyline points="{" ".join(points["model"])}" fill="none" stroke="{colour}" '
             'stroke-width="2"/>']
    for point in points["simulation"]:
        x, y = point.split(",")
        lines.append(f'<circle cx="{x}" cy="{y}" r="4" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    lines.append(f'<text x="{WIDTH - RIGHT + 8}" y="{label_y:.1f}" fill="{colour}">{name}</text>')
    return lines


def plot(rows):
    """An SVG of efficiency by ranks."""
    most = max(int(one["ranks"]) for one in rows)
    bottom = HEIGHT - 50
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for percent in (0, 25, 50, 75, 100):
        y = TOP + (bottom - TOP) * (1 - percent / 100)
        lines.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{percent}%</text>')
    for ranks in sorted({int(one["ranks"]) for one in rows}):
        x = place(ranks, 0, most).split(",")[0]
        lines.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{ranks}</text>')
    lines.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">'
                 'efficiency by ranks; lines: event model, circles: simulation</text>')
    ends = {one["data"]: float(one["efficiency"]) for one in rows if one["by"] == "model"}
    names = list(dict.fromkeys(one["data"] for one in rows))
    label_y = {}
    for name in sorted(names, key=lambda one: -ends[one]): # labels do not lie upon each other
        wished = TOP + (bottom - TOP) * (1 - ends[name]) + 4 - 14 * (len(names) - 1) * (1 - ends[name])
        label_y[name] = max(wished, max(label_y.values(), default=-math.inf) + 14)
    for colour, name in zip(COLOURS, names):
        lines += curve(rows, colour, name, most, label_y[name])
    return "\n".join([*lines, "</svg>", ""])


def kept(table, names):
    """Rows of a table but those of searches that are played again."""
    with open(table, newline="", encoding="utf-8") as file:
        return [one for one in csv.DictReader(file) if one["data"] not in names]


def numbers(text):
    return [int(word) for word in text.split(",") if word]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--ranks", type=numbers, default=numbers(RANKS), help="of the model")
    parser.add_argument("--simulate", type=numbers, default=numbers(SIMULATED), help="simulated ranks; '': none")
    parser.add_argument("--add", action="store_true", help="keeps what today's table has of other searches")
    parser.add_argument("trees", nargs="+", metavar="NAME=TREE")
    options = parser.parse_args()
    names = [tree.split("=", 1)[0] for tree in options.trees]
    table = ROOT / "bench" / "results" / f"mpi-model-{datetime.date.today()}.csv"
    rows = kept(table, names) if options.add else []
    rows += [one for tree in options.trees for one in rows_of(options, *tree.split("=", 1))]
    with open(table, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    picture = ROOT / "docs" / "plots" / "mpi-model.svg"
    picture.parent.mkdir(exist_ok=True)
    picture.write_text(plot(rows), encoding="utf-8")
    print(table)
    print(picture)


if __name__ == "__main__":
    main()
