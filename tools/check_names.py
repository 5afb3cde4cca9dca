#!/usr/bin/env python3
"""Checks rules about names and calls that readers rely on, and that compilers do not enforce.

  - No two files of src/, cli/ and worker/ define a static function of the same name, nor two of server/, or of mpi/.
  - No function, prototype or function pointer has more than six parameters.
  - The calls between the sources of a folder have no cycle.
  - No two folders have files of the same name, unless the folder tells them apart.

usage: check_names.py [ROOT]      check a tree (default: the project)
       check_names.py --self-test check that errors in a broken tree are found

Each violation is one line "file:line: what"; the exit status is 1 if there is any.

SPDX-License-Identifier: Apache-2.0
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

from check_includes import find_cycles
from check_style import code_only
from tree import ROOT, c_files, run_check, test_check

MAX_PARAMETERS = 6

# Static functions that may be defined more than once: {name: why}.
SHARED_STATIC = {}
# File names that several folders may have: {stem: why}.
SHARED_FILES = {
    "brute": "itemsets and graphs: the oracle of each",
    "frontier": "itemsets and graphs: one algorithm, for itemsets and for graphs",
    "device": "device/cpu, device/cuda and pipeline: what each knows of a device",
    "kernels": "adaptive, cpu and cuda: the table of kernels of each",
    "kernels_avx2": "adaptive and cpu: their kernels for one instruction set",
    "kernels_avx512": "the same",
    "kernels_neon": "the same",
    "kernels_scalar": "the same",
    "products": "device/api and device/cuda: what a device does for tensor, and how a GPU does it",
    "emit": "adaptive, tensor and graphs: how each reports what it finds",
    "root": "adaptive and tensor: where each search starts",
    "run": "pipeline and tensor: one run of a job, and of a miner",
    "search": "frontier and graphs: the search of each",
    "spans": "tensor and graphs: the progress of each",
    "graphs": "data and cli: the data set, and the command",
    "popcounts": "papers/cpu and papers/cuda: the same for each device",
}
# Calls that may close a circle: {(file, file that it calls): why}.
CLOSING_CALLS = {}
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "defined", "_Alignof", "_Generic"}
HEAD = re.compile(r"^(?!typedef\b|struct \w+ \{|enum\b|extern  )([A-Za-z_][^;{}=()#]*?)\b(\w+)\(", re.M)
POINTER = re.compile(r"\(\s*\*\s*(\w*)\s*\)\(")
CALL = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\((?:\\\n|.)*", re.M)
ATTRIBUTE = re.compile(r"__attribute__\(\(.*?\)\)", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|.)*", re.M)


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def close_of(text, start):
    """Returns where the parenthesis at `start` is closed; -1 if it is not."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at
    return -1


def count_parameters(text):
    """How many parameters a list between parentheses has."""
    if text.strip() in ("", "void"):
        return 0
    depth = n = 0
    for char in text:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(char, 0)
        n += char == "," and depth == 0
    return n + 1


class Function:
    """A definition or a prototype."""

    def __init__(self, head, name, line, parameters, body):
        words = head.split()
        self.name, self.line, self.parameters, self.body = name, line, parameters, body
        self.static = "static" in words
        self.on_device = "__global__" in words or "__device__" in words


class Source:
    """What a file defines: functions, and macros that look like functions."""

    def __init__(self, path):
        text = code_only(path.read_text(encoding="utf-8"))
        self.macros = {match[1]: match[0] for match in DEFINE.finditer(text)}
        text = ATTRIBUTE.sub(blank, DIRECTIVE.sub(blank, text))
        self.functions, self.pointers = [], []
        for match in POINTER.finditer(text):
            inside = text[match.end():close_of(text, match.end() - 1)]
            self.pointers.append((match[1], self.line_of(text, match.start()), count_parameters(inside)))
        for match in HEAD.finditer(text):
            self.read_function(text, match)

    @staticmethod
    def line_of(text, at):
        return text.count("\n", 0, at) + 1

    def read_function(self, text, match):
        start, name = match.end() - 1, match[2]
        end = close_of(text, start)
        if text[end + 1:end + 2] == "(":  # NAME(x)(parameters): a macro makes the name
            start, name = end + 1, None
            end = close_of(text, start)
        parameters = count_parameters(text[start + 1:end])
        rest = re.match(r"[\s\w]*(?:\([^()]*\)[\s\w]*)*([{;])", text[end + 1:])
        if end < 0 or not rest:
            return
        body = None
        if rest[1] == "{":
            stop = text.find("\n}", end)
            body = text[end + 1:stop], self.line_of(text, end + 1)
        self.functions.append(Function(match[1], name, self.line_of(text, match.start()), parameters, body))

    def calls(self):
        """Yields (name, line) for each call in a body."""
        for function in self.functions:
            if not function.body:
                continue
            text, line = function.body
            for match in CALL.finditer(text):
                yield match[1], line + text.count("\n", 0, match.start())


def check_statics(sources):
    """Finds static functions that two files define."""
    homes = defaultdict(list)
    for path, source in sources.items():
        for name, line in {f.name: f.line for f in source.functions
                           if f.static and f.body and f.name}.items():
            homes[name].append((path, line))
    for name, places in sorted(homes.items()):
        for path, line in places[1:] if name not in SHARED_STATIC else ():
            yield path, line, f"{name}() is static in {places[0][0]} too"


