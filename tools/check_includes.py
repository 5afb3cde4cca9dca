#!/usr/bin/env python3
"""Checks that includes point down the layers of the project, and nowhere else.

usage: check_includes.py [ROOT]      check a tree (default: the project)
       check_includes.py --self-test check that errors in a broken tree are found

Each violation is one line "file:line: what"; the exit status is 1 if there is any.

SPDX-License-Identifier: Apache-2.0
"""
import re
import sys
from pathlib import Path

from tree import c_files, run_check, test_check

# The architecture: what each folder of src/ may include besides itself and lode.h. A folder within one
# is a layer of its own where it has a line here.
LAYERS = {
    "base":             "",
    "runtime/report":   "base",
    "runtime":          "runtime/report base",
    "data/transactions": "runtime base",
    "read":             "results/arrow data/transactions runtime base",
    "data/graphs":      "read data/transactions runtime base",
    "device/api":       "runtime base",
    "device/cpu":       "device/api runtime base",
    "device/cuda":      "device/api runtime base",
    "rules/measures":   "base",
    "results/arrow":    "runtime base",
    "groups":           "read data/transactions rules/measures runtime base",
    "write/core":       "results/arrow runtime base",
    "write/itemsets":   "groups write/core results/arrow rules/measures data/transactions runtime base",
    "write/rules":      "write/core results/arrow rules/measures data/transactions runtime base",
    "write/graphs":     "groups rules/measures write/core results/arrow data/graphs data/transactions runtime base",
    "pipeline/engine":  "write/itemsets write/core device/api data/transactions runtime base",
    "itemsets/common":  "pipeline/engine write/itemsets write/core device/api data/transactions "
                        "runtime base",
    "itemsets/rows":    "pipeline/engine write/itemsets write/core device/api data/transactions "
                        "runtime base",
    "itemsets/adaptive": "itemsets/rows itemsets/common pipeline/engine write/itemsets write/core "
                        "device/api data/transactions runtime base",
    "itemsets/tensor":  "itemsets/common pipeline/engine write/itemsets write/core device/api "
                        "data/transactions runtime base",
    "itemsets/frontier": "itemsets/common pipeline/engine write/itemsets write/core device/api "
                        "data/transactions runtime base",
    "graphs":           "pipeline/engine write/graphs write/core device/api data/graphs "
                        "data/transactions runtime base",
    "papers":           "graphs itemsets/common pipeline/engine write/graphs write/itemsets write/core "
                        "device/cpu device/api data/graphs data/transactions runtime base",
    "papers/cpu":       "device/cpu device/api runtime base",
    "papers/cuda":      "device/cuda device/api runtime base",
    "pipeline/journal": "runtime base",
    "pipeline/spill":   "pipeline/engine write/itemsets write/core device/api data/transactions "
                        "runtime base",
    "pipeline/partitions": "itemsets/common pipeline/engine write/itemsets write/core device/api "
                        "data/transactions runtime base",
    "pipeline":         "groups pipeline/partitions pipeline/spill pipeline/engine write/graphs "
                        "write/itemsets write/core device/api data/graphs data/transactions runtime "
                        "base",
    "rules":            "pipeline pipeline/engine write/rules write/itemsets write/core rules/measures "
                        "device/api data/transactions runtime base",
    "results/store":    "write/rules write/itemsets write/core results/arrow rules/measures "
                        "data/transactions runtime base",
    "extras/generate":  "data/transactions runtime base",
    "extras/suggest":   "rules pipeline itemsets/common pipeline/engine write/rules write/itemsets "
                        "write/core rules/measures device/api data/transactions runtime base",
    "extras/clean":     "read data/transactions runtime base",
    "api":              "extras/generate graphs itemsets/common pipeline/engine write/graphs "
                        "write/rules write/itemsets write/core rules/measures device/cpu device/api "
                        "data/graphs read data/transactions runtime base",
}
# Programs know lode.h and the headers beside them.
PROGRAMS = ("include", "cli", "worker", "server", "mpi", "molecules", "python", "examples")
# Programs that are made of parts of others, and know their headers.
PARTS_OF = {"mpi": ("cli",), "molecules": ("cli", "worker", "server/workers"), "worker": ("cli",), "fuzz": ("cli", "worker"), "server/results": ("cli",),
            "server/workers": ("cli",), "server/system": ("cli",), "tests/mpi": ("mpi", "cli")}
