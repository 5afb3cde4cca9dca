#!/usr/bin/env python3
"""Scripts written for an early version still get the same output: what the program writes to a pipe, and its exit status.

RECORDED has, for each command, the status and a hash of the standard output of commit 82c1c97, before the tables for
terminals and the formats by file names existed. Texts for people (help, standard error) are not compared.

usage: test_unchanged.py [--record]     (LODE_BIN is the program; --record prints the table for that program)

SPDX-License-Identifier: Apache-2.0
"""
import hashlib
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

LODE = Path(os.environ.get("LODE_BIN", "build/lode")).resolve()

# Exit status, hash, and the words of the command.
RECORDED = """
0 0100e71f6210 itemsets b.txt -s 5% -q
0 ce4bf9617121 itemsets n.dat -s 5% -q
0 21175ea6731b itemsets n.dat -s 20 -w spmf -q
0 55d068adf5ee itemsets b.txt -s 5% -w csv -q
0 5cf87047315c itemsets b.txt -s 5% -w jsonl -q
0 d801afc53939 itemsets b.txt -s 5% --count -q
0 55d068adf5ee itemsets b.txt -s 5% -t closed -w csv -q
0 e2b5b2d60f16 itemsets b.txt -s 5% -t maximal -q
0 dd7ad50dbf86 itemsets b.txt -s 2% -t generators -q
0 7154f11fab15 itemsets b.txt -t top:12 -q
0 bad4239e46b3 itemsets b.txt -s 0.05 --min-size 2 --max-size 3 -q
0 3ae73380bac9 itemsets b.txt -s 40 -a frontier -j 3 -q
0 3ae73380bac9 itemsets b.txt -s 40 -a tbi -q
0 1cdd5cca2db6 itemsets t.csv --tid order --item product -s 10% -w csv -q
0 e1630625b158 itemsets t.csv --tid order --item product --drop-rows quantity<3 -s 5% -q
5 8a029923eff3 itemsets b.txt -s 10% --limit-patterns 5 --count -q
2 e3b0c44298fc itemsets b.txt -q
2 e3b0c44298fc itemsets b.txt -s 200% -q
3 e3b0c44298fc itemsets missing.txt -s 2
1 e3b0c44298fc itemsets b.txt -s 5% -o /nowhere/x -q
2 e3b0c44298fc itemsets b.txt -s 5% --no-such-option
0 0b5d85d226db rules b.txt -s 5% -c 60% -q
0 834d7bb9b9b8 rules b.txt -s 5% -c 60% -w csv -q
0 c46d8a94db17 rules b.txt -s 5% -c 60% -w jsonl -q
0 9779771c96fe rules b.txt -s 5% -c 60% --must milk -w csv -q
0 7b9c25793af9 rules b.txt -s 5% -c 60% --measure support,lift,phi,fisher --interval 0.95 -w csv -q
0 f2729b245529 rules b.txt -s 5% -c 60% --min lift=1.05 -q
0 fc1de741481b rules b.txt -s 5% -c 60% --sort-by lift --top 7 -q
0 eb84fe711d43 rules b.txt -s 5% -c 60% --productive -q
0 5f0d74e1b7e0 rules b.txt -s 5% -c 50% --rhs milk -w csv -q
0 ba41980d91d3 rules b.txt -s 5% -c 50% --max-head any --max-body 2 -w csv -q
0 83fd62398591 rules b.txt -s 2% --significant 0.05 -q
0 17e2fcdfee2b rules t.csv --tid order --item product -s 10% -c 50% -q
2 e3b0c44298fc rules b.txt -s 5% -c 200%
0 b42c7e38a848 graphs g.lg -s 20% -q
0 2e2d04c4f6c2 graphs g.lg -s 20% -w jsonl -q
0 055865e79bc8 graphs g.lg -s 20% -w csv -q
0 9b8f046a5808 graphs g.lg -s 30% -w dot -q
0 b42c7e38a848 graphs g.lg -s 20% -t closed -q
0 d2c1700d928d graphs g.lg -s 20% --max-edges 3 --count -q
0 b42c7e38a848 graphs g.lg -s 20% -a gspan -q
3 e3b0c44298fc graphs b.txt -s 20%
0 be4072ed4526 baskets b.txt --with milk --without beer
0 638b4ebe5b68 clean b.txt --min-item-support 30 -q
0 a0240986f785 clean t.csv --fold-case --drop beer --min-basket 2 -w table -q
0 560590eede2e generate quest -n 50 --seed 3
0 7a2c64d497c8 generate graphs -n 5 --seed 3
3 e3b0c44298fc query missing.arrow
2 e3b0c44298fc nosuchcommand
2 e3b0c44298fc --no-such-option
0 fff7c0a6f0bd rules n.dat -s 5% -c 60% --sort -w csv -q
0 4a8f116febd1 itemsets b.txt -s 5% --must milk -w csv -q
"""


def make_data(folder):
    """The files that the commands read; random.random() gives the same numbers in every version of Python."""
    draw = random.Random(7).random
    names = ["milk", "dark bread", "beer", "eggs", "it's", '"quoted"', "ä", "wine", "=SUM(A1)", "jam"]
    baskets = [[n for i, n in enumerate(names) if draw() < 0.7 / (1 + i / 3)] or ["milk"] for _ in range(400)]
    (folder / "b.txt").write_text("".join(",".join(n for n in b if '"' not in n) + "\n" for b in baskets), "utf-8")
    (folder / "n.dat").write_text("".join(" ".join(str(names.index(n) * 3) for n in b) + "\n" for b in baskets))
    (folder / "t.csv").write_text("order,product,quantity\n" + "".join(
        f'{k},"{n.replace(chr(34), chr(34) * 2)}",{1 + int(draw() * 9)}\n' for k, b in enumerate(baskets) for n in b),
        "utf-8")
    graphs = []
    for g in range(60):
        n = 4 + int(draw() * 5)
        graphs += [f"t # {g}"] + [f"v {v} {int(draw() * 3)}" for v in range(n)]
        graphs += [f"e {int(draw() * v)} {v} {int(draw() * 2)}" for v in range(1, n)]
    (folder / "g.lg").write_text("\n".join(graphs) + "\n")


def outcome(words, folder):
    done = subprocess.run([LODE, *words.split()], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL)
    return f"{done.returncode} {hashlib.sha256(done.stdout).hexdigest()[:12]}"


class Unchanged(unittest.TestCase):
    def test_outputs(self):
        rows = [line.split(" ", 2) for line in RECORDED.strip().splitlines()]
        self.assertGreater(len(rows), 40)
        with tempfile.TemporaryDirectory() as name:
            make_data(Path(name))
            for status, digest, words in rows:
                with self.subTest(words):
                    self.assertEqual(outcome(words, Path(name)), f"{status} {digest}")


def record():
    with tempfile.TemporaryDirectory() as name:
        make_data(Path(name))
        for line in RECORDED.strip().splitlines():
            words = line.split(" ", 2)[2]
            print(outcome(words, Path(name)), words)


if __name__ == "__main__":
    record() if sys.argv[1:] == ["--record"] else unittest.main()
