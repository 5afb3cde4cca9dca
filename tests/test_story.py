"""Tests of what writes the numbers of the documents, and that these are current.

SPDX-License-Identifier: Apache-2.0
"""
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tools")]
import experiment  # noqa: E402
import fit  # noqa: E402
import measured  # noqa: E402
import plot  # noqa: E402
import story  # noqa: E402
import story_device  # noqa: E402
import story_growth  # noqa: E402
from problem import Problem  # noqa: E402

HEAD = ("# machine: {machine}\n# cpu: Some Xeon, 16 processors\n{gpu}# commit: {commit}\n# date: {date}\n"
        "{more}")


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def write(self, case, date, columns, lines, commit="abc", more=""):
        """A results file of the machine that the documents take for a case."""
        results = measured.Measured(self.folder)
        machine = results.machine_of(case)
        gpu = "# gpu: NVIDIA H200, 1\n" if machine == "h200" else ""
        head = HEAD.format(machine=machine, gpu=gpu, commit=commit, date=date, more=more)
        text = "\n".join(",".join(map(str, line)) for line in [columns, *lines])
        (self.folder / f"{case}-{machine}-{date}.csv").write_text(head + text + "\n")

    def of(self, kind):
        return kind(measured.Measured(self.folder))


class Documents(InFolder):
    def run_story(self, *arguments):
        return subprocess.run([sys.executable, ROOT / "bench" / "story.py", *map(str, arguments)],
                              capture_output=True, text=True)

    def test_the_documents_are_current(self):
        done = self.run_story("--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_changed_number_is_found(self):
        """In a document, and in a plot; and what was changed by hand is written again."""
        docs = self.folder / "docs"
        shutil.copytree(ROOT / "docs", docs)
        shutil.copy(ROOT / "README.md", self.folder)
        page = docs / "gpu-measured.md"
        right = page.read_text(encoding="utf-8")
        page.write_text(right.replace("| `wgmma` | ", "| `wgmma` | 9"), encoding="utf-8")
        done = self.run_story("--check", "--docs", docs)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not current: docs/gpu-measured.md", done.stderr)
        self.assertEqual(self.run_story("--docs", docs).returncode, 0)
        self.assertEqual(page.read_text(encoding="utf-8"), right)
        image = next((docs / "benchmarks").glob("*.svg"))
        image.write_text(image.read_text(encoding="utf-8").replace("<!-- data: ", "<!-- data: 0"))
        done = self.run_story("--check", "--docs", docs)
        self.assertEqual((done.returncode, image.name in done.stderr), (1, True), done.stderr)

    def test_templates(self):
        """Values, conditions, what is missing, and what is not cited."""
        self.write("billion", "2026-01-01", ["row", "command", "cpu_median"], [["r", "lode", 2.5]])
        page = story.Page(measured.Measured(self.folder))
        page.names["value"] = lambda: page.results.newest("billion").number("r", "lode", "cpu")
        self.addCleanup(setattr, story, "TEMPLATES", story.TEMPLATES)
        story.TEMPLATES = self.folder

        def render(text):
            (self.folder / "t.md").write_text(text, encoding="utf-8")
            return page.render("t")
        self.assertEqual(render("a\n{{must(value() > 2, 'large')}}\n{{either(value() > 3, 'x', 'y')}}\n"),
                         "a y\n")
        with self.assertRaisesRegex(Problem, "t.md: the results no longer show this.*: large"):
            render("{{must(value() > 3, 'large')}}\n")
        with self.assertRaisesRegex(Problem, "nothing_like_it"):
            render("{{nothing_like_it()}}\n")
        text = render("{{#needs billion growth-items}}\nno\n{{/needs}}\n")
        self.assertEqual(text, "*Not measured yet: `growth-items`.*\n")
        self.assertEqual(page.missing, {"growth-items": "intel-xeon-2"})
        with self.assertRaisesRegex(Problem, "billion are used and not cited"):
            render("{{sources()}}\n")
        self.assertIn("[^billion]: `bench/results/billion-intel-xeon-2-2026-01-01.csv`",
                      render("n{{cite('billion')}}\n\n{{sources()}}\n"))


class Cases(unittest.TestCase):
    """What the documents speak of, and what the cases have."""

    def case(self, name):
        return json.loads((ROOT / "bench" / "cases" / f"{name}.json").read_text(encoding="utf-8"))

    def test_cases_that_are_needed_are_there(self):
        for path in (ROOT / "bench" / "story").glob("*.md"):
            text = path.read_text(encoding="utf-8")
            for match in story.NEEDS.finditer(text):
                for name in match[1].split():
                    self.assertTrue(self.case(name)["rows"], name)
        for name in (*story_growth.GROWTH, "growth-threshold"):
            for row in self.case(name)["rows"]:
                self.assertGreater(float(row["x"]), 0)
            self.assertIn("x", self.case(name)["beside"])

    def test_break_even_has_what_the_page_asks_for(self):
        case = self.case("gpu-breakeven")
        sizes = [row for row in case["rows"] if story_device.BY_SIZE.fullmatch(row["name"])]
        self.assertGreaterEqual(len(sizes), 4)
        names = {command["name"] for command in case["commands"]}
        self.assertEqual(names, {f"{what} {n}" for what in ("cpu", "cuda", "auto")
                                 for n in story_device.CORES})
        self.assertLessEqual({"mine", "work", "gpu_bytes"}, set(case["measures"]))


class Numbers(InFolder):
    def test_the_newest_whole_results_count(self):
        columns = ["row", "command", "runs", "wall_median"]
        for date, value, more in (("2026-01-01", 1, ""), ("2026-01-03", 3, f"# {measured.PART}\n"),
                                  ("2026-01-02", 2, "")):
            self.write("read", date, columns, [["r", "lode", 1, value]], more=more)
        self.write("read-others", "2026-02-01", columns, [["r", "lode", 1, 9]])
        found = measured.Measured(self.folder).newest("read")
        self.assertEqual(found.number("r", "lode"), 2)
        with self.assertRaises(measured.Missing):
            measured.Measured(self.folder).newest("text")
        with self.assertRaisesRegex(Problem, "no line for 'eclat' in row 'r'"):
            found.number("r", "eclat")

    def test_how_numbers_read(self):
        self.assertEqual([measured.seconds(value) for value in (0.00001, 0.0032, 0.1, 1.239, 12.34, 1234)],
                         ["0", "0.0032", "0.100", "1.24", "12.3", "1,234"])
        self.assertEqual([measured.times(value) for value in (0.123, 9.99, 13.2, 1234)],
                         ["0.12", "10", "13", "1,230"])

    def test_fits(self):
        exponent, factor, fitted = fit.power_law([(x, 3 * x ** 1.5) for x in (1, 10, 100, 1000)])
        self.assertAlmostEqual(exponent, 1.5)
        self.assertAlmostEqual(factor, 3)
        self.assertAlmostEqual(fitted, 1)
        self.assertLess(fit.power_law([(1, 1), (10, 20), (100, 1), (1000, 20)])[2], 0.6)
        self.assertIsNone(fit.power_law([(1, 1), (2, 2)]))
        self.assertAlmostEqual(fit.crossing([(10, 1, 10), (1000, 100, 10)]), 100)
        self.assertIsNone(fit.crossing([(1, 1, 2), (2, 1, 2)]))
        self.assertEqual(fit.crossing([(1, 2, 1), (2, 2, 1)]), 0)

    def test_who_wins(self):
        self.assertEqual([story_device.who_wins(pairs, "cores") for pairs in (
            [(1, 2), (3, 2)], [(1, 2)], [(3, 2)], [(1, 2), (3, 2), (4, 5), (6, 5)])], [
            "cores are faster if they take 1.00 s or less, and the GPU is faster if they take 3.00 s or more",
            "cores won all runs", "the GPU won all runs",
            "cores are faster if they take less than 3.00 s, and the GPU is faster if they take more than 4.00 s"])

    def breakeven(self):
        """Two cores: 0.1, 1 and 10 s by size, the GPU always 1 s and auto wrong at the end."""
        columns = ["row", "command", "runs", "count", "wall_median", "work_median", "gpu_bytes_median"]
        lines = []
        for size, cpu, took in (("10 K", 0.1, 0), ("100 K", 0.9, 0), ("1 M", 10, 0)):
            row = f"T40I10 300 items {size} 1%"
            lines += [[row, "cpu 2", 1, 7, cpu, cpu, 0], [row, "cuda 2", 1, 7, 1, 0.1, 5],
                      [row, "auto 2", 1, 7, cpu, cpu, took]]
        self.write("gpu-breakeven", "2026-01-01", columns, lines)

    def test_break_even(self):
        self.breakeven()
        device = self.of(story_device.Device)
        self.assertEqual(device.break_size(2), "the GPU overtakes 2 cores at 110 K transactions")
        self.assertIn("in every run for which the cores need 10.0 s or more, and in no run for which they need "
                      "0.900 s or less", device.breakeven("gpu-breakeven", 2))
        choices = device.choices("gpu-breakeven", 2)
        self.assertEqual([(choice, best) for _, choice, _, best, _ in choices],
                         [("CPU", "CPU"), ("CPU", "CPU"), ("CPU", "GPU")])
        self.assertIn("2 of 3 choices of `auto` are right. The wrong choice (T40I10 300 items 1 M 1%) loses 9.00 s: "
                      "the run takes 10.0 times", device.auto_verdict("gpu-breakeven", 2))
        self.assertIn("**CPU**, 10.00 x the GPU", device.auto_table("gpu-breakeven", [2]))

    def experiment(self, number, lines, date="2026-01-01"):
        """A table of an experiment at the size of its paper."""
        columns = ["figure", "x", "system", "runs", "status", "count", "data", "wall_mean", "grid_ms_mean",
                   "batches_mean", "lists_mean"]
        self.write(f"experiment-{number}-paper", date, columns, lines)

    def test_experiments(self):
        """The newest table counts; what was predicted is said to be so; and it must be cited."""
        self.experiment("004", [["8", 1000, '"square grid, GPU"', 1, "measured", 5, "d", 1, 9, "", ""]])
        self.experiment("004", [["8", 1000, '"square grid, GPU"', 2, "measured", 5, "d", 1, 4, "", ""],
                                ["8", 1000, '"folded grid, GPU"', 2, "measured", 5, "d", 1, 3, "", ""]],
                        date="2026-01-02")
        data = '"T120I20D10M of 1,000 items"'
        self.experiment("000", [
            ["tables 4-5 whole", "T120 10M", '"frontier, 4 virtual GPUs"', 0, '"over 60 s, predicted 90"', "", data, *[""] * 4],
            ["tables 4-5 whole", "T120 10M", '"tensor, GPU"', 1, "measured", 7000, data, 4.5, "", "", ""],
            ["18", 100, '"frontier, GPU"', 1, "measured", 5, "d", 1, "", 2000, 10],
            ["18", "unlimited", '"frontier, GPU"', 1, "measured", 5, "d", 1, "", 7, 20]])
        page = story.Page(measured.Measured(self.folder))
        papers = page.names["papers"]
        self.assertEqual((papers.grids().splitlines()[2:], papers.grid_saves(), papers.runs("004", "8")),
                         (["| 1,000 | 4 | 3 |"], "25.0%", "means of 2 runs"))
        self.assertEqual((papers.batches(), papers.batches_fall()),
                         ("2,000 for ε = 100, 7 without a limit", True))
        self.assertEqual(papers.largest().splitlines()[-1], "| T120 10M | 7,000 | (predicted 90) | 4.5 |")
        with self.assertRaisesRegex(Problem, "experiment-004-paper, experiment-000-paper are used and not cited"):
            page.sources()
        page.cite("experiment-000-paper", "experiment-004-paper")
        self.assertIn("experiment-004-paper-h200-2026-01-02.csv`: NVIDIA H200", page.sources())
        with self.assertRaisesRegex(measured.Missing, "no results of experiment-002-paper on h200"):
            papers.records()

    def test_the_index_of_papers(self):
        """Every figure of every paper is in one group, and what was not measured is said to be so."""
        papers = story.Page(measured.Measured(self.folder)).names["papers"]
        for paper, line in zip(experiment.load_papers(["all"]), papers.index().splitlines()[2:]):
            self.assertIn(f"(papers/{paper.number}.md) | {len(paper.figures)} cannot be answered here (", line)
        whole = story.Page(measured.Measured()).names["papers"].index().splitlines()[2:]
        for paper, line in zip(experiment.load_papers(["all"]), whole):
            counts = re.findall(r"(\d+) (?:holds?|is better|are better|does not|do not|cannot|claims?)\b", line)
            self.assertEqual(sum(map(int, counts)), len(paper.figures), line)

    def test_growth(self):
        """The place of a row is its column x, or its name in older files; the plot shows the law."""
        columns = ["row", "command", "runs", "count", "cpu_median", "cpu_spread", "peak_mib", "x"]
        self.write("growth-items", "2026-01-01", columns,
                   [[f"{x} items", "lode", 3, 5, 2 * x, 0.1, 10, x] for x in (10, 100, 1000)])
        growth = self.of(story_growth.Growth)
        self.assertEqual(growth.law(growth.curve("growth-items", "cpu")), "1.00 (R² 1.00)")
        self.assertEqual(growth.law(growth.curve("growth-items", "peak")), "0.00 (R² 1.00)")
        drawing = growth.plots()["growth-items.svg"]
        self.assertEqual(drawing["series"][0]["y"], [20, 200, 2000])
        self.assertEqual(drawing["series"][1]["name"], "x to the 1.00, R² 1.00")
        self.write("growth-transactions", "2026-01-01", columns[:-1],
                   [[name, "lode", 3, 5, 1, 0, 10] for name in ("10 K", "1 M")])
        self.assertEqual([x for x, _ in self.of(story_growth.Growth).curve("growth-transactions", "cpu")], [1e4, 1e6])


class Plots(InFolder):
    def test_a_plot_tells_what_it_shows(self):
        drawing = {"title": "t", "kind": "lines", "x": {"label": "x", "log": True}, "y": {"label": "y"},
                   "series": [{"name": "a", "x": [1, 10], "y": [0.5, None], "error": [0.1, 0]}]}
        path = self.folder / "a" / "b.svg"
        self.assertFalse(plot.is_current(path, drawing))
        if not plot.can_draw():
            self.skipTest("no matplotlib")
        plot.draw(path, drawing)
        first = path.read_bytes()
        plot.draw(path, drawing)
        self.assertEqual(path.read_bytes(), first)
        self.assertTrue(plot.is_current(path, drawing))
        drawing["series"][0]["y"][0] = 0.6
        self.assertFalse(plot.is_current(path, drawing))
        bars = {"title": "t", "kind": "bars", "x": {"label": "x", "names": ["p", "q"]},
                "y": {"label": "y"}, "series": [{"name": "a", "y": [1, None]}, {"name": "b", "y": [2, 3]}]}
        plot.draw(path, bars)
        self.assertTrue(plot.is_current(path, bars))


if __name__ == "__main__":
    unittest.main()
