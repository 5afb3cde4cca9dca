#!/usr/bin/env python3
"""How the CPU seconds of a search divide among ranks of one thread: one rank and N ranks in turn.

usage: measure_ranks.py [--program FILE] [--mpirun FILE] [--ranks N] [--runs N] [--threads LODE] NAME=COMMAND…

COMMAND are the words of lode-mpi, such as "itemsets chess.dat -s 20% -t closed"; --threads 1, --count and
--hash are added, so that every pattern is visited, and so that results can be compared. Of each number the
least of all runs counts, since other programs on the machine only make it larger. Prints a line of CSV for
each search: CPU seconds of search by one rank, then, as shares of these, of the busier rank and of all
together; CPU seconds that one rank needs to prepare; messages. What --report json calls prepare_cpu (ranking
items, making rows, dividing the search) is what every rank does for itself, and is no part of search_cpu.

With --threads, N ranks are compared with N threads in one process of the command LODE, in turn, by the clock:
seconds of search of either, of all but reading, and their ratios. This wants a core for each rank.

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


def run(command, threads):
    """The report of a job."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        subprocess.run([*command, "--threads", str(threads), "--count", "--hash", "--report", f"json={report}"],
                       check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL)
        return json.loads(report.read_text(encoding="utf-8"))


def run_ranks(options, ranks, words):
    return run([options.mpirun, "-n", str(ranks), str(options.program), *words], 1)


def check_equal(name, hashes):
    if len(set(hashes)) != 1:
        raise SystemExit(f"{name}: the results differ")


def measure_cpu(options, name, words):
    """One line: the least of all runs of each number."""
    alone, together = [], []
    for _ in range(options.runs):
        alone.append(run_ranks(options, 1, words))
        together.append(run_ranks(options, options.ranks, words))
    check_equal(name, [job["hash"] for job in alone + together])
    one = min(job["search_cpu"] for job in alone)
    busier, all_of_them = (min(job[what] for job in together) for what in ("busiest_cpu", "search_cpu"))
    prepare = min(rank["prepare_cpu"] for job in together for rank in job["by_rank"])
    talk = min(max(rank["talk_cpu"] for rank in job["by_rank"]) for job in together)
    messages = sorted(sum(rank["messages"] for rank in job["by_rank"]) for job in together)[options.runs // 2]
    print(f"{name},{one:.3f},{busier / one:.3f},{all_of_them / one:.3f},{prepare:.3f},{talk:.3f},{messages}", flush=True)


def measure_seconds(options, name, words):
    """One line: the least of all runs of each number."""
    threads, ranks = [], []
    for _ in range(options.runs):
        threads.append(run([str(options.threads), *words], options.ranks))
        ranks.append(run_ranks(options, options.ranks, words))
    check_equal(name, [job["patterns"]["hash"] for job in threads] + [job["hash"] for job in ranks])
    search = (min(job["times"]["mine"] - job["times"]["preprocess"] for job in threads),
              min(max(rank["search_seconds"] + rank["idle_seconds"] for rank in job["by_rank"]) for job in ranks))
    whole = (min(job["times"]["mine"] for job in threads), min(job["seconds"] for job in ranks))
    print(f"{name},{search[0]:.3f},{search[1]:.3f},{search[1] / search[0]:.3f},"
          f"{whole[0]:.3f},{whole[1]:.3f},{whole[1] / whole[0]:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build" / "lode-mpi")
    parser.add_argument("--mpirun", default="mpirun", metavar="FILE")
    parser.add_argument("--threads", type=Path, metavar="LODE", help="compare with threads of this command")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("searches", nargs="+", metavar="NAME=COMMAND")
    options = parser.parse_args()
    if options.threads:
        measure = measure_seconds
        print("search,threads_search,ranks_search,ratio,threads_mine,ranks_mine,ratio")
    else:
        measure = measure_cpu
        print("search,one_rank_cpu,busier,sum,prepare_cpu,talk_cpu,messages")
    for search in options.searches:
        name, command = search.split("=", 1)
        measure(options, name, shlex.split(command))


if __name__ == "__main__":
    main()
