"""Tests of the papers' experiments: the frame with stand-ins for the programs, then every figure of
every paper at the scale tiny, with lode itself.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import csv
import io
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "bench" / "experiment.py"
sys.path[:0] = [str(ROOT / folder) for folder in ("bench/experiments", "bench", "tools")]
import cells as planning  # noqa: E402
import claims_000  # noqa: E402
import claims_002  # noqa: E402
import claims_003  # noqa: E402
import experiment  # noqa: E402
import model  # noqa: E402
import pages  # noqa: E402
import provenance  # noqa: E402
import results  # noqa: E402
import runs  # noqa: E402
import verdict_table  # noqa: E402

# A lode that notes its turn, makes files, and counts as it is told to.
LODE = """#!/bin/sh
case $1 in
devices) echo 'cpu usable'; exit 0 ;;
generate) while [ $# -gt 1 ]; do shift; done; echo '1 2' > "$1"; exit 0 ;;
esac
echo "$*" >> "$TURNS"
for word; do case $word in json=*) echo '{"times": {"counting": 0.5}}' > "${word#json=}" ;; esac; done
case "$*" in *slow*) sleep "${SLOW:-0}" ;; esac
case "$*" in *other*) echo "total ${OTHER:-7}" ;; *) echo total 7 ;; esac
"""
PEER = """#!/bin/sh
echo "[${PEER_COUNT:-7} set(s)]"
"""
DEFINITION = """
from model import Figure, Panel, Paper, Point, System, quest
from results import HOLDS, Verdict

def lode(name, word, **more):
    return System(name, "{lode} itemsets {plain} -s {support} " + word,
                  measures={"counting": {"report": "times.counting"}, "new": {"report": "grid.new"}}, **more)

def figure(id, systems):
    return Figure(id=id, title="stand-ins", varied="x", x="n", claim="none",
                  points={"tiny": [Point(n, quest(n, 5, 2, 10), 10) for n in (10, 20, 40)],
                          "paper": [Point(1, quest(10, 5, 2, 10), 10)]}, systems=systems,
                  panels=[Panel("wall", "seconds"), Panel("new", "new")],
                  verdict=lambda found: Verdict(HOLDS, f"{found.count(10)} patterns."))

PAPER = Paper("900", "stand-ins", [
    figure("1", [lode("one", "a"), lode("two", "other"), System("peer", "{peers}/peer {plain}"),
                 System("gone", "{peers}/gone {plain}"), lode("gpu", "--device {gpu}")]),
    figure("2", [lode("long", "long", estimate=lambda point: 10.0 * point.x),
                 lode("slow", "slow")]),
    Figure(id="3", title="a probe", varied="x", x="n", claim="none",
           systems=[lode("slow", "slow", estimate=lambda point: 20.0)],
           points={"small": [Point(1, quest(30, 5, 2, 10), 10, probe=(quest(10, 5, 2, 10), 1000)),
                             Point(2, quest(30, 5, 2, 10), 20, series="b")]},
           panels=[], verdict=lambda found: Verdict(HOLDS, "Yes."))], minutes={"small": 0})
