"""Memory budgets: right counts within the budget, or one sentence with a figure; and the default.

SPDX-License-Identifier: Apache-2.0
"""
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = Path(os.environ.get("LODE_BIN", ROOT / "build" / "lode"))
DATA = Path(os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data"))
FILE = DATA / "itemsets" / "T40I10D100K-regen.dat.zst"
TOTAL = 28348  # itemsets at 1%
MIB = 1 << 20


def run(*options):
    """Runs lode; returns (exit status, stdout, stderr, peak resident bytes of the child)."""
    command = [str(LODE), "itemsets", str(FILE), "-s", "1%", "--count", *options]
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        # A child of Python starts with Python's own peak; a shell in between has a small one.
        report = ["sh", "-c", '"$@" & wait $!', "sh", *command]
        process = subprocess.Popen(report, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        return process.returncode, out.read(), err.read(), usage.ru_maxrss * 1024


def resident_peak(said):
    """What lode itself says, from its own getrusage()."""
    return int(re.search(r'"resident_peak":(\d+)', said)[1])


@unittest.skipUnless(FILE.exists(), f"no real data in {DATA} (set LODE_DATA)")
class Budgets(unittest.TestCase):
    def check_64m(self, threads):
        status, out, said, child = run("--memory", "64M", "--threads", threads, "--report", "json")
        self.assertEqual(status, 0, said)
        self.assertEqual(out.splitlines()[-1], f"total {TOTAL}")
        self.assertLess(resident_peak(said), 80 * MIB)
        self.assertLess(child, 80 * MIB)

    def test_one_thread(self):
        self.check_64m("1")

    def test_two_threads(self):
        self.check_64m("2")

    def test_too_small(self):
        """The figure leads to the result; one more where not even the file could be unpacked."""
        budget = 1
        for _ in range(3):
            status, out, said, _ = run("--memory", f"{budget}M", "--threads", "1")
            if status == 0:
                break
            self.assertEqual((status, out), (4, ""), said)
            self.assertEqual(len(said.splitlines()), 1, said)
            figure = re.search(r"\(--memory ([0-9]+)M[,)]", said)
            self.assertTrue(figure, said)
            self.assertGreater(float(figure[1]), budget, said)
            budget = math.ceil(float(figure[1]))
        self.assertEqual(status, 0, said)
        self.assertEqual(out.splitlines()[-1], f"total {TOTAL}")


def clique(n):
    """A graph in which every two of n equal vertices have an edge: occurrences explode."""
    vertices = [f"v {i} 0" for i in range(n)]
    return "\n".join(["t # 0", *vertices, *(f"e {i} {k} 0" for i in range(n) for k in range(i)), ""])


def stars(n):
    """Two stars of n equal leaves."""
    one = [f"v {i} {int(i == 0)}" for i in range(n + 1)] + [f"e 0 {i} 0" for i in range(1, n + 1)]
    return "\n".join(["t # 0", *one, "t # 1", *one, ""])


class Defaults(unittest.TestCase):
    """Without --memory there is a budget, too. A limit of the address space stands for a small machine."""

    def run_small(self, text, *arguments, mib=700):
        with tempfile.NamedTemporaryFile("w", suffix=".lg") as file:
            file.write(text)
            file.flush()
            limited = ["sh", "-c", f'ulimit -v {mib * 1024}; exec "$@"', "sh", str(LODE)]
            return subprocess.run([*limited, *arguments, file.name], capture_output=True, text=True,
                                  timeout=120)

    def test_stats_of_a_clique(self):
        done = self.run_small(clique(300), "stats")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("edges          44,850", done.stdout)
        self.assertRegex(done.stdout, r"\n +1% +1 +1 +\S+ +-\n")
        self.assertRegex(done.stdout, r"\(-: .*memory")

    def test_graphs_of_two_stars(self):
        for threads in ("1", "2", "8", "8", "8", "16", "16"):
            done = self.run_small(stars(5000), "graphs", "-s", "2", "-j", threads)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertRegex(done.stderr, r"^lode: the memory budget of [0-9.]+ MiB is too small: .*the default, 80% of the memory that ulimit allows.*--memory")

    def test_no_budget(self):
        done = self.run_small(stars(5000), "graphs", "-s", "2", "--memory", "unlimited")
        self.assertEqual((done.returncode, done.stderr), (1, "lode: mining failed: out of memory\n"))


if __name__ == "__main__":
    program = LODE.read_bytes()
    if b"__asan_init" in program or b"__tsan_init" in program:
        print("skip: sanitizers use memory of their own")
        sys.exit(77)
    if not FILE.exists():
        print(f"skip: no real data in {DATA} (set LODE_DATA)")
    unittest.main(verbosity=0)
