#!/usr/bin/env python3
"""Tests the CUDA backend on the GPU of this machine, and compares its results with the CPU.

usage: gpu_test.py [--build DIR] [--only STEP]... [--machine NAME] [--limit SECONDS] [--tables]
                   [--speed GROUP]... [--results DIR]

The summary has one line for each of these steps:
    operations  every operation, compared with models
    matrix      frontier and the level-wise algorithms compared with the oracle: on one GPU, with
                several consumers on it, and on GPU and CPU together
    large       every algorithm on generated data, compared with the CPU, also with small budgets
    golden      known counts of the data in LODE_DATA
    sanitizer   memcheck, racecheck, initcheck and synccheck on small cases
    speed       the tables of bench/cases/gpu-*.json; --speed makes the tables of one GROUP only:
                tensor, long, classic, graphs, breakeven, products or roofline
    graphs      subgraphs: operations, the matrix, known counts, small budgets, sanitizers; with
                --tables also bench/cases/gpu-graphs-all
The exit status is 1 if any step failed; 77 if there is no GPU.

Requires what the build requires, and python3.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = 77
DEVICES = "cuda cuda:0*3 cuda+cpu*1"
JOBS = 8  # runs side by side over the known counts
ALGORITHMS = ("tensor", "frontier", "tbi", "pbi", "gpapriori", "eqclass", "gpu-apriori")
# Generated data: name, options of `lode generate quest`, support. From one word to long rows.
SHAPES = (
    ("tiny", "--transactions 40 --items 20 --length 5", "3"),
    ("3 K", "--transactions 3200 --items 60 --length 12 --pattern-length 4", "2%"),
    ("100 K", "--transactions 100000 --items 200 --length 10 --pattern-length 4", "0.5%"),
    ("1 M", "--transactions 1000000 --items 120 --length 10 --pattern-length 4", "1%"),
    ("wide", "--transactions 20000 --items 6000 --length 8 --pattern-length 4", "0.1%"),
)
MORE_OPTIONS = {  # beside the plain run, of each algorithm: the papers' variants and tight pools
    "tensor": ("--product popc", "--threads 1", "--device-memory 256M"),
    "frontier": ("--epsilon 1", "--epsilon 100000", "--epsilon unlimited", "--lists 3",
                 "--epsilon unlimited --lists 40", "--device-memory 48M"),
    "tbi": ("--popcount table16", "--popcount shift", "--popcount constant16",
            "--device-memory 48M"),
    "pbi": ("--popcount table16", "--popcount constant16", "--device-memory 48M", "--lists 2",
            "--lists 2000"),
    "gpapriori": ("--popcount shift", "--popcount constant16"),
    "eqclass": ("--popcount table16", "--popcount constant16", "--lists 2"),
    "gpu-apriori": ("--reduce pow2", "--popcount constant16", "--grid square", "--grid-rows",
                    "--device-memory 48M", "--grid square --grid-rows --device-memory 48M",
                    "--grid-rows --lists 3"),
}
LEVELWISE = ALGORITHMS[2:]
TEAMS = ("cuda:0*3", "cuda+cpu*2")  # on which their candidates are divided
# Under the sanitizers: options of `lode generate quest`, support, and algorithms with options. The
# kernel is given, because racecheck takes minutes for the trial that chooses one.
SANITIZED = (
    ("--transactions 700 --items 25 --length 8 --seed 3", "5%",
     (*(f"tensor --product {product}" for product in ("popc", "mma", "wgmma")),
      *(f"tensor --product mma --target {target}" for target in ("closed", "maximal")),
      *ALGORITHMS[1:], "pbi --hash", "pbi --lists 40", "tbi --popcount constant16",
      "gpu-apriori --grid square --grid-rows")),
    ("--transactions 8000 --items 12000 --length 6 --patterns 3000 --seed 3", "12",
     ("tensor --product mma",)),
    ("--transactions 270000 --items 22 --length 11 --seed 3", "12%", ("tensor --product mma",)),
)
# Known counts: every kernel of `tensor`, in all memory and in little, and its other targets.
GOLDEN = (*(f"tensor --product {product}{memory}" for product in ("popc", "mma", "wgmma")
            for memory in ("", " --device-memory 256M")),
          *(f"tensor --target {target}" for target in ("closed", "maximal")), *ALGORITHMS[1:])
# What the paper of gSpan on a GPU compares: how records lie, and how they are read.
GRAPH_VARIANTS = tuple(f"--records {records} --loads {loads}" for records in ("vectors", "columns")
                       for loads in ("readonly", "plain"))
GRAPH_MOST = 1000000  # patterns of a known count that is run again
# Tables by group, and about how many seconds they take on an H200 with 16 cores, where the data of the
# groups before is there already. The first four are renewed whenever engines have changed: at most five
# minutes and a half. docs/gpu-measured.md and docs/benchmarks.md are then written by ./dev benchmarks. What the papers
# claim is measured by ./dev experiment.
SPEED = {
    "tensor": ("gpu-tensor", "gpu-tensor-targets", "gpu-tensor-memory", "gpu-tensor-depths"),  # 130
    "long": ("gpu-tensor-long",),  # 15
    "classic": ("gpu-rows", "gpu-frontier", "gpu-overhead"),  # 110 at most
    "graphs": ("gpu-graphs-all",),  # 65 at most
    "breakeven": ("gpu-breakeven", "gpu-breakeven-graphs"),  # 90, 40
    "products": ("gpu-products",),  # 40
    "roofline": (),  # 50; no case of the harness: tools/gpu_roofline.py
}


def say(text):
    print(text, flush=True)


def run(command, environment=None, limit=540, text=""):
    """Runs a command; returns (exit status, output)."""
    try:
        done = subprocess.run(command, env={**os.environ, **(environment or {})}, timeout=limit,
                              input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    except subprocess.TimeoutExpired:
        return 124, "ran into the time limit"
    return done.returncode, done.stdout


class Tester:
    def __init__(self, build, machine, limit):
        self.build = build
        self.machine = machine
        self.limit = limit
        self.gpu_gib = 8
        self.lode = str(build / "lode")
        self.tables = False
        self.speed_groups = list(SPEED)
        self.results = []  # options that say where tables go
        self.failed = []
        self.done = 0
        self.has_wgmma = True

    def check(self, what, fine, output=""):
        self.done += 1
        if not fine:
            self.failed.append(what)
            say(f"FAILED {what}\n" + "\n".join(output.splitlines()[-15:]))

    def look_for_wgmma(self):
        """Finds out about wgmma: only devices of compute capability 9.0, and builds for them, have
        it."""
        status, output = run([self.lode, "itemsets", "-", "-s", "1", "--count", "--algorithm",
                              "tensor", "--device", "cuda", "--product", "wgmma"], text="1 2\n1 2\n")
        self.has_wgmma = "has no wgmma" not in output
        self.check("wgmma", status == 0 or not self.has_wgmma, output)

    def there(self, algorithms):
        """Removes the variants for which the device has no kernel."""
        return [name for name in algorithms if self.has_wgmma or "wgmma" not in name]

    def program(self, name, environment=None):
        status, output = run([str(self.build / "tests" / "lode-tests"), name], environment)
        say(f"    {name}: " + (output.splitlines() or ["no output"])[-1])
        self.check(name, status == 0, output)

    # --- steps ---

    def operations(self):
        self.program("backend")
        self.program("backend_sets")
        self.program("cuda_fault")
        self.program("cuda_jobs")
        self.program("products", {"LODE_TEST_DEVICES": "cuda"})

    def matrix(self):
        for name in ("tensor", "frontier", "levels", "levels_team", "partitions", "hand_out"):
            self.program(name, {"LODE_TEST_DEVICES": DEVICES})
        self.program("frontier_epsilon", {"LODE_TEST_DEVICES": "cuda"})

    def report(self, path, support, options):
        """The report of a run, or what went wrong."""
        command = [self.lode, "itemsets", str(path), "-s", support, "--count", "--report", "json",
                   *options.split()]
        status, output = run(command, limit=300)
        found = re.search(r"^\{.*", output, re.M | re.S)
        if status != 0 or not found:
            return f"exit {status}: {output[-300:]}"
        return json.loads(found[0])

    def mine(self, path, support, options):
        """Hash and count of the patterns, or what went wrong."""
        report = self.report(path, support, "--hash " + options)
        if isinstance(report, str):
            return report
        return report["patterns"]["total"], report["patterns"]["hash"]

    def resident(self, name, path, support, total):
        """Tests pbi for counts only: each level transfers the same few bytes if the data fit."""
        for more in ("", "--device-memory 48M", "--lists 2000"):
            report = self.report(path, support, f"--algorithm pbi --device cuda {more}")
            if isinstance(report, str):
                self.check(f"{name}: pbi, numbers {more}", False, report)
                continue
            moved = [(level["bytes_up"], level["bytes_down"]) for level in report["levels"]
                     if level["generated"]]
            self.check(f"{name}: pbi, numbers {more}", report["patterns"]["total"] == total)
            if not more:
                top = [self.mine(path, support, f"--target top:50 --device {device}")
                       for device in ("cpu", "cuda --algorithm pbi")]
                self.check(f"{name}: pbi, top:50", top[0] == top[1], str(top))
                say(f"    {name}: bytes up and down, by level: {moved}")
                self.check(f"{name}: pbi, bytes of a level", set(moved) <= {(0, 16)}, str(moved))

    def large(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, options, support in SHAPES:
                path = Path(folder) / "data"
                run([self.lode, "generate", "quest", "--seed", "5", *options.split(),
                     "-o", str(path)])
                want = self.mine(path, support, "--algorithm frontier --device cpu")
                say(f"    {name}: {want}")
                self.check(f"{name} on the CPU", isinstance(want, tuple), str(want))
                self.resident(name, path, support, want[0])
                for algorithm in ALGORITHMS:
                    if algorithm == "gpu-apriori" and name == "wide":
                        continue  # all pairs of thousands of sets
                    for more in ("", *MORE_OPTIONS[algorithm]):
                        text = f"--algorithm {algorithm} --device cuda {more}"
                        got = self.mine(path, support, text)
                        self.check(f"{name}: {text}", got == want, str(got))
                    for device in TEAMS if algorithm in LEVELWISE else ():
                        text = f"--algorithm {algorithm} --device {device}"
                        got = self.mine(path, support, text)
                        self.check(f"{name}: {text}", got == want, str(got))

    def golden(self):
        data = Path(os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data")) / "itemsets"
        if not (data / "counts.csv").exists():
            say(f"    skip: there is no {data}/counts.csv")
            return
        ways = self.there(GOLDEN)
        status, output = run([sys.executable, str(ROOT / "bench" / "golden.py"), "--device", "cuda",
                              "--algorithms", ",".join(ways), "--limit", self.limit,
                              "--jobs", str(JOBS), "--machine", self.machine, *self.results,
                              "--device-memory", f"{max(1, self.gpu_gib // (JOBS + 1))}G"],
                             {"LODE_BIN": self.lode}, limit=3600)
        say("    " + "\n    ".join(output.splitlines()[-len(ways) - 1:]))
        self.check("golden counts", status == 0, output)

    def sanitizer(self):
        tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
        if not Path(tool).exists():
            say("    skip: there is no compute-sanitizer")
            return
        with tempfile.TemporaryDirectory() as folder:
            for number, (options, *_) in enumerate(SANITIZED):
                run([self.lode, "generate", "quest", *options.split(), "-o", f"{folder}/{number}"])
            for check in ("memcheck", "racecheck", "initcheck", "synccheck"):
                start = time.monotonic()
                command = [tool, "--tool", check, "--error-exitcode", "99"]
                few = check == "racecheck"  # which takes minutes for a large lattice
                runs = [(f"{folder}/{number}", support, "cuda", algorithm)
                        for number, (_, support, algorithms) in enumerate(SANITIZED[:2 if few else 3])
                        for algorithm in self.there(algorithms)]
                runs += [(f"{folder}/0", SANITIZED[0][1], "cuda:0*2", algorithm)
                         for algorithm in LEVELWISE]
                for path, support, device, algorithm in runs:
                    status, output = run(
                        [*command, self.lode, "itemsets", path, "-s", support, "--device", device,
                         "--count", "--quiet", "--algorithm", *algorithm.split()], limit=200)
                    self.check(f"{check} {algorithm} {device} {path[-1]}", status == 0, output)
                status, output = run([*command, str(self.build / "tests" / "lode-tests"), "products"],
                                     {"LODE_TEST_DEVICES": "cuda",
                                      "LODE_TEST_SHAPE": "18" if few else "8"}, limit=200)
                self.check(f"{check} products", status == 0, output)
                say(f"    {check}: {len(runs)} runs and products, "
                    f"{time.monotonic() - start:.0f} s")

    # --- graphs ---

    def mine_graphs(self, path, support, options):
        """Count, hash and device memory of the patterns, or what went wrong."""
        command = [self.lode, "graphs", str(path), "-s", str(support), "--count", "--hash", "--report",
                   "json", *options.split()]
        status, output = run(command, limit=200)
        found = re.search(r"^\{.*", output, re.M | re.S)
        if status != 0 or not found:
            return f"exit {status}: {output[-300:]}", "", 0, 0
        report = json.loads(found[0])
        patterns = report["patterns"]
        return (patterns["total"], patterns["hash"], report["memory"]["device_peak"],
                report["device"]["groups_moved"])

    def graph_counts(self, data):
        rows = [line.split(",") for line in (data / "counts.csv").read_text().split()[1:]]
        done, start = 0, time.monotonic()
        for name, support, patterns, kind, *_ in rows:
            if int(patterns) > GRAPH_MOST or not (data / name).exists():
                continue
            count, known, *_ = self.mine_graphs(data / name, support, "")
            what = f"{name.split('.')[0]} {support}"
            self.check(f"{what} on the CPU", kind != "exact" or count == int(patterns), str(count))
            ways = ["--device cuda"]
            if int(patterns) < 4000 and not name.startswith("ENZYMES"):  # too many extensions
                ways.append("--algorithm gspan --device cuda")
            for way in ways:
                got = self.mine_graphs(data / name, support, way)
                self.check(f"{what} {way}", got[:2] == (count, known), f"{got} for {count} {known}")
                done += 1
        say(f"    known counts: {done} runs, {time.monotonic() - start:.0f} s")

    def graph_budgets(self, data):
        for name, support, size in (("NCI1", 206, 12), ("NCI1", 206, 48), ("HIV_41127", 2057, 100),
                                    ("HIV_41127", 2057, 400)):
            path = data / f"{name}.lg.zst"
            if not path.exists():
                continue
            want = self.mine_graphs(path, support, "")
            got = self.mine_graphs(path, support, f"--device cuda --device-memory {size}M")
            say(f"    {name} {support} in {size} MB: peak {got[2] >> 20} MB, {got[3]} groups moved, "
                f"{got[:2]}")
            self.check(f"{name} in {size} MB", got[:2] == want[:2] and got[2] <= size << 20, str(got))

    def graph_targets(self, data):
        """Compares with the CPU what the host computes from occurrences."""
        path = data / "Chemical_340.lg.zst"
        if not path.exists():
            return
        for options in ("--target closed", "--target maximal", "--induced", "--target top:100",
                        "--graphs --embeddings", "--max-edges 5 --min-vertices 3", "--directed"):
            want = self.mine_graphs(path, 34, options)
            for way in ("", "--algorithm gspan "):
                got = self.mine_graphs(path, 34, f"{way}--device cuda {options}")
                self.check(f"graphs {way}{options}", got[:2] == want[:2], f"{got} for {want}")

    def graph_variants(self, data):
        """Tests the four layouts of gspan: the compiled loads, and equal patterns, also when the
        host fetches the columns."""
        status, output = run([sys.executable, str(ROOT / "tools" / "check_loads.py")])
        say("    " + (output.splitlines() or ["no output"])[-1])
        self.check("loads", status in (0, SKIPPED), output)
        for name, support, options in (("NCI1", 411, ""), ("Chemical_340", 34, ""),
                                       ("Chemical_340", 34, "--target closed"),
                                       ("Chemical_340", 34, "--graphs --embeddings")):
            path = data / f"{name}.lg.zst"
            if not path.exists():
                continue
            want = self.mine_graphs(path, support, options)
            for variant in GRAPH_VARIANTS:
                for algorithm in ("gspan", "pgm"):
                    way = f"--algorithm {algorithm} --device cuda {variant} {options}"
                    got = self.mine_graphs(path, support, way)
                    self.check(f"{name} {way}", got[:2] == want[:2], f"{got} for {want}")
        for options in ("--device cuda --records columns", "--device cuda --loads plain",
                        "--algorithm gspan --device cpu --loads plain"):
            status, output = run([self.lode, "graphs", str(data / "Chemical_340.lg.zst"), "-s", "34",
                                  "--count", *options.split()])
            self.check(f"refused: {options}", status == 2 and "has no effect" in output, output)

    def graph_sanitizer(self):
        tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
        if not Path(tool).exists():
            say("    skip: there is no compute-sanitizer")
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data"
            run([self.lode, "generate", "graphs", "-n", "60", "-l", "12", "--patterns", "5",
                 "--vertex-labels", "2", "--edge-labels", "2", "-o", str(path)])
            for check in ("memcheck", "racecheck", "initcheck", "synccheck"):
                reads = check in ("memcheck", "initcheck")  # which differ between the variants
                variants = GRAPH_VARIANTS if reads else GRAPH_VARIANTS[:1]
                for algorithm in ("frontier", *(f"gspan {variant}" for variant in variants)):
                    status, output = run(
                        [tool, "--tool", check, "--error-exitcode", "99", self.lode, "graphs",
                         str(path), "-s", "30%", "--algorithm", *algorithm.split(), "--device",
                         "cuda", "--count", "--max-edges", "5"], limit=100)
                    self.check(f"{check} graphs {algorithm}", status == 0, output)
                say(f"    {check} done")

    def graphs(self):
        self.program("graph_ops")
        for name in ("graph_matrix", "graph_frontier"):
            self.program(name, {"LODE_TEST_DEVICES": "cuda"})
        data = Path(os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data")) / "graphs"
        if (data / "counts.csv").exists():
            self.graph_counts(data)
            self.graph_budgets(data)
            self.graph_targets(data)
            self.graph_variants(data)
        else:
            say(f"    skip: there is no {data}/counts.csv")
        self.graph_sanitizer()
        for case in SPEED["graphs"] if self.tables else ():
            self.table(case)

    def table(self, case):
        status, output = run([sys.executable, str(ROOT / "bench" / "run.py"), case,
                              "--machine", self.machine, *self.results],
                             {"LODE_BIN": self.lode}, limit=900)
        table = [line for line in output.splitlines() if not line.startswith("  ")]
        say("\n".join("    " + line for line in table))
        self.check(f"speed {case}", status == 0, output)

    def speed(self):
        """Not a test: writes the tables of bench/cases/gpu-*.json, which show how fast this GPU is.
        """
        for group in self.speed_groups:
            for case in SPEED[group]:
                start = time.monotonic()
                self.table(case)
                say(f"    {case}: {time.monotonic() - start:.0f} s")
        if "roofline" in self.speed_groups:
            self.roofline()

    def roofline(self):
        status, output = run([sys.executable, str(ROOT / "tools" / "gpu_roofline.py"), "--machine",
                              self.machine, *self.results], {"LODE_BIN": self.lode}, limit=400)
        say("\n".join("    " + line for line in output.splitlines()))
        self.check("roofline", status in (0, SKIPPED), output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "test")
    parser.add_argument("--only", action="append", metavar="STEP")
    parser.add_argument("--machine", default="gpu", help="name in the file of known counts")
    parser.add_argument("--limit", default="20", help="seconds a search of known counts may take")
    parser.add_argument("--tables", action="store_true", help="graphs: also measure")
    parser.add_argument("--speed", action="append", choices=list(SPEED), metavar="GROUP",
                        help=f"of the speed step, only these: {', '.join(SPEED)}")
    parser.add_argument("--results", type=Path, help="where tables go (default: bench/results)")
    options = parser.parse_args()
    tester = Tester(options.build.resolve(), options.machine, options.limit)
    tester.tables = options.tables
    tester.speed_groups = options.speed or list(SPEED)
    tester.results = ["--results", str(options.results.resolve())] if options.results else []
    status, output = run([tester.lode, "devices"])
    cuda = next((line for line in output.splitlines() if line.startswith("cuda")), "no cuda")
    say(cuda)
    memory = re.search(r"(\d+) GiB", cuda)
    if memory:
        tester.gpu_gib = int(memory[1])
    if status != 0 or "not usable" in cuda or cuda == "no cuda":
        say("skip: there is no GPU to test on")
        return SKIPPED
    tester.look_for_wgmma()
    for step in ("operations", "matrix", "large", "golden", "sanitizer", "graphs", "speed"):
        if options.only and step not in options.only:
            continue
        say(f"== {step}")
        start = time.monotonic()
        getattr(tester, step)()
        say(f"    {time.monotonic() - start:.0f} s")
    say(f"{tester.done} checks, {len(tester.failed)} failed"
        + "".join(f"\n  {what}" for what in tester.failed))
    return 1 if tester.failed else 0


if __name__ == "__main__":
    sys.exit(main())
