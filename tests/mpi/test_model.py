#!/usr/bin/env python3
"""The scheduler on ranks of the event model: with any delays of messages, all is done, once, and it
ends; and a search that was recorded is modelled, and simulated where SimGrid is installed.

SPDX-License-Identifier: Apache-2.0
"""
import random

import simulate
from launching import BUILD, LONG, SANITIZED, MpiTest, main, run


class Model(MpiTest):
    def test_random(self):
        seeds = 20000 if LONG else 40 if SANITIZED else 250
        done = run([str(BUILD / "mpi-model"), "--check", str(seeds)])
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(f"{seeds} random trees, 0 wrong", done.stdout)

    def test_recorded(self):
        data = self.baskets(rows=300)
        tree = self.folder / "tree"
        with open(tree, "w", encoding="utf-8") as out:
            text = run([str(BUILD / "mpi-record"), "itemsets", str(data), "2%", "200"]).stdout
            out.write(text)
        self.assertGreater(len(text.splitlines()), 20)
        for ranks in (1, 64):
            row = run([str(BUILD / "mpi-model"), str(tree), str(ranks)]).stdout.split(",")
            self.assertEqual(int(row[0]), ranks)
            self.assertGreater(float(row[2]), 0.0)
            self.assertLessEqual(float(row[2]), 1.0)

    def test_simulated(self):
        """Eight ranks that send real messages need as long as the model says; that each task was done
        once, the program checks itself."""
        if not simulate.can_simulate(BUILD):
            self.skipTest("SimGrid (smpicc, smpirun) is not installed")
        drawn = random.Random(7)
        costs = [drawn.expovariate(5000) * drawn.choice((1, 1, 1, 8)) + 1e-6 for _ in range(2000)]
        tree = self.write("tree", "".join(f"{cost * drawn.uniform(0.3, 3):.9f} {cost:.9f}\n" for cost in costs))
        simulated = simulate.simulate(BUILD, tree, 8).split(",")
        modelled = simulate.model(BUILD, str(tree), 8).split(",")
        self.assertEqual(simulated[0], "8")
        self.assertGreater(int(simulated[5]), 0, "no steal was granted")
        self.assertGreater(float(simulated[2]), 0.85)
        self.assertLess(abs(float(modelled[2]) / float(simulated[2]) - 1), 0.1, (simulated, modelled))


if __name__ == "__main__":
    main()
