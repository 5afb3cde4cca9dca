#!/usr/bin/env python3
"""Measures, in milliseconds, how long a second threshold takes through the pipe of `lode worker`.

usage: worker_timing.py [--lode PROGRAM] [--transactions N] [--items N] [--device D]... [--repeat N]
                        [--data FILE] [--machine NAME]

Generates T40I10 with N transactions (a million) and 300 items, and opens it in a worker, which starts
the devices (cuda:0, if there is one, and cpu). Then mines it at 1%, 0.8% and 1% again, once only
counting (count) and once with an Arrow file in memory (output). The first run on a device has a row
of its own, because it prepares the data and loads kernels; the other rows are medians of --repeat
runs. `ms` is the time from the request to the answer, `search` and `output` are times from its
report, and `rest` is the difference. --machine also writes the rows to
bench/results/worker-NAME-DATE.csv.

Python 3 without packages; about a minute.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import csv
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import provenance  # noqa: E402
from worker_client import Failed, Worker  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SUPPORTS = ("1%", "0.8%", "1%")
ENOUGH = 55  # seconds after which no repetition begins


def usable_devices(lode):
    lines = subprocess.run([lode, "devices"], capture_output=True, text=True, check=True).stdout
    has_cuda = any(line.startswith("cuda") and " usable" in line and "not usable" not in line
                   for line in lines.splitlines())
    return ["cuda:0", "cpu"] if has_cuda else ["cpu"]


def generate(lode, path, n, items):
    subprocess.run([lode, "generate", "quest", "-n", str(n), "-l", "40", "-i", "10", "--items",
                    str(items), "-o", path], check=True)


def seconds_of(report, name):
    return 1000 * float(report["times"].get(name, 0))


def mine(worker, device, support, output):
    how = {"output": output} if output else {"count": True}
    ms, done = worker.timed("mine", {"o.min-support": support, "o.device": device},
                            kind="itemsets", **how)
    report = done["report"]
    return {"ms": ms, "search": seconds_of(report, "mine"), "output": seconds_of(report, "output"),
            "patterns": done["patterns"], "bytes": done["bytes"],
            "algorithm": report["algorithm"]["name"], "prepared": report["algorithm"]["prepared"]}


def row_of(device, what, support, runs):
    """Medians of equal runs; milliseconds."""
    ms = [run["ms"] for run in runs]
    middle = {name: statistics.median(run[name] for run in runs) for name in ("ms", "search", "output")}
    return {"device": device, "what": what, "at": support, "ms": middle["ms"], "least": min(ms), "most": max(ms),
            "search": middle["search"], "output": middle["output"],
            "rest": middle["ms"] - middle["search"] - middle["output"], "n": len(runs),
            **{name: runs[-1][name] for name in ("patterns", "bytes", "algorithm", "prepared")}}


def print_row(row):
    print(f"{row['device']:8} {row['what']:7} {row['at']:>5} {row['ms']:9.1f} {row['least']:9.1f} {row['most']:9.1f} "
          f"{row['search']:9.1f} {row['output']:9.1f} {row['rest']:7.1f} {row['n']:3d} "
          f"{row['patterns']:10d} {row['bytes'] / 2**20:8.1f}  {row['algorithm']}, {row['prepared']}", flush=True)


def write_rows(rows, machine, about):
    path = provenance.results_path("worker", machine)
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write("\n".join([*provenance.header(machine), f"# {about}", "# milliseconds, medians of n runs"]) + "\n")
        table = csv.DictWriter(file, rows[0], lineterminator="\n")
        table.writeheader()
        table.writerows({key: round(value, 2) if isinstance(value, float) else value for key, value in row.items()}
                        for row in rows)
    print(f"written: {path}")


def measure(worker, devices, folder, repeat, start):
    """Prints the rows and returns them."""
    rows = []

    def add(*what):
        rows.append(row_of(*what))
        print_row(rows[-1])

    print(f"{'device':8} {'what':7} {'at':>5} {'ms':>9} {'least':>9} {'most':>9} {'search':>9} "
          f"{'output':>9} {'rest':>7} {'n':>3} {'patterns':>10} {'MiB':>8}")
    for device in devices:
        add(device, "first", SUPPORTS[0], [mine(worker, device, SUPPORTS[0], None)])
        for what, output in (("count", None), ("output", str(Path(folder, "result.arrow")))):
            for support in SUPPORTS:
                runs = []
                while len(runs) < repeat and (not runs or time.monotonic() - start < ENOUGH):
                    runs.append(mine(worker, device, support, output))
                add(device, what, support, runs)
    return rows


def main():
    parser = argparse.ArgumentParser(description="milliseconds through the pipe of lode worker")
    parser.add_argument("--lode", default=os.environ.get("LODE_BIN", str(ROOT / "build" / "lode")))
    parser.add_argument("--transactions", type=int, default=1000000)
    parser.add_argument("--items", type=int, default=300)
    parser.add_argument("--device", action="append", default=[])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--data", help="this file instead of T40I10")
    parser.add_argument("--machine", help="write bench/results under this name of the machine")
    args = parser.parse_args()
    start = time.monotonic()
    devices = args.device or usable_devices(args.lode)
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="lode-worker-", dir=shm) as folder:
        path = args.data or str(Path(folder, "t40.dat"))
        if not args.data:
            generate(args.lode, path, args.transactions, args.items)
            print(f"made {os.path.getsize(path) / 2**20:.0f} MiB in {time.monotonic() - start:.1f} s")
        worker = Worker(args.lode)
        try:
            ms, opened = worker.timed("open", path=path, name="t40.dat", device=devices[0])
            profile = opened["profile"]
            about = f"{profile['transactions']} transactions of {profile['items']} items, opened in {ms:.0f} ms"
            print(f"{about}; {devices[0]} wakes meanwhile")
            rows = measure(worker, devices, folder, args.repeat, start)
            if args.machine:
                write_rows(rows, args.machine, about)
        except Failed as failure:
            print(f"worker_timing: {failure.status}: {failure}", file=sys.stderr)
            return 1
        finally:
            worker.end()
    print(f"{time.monotonic() - start:.0f} s in all")
    return 0


if __name__ == "__main__":
    sys.exit(main())