"""


class StandIns(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        for name, text in (("lode", LODE), ("peer", PEER)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        (self.folder / "paper_900.py").write_text(DEFINITION)

    def run_it(self, *options, **environment):
        command, places = self.command(*options, **environment)
        return subprocess.run(command, env=places, capture_output=True, text=True)

    def command(self, *options, papers=("900",), **environment):
        places = {"LODE_BIN": self.folder / "lode", "LODE_PEERS": self.folder, "LODE_DATA": self.folder,
                  "LODE_BENCH_DATA": self.folder / "data", "TURNS": self.folder / "turns", **environment}
        return [sys.executable, str(PROGRAM), *papers, "--definitions", str(self.folder), "--scale", "tiny",
                "--results", str(self.folder), "--docs", str(self.folder / "docs"), "--machine", "m",
                *options], {**os.environ, **{key: str(value) for key, value in places.items()}}

    def lines(self):
        [path] = self.folder.glob("experiment-900-tiny-m-*.csv")
        return {(line["figure"], line["x"], line["system"]): line for line in results.read_csv(path)[1]}

    def turns(self):
        path = self.folder / "turns"
        return path.read_text().splitlines() if path.exists() else []

    def test_gaps_and_numbers(self):
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = self.lines()
        self.assertEqual(len(lines), 3 * 7)
        one = lines["1", "10", "one"]
        self.assertEqual((one["status"], one["count"], one["runs"], one["counting_mean"]),
                         ("measured", "7", "1", "0.5"))
        self.assertNotIn("new_mean", one)  # no report has it: a gap, not an error
        self.assertEqual(lines["1", "10", "peer"]["status"], "measured")
        self.assertEqual(lines["1", "10", "gone"]["status"], "no gone in LODE_PEERS")
        self.assertEqual(lines["1", "10", "gpu"]["status"], "no GPU here")
        self.assertEqual(lines["2", "10", "long"]["status"], "over 60 s, estimated 100")
        page = (self.folder / "docs" / "900.md").read_text()
        self.assertIn("**Holds.** 7 patterns.", page)
        self.assertIn("gone: the program gone was not at hand", page)
        self.assertIn("long: over 60 s, estimated 100", page)

    def test_second_start_runs_nothing(self):
        self.assertEqual(self.run_it().returncode, 0)
        first = len(self.turns())
        journal = next(self.folder.glob("*.jsonl"))
        self.assertEqual(self.run_it().returncode, 0)
        self.assertEqual(len(self.turns()), first)
        # A start that was killed has left half a line: that cell is run again, and no other.
        whole = journal.read_text().splitlines(keepends=True)
        measured = [line for line in whole if '"measured"' in line and '"peer"' not in line]
        rest = [line for line in whole if line != measured[-1]]
        journal.write_text("".join(rest) + measured[-1][:40])
        self.assertEqual(self.run_it().returncode, 0)
        self.assertEqual(len(self.turns()), first + 1)
        # Another program: everything again.
        (self.folder / "lode").write_text(LODE + "# changed\n")
        self.assertEqual(self.run_it().returncode, 0)
        self.assertEqual(len(self.turns()), 2 * first + 1)

    def test_counts_that_differ(self):
        done = self.run_it(OTHER=8)
        self.assertEqual(done.returncode, 1)
        self.assertIn("figure 1 at 10: the counts differ", done.stderr)
        self.assertEqual({figure for figure, _, _ in self.lines()}, {"2"})

    def test_wrong_peer(self):
        done = self.run_it("--figure", "1", PEER_COUNT=9)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("900 figure 1, 10, peer: wrong: 9 patterns, not 7"), 1, done.stderr)
        line = self.lines()["1", "10", "peer"]
        self.assertEqual((line["status"], line["count"]), ("wrong: 9 patterns, not 7", ""))

    def test_over_the_limit(self):
        done = self.run_it("--figure", "2", "--limit", "0.1", SLOW=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.lines()["2", "10", "slow"]["status"], "over 0.2 s, stopped")

    def test_probe_and_budget(self):
        done = self.run_it("--scale", "small", "--figure", "3", SLOW=0.5)
        self.assertEqual(done.returncode, 0, done.stderr)
        [path] = self.folder.glob("experiment-900-small-m-*.csv")
        first, second = results.read_csv(path)[1]
        self.assertRegex(first["status"], r"^over 60 s, predicted ([5-9]\d\d|\d{4,})")  # 1000 times the probe
        self.assertEqual(second["status"], "left out, estimated 20: 0 minutes without a GPU are used up")
        self.assertEqual(len(self.turns()), 1)
        done = self.run_it("--scale", "small", "--figure", "3", "--again", "--limit", "1", SLOW=3)
        first, _ = results.read_csv(path)[1]
        self.assertEqual(first["status"], "over 1 s, predicted more than 167")

    def test_minutes(self):
        done = self.run_it("--minutes", "0.00001")
        self.assertIn("cells are left; start it again", done.stderr)
        self.assertFalse(list(self.folder.glob("*.csv")))
        self.assertEqual(self.run_it("--minutes", "0", "--partial").returncode, 0)
        self.assertFalse(self.turns())
        self.assertEqual(self.lines()["1", "10", "one"]["status"], "not run")

    def test_plan(self):
        done = self.run_it("--plan")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"figure 2 +3 cells +0\.0 min +3 predicted too long")
        self.assertFalse(self.turns())

    def test_unknown_names(self):
        for papers, figure, message in ((("900",), "77", "no such figure: '77'"),
                                        (("all", "905"), "1", "there is no paper 905"),
                                        (("900",), "3", "no such figure has cells at the scale tiny")):
            with self.subTest(message):
                done = self.run_it("--figure", figure, papers=papers)
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)

    def test_papers_without_the_figure(self):
        second = DEFINITION.replace('figure("1"', 'figure("7"').replace('"900"', '"901"')
        (self.folder / "paper_901.py").write_text(second)
        done = self.run_it("--figure", "7", "--plan", papers=("all", "900"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("900: skipped, it has no such figure", done.stderr)
        self.assertIn("901  figure 7", done.stdout)

    def test_measured_lines_stay(self):
        self.assertEqual(self.run_it().returncode, 0)
        first = self.lines()
        done = self.run_it(LODE_PEERS="")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("900 figure 1: no peer: LODE_PEERS is not set; the measured lines of the table of today "
                      "stay (3)", done.stderr)
        self.assertEqual(self.lines()["1", "10", "peer"], first["1", "10", "peer"])
        self.assertEqual(self.lines()["1", "10", "gone"]["status"], "no gone: LODE_PEERS is not set")
        # Lines with another count than ours do not stay.
        (self.folder / "lode").write_text(LODE.replace("total 7", "total 6").replace(":-7", ":-6"))
        self.assertEqual(self.run_it(LODE_PEERS="").returncode, 0)
        self.assertEqual(self.lines()["1", "10", "peer"]["status"], "no peer: LODE_PEERS is not set")

    def test_one_figure(self):
        """The other figures stay: in the table, in its head, and in the journal."""
        self.assertEqual(self.run_it().returncode, 0)
        [path] = self.folder.glob("*.csv")
        head, first, all_turns = results.read_csv(path)[0], self.lines(), len(self.turns())
        done = self.run_it("--figure", "2", "--again")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no page is written with --figure", done.stderr)
        about = {line for line in head if line.startswith(("# command of", "# data"))}
        self.assertLessEqual(about, set(results.read_csv(path)[0]))
        self.assertEqual(set(self.lines()), set(first))
        self.assertEqual(len(self.turns()), all_turns + 3)
        self.assertEqual(self.run_it().returncode, 0)
        self.assertEqual(len(self.turns()), all_turns + 3)

    def test_options_that_are_refused(self):
        done = self.run_it("--device=foo")
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        for option, value in (("--minutes", "-1"), ("--cpu-minutes", "-1"), ("--repeat", "-2"),
                              ("--limit", "nan"), ("--device", "foo"), ("--device", "cuda:x")):
            errors = io.StringIO()
            with self.subTest(option), contextlib.redirect_stderr(errors), self.assertRaises(SystemExit), \
                    unittest.mock.patch("sys.argv", ["experiment.py", "900", f"{option}={value}"]):
                experiment.parse_arguments()
            self.assertIn(f"argument {option}: '{value}' is no", errors.getvalue())

    def test_folders_that_cannot_be_written(self):
        for option in ("--results", "--docs"):
            done = self.run_it(option, str(self.folder / "lode" / "below"))
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr.splitlines()[-1], "^experiment.py: .*below cannot be written: ")
        self.assertFalse(self.turns())

    def test_interrupt(self):
        command, places = self.command("--figure", "2", SLOW=30)
        process = subprocess.Popen(  # in the background of a shell, the signal would be ignored
            command, env=places, stderr=subprocess.PIPE, text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        while not self.turns():
            self.assertIsNone(process.poll())
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 130)
        self.assertNotIn("Traceback", errors)
        self.assertEqual(errors.splitlines()[-1], "experiment.py: interrupted; start it again to go on")

    def test_interrupt_as_a_program_ends(self):
        class Ended(subprocess.Popen):
            def wait(self, timeout=None):
                super().wait()
                if timeout:
                    raise KeyboardInterrupt
        with unittest.mock.patch("subprocess.Popen", Ended), self.assertRaises(KeyboardInterrupt):
            runs.launch([], ["true"], 60)

    def test_interrupt_as_a_program_starts(self):
        class Started(subprocess.Popen):
            def __init__(self, *words, **options):
                super().__init__(*words, **options)
                started.append(self)
                signal.raise_signal(signal.SIGINT)
        started = []
        with unittest.mock.patch("subprocess.Popen", Started), self.assertRaises(KeyboardInterrupt):
            runs.launch([], ["sleep", "60"], 60)
        self.assertEqual(started[0].returncode, -signal.SIGKILL)


class Pages(unittest.TestCase):
    def test_heading(self):
        for name, heading in (("9 T10I4", "Figure 9 T10I4: t"), ("table 3", "Table 3: t"), ("§4", "§4: t")):
            self.assertEqual(pages.heading(types.SimpleNamespace(id=name, title="t")), heading)

    def test_limit(self):
        self.assertEqual(pages.limit_text({"limit": "60 s a run; 2 runs"}), "; limit 60 s a run; 2 runs")
        self.assertEqual(pages.limit_text({}), "")


class Joined(unittest.TestCase):
    """Tables of two machines that measured the same engines are one."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def write(self, machine, date, head, *rows):
        lines = [{"figure": "1", "x": x, "system": system, "device": "", "runs": 1, "status": status,
                  "count": "7" if value else "", "data": "d", **({"wall_mean": value} if value else {})}
                 for x, system, status, value in rows]
        results.write_csv(self.folder / f"experiment-900-paper-{machine}-{date}.csv",
                          [f"# {name}: {value}" for name, value in head.items()], lines)

    def test_gaps_are_filled(self):
        self.write("gpu-box", "2026-01-02", {"gpu": "one", "cpu": "A", "engines": "src=1"},
                   (1, "gpu", "measured", "2"), (1, "cpu", "left out", ""), (1, "peer", "left out", ""))
        self.write("plain-box", "2026-01-01", {"cpu": "old", "engines": "src=1"}, (1, "cpu", "measured", "9"))
        self.write("plain-box", "2026-01-03", {"cpu": "B", "engines": "src=1"}, (1, "gpu", "no GPU here", ""),
                   (1, "cpu", "measured", "5"), (1, "peer", "over 60 s, predicted 99", ""))
        self.write("other-box", "2026-01-04", {"cpu": "C", "engines": "src=2"}, (1, "peer", "measured", "1"))
        paths = results.newest("900", "paper", self.folder)
        self.assertEqual([path.stem[len("experiment-900-paper-"):] for path in paths], ["gpu-box-2026-01-02", "plain-box-2026-01-03"])
        found, heads = results.joined(paths)
        one = found["1"]
        self.assertEqual([one.value(name, "1") for name in ("gpu", "cpu")], [2, 5])
        self.assertEqual((one.value("peer", "1"), one.predicted("peer", "1")), (None, 99))
        self.assertEqual([pages.marked(one, name) for name in ("gpu", "cpu")], ["gpu", r"cpu \*"])
        self.assertEqual([head["cpu"] for head in heads], ["A", "B"])

    def test_changed_engines_are_named(self):
        now = provenance.engines()
        text = " ".join(f"{folder}={code}" for folder, code in now.items())
        self.assertEqual(pages.changed_text({"engines": text}), [])
        changed = text.replace(now["src/papers"], "0123456789")
        self.assertIn("in `src/papers`.", pages.changed_text({"engines": changed})[1])
        self.assertIn("`src/device`, `src/graphs`", pages.changed_text({})[1])


