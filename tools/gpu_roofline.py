#!/usr/bin/env python3
"""Compares what the kernels of `tensor` achieve with what the GPU can do, with Nsight Compute.

usage: gpu_roofline.py [--machine NAME] [--results DIR] [--dram TB/s] [--l2 TB/s] [--limit SECONDS]

Profiles two runs on data of bench/cases/gpu-tensor.json, sums the launches of each kernel, and
writes bench/results/gpu-roofline-MACHINE-DATE.csv. The program is run again for every group of
metrics, because kernels that use most of the memory cannot be replayed one by one. Caches and clocks
are not controlled, so the figures are those of an ordinary run. Metrics that this version of ncu does
not know are left out. Exit status 77: there is no ncu, or it may not read the counters here.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tools")]
import provenance  # noqa: E402
import rows  # noqa: E402
from problem import Problem  # noqa: E402

SKIPPED = 77
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
DATA = os.environ.get("LODE_DATA", str(ROOT.parent / "shared" / "data"))
RUNS = ("T40I10 300 items 1 M 1%", "connect x50 45%")  # rows of gpu-tensor
TIME, DRAM, L2 = "gpu__time_duration.sum", "dram__bytes.sum", "lts__t_bytes.sum"
# Shares of what the device could do in the time of a kernel: column and metric.
OF_PEAK = "avg.pct_of_peak_sustained_elapsed"
SHARES = {
    "sm": f"sm__throughput.{OF_PEAK}",
    "issue": f"sm__inst_issued.{OF_PEAK}",
    "shared": f"l1tex__data_pipe_lsu_wavefronts_mem_shared.{OF_PEAK}",
    "tensor": f"sm__pipe_tensor_cycles_active.{OF_PEAK}",
    "tensor_int": f"sm__pipe_tensor_op_imma_cycles_active.{OF_PEAK}",
    "tensor_group": f"sm__pipe_tensor_op_gmma_cycles_active.{OF_PEAK}",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
METRICS = (TIME, DRAM, L2, CONFLICTS, *SHARES.values())


def find_ncu():
    """Where ncu is, or None."""
    places = [shutil.which("ncu"), "/usr/local/cuda/bin/ncu",
              *sorted(map(str, Path("/opt/nvidia").glob("nsight-compute/*/ncu")), reverse=True)]
    return next((place for place in places if place and Path(place).exists()), None)


def command_of(name):
    """The command line of a row of gpu-tensor, with a fixed kernel: a profiler would distort the
    trial that chooses one."""
    case = rows.load_case(rows.CASES / "gpu-tensor.json")
    row = next(row for row in case["rows"] if row["name"] == name)
    values = rows.row_values(row, case, {"lode": LODE, "data": DATA})
    if not values:
        return None
    return [LODE, "itemsets", values["plain"], "-s", f"{row['support']}%", "--count", "--quiet",
            "--algorithm", "tensor", "--device", "cuda", "--product", "wgmma"]


def profile(ncu, command, metrics, limit):
    """Launches with their metrics, or (None, what ncu said)."""
    words = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--replay-mode", "application",
             "--cache-control", "none", "--clock-control", "none", "--metrics", ",".join(metrics)]
    try:
        done = subprocess.run(words + command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, f"ran into the limit of {limit} s"
    table = done.stdout[done.stdout.find('"ID"'):] if '"ID"' in done.stdout else ""
    lines = [line for line in table.splitlines() if line.startswith('"')]
    launches = [row for row in csv.DictReader(io.StringIO("\n".join(lines))) if row["ID"]]
    said = [line for line in (done.stdout + done.stderr).splitlines() if "ERROR" in line]
    return (launches, "") if launches else (None, " ".join(said) or f"exit {done.returncode}")


def measure(name, ncu, command, limit):
    """Launches with as many metrics as this ncu knows and time allows; None if it cannot run."""
    tries = [list(METRICS), [TIME, DRAM], [TIME]]
    while tries:
        wanted = tries.pop(0)
        launches, said = profile(ncu, command, wanted, limit)
        if launches:
            return launches
        print(f"{name}: ncu with {len(wanted)} metrics: {said}")
        if "PERM" in said:
            break
        known = [metric for metric in wanted if metric.split(".")[0] not in said]
        if TIME in known and len(known) < len(wanted):
            tries.insert(0, known)
    return None


def number(text):
    """A value of ncu, which groups digits; None for n/a."""
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def short_name(name):
    """A kernel without its parameters: small_kernel<8>."""
    name = re.sub(r"\((int|unsigned int|bool)\)", "", name).removeprefix("void ")
    library = re.match(r"(cub|thrust)::", name) and re.search(r"Device\w+", name)
    return f"cub {library[0]}" if library else name.split("(")[0].split("::")[-1]


def mean(launches, metric):
    """The mean of a share over launches, weighted by their time; None if it was not measured."""
    pairs = [(number(launch.get(metric)), number(launch[TIME])) for launch in launches]
    pairs = [(value, time) for value, time in pairs if value is not None]
    time = sum(time for _, time in pairs)
    return sum(value * time for value, time in pairs) / time if time else None


def total(launches, metric):
    values = [number(launch.get(metric)) for launch in launches]
    return None if None in values else sum(values)


def line_of(kernel, launches, all_ns, options):
    """One line of the table: what a kernel does in all of its launches."""
    ns = total(launches, TIME)
    line = {"kernel": kernel, "launches": len(launches), "ms": ns / 1e6,
            "time_%": 100 * ns / all_ns}
    for name, metric, most in (("dram", DRAM, options.dram), ("l2", L2, options.l2)):
        moved = total(launches, metric)
        line[f"{name}_gb"] = None if moved is None else moved / 1e9
        line[f"{name}_tb_s"] = None if moved is None else moved / ns / 1e3
        line[f"{name}_%"] = None if moved is None else moved / ns / 1e3 / most * 100
    for name, metric in SHARES.items():
        line[f"{name}_%"] = mean(launches, metric)
    line["bank_conflicts"] = total(launches, CONFLICTS)
    return line


def summarise(name, launches, options):
    """Lines of a run: all kernels together, then each, the longest first."""
    kernels = {}
    for launch in launches:
        kernels.setdefault(short_name(launch["Kernel Name"]), []).append(launch)
    all_ns = total(launches, TIME)
    lines = [line_of(kernel, own, all_ns, options) for kernel, own in kernels.items()]
    lines.sort(key=lambda line: -line["ms"])
    return [{"row": name, **line} for line in [line_of("all", launches, all_ns, options), *lines]]


def write(lines, options):
    path = provenance.results_path("gpu-roofline", options.machine, options.results)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write("\n".join(provenance.header(options.machine)) + "\n")
        file.write(f"# dram_% is of {options.dram} TB/s, l2_% of {options.l2} TB/s; other shares are "
                   "ncu's, of the peak, weighted by time\n")
        table = csv.DictWriter(file, list(lines[0]), lineterminator="\n")
        table.writeheader()
        table.writerows({key: shown(value) for key, value in line.items()} for line in lines)
    print(f"written: {path}")


def shown(value):
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def print_lines(lines):
    cells = [list(lines[0]), *([shown(value) for value in line.values()] for line in lines)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    for row in cells:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--machine", default=provenance.machine_slug())
    parser.add_argument("--results", type=Path, default=provenance.RESULTS)
    parser.add_argument("--dram", type=float, default=4.5, help="TB/s that memory can do")
    parser.add_argument("--l2", type=float, default=8.3, help="TB/s that the second level can do")
    parser.add_argument("--limit", type=float, default=60, help="seconds a profile may take")
    options = parser.parse_args()
    ncu = find_ncu()
    if not ncu:
        print("skip: there is no ncu")
        return SKIPPED
    lines = []
    for name in RUNS:
        command = command_of(name)
        launches = command and measure(name, ncu, command, options.limit)
        if launches:
            lines += summarise(name, launches, options)
    if not lines:
        print("skip: ncu measured nothing here")
        return SKIPPED
    print_lines(lines)
    write(lines, options)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"gpu_roofline.py: {problem}")
