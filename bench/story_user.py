"""What docs/benchmarks.md says in numbers: which algorithm, which device, how cost grows, the limits.

SPDX-License-Identifier: Apache-2.0
"""
import math
import re

import fit
from measured import seconds, size, table, times, whole
from problem import Problem

CORES = (2, 8, 16)
# Wrong by less than this is not wrong: whole runs differ by as much from run to run.
CHOICE_NOISE = 1.10
# The growth cases: what x is, in words; the unit of x on the plot.
GROWTH = {
    "growth-transactions": ("transactions", "transactions (T40I10, 300 items, 1%)"),
    "growth-items": ("items", "items (T20I6, 100 K transactions, 0.2%)"),
    "growth-length": ("items per transaction", "mean items per transaction (1,000 items, 1%)"),
    "growth-density": ("density", "percent of 100 items in a transaction (50 K, 10%)"),
}
# Rows of gpu-breakeven that differ in their size only.
BY_SIZE = re.compile(r"T40I10 300 items ([0-9.]+ [KM]) 1%")
NUMBER = re.compile(r"^([0-9.,]+) ?([KM]?)\b")


def number_of(text):
    """10 K as 10000: the place of a row whose file has no column x."""
    found = NUMBER.match(text)
    return float(found[1].replace(",", "")) * {"": 1, "K": 1e3, "M": 1e6}[found[2]]


def round_number(value):
    """Two digits of a large number, in words: 83 K, 1.2 M."""
    for unit, name in ((1e6, " M"), (1e3, " K")):
        if value >= unit:
            return f"{float(f'{value / unit:.2g}'):g}{name}"
    return f"{float(f'{value:.2g}'):g}"


