#!/usr/bin/env python3
"""Runs that are killed in the middle, and resumed: the result is that of one that was not.

A process is killed (SIGKILL) at random moments. Only moments count at which its journal is neither
empty nor full: the run that goes on says what was found before and what is left. With LODE_LONG
there are 20 such moments of each kind, otherwise one.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from patience import size_of

ROOT = Path(__file__).resolve().parent.parent
LODE = os.environ.get("LODE_BIN", str(ROOT / "build" / "lode"))
LONG = bool(os.environ.get("LODE_LONG"))
SANITIZED = b"__asan_init" in Path(LODE).read_bytes() or b"__tsan_init" in Path(LODE).read_bytes()
MOMENTS = 20 if LONG else 1
RESUMED = re.compile(r"resumed: ([0-9,]+) patterns found before, ([0-9,]+) of [0-9,]+ tasks left")
OFTEN = {**os.environ, "LODE_JOURNAL_SECONDS": "0.002"}


def run(*words, ok=0):
    """Runs lode to its end."""
    done = subprocess.run([LODE, *map(str, words)], capture_output=True, text=True, env=OFTEN)
    if done.returncode != ok:
        raise AssertionError(f"{words}: exit {done.returncode}\n{done.stderr}")
    return done


def generate(path):
    """Data whose search takes long enough to be killed in the middle."""
    run("generate", "quest", "-n", 2000 if SANITIZED else 20000, "--items", 100, "-l", 24, "--seed", 4,
        "-o", path)


def is_in_the_middle(said):
    """Whether a run that went on has found something done, and something left to do."""
    before, left = RESUMED.search(said).groups()
    return before != "0" and left != "0"


def records(path):
    """What a text has, in no order; graphs one by one, without their numbers."""
    text = path.read_text()
    if not text.startswith("t #"):
        return sorted(text.splitlines())
    graphs = text.split("\nt # ")
    numbers = [int(g.removeprefix("t # ").split()[0]) for g in graphs]
    assert numbers == list(range(len(graphs))), "graphs are not numbered through"
    return sorted(g.removeprefix("t # ").split(" ", 1)[1].strip() for g in graphs)


class Resumed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="lode-resume-")
        cls.at = Path(cls.folder.name)
        cls.draw = random.Random(3)
        cls.items = cls.at / "q.dat"
        generate(cls.items)
        cls.graphs = cls.at / "g.lg"
        run("generate", "graphs", "-n", 100 if SANITIZED else 400, "-l", 25, "--vertex-labels", 4,
            "--edge-labels", 2, "--seed", 5, "-o", cls.graphs)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        self.out = self.at / "out"
        self.partial, self.journal = self.at / "out.partial", self.at / "out.journal"

    def tearDown(self):
        for path in self.at.glob("out*"):
            path.unlink()

    def start(self, *words):
        process = subprocess.Popen([LODE, *map(str, words)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=OFTEN)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        return process

    def kill(self, words, by, reach):
        """Ends a run when its journal has grown by a random number of bytes, below `reach`, since
        it was first seen. False: it was done before."""
        process = self.start(*words)
        header, more = 0, self.draw.randrange(reach)
        while process.poll() is None:
            size = size_of(self.journal)
            header = header or size
            if size > header + more:
                time.sleep(self.draw.random() * 0.01)
                process.send_signal(by)
                break
            time.sleep(0.0005)
        process.wait()
        if process.returncode == 0 or not self.journal.exists():
            return False  # the journal is the last that goes
        self.assertIn(process.returncode, (-by, 130), process.stderr.read())
        self.assertFalse(self.out.exists(), "a half file has the final name")
        return True

    def kill_and_resume(self, words, whole, by, reach):
        """Kills once or twice, goes on, and compares with the whole. Whether it was killed in the
        middle."""
        if not self.kill(words, by, reach):
            return False
        if self.draw.random() < 0.5 and not self.kill([*words, "--resume"], by, reach):
            return False  # it was done the second time, and has printed its numbers there
        done = run(*words, "--resume")
        whole(done)
        self.assertFalse(self.journal.exists() or self.partial.exists())
        return is_in_the_middle(done.stderr)

    def check_resumed(self, words, whole, by=signal.SIGKILL, moments=MOMENTS):
        """Where a run is done too soon, the next is killed earlier."""
        hits, reach = 0, 4000
        for _ in range(20 + 10 * moments):
            hit = self.kill_and_resume(words, whole, by, reach)
            hits += hit
            reach = reach if hit else max(reach // 2, 1)
            self.tearDown()
            if hits == moments:
                break
        self.assertEqual(hits, moments, "killed too seldom in the middle")

    def check_text(self, *words, moments=MOMENTS):
        run(*words, "-q", "-o", self.at / "whole")
        expected = records(self.at / "whole")
        self.check_resumed([*words, "-o", self.out],
                           lambda done: self.assertEqual(records(self.out), expected),
                           moments=moments)

    def test_itemsets(self):
        self.check_text("itemsets", self.items, "-s", "3%", "-j", "1", "--journal")

    def test_itemsets_by_threads(self):
        self.check_text("itemsets", self.items, "-s", "3%", "-j", "3", "-t", "closed", "--journal",
                        "-w", "csv", moments=MOMENTS)

    def test_graphs(self):
        self.check_text("graphs", self.graphs, "-s", "2%" if SANITIZED else "1%", "-j", "2", "--journal")

    def test_numbers(self):
        words = ["itemsets", self.items, "-s", "3%", "--count", "--hash"]
        expected = run(*words).stdout
        self.check_resumed([*words, "--journal", "-o", self.out],
                           lambda done: self.assertEqual(done.stdout, expected))

    def test_interrupted(self):
        """Ctrl-C leaves the same as a kill, and says how to go on."""
        words = ["itemsets", self.items, "-s", "2.5%", "-j", "1", "-o", self.out, "--journal"]
        run(*words)
        expected = records(self.out)
        self.out.unlink()
        self.check_resumed(words, lambda done: self.assertEqual(records(self.out), expected),
                           signal.SIGINT, 1)

    def test_shares(self):
        """A share that was resumed is the share that was not: the manifests are the same."""
        words = ["itemsets", self.items, "-s", "3%", "-j", "2", "--count", "--hash", "--share"]
        parts = [self.at / f"part{k}" for k in (1, 2)]
        for k, part in enumerate(parts, 1):
            run(*words, f"{k}/2", "-o", part)
        whole = json.loads((self.at / "part1.share.json").read_text())
        manifest = self.at / "out.share.json"
        self.check_resumed([*words, "1/2", "-o", self.out], lambda done: self.assertEqual(
            json.loads(manifest.read_text()), whole), moments=MOMENTS)

    @unittest.skipIf(SANITIZED, "its data are so few that all fit")
    def test_spilled(self):
        """A run from disk, of which nothing is left in the folder of --spill."""
        disk = self.at / "disk"
        disk.mkdir()
        words = ["itemsets", self.items, "-s", "3%", "-j", "1", "--memory", "3M", "--spill", disk]
        self.assertIn("mining from disk", run(*words, "--count").stderr)
        self.check_text(*words, "--journal")
        self.assertEqual(list(disk.iterdir()), [])

    def test_time_limit(self):
        """A limit of time ends a run as a kill does, and it goes on."""
        words = ["itemsets", self.items, "-s", "2.5%", "-j", "1", "--journal", "-o", self.out]
        done = subprocess.run([LODE, *map(str, words), "--limit-time", "0.05"], env=OFTEN,
                              capture_output=True, text=True)
        if done.returncode == 5:
            self.assertIn("with --resume to continue", done.stderr)
            self.assertFalse(self.out.exists())
            run(*words, "--resume")
        run("itemsets", self.items, "-s", "2.5%", "-j", "1", "-o", self.at / "whole")
        self.assertEqual(records(self.out), records(self.at / "whole"))


class Refused(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="lode-resume-")
        self.addCleanup(self.folder.cleanup)
        self.at = Path(self.folder.name)
        self.data = self.at / "q.dat"
        generate(self.data)
        self.words = ["itemsets", self.data, "-j", "1", "--journal", "-o", self.at / "out"]
        self.killed = False
        for _ in range(20):
            process = subprocess.Popen([LODE, *map(str, self.words), "-s", "2.5%"], env=OFTEN,
                                       stderr=subprocess.DEVNULL)
            self.addCleanup(process.kill)
            journal, header = self.at / "out.journal", 0
            while process.poll() is None:
                size = size_of(journal)
                header = header or size
                if size > header:
                    process.kill()
                time.sleep(0.0005)
            if process.wait() != 0:
                self.killed = True
                break

    def test_refused(self):
        self.assertTrue(self.killed)
        other = run(*self.words, "-s", "2.6%", "--resume", ok=2)
        self.assertIn("the options were 'support=25/1000", other.stderr)
        changed = self.at / "out.partial"
        text = changed.read_bytes()
        changed.write_bytes(b"9" + text[1:])
        self.assertIn("has changed", run(*self.words, "-s", "2.5%", "--resume", ok=3).stderr)
        changed.write_bytes(text)
        anew = run(*self.words, "-s", "2.5%")
        self.assertIn("--resume would have continued", anew.stderr)
        self.assertFalse((self.at / "out.journal").exists())


if __name__ == "__main__":
    unittest.main()
