#!/usr/bin/env python3
"""Checks that includes point down the layers of the project, and nowhere else.

usage: check_includes.py [ROOT]      check a tree (default: the project)
       check_includes.py --self-test check that a broken tree is found out

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
    "base":     "",
    "report":   "base",
    "runtime":  "report base",
    "data":     "runtime base",
    "format":   "data runtime base",
    "backend":  "runtime base",
    "cpu":      "backend runtime base",
    "cuda":     "backend runtime base",
    "sink":     "arrow runtime base",
    "itemsink": "arrow sink data runtime base",
    "measure":  "base",
    "arrow":    "runtime base",
    "rulesink": "measure arrow sink data runtime base",
    "engine":   "backend itemsink sink data runtime base",
    "itemset":  "engine backend itemsink sink data runtime base",
    "crosswise": "engine backend itemsink sink data runtime base",
    "adaptive": "crosswise itemset engine backend itemsink sink data runtime base",
    "tensor":   "itemset engine backend itemsink sink data runtime base",
    "frontier": "itemset engine backend itemsink sink data runtime base",
    "papers":   "graph graphsink graphdata itemset engine backend itemsink sink data runtime base",
    "papers/cpu":  "cpu backend runtime base",
    "papers/cuda": "cuda backend runtime base",
    "generate": "data runtime base",
    "graphdata": "format data runtime base",
    "graphsink": "arrow sink graphdata data runtime base",
    "graph":    "engine graphsink sink graphdata backend data runtime base",
    "journal":  "runtime base",
    "spill":    "engine backend itemsink sink data runtime base",
    "piecewise": "itemset engine backend itemsink sink data runtime base",
    "mine":     "piecewise spill engine itemsink graphsink sink graphdata backend data runtime base",
    "rule":     "mine rulesink measure engine itemsink sink backend data runtime base",
    "store":    "arrow measure rulesink itemsink sink data runtime base",
    "suggest":  "mine rule rulesink measure engine itemset itemsink sink backend data runtime base",
    "clean":    "format data runtime base",
    "api":      "rulesink measure graph graphsink graphdata itemset engine generate format itemsink sink cpu "
                "backend data runtime base",
}
# Programs know lode.h and the headers beside them.
PROGRAMS = ("include", "cli", "server", "mpi", "python", "examples")
# Programs that are made of parts of another one, and know its headers.
PARTS_OF = {"mpi": "cli"}
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
        homes = [path.parent] + ([root / "tests"] if folder in INSIDERS else [])
        homes += [root / PARTS_OF[folder]] if folder in PARTS_OF else []
        if folder != "src" and any((home / name).exists() for home in homes):
            return None
        return f'"{name}": write "layer/file.h", or "lode.h"'
    if folder in PROGRAMS:
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
        "src/data/d.c": '#include "base/a.h"\n',
        "cli/main.c": '#include "lode.h"\n#include "args.h"\n',
        "cli/args.h": "",
        "tests/check.h": "",
        "tests/test_d.c": '#include "check.h"\n#include "base/a.h"\n',
    }
    bad = {
        "src/base/up.c": ('#include "data/d.h"\n', "base may not include data"),
        "src/cpu/side.c": ('#include "sink/s.h"\n', "cpu may not include sink"),
        "src/papers/cpu/in.c": ('#include "sink/s.h"\n', "papers/cpu may not include sink"),
        "src/data/near.c": ('\n#include "d.h"\n', 'near.c:2: "d.h": write "layer/file.h"'),
        "src/data/dots.c": ('#include "../base/a.h"\n', "without .."),
        "src/data/gone.c": ('#include "base/gone.h"\n', "no such file"),
        "src/odd/o.c": ("", "not in a folder"),
        "cli/inside.c": ('#include "base/a.h"\n', "its own headers only"),
        "src/base/one.h": ('#include "base/two.h"\n', "include each other"),
    }
    also = {"src/data/d.h": "", "src/sink/s.h": "", "src/base/two.h": '#include "base/one.h"\n'}

    return test_check(check, good, bad, also)


if __name__ == "__main__":
    sys.exit(run_check("includes", __doc__, check, self_test))
