"""Documentation that runs: docstrings, the guide, and the notebooks.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import doctest
import importlib
import io
import pathlib
import pkgutil
import re
import runpy
import unittest

import lode
from support import optional

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEEDS = {"lode.pandas_array": "pandas", "lode.mlxtend": "pandas", "lode.sklearn": "sklearn",
         "lode._onehot": "pandas", "lode._rules_frame": "pandas",
         "lode._graphs": "networkx"}


class Docstrings(unittest.TestCase):
    def test_examples(self):
        tried = 0
        names = [f"lode.{module.name}" for module in pkgutil.iter_modules(lode.__path__)]
        for name in ["lode", *names]:
            if name in NEEDS and optional(NEEDS[name]) is None:
                print(f"skip: the examples of {name} need {NEEDS[name]}")
                continue
            result = doctest.testmod(importlib.import_module(name))
            self.assertEqual(result.failed, 0, name)
            tried += result.attempted
        self.assertGreater(tried, 20)

    def test_everything_public_is_described(self):
        for name in lode.__all__:
            thing = getattr(lode, name)
            if callable(thing):
                self.assertTrue(thing.__doc__, name)
            for inner in (vars(thing) if isinstance(thing, type) else ()):
                part = getattr(thing, inner)
                if not inner.startswith("_") and callable(part):
                    self.assertTrue(part.__doc__, f"{name}.{inner}")


class Guide(unittest.TestCase):
    def test_blocks(self):
        """The blocks of docs/python.md, in order, in one namespace."""
        text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        names = {}
        for block in re.findall(r"```python\n(.*?)```", text, re.S):
            if "needs rdkit" in block and optional("rdkit") is None:
                continue
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, "docs/python.md", "exec"), names)
        self.assertIn("rules", names)


class Notebooks(unittest.TestCase):
    def run_one(self, name):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            runpy.run_path(str(ROOT / "python" / "notebooks" / f"{name}.py"))
        return out.getvalue()

    def test_baskets(self):
        self.assertRegex(self.run_one("baskets"), r"pasta +sauce")

    def test_molecules(self):
        self.assertRegex(self.run_one("molecules"), r"\+1\.00 .*O")


if __name__ == "__main__":
    unittest.main()
