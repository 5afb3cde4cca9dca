#!/usr/bin/env python3
"""Four tasks under Slurm on one machine, with each MPI; and shares as the tasks of an array.

The test starts a Slurm of its own (private_slurm.py). It is skipped where Slurm is not installed,
or where its daemons do not run.

SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import sys
import time

from launching import LODE, ROOT, SANITIZED, MpiTest, environment, lode, main
from private_slurm import PATIENCE, NotStarted, PrivateSlurm, missing

# How Slurm and each library find each other.
PMI = {"Open MPI": "pmix", "MPICH": "pmi2"}
SLURM = PrivateSlurm()


class Slurm(MpiTest):
    def slurm(self, *words):
        """Runs a command of Slurm in the folder of the test; returns what it prints."""
        more = {"SLURM_CONF": str(SLURM.configuration), "OMPI_MCA_btl": "self,vader",
                "DATA": "data.dat"}
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True,
                              timeout=PATIENCE, cwd=self.folder, env={**environment(), **more}, check=False)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}{done.stderr}{self.logs()}")
        return done.stdout

    def logs(self):
        files = [*self.folder.glob("slurm-*.out"), *SLURM.folder.glob("*.log")]
        return "".join(f"\n{path.name}:\n{path.read_text(errors='replace')[-2000:]}" for path in files)

    def test_four_tasks(self):
        """Started by Slurm itself, the ranks of a job are one job, and find what one process does."""
        data = self.baskets(rows=400 if SANITIZED else 1500)
        words = ["itemsets", data, "-s", "1%", "-t", "closed", "--count", "--hash"]
        alone = lode(*words, "-q").stdout
        known = self.ask_pmi()
        for launcher in self.launchers:
            if PMI.get(launcher.name) not in known:
                print(f"{launcher.name}: this Slurm has no {PMI.get(launcher.name)}")
                continue
            out = self.slurm("srun", "-n", 4, f"--mpi={PMI[launcher.name]}",
                             launcher.program("lode-mpi"), *words, "--threads", 1,
                             "--report", "json=report.json", "-q")
            self.assertEqual(out, alone, launcher.name)
            self.assertEqual(len(self.report()["by_rank"]), 4, f"{launcher.name}: not one job of four")

    def wait_for_jobs(self):
        """Until none is left. (sbatch --wait would look every ten seconds.)"""
        end = time.monotonic() + PATIENCE
        while self.slurm("squeue", "-h"):
            self.assertLess(time.monotonic(), end, self.logs())
            time.sleep(0.1)

    @staticmethod
    def ask_pmi():
        done = subprocess.run(["srun", "--mpi=list"], capture_output=True, text=True, check=False,
                              env=SLURM.environment)
        return set(re.findall(r"\S+", done.stdout + done.stderr))

    def example(self, shares):
        """The script of docs/cluster.md, for fewer shares and this lode."""
        text = (ROOT / "docs" / "cluster.md").read_text().split("## Slurm", 1)[1]
        script = re.search(r"```\n(#!/bin/sh\n.*?)```", text, re.S).group(1)
        for old, new in (("--array=1-16", f"--array=1-{shares}"), ("/16\"", f"/{shares}\""),
                         ("--cpus-per-task=8", "--cpus-per-task=1"), ("--threads 8", "--threads 1"),
                         ("\nlode ", f"\n{LODE} ")):
            self.assertEqual(script.count(old), 1, f"docs/cluster.md: {old!r} in\n{script}")
            script = script.replace(old, new)
        return self.write("array.sh", script)

    def test_array(self):
        """The shares of an array, and a job that joins them when all are done."""
        data = self.baskets(rows=4000, items=1000)
        shares = 3 if SANITIZED else 5
        array = self.slurm("sbatch", "--parsable", self.example(shares)).strip()
        join = self.write("join.sh", f"#!/bin/sh\n{LODE} merge part? -q -o all.txt\n")
        self.slurm("sbatch", "--parsable", f"--dependency=afterok:{array}", join)
        self.wait_for_jobs()
        alone = lode("itemsets", data, "-s", "0.1%", "-q").stdout.splitlines()
        joined = (self.folder / "all.txt").read_text().splitlines()
        self.assertGreater(len(alone), 500)
        self.assertEqual(sorted(joined), sorted(alone), self.logs())
        names = {path.name for path in self.folder.glob("part*")}
        self.assertEqual(names, {f"part{k}{more}" for k in range(1, shares + 1)
                                 for more in ("", ".share.json")})


def skip(why):
    print(f"skip: {why}")
    sys.exit(77)


if __name__ == "__main__":
    if missing():
        SLURM.stop()
        skip(f"Slurm is not installed: no {', '.join(missing())}")
    try:
        SLURM.start()
        main()
    except NotStarted as reason:
        skip(reason)
    finally:
        left = SLURM.stop()
        if left:
            sys.exit(f"processes are left: {left}")
