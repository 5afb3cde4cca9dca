#!/usr/bin/env python3
"""Four tasks under Slurm on one machine; skipped where Slurm is not running.

SPDX-License-Identifier: Apache-2.0
"""
import shutil
import subprocess
import sys

from launching import MpiTest, lode, main, run


def why_not():
    """Why Slurm cannot be used here; "": it can."""
    if not shutil.which("srun"):
        return "Slurm is not installed"
    try:
        looked = subprocess.run(["sinfo", "-h", "-o", "%a"], capture_output=True, text=True, timeout=10,
                                check=False)
    except subprocess.TimeoutExpired:
        return "Slurm does not answer"
    if looked.returncode != 0 or "up" not in looked.stdout:
        return "Slurm is not running"
    return ""


class Slurm(MpiTest):
    def test_four_tasks(self):
        data = self.baskets()
        words = ["itemsets", str(data), "-s", "1%", "-t", "closed", "--count", "--hash"]
        program = str(self.launchers[0].program("lode-mpi"))
        done = run(["srun", "-n", "4", "--overcommit", "--mpi=pmix", program, *words, "-q"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, lode(*words, "-q").stdout)


if __name__ == "__main__":
    if why_not():
        print(f"skip: {why_not()}")
        sys.exit(77)
    main()
