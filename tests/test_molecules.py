#!/usr/bin/env python3
"""Molecules that lode-molecules reads for `lode graphs`: SMILES, tables and SDF, as they should be, with
errors, packed, and interrupted. Skipped where lode-molecules was not built.

SPDX-License-Identifier: Apache-2.0
"""
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = Path(os.environ.get("LODE_BIN", str(ROOT / "build" / "lode")))
MOLECULES = LODE.parent / "lode-molecules"

# Benzoic acid: a ring, a branch and all but triple bonds. The charge, the isotope and the explicit
# hydrogens of the others are no labels. A salt stays one graph.
LIST = """OC(=O)c1ccccc1 benzoic acid
[NH3+][13CH2][C@H](C)C#N

CC(=O)[O-].[Na+]\tsodium acetate\tmore
[H]OC([H])([H])[H]
[2H]C *
"""
GRAPHS = """t # benzoic_acid
v 0 O
v 1 C
v 2 O
v 3 C
v 4 C
v 5 C
v 6 C
v 7 C
v 8 C
e 0 1 single
e 1 2 double
e 1 3 single
e 3 4 aromatic
e 4 5 aromatic
e 5 6 aromatic
e 6 7 aromatic
e 7 8 aromatic
e 8 3 aromatic
t # 1
v 0 N
v 1 C
v 2 C
v 3 C
v 4 C
v 5 N
e 0 1 single
e 1 2 single
e 2 3 single
e 2 4 single
e 4 5 triple
t # sodium_acetate
v 0 C
v 1 C
v 2 O
v 3 O
v 4 Na
e 0 1 single
e 1 2 double
e 1 3 single
t # 3
v 0 O
v 1 C
e 0 1 single
t # *
v 0 H
v 1 C
e 0 1 single
"""
TABLE = '''
Name;"Canonical ""SMILES""";Class

"a; b";CCO;yes

"-1";"OCC";no
x;CO;*
'''
SDF = """methanol
  by hand

  2  1  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.0000    0.0000    0.0000 O   0  0
  1  2  1  0
M  END
> <Activity>
active

> <KEY>
m 1

$$$$

  untitled

  1  0  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 N   0  0
M  END
$$$$
"""
METHANOL = "v 0 C\nv 1 O\ne 0 1 single\n"


