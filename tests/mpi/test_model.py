#!/usr/bin/env python3
"""The scheduler on ranks of the event model: with any delays of messages, all is done, once, and it
ends; and a search that was recorded is modelled.

SPDX-License-Identifier: Apache-2.0
"""
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


if __name__ == "__main__":
    main()