def mean(values):
    """The geometric mean."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))


class User:
    def __init__(self, results, cite=lambda *cases: ""):
        self.of = results.newest
        self.has = results.has
        self.cite = cite

    # --- against others ---

    def against(self, case, command="lode"):
        """Rows that count: those in which the best other miner takes 20 ms or more. Returns {row: ratio}."""
        found = self.of(case)
        ratios = {}
        for row in found.rows():
            line = found.line(row, command)
            base = line.get("base", "")
            if base and line["ratio"] not in ("", "nan") and found.number(row, base, "cpu") >= 0.02:
                ratios[row] = float(line["ratio"])
        return ratios

    def short(self, case):
        return f"{mean(self.against(case).values()):.2f}"

    def against_table(self):
        rows = []
        for what, case in (("all frequent itemsets, counted", "auto-count"),
                           ("the same, written as text", "auto-text"),
                           ("closed itemsets", "auto-closed"), ("maximal itemsets", "auto-maximal"),
                           ("itemsets of many transactions", "auto-large"),
                           ("frequent subgraphs", "graphs")):
            ratios = self.against(case)
            worst = max(ratios, key=ratios.get)
            slower = sum(value > 1 for value in ratios.values())
            rows.append([what + self.cite(case), str(len(ratios)), f"{mean(ratios.values()):.2f}",
                         f"{ratios[worst]:.2f} ({worst})", str(slower)])
        return table(["what", "rows", "mean", "at the worst", "slower in"], rows)

    def targets_table(self):
        """CPU seconds of the same data for all, closed and maximal sets."""
        found = self.of("auto-large")
        data = {}
        for row in found.rows():
            name, target = row.rsplit(" ", 1)
            data.setdefault(name, {})[target] = (found.text(row, "lode", "count"),
                                                 found.number(row, "lode", "cpu"))
        kinds = ("all", "closed", "maximal")
        rows = [[name, *("–" if kind not in cells else
                         f"{seconds(cells[kind][1])} ({whole(cells[kind][0])})" for kind in kinds)]
                for name, cells in data.items() if len(cells) > 1]
        return table(["data", "`all`", "`closed`", "`maximal`"], rows)

    def fewer_sets(self):
        """Of the known counts: how many closed and maximal sets there are for every hundred, geometric
        means over the rows with all three."""
        every, closed, most = (self.of(name) for name in ("auto-count", "auto-closed", "auto-maximal"))
        rows = [row for row in every.rows() if row in closed.rows() and row in most.rows()]
        share = [mean(float(part.text(row, "lode", "count")) / float(every.text(row, "lode", "count"))
                      for row in rows) for part in (closed, most)]
        return [f"{100 * value:.0f}" for value in share]

    # --- CPU or GPU, from the standing tables ---

    def sixteen(self):
        """Whole runs of gpu-tensor: (seconds of 16 cores, of the GPU) by row."""
        found = self.of("gpu-tensor")
        return {row: (found.number(row, "adaptive, all cores"), found.number(row, "tensor, cuda"))
                for row in found.rows() if found.has(row, "adaptive, all cores")}

    @staticmethod
    def between(pairs):
        """Up to which time of the cores they win, and from which the GPU does: (last, first)."""
        lost = [cores for cores, gpu in pairs if cores <= gpu]
        won = [cores for cores, gpu in pairs if cores > gpu]
        return max(lost, default=0.0), min(won, default=math.inf)

    def sixteen_sentence(self):
        runs = self.sixteen()
        last, first = self.between(runs.values())
        faster = sum(cores > gpu for cores, gpu in runs.values())
        text = f"the GPU is faster in {faster} of {len(runs)} whole runs"
        if not faster or faster == len(runs):
            return text
        if last < first:
            return f"{text}: in all that take the cores {seconds(first)} s or more"
        return (f"{text}: in none that takes the cores less than {seconds(first)} s, in all that take them "
                f"more than {seconds(last)} s")

    def pays_from(self, case="gpu-tensor", cores="adaptive, all cores", gpu="tensor, cuda"):
        """The shortest run of 16 cores from which on the GPU was always faster, whole runs."""
        found = self.of(case)
        pairs = sorted((found.number(row, cores), found.number(row, gpu)) for row in found.rows()
                       if found.has(row, cores) and found.has(row, gpu))
        start = next((k for k in range(len(pairs)) if all(a > b for a, b in pairs[k:])), None)
        if start is None:
            raise Problem(f"the longest run of {case} is not faster on the GPU")
        return seconds(pairs[start][0])

    def cores_win(self, target):
        """Of the rows of that target: in how many the whole run is shorter on 16 cores, and of how many."""
        found = self.of("gpu-tensor-targets")
        rows = [row for row in found.rows() if row.endswith(target)
                and found.has(row, "adaptive, all cores") and found.has(row, "tensor, cuda")]
        won = [row for row in rows
               if found.number(row, "adaptive, all cores") < found.number(row, "tensor, cuda")]
        return len(won), len(rows)

    def start_share(self):
        """What of the shortest run on the GPU is neither reading, preparing nor counting, in percent."""
        found = self.of("gpu-tensor")
        name = "tensor, cuda"
        row = min(found.rows(), key=lambda row: found.number(row, name))
        busy = sum(found.number(row, name, part) for part in ("read", "preprocess", "work"))
        return f"{100 * (1 - busy / found.number(row, name)):.0f}%"

    def longest_gain(self):
        found = self.of("gpu-tensor-long")
        row = max(found.rows(), key=lambda name: found.ratio(name, "wall", "adaptive, all cores",
                                                             "tensor, cuda"))
        return (f"{row}, {whole(found.text(row, 'tensor, cuda', 'count'))} sets: "
                f"{seconds(found.number(row, 'tensor, cuda'))} s on the GPU, "
                f"{seconds(found.number(row, 'adaptive, all cores'))} s on 16 cores")

    def shortest_gpu(self):
        found = self.of("gpu-tensor")
        return seconds(min(found.number(row, "tensor, cuda") for row in found.rows()))

    # --- break-even ---

    def breakeven_table(self, case, cores=CORES):
        """Whole runs on so many cores and on the GPU with as many; the fastest of both in bold."""
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
        """The whole run on the GPU beside n cores, or beside all where only that was measured."""
        name = f"cuda {n}" if found.has(row, f"cuda {n}") else "cuda 16"
        return found.number(row, name)

    def breakeven(self, case, n):
        """A sentence: when the GPU is faster than n cores."""
        found = self.of(case)
        pairs = [(found.number(row, f"cpu {n}"), self.gpu_time(found, row, n)) for row in found.rows()]
        last, first = self.between(pairs)
        if math.isinf(first):
            return f"than {n} cores: in none of these runs"
        if last == 0:
            return f"than {n} cores: in all of these runs"
        if last < first:
            return (f"than {n} cores: in every run that takes these {seconds(first)} s or more, in none of "
                    f"{seconds(last)} s or less")
        return (f"than {n} cores: in every run that takes these more than {seconds(last)} s, in none of less "
                f"than {seconds(first)} s")

    def break_size(self, n):
        """From how many transactions on, T40I10 with 300 items at 1%."""
        found = self.of("gpu-breakeven")
        points = []
        for row in found.rows():
            match = BY_SIZE.fullmatch(row)
            if match:
                points.append((number_of(match[1]), found.number(row, f"cpu {n}"),
                               self.gpu_time(found, row, n)))
        place = fit.crossing(points)
        if place is None:
            return f"{n} cores are faster up to {round_number(max(points)[0])} transactions at the least"
        if place == 0:
            return f"{n} cores are slower from {round_number(min(points)[0])} transactions on"
        return f"{n} cores break even at {round_number(place)} transactions"

    def work_gain(self):
        """Counting alone: how many times as long 16 cores take as the GPU: least, mean, most."""
        found = self.of("gpu-breakeven")
        gains = [found.ratio(row, "work", "cpu 16", "cuda 16") for row in found.rows()
                 if found.number(row, "cuda 16", "work") > 0]
        return times(min(gains)), times(mean(gains)), times(max(gains))

    def scaling(self):
        """How many times faster whole runs on 8 and 16 cores are than on 2, where these take 0.2 s or
        more: geometric means."""
        found = self.of("gpu-breakeven")
        rows = [row for row in found.rows() if found.number(row, "cpu 2") >= 0.2]
        return [f"{mean(found.ratio(row, 'wall', 'cpu 2', f'cpu {n}') for row in rows):.1f}"
                for n in (8, 16)]

    def choices(self, case, n):
        """What auto takes with n cores: [(row, choice, seconds, best of both, loss)]. Its time is that of
        what it takes, measured as such."""
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
        """In how many rows auto is right with n cores, and what it costs where it is not."""
        chosen = self.choices(case, n)
        wrong = [entry for entry in chosen if entry[4] >= CHOICE_NOISE]
        text = f"right in {len(chosen) - len(wrong)} of {len(chosen)} rows"
        if not wrong:
            return text
        worst = max(wrong, key=lambda entry: entry[4])
        lost = sum(entry[2] - entry[2] / entry[4] for entry in wrong)
        return (f"{text}; where it is not, it loses {seconds(lost)} s in all, and at the worst takes "
                f"{worst[4]:.1f} times as long as the other ({worst[0]})")

    def graphs_sentence(self):
        found = self.of("gpu-graphs-all")
        pairs = [(found.number(row, "all cores"), found.number(row, "cuda")) for row in found.rows()]
        last, first = self.between(pairs)
        longest = max(found.rows(), key=lambda row: found.ratio(row, "wall", "all cores", "cuda"))
        return (f"16 cores are faster in runs of up to {seconds(last)} s, the GPU from {seconds(first)} s on, "
                f"by {times(found.ratio(longest, 'wall', 'all cores', 'cuda'))} times at the most ({longest})")

    # --- growth ---

    def curve(self, case, measure, command=None, rows=None):
        """(x, y) of a growth case; x from its column, or from the name of the row in older files."""
        found = self.of(case)
        command = command or found.commands()[-1]
        points = []
        for row in rows or found.rows():
            line = found.line(row, command)
            x = float(line["x"]) if line.get("x") else number_of(row)
            column = "peak_mib" if measure == "peak" else measure
            points.append((x, found.number(row, command, column)))
        return points

    def law(self, points):
        found = fit.power_law(points)
        return "–" if not found else f"{round(found[0], 2) + 0.0:.2f} (R² {found[2]:.2f})"

    def growth_table(self):
        """The exponents of time, of memory, and of the number of sets, case by case."""
        rows = []
        for case, (words, _) in GROWTH.items():
            if not self.has(case):
                rows.append([words, "not measured yet", "", "", "", ""])
                continue
            points = self.curve(case, "cpu")
            rows.append([words + self.cite(case), f"{points[0][0]:,.0f} to {points[-1][0]:,.0f}",
                         f"{seconds(points[0][1])} to {seconds(points[-1][1])} s",
                         self.law(points), self.law(self.curve(case, "peak")),
                         self.law(self.curve(case, "count"))])
        return table(["with", "from, to", "CPU time", "time grows as x to the", "memory", "sets"], rows)

    def exponent(self, case, least=100000):
        """The exponent over the larger sizes, where fixed costs do not matter any more."""
        return fit.power_law([point for point in self.curve(case, "cpu") if point[0] >= least])[0]

    def is_flat(self, case):
        """Whether time hardly depends on x: less than as its cube root."""
        return abs(self.exponent(case, 0)) < 1 / 3

    def outgrown_by_sets(self, case):
        """Whether the number of sets grows faster than the time does."""
        return fit.power_law(self.curve(case, "count"))[0] > self.exponent(case, 0)

    def transactions_linear(self):
        return f"{self.exponent('growth-transactions'):.2f}"

    def threshold_rows(self):
        """{family: its rows} of the threshold case."""
        found = self.of("growth-threshold")
        families = {}
        for line in found.lines:
            families.setdefault(line["family"], []).append(line["row"])
        return families

    def threshold_table(self):
        """By family: time against the threshold, and against the number of sets found."""
        rows = []
        for family, names in self.threshold_rows().items():
            time = self.curve("growth-threshold", "cpu", rows=names)
            count = self.curve("growth-threshold", "count", rows=names)
            by_sets = [(sets, cost) for (_, sets), (_, cost) in zip(count, time)]
            rows.append([family, f"{time[0][0]:g}% to {time[-1][0]:g}%",
                         f"{seconds(time[0][1])} to {seconds(time[-1][1])} s",
                         f"{whole(count[0][1])} to {whole(count[-1][1])}", self.law(time),
                         self.law(by_sets)])
        return table(["data", "threshold", "CPU time", "sets", "time grows as the threshold to the",
                      "as the sets to the"], rows)

    # --- threads, reading, writing ---

    def threads_gain(self):
        """How much shorter two threads make the busier one's time: geometric mean, worst, rows."""
        found = self.of("auto-threads")
        ratios = {row: found.ratio(row, "busiest", "2 threads", "1 thread") for row in found.rows()
                  if found.number(row, "1 thread", "busiest") >= 0.02}
        worst = max(ratios, key=ratios.get)
        return f"{mean(ratios.values()):.2f}", f"{ratios[worst]:.2f} ({worst})", str(len(ratios))

    def read_table(self):
        found = self.of("read")
        return table(["data", "lode", "eclat", "times faster"],
                     [[row, seconds(found.number(row, "lode", "read")),
                       seconds(found.number(row, "eclat", "read")),
                       times(found.ratio(row, "read", "eclat", "lode"))] for row in found.rows()])

    def writer_table(self):
        """MB/s of each format, for itemsets and, where they were measured, rules."""
        found = self.of("writer")
        return table(["format", *found.rows()],
                     [[f"`{name}`", *(whole(found.number(row, name, "MB/s")) for row in found.rows())]
                      for name in found.commands()])

    def has_rule_formats(self):
        return any(name.startswith("rules") for name in self.of("writer").commands())

    def rules_table(self):
        found = self.of("rules")

        def rate(row):
            return found.number(row, "csv", "bytes") / found.number(row, "csv", "cpu")
        return table(["data", "rules", "counted, CPU s", "as CSV, CPU s", "written a CPU second"],
                     [[row, whole(found.text(row, "count", "count")),
                       seconds(found.number(row, "count", "cpu")), seconds(found.number(row, "csv", "cpu")),
                       size(rate(row))] for row in found.rows()])

    # --- limits ---

    def memory_gain(self):
        """Peak memory against eclat, where less than 32 MiB counts as 32: mean, worst, largest peak."""
        found = self.of("auto-memory")
        ratios = {row: float(found.line(row, "lode")["ratio"]) for row in found.rows()}
        worst = max(ratios, key=ratios.get)
        peak = max(found.rows(), key=lambda row: found.number(row, "lode", "peak_mib"))
        return (f"{mean(ratios.values()):.2f}", f"{ratios[worst]:.2f} ({worst})",
                f"{found.number(peak, 'lode', 'peak_mib'):.0f} MiB ({peak})")

    def limits_table(self):
        """The largest things that were measured."""
        rows = []
        found = self.of("billion")
        row = found.rows()[0]
        rows.append(["itemsets" + self.cite("billion"), whole(found.text(row, "lode", "count")),
                     f"one core, {seconds(found.number(row, 'lode', 'cpu'))} s CPU time",
                     f"{found.number(row, 'lode', 'peak_mib'):.0f} MiB"])
        points = self.curve("growth-transactions", "cpu")
        memory = self.curve("growth-transactions", "peak")
        rows.append(["transactions on a CPU" + self.cite("growth-transactions"), f"{points[-1][0]:,.0f}",
                     f"{seconds(points[-1][1])} s CPU time", f"{memory[-1][1]:,.0f} MiB"])
        found = self.of("gpu-paper-largest")
        name = "tensor, cuda"
        done = [row for row in found.rows() if found.has(row, name)]
        for what, key in (("transactions on a GPU", lambda row: number_of(row.split(" ", 1)[1])),
                          ("itemsets on a GPU", lambda row: found.number(row, name, "count"))):
            row = max(done, key=key)
            value = number_of(row.split(" ", 1)[1]) if "transactions" in what else \
                found.number(row, name, "count")
            rows.append([what + self.cite("gpu-paper-largest"), whole(value),
                         f"{row}, 1%: {seconds(found.number(row, name))} s in all",
                         f"{found.number(row, name, 'peak_mib') / 1024:.1f} GiB, "
                         f"{size(found.number(row, name, 'gpu_bytes'))} on the GPU"])
        found = self.of("graphs")
        row = max(found.rows(), key=lambda name: found.number(name, "lode", "count"))
        rows.append(["subgraphs" + self.cite("graphs"), whole(found.text(row, "lode", "count")),
                     f"{row}: {seconds(found.number(row, 'lode', 'cpu'))} s CPU time",
                     f"{found.number(row, 'lode', 'peak_mib'):.0f} MiB"])
        return table(["the most that was measured", "", "in", "memory"], rows, left=2)

    def small_gpu_memory(self):
        found = self.of("gpu-tensor-memory")
        row = found.rows()[0]
        return (size(found.number(row, "cuda 256 MB", "gpu_bytes")),
                size(found.number(row, "cuda", "gpu_bytes")),
                times(found.ratio(row, "work", "cuda 256 MB", "cuda")),
                times(found.ratio(row, "wall", "cuda 256 MB", "cuda")))

    # --- plots ---

    def plots(self):
        """{file name: drawing} of what was measured."""
        drawings = {}
        for case, (words, label) in GROWTH.items():
            if self.has(case):
                drawings[f"{case}.svg"] = self.growth_plot(case, words, label)
        if self.has("growth-threshold"):
            drawings["growth-threshold.svg"] = self.threshold_plot()
        if self.has("gpu-breakeven"):
            drawings["gpu-breakeven.svg"] = self.breakeven_plot()
        return drawings

    def series(self, case, name, points, spreads=None):
        return {"name": name, "x": [x for x, _ in points], "y": [y for _, y in points],
                **({"error": spreads} if spreads else {})}

    def growth_plot(self, case, words, label):
        """Time with its spread, and the law that was fitted to it."""
        found = self.of(case)
        series = []
        for command in found.commands():
            points = self.curve(case, "cpu", command)
            spreads = [found.spread(row, command, "cpu") / 2 for row in found.rows()]
            name = {"lode": "CPU seconds"}.get(command, f"CPU seconds, {command}")
            if len(found.commands()) > 1 and command == "lode":
                name = "CPU seconds, 1 thread"
            series.append(self.series(case, name, points, spreads))
        law = fit.power_law(points)
        if law:
            ends = [points[0][0], points[-1][0]]
            series.append({"name": f"x to the {law[0]:.2f}, R² {law[2]:.2f}", "x": ends, "dashed": True,
                           "y": [law[1] * x ** law[0] for x in ends]})
        return {"title": f"Time by {words}", "kind": "lines", "x": {"label": label, "log": True},
                "y": {"label": "CPU seconds", "log": True}, "series": series}

    def threshold_plot(self):
        series = [self.series("growth-threshold", family,
                              self.curve("growth-threshold", "cpu", rows=names))
                  for family, names in self.threshold_rows().items()]
        return {"title": "Time by threshold", "kind": "lines",
                "x": {"label": "threshold, percent", "log": True},
                "y": {"label": "CPU seconds", "log": True}, "series": series}

    def breakeven_plot(self):
        found = self.of("gpu-breakeven")
        names = {}
        for row in found.rows():
            match = BY_SIZE.fullmatch(row)
            if match:
                names[row] = number_of(match[1])
        series = []
        for command in (*(f"cpu {n}" for n in CORES), "cuda 16"):
            words = f"{command.split()[1]} cores" if command.startswith("cpu") else "GPU"
            series.append(self.series("", words, [(x, found.number(row, command))
                                                  for row, x in sorted(names.items(), key=lambda p: p[1])]))
        return {"title": "Whole runs, T40I10 with 300 items at 1%", "kind": "lines",
                "x": {"label": "transactions", "log": True}, "y": {"label": "seconds", "log": True},
                "series": series}
