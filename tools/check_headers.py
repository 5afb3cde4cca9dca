#!/usr/bin/env python3
"""Checks that every header of include/, src/, cli/ and, where its libraries are installed, server/
compiles alone, twice in a row, as C17, and that include/lode.h does so as C++17 too; warnings are errors.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tree import ROOT

WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
C_FLAGS = ["-x", "c", "-std=c17", "-Wshadow", "-Wconversion", "-D_POSIX_C_SOURCE=200809L"]
CXX_FLAGS = ["-x", "c++", "-std=c++17"]
# Folders beside the library: what their headers may include, and what they are compiled with.
PROGRAMS = {"cli": ["-Icli"], "worker": ["-Iworker", "-Icli"], "server": ["-Iserver", "-D_GNU_SOURCE"]}
SERVER_NEEDS = ["event2/http.h", "jansson.h", "sqlite3.h"]


def compile_header(compiler, flags, name):
    """Returns the messages of the compiler; "" if there are none."""
    command = [compiler, *flags, *WARNINGS, "-Iinclude", "-Isrc", "-"]
    source = f'#include "{name}"\n#include "{name}"\n'
    done = subprocess.run(command, input=source, text=True, capture_output=True, cwd=ROOT)
    if done.returncode == 0:
        return ""
    return f'{name} does not compile alone ({" ".join(command)}):\n{done.stderr}'


def program_jobs(compiler):
    """The headers of the programs, each with its flags; server/ where all it needs is installed."""
    missing = [name for name in SERVER_NEEDS if compile_header(compiler, C_FLAGS, name)]
    if missing:
        print(f"skip: server/: there is no {', '.join(missing)}")
    for folder, flags in PROGRAMS.items():
        for path in sorted((ROOT / folder).rglob("*.h")):
            if folder != "server" or not missing:
                yield compiler, [*C_FLAGS, *flags], path.relative_to(ROOT / folder).as_posix()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cc", default="cc", help="the C compiler (default: cc)")
    parser.add_argument("--cxx", default="c++", help="the C++ compiler (default: c++)")
    parser.add_argument("--cuda", help="folder of CUDA's headers; without it src/device/cuda and src/papers/cuda are"
                        " left out")
    options = parser.parse_args()

    names = [path.relative_to(folder).as_posix() for folder in (ROOT / "include", ROOT / "src")
             for path in sorted(folder.rglob("*.h"))]
    plain = [name for name in names if "cuda" not in name.split("/")[:-1]]
    jobs = [(options.cc, C_FLAGS, name) for name in plain]
    jobs += program_jobs(options.cc)
    if options.cuda:
        flags = [*C_FLAGS, "-isystem", options.cuda]
        jobs += [(options.cc, flags, name) for name in names if name not in plain]
    if shutil.which(options.cxx):
        jobs.append((options.cxx, CXX_FLAGS, "lode.h"))
    else:
        print(f"skip: lode.h as C++: there is no {options.cxx}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [text for text in pool.map(lambda job: compile_header(*job), jobs) if text]
    print("\n".join(complaints) if complaints else f"headers: {len(jobs)} compile alone")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
