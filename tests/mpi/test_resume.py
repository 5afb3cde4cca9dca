#!/usr/bin/env python3
"""A job with journals, whose ranks are killed at random moments and which is resumed by another
number of ranks, has the result of one that was left alone. Only moments count at which the journals
are neither empty nor full, which the ranks that go on say.

SPDX-License-Identifier: Apache-2.0
"""
import os
import random
import re
import signal
import subprocess
import time
import unittest

from launching import (LONG, SANITIZED, TIMEOUT, MpiTest, environment, lode, main, parents, ranks_of, run,
                       size_of, wait_until)

RESUMED = re.compile(r"resumed: ([0-9,]+) patterns found before, ([0-9,]+) of [0-9,]+ tasks left")
KILLS = 20 if LONG else 3


class Resume(MpiTest):
    def start(self, ranks, words):
        command = self.launchers[0].command(ranks, "lode-mpi", *words)
        job = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, env=environment())
        self.addCleanup(job.kill)
        return job

    def records(self):
        return sum(map(size_of, self.folder.glob("J.?")))

    def kill_one(self, ranks, words, draw, reach):
        """Kills a rank when the journals have grown by a random number of bytes, below `reach`.
        False: the job was done before."""
        job = self.start(ranks, words)
        begun, more = 0, draw.randrange(reach)
        while job.poll() is None:
            if len(list(self.folder.glob("J.?"))) >= ranks:
                begun = begun or self.records()
            if begun and self.records() > begun + more:
                break
            time.sleep(0.002)
        time.sleep(draw.uniform(0, 0.02))
        pids = ranks_of(job)
        if len(pids) == ranks:
            os.kill(draw.choice(pids), signal.SIGKILL)
        job.communicate(timeout=TIMEOUT)
        wait_until(lambda: not set(pids) & set(parents()), "all ranks let go of their journals")
        return job.returncode != 0

    def clean(self):
        for path in self.folder.glob("J.*"):
            path.unlink()

    def kill_and_resume(self, words, expected, draw, reach):
        """Kills once or twice, each time by another number of ranks, then lets it end. Whether the
        journals were neither empty nor full."""
        self.clean()
        if not self.kill_one(draw.choice((2, 3)), words, draw, reach):
            return False
        if draw.random() < 0.5 and not self.kill_one(draw.choice((2, 3)), [*words, "--resume"], draw,
                                                     reach):
            return False
        self.assertFalse((self.folder / "out").exists())
        done = self.mine(draw.choice((1, 2, 3, 4)), *words, "--resume")
        self.assertTrue(expected(done))
        self.assertEqual(list(self.folder.glob("J.*")), [], "journals are left")
        found = RESUMED.search(done.stderr)
        return bool(found) and found[1] != "0" and found[2] != "0"

    def check(self, words, expected, seed):
        """Where a job is done too soon, the next is killed earlier."""
        draw, reach = random.Random(seed), 4000
        words = [*words, "--threads", 1, "--journal", self.folder / "J"]
        for _ in range(30):
            if self.kill_and_resume(words, expected, draw, reach):
                return
            (self.folder / "out").unlink(missing_ok=True)
            reach = max(reach // 2, 1)
        self.fail(f"seed {seed}: the job was always too quick")

    @unittest.skipIf(SANITIZED, "who is killed reports nothing; the others resume what a limit ended")
    def test_killed(self):
        data = self.baskets(rows=2500, items=45)
        count = ["itemsets", data, "-s", "6", "-t", "closed", "--count", "--hash"]
        alone = lode(*count).stdout
        text = ["itemsets", data, "-s", "20", "-w", "csv", "-o", self.folder / "out"]
        lines = sorted(lode(*text[:-2]).stdout.splitlines())

        def is_same_text(_):
            out = self.folder / "out"
            same = sorted(out.read_text().splitlines()) == lines
            out.unlink()
            return same

        for seed in range(KILLS):
            if seed % 3 == 2:
                self.check(text, is_same_text, seed)
            else:
                self.check(count, lambda done: done.stdout == alone, seed)

    def stopped(self, data, support, ranks=3):
        """Words of a job that a limit of time has ended after some records, and its support: lower
        ones take longer, if the machine is too quick for this."""
        while support > 1:
            words = ["itemsets", data, "-s", support, "-q", "-o", self.folder / "out", "--threads",
                     1, "--journal", self.folder / "J"]
            for seconds in ("0.1", "0.2", "0.4", "0.8", "1.6", "3.2", "6.4"):
                done = run(self.launchers[0].command(ranks, "lode-mpi", *words, "--limit-time",
                                                     seconds), cwd=self.folder)
                if done.returncode == 0:
                    break
                self.assertEqual(done.returncode, 5, done.stderr)
                if any(size_of(path) > 500 for path in self.folder.glob("J.?")):
                    return words, support
                self.clean()
            (self.folder / "out").unlink(missing_ok=True)
            support = support * 2 // 3
        self.fail("no limit ended the job after its first records")

    def test_changed_text(self):
        """Text that was changed, cut or removed since gives no result."""
        data = self.baskets(rows=4000, items=45)
        words, _ = self.stopped(data, 6)
        journal = max(self.folder.glob("J.?"), key=lambda path: path.stat().st_size)
        text = journal.with_name(f"{journal.name}.text")
        whole = text.read_bytes()
        for changed in (b"Q" + whole[1:], whole[:10], None):
            text.write_bytes(changed) if changed is not None else text.unlink()
            done = self.mine(2, *words, "--resume", expect=3)
            self.assertEqual(done.stderr.count(f"{text.name}' has changed since its journal was written"),
                             1, done.stderr)
            self.assertFalse((self.folder / "out").exists())

    def test_missing(self):
        """What a journal that is missing spoke of is done again."""
        data = self.baskets(rows=2500, items=45)
        words, support = self.stopped(data, 20)
        (self.folder / "J.1").unlink()
        done = self.mine(2, *words, "--resume", expect=1)  # whose text is it?
        self.assertEqual(done.stderr.count("J.1.text': File exists"), 1, done.stderr)
        self.assertFalse((self.folder / "J.1").exists())
        (self.folder / "J.1.text").unlink()
        done = self.mine(2, *words, "--resume")
        self.assertEqual(done.stderr.count("1 journal is missing, the first is"), 1, done.stderr)
        alone = lode("itemsets", data, "-s", support, "-q").stdout
        out = (self.folder / "out").read_text()
        self.assertEqual(sorted(out.splitlines()), sorted(alone.splitlines()))
        self.assertEqual(list(self.folder.glob("J.*")), [])

    def test_texts_of_others(self):
        """A text without a journal, or a link in its place, is neither replaced nor followed."""
        data = self.baskets(rows=200)
        words = ["itemsets", data, "-s", "3", "-q", "-o", self.folder / "out", "--journal", self.folder / "J"]
        victim = self.write("victim", "mine\n")
        for make in (lambda path: path.write_text("mine\n"), lambda path: path.symlink_to(victim),
                     lambda path: path.symlink_to("nothing")):
            make(self.folder / "J.2.text")
            done = self.mine(2, *words, expect=1)
            self.assertEqual(done.stderr.count("J.2.text': File exists; it has no journal"), 1, done.stderr)
            self.assertEqual(victim.read_text(), "mine\n")
            self.assertEqual([path.name for path in self.folder.glob("J*")], ["J.2.text"])
            (self.folder / "J.2.text").unlink()

    def test_refused(self):
        data, other = self.baskets(rows=200), self.baskets("other.dat", rows=210)
        words = ["-s", "3", "--count", "--journal", self.folder / "J"]
        self.mine(2, "itemsets", data, *words, "--limit-time", "0.000001", expect=5)
        done = self.mine(2, "itemsets", other, *words, "--resume", expect=2)
        self.assertEqual(done.stderr.count("lode: "), 1, done.stderr)
        self.mine(1, "itemsets", data, *words, "--resume")

    def test_anew(self):
        """Without --resume, a job starts anew; with it, also where there is no journal."""
        data = self.baskets(rows=200)
        words = ["itemsets", data, "-s", "3", "--count", "--journal", self.folder / "J"]
        alone = lode(*words[:5]).stdout
        self.mine(2, *words, "--limit-time", "0.000001", expect=5)
        done = self.mine(2, *words)
        self.assertEqual(done.stderr.count("of an earlier run"), 1, done.stderr)
        self.assertEqual(done.stdout, alone)
        done = self.mine(2, *words, "--resume")
        self.assertEqual(done.stderr.count("there is no journal"), 1, done.stderr)
        self.assertEqual(done.stdout, alone)
        other = self.write("J.1", "no journal\n")
        self.mine(2, *words, expect=3)
        self.assertTrue(other.exists())


if __name__ == "__main__":
    main()
