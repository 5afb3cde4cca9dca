#!/usr/bin/env python3
"""Checks how the kernels of pgm read memory, in the assembly (PTX) that the compiler generates.

usage: check_loads.py [--nvcc NVCC]

`--records` and `--loads` compare vectors with columns, and read-only loads with ordinary ones. The
comparison is only valid if the compiler generates what the option says: by itself, it may turn loads
into read-only loads, or divide vectors. So the kernels of pgm must have
    with `readonly` read-only loads (ld.global.nc), and with `plain` none;
    with `vectors` reads of 16 bytes for records (v4) and of 8 bytes for entries (v2), and with
    `columns` no vector reads.
The exit status is 1 if this is not so, and 77 if there is no nvcc.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "papers" / "cuda" / "pgm_kernels.cu"
SKIPPED = 77
READS_RECORDS = {"key"}
READS_ENTRIES = {"matrix", "column"}
KERNELS = {"matrix", "count", "record", "key", "value", "column"}


def assembly(nvcc):
    command = [nvcc, "-std=c++17", "-O3", "-arch=compute_80", f"-I{ROOT / 'src'}", "-ptx",
               str(SOURCE), "-o", "-"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def kernels(text):
    """(kernel, layout, loads, its loads from global memory) of each kernel of pgm."""
    for found in re.finditer(r"\.entry (\S+?)\(.*?\n\}", text, re.S):
        name = re.search(r"pgm_([a-z]+)_kernel", found[1])
        if name:
            layout = "vectors" if "memory_vectors" in found[1] else "columns"
            loads = "plain" if "loads_plain" in found[1] else "readonly"
            yield name[1], layout, loads, re.findall(r"\bld\.global[\w.:]*", found[0])


def faults(name, layout, loads, found):
    """What is wrong with the loads of a kernel."""
    readonly = [load for load in found if ".nc" in load]
    if (loads == "readonly") != bool(readonly):
        yield f"{len(readonly)} read-only loads"
    for width, readers in ((".v4.", READS_RECORDS), (".v2.", READS_ENTRIES)):
        wide = [load for load in found if width in load]
        if (layout == "vectors" and name in readers) != bool(wide):
            yield f"{len(wide)} loads of {width.strip('.')}"
        if loads == "readonly" and any(".nc" not in load for load in wide):
            yield "ordinary loads of vectors"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    nvcc = parser.parse_args().nvcc
    if not Path(nvcc).exists():
        print("skip: there is no nvcc")
        return SKIPPED
    seen, wrong = set(), []
    for name, layout, loads, found in kernels(assembly(nvcc)):
        seen.add((name, layout, loads))
        wrong += [f"{name} kernel, {layout}, {loads}: {fault} in {found}"
                  for fault in faults(name, layout, loads, found)]
    if len(seen) != 4 * len(KERNELS) or {name for name, *_ in seen} != KERNELS:
        wrong.append(f"expected four variants of {sorted(KERNELS)}, found {sorted(seen)}")
    print("\n".join(wrong) or f"loads: {len(seen)} kernels, fine")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
