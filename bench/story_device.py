"""CPU or GPU: break-even, and what `auto` takes, for docs/benchmarks.md.

SPDX-License-Identifier: Apache-2.0
"""
import math
import re

import fit
from measured import number_of, round_number, seconds, table, times, whole
from problem import ROOT, Problem

CORES = (2, 8, 16)
# Wrong by less than this is not wrong: whole runs differ by as much from run to run.
CHOICE_NOISE = 1.10
# Rows of gpu-breakeven that differ in their size only.
BY_SIZE = re.compile(r"T40I10 300 items ([0-9.]+ [KM]) 1%")


def between(pairs):
    """From (seconds of the cores, of the GPU): the longest run that the cores win, and the shortest
    that the GPU wins, by the time of the cores."""
    lost = [cores for cores, gpu in pairs if cores <= gpu]
    won = [cores for cores, gpu in pairs if cores > gpu]
    return max(lost, default=0.0), min(won, default=math.inf)


def who_wins(pairs, cores):
    """A sentence about the same."""
    last, first = between(pairs)
    if math.isinf(first) or last == 0:
        return f"{'the GPU' if last == 0 else cores} won all runs"
    if last < first:
        return (f"{cores} are faster if they take {seconds(last)} s or less, and the GPU is faster if they take "
                f"{seconds(first)} s or more")
    return (f"{cores} are faster if they take less than {seconds(first)} s, and the GPU is faster if they take "
            f"more than {seconds(last)} s")