def run(program, *words, data=b"", **how):
    data = data.encode() if isinstance(data, str) else data
    done = subprocess.run([program, *map(str, words)], input=data, capture_output=True, timeout=120,
                          **how)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class Molecules(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lode-molecules-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def file(self, name, data):
        path = self.folder / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def graphs(self, data, *options):
        status, out, said = run(MOLECULES, *options, data=data)
        self.assertEqual((status, said), (0, ""))
        return out

    def test_list(self):
        self.assertEqual(self.graphs(LIST), GRAPHS)
        self.assertEqual(self.graphs("\ufeff" + LIST.replace("\n", "\r\n")), GRAPHS)
        self.assertEqual(self.graphs(LIST.rstrip("\n").replace("\n", "\r")), GRAPHS)

    def test_packed(self):
        packed = gzip.compress(LIST[:40].encode()) + gzip.compress(LIST[40:].encode())
        self.assertEqual(self.graphs(packed), GRAPHS)
        status, _, said = run(MOLECULES, data=packed[:-20])
        self.assertEqual(status, 3)
        self.assertIn("too early", said)
        if shutil.which("zstd"):
            packed = subprocess.run(["zstd", "-qc"], input=LIST.encode(), capture_output=True).stdout
            self.assertEqual(self.graphs(packed), GRAPHS)
            self.assertEqual(run(MOLECULES, data=packed[:-9])[0], 3)

    def test_table(self):
        ethanol = "v 0 C\nv 1 C\nv 2 O\ne 0 1 single\ne 1 2 single\n"
        turned = "v 0 O\nv 1 C\nv 2 C\ne 0 1 single\ne 1 2 single\n"
        self.assertEqual(self.graphs(TABLE),
                         f"t # 0\n{ethanol}t # 1\n{turned}t # 2\n{METHANOL}")
        named = f"t # a;_b yes\n{ethanol}t # -1_ no\n{turned}t # x *_\n{METHANOL}"
        self.assertEqual(self.graphs(TABLE, "--id", "NAME", "--class", "3"), named)
        tabs = "7\tyes\tCO |ignored|\n"
        self.assertEqual(self.graphs(tabs, "--smiles", 3, "--id", 1), f"t # 7\n{METHANOL}")
        self.assertEqual(self.graphs("mol\nCO\n", "--smiles", "mol"), f"t # 0\n{METHANOL}")
        status, _, said = run(MOLECULES, "--smiles", "none", data=TABLE)
        self.assertEqual(status, 2)
        self.assertIn("has no column 'none'; its columns are: Name, Canonical \"SMILES\", Class", said)

    def test_sdf(self):
        nitrogen = "v 0 N\n"
        self.assertEqual(self.graphs(SDF, "--class", "activity"),
                         f"t # methanol active\n{METHANOL}t # 1\n{nitrogen}")
        self.assertEqual(self.graphs(SDF, "--id", "key"), f"t # m_1\n{METHANOL}t # 1\n{nitrogen}")
        self.assertEqual(self.graphs(SDF[:SDF.index("> <")]), f"t # methanol\n{METHANOL}")
        status, _, said = run(MOLECULES, data=SDF.replace(" C   0", " Xx  0"))
        self.assertEqual(status, 3)
        self.assertRegex(said, "^<stdin>:1: RDKit cannot read this molecule: ")
        status, out, said = run(MOLECULES, "--skip-bad-graphs", data=SDF.replace(" N   0", " Xx  0"))
        self.assertEqual((status, out.count("t #")), (0, 2))
        self.assertRegex(said, "^<stdin>:16: ")

    def test_errors(self):
        """Nothing is lost in silence."""
        rows = ["smiles,id", "CCO,1", "c1cc,2", '"CO",3', "C(C)(C)(C)(C)C,4", ",5", "CC O,6", '"C" x,7',
                "CCC", '"C,9', "CN,10"]
        path = self.file("bad.csv", "\n".join(rows) + "\n")
        words = ["graphs", path, "-s", 1, "-c", "--id", "id"]
        status, out, said = run(LODE, *words)
        self.assertEqual((status, out), (3, ""))
        self.assertEqual(said, f"{path}:3: RDKit cannot read 'c1cc': SMILES Parse Error: unclosed ring; "
                               "--skip-bad-graphs leaves out such molecules\n")
        status, out, said = run(LODE, *words, "--skip-bad-graphs", "--report", "json")
        self.assertEqual(status, 0)
        report = json.loads(said.splitlines()[-1])
        self.assertEqual((report["input"]["graphs"], report["input"]["skipped_graphs"]), (3, 7))
        for line in (3, 5, 6):
            self.assertIn(f"lode: {path}:{line}: ", said)
        self.assertIn("7 of 10 molecules were left out", said)

    def test_lode_graphs(self):
        path = self.file("m.csv", TABLE)
        for given in ([], ["--smiles", "canonical smiles"], ["--smiles", "2"]):
            status, out, said = run(LODE, "graphs", path, "-s", 2, "-w", "smarts", *given)
            self.assertEqual((status, sorted(out.splitlines())), (
                0, ["[#6]-[#6]\t2", "[#6]-[#6]-[#8]\t2", "[#6]-[#8]\t3"]), said)
        status, out, said = run(LODE, "graphs", path, "-s", 3, "--class", "class", "--id", "name",
                                "--graphs")
        self.assertRegex(out, r"^t # 0 \* 3\n# class \*_ 1 1 no 1 1 yes 1 1 tested .* p 1\n"
                              r"v 0 C\nv 1 O\ne 0 1 single\nx a;_b -1_ x\n$")
        self.assertIn("yes (1), no (1), *_ (1)", said)
        status, out, _ = run(LODE, "graphs", "-", "-s", 3, "-q", "-w", "csv", "--smiles", "2", data=TABLE)
        self.assertEqual(out, "code,edges,vertices,count,support\n[C]-single-[O],1,2,3,1\n")
        status, _, said = run(LODE, "graphs", path, "-s", 3, "--directed")
        self.assertEqual(status, 2)

    def test_other_commands(self):
        path = self.file("m.smi", LIST)
        status, out, _ = run(LODE, "stats", path)
        self.assertEqual((status, re.search(r"graphs +(\d+)", out)[1]), (0, "5"))
        result, stored = self.folder / "r.lg", self.folder / "r.arrow"
        self.assertEqual(run(LODE, "graphs", path, "-s", 2, "-q", "-o", result)[0], 0)
        self.assertEqual(run(LODE, "graphs", path, "--verify", result)[:2], (0, "0 of 7 supports are wrong\n"))
        self.assertEqual(run(LODE, "graphs", path, "-s", 2, "-q", "-o", stored)[0], 0)
        written = run(LODE, "graphs", path, "-s", 2, "-q", "-w", "smarts")[1]
        self.assertEqual(run(LODE, "query", stored, "-w", "smarts")[:2], (0, written))

    def test_small_memory(self):
        """lode keeps its budget, and lode-molecules gets what it needs."""
        path = self.file("m.smi", "".join(f"{'C' * (1 + i % 50)}O\n" for i in range(3000)))
        status, out, said = run(LODE, "graphs", path, "-s", 1, "-c", "--max-edges", 1, "--memory", "2M")
        self.assertIn(status, (0, 4), said)
        status, out, said = run(LODE, "graphs", path, "-s", 1, "-c", "--max-edges", 1, "--memory", "64M")
        self.assertEqual((status, out), (0, "1 2\ntotal 2\n"), said)

    def test_rights(self):
        """While it waits for molecules, it may open no file and start no program."""
        child = subprocess.Popen([MOLECULES], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.stdin.close)
        status, limit = "", time.monotonic() + 60
        while "\nSeccomp:\t2" not in status and time.monotonic() < limit:
            status = Path(f"/proc/{child.pid}/status").read_text()
            time.sleep(0.02)
        self.assertIn("\nNoNewPrivs:\t1", status)
        self.assertIn("\nSeccomp:\t2", status)

    def children(self, process):
        return Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()

    def start(self):
        """lode, whose helper waits for more molecules."""
        lode = subprocess.Popen([LODE, "graphs", "-", "-s", "1", "--smiles", "1"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for pipe in (lode.stdin, lode.stdout, lode.stderr):
            self.addCleanup(pipe.close)
        self.addCleanup(lode.wait)
        self.addCleanup(lode.kill)
        limit = time.monotonic() + 60
        while not self.children(lode) and time.monotonic() < limit:
            time.sleep(0.02)
        time.sleep(0.2)
        return lode, int(self.children(lode)[0])

    def check_ends(self, pid):
        limit = time.monotonic() + 60
        while Path(f"/proc/{pid}/stat").exists() and time.monotonic() < limit:
            if Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] == "Z":
                break
            time.sleep(0.02)
        else:
            self.assertFalse(Path(f"/proc/{pid}/stat").exists(), "lode-molecules still runs")

    def test_interrupted(self):
        lode, helper = self.start()
        lode.send_signal(signal.SIGINT)
        self.assertEqual(lode.wait(60), 130)
        self.check_ends(helper)

    def test_lode_killed(self):
        lode, helper = self.start()
        lode.kill()
        lode.wait(60)
        self.check_ends(helper)

    def test_helper_killed(self):
        lode, helper = self.start()
        os.kill(helper, signal.SIGKILL)
        self.assertEqual(lode.wait(60), 1)
        self.assertIn(b"lode-molecules was ended by signal 9", lode.stderr.read())


if __name__ == "__main__":
    if not MOLECULES.exists():
        print("skip: lode-molecules is not built; ./dev setup molecules installs what it needs")
        sys.exit(77)
    unittest.main()
