"""Runs one file of tests with the package of a build tree: run.py test_NAME.py.

Under ASan the interpreter starts again with the run time of the sanitizer preloaded. A file that
skips everything exits with 77, which ctest shows as skipped.

SPDX-License-Identifier: Apache-2.0
"""
import os
import sys
import unittest
from pathlib import Path

SKIPPED = 77


def restart_with_preload() -> None:
    """The run time of ASan must be the first library of the process."""
    preload = os.environ.pop("LODE_PRELOAD", None)
    if not preload:
        return
    options = os.environ.get("ASAN_OPTIONS", "")
    # Behind it libstdc++, which it must find before RDKit throws an exception of C++.
    os.environ.update(LD_PRELOAD=f"{preload} libstdc++.so.6", LODE_SANITIZED="address",
                      ASAN_OPTIONS=f"{options}:detect_leaks=0:allocator_may_return_null=1".strip(":"))
    os.execv(sys.executable, [sys.executable, *sys.argv])


def main(path: str) -> int:
    sys.path.insert(0, str(Path(path).parent))
    for missing in ("numpy",):
        try:
            __import__(missing)
        except ImportError:
            print(f"skip: {sys.executable} has no {missing}; ./dev setup python")
            return SKIPPED
    try:
        suite = unittest.defaultTestLoader.loadTestsFromName(Path(path).stem)
    except unittest.SkipTest as why:  # what the whole file needs is not there
        print(f"skip: {why}")
        return SKIPPED
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    for _, why in result.skipped:
        print(f"skip: {why}")
    if result.wasSuccessful() and result.testsRun and len(result.skipped) == result.testsRun:
        return SKIPPED
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    restart_with_preload()
    sys.exit(main(sys.argv[1]))
