#!/usr/bin/env python3
"""Input of lode-mpi: read in parts and brought together, or by every rank, always with the result of
one process; and text that ranks send to standard output.

SPDX-License-Identifier: Apache-2.0
"""
import os
import random
import re
import signal
import subprocess

from launching import MpiTest, SANITIZED, TIMEOUT, environment, lode, main, ranks_of, wait_until

RANKS = (2, 3) if SANITIZED else (2, 3, 7)


def links(pid):
    """What the descriptors of a process lead to, files that have no name any more included."""
    try:
        return [os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")]
    except OSError:  # one of them was closed
        return []


class Input(MpiTest):
    def hash_of(self, text):
        return re.search("hash ([0-9a-f]{16})", text)[1]

    def compare(self, command, path, *arguments, ranks=RANKS):
        """Counts and hash of one process and of several ranks, with every MPI library."""
        alone = lode(command, path, *arguments, "--count", "--hash")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        for launcher in self.launchers:
            for n in ranks:
                with self.subTest(path=path.name, ranks=n, mpi=launcher.name):
                    done = self.mine(n, command, path, *arguments, "--count", "--hash", "--quiet",
                                     launcher=launcher)
                    self.assertEqual(done.stdout, alone.stdout)

    def test_formats(self):
        """Numbers, names in quotes and lines within them, SPMF, a table that is not cut."""
        dice = random.Random(4)
        names = ["milk", '"bread, white"', '"a ""b"""', "7", "007", "beer"]
        rows = [",".join(dice.sample(names, dice.randint(1, 4))) for _ in range(200)]
        self.compare("itemsets", self.write("names.csv", "\r\n".join(rows)), "-s", "20")
        rows[3] = '"two\nlines",beer'
        self.compare("itemsets", self.write("lines.csv", "\n".join(rows)), "-s", "20", ranks=(3,))
        self.compare("itemsets", self.baskets(rows=600), "-s", "20%", ranks=(3,))
        spmf = ["@CONVERTED_FROM_TEXT", "@ITEM=1=apple", "@ITEM=2=pear"]
        spmf += [" ".join(map(str, sorted(dice.sample(range(1, 9), 3)))) for _ in range(90)]
        self.compare("itemsets", self.write("data.spmf", "\n".join(spmf) + "\n"), "--format",
                     "spmf", "-s", "5", ranks=(3,))
        table = ["Order ID,Product"] + [f"{dice.randint(1, 60)},{dice.choice('abcdefg')}"
                                        for _ in range(300)]
        self.compare("itemsets", self.write("table.csv", "\n".join(table) + "\n"), "-s", "5",
                     ranks=(3,))

    def test_graphs(self):
        dice = random.Random(6)
        text = []
        for g in range(60):
            text.append(f"t # g{g}")
            text += [f"v {v} {dice.choice('CNO')}" for v in range(5)]
            text += [f"e {dice.randrange(v)} {v} {dice.choice('st')}" for v in range(1, 5)]
        self.compare("graphs", self.write("data.lg", "\n".join(text) + "\n"), "-s", "10")

    def test_malformed(self):
        """What is wrong is said once, with the line of the whole file."""
        rows = [f"{i % 5} {i % 7}" for i in range(400)]
        rows[333] = "1 x"
        path = self.write("bad.dat", "\n".join(rows) + "\n")
        alone = lode("itemsets", path, "--format", "fimi", "-s", "5", "--count")
        done = self.mine(3, "itemsets", path, "--format", "fimi", "-s", "5", "--count",
                         expect=alone.returncode)
        place = re.search(r"bad\.dat:334:\d+: .*", alone.stderr)[0]
        self.assertEqual(done.stderr.count(place), 1, done.stderr)
        self.assertEqual(done.stderr.count("bad.dat"), 1, done.stderr)
        self.assertNotIn("rank", done.stderr)
        self.compare("itemsets", path, "--format", "fimi", "--skip-bad-lines", "-s", "5",
                     ranks=(3,))

    def test_budget(self):
        """Too little memory says what one process says."""
        path = self.baskets(rows=20000)
        alone = lode("itemsets", path, "-s", "30%", "--count", "--memory", "1M")
        done = self.mine(2, "itemsets", path, "-s", "30%", "--count", "--memory", "1M", expect=4)
        self.assertEqual(alone.returncode, 4)
        self.assertIn("memory budget", done.stderr)

    # ---- standard output -----------------------------------------------------------------------

    def test_standard_output(self):
        path = self.baskets(rows=600)
        scratch = self.folder / "scratch"
        scratch.mkdir()
        for form in ("fimi", "csv", "jsonl"):
            alone = lode("itemsets", path, "-s", "10%", "-w", form).stdout.splitlines()
            for launcher in self.launchers:
                done = subprocess.run(
                    launcher.command(3, "lode-mpi", "itemsets", path, "-s", "10%", "-w", form,
                                     "--quiet"), env={**environment(), "TMPDIR": str(scratch)},
                    capture_output=True, text=True, timeout=TIMEOUT, check=True)
                self.assertEqual(sorted(done.stdout.splitlines()), sorted(alone))
                if form == "csv":
                    self.assertEqual(done.stdout.splitlines()[0], alone[0])
        self.assertEqual([name for name in os.listdir(scratch) if "lode" in name], [])

    def test_killed_while_it_writes_to_standard_output(self):
        """Not even SIGKILL leaves a part behind."""
        path = self.baskets(rows=4000, items=60)
        scratch = self.folder / "scratch"
        scratch.mkdir()
        with open(self.folder / "out", "wb") as out:
            job = subprocess.Popen(
                self.launchers[0].command(2, "lode-mpi", "itemsets", path, "-s", "0.2%", "--quiet"),
                env={**environment(), "TMPDIR": str(scratch)}, stdout=out,
                stderr=subprocess.DEVNULL, start_new_session=True)
            wait_until(lambda: any(str(scratch) in link for pid in ranks_of(job) for link in links(pid)),
                       "a rank writes a part")
            os.killpg(job.pid, signal.SIGKILL)
            job.wait(timeout=TIMEOUT)
        ranks = subprocess.run(["pgrep", "-f", str(path)], capture_output=True, text=True,
                               check=False).stdout.split()
        for rank in ranks:  # launchers may have put them into sessions of their own
            os.kill(int(rank), signal.SIGKILL)
        self.assertEqual([name for name in os.listdir(scratch) if name.startswith("lode-mpi.")], [])


if __name__ == "__main__":
    main()