class Growth(unittest.TestCase):
    def test_two_points_show_no_growth(self):
        lines = [{"x": str(x), "system": "s", "status": "measured", "count": "1", "wall_mean": str(y)}
                 for x, y in ((1, 1), (2, 4), (4, 16))]
        self.assertAlmostEqual(results.Results(lines).slope("s"), 2)
        self.assertIsNone(results.Results(lines[:2]).slope("s"))


def table(**figures):
    """{figure: Results} of {figure: {system: {x: {metric: value}}}}; a count is 100 unless given."""
    lines = [{"figure": figure, "x": str(x), "system": system, "status": "measured", "count": str(row.get("count", 100)),
              "wall_mean": "1", **{f"{metric}_mean": str(value) for metric, value in row.items()}}
             for figure, systems in figures.items() for system, rows in systems.items() for x, row in rows.items()]
    return results.by_figure(lines)


def at(metric, *values, xs=(1, 2, 4)):
    return {x: {metric: value} for x, value in zip(xs, values)}


class Verdicts(unittest.TestCase):
    """What decides about a claim, with numbers made for it."""

    def test_reasons_of_gaps(self):
        self.assertEqual([results.reason(status) for status in (
            "not run", "no gspan: LODE_PEERS is not set", "no x in LODE_PEERS", "no GPU here", "over 60 s, stopped")],
            [results.TIME_WAS_UP, "the program gspan was not at hand", "the program x was not at hand", "no GPU here",
             "over 60 s, stopped"])

    def test_a_range_is_judged_by_its_lower_end(self):
        """One point below the least that is claimed outweighs a best point far above it."""
        def verdict(borgelt):
            return claims_003.on_generated(table(a={
                claims_003.PBI: at("inner", 1, 1, 1), claims_003.TBI: at("inner", 1, 1, 1),
                claims_003.GOETHALS: at("inner", 100, 100, 100), claims_003.BORGELT: at("inner", *borgelt)})["a"])
        self.assertEqual(verdict((2, 9, 9)).word, results.BETTER)
        self.assertEqual(verdict((1.2, 9, 9)).word, results.HOLDS)
        failed = verdict((0.7, 9, 9))
        self.assertEqual(failed.word, results.FAILS)
        self.assertIn("pbi, GPU is ahead of Borgelt's Apriori by less than the least that is claimed at 1%", failed.cause)
        self.assertIn("takes 0.7 x (at 1%) to 9 x (at 2%) as long as pbi, GPU", failed.numbers)

    def dense(self, on_dense, on_sparse):
        def systems(goethals):
            return {claims_003.PBI: at("inner", 1, 1, 1), claims_003.TBI: {x: {"inner": 2, "candidate": 2} for x in (1, 2, 4)},
                    claims_003.GOETHALS: at("inner", *[goethals] * 3)}
        found = table(**{claims_003.DENSE: systems(on_dense), claims_003.SPARSE: systems(on_sparse)})
        return claims_003.on_dense(found[claims_003.DENSE])

    def test_the_gain_on_dense_data_is_compared_with_that_on_sparse_data(self):
        self.assertEqual(self.dense(90, 30).word, results.BETTER)
        same = self.dense(90, 90)
        self.assertEqual(same.word, results.FAILS)
        self.assertIn("`pbi` and `tbi` does not gain more on dense data", same.cause)
        self.assertIn("gains up to 90 x, and 90 x on retail", same.numbers)

    def test_pbi_against_tbi_names_the_supports(self):
        found = table(**{claims_003.SPARSE: {
            claims_003.PBI: {x: {"inner": inner, "candidate": 1} for x, inner in ((1, 4), (0.5, 1), (0.01, 1))},
            claims_003.TBI: {x: {"inner": 2, "candidate": candidate} for x, candidate in ((1, 0.5), (0.5, 3), (0.01, 9))},
            claims_003.BORGELT: {x: {"inner": 4} for x in (1, 0.5, 0.01)}}})[claims_003.SPARSE]
        holds, said, cause = claims_003.pbi_against_tbi(found)
        self.assertIs(holds, False)
        self.assertIn("takes 0.5 x (at 0.5%) to 2 x (at 1%) as long as `tbi` (claimed: longer; that is so at 1%, of 3", said)
        self.assertIn("candidates take `tbi` longer from 0.5% down, and less long only at 1%.", cause)
        self.assertIn("0.25 x as long as Borgelt's Apriori (claimed: 1.2 x; here it is faster)",
                      claims_003.pbi_against_borgelt(found)[1])

    def graphs(self, search, steps, device=0.01, count=None):
        return {claims_002.GPU: {x: {"search": search * x ** exponent, "steps": steps * x ** other, "device": device,
                                     **({"count": count[x]} if count else {})}
                                 for x in (1, 2, 4) for exponent, other in ((self.exponents),)}}

    def test_two_clocks(self):
        """A claim about growth needs both; where they disagree, ten times as many graphs decide."""
        self.exponents = (0.7, 0.8)
        alone = claims_002.figure_6(table(**{"6": self.graphs(1, 1, device=0.9)})["6"])
        self.assertEqual(alone.word, results.FAILS)
        small = self.graphs(1, 1)
        self.exponents = (1, 1)
        ten = claims_002.figure_6(table(**{"6": small, "6 ten times": self.graphs(1, 1)})["6"])
        self.assertEqual(ten.word, results.HOLDS)
        self.assertIn("rests on ten times as many graphs, where the exponents are gspan, GPU, the search 1.00", ten.cause)
        self.assertIn("the search 0.70; gspan, GPU, its steps 0.80", ten.numbers)

    def test_work_of_the_host_is_no_small_problem(self):
        self.exponents = (0.1, 0.1)
        found = table(**{"7": self.graphs(1, 1, count={1: 100, 2: 200, 4: 400})})["7"]
        verdict = claims_002.by_patterns(found)
        self.assertEqual((verdict.word, verdict.cause), (results.OPEN, claims_002.OWN_WORK))
        self.assertIn("Kernels take 1% of the steps at most, and the host 0.99 to 1.14 s.", verdict.numbers)

    def test_a_pattern_may_cost_the_kernels_as_much(self):
        """Time for a pattern falls by both clocks: the cause depends on whether that of the kernels does."""
        self.exponents = (0, 0)
        for patterns, word in (({1: 100, 2: 200, 4: 400}, "fewer occurrences"), ({1: 100, 2: 100, 4: 90}, "")):
            verdict = claims_002.figure_9(table(**{"9": self.graphs(1, 1, device=0.9, count=patterns)})["9"])
            self.assertEqual(verdict.word == results.HOLDS, bool(word))
            self.assertIn(word, verdict.cause)
        rising = self.graphs(1, 1, count={1: 100, 2: 200, 4: 400})
        for x, row in rising[claims_002.GPU].items():
            row["device"] = 0.01 * x * x
        self.assertIn("More patterns share", claims_002.figure_9(table(**{"9": rising})["9"]).cause)

    def test_what_a_pattern_costs(self):
        self.exponents = (1, 1)
        text, = claims_002.remarks(table(**{"10": self.graphs(0.1, 0.1, count={1: 100, 2: 200, 4: 400})}))
        self.assertIn("a pattern takes 1e+03 µs at 1%, 1e+03 µs at 2%", text)
        self.assertIn("Each further pattern takes 1e+03 µs", text)

    def items(self, counting):
        xs = (300, 400, 500)
        return table(**{"12": {
            claims_000.GPU: {x: {"search": 1, "counting": counting, "work": 1} for x in xs},
            claims_000.GROWTH: at("search", 10, 10, 10, xs=xs)}})["12"]

    def test_a_gpu_that_hardly_counts_answers_nothing(self):
        small = claims_000.figure_12(self.items(0.2))
        self.assertEqual(small.word, results.OPEN)
        self.assertIn("it counts for 20% of counting and candidates", small.cause)
        self.assertEqual(claims_000.figure_12(self.items(0.6)).word, results.FAILS)

    def test_whose_the_change_of_a_ratio_is(self):
        xs = list(claims_000.SIZES)
        found = table(t={"g": at("search", 1, 1, 1.5, xs=xs), "c": at("search", 10, 25, 36, xs=xs)})["t"]
        self.assertIn("The ratio changes by 2.4 x; growth of the GPU below proportional is 2 x of it, and growth of the CPUs "
                      "above proportional 1.2 x.", claims_000.size_text(found, "g", "c"))

    def test_a_gain_that_does_not_rise_is_named(self):
        found = table(**{"14": {
            claims_000.GPU4: {x: {"search": 1, "count": count} for x, count in ((3, 10), (2, 20), (1, 40))},
            claims_000.GROWTH: at("search", 9, 9, 9, xs=(3, 2, 1)), claims_000.TIDS: at("search", 1, 2, 3, xs=(3, 2, 1))}})["14"]
        verdict = claims_000.figure_14(found)
        self.assertEqual(verdict.word, results.FAILS)
        self.assertIn("over all others but fpgrowth:", verdict.cause)
        self.assertIn("at 3% and at 1%: fpgrowth 9e+05 and 2.25e+05", verdict.numbers)

    def test_every_program_is_described(self):
        for paper in experiment.load_papers(["all"]):
            peers = {system.peer for figure in paper.figures for system in figure.systems if system.peer}
            self.assertLessEqual(peers, set(model.PROGRAMS), paper.number)


