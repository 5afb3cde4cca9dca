"""Tests of the style check and of the summary of a test run.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parent.parent / "tools"
sys.path.insert(0, str(TOOLS))
import provenance  # noqa: E402
import test_summary  # noqa: E402

LICENCE = "/* SPDX-License-Identifier: Apache-2.0 */\n"
JUNIT = """<testsuite>
<testcase name="good" time="0.5" status="run"><system-out>row: chess 40%%,6439702,0.41
</system-out></testcase>
<testcase name="slow" time="9.5" status="run"/>
<testcase name="data" time="0" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>
<system-out>skip: no real data</system-out></testcase>
%s</testsuite>
"""
BAD = '<testcase name="bad" time="0" status="fail"><failure message=""/></testcase>\n'


class InFolder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)


class Provenance(InFolder):
    def commit_of(self, root, path):
        script = ("import provenance, pathlib\n"
                  f"provenance.ROOT = pathlib.Path({str(root)!r})\nprint(provenance.header('x'))")
        environment = {"PATH": str(path), "PYTHONPATH": str(TOOLS), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                              env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_nothing_needs_git(self):
        """Neither an archive without .git, nor a clone where git is not installed."""
        self.assertIn("commit: unknown", self.commit_of(self.folder, self.folder))
        (self.folder / ".git").mkdir()
        self.assertIn("commit: unknown", self.commit_of(self.folder, self.folder))


class Style(InFolder):
    def problems(self, text):
        path = self.folder / "src" / "base" / "x.c"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        done = subprocess.run([sys.executable, TOOLS / "check_style.py", self.folder],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0 if "fine" in done.stdout else 1)
        return done.stdout

    def test_good(self):
        text = LICENCE + '/* atoi() is bad */\nint f(void) {\n    return g("gets(x)");\n}\n'
        self.assertIn("fine", self.problems(text))
        self.assertIn("fine", self.problems(LICENCE + "x = vsnprintf(my_strcpy(), fgets());\n"))
        self.assertIn("fine", self.problems(LICENCE + "/* " + "ä" * 94 + " */\n"))

    def test_each_rule(self):
        function = "int f(void) {\n" + "    g();\n" * 119 + "}\n"
        for text, expected in (
                ("int x;\n", "x.c:1: no line with SPDX"),
                (LICENCE + "int x;\n" * 1000, "1001 lines"),
                (LICENCE + function, "x.c:2: a function of 121 lines"),
                (LICENCE + "int\tx;\n", "x.c:2: a tab"),
                (LICENCE + "int x; \n", "x.c:2: blanks"),
                (LICENCE + "/* " + "x" * 95 + " */\n", "101 columns"),
                (LICENCE + "\nn = atoi (s);\n", "x.c:3: atoi() is banned"),
                (LICENCE + "sprintf(a, b);\n", "sprintf() is banned")):
            self.assertIn(expected, self.problems(text))


class Summary(InFolder):
    def summary(self, **tiers):
        paths = []
        for name, text in tiers.items():
            paths.append(self.folder / f"{name}.xml")
            if text is not None:
                paths[-1].write_text(text)
        done = subprocess.run([sys.executable, TOOLS / "test_summary.py", *paths],
                              capture_output=True, text=True)
        return done.returncode, done.stdout

    def test_all_is_well(self):
        code, output = self.summary(test=JUNIT % "", asan=JUNIT % "")
        self.assertEqual(code, 0, output)
        self.assertEqual(output.splitlines()[-1], "4 passed, 0 failed")
        self.assertIn("skipped: data: no real data", output)
        self.assertIn("slowest: test slow (9.5 s), asan slow (9.5 s), ", output)
        self.assertIn("one after the other: 20 s", output)

    def test_seconds_and_the_document(self):
        (self.folder / "asan.seconds").write_text("90 61 80\n")
        output = self.summary(asan=JUNIT % "")[1]
        self.assertIn("skipped; 80 s, of the processors 90 s to build and 61 s to test", output)
        page = self.folder / "page.md"
        page.write_text("before\n<!-- tiers -->\n| `tsan` | old |\n| `asan` | old |\n"
                        "<!-- end of tiers -->\nafter\n")
        test_summary.write_document({"asan": (3, 90, 61), "quick": (1, 2, 3)}, page)
        lines = page.read_text().splitlines()
        self.assertEqual(lines[4:8], ["| `quick` | 1 | 2 | 3 | 3 |", "| `asan` | 3 | 90 | 61 | 76 |",
                                      "| `tsan` | old |", "<!-- end of tiers -->"])
        self.assertEqual((lines[0], lines[-1]), ("before", "after"))

    def test_a_failure_in_any_tier(self):
        code, output = self.summary(test=JUNIT % "", asan=JUNIT % BAD)
        self.assertEqual(code, 1)
        self.assertIn("failed: bad", output)
        self.assertEqual(output.splitlines()[-1], "4 passed, 1 failed")

    def test_a_tier_that_was_not_built_or_is_empty(self):
        code, output = self.summary(test=JUNIT % "", tsan=None)
        self.assertEqual(code, 1)
        self.assertIn("tsan   failed to build", output)
        code, output = self.summary(test="<testsuite></testsuite>")
        self.assertEqual(code, 1)

    def test_table(self):
        (self.folder / "test.xml").write_text(JUNIT % BAD)
        tests = test_summary.read_tier(self.folder / "test.xml")
        path = provenance.results_path("long", "a box", self.folder)
        test_summary.write_table(tests, path, "a box")
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(list(csv.reader(lines)), [
            ["test", "case", "result", "seconds"], ["good", "", "passed", "0.50"],
            ["good", "chess 40%", "6439702", "0.41"], ["slow", "", "passed", "9.50"],
            ["data", "", "skipped", "0.00"], ["bad", "", "failed", "0.00"]])


if __name__ == "__main__":
    unittest.main()
