"""How near progress is to the truth, on runs of seconds: a table, with LODE_LONG=1.

Each run is watched by bench-progress. At 20 moments, evenly spread over the processors' time, the
share must be within 0.15 of the true one on average over all runs, and the interval for what is left
must hold in 8 of 10 of all moments where one is given.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = Path(os.environ.get("LODE_BIN", ROOT / "build" / "lode"))
DATA = Path(os.environ.get("LODE_DATA", ROOT.parent / "shared" / "data"))

# engine, file, options. Each takes some seconds of a processor.
RUNS = [
    ("adaptive", "accidents-prefix15k", "min-support=0.6%"),
    ("adaptive", "connect", "min-support=0.6%"),
    ("adaptive", "chess", "min-support=1.8%"),
    ("adaptive", "kosarak-prefix36k", "min-support=0.06%"),
    ("adaptive", "T10I4D100K", "min-support=0.001%"),
    ("tensor", "accidents-prefix15k", "min-support=2.5%"),
    ("tensor", "connect", "min-support=15%"),
    ("tensor", "chess", "min-support=12%"),
    ("tensor", "kosarak-prefix36k", "min-support=0.07%"),
    ("tensor", "T40I10D100K-regen", "min-support=0.1%"),
    ("frontier", "accidents-prefix15k", "min-support=5%"),
    ("frontier", "connect", "min-support=60%"),
    ("frontier", "chess", "min-support=27%"),
    ("frontier", "mushroom", "min-support=1%"),
    ("frontier", "retail", "min-support=0.04%"),
    ("graft", "HIV_41127", "min-support=3%"),
    ("graft", "NCI1", "min-support=2.2%"),
    ("graft", "PTC", "min-support=3%"),
    ("graft", "MUTAG", "min-support=4%"),
    ("graft", "NCI1", "min-support=8% target=closed"),
]
SUFFIX = {"itemsets": "dat", "graphs": "lg"}
LINE = re.compile(r"seconds ([\d.]+)  error ([\d.]+) \(most ([\d.]+)\)  interval (\d+) of (\d+) "
                  r"\(factor ([\d.]+)\)  (.*)  ends (\S+)")


def watch(engine, name, options):
    """Runs bench-progress; returns its figures, or None where the data are not there."""
    kind = "graphs" if engine == "graft" else "itemsets"
    file = next((DATA / kind).glob(f"{name}.{SUFFIX[kind]}.zst"), None)
    if not file:
        return None
    command = [LODE.parent / "bench-progress", kind, file, f"algorithm={engine}", "threads=1",
               *options.split()]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return LINE.search(said).groups()


class Table(unittest.TestCase):
    @unittest.skipUnless("LODE_LONG" in os.environ, "LODE_LONG is not set")
    def test_table(self):
        errors, held, known = [], 0, 0
        print(f"{'engine':9} {'data':20} {'options':30} {'cpu s':>6} {'error':>6} {'most':>6} interval")
        for engine, name, options in RUNS:
            figures = watch(engine, name, options)
            if figures is None:
                print(f"skip: {name} is not there")
                continue
            seconds, error, most, inside, of, factor, monotone, end = figures
            print(f"{engine:9} {name:20} {options:30} {seconds:>6} {error:>6} {most:>6} "
                  f"{inside} of {of} (factor {factor})", flush=True)
            self.assertEqual((monotone, end), ("monotone", "1"), name)
            errors.append(float(error))
            held, known = held + int(inside), known + int(of)
        if not errors:
            self.skipTest("there are no data")
        mean = sum(errors) / len(errors)
        print(f"mean error {mean:.3f}; interval {held} of {known}")
        self.assertLessEqual(mean, 0.15)
        self.assertGreaterEqual(held, 0.8 * known)


if __name__ == "__main__":
    unittest.main()