class VerdictTable(unittest.TestCase):
    def test_every_figure_has_a_line(self):
        papers = experiment.load_papers(["all"])
        tables = {paper.number: pages.tables_of(paper, results.provenance.RESULTS) for paper in papers}
        page = verdict_table.page_of(papers, tables)
        figures = {(paper.number, figure.id) for paper in papers for figure in paper.figures}
        self.assertLessEqual(set(verdict_table.before()), figures)  # no verdict has lost its figure
        self.assertEqual(page.count("\n| ") - 2 * len(papers) + len(papers), len(figures))
        self.assertIn("Before, 37 figures: holds 11, does not hold 21, nothing is claimed 1, cannot hold as printed 3, not "
                      "measured here 1.", page)
        self.assertIn(f"Now, {len(figures)} figures: ", page)
        self.assertFalse(verdict_table.is_whole(papers[:1]))


class Prediction(unittest.TestCase):
    def test_power_law(self):
        exponent, law = model.power_law([(10, 1.0), (20, 4.0), (40, 16.0)])
        self.assertAlmostEqual(exponent, 2)
        self.assertAlmostEqual(law(80), 64)
        self.assertAlmostEqual(model.power_law([(10, 3.0)])[1](20), 6)
        self.assertIsNone(model.power_law([]))

    def test_short_runs_are_repeated(self):
        settings = planning.Settings({}, "paper", "", 60, 1)
        self.assertEqual(planning.cell_seconds(1, settings, 60), 5)
        self.assertEqual(planning.cell_seconds(3, settings, 60), 3)
        self.assertEqual(planning.cell_seconds(61, settings, 60), 0)


