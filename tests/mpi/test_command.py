#!/usr/bin/env python3
"""lode-mpi as a command: counts, hashes, files, parts, limits, signals, errors, silent ranks.

SPDX-License-Identifier: Apache-2.0
"""
import os
import signal
import subprocess
import unittest

from launching import (DATA, LONG, SANITIZED, TIMEOUT, MpiTest, environment, lode, main, parents, ranks_of,
                       size_of, wait_until)

TARGETS = ("all", "closed", "maximal", "generators", "top:50")


class Results(MpiTest):
    def test_counts(self):
        data = self.baskets()
        for target in TARGETS[2:] if SANITIZED else TARGETS[1:]:
            words = ["itemsets", data, "-s", "1%", "-t", target, "--count", "--hash"]
            self.assertEqual(self.mine(3, *words).stdout, lode(*words).stdout, target)

    def test_formats(self):
        data = self.baskets(rows=300)
        for form in ("jsonl",) if SANITIZED else ("csv", "spmf"):
            words = ["itemsets", data, "-s", "3%", "-w", form, "-q"]
            out = self.mine(2, *words).stdout.splitlines()
            alone = lode(*words).stdout.splitlines()
            self.assertEqual(out[:1] if form == "csv" else [], alone[:1] if form == "csv" else [])
            self.assertEqual(sorted(out), sorted(alone), form)

    def test_parts(self):
        data = self.baskets()
        self.mine(3, "itemsets", data, "-s", "2%", "-o", "out", "--parts", "-q")
        names = sorted(path.name for path in self.folder.iterdir() if path != data)
        self.assertEqual(names, [f"out.{k}{more}" for k in (1, 2, 3) for more in ("", ".share.json")])
        parts = [self.folder / f"out.{k}" for k in (1, 2, 3)]
        joined = lode("merge", *parts, "-q").stdout
        self.assertEqual(sorted(joined.splitlines()),
                         sorted(lode("itemsets", data, "-s", "2%", "-q").stdout.splitlines()))
        missing = lode("merge", *parts[:2])
        self.assertEqual(missing.returncode, 3)

    def test_parts_of_two_jobs(self):
        """Ranks steal in every job in another way: parts of two are never joined."""
        data = self.baskets(rows=300)
        for name in ("out", "other"):
            self.mine(2, "itemsets", data, "-s", "3%", "-o", name, "--parts", "-q")
        mixed = lode("merge", self.folder / "out.1", self.folder / "other.2")
        self.assertEqual(mixed.returncode, 3, mixed.stderr)

    def test_graphs_are_numbered_through(self):
        graph = "v 0 a\nv 1 b\nv 2 c\nv 3 a\ne 0 1 x\ne 1 2 y\ne 2 3 x\n"
        data = self.write("data.lg", "".join(f"t # {i}\n{graph}" for i in range(4)))
        words = ["graphs", data, "-s", "4", "-q"]
        out = self.mine(3, *words).stdout.splitlines()
        numbers = [line.split()[2] for line in out if line.startswith("t #")]
        self.assertEqual(numbers, [str(i) for i in range(len(numbers))])
        self.assertEqual(len(numbers), lode(*words).stdout.count("t #"))
        self.mine(2, *words, "--graphs", "-w", "csv", expect=2)

    def test_what_was_left_out(self):
        data = self.write("data.dat", "1 2\n3 x\n1 1\n\n")
        done = self.mine(2, "itemsets", data, "-f", "fimi", "--skip-bad-lines", "-s", "1", "--count")
        for note in ("1 malformed line was left out", "1 transaction has no items",
                     "1 item was repeated"):
            self.assertEqual(done.stderr.count(note), 1, done.stderr)

    def test_one_file(self):
        data = self.baskets()
        done = self.mine(2, "itemsets", data, "-s", "2%", "-o", "out", "--report", "json=report.json")
        report = self.report()
        lines = (self.folder / "out").read_text().splitlines()
        self.assertEqual(len(lines), report["patterns"])
        self.assertEqual([rank["rank"] for rank in report["by_rank"]], [0, 1])
        self.assertEqual(sum(rank["patterns"] for rank in report["by_rank"]), report["patterns"])
        for rank in report["by_rank"]:
            self.assertTrue(all(rank[f"{part}_cpu"] > 0 for part in ("read", "prepare", "search", "talk")), rank)
        self.assertEqual(sum(report["by_size"].values()), report["patterns"])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["data.dat", "out", "report.json"])
        self.assertEqual(done.stdout, "")

    def plant(self, *names):
        """Files of the user, and links to another, where a job might write."""
        victim = self.write("victim", "mine\n")
        for name in names:
            self.write(name, "mine\n")
            os.symlink(victim, self.folder / f"{name}.link")
            os.replace(self.folder / f"{name}.link", self.folder / f"{name}")
        return {path: path.read_text() for path in self.folder.iterdir()}

    def test_files_of_others(self):
        """Parts and partial results lie beside files of others, and replace or follow none."""
        data = self.baskets(rows=300)
        words = ["itemsets", data, "-s", "3%", "-q", "-o", "out"]
        before = self.plant("out.1", "out.1.unfinished", "out.2.partial", "out.partial", "out.tmp",
                            "out.2.share.json")
        self.mine(2, *words)
        whole = sorted(lode(*words[:5]).stdout.splitlines())
        self.assertEqual(sorted((self.folder / "out").read_text().splitlines()), whole)
        (self.folder / "out").unlink()
        after = {path: path.read_text() for path in self.folder.iterdir()}
        self.assertEqual(after, before)
        done = self.mine(2, *words, "--parts", expect=3)
        self.assertIn("'out.2.share.json' exists and is not the manifest of a share", done.stderr)
        self.assertEqual({path: path.read_text() for path in self.folder.iterdir()}, before)
        (self.folder / "out.2.share.json").unlink()
        self.mine(2, *words, "--parts")  # out.1 was a link, and is a part now
        self.assertEqual((self.folder / "victim").read_text(), "mine\n")
        self.assertFalse((self.folder / "out.1").is_symlink())
        joined = lode("merge", self.folder / "out.1", self.folder / "out.2", "-q").stdout
        self.assertEqual(sorted(joined.splitlines()), whole)

    def test_constraints(self):
        data = self.baskets(rows=600, items=30)
        cases = (("--include", "3"), ("--rare", "5%", "--exclude", "1"), ("--group", "0-1:1*"),
                 ("--include", "3", "-t", "closed"))
        for more in cases[:2] if SANITIZED else cases:
            words = ["itemsets", data, "-s", "1%", "--count", "--hash", *more]
            alone = lode(*words)
            self.assertEqual(alone.returncode, 0, alone.stderr)
            self.assertEqual(self.mine(2, *words).stdout, alone.stdout, more)

    def test_graphs(self):
        path = self.folder / "g.lg"
        made = lode("generate", "graphs", "--graphs", 120, "--edges", 14, "-o", path)
        self.assertEqual(made.returncode, 0, made.stderr)
        for target in ("closed",) if SANITIZED else ("all", "closed", "maximal", "top:30"):
            words = ["graphs", path, "-s", "20%", "-t", target, "--count", "--hash"]
            self.assertEqual(self.mine(3, *words).stdout, lode(*words).stdout, target)
        self.mine(2, "graphs", path, "-s", "30%", "-o", "out.lg", "-q")
        verified = lode("graphs", path, "--verify", self.folder / "out.lg")
        self.assertIn("0 of", verified.stdout)

    def test_real(self):
        """Golden counts: the numbers that several miners agree on."""
        chess, ptc = DATA / "itemsets/chess.dat.zst", DATA / "graphs/PTC.lg.zst"
        if SANITIZED or not chess.exists() or not ptc.exists():
            self.skipTest("no real data, or too slow")
        for launcher in self.launchers:
            out = self.mine(3, "itemsets", chess, "-s", "60%", "--count", launcher=launcher).stdout
            self.assertIn("total 254944\n", out)
        words = ["graphs", ptc, "-s", "10%", "--count", "--hash"]
        self.assertEqual(self.mine(2, *words).stdout, lode(*words).stdout)