# Tests, fuzzers and micro-benchmarks may look inside, and share the headers in tests/.
INSIDERS = ("tests", "fuzz", "bench")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def includes(path):
    """Yields (line number, is quoted, name) for each #include of a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] == '"', match[2]


def layer_of(parts):
    """The layer of a file whose path below src/ has these parts; None if there is none."""
    return next((layer for layer in ("/".join(parts[:2]), parts[0])
                 if len(parts) > layer.count("/") + 1 and layer in LAYERS), None)


def check_one(root, path, name):
    """What is wrong with the quoted include `name` in the file `path`; None if nothing."""
    parts = path.relative_to(root).parts
    if name == "lode.h" or (parts[0] == "include" and name.startswith("lode/")):
        return None
    if ".." in Path(name).parts:
        return f'"{name}": write "layer/file.h", without ..'
    folder = parts[0]
    if "/" not in name:
        homes = [path.parent, root / folder] + ([root / "tests"] if folder in INSIDERS else [])
        homes += [root / part for part in PARTS_OF.get("/".join(parts[:-1]), ())]
        if folder != "src" and any((home / name).exists() for home in homes):
            return None
        return f'"{name}": write "layer/file.h", or "lode.h"'
    if folder in PROGRAMS:
        if (root / folder / name).exists():
            return None
        return f'"{name}": {folder}/ may include lode.h and its own headers only'
    target = layer_of(name.split("/"))
    if not target:
        return f'"{name}": there is no layer {name.split("/")[0]}'
    if not (root / "src" / name).exists():
        return f'"{name}": there is no such file in src/'
    layer = layer_of(parts[1:]) if folder == "src" else None
    if layer and target != layer and target not in LAYERS[layer].split():
        return f'"{name}": {layer} may not include {target}'
    return None


def find_cycles(graph):
    """Returns each cycle of a graph {node: [nodes]} once, as a list of nodes."""
    cycles, state = [], {}

    def visit(node, trail):
        state[node] = "open"
        for following in graph.get(node, ()):
            if state.get(following) == "open":
                cycles.append(trail[trail.index(following):] + [following])
            elif following not in state:
                visit(following, trail + [following])
        state[node] = "closed"

    for node in graph:
        if node not in state:
            visit(node, [node])
    return cycles


def check(root):
    """Returns all violations in a tree, as lines of text."""
    problems, graph = [], {}
    for cycle in find_cycles({layer: below.split() for layer, below in LAYERS.items()}):
        problems.append("the table of layers has a cycle: " + " -> ".join(cycle))
    for path in c_files(root):
        short = path.relative_to(root)
        if short.parts[0] == "src" and not layer_of(short.parts[1:]):
            problems.append(f"{short}:1: not in a folder that tools/check_includes.py knows")
            continue
        for number, quoted, name in includes(path):
            wrong = check_one(root, path, name) if quoted else None
            if wrong:
                problems.append(f"{short}:{number}: {wrong}")
            elif quoted and "/" in name:
                graph.setdefault(str(short), []).append(("include/" if name.startswith("lode/") else "src/") + name)
    problems += ["headers include each other: " + " -> ".join(c) for c in find_cycles(graph)]
    return problems


def self_test():
    """A tree with one violation of each kind must be found out, a good one must pass."""
    good = {
        "include/lode.h": "",
        "src/base/a.h": '#include "lode.h"\n#include <stdio.h>\n',
        "src/data/transactions/d.c": '#include "base/a.h"\n',
        "cli/main.c": '#include "lode.h"\n#include "args.h"\n',
        "cli/args.h": "",
        "tests/check.h": "",
        "tests/test_d.c": '#include "check.h"\n#include "base/a.h"\n',
    }
    bad = {
        "src/base/up.c": ('#include "data/transactions/d.h"\n', "base may not include data/transactions"),
        "src/device/cpu/side.c": ('#include "write/core/s.h"\n', "device/cpu may not include write/core"),
        "src/papers/cpu/in.c": ('#include "write/core/s.h"\n', "papers/cpu may not include write/core"),
        "src/data/transactions/near.c": ('\n#include "d.h"\n', 'near.c:2: "d.h": write "layer/file.h"'),
        "src/data/transactions/dots.c": ('#include "../base/a.h"\n', "without .."),
        "src/data/transactions/gone.c": ('#include "base/gone.h"\n', "no such file"),
        "src/odd/o.c": ("", "not in a folder"),
        "cli/inside.c": ('#include "base/a.h"\n', "its own headers only"),
        "src/base/one.h": ('#include "base/two.h"\n', "include each other"),
    }
    also = {"src/data/transactions/d.h": "", "src/write/core/s.h": "",
            "src/base/two.h": '#include "base/one.h"\n'}
    return test_check(check, good, bad, also)


if __name__ == "__main__":
    sys.exit(run_check("includes", __doc__, check, self_test))
