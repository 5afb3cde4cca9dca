"""One module for all versions: other interpreters load the one that was built, and mine with it.

They are python3.12, python3.13 and python3.14 where these are found, and those of LODE_PYTHONS (paths
with colons between them). They need nothing but the standard library: the module is called directly.

SPDX-License-Identifier: Apache-2.0
"""
import os
import shutil
import subprocess
import sys
import unittest

from lode import _lode
from support import SANITIZED

CODE = """
import importlib.util, struct, sys
spec = importlib.util.spec_from_file_location("lode._lode", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
for _ in range(200):
    offsets, items, names = module.encode([["a", "b"], ["a"], {"b", "a", "c"}], False)
    data, status, *_ = module.from_arrays(offsets, items, None, [], None, 0)
    result, status, *_ = module.itemsets(data, [("min-support", "2")], lambda *p: None, False)
    assert status == 0, status
    supports = bytes(memoryview(result.columns()["supports"]))
    assert sorted(struct.unpack("3Q", supports)) == [2, 2, 3]
    assert module.rules(data, [("min-support", "2")], None, True)[0].head()[0] == 2
    capsule = module.arrow_stream([("count", "l", supports)])
    assert module.arrow_fields(capsule)[1] == [("count", "l", "l")]
print(sys.version_info[:2], "fine")
"""


def interpreters():
    """Those that are there and run: a name on the path may belong to a version that does not."""
    wanted = [*os.environ.get("LODE_PYTHONS", "").split(":"),
              *(shutil.which(f"python3.{minor}") for minor in (12, 13, 14))]
    return [path for path in wanted if path and subprocess.run(
        [path, "-c", ""], capture_output=True, check=False).returncode == 0]


class Old(unittest.TestCase):
    """What a Python that is too old says: that it is, and not what it lacks."""

    def said(self, code):
        ran = subprocess.run([sys.executable, "-c", f"import sys\nsys.version_info = (3, 10, 4)\n{code}"],
                             capture_output=True, text=True, check=False)
        self.assertNotEqual(ran.returncode, 0)
        return ran.stderr.strip().splitlines()[-1]

    def test_import(self):
        self.assertEqual(self.said("import lode"), "ImportError: lode needs Python 3.11 or newer; this "
                         "is Python 3.10")

    def test_build(self):
        folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        self.assertEqual(self.said(f"sys.path.insert(0, {folder!r})\nimport build_backend"),
                         "lode: needs Python 3.11 or newer; this is Python 3.10")


class Versions(unittest.TestCase):
    @unittest.skipIf(SANITIZED, "another interpreter would need the sanitizer preloaded as well")
    def test_others(self):
        found = interpreters()
        if not found:
            self.skipTest("no Python but the one it was built with; LODE_PYTHONS names others")
        for path in found:
            ran = subprocess.run([path, "-c", CODE, _lode.__file__], capture_output=True, text=True,
                                 check=False, env={k: v for k, v in os.environ.items()
                                                   if k != "PYTHONPATH"})
            self.assertEqual(ran.returncode, 0, f"{path}: {ran.stderr}")
            self.assertIn("fine", ran.stdout)
            print(path, ran.stdout.strip(), file=sys.stderr)


if __name__ == "__main__":
    unittest.main()
