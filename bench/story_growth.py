"""How cost grows: exponents, tables and plots of docs/benchmarks.md.

SPDX-License-Identifier: Apache-2.0
"""
import fit
from measured import number_of, seconds, table, whole

# The cases with one axis: what x is, in words; the axis on the plot.
GROWTH = {
    "growth-transactions": ("transactions", "transactions (T40I10, 300 items, 1%)"),
    "growth-items": ("items", "items (T20I6, 100 K transactions, 0.2%)"),
    "growth-length": ("items per transaction", "mean items per transaction (1,000 items, 1%)"),
    "growth-density": ("density", "percent of 100 items in a transaction (50 K, 10%)"),
}
THRESHOLD = "growth-threshold"


class Growth:
    def __init__(self, results, cite=lambda *cases: ""):
        self.of = results.newest
        self.has = results.has
        self.cite = cite

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
            what = "density (percent of the items in a transaction)" if words == "density" else words
            rows.append([what + self.cite(case), f"{points[0][0]:,.0f} to {points[-1][0]:,.0f}",
                         f"{seconds(points[0][1])} to {seconds(points[-1][1])} s",
                         self.law(points), self.law(self.curve(case, "peak")),
                         self.law(self.curve(case, "count"))])
        return table(["x: what is varied", "range of x", "CPU time", "exponent of time", "exponent of memory",
                      "exponent of the number of itemsets"], rows)

    def exponent(self, case, least=100000):
        """The exponent over the larger sizes, where fixed costs no longer matter."""
        return fit.power_law([point for point in self.curve(case, "cpu") if point[0] >= least])[0]

    def is_flat(self, case):
        """Whether time hardly depends on x: it grows more slowly than the cube root."""
        return abs(self.exponent(case, 0)) < 1 / 3

    def outgrown_by_sets(self, case):
        """Whether the number of sets grows faster than the time does."""
        return fit.power_law(self.curve(case, "count"))[0] > self.exponent(case, 0)

    def transactions_linear(self):
        return f"{self.exponent('growth-transactions'):.2f}"

    def threshold_rows(self):
        """{family: its rows} of the threshold case."""
        found = self.of(THRESHOLD)
        families = {}
        for line in found.lines:
            families.setdefault(line["family"], []).append(line["row"])
        return families

    def threshold_table(self):
        """By family: time against the threshold, and against the number of sets found."""
        rows = []
        for family, names in self.threshold_rows().items():
            time = self.curve(THRESHOLD, "cpu", rows=names)
            count = self.curve(THRESHOLD, "count", rows=names)
            by_sets = [(sets, cost) for (_, sets), (_, cost) in zip(count, time)]
            rows.append([family, f"{time[0][0]:g}% to {time[-1][0]:g}%",
                         f"{seconds(time[0][1])} to {seconds(time[-1][1])} s",
                         f"{whole(count[0][1])} to {whole(count[-1][1])}", self.law(time),
                         self.law(by_sets)])
        return table(["data", "threshold", "CPU time", "itemsets", "exponent of time, x = threshold",
                      "exponent of time, x = number of itemsets"], rows)

    # --- plots ---

    def plots(self):
        """{file name: drawing} of what was measured."""
        drawings = {f"{case}.svg": self.growth_plot(case) for case in GROWTH if self.has(case)}
        if self.has(THRESHOLD):
            drawings[f"{THRESHOLD}.svg"] = self.threshold_plot()
        return drawings

    @staticmethod
    def series(name, points, spreads=None):
        return {"name": name, "x": [x for x, _ in points], "y": [y for _, y in points],
                **({"error": spreads} if spreads else {})}

    def growth_plot(self, case):
        """Time with its spread, and the law that was fitted to it."""
        found = self.of(case)
        words, label = GROWTH[case]
        series = []
        for command in found.commands():
            points = self.curve(case, "cpu", command)
            spreads = [found.spread(row, command, "cpu") / 2 for row in found.rows()]
            name = {"lode": "CPU seconds"}.get(command, f"CPU seconds, {command}")
            if len(found.commands()) > 1 and command == "lode":
                name = "CPU seconds, 1 thread"
            series.append(self.series(name, points, spreads))
        law = fit.power_law(points)
        if law:
            ends = [points[0][0], points[-1][0]]
            series.append({"name": f"x to the {law[0]:.2f}, R² {law[2]:.2f}", "x": ends, "dashed": True,
                           "y": [law[1] * x ** law[0] for x in ends]})
        return {"title": f"Time by {words}", "kind": "lines", "x": {"label": label, "log": True},
                "y": {"label": "CPU seconds", "log": True}, "series": series}

    def with_law(self, family, names):
        law = fit.power_law(self.curve(THRESHOLD, "cpu", rows=names))
        return f"{family}: x to the {law[0]:.2f}, R² {law[2]:.2f}" if law else family

    def threshold_plot(self):
        series = [self.series(self.with_law(family, names),
                              self.curve(THRESHOLD, "cpu", rows=names))
                  for family, names in self.threshold_rows().items()]
        return {"title": "Time by threshold", "kind": "lines",
                "x": {"label": "threshold, percent", "log": True},
                "y": {"label": "CPU seconds", "log": True}, "series": series}
