#!/usr/bin/env python3
"""Looks for cliffs: draws random shapes of baskets and lowers the threshold a fifth at a time.

usage: slopes.py [--shapes N] [--seed N] [--seconds N] [--lode FILE] [--machine NAME]

Each shape is mined on the GPU with all of its memory, with a tenth of what that took, and with the
device that lode chooses (auto) beside the CPU alone. Counts that differ are an error. Printed and
written to bench/results/slopes-MACHINE-DATE.csv: the seconds of each search without the start of
CUDA, how many times those of the threshold before it that is, and the seconds of auto over those of
the better device. A cliff is a step that costs more than four times as much, and grows more than both
the number of sets and the time of the CPU.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import provenance  # noqa: E402

FALL = 0.8  # a threshold and the next
STEPS = 8  # thresholds of a shape, at the most
MOST_SECONDS = 2  # a shape ends at a search that takes longer
TIMEOUT = 30
START = 0.02  # seconds: what is quicker is not compared
CLIFF = 4
COLUMNS = ["shape", "threshold", "sets", "sets_step", "cpu_step", "gpu", "gpu_step", "device_mib", "tenth", "tenth_step",
           "cpu", "auto", "auto_device", "auto_over_best", "whole_cpu", "whole_gpu", "whole_auto"]


def draw_shape(draw):
    """The words of `lode generate quest`: dense ones and sparse ones, of 1 to 20 million items."""
    while True:
        rows = round(10 ** draw.uniform(3.5, 6))
        items = round(10 ** draw.uniform(1.7, 3.7))
        length = max(3, round(items * 10 ** draw.uniform(-2.7, -0.4)))
        if 1e6 <= rows * length <= 2e7:
            break
    return ["-n", str(rows), "--items", str(items), "-l", str(length), "-i",
            str(draw.randint(2, max(3, min(20, length)))), "--patterns", str(draw.choice((20, 200, 2000))),
            "--seed", str(draw.randint(1, 999))]


def mine(lode, data, count, *options):
    """The report of a run with the seconds of the whole, or None if it took too long."""
    report = Path(data).with_suffix(".json")
    start = time.monotonic()
    try:
        done = subprocess.run([lode, "itemsets", data, "-s", str(count), "--count", "-q", "--report",
                               f"json={report}", *options], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode not in (0, 5):
        sys.exit(f"slopes.py: {' '.join(options)} at {count}: {done.stderr}")
    found = json.loads(report.read_text())
    found["whole"] = time.monotonic() - start
    return found


def searched(report):
    """Seconds of the search without the start of CUDA."""
    times = report["times"]
    return times["candidate"] + times["counting"] + times["transfer"] + times["preprocess"]


def step(now, before):
    return now / max(before, START) if before else 0.0


def measure(lode, words, data, rows, ends):
    transactions, last = int(words[1]), {}
    count = int(0.9 * transactions)
    while mine(lode, data, count, "--device", "cpu", "--limit-patterns", "20000")["exit"] == 0:
        count = int(count * FALL)  # to the highest threshold that is worth a measurement
        if count < 3:
            return
    for _ in range(STEPS):
        whole = mine(lode, data, count, "-a", "tensor", "--device", "cuda")
        if whole is None:  # on every device: the sets explode
            print(f"{' '.join(words)} at {count}: over {TIMEOUT} s on the GPU")
            return
        peak = whole["memory"]["device_peak"]
        tenth = mine(lode, data, count, "-a", "tensor", "--device", "cuda", "--device-memory",
                     f"{max(64, peak // 10 >> 20)}M")
        cpu = mine(lode, data, count, "--device", "cpu")
        auto = mine(lode, data, count, "--device", "auto")
        reports = [report for report in (whole, tenth, cpu, auto) if report]
        if len({report["patterns"]["total"] for report in reports}) != 1:
            sys.exit(f"slopes.py: counts differ: {' '.join(words)} at {count}")
        now = {"sets": whole["patterns"]["total"], "cpu": cpu["times"]["mine"] if cpu else float(TIMEOUT),
               "gpu": searched(whole), "tenth": searched(tenth) if tenth else float(TIMEOUT)}
        best = min(cpu["whole"] if cpu else TIMEOUT, whole["whole"])
        rows.append({
            "shape": " ".join(words), "threshold": count, "device_mib": peak >> 20,
            **{name: f"{now[name]:.4f}" if name != "sets" else now[name] for name in now},
            **{f"{name}_step": f"{step(now[name], last.get(name)):.2f}" for name in now},
            "auto": f"{auto['times']['mine']:.4f}", "auto_device": auto["device"]["name"],
            "auto_over_best": f"{auto['whole'] / best:.2f}",
            "whole_cpu": f"{cpu['whole']:.3f}" if cpu else "", "whole_gpu": f"{whole['whole']:.3f}",
            "whole_auto": f"{auto['whole']:.3f}"})
        last = now
        count = int(count * FALL)
        longest = max(report["whole"] for report in reports)
        if count < 2 or longest > MOST_SECONDS or time.monotonic() > ends:
            return


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--shapes", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=3600, help="begin no shape after these")
    parser.add_argument("--lode", default=str(ROOT / "build" / "lode"))
    parser.add_argument("--machine", default="")
    parser.add_argument("--results", default=str(provenance.RESULTS))
    arguments = parser.parse_args()
    draw, rows, ends = random.Random(arguments.seed), [], time.monotonic() + arguments.seconds
    shapes = 0
    with tempfile.TemporaryDirectory(prefix="lode-slopes-") as folder:
        while shapes < arguments.shapes and time.monotonic() < ends:
            words, data = draw_shape(draw), f"{folder}/shape.dat"
            subprocess.run([arguments.lode, "generate", "quest", *words, "-o", data], check=True,
                           stderr=subprocess.DEVNULL)
            n = len(rows)
            measure(arguments.lode, words, data, rows, ends)
            shapes += len(rows) > n
            if len(rows) > n:
                worst = max(float(row.get("gpu_step", 0)) for row in rows[n:])
                tenth = max(float(row.get("tenth_step", 0)) for row in rows[n:])
                auto = max(float(row.get("auto_over_best", 0)) for row in rows[n:])
                print(f"{' '.join(words)}: {len(rows) - n} thresholds, at most {rows[-1].get('sets')} sets; "
                      f"a step costs at most {worst:.1f} times, {tenth:.1f} with a tenth; auto {auto:.2f}", flush=True)
    machine = arguments.machine or provenance.machine_slug()
    path = provenance.results_path("slopes", machine, arguments.results)
    with path.open("w", newline="") as out:
        out.write("\n".join(provenance.header(machine)) + "\n")
        writer = csv.DictWriter(out, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    cliffs = [row for row in rows if any(
        float(row[f"{name}_step"]) > max(CLIFF, float(row["sets_step"]), float(row["cpu_step"]))
        for name in ("gpu", "tenth"))]
    for row in cliffs:
        print("a cliff:", row)
    print(f"{shapes} shapes, {len(rows)} thresholds, {len(cliffs)} cliffs: {path}")
    sys.exit(bool(cliffs))


if __name__ == "__main__":
    main()