class Papers(unittest.TestCase):
    def test_every_figure(self):
        """All papers at tiny: every figure has cells, a verdict and a section on its page."""
        with tempfile.TemporaryDirectory() as holder:
            folder = Path(holder)
            done = subprocess.run([sys.executable, str(PROGRAM), "all", "--scale", "tiny", "--results", holder,
                                   "--docs", holder], env={**os.environ, "LODE_BENCH_DATA": holder},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr[-3000:])
            for definition in sorted((ROOT / "bench" / "experiments").glob("paper_*.py")):
                number = definition.stem[6:]
                [table] = folder.glob(f"experiment-{number}-tiny-*.csv")
                page = "".join(path.read_text() for path in sorted(folder.glob(f"{number}*.md")))
                paper = __import__(definition.stem).PAPER
                with open(table, encoding="utf-8") as file:
                    lines = list(csv.DictReader(line for line in file if not line.startswith("#")))
                for figure in paper.figures:
                    mine = [line for line in lines if line["figure"] == figure.id]
                    self.assertTrue(mine, f"{number}, figure {figure.id}: no cells")
                    self.assertNotIn("not run", {line["status"] for line in mine})
                    self.assertIn(f": {figure.title}", page)
                verdicts = re.findall(r"^\*\*(.+?)\.\*\*", page, re.M)
                words = {word.lower() for word in results.WORDS}
                self.assertEqual(sum(word.lower() in words for word in verdicts),
                                 len(paper.figures), page)

    def test_pages_are_current(self):
        done = subprocess.run([sys.executable, str(PROGRAM), "all", "--check"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
