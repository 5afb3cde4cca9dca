"""Graphs and the classic algorithms on a GPU, in numbers: for docs/gpu-measured.md.

SPDX-License-Identifier: Apache-2.0
"""
from measured import rate, seconds, size, spell_runs, table, whole
from story_device import who_wins

BANDWIDTH = 4.5e12  # bytes that the memory of the H200 can send in a second


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
        head = ["", "patterns", "whole run, 16 cores", "whole run, GPU", "mining, 16 cores", "mining, GPU",
                "mining, published for PGM"]
        if not any(row[-1] for row in rows):
            head, rows = head[:-1], [row[:-1] for row in rows]
        return table(head, rows)

    def graphs_won(self):
        found = self.of("gpu-graphs-all")
        return who_wins([(found.number(row, "all cores"), found.number(row, "cuda"))
                         for row in found.rows()], "16 cores")

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
            more = (f"; mean busy time of the consumers / longest: {found.number(row, name, 'utilisation'):.2f}"
                    if found.has(row, name, "utilisation") else "")
            words = {"all cores": "16 cores",
                     "cuda 256 MB": "`--device cuda --device-memory 256M`"}.get(name, f"`--device {name}`")
            return [words + more, seconds(found.number(row, name)),
                    *(seconds(found.number(row, name, part))
                      for part in ("counting", "transfer", "candidate")), size(used) if used else ""]
        return table(["", "whole run", "counting", "transfer", "candidates", "GPU memory"],
                     [line(name) for name in found.commands()])

    def frontier_rows(self):
        """Rows moved, in millions, the time for them at full bandwidth, and the time of counting.
        """
        found = self.of("gpu-frontier")
        row = found.rows()[0]
        moved = sum(found.number(row, "cuda", name) for name in ("rows_read", "rows_written"))
        return moved / 1e6, moved * 125000 / BANDWIDTH, found.number(row, "cuda", "counting")

    def frontier_sets(self):
        found = self.of("gpu-frontier")
        return whole(found.text(found.rows()[0], "cuda", "count"))

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
        return (f"On {row}, whole runs of `auto` take {seconds(found.number(row, 'auto'))} s, those of `{slowest}` "
                f"{seconds(rest[slowest])} s, and those of the other algorithms {seconds(min(others))} to "
                f"{seconds(max(others))} s")

    def golden(self):
        """How many rows of the known counts each variant completed in time; checks that none was
        wrong."""
        found = self.of("golden-cuda")
        ways = dict.fromkeys(line["algorithm"] for line in found.lines)
        rows = []
        for way in ways:
            lines = [line for line in found.lines if line["algorithm"] == way]
            equal = sum(line["result"] == "equal" for line in lines)
            rows.append([f"`{way}`", f"{equal} of {len(lines)}"])
        return table(["algorithm", "cases finished in time, and right"], rows)

    def golden_wrong(self):
        return [line for line in self.of("golden-cuda").lines
                if line["count"] and line["expected"] and line["count"] != line["expected"]]

    def golden_limit(self):
        return self.of("golden-cuda").head["limit"]
