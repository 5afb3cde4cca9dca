"""What docs/benchmarks.md says in numbers: lode against others, reading, writing, the limits.

SPDX-License-Identifier: Apache-2.0
"""
import re

import story_papers
from fit import mean
from measured import number_of, seconds, size, table, times, whole
from story_growth import Growth


class User:
    def __init__(self, results, cite=lambda *cases: ""):
        self.results = results
        self.of = results.newest
        self.cite = cite
        self.growth = Growth(results)

    # --- against others ---

    def against(self, case, command="lode"):
        """The rows that count, in which the best other miner takes 20 ms or more. Returns {row:
        ratio}."""
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
        return table(["what", "cases", "mean ratio", "worst ratio", "cases where lode is slower"], rows)

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
        """How many closed and maximal sets there are per hundred frequent ones: geometric means
        over the rows of known counts with all three."""
        every, closed, most = (self.of(name) for name in ("auto-count", "auto-closed", "auto-maximal"))
        rows = [row for row in every.rows() if row in closed.rows() and row in most.rows()]
        share = [mean(float(part.text(row, "lode", "count")) / float(every.text(row, "lode", "count"))
                      for row in rows) for part in (closed, most)]
        return [f"{100 * value:.0f}" for value in share]

    # --- threads, reading, writing ---

    def threads_gain(self):
        """How much less the busier of two threads works than one thread alone: geometric mean,
        worst, rows.
        """
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

    def rules_table(self):
        found = self.of("rules")

        def rate(row):
            return found.number(row, "csv", "bytes") / found.number(row, "csv", "cpu")
        return table(["data", "rules", "counted, CPU s", "written, CPU s", "output per CPU second"],
                     [[row, whole(found.text(row, "count", "count")),
                       seconds(found.number(row, "count", "cpu")), seconds(found.number(row, "csv", "cpu")),
                       size(rate(row))] for row in found.rows()])

    # --- limits ---

    def memory_gain(self):
        """Peak memory relative to eclat, with at least 32 MiB for either: mean, worst, largest
        peak."""
        found = self.of("auto-memory")
        ratios = {row: float(found.line(row, "lode")["ratio"]) for row in found.rows()}
        worst = max(ratios, key=ratios.get)
        peak = max(found.rows(), key=lambda row: found.number(row, "lode", "peak_mib"))
        return (f"{mean(ratios.values()):.2f}", f"{ratios[worst]:.2f} ({worst})",
                f"{found.number(peak, 'lode', 'peak_mib'):.0f} MiB ({peak})")

    def billion(self, command):
        """CPU seconds for a billion itemsets."""
        found = self.of("billion")
        return seconds(found.number(found.rows()[0], command, "cpu"))

    def limits_table(self):
        """The largest things that were measured."""
        rows = []
        found = self.of("billion")
        row = found.rows()[0]
        rows.append(["itemsets" + self.cite("billion"), whole(found.text(row, "lode", "count")),
                     f"one core, {seconds(found.number(row, 'lode', 'cpu'))} s CPU time",
                     f"{found.number(row, 'lode', 'peak_mib'):.0f} MiB"])
        points = self.growth.curve("growth-transactions", "cpu")
        memory = self.growth.curve("growth-transactions", "peak")
        rows.append(["transactions on a CPU" + self.cite("growth-transactions"), f"{points[-1][0]:,.0f}",
                     f"{seconds(points[-1][1])} s CPU time", f"{memory[-1][1]:,.0f} MiB"])
        rows += self.largest_on_gpu()
        found = self.of("graphs")
        row = max(found.rows(), key=lambda name: found.number(name, "lode", "count"))
        rows.append(["subgraphs" + self.cite("graphs"), whole(found.text(row, "lode", "count")),
                     f"{row}: {seconds(found.number(row, 'lode', 'cpu'))} s CPU time",
                     f"{found.number(row, 'lode', 'peak_mib'):.0f} MiB"])
        return table(["largest measured", "how many", "time", "memory"], rows, left=2)

    def largest_on_gpu(self):
        """The same for a GPU: the runs of `tensor` with most transactions and with most itemsets."""
        found = story_papers.lines_of(self.results, "000", "tables 4-5")
        name = story_papers.TENSOR
        done = {x: number_of(re.search(r"D(\d+[KM])", found.line(name, x)["data"])[1])
                for x in found.xs if found.value(name, x) is not None}
        rows = []
        for what, values in (("transactions", done), ("itemsets", {x: found.count(x) for x in done})):
            x = max(values, key=values.get)
            rows.append([f"{what} on a GPU" + self.cite("experiment-000-paper"), whole(values[x]),
                         f"{found.line(name, x)['data']}: {seconds(found.value(name, x))} s in all",
                         f"{found.value(name, x, 'peak') / 1024:.1f} GiB, "
                         f"{size(found.value(name, x, 'gpu_bytes'))} on the GPU"])
        return rows

    def small_gpu_memory(self):
        found = self.of("gpu-tensor-memory")
        row = found.rows()[0]
        return (size(found.number(row, "cuda 256 MB", "gpu_bytes")),
                size(found.number(row, "cuda", "gpu_bytes")),
                times(found.ratio(row, "work", "cuda 256 MB", "cuda")),
                times(found.ratio(row, "wall", "cuda 256 MB", "cuda")))
