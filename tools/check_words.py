#!/usr/bin/env python3
"""Checks that texts that people read (documents, help, messages, the page) have no private words.

usage: check_words.py [ROOT]      check a tree (default: the project)
       check_words.py --self-test check that each entry of the list is found

Checks Markdown outside of code, string literals of C that have a sentence, comments of public headers,
the tables of options, and the texts of the page and of Python. If a reader stumbles over a phrase, add
it to WORDS, with what to write instead.

SPDX-License-Identifier: Apache-2.0
"""
import re
import sys

from tree import run_check

# A regular expression, case ignored -> what to write instead, and an example that it must find.
WORDS = [
    (r"what holds without", "default", "Options [and what holds without them]"),
    (r"\bso many\b(?! (?:\w+ )?that)", "the number itself", "for each part there are so many"),
    (r"\bso long\b(?! (?:as|that))", "a time, or TIME", "stop the search after so long"),
    (r"\b(?:is|are|was|were|be) told\b(?! apart)", "receives, is passed", "it is told the count"),
    (r"\bstruck off\b", "dropped, deleted", "who is missed twice is struck off"),
    (r"\bdear(?:er|est| ones)\b", "expensive", "the dear ones first"),
    (r"\b(?:do|does) not go (?:together )?with\b|\bgoes? with no\b", "cannot be combined with",
     "--share does not go with -w arrow"),
    (r"\b(?:of|by|to|for) who\b", "name the actor", "stopped by who takes tasks over"),
    (r"\bwho (?:gets one|asks|has|takes|wants|gives)\b", "name the actor", "who wants all of them"),
    (r"\bis (?:no|not any) (?:number|share|file|folder|size|count)\b", "is not a …", "x is no number"),
    (r"\bthat is no item\b", "to ignore as an item", "one that is no item"),
    (r"\blet flow\b", "written at once", "patterns are let flow"),
    (r"(?<!\.)\b(?:humble|desk|dives?|crosswise|piecewise)\b|(?<=\w )strips?\b(?!\()",
     "low priority, lease pool, tid-bitmap, random probe, row enumeration, external partitioning",
     "dives into the tree"),
    (r"\bin (?:its|their|the) (?:body|head)\b|\b(?:body|head) of (?:a|the|each|every) rule",
     "antecedent, consequent", "items in the head of a rule"),
    (r"(?<!JSON )(?<!request )(?<!response )\bbodies\b", "antecedents", "rules with smaller bodies"),
    (r"\bfresh eyes\b", "a review, and what it found", "what fresh eyes have found"),
    (r"(?:^|[.:;(] )Of \w+(?: \w+)?, (?:what|which|those|only)\b", "subject first",
     "Of shares, what is not made of records is refused"),
    (r"\bwhat can (?:compute|be had)\b", "CPUs and GPUs that lode can use", "what can compute here"),
    (r"\bsay all about\b|\bsays? all\b", "explain", "or say all about one"),
    (r"\bthe way to it\b", "its prefix", "what is worth the way to it"),
    (r"\bheld (?:out|back) that it\b|\bnothing is held out\b", "has no effect without --holdout",
     "--seed: nothing is held out that it could choose"),
    (r"\bof more \w+ than every\b", "whose … exceeds that of every", "of more confidence than every"),
    (r"\bbeside (?:it|them)\b(?=[.;,])(?! (?:in|are))", "next to it", "a file beside it."),
    (r"\bcame (?:once|twice) that may\b", "Duplicate …", "a line came twice that may come once"),
    (r"\bclosing zero\b", "terminating zero", "without a closing zero"),
    (r"\ball zero,? and false\b|\bfalse,? and all zero\b", "fills *out with zeros and returns false",
     "For NULL, all zero and false."),
]
PATTERNS = [(re.compile(pattern, re.I), use) for pattern, use, _ in WORDS]

# Files that must name old words: the page about the change itself, and this list.
LEFT_OUT = {"docs/moved.md", "tools/check_words.py"}
FENCE = re.compile(r"^\s*(?:```|~~~)")
C_STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"(?:\s*\\?\n?\s*(?=")|)')
COMMENT = re.compile(r"/\*.*?\*/", re.S)
INCLUDE = re.compile(r"^#\s*include.*", re.M)


def sentences(path, text):
    """Yields (line number, text) of what people read in a file."""
    lines = text.splitlines()
    if path.suffix == ".md":
        code = False
        for number, line in enumerate(lines, 1):
            if FENCE.match(line):
                code = not code
            elif not code:
                yield number, re.sub(r"`[^`]*`", "CODE", line)
    elif path.suffix in (".c", ".def", ".cu") or (path.suffix == ".h" and "include" not in path.parts):
        # Adjacent literals are one text: a phrase may cross the end of a line.
        at, joined, end = None, "", -1
        code = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), INCLUDE.sub("", text))
        for match in C_STRING.finditer(code):
            if at is not None and match.start() != end:
                yield at, joined
                at, joined = None, ""
            at = at or text.count("\n", 0, match.start()) + 1
            joined, end = joined + match[1], match.end()
        if at is not None:
            yield at, joined
    elif path.suffix == ".h":
        for match in COMMENT.finditer(text):
            words = re.sub(r"\s*\n \*\s*|\s+", " ", match[0])
            yield text.count("\n", 0, match.start()) + 1, words
    else:
        yield from enumerate(lines, 1)


def read_files(root):
    """The files that hold something to read."""
    found = [*root.glob("*.md"), *(root / "docs").rglob("*.md"), *(root / "bench").rglob("*.md"),
             *(root / "include").rglob("*.h"), *(root / "python" / "lode").rglob("*.py")]
    for folder in ("src", "cli", "worker", "server", "mpi", "python/src"):
        found += [path for ending in ("*.c", "*.def", "*.cu") for path in (root / folder).rglob(ending)]
    found += [path for ending in ("*.svelte", "*.ts") for path in (root / "page" / "src").rglob(ending)]
    return sorted(path for path in found if path.relative_to(root).as_posix() not in LEFT_OUT)


def check(root):
    """Returns all violations in a tree, as lines of text."""
    problems = []
    for path in read_files(root):
        for number, text in sentences(path, path.read_text(encoding="utf-8")):
            problems += [f"{path.relative_to(root)}:{number}: '{match[0].strip()}': write {use}"
                         for pattern, use in PATTERNS for match in [pattern.search(text)] if match]
    return problems


def self_test():
    """Each entry finds its own example, and a plain sentence passes."""
    missed = [f"not found: {example}" for pattern, _, example in WORDS
              if not re.search(pattern, example, re.I)]
    plain = "--share cannot be combined with -w arrow; use fimi, spmf, csv or jsonl"
    return missed + [f"found in a plain sentence: {p.pattern}" for p, _ in PATTERNS if p.search(plain)]


if __name__ == "__main__":
    sys.exit(run_check("words", __doc__, check, self_test))
