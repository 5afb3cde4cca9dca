#!/usr/bin/env python3
"""Checks what clang-format does not check: sizes, banned functions, licence lines, blanks.

usage: check_style.py [ROOT]

Each violation is one line "file:line: what"; the exit status is 1 if there is any.

SPDX-License-Identifier: Apache-2.0
"""
import re
import sys

from tree import c_files, run_check, scripts

MAX_FILE_LINES = 1000
MAX_FUNCTION_LINES = 120
MAX_COLUMNS = 100
BANNED = {
    "sprintf": "snprintf", "vsprintf": "vsnprintf", "strcpy": "memcpy", "strcat": "snprintf",
    "gets": "fgets", "strtok": "strcspn", "atoi": "a parser that reports errors",
    "alloca": "the context's memory",
}
# In the library only; tests may use them.
BANNED_IN_SRC = {
    "qsort": "base/sort.h, which needs no memory and can be ended",
    "pthread_cond_timedwait": "cond_wait_for() of base/os.h: setting the clock does not change it",
}
ALLOWED = {"src/base/os.c": {"pthread_cond_timedwait"}}  # in the file that the others should use
# snprintf() returns what it would have written: such a sum may point behind the end of the text.
UNBOUNDED = re.compile(r"\+=\s*(?:\(size_t\)\s*)?snprintf\(")
BANNED_CALL = re.compile(r"\b(%s)\s*\(" % "|".join([*BANNED, *BANNED_IN_SRC]))
NOT_CODE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
SPDX = "SPDX-License-Identifier: Apache-2.0"


def code_only(text):
    """The text with comments and literals blanked out and the lines where they were."""
    return NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def long_functions(lines):
    """Yields (line number, length). In formatted code a body begins at the first line that ends in
    ") {" outside of another body, and ends with "}" in the first column."""
    start = None
    for number, line in enumerate(lines, 1):
        if start is None and line.rstrip().endswith(") {"):
            start = number
        elif start is not None and line.startswith("}"):
            if number - start + 1 > MAX_FUNCTION_LINES:
                yield start, number - start + 1
            start = None


def check_text(lines):
    """Checks rules for sources of every language."""
    if len(lines) > MAX_FILE_LINES:
        yield 1, f"{len(lines)} lines; the limit is {MAX_FILE_LINES}"
    if not any(SPDX in line for line in lines):
        yield 1, f"no line with {SPDX}"
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            yield number, "a tab"
        if line != line.rstrip():
            yield number, "blanks at the end of the line"


def banned_in(name):
    """The functions that a file may not call, and what to use instead."""
    banned = {**BANNED, **BANNED_IN_SRC} if name.startswith("src/") else BANNED
    return {word: use for word, use in banned.items() if word not in ALLOWED.get(name, ())}


def check_c(text, name):
    """Checks rules for C only."""
    banned, in_src = banned_in(name), name.startswith("src/")
    code = code_only(text).split("\n")
    for number, line in enumerate(text.split("\n"), 1):
        if len(line) > MAX_COLUMNS:
            yield number, f"{len(line)} columns; the limit is {MAX_COLUMNS}"
    for number, line in enumerate(code, 1):
        for match in BANNED_CALL.finditer(line):
            if match[1] in banned:
                yield number, f"{match[1]}() is banned; use {banned[match[1]]}"
        if in_src and UNBOUNDED.search(line):
            yield number, "a sum of what snprintf() returns; use append_text() of base/figures.h"
    for number, length in long_functions(code):
        yield number, f"a function of {length} lines; the limit is {MAX_FUNCTION_LINES}"


def check(root):
    """Returns all violations in a tree, as lines of text."""
    problems = []
    for path in c_files(root) + scripts(root):
        text = path.read_text(encoding="utf-8")
        found = list(check_text(text.splitlines()))
        if path.suffix in (".c", ".h"):
            found += check_c(text, path.relative_to(root).as_posix())
        problems += [f"{path.relative_to(root)}:{number}: {what}" for number, what in sorted(found)]
    return problems


if __name__ == "__main__":
    sys.exit(run_check("style", __doc__, check))
