"""Where the shared library of the build lies, for the tests that use it as other programs do.

SPDX-License-Identifier: Apache-2.0
"""
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def skip(why):
    """Ends a test that cannot run here."""
    print(f"skip: {why}")
    sys.exit(77)


def find(command):
    """liblode.so in the build tree of the command; ends the test if no program can load it."""
    build = Path(command or ROOT / "build/test/lode").parent
    found = [path for path in (build / "liblode.so", build / "shared/liblode.so") if path.exists()]
    if not found:
        skip("no shared library was built")
    if b"__asan_init" in found[0].read_bytes() or b"__tsan_init" in found[0].read_bytes():
        skip("the shared library needs the run time of a sanitizer in its program")
    return found[0]
