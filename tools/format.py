#!/usr/bin/env python3
"""Formats the C code of the project with clang-format, by the rules in .clang-format.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import shutil
import subprocess
import sys

from tree import ROOT, c_files

SKIPPED = 77


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true",
                        help="change nothing; say what is not formatted and exit with 1")
    options = parser.parse_args()

    if not shutil.which("clang-format"):
        print("skip: clang-format is not installed")
        return SKIPPED
    mode = ["--dry-run", "-Werror"] if options.check else ["-i"]
    files = [str(path.relative_to(ROOT)) for path in c_files()]
    done = subprocess.run(["clang-format", *mode, *files], cwd=ROOT)
    if options.check and done.returncode != 0:
        print("not formatted; ./dev fmt mends it")
    return 1 if done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
