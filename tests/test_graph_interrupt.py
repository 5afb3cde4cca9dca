"""Ctrl-C, kill -9 and a full disk while graphs are mined: what lode leaves behind, and how soon.

SPDX-License-Identifier: Apache-2.0
"""
import csv
import json
import os
import random
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from patience import DEADLINE, Effort, let_run

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
SANITIZED = b"__asan_init" in Path(LODE).read_bytes() or b"__tsan_init" in Path(LODE).read_bytes()
SOON = 3.0 if SANITIZED else 1.0  # seconds of all processors until a signal is obeyed
MID_RUN = 1.0 if SANITIZED else 0.3  # processor seconds until a job is under way


class Interrupted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lode-graphs-")
        cls.data = Path(cls.folder.name, "graphs.lg")
        subprocess.run([LODE, "generate", "graphs", "-n", "400", "-l", "40", "--vertex-labels", "2",
                        "--edge-labels", "1", "-o", str(cls.data)], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def tearDown(self):
        for path in Path(self.folder.name).glob("out*"):
            path.unlink()

    def start(self, *options):
        """A job for much more than a minute."""
        process = subprocess.Popen([LODE, "graphs", str(self.data), "-s", "4", *options],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        let_run(process, MID_RUN)
        self.assertIsNone(process.poll(), "the job ended by itself")
        return process

    def check_patterns(self, path, n):
        """The file is whole, and the first patterns have the supports it gives."""
        text = path.read_text()
        patterns = re.split(r"^(?=t #)", text, flags=re.M)[1:]
        self.assertEqual(len(patterns), n)
        self.assertTrue(text.endswith("\n"))
        some = Path(self.folder.name, "out.some")
        some.write_text("".join(patterns[:40]))
        done = subprocess.run([LODE, "graphs", str(self.data), "--verify", str(some)],
                              stdout=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "0 of 40 supports are wrong\n"))

    def check_interrupt(self, *options):
        out = Path(self.folder.name, "out.lg")
        process = self.start("-o", str(out), *options)
        effort = Effort(process)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=DEADLINE)[1]
        effort.check(self, SOON)
        self.assertEqual(process.returncode, 130)
        found = re.search(r"interrupted: the result is partial, ([0-9,]+) subgraphs so far, in "
                          + re.escape(f"{out}.partial"), said)
        self.assertTrue(found, said)
        self.assertFalse(out.exists())
        self.assertEqual(list(out.parent.glob("out.lg.tmp*")), [])
        self.check_patterns(Path(f"{out}.partial"), int(found[1].replace(",", "")))

    def test_one_thread(self):
        self.check_interrupt("-j", "1")

    def test_three_threads(self):
        self.check_interrupt("-j", "3")

    def test_gspan(self):
        self.check_interrupt("-j", "2", "-a", "gspan")

    def count(self, path, form):
        """The number of patterns in a file, each of which is whole."""
        if form == "arrow":
            done = subprocess.run([LODE, "query", str(path), "--count"], check=True,
                                  capture_output=True, text=True)
            return int(done.stdout)
        text = path.read_text()
        self.assertTrue(text.endswith("\n"))
        if form == "jsonl":
            return len([json.loads(line) for line in text.splitlines()])
        if form == "csv":
            rows = list(csv.reader(text.splitlines()))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])})
            return len(rows) - 1
        return len(re.findall(r"^t # ", text, flags=re.M))

    def test_crowds(self):
        """More threads than cores, stopped at any moment: what is written is whole, and counted."""
        moments = random.Random(3)
        for i in range(4 if SANITIZED else 8):
            form, threads = ("gspan", "csv", "jsonl", "arrow")[i % 4], ("8", "16")[i // 4 % 2]
            out = Path(self.folder.name, "out.crowd")
            command = [LODE, "graphs", str(self.data), "-s", "4", "-w", form, "-j", threads,
                       "-a", ("graft", "gspan")[i // 2 % 2], "-o", str(out)]
            if i % 2:
                command += ["--limit-time", str(moments.uniform(0.05, 0.2))]
            process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.kill)
            if not i % 2:
                let_run(process, MID_RUN + moments.uniform(0, 0.2))
                process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=DEADLINE)[1]
            self.assertEqual(process.returncode, 5 if i % 2 else 130, said)
            found = re.search(r"the result is partial, ([0-9,]+) subgraphs? so far", said)
            self.assertTrue(found, said)
            written = out if i % 2 else Path(f"{out}.partial")
            self.assertEqual(self.count(written, form), int(found[1].replace(",", "")))
            written.unlink()

    def test_repeated_signals_are_one(self):
        for i in range(3):
            out = Path(self.folder.name, "out.lg")
            process = self.start("-o", str(out), "-q")
            for _ in range(3):
                process.send_signal((signal.SIGTERM, signal.SIGHUP, signal.SIGINT)[i])
                time.sleep(0.002 * i)
            said = process.communicate(timeout=DEADLINE)[1]
            self.assertEqual(process.returncode, 130, said)
            self.assertIn("interrupted: the result is partial", said)
            self.assertEqual([path.name for path in out.parent.glob("out*")], ["out.lg.partial"])
            Path(f"{out}.partial").unlink()

    def test_killed(self):
        out = Path(self.folder.name, "out.lg")
        out.write_text("old\n")
        process = self.start("-o", str(out))
        process.kill()
        process.wait()
        self.assertEqual(out.read_text(), "old\n")

    @unittest.skipIf(SANITIZED, "sanitizers need all of it")
    def test_limit_of_address_space(self):
        """Many threads reserve space for lists, and leave some for everything else."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
        done = subprocess.run([LODE, "graphs", str(self.data), "-s", "100", "--count", "-j", "16"],
                              capture_output=True, text=True, preexec_fn=limit)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_limit_of_file_size(self):
        out = Path(self.folder.name, "out.lg")
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 18, 1 << 18))
        done = subprocess.run([LODE, "graphs", str(self.data), "-s", "10", "-o", str(out)],
                              stderr=subprocess.PIPE, text=True, preexec_fn=limit)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"cannot write '{out}': File too large", done.stderr)
        self.assertEqual(list(out.parent.glob("out*")), [])

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_full_disk(self):
        done = subprocess.run([LODE, "graphs", str(self.data), "-s", "50", "-o", "/dev/full"],
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write '/dev/full'", done.stderr)


if __name__ == "__main__":
    unittest.main()
