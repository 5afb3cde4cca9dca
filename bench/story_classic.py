"""Graphs and the classic algorithms on a GPU, in numbers: for docs/gpu.md.

SPDX-License-Identifier: Apache-2.0
"""
import re

from measured import rate, seconds, size, spell_runs, table, whole
from story_device import who_wins

BANDWIDTH = 4.5e12  # bytes that the memory of the H200 can send in a second

RECORDS = "vectors, read-only"  # the paper's variant, which the others are compared with
STEPS = ("extend", "support", "column")  # of a pattern, without sorting, which is the same for all


class Classic:
    def __init__(self, results):
        self.of = results.newest

    @staticmethod
    def fixed(value, digits):
        return f"{value:.{digits}f}"

    def runs_of(self, case):
        """How many runs the medians of a case are of, in words."""
        return spell_runs(self.of(case))

    # --- graphs ---

    def graphs(self):
        found = self.of("gpu-graphs-all")
        rows = []
        for row in found.rows():
            published = found.line(row, "cuda").get("pgm_mining_s", "")
            rows.append([row, whole(found.text(row, "cuda", "count")),
                         seconds(found.number(row, "all cores")), seconds(found.number(row, "cuda")),
                         seconds(found.number(row, "all cores", "mine")),
                         seconds(found.number(row, "cuda", "mine")), published])
        head = ["", "patterns", "16 cores", "`cuda`", "mining: 16 cores", "`cuda`", "PGM, published"]
        if not any(row[-1] for row in rows):
            head, rows = head[:-1], [row[:-1] for row in rows]
        return table(head, rows)

    def graphs_won(self):
        found = self.of("gpu-graphs-all")
        return who_wins([(found.number(row, "all cores"), found.number(row, "cuda"))
                         for row in found.rows()], "16 cores")

    def axis(self, name, short=r" .*"):
        """Seconds of mining along one axis of the paper: a column for every row of the case."""
        found = self.of(f"gpu-graphs-axis-{name}")
        words = {"all cores": "16 cores", "gspan, cuda": "`gspan`, cuda",
                 "frontier, cuda": "`frontier`, cuda"}
        rows = [["patterns", *(whole(found.text(row, "all cores", "count")) for row in found.rows())]]
        for command in found.commands():
            rows.append([words[command],
                         *(f"{found.number(row, command, 'mine'):.2f}"
                           if found.has(row, command, "mine") else "–" for row in found.rows())])
        what = {"graphs": "graphs", "labels": "labels of both", "edge-labels": "labels of edges",
                "vertex-labels": "labels of vertices", "support": "support, 50k graphs"}[name]
        return table([what, *(re.sub(short, "", row) for row in found.rows())], rows)

    def records(self):
        """Kernel time of the four variants: all of it and, where the report tells, the steps that differ."""
        found = self.of("gpu-graphs-records")
        names = [name for name in found.commands() if name not in (RECORDS, "frontier")]
        rows = []
        for row in found.rows():
            rows.append([f"{row}: all kernels",
                         *(f"{found.ratio(row, 'device', name, RECORDS):.2f}" for name in names)])
            if all(found.has(row, RECORDS, step) for step in STEPS):
                own, *others = (sum(found.number(row, name, step) for step in STEPS)
                                for name in (RECORDS, *names))
                rows.append(["… without sorting", *(f"{other / own:.2f}" for other in others)])
        return table(["", *names], rows)

    def records_gain(self, over, under):
        """How many times the kernel time of one variant is of another, over the rows: least, most."""
        found = self.of("gpu-graphs-records")
        values = [found.ratio(row, "device", over, under) for row in found.rows()]
        return min(values), max(values)

    # --- classic ---

    def rows(self):
        count, store = self.of("gpu-rows-count"), self.of("gpu-rows-store")

        def speed(found, row):
            value = 1e9 * found.number(row, "cuda", "gbs")
            text = f"{value / 1e12:.2f} TB/s, {100 * value / BANDWIDTH:.0f}% of the bandwidth"
            return f"{rate(found.number(row, 'cuda', 'candidates_s'))} candidates/s ({text})"
        return table(["transactions", "nothing stored", "result stored"],
                     [[row.split()[0], speed(count, row), speed(store, row)] for row in count.rows()])

    def frontier(self):
        found = self.of("gpu-frontier")
        row = found.rows()[0]

        def line(name):
            used = found.number(row, name, "gpu_bytes")
            more = (f", utilisation {found.number(row, name, 'utilisation'):.2f}"
                    if found.has(row, name, "utilisation") else "")
            words = {"all cores": "16 cores, `frontier`",
                     "cuda 256 MB": "`cuda --device-memory 256M`"}.get(name, f"`{name}`")
            return [words + more, seconds(found.number(row, name)),
                    *(seconds(found.number(row, name, part))
                      for part in ("counting", "transfer", "candidate")), size(used) if used else ""]
        return table(["", "whole run", "counting", "transfer", "candidates", "on the GPU"],
                     [line(name) for name in found.commands()])

    def frontier_rows(self):
        """Rows moved, in millions, what they take at full bandwidth, and what counting takes."""
        found = self.of("gpu-frontier")
        row = found.rows()[0]
        moved = sum(found.number(row, "cuda", name) for name in ("rows_read", "rows_written"))
        return moved / 1e6, moved * 125000 / BANDWIDTH, found.number(row, "cuda", "counting")

    def frontier_sets(self):
        found = self.of("gpu-frontier")
        return whole(found.text(found.rows()[0], "cuda", "count"))

    def by_epsilon(self):
        """The commands of gpu-epsilon, the smallest ε first and no limit last."""
        def place(name):
            value = name.split()[-1]
            return int(value) if value.isdigit() else float("inf")
        return sorted(self.of("gpu-epsilon").commands(), key=place)

    def epsilon(self):
        """A table for each row: whole runs, batches, lists and memory by ε."""
        found, names = self.of("gpu-epsilon"), self.by_epsilon()
        values = [name.split()[-1] for name in names]
        head = [whole(value) if value.isdigit() else value for value in values]
        tables = []
        for row in found.rows():
            lines = [[words, *(form(found.number(row, name, measure)) for name in names)]
                     for words, measure, form in (("whole run, s", "wall", seconds),
                                                  ("batches", "batches", whole),
                                                  ("lists in use, at the most", "lists", whole),
                                                  ("lists made again", "rebuilt", whole),
                                                  ("on the GPU", "gpu_bytes", size))
                     if all(found.has(row, name, measure) for name in names)]
            tables.append(table([f"{row}: ε", *head], lines))
        return "\n\n".join(tables)

    def epsilon_falls(self):
        """Whether batches never rise and lists in use never fall with ε, while no list has to be made
        again for want of memory."""
        found = self.of("gpu-epsilon")
        for row in found.rows():
            names = [name for name in self.by_epsilon() if not found.has(row, name, "rebuilt")
                     or found.number(row, name, "rebuilt") == 0]
            batches = [found.number(row, name, "batches") for name in names]
            lists = [found.number(row, name, "lists") for name in names]
            if batches != sorted(batches, reverse=True) or lists != sorted(lists):
                return False
        return True

    def overhead(self):
        found = self.of("gpu-overhead")
        parts = ("transfer", "candidate", "counting", "output")
        return table(["", "whole run", *parts],
                     [[f"`{name}`" + (": stays on the CPU" if name == "auto" and
                                      found.number("chess 60%", name, "up") == 0 else ""),
                       seconds(found.number("chess 60%", name)),
                       *("" if found.number("chess 60%", name, part) == 0
                         else seconds(found.number("chess 60%", name, part)) for part in parts)]
                      for name in found.commands()])

    def overhead_count(self):
        return whole(self.of("gpu-overhead").text("chess 60%", "auto", "count"))

    def counting_is_least(self):
        """Whether counting is the smallest part of every algorithm on the GPU."""
        found = self.of("gpu-overhead")
        return all(found.number("chess 60%", name, "counting")
                   <= min(found.number("chess 60%", name, part) for part in ("transfer", "candidate"))
                   for name in found.commands() if name != "auto")

    def overhead_other(self):
        found = self.of("gpu-overhead")
        row = next(name for name in found.rows() if name != "chess 60%")
        rest = {name: found.number(row, name) for name in found.commands() if name != "auto"}
        slowest = max(rest, key=rest.get)
        others = [value for name, value in rest.items() if name != slowest]
        return (f"{row}: `auto` {seconds(found.number(row, 'auto'))} s, the others "
                f"{seconds(min(others))} to {seconds(max(others))}, `{slowest}` "
                f"{seconds(rest[slowest])}")

    def golden(self):
        """How many rows of the known counts each way has found within the time, and that none was
        wrong."""
        found = self.of("golden-cuda")
        ways = dict.fromkeys(line["algorithm"] for line in found.lines)
        rows = []
        for way in ways:
            lines = [line for line in found.lines if line["algorithm"] == way]
            equal = sum(line["result"] == "equal" for line in lines)
            rows.append([f"`{way}`", f"{equal} of {len(lines)}"])
        return table(["", "found in time, and right"], rows)

    def golden_wrong(self):
        return [line for line in self.of("golden-cuda").lines
                if line["count"] and line["expected"] and line["count"] != line["expected"]]

    def golden_limit(self):
        return self.of("golden-cuda").head["limit"]
