"""Tests of the measuring harness, with small stand-ins for the programs.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HARNESS = Path(__file__).resolve().parent.parent / "bench" / "run.py"
# A lode that notes its turn, prints a count and writes a report where it is told to.
LODE = """#!/bin/sh
echo lode >> "$TURNS"
for word; do case $word in json=*)
    echo '{"times": {"counting": 0.5}, "thread_seconds": [1, 3], "levels": [
    {"size": 2, "counting": 1}, {"size": 3, "counting": 2}, {"size": 4, "counting": 4}]}' > "${word#json=}" ;; esac; done
echo "size 1 2"
echo "total ${COUNT:-7}"
"""
PEER = """#!/bin/sh
echo peer >> "$TURNS"
echo "reading $1 ... [2 item(s)] done [0.25s]." >&2
echo "writing <null> ... [7 set(s)] done [0.10s]." >&2
"""
CASE = {
    "about": "stand-ins", "metric": "time",
    "rows": [{"name": "small", "file": "small.dat", "times": 3},
             {"name": "absent", "file": "absent.dat"}],
    "commands": [
        {"name": "lode", "command": "{lode} {plain}", "measures": {
            "time": {"report": "times.counting"}, "busiest": {"report": "max(thread_seconds)"},
            "sum": {"report": "sum(thread_seconds)"},
            "deep": {"report": "sum(levels>=3.counting)"},
            "pairs": {"report": "sum(levels=2.counting)"}}},
        {"name": "peer", "command": "{peers}/peer {plain}",
         "measures": {"time": {"match": r"^reading .* done \[([0-9.]+)s\]"}}},
        {"name": "gone", "command": "{peers}/gone {plain}"},
    ],
}


class Harness(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        for name, text in (("lode", LODE), ("peer", PEER), ("small.dat", "1 2\n")):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        (self.folder / "stand.json").write_text(json.dumps(CASE))

    def run_harness(self, *arguments, **environment):
        places = {"LODE_BIN": self.folder / "lode", "LODE_PEERS": self.folder,
                  "LODE_DATA": self.folder, "TURNS": self.folder / "turns"}
        environment = {**places, **environment}
        return subprocess.run(
            [sys.executable, HARNESS, "--results", self.folder / "results", "--machine", "Test Box",
             "--repeat", "3", *arguments], capture_output=True, text=True,
            env={**os.environ, **{key: str(value) for key, value in environment.items()}})

    def results(self):
        """The comment lines and the rows of the one results file; nothing if there is none."""
        paths = list((self.folder / "results").glob("*.csv"))
        if not paths:
            return None
        lines = paths[0].read_text().splitlines()
        comments = [line for line in lines if line.startswith("#")]
        return paths[0].name, comments, list(csv.DictReader(lines[len(comments):]))

    def test_case_file(self):
        done = self.run_harness(str(self.folder / "stand.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        name, comments, rows = self.results()
        self.assertRegex(name, r"^stand-test-box-\d{4}-\d\d-\d\d\.csv$")
        for word in ("machine: Test Box", "cpu:", "commit:", "date:", "load average:"):
            self.assertTrue(any(word in line for line in comments), word)
        self.assertEqual([(row["row"], row["command"]) for row in rows],
                         [("small", "lode"), ("small", "peer")])
        self.assertEqual([row["count"] for row in rows], ["7", "7"])
        self.assertEqual(float(rows[0]["busiest_median"]), 3)
        self.assertEqual(rows[0]["sum_median"], "4")
        self.assertEqual((rows[0]["deep_median"], rows[0]["pairs_median"]), ("6", "1"))
        self.assertEqual(float(rows[1]["time_median"]), 0.25)
        self.assertEqual(float(rows[1]["ratio"]), 0.5)
        self.assertIn("skip: gone", done.stderr)
        self.assertIn("skip: row absent", done.stderr)
        self.assertIn("ratio", done.stdout)

    def test_against(self):
        """Another build runs before and after this one, and nothing else does."""
        other = self.folder / "other"
        other.write_text(LODE.replace("echo lode", "echo other"))
        other.chmod(0o755)
        done = self.run_harness("--against", str(other), "--warmup", "0",
                                str(self.folder / "stand.json"))
        self.assertEqual(done.returncode, 0, done.stderr)
        name, comments, rows = self.results()
        self.assertTrue(name.startswith("against-stand-"), name)
        self.assertEqual([row["command"] for row in rows], ["before", "now", "before again"])
        self.assertEqual({row["metric"] for row in rows}, {"cpu"})
        self.assertIn("# before: {before} {plain}", comments)
        turns = (self.folder / "turns").read_text().split()
        self.assertEqual(turns, ["other", "lode", "other"] * 3)

    def run_case(self, case, *arguments, **environment):
        """Runs a case of its own; returns the finished process and its rows by command."""
        (self.folder / "own.json").write_text(json.dumps(case))
        done = self.run_harness(str(self.folder / "own.json"), *arguments, **environment)
        found = self.results()
        return done, {row["command"]: row for row in found[2]} if found else None

    def test_peers_may_be_wrong(self):
        """A peer with another count, one that fails and one that takes too long are no match."""
        def peer(name, script):
            return {"name": name, "peer": True, "command": f"bash -c '{script}'"}
        spin = "for ((i = 0; i < %d; i++)); do :; done; echo total %d"
        case = {"metric": "cpu", "rows": [{"name": "r", "expect": 7}], "timeout": 20,
                "commands": [{"name": "lode", "command": "bash -c '" + spin % (60000, 7) + "'"},
                             peer("wrong", spin % (1, 8)), peer("fails", "exit 3"),
                             peer("right", spin % (30000, 7)),
                             peer("hopeless", spin % (1000000, 7))]}
        done, rows = self.run_case(case)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({name: row["result"] for name, row in rows.items()},
                         {"lode": "right", "wrong": "wrong", "fails": "failed", "right": "right",
                          "hopeless": "right"})
        self.assertEqual({row["base"] for row in rows.values()}, {"right"})
        self.assertGreater(float(rows["lode"]["ratio"]), 1)
        self.assertEqual((rows["right"]["runs"], rows["hopeless"]["runs"]), ("3", "1"))
        self.assertIn("above 1: 1", done.stdout)
        case["commands"][1]["count_may_add"] = 1  # the one that counts the empty set
        done, rows = self.run_case(case)
        self.assertEqual((rows["wrong"]["result"], rows["wrong"]["base"]), ("right", "wrong"))
        case["commands"][0]["command"] = "echo total 8"
        done, _ = self.run_case(case)
        self.assertEqual(done.returncode, 1)
        self.assertIn("lode 8, expected 7", done.stderr)

    def test_time_caps(self):
        """A peer that takes too long is marked; a command of ours is refused; a row has its end."""
        slow = {"name": "slow", "command": "sh -c 'sleep 60; echo total 7'", "peer": True}
        quick = {"name": "quick", "command": "sh -c 'sleep 0.2; echo total 7'"}
        case = {"rows": [{"name": "r"}], "commands": [quick, slow], "timeout": 4,
                "row_seconds": 0.5}
        done, rows = self.run_case(case)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(rows["slow"]["result"], "over 4 s")
        self.assertEqual(rows["quick"]["runs"], "1")
        del slow["peer"]
        done, _ = self.run_case(case)
        self.assertEqual(done.returncode, 1)
        self.assertIn("still running after 4", done.stderr)

    def test_rows_of_known_counts(self):
        """A table of counts makes the rows; names become numbers; filters choose among them."""
        (self.folder / "counts.csv").write_text(
            "file,minsup_percent,minsup_count,all,closed\n"
            "small.dat,50,1,1,\nnames.csv,50,2,2,2\n")
        (self.folder / "names.csv").write_text("red wine,bread\nbread,,red wine\n")
        case = {"rows_from": {"file": "counts.csv", "column": "all"},
                "commands": [{"name": "last", "command": "cat {plain}", "count": r"(\d+)$"},
                             {"name": "not", "command": "echo {minsup} {percent}"}]}
        done, rows = self.run_case(case, "--only", "names 50%", "--commands", "last",
                                   "--metric", "peak")
        self.assertEqual(done.returncode, 1, done.stderr)  # the last number is 0, not 2
        self.assertIn("row names 50%: the counts differ", done.stderr)
        self.assertIn("last 0, expected 2", done.stderr)
        case["commands"][0].update(count=r"(\d)", count_by="sum")
        done, rows = self.run_case(case, "--only", "names 50%", "--commands", "last")
        self.assertEqual((done.returncode, list(rows)), (0, ["last"]), done.stderr)
        case["rows_from"]["column"] = "closed"
        case["commands"][0].update(count_by="lines")
        done, rows = self.run_case(case, "--commands", "last")
        self.assertEqual([row["row"] for row in self.results()[2]], ["names 50%"])

    def test_made_data_and_slope(self):
        """Rows may have their data made; what grows with them is fitted."""
        maker = "bash -c 'head -c {n} /dev/zero | tr \\\\0 1 > {made}; echo >> {made}'"
        case = {"rows": [{"name": "a", "n": 4567}, {"name": "b", "n": 45678}], "make": maker,
                "slope": {"x": "n", "of": ["size"]},
                "commands": [{"name": "wc", "command": "bash -c 'wc -c < {plain}; echo total 1'",
                              "measures": {"size": {"match": r"^(\d+)$"}}}]}
        done, _ = self.run_case(case)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"wc: size grows as n\^1\.000")

    def test_memory_has_a_floor(self):
        """Below the floor, the base of a ratio counts as the floor."""
        case = {"metric": "peak", "floor": 1000, "least": 0, "rows": [{"name": "r"}],
                "commands": [{"name": "lode", "command": "echo total 1"},
                             {"name": "peer", "command": "echo total 1", "peer": True}]}
        done, rows = self.run_case(case)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(float(rows["lode"]["ratio"]), 0.1)

    def test_busiest_thread(self):
        """What the other threads did at the same time is not the busiest one's."""
        case = {"metric": "busiest", "also": ["cpu"], "rows": [{"name": "r"}],
                "commands": [{"name": "lode", "command": "{lode}",
                              "measures": {"busiest": {"report": "busiest"}}}]}
        _, rows = self.run_case(case)
        line = rows["lode"]
        self.assertAlmostEqual(float(line["busiest_median"]), float(line["cpu_median"]) - 1, 2)
        self.assertEqual(line["ratio_cpu"], "1")

    def earlier_results(self, date, commit, rows, extra=""):
        """A results file of an earlier run of the case `own`."""
        folder = self.folder / "results"
        folder.mkdir(exist_ok=True)
        lines = ["# machine: Test Box", f"# commit: {commit}", f"# date: {date}",
                 *([f"# {extra}"] if extra else []), "row,command,runs,count,time_median,time_spread"]
        lines += [f"r,{name},{runs},7,{median},{spread}" for name, runs, median, spread in rows]
        (folder / f"own-test-box-{date}.csv").write_text("\n".join(lines) + "\n")

    def test_slower_cells_are_marked(self):
        """By more than a tenth, beyond the spread of both, than the newest earlier results."""
        def command(name, seconds):
            return {"name": name, "command": f"echo time {seconds} total 7", "count": r"total (\d+)",
                    "measures": {"time": {"match": r"time ([0-9.]+)"}}}
        case = {"metric": "time", "rows": [{"name": "r"}],
                "commands": [command("much", 1.23), command("little", 1.08), command("spread", 1.4),
                             command("single", 1.5), command("new", 9), command("faster", 0.5)]}
        self.earlier_results("2001-01-01", "old", [("much", 3, 0.1, 0)])
        self.earlier_results("2002-02-02", "abc", [
            ("much", 3, 1.0, 0.05), ("little", 3, 1.0, 0), ("spread", 3, 1.0, 0.45),
            ("single", 1, 1.0, 0), ("faster", 3, 1.0, 0)])
        self.earlier_results("2003-03-03", "part", [("much", 3, 0.01, 0)],
                             "only a part of the case was run")
        (self.folder / "own.json").write_text(json.dumps(case))
        done = self.run_harness(str(self.folder / "own.json"), "--repeat", "2", "--warmup", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("slower 1.23x than 2002-02-02 (abc)", done.stdout)
        self.assertIn("2 of 5 cells are slower by time than on 2002-02-02 (abc)", done.stdout)
        newest = max((self.folder / "results").glob("*.csv"))
        lines = newest.read_text().splitlines()
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
        self.assertEqual({row["command"]: row["slower"] for row in rows}, {
            "much": "slower 1.23x than 2002-02-02 (abc)",
            "single": "slower 1.50x than 2002-02-02 (abc), single runs",
            "little": "", "spread": "", "new": "", "faster": ""})
        self.assertTrue(any(line.startswith("# 2 of 5 cells are slower") for line in lines))
        case["higher_is_better"] = True
        (self.folder / "own.json").write_text(json.dumps(case))
        newest.unlink()
        done = self.run_harness(str(self.folder / "own.json"), "--repeat", "2", "--warmup", "0")
        self.assertIn("r, faster: slower 2.00x", done.stdout)

    def test_a_part_is_marked(self):
        """Results of a part of the rows say so, and are no match for later runs."""
        self.run_harness(str(self.folder / "stand.json"), "--only", "small", "--repeat", "1",
                         "--warmup", "0")
        self.assertIn("# only a part of the case was run", self.results()[1])

    def test_head(self):
        """`head` cuts the copies after so many lines, and asks for no more than there are."""
        row = {"name": "cut", "file": "small.dat", "times": 3, "head": 2}
        case = {"rows": [row], "commands": [{"name": "wc", "command": "wc -l {plain}",
                                             "count": r"^\s*(\d+) "}]}
        for head, status in ((2, 0), (4, 1)):
            row["head"] = head
            (self.folder / "cut.json").write_text(json.dumps(case))
            done = self.run_harness(str(self.folder / "cut.json"))
            self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(self.results()[2][0]["count"], "2")

    def test_commands_take_turns(self):
        self.run_harness(str(self.folder / "stand.json"), "--warmup", "1")
        turns = (self.folder / "turns").read_text().split()
        self.assertEqual(turns, ["lode", "peer"] * 4)

    def test_different_counts_are_refused(self):
        done = self.run_harness(str(self.folder / "stand.json"), COUNT="8")
        self.assertEqual(done.returncode, 1)
        self.assertIn("row small: the counts differ", done.stderr)
        self.assertIn("lode 8, peer 7", done.stderr)
        self.assertIsNone(self.results())

    def test_one_command_with_unsteady_counts_is_refused(self):
        unsteady = 'bash -c "echo total $RANDOM$RANDOM"'
        done = self.run_harness("--name", "unsteady", f"a={unsteady}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the counts differ", done.stderr)

    def test_commands_of_ones_own(self):
        done = self.run_harness("--name", "mine", "--count-regex", r"n=(\d+)", "--metric", "cpu",
                                "a=echo n=5", "b=sh -c 'echo n=5 >&2'")
        self.assertEqual(done.returncode, 0, done.stderr)
        _, _, rows = self.results()
        self.assertEqual([row["command"] for row in rows], ["a", "b"])
        self.assertEqual(rows[0]["metric"], "cpu")

    def test_no_count_or_a_failure_is_refused(self):
        for command in ("a=echo nothing", "a=false", "a=sh -c 'kill -9 $$'"):
            done = self.run_harness("--name", "bad", command)
            self.assertEqual(done.returncode, 1, command)
            self.assertIsNone(self.results())

    def test_time_and_memory_are_those_of_the_command(self):
        """40 MiB are seen as such, and a small program does not inherit Python's size."""
        big = f"{sys.executable} -c \"x = b'1' * (40 << 20); print('total 1')\""
        done = self.run_harness("--name", "memory", "--repeat", "1", "small=echo total 1",
                                "slow=sh -c 'sleep 0.3; echo total 1'", f"big={big}")
        self.assertEqual(done.returncode, 0, done.stderr)
        small, slow, large = self.results()[2]
        self.assertLess(float(small["peak_mib"]), 6)
        self.assertGreater(float(large["peak_mib"]), 40)
        self.assertGreaterEqual(float(slow["wall_median"]), 0.3)
        self.assertLess(float(slow["cpu_median"]), 0.3)

    def test_no_peers(self):
        done = self.run_harness(str(self.folder / "stand.json"), LODE_PEERS="")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("skip: peer: LODE_PEERS is not set", done.stderr)


if __name__ == "__main__":
    unittest.main()
