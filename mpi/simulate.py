#!/usr/bin/env python3
"""Plays recorded searches on 1 to 10,000 ranks of the event model, and writes a table and a plot.

usage: simulate.py [--build DIR] [--ranks N,N,…] NAME=TREE…

TREE is what mpi-record has written. Writes bench/results/mpi-model-DATE.csv and docs/plots/mpi-model.svg.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import datetime
import math
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ["data", "ranks", "seconds", "efficiency", "messages", "steals", "granted", "idle_share",
           "recorded_tasks", "largest_task"]
RANKS = "1,4,16,64,256,1024,4096,10000"
COLOURS = ("#1b6ca8", "#c2571a", "#2e7d4f", "#7a4fa0")
WIDTH, HEIGHT, LEFT, TOP = 640, 360, 60, 20


def model(build, name, tree, ranks):
    """One row of the table."""
    out = subprocess.run([str(build / "mpi-model"), tree, str(ranks)], check=True, text=True,
                         capture_output=True).stdout
    return dict(zip(COLUMNS, [name, *out.strip().split(",")]))


def place(ranks, efficiency, most):
    """Where a point of the plot is: ranks by their logarithm."""
    x = LEFT + (WIDTH - LEFT - 130) * math.log(ranks) / math.log(most)
    return f"{x:.1f},{TOP + (HEIGHT - TOP - 50) * (1 - efficiency):.1f}"


def plot(rows):
    """An SVG of efficiency by ranks, a line for each data set."""
    most = max(int(row["ranks"]) for row in rows)
    bottom = HEIGHT - 50
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>']
    for percent in (0, 25, 50, 75, 100):
        y = TOP + (bottom - TOP) * (1 - percent / 100)
        lines.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - 130}" stroke="#ddd"/>'
                     f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{percent}%</text>')
    for ranks in sorted({int(row["ranks"]) for row in rows}):
        x = place(ranks, 0, most).split(",")[0]
        lines.append(f'<text x="{x}" y="{bottom + 18}" text-anchor="middle">{ranks}</text>')
    lines.append(f'<text x="{(LEFT + WIDTH - 130) / 2}" y="{HEIGHT - 10}" text-anchor="middle">'
                 'ranks of the model; efficiency</text>')
    for colour, name in zip(COLOURS, dict.fromkeys(row["data"] for row in rows)):
        points = [(int(row["ranks"]), float(row["efficiency"])) for row in rows if row["data"] == name]
        way = " ".join(place(ranks, efficiency, most) for ranks, efficiency in points)
        x, y = place(*points[-1], most).split(",")
        lines.append(f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="2"/>'
                     f'<text x="{float(x) + 6:.1f}" y="{y}" fill="{colour}">{name}</text>')
    return "\n".join([*lines, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--ranks", default=RANKS)
    parser.add_argument("trees", nargs="+", metavar="NAME=TREE")
    options = parser.parse_args()
    rows = [model(options.build, *tree.split("=", 1), ranks) for tree in options.trees
            for ranks in map(int, options.ranks.split(","))]
    table = ROOT / "bench" / "results" / f"mpi-model-{datetime.date.today()}.csv"
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