class Ends(MpiTest):
    def test_limits(self):
        data = self.baskets()
        self.mine(3, "itemsets", data, "-s", "2", "--limit-patterns", 500, "-o", "out", "-q", expect=5)
        self.assertEqual(len((self.folder / "out").read_text().splitlines()), 500)
        self.mine(2, "itemsets", data, "-s", "1", "--limit-time", "0.3", "-o", "more", "-q", expect=5)

    def test_usage(self):
        data = self.baskets(rows=50)
        cases = (
            ((data,), "no minimum support; give one"),
            ((data, "-s", "5", "--sort"), "lode-mpi cannot be combined with --sort"),
            ((data, "-s", "5", "-w", "arrow", "-o", "x"), "lode-mpi cannot be combined with -w arrow"),
            ((data, "-s", "5", "--parts"), "--parts requires --output"),
            ((data, "-s", "5", "--count", "-o", "x"), "--count writes to standard output"),
            ((data, "-s", "5", "-o", "/dev/full"), "is not a regular file"),
            ((data, "-s", "5", "--sampel", "1"), "`lode-mpi itemsets --help` lists them"),
            ((data, "-s", "5", "-o", "x", "--journal", "x"), "give different names"),
            ((data, "-", "-s", "5"), "cannot read standard input or a pipe"),
        )
        for words, message in cases[::3] if SANITIZED else cases:
            done = self.mine(2, "itemsets", *words, expect=2)
            self.assertEqual(done.stderr.count(message), 1, done.stderr)

    def test_help(self):
        """What is refused is not only listed among the options."""
        done = self.mine(2, "graphs", "--help")
        self.assertIn("lode-mpi does not support these options of lode: -w arrow", done.stdout)
        done = self.mine(2, "rules", "x.csv", expect=2)
        self.assertEqual(done.stderr.count("expected itemsets or graphs, not 'rules'"), 1, done.stderr)

    def test_errors(self):
        """Said once, whichever ranks have it; all end."""
        done = self.mine(3, "itemsets", "nothing.dat", "-s", "1", expect=3)
        self.assertEqual(done.stderr.count("cannot open 'nothing.dat'"), 1, done.stderr)
        data = self.baskets(rows=50)
        done = self.mine(2, "itemsets", data, "-s", "5", "-o", "nowhere/out", expect=1)
        self.assertEqual(done.stderr.count("cannot write 'nowhere/out'"), 1, done.stderr)
        done = self.mine(2, "itemsets", "nothing.dat", "-s", "5", "-c", "--report", "json=.", expect=1)
        self.assertEqual(done.stderr.count("cannot write '.'"), 1, done.stderr)

    def test_one_rank(self):
        """What is wrong with one rank is said with its number."""
        data = self.baskets()
        one = self.launchers[0]
        if one.name != "Open MPI":
            self.skipTest("ranks of different programs are started as Open MPI has it")
        other = self.write("other.dat", data.read_text() + "1 2 3\n")
        first = one.command(1, "lode-mpi", "itemsets", data, "-s", "5", "--count")
        second = ["-n", "1", str(one.program("lode-mpi")), "itemsets", str(other), "-s", "5", "--count"]
        done = subprocess.run([*first, ":", *second], capture_output=True, text=True, timeout=TIMEOUT,
                              env=environment(), check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("rank 1: this rank has other data than rank 0"), 1, done.stderr)


