#!/usr/bin/env python3
"""How the CPU seconds of a search divide among ranks of one thread: one rank and N ranks in turn.

usage: measure_ranks.py [--program FILE] [--ranks N] [--runs N] NAME=COMMAND…

COMMAND are the words of lode-mpi, such as "itemsets chess.dat -s 20% -t closed"; --threads 1, --count and
--hash are added, so that every pattern is visited, and so that results can be compared. Of each number the
least of all runs counts, since other programs on the machine only make it larger. Prints a line of CSV for
each search: CPU seconds of search by one rank, then, as shares of these, of the busier rank and of all
together; CPU seconds that one rank needs to prepare; messages. What --report json calls prepare_cpu (ranking
items, making rows, dividing the search) is what every rank does for itself, and is no part of search_cpu.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def run(program, ranks, words):
    """The report of a job."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        subprocess.run(["mpirun", "-n", str(ranks), str(program), *words, "--threads", "1", "--count", "--hash",
                        "--report", f"json={report}"], check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
        return json.loads(report.read_text(encoding="utf-8"))


def measure(options, name, command):
    """One line: the least of all runs of each number."""
    alone, together = [], []
    for _ in range(options.runs):
        alone.append(run(options.program, 1, shlex.split(command)))
        together.append(run(options.program, options.ranks, shlex.split(command)))
    if len({one["hash"] for one in alone + together}) != 1:
        raise SystemExit(f"{name}: the results differ")
    one = min(job["search_cpu"] for job in alone)
    busier, all_of_them = (min(job[what] for job in together) for what in ("busiest_cpu", "search_cpu"))
    prepare = min(rank["prepare_cpu"] for job in together for rank in job["by_rank"])
    talk = min(max(rank["talk_cpu"] for rank in job["by_rank"]) for job in together)
    messages = sorted(sum(rank["messages"] for rank in job["by_rank"]) for job in together)[options.runs // 2]
    print(f"{name},{one:.3f},{busier / one:.3f},{all_of_them / one:.3f},{prepare:.3f},{talk:.3f},{messages}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "lode-mpi")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("searches", nargs="+", metavar="NAME=COMMAND")
    options = parser.parse_args()
    print("search,one_rank_cpu,busier,sum,prepare_cpu,talk_cpu,messages")
    for search in options.searches:
        measure(options, *search.split("=", 1))


if __name__ == "__main__":
    main()
