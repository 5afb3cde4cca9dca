#!/usr/bin/env python3
"""Searches by 1, 2, 3, 4 and 7 ranks find what one process finds: random data, every target, both
kinds of patterns, one launch for each number of ranks, with each MPI that is installed.

SPDX-License-Identifier: Apache-2.0
"""
from launching import LONG, SANITIZED, MpiTest, main, run

RANKS = (1, 2, 3, 4, 7)
CASES = 300 if LONG else 12


class Matrix(MpiTest):
    def check(self, launcher, ranks, cases):
        done = run(launcher.command(ranks, "mpi-matrix", cases))
        self.assertEqual(done.returncode, 0, f"{launcher.name}, {ranks} ranks: {done.stdout}"
                                             f"{done.stderr}")
        self.assertIn(f"{cases} cases by {ranks} ranks", done.stdout)
        return int(done.stdout.split(" tasks stolen")[0].split()[-1])

    def test_first(self):
        """With a sanitizer, the numbers of ranks at which most happens."""
        ranks = (2, 4) if SANITIZED else RANKS
        cases = 6 if SANITIZED else CASES
        stolen = sum(self.check(self.launchers[0], n, cases) for n in ranks)
        self.assertGreater(stolen, 20)

    def test_other(self):
        for launcher in () if SANITIZED else self.launchers[1:]:
            for n in RANKS:
                self.check(launcher, n, CASES if LONG else 4)


if __name__ == "__main__":
    main()
