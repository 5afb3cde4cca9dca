"""Results in files: saved, loaded, read by the command, and what is refused.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

import lode
from support import SANITIZED, draw, needs
from test_copies import NAMED, ODD

LODE = os.environ.get("LODE_BIN", "")


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="results-")
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name, "result.arrow")

    def again(self, result):
        result.save(self.path)
        return lode.load(self.path)

    def test_the_same(self):
        named, numbers = lode.Data(NAMED), lode.Data(draw(6, 50, 7, 0.5))
        gaps = lode.Data([[3, 2**32 - 1, 70000], [3, 70000], [2**32 - 1]])
        held = named.rules(4, 0.3, holdout=0.3)
        for one in (named.itemsets(3), numbers.itemsets(3), gaps.itemsets(1), named.rules(3, 0.2),
                    numbers.rules(3, 0.2, max_rhs=None), named.itemsets(3)[::-2],
                    named.rules(3).sort_by("lift")[3:], named.itemsets(10**6), named.rules(10**6),
                    lode.Data([]).itemsets(1), lode.Data([["a"], ["b"]], weights=[5, 2]).itemsets(1),
                    lode.Data([ODD, ODD[:4]]).itemsets(1, max_size=2)):
            again = self.again(one)
            self.assertEqual(list(again), list(one))
            self.assertEqual((again.complete, again.min_count, again.data), (True, one.min_count,
                                                                             None))
            self.assertTrue(again.equals(one))
            np.testing.assert_array_equal(again["support"], one["support"])
            self.assertTrue(self.again(again).equals(one))
        again = self.again(held)
        np.testing.assert_array_equal(again["lift"], held["lift"])
        with self.assertRaisesRegex(lode.InvalidError, "expected rules.*holdout"):
            again["heldOutLift"]

    def test_incomplete(self):
        some = lode.Data(NAMED).itemsets(2, limit_patterns=7)
        self.assertFalse(self.again(some).complete)

    def test_batches(self):
        """More rows than a batch of the file has."""
        found = lode.Data([list(range(12 if SANITIZED else 18))] * 2).itemsets(1)
        again = self.again(found)
        for name in ("supports", "offsets", "items"):
            np.testing.assert_array_equal(getattr(again, name), getattr(found, name))

    def test_names_that_are_no_text(self):
        found = lode.Data([[(1, 2), (3,)], [(1, 2)]]).itemsets(1)
        self.assertEqual(self.again(found).names, [str(name) for name in found.names])

    @unittest.skipUnless(LODE, "LODE_BIN names the command")
    def test_the_command(self):
        """What is saved here is read there, and the other way round."""
        rules = lode.Data(NAMED).rules(3, 0.2)
        rules.save(self.path)
        ran = subprocess.run([LODE, "query", str(self.path), "--min", "lift=1.1", "--count"],
                             capture_output=True, text=True, check=True)
        self.assertEqual(int(ran.stdout), len(rules.filter({"lift": 1.1})))
        baskets = self.path.with_name("baskets.txt")
        baskets.write_text("".join(" ".join(row) + "\n" for row in NAMED))
        for command, expected in ((["itemsets", "-s", "3"], lode.Data(NAMED).itemsets(3)),
                                  (["rules", "-s", "3", "-c", "20%"], rules)):
            subprocess.run([LODE, command[0], str(baskets), *command[1:], "-w", "arrow", "-o",
                            str(self.path)], capture_output=True, check=True)
            loaded = lode.load(self.path)
            self.assertEqual(sorted(loaded), sorted(expected))

    def test_wrong_files(self):
        with self.assertRaises(FileNotFoundError):
            lode.load("/nowhere/x.arrow")
        self.path.write_bytes(b"ARROW1 but not really")
        with self.assertRaises(lode.ParseError):
            lode.load(self.path)
        found = lode.Data(NAMED).itemsets(3)
        found.save(self.path)
        whole = self.path.read_bytes()
        for cut in (10, len(whole) // 2, len(whole) - 5):
            self.path.write_bytes(whole[:cut])
            with self.assertRaises(lode.ParseError):
                lode.load(self.path)
        with self.assertRaises(OSError):
            found.save("/nowhere/x.arrow")
        self.assertEqual(found.head().save(self.path), None)  # what is there is replaced
        self.assertEqual(len(lode.load(self.path)), 5)
        with self.assertRaisesRegex(lode.InvalidError, "UTF-8"):
            lode.Data([["\udc80"]]).itemsets(1).save(self.path)

    @needs("networkx")
    def test_graphs(self):
        from test_copies import some_graphs
        found = lode.graphs(some_graphs()).subgraphs(2)
        with self.assertRaisesRegex(lode.UnsupportedError, "pickle"):
            found.save(self.path)


if __name__ == "__main__":
    unittest.main()