class Device:
    def __init__(self, results):
        self.of = results.newest
        self.has = results.has

    # --- CPU or GPU, from the standing tables ---

    def sixteen(self):
        """Whole runs of gpu-tensor: (seconds of 16 cores, of the GPU) by row."""
        found = self.of("gpu-tensor")
        return {row: (found.number(row, "adaptive, all cores"), found.number(row, "tensor, cuda"))
                for row in found.rows() if found.has(row, "adaptive, all cores")}

    def sixteen_sentence(self):
        runs = self.sixteen()
        last, first = between(runs.values())
        faster = sum(cores > gpu for cores, gpu in runs.values())
        text = f"the GPU is faster in {faster} of {len(runs)} whole runs"
        if not faster or faster == len(runs):
            return text
        if last < first:
            return f"{text}: in every run for which the cores need {seconds(first)} s or more"
        return (f"{text}: in no run for which the cores need less than {seconds(first)} s, and in every run for "
                f"which they need more than {seconds(last)} s")

    def pays_from(self, case="gpu-tensor", cores="adaptive, all cores", gpu="tensor, cuda"):
        """The shortest run of 16 cores from which on the GPU was always faster, for whole runs."""
        found = self.of(case)
        pairs = sorted((found.number(row, cores), found.number(row, gpu)) for row in found.rows()
                       if found.has(row, cores) and found.has(row, gpu))
        start = next((k for k in range(len(pairs)) if all(a > b for a, b in pairs[k:])), None)
        if start is None:
            raise Problem(f"the longest run of {case} is not faster on the GPU")
        return seconds(pairs[start][0])

    def cores_win(self, target):
        """Of the rows of that target: how many whole runs are shorter on 16 cores, and how many
        there are."""
        found = self.of("gpu-tensor-targets")
        rows = [row for row in found.rows() if row.endswith(target)
                and found.has(row, "adaptive, all cores") and found.has(row, "tensor, cuda")]
        won = [row for row in rows
               if found.number(row, "adaptive, all cores") < found.number(row, "tensor, cuda")]
        return len(won), len(rows)

    def start_share(self):
        """The share of the shortest run on the GPU that is not reading, preparing or counting, in
        percent."""
        found = self.of("gpu-tensor")
        name = "tensor, cuda"
        row = min(found.rows(), key=lambda row: found.number(row, name))
        busy = sum(found.number(row, name, part) for part in ("read", "preprocess", "work"))
        return f"{100 * (1 - busy / found.number(row, name)):.0f}%"

    def longest_gain(self):
        found = self.of("gpu-tensor-long")
        row = max(found.rows(), key=lambda name: found.ratio(name, "wall", "adaptive, all cores",
                                                             "tensor, cuda"))
        data = re.sub(r"^(\S+) (\d+) items (\S+) M (\S+)$",
                      r"\1 with \2 items, \3 million transactions, support \4", row)
        return (f"{whole(found.text(row, 'tensor, cuda', 'count'))} itemsets in "
                f"{seconds(found.number(row, 'tensor, cuda'))} s on one H200 GPU, against "
                f"{seconds(found.number(row, 'adaptive, all cores'))} s on 16 CPU cores ({data})")

    def shortest_gpu(self):
        found = self.of("gpu-tensor")
        return seconds(min(found.number(row, "tensor, cuda") for row in found.rows()))

    @staticmethod
    def rule(name):
        """A number by which auto decides, read from its source."""
        text = (ROOT / "src" / "pipeline" / "engine" / "device_tuning.h").read_text(encoding="utf-8")
        found = re.search(rf"#define {name}\s+([0-9.e]+)", text)
        if not found:
            raise Problem(f"src/pipeline/engine/device_tuning.h has no {name}: how does auto decide now?")
        return float(found[1])

    def gpu_start(self):
        return f"{self.rule('GPU_START_SECONDS'):g}"

    def least_density(self):
        return f"{100 * self.rule('GPU_LEAST_DENSITY'):g}%"

    # --- break-even ---

    def breakeven_table(self, case, cores=CORES):
        """Whole runs on several numbers of cores, and on the GPU with as many; the fastest in bold.
        """
        found = self.of(case)
        rows = []
        for row in found.rows():
            cells = [row, whole(found.text(row, f"cpu {cores[-1]}", "count"))]
            for n in cores:
                pair = [found.number(row, f"cpu {n}"), self.gpu_time(found, row, n)]
                best = min(pair)
                cells.append(" / ".join(f"**{seconds(value)}**" if value == best else seconds(value)
                                        for value in pair))
            rows.append(cells)
        return table(["data", "patterns", *(f"{n} cores / GPU" for n in cores)], rows)

    @staticmethod
    def gpu_time(found, row, n):
        """The whole run on the GPU with n cores, or with all cores if only that was measured."""
        name = f"cuda {n}" if found.has(row, f"cuda {n}") else "cuda 16"
        return found.number(row, name)

    def breakeven(self, case, n):
        """A part of a sentence: when the GPU is faster than n cores."""
        found = self.of(case)
        pairs = [(found.number(row, f"cpu {n}"), self.gpu_time(found, row, n)) for row in found.rows()]
        last, first = between(pairs)
        if math.isinf(first):
            return f"{n} cores beat the GPU in every run"
        if last == 0:
            return f"the GPU beats {n} cores in every run"
        if last < first:
            return (f"the GPU beats {n} cores in every run for which the cores need {seconds(first)} s or more, and "
                    f"in no run for which they need {seconds(last)} s or less")
        return (f"the GPU beats {n} cores in every run for which the cores need more than {seconds(last)} s, and in "
                f"no run for which they need less than {seconds(first)} s")

    def break_size(self, n):
        """The number of transactions from which on the GPU wins, for T40I10 with 300 items at 1%.
        """
        found = self.of("gpu-breakeven")
        points = []
        for row in found.rows():
            match = BY_SIZE.fullmatch(row)
            if match:
                points.append((number_of(match[1]), found.number(row, f"cpu {n}"),
                               self.gpu_time(found, row, n)))
        place = fit.crossing(points)
        if place is None:
            return f"{n} cores are faster up to at least {round_number(max(points)[0])} transactions"
        if place == 0:
            return f"the GPU is faster than {n} cores from {round_number(min(points)[0])} transactions on"
        return f"the GPU overtakes {n} cores at {round_number(place)} transactions"

    def work_gain(self):
        """Counting alone: how many times as long as the GPU 16 cores take: least, mean, most."""
        found = self.of("gpu-breakeven")
        gains = [found.ratio(row, "work", "cpu 16", "cuda 16") for row in found.rows()
                 if found.number(row, "cuda 16", "work") > 0]
        return times(min(gains)), times(fit.mean(gains)), times(max(gains))

    def scaling(self):
        """Geometric means of how many times faster whole runs on 8 and 16 cores are than on 2, for
        runs that take at least 0.2 s on 2."""
        found = self.of("gpu-breakeven")
        rows = [row for row in found.rows() if found.number(row, "cpu 2") >= 0.2]
        return [f"{fit.mean(found.ratio(row, 'wall', 'cpu 2', f'cpu {n}') for row in rows):.1f}"
                for n in (8, 16)]

    def choices(self, case, n):
        """What auto chooses with n cores: [(row, choice, seconds, best of both, loss)]. The seconds
        are measured runs of the chosen device."""
        found = self.of(case)
        chosen = []
        for row in found.rows():
            if not found.has(row, f"auto {n}"):
                continue
            both = {"CPU": found.number(row, f"cpu {n}"), "GPU": self.gpu_time(found, row, n)}
            choice = "GPU" if found.number(row, f"auto {n}", "gpu_bytes") > 0 else "CPU"
            best = min(both, key=both.get)
            chosen.append((row, choice, both[choice], best, both[choice] / both[best]))
        return chosen

    def auto_table(self, case, cores=CORES):
        by_row = {}
        for n in cores:
            for row, choice, _, best, loss in self.choices(case, n):
                cell = choice if choice == best or loss < CHOICE_NOISE else \
                    f"**{choice}**, {loss:.2f} x the {best}"
                by_row.setdefault(row, {})[n] = cell
        return table(["data", *(f"{n} cores" for n in cores)],
                     [[row, *(cells.get(n, "–") for n in cores)] for row, cells in by_row.items()], left=4)

    def auto_verdict(self, case, n):
        """How many choices of auto are right with n cores, and what the others cost."""
        chosen = self.choices(case, n)
        wrong = [entry for entry in chosen if entry[4] >= CHOICE_NOISE]
        if not wrong:
            return f"With {n} cores, all {len(chosen)} choices of `auto` are right."
        text = f"With {n} cores, {len(chosen) - len(wrong)} of {len(chosen)} choices of `auto` are right."
        worst = max(wrong, key=lambda entry: entry[4])
        lost = seconds(sum(entry[2] - entry[2] / entry[4] for entry in wrong))
        longer = f"takes {worst[4]:.1f} times as long as it would on the other device"
        if len(wrong) == 1:
            return f"{text} The wrong choice ({worst[0]}) loses {lost} s: the run {longer}."
        return f"{text} The {len(wrong)} wrong choices lose {lost} s in total; the worst run ({worst[0]}) {longer}."

    def graphs_sentence(self):
        found = self.of("gpu-graphs-all")
        pairs = [(found.number(row, "all cores"), found.number(row, "cuda")) for row in found.rows()]
        longest = max(found.rows(), key=lambda row: found.ratio(row, "wall", "all cores", "cuda"))
        gain = times(found.ratio(longest, "wall", "all cores", "cuda"))
        return f"{who_wins(pairs, '16 cores')}; the GPU is at most {gain} times as fast ({longest})"

    def plots(self):
        """{file name: drawing} of what was measured."""
        return {"gpu-breakeven.svg": self.breakeven_plot()} if self.has("gpu-breakeven") else {}

    def breakeven_plot(self):
        found = self.of("gpu-breakeven")
        places = sorted((number_of(BY_SIZE.fullmatch(row)[1]), row) for row in found.rows()
                        if BY_SIZE.fullmatch(row))
        series = []
        for command in (*(f"cpu {n}" for n in CORES), "cuda 16"):
            words = f"{command.split()[1]} cores" if command.startswith("cpu") else "GPU"
            series.append({"name": words, "x": [x for x, _ in places],
                           "y": [found.number(row, command) for _, row in places]})
        return {"title": "Whole runs, T40I10 with 300 items at 1%", "kind": "lines",
                "x": {"label": "transactions", "log": True}, "y": {"label": "seconds", "log": True},
                "series": series}