def check_parameters(sources):
    for path, source in sources.items():
        found = [(f.name, f.line, f.parameters) for f in source.functions if not f.on_device]
        for name, line, n in found + source.pointers:
            if n > MAX_PARAMETERS:
                yield path, line, f"{name or 'a function'}() has {n} parameters; the limit is {MAX_PARAMETERS}"


def follow(name, headers, seen):
    """The functions that a call leads to, through what headers define."""
    if name not in headers:
        return {name}
    if name in seen:
        return set()
    seen.add(name)
    return set().union({name}, *(follow(inner, headers, seen) for inner in headers[name]))


def circle_of(path):
    """The scope in which calls must not form a circle: a folder of src/, or a whole program."""
    return str(Path(path).parent) if path.startswith("src/") else path.split("/")[0]


def check_circles(sources):
    """Finds sources of one folder that call each other, also through inline functions and macros.
    """
    headers, homes = {}, defaultdict(dict)
    for path, source in sources.items():
        if path.endswith("h"):
            headers.update({name: set(CALL.findall(body)) for name, body in source.macros.items()})
            headers.update({f.name: set(CALL.findall(f.body[0])) for f in source.functions if f.body})
        else:
            for f in source.functions:
                if f.body and not f.static:
                    homes[circle_of(path)][f.name] = path
    folders = defaultdict(dict)
    for path, source in sources.items():
        if path.endswith("h"):
            continue
        folder, own = circle_of(path), {f.name for f in source.functions if f.body}
        lines = folders[folder].setdefault(path, {})
        for name, line in source.calls():
            for called in follow(name, headers, set()) - KEYWORDS - own if name not in own else ():
                home = homes[folder].get(called)
                if home and home != path and (path, home) not in CLOSING_CALLS:
                    lines.setdefault(home, (line, called))
    for edges in folders.values():
        for cycle in find_cycles({path: sorted(lines) for path, lines in edges.items()}):
            steps = [f"{Path(a).name} calls {edges[a][b][1]}() of {Path(b).name}"
                     for a, b in zip(cycle, cycle[1:])]
            yield cycle[0], edges[cycle[0]][cycle[1]][0], "a circle: " + ", ".join(steps)


def check_files(sources):
    folders = defaultdict(list)
    for path in sources:
        folders[Path(path).stem].append(path)
    for stem, paths in sorted(folders.items()):
        others = [path for path in paths if Path(path).parent != Path(paths[0]).parent]
        for path in others if stem not in SHARED_FILES else ():
            yield path, 1, f"another file is called so: {paths[0]}"


def check(root):
    """Returns all violations in a tree, as lines of text."""
    sources = {str(path.relative_to(root)): Source(path) for path in c_files(root)
               if path.relative_to(root).parts[0] in ("src", "cli", "worker", "server", "mpi", "include")}
    server = {path: source for path, source in sources.items() if path.startswith("server")}
    ranks = {path: source for path, source in sources.items() if path.startswith("mpi")}
    inside = {path: source for path, source in sources.items()
              if not path.startswith("include") and path not in server and path not in ranks}
    found = [*check_statics(inside), *check_statics(server), *check_statics(ranks),
             *check_parameters(sources), *check_circles(inside), *check_circles(server),
             *check_circles(ranks), *check_files(inside)]
    return [f"{path}:{line}: {what}" for path, line, what in sorted(found)]


def self_test():
    """A tree with one violation of each kind must be found out, a good one must pass."""
    six = "int a, int b, int c, int d, int e, void (*f)(int x, int y)"
    good = {
        "include/lode.h": f"int lode_f({six});\n",
        "src/base/a.c": "static int a_one(void) {\n    return b_two();\n}\nint a_two(void) {\n}\n",
        "src/base/b.c": "int b_two(void) {\n    /* a_two() */\n    return b_two();\n}\n",
        "src/device/cuda/k.cu": f"__global__ void k({six}, int g) {{\n}}\n",
        "src/data/transactions/make.h": "static int MAKE(one)(int a) {\n}\n",
        "src/data/transactions/make_two.h": "static int MAKE(one)(int a) {\n}\n",
        "cli/main.c": "int main(void) {\n    f(1, 2, 3, 4, 5, 6, 7);\n}\n",
    }
    bad = {
        "src/data/transactions/twice.c": ("\nstatic int a_one(void) {\n}\n", "twice.c:2: a_one() is static in"),
        "cli/many.c": (f"int many(int g, {six}) {{\n}}\n", "many() has 7 parameters"),
        "include/lode/many.h": (f"int lode_g(int g,\n           {six});\n", "7 parameters"),
        "src/data/transactions/table.h": (f"typedef struct t {{\n    int (*call)({six}, int g);\n}} t;\n",
                             "table.h:2: call() has 7 parameters"),
        "src/write/core/one.c": ("int one(void) {\n    return THREE();\n}\n",
                           "one.c:2: a circle: one.c calls three() of three.c"),
        "server/visit.c": ("int visit(void) {\n    return page();\n}\n", "a circle: page.c calls visit()"),
        "cli/a.c": ("", "another file is called so"),
    }
    also = {"src/write/core/two.h": "#define THREE() \\\n    three()\n",
            "src/write/core/three.c": "int three(void) {\n    return one();\n}\n",
            "server/page.c": "int page(void) {\n    return visit();\n}\n"}

    return test_check(check, good, bad, also)


if __name__ == "__main__":
    sys.exit(run_check("names", __doc__, check, self_test))
