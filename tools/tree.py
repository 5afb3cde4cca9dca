"""Which files the checks look at.

SPDX-License-Identifier: Apache-2.0
"""
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
C_FOLDERS = ("include", "src", "cli", "tests", "fuzz", "bench", "examples")


def c_files(root=ROOT):
    """All C and CUDA sources and headers of the project, as sorted paths."""
    return sorted(path for folder in C_FOLDERS for ending in ("*.c", "*.h", "*.cu", "*.cuh")
                  for path in (root / folder).rglob(ending))


def scripts(root=ROOT):
    """All scripts: ./dev, .ci/run and whatever is Python or shell."""
    named = [path for path in (root / "dev", root / ".ci" / "run") if path.exists()]
    found = [path for folder in ("tools", *C_FOLDERS) for ending in ("*.py", "*.sh")
             for path in (root / folder).rglob(ending)]
    return sorted(named + found)
