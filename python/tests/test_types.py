"""Types: mypy agrees with the package, and with how it is used.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import lode
from lode import _lode
from support import optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
USE = '''
import lode
data = lode.Data([[1, 2]])
found: lode.Itemsets = data.itemsets(1, target="closed")
one: lode.Itemset = found[0]
some: lode.Itemsets = found[1:]
names: list[object] = [*one.items]
rules: lode.Rules = data.rules(1, 0.5)
n: int = data.count(1)
best: lode.Rules = rules.filter({"lift": 1}).sort_by("lift").head(3).containing(1, side="body")
lift: float = best[0].lift if len(best) else rules[0].measure("lift")
there: bool = (1, 2) in found and ((1,), (2,)) in rules
found.by_support().sample(1, seed=2).save("x.arrow")
again: lode.Itemsets | lode.Rules = lode.load("x.arrow")
'''
WRONG = '''
import lode
n: str = lode.Data([[1]]).count(1)
lode.Data([[1]]).itemsets(1, colour="red")
'''


@unittest.skipIf(optional("mypy") is None, "mypy is not installed")
class Types(unittest.TestCase):
    def mypy(self, *arguments):
        with tempfile.TemporaryDirectory() as cache:
            ran = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", cache, *arguments],
                                 cwd=ROOT, capture_output=True, text=True, check=False)
        return ran.returncode, ran.stdout + ran.stderr

    def test_package_and_use(self):
        with tempfile.TemporaryDirectory() as folder:
            use, wrong = pathlib.Path(folder, "use.py"), pathlib.Path(folder, "wrong.py")
            use.write_text(USE)
            wrong.write_text(WRONG)
            code, said = self.mypy("python/lode", str(use), str(wrong))
        lines = [line for line in said.splitlines() if ": error:" in line]
        self.assertEqual(len(lines), 2, said)
        self.assertTrue(all("wrong.py" in line for line in lines), said)
        self.assertNotEqual(code, 0)


class Stub(unittest.TestCase):
    def test_names(self):
        """The stub of the module has what the module has."""
        stub = (ROOT / "python" / "lode" / "_lode.pyi").read_text(encoding="utf-8")
        for name, thing in vars(_lode).items():
            if name.startswith("__") or name in ("Block", "Column", "ArrowHeld"):
                continue
            kind = "class" if isinstance(thing, type) else "def"
            self.assertIn(f"\n{kind} {name}", stub)
            for method in (vars(thing) if kind == "class" else ()):
                if not method.startswith("__"):
                    self.assertIn(f"    def {method}(", stub)
        self.assertTrue(lode.__version__)


if __name__ == "__main__":
    unittest.main()
