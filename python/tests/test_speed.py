"""What the binding costs: packing against numpy.packbits, counting against the command.

Each figure is the best of several rounds in which both sides take turns. The bounds here have room
for machines that do other work; the figures are printed.

SPDX-License-Identifier: Apache-2.0
"""
import os
import resource
import subprocess
import tempfile
import time
import unittest

import numpy as np

import lode
from support import LONG, draw, needs, optional

pandas = optional("pandas")
ROUNDS = 9 if LONG else 3
PACK_BOUND = 3.0 if LONG else 6.0
COUNT_BOUND = (1.05, 0.02) if LONG else (1.5, 0.2)


def processors():
    """Processor time of this process and of all that it has started."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def best(*functions, clock=time.process_time):
    """Seconds of each (of the processor, which other work disturbs less), the least of several rounds in which they take turns."""
    times = [[] for _ in functions]
    for _ in range(ROUNDS):
        for function, took in zip(functions, times):
            began = clock()
            function()
            took.append(clock() - began)
    return [min(took) for took in times]


class Packing(unittest.TestCase):
    @needs("pandas")
    def test_frame(self):
        """A bool frame of 1,000 columns in both layouts, with few and many cells set. The bound by
        rows is that of numpy on rows; by columns numpy itself takes many times as long."""
        rows = 100_000 if LONG else 20_000
        random = np.random.default_rng(1).random((rows, 1_000), dtype=np.float32)
        for share in (0.01, 0.05, 0.5):
            cells = random < share
            for layout, array in (("rows", cells), ("columns", np.asfortranarray(cells))):
                frame = pandas.DataFrame(array)
                pack, make, alone = best(lambda: np.packbits(frame.to_numpy(), axis=1),
                                         lambda: lode.Data(frame),
                                         lambda: lode.Data(frame, threads=1))
                print(f"row: pack {layout} {share:.0%},{make / pack:.2f} of packbits,{make:.4f}; "
                      f"one thread,{alone / pack:.2f}")
                self.assertLess(make / pack, PACK_BOUND)


class Counting(unittest.TestCase):
    def test_against_the_command(self):
        program = os.environ.get("LODE_BIN")
        if not program or not os.path.exists(program):
            self.skipTest("the command is not built")
        with tempfile.NamedTemporaryFile("w", suffix=".dat") as file:
            rows = draw(1, 3000, 40, 0.4)
            file.write("".join(" ".join(map(str, row)) + "\n" for row in rows))
            file.flush()
            command = [program, "itemsets", file.name, "-s", "2%", "--count"]

            def run_command():
                subprocess.run(command, check=True, capture_output=True)

            there, here = best(run_command, lambda: lode.Data(file.name).count("2%"), clock=processors)
        print(f"row: count,{here / there:.3f} of the command,{here:.4f}")
        factor, more = COUNT_BOUND
        self.assertLess(here, factor * there + more)


if __name__ == "__main__":
    unittest.main()