class Signals(MpiTest):
    def start(self, ranks, *arguments, **variables):
        one = self.launchers[0]
        job = subprocess.Popen(one.command(ranks, "lode-mpi", *arguments), cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**environment(), **variables})
        self.addCleanup(job.kill)
        return job

    def ranks_of(self, job, n):
        """The processes of the ranks, when they have begun to search."""
        wait_until(lambda: len(ranks_of(job)) == n and list(self.folder.glob("out.?.tmp.*")),
                   "the ranks begin")
        return sorted(ranks_of(job))

    def written(self):
        return sum(map(size_of, self.folder.glob("out.?.tmp.*")))

    def test_interrupt(self):
        """A signal to one rank stops all; what was found is kept, under a name that is free."""
        data = self.baskets(rows=40000)
        self.write("out.partial", "mine\n")
        job = self.start(2, "itemsets", data, "-s", "2", "-t", "maximal", "-o", "out", "--threads", 1)
        ranks = self.ranks_of(job, 2)
        wait_until(self.written, "something is found")
        os.kill(ranks[1], signal.SIGINT)
        _, said = job.communicate(timeout=TIMEOUT)
        self.assertEqual(job.returncode, 130, said)
        self.assertEqual(said.count("interrupted; the result is partial"), 1, said)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["data.dat", "out.partial", "out.partial.2"])
        self.assertIn("written to out.partial.2\n", said)
        self.assertEqual((self.folder / "out.partial").read_text(), "mine\n")

    @unittest.skipIf(SANITIZED, "writes much, by the same code")
    def test_interrupt_large(self):
        """Much text is not joined when a job is interrupted: its parts stay, under other names."""
        data = self.baskets(rows=3000)
        job = self.start(2, "itemsets", data, "-s", "1", "-o", "out", "--threads", 1)
        ranks = self.ranks_of(job, 2)
        wait_until(lambda: self.written() > 80 << 20, "enough is written")
        os.kill(ranks[0], signal.SIGTERM)
        _, said = job.communicate(timeout=TIMEOUT)
        self.assertEqual(job.returncode, 130, said)
        self.assertIn("written to out.1.partial …", said)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["data.dat", "out.1.partial", "out.2.partial"])

    @unittest.skipIf(SANITIZED, "who is killed reports nothing")
    def test_killed(self):
        """A rank that is killed takes the job with it; nothing has a final name."""
        data = self.baskets(rows=3000)
        job = self.start(3, "itemsets", data, "-s", "1", "-o", "out", "--threads", 1)
        ranks = self.ranks_of(job, 3)
        os.kill(ranks[2], signal.SIGKILL)
        job.communicate(timeout=TIMEOUT)
        self.assertNotEqual(job.returncode, 0)
        self.assertFalse((self.folder / "out").exists())
        wait_until(lambda: not set(ranks) & set(parents()), "no rank is left")

    @unittest.skipIf(SANITIZED, "sanitizers want to be loaded first")
    def test_no_end(self):
        """An MPI library that does not come back from its end: the result is there, and the ranks go."""
        data, library = self.baskets(rows=50), self.folder / "endless.so"
        source = self.write("endless.c", "#include <unistd.h>\nint MPI_Finalize(void) { for (;;) pause(); }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True, cwd=self.folder)
        job = self.start(2, "itemsets", data, "-s", "5", "-o", "out", "-q", "--silence", 8,
                         LD_PRELOAD=str(library))
        _, said = job.communicate(timeout=TIMEOUT)
        self.assertIn("does not shut down; this rank has finished its work", said)
        self.assertTrue((self.folder / "out").exists())

    @unittest.skipUnless(LONG, "takes half a minute")
    def test_silent(self):
        data = self.baskets(rows=3000)
        job = self.start(3, "itemsets", data, "-s", "1", "-o", "out", "--silence", 25, "--threads", 1)
        ranks = self.ranks_of(job, 3)
        os.kill(ranks[1], signal.SIGSTOP)
        _, said = job.communicate(timeout=TIMEOUT)
        self.assertRegex(said, r"no message from rank \d+ for 20 s; lode-mpi ends the job")
        self.assertRegex(said, r"no message from rank \d+ for 25 s; ending the job")


if __name__ == "__main__":
    main()
