#!/usr/bin/env python3
"""Writes the numbers of documents from bench/results: docs/benchmarks.md, and the tables of others.

usage: story.py [--check] [--results DIR] [--docs DIR]

Documents are written from templates in bench/story/: docs/benchmarks.md as a whole; in the other documents,
the text between `<!-- table: NAME -->` and `<!-- end -->` comes from bench/story/NAME.md. In a template,

    {{expression}}                         becomes a value: of a method of bench/story_*.py, or of a helper below
    {{must(condition, "a sentence")}}      becomes nothing; if the condition is false, the command fails
    {{either(condition, "this", "that")}}  becomes "this" if the condition is true, else "that"
    {{cite("CASE")}}                       becomes a footnote with the file, the machine, the commit and the date
    {{#needs CASE...}} ... {{/needs}}      is replaced by a note as long as one of the cases has no results

No number is typed in by hand: the command fails if a template uses numbers of a case without citing the case.
Plots go to docs/benchmarks/; they are drawn if matplotlib is installed, and hold a digest of what they show.
--check writes nothing; the exit status is 1 if a document or a plot is out of date.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import difflib
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import measured  # noqa: E402
import plot  # noqa: E402
import story_classic  # noqa: E402
import story_device  # noqa: E402
import story_gpu  # noqa: E402
import story_growth  # noqa: E402
import story_papers  # noqa: E402
import story_user  # noqa: E402
from problem import Problem, note  # noqa: E402

TEMPLATES = ROOT / "bench" / "story"
WIDTH = 108
WHOLE = "benchmarks.md"
WITH_TABLES = ("gpu-measured.md", "papers.md", "../README.md")
TABLE = re.compile(r"(<!-- table: ([\w-]+) -->\n).*?(<!-- end -->)", re.S)
NEEDS = re.compile(r"^\{\{#needs ([^}]+)\}\}\n(.*?)^\{\{/needs\}\}\n", re.S | re.M)
VALUE = re.compile(r"\{\{(.+?)\}\}", re.S)


def wrapped(block):
    """Wraps a paragraph to the usual width, because its numbers may have become longer; tables,
    lists, headings, code and the like stay as they are."""
    if re.match(r"[|#<>!-]|```|\[\^[^]]*\]:|    |\d+\.", block):
        return block
    return textwrap.fill(" ".join(block.split()), WIDTH, break_long_words=False, break_on_hyphens=False)


class Page:
    """A document that is being written: the names that its templates can use, the cases that it has used and
    cited, and the cases that are missing."""

    def __init__(self, results):
        self.results = results
        self.cited = {}
        self.missing = {}
        self.names = {"gpu": story_gpu.Gpu(results), "classic": story_classic.Classic(results),
                      "papers": story_papers.Papers(results, self.cite),
                      "user": story_user.User(results, self.cite),
                      "device": story_device.Device(results),
                      "growth": story_growth.Growth(results, self.cite), "cite": self.cite,
                      "must": self.must, "either": self.either, "sources": self.sources}

    def cite(self, *cases):
        for case in cases:
            self.cited[case] = self.results.newest(case).source()
        return "".join(f"[^{case}]" for case in cases)

    def must(self, holds, sentence):
        if not holds:
            raise Problem(f"the results no longer show this; change the template: {sentence}")
        return ""

    def either(self, holds, one, other):
        return one if holds else other

    def sources(self):
        """The footnotes; fails if results were used that are not among them."""
        silent = [case for case in self.results.used if case not in self.cited]
        if silent:
            raise Problem(f"numbers of {', '.join(silent)} are used and not cited")
        return "\n".join(f"[^{case}]: {text}." for case, text in sorted(self.cited.items()))

    # --- templates ---

    def needed(self, match):
        """The text of a block, or the cases it lacks."""
        absent = [case for case in match[1].split() if not self.results.has(case)]
        for case in absent:
            self.missing[case] = self.results.machine_of(case)
        names = ", ".join(f"`{case}`" for case in absent)
        return f"*Not measured yet: {names}.*\n" if absent else match[2]

    def value(self, match):
        try:
            return str(eval(match[1].strip(), {"__builtins__": {}}, self.names))
        except Problem:
            raise
        except Exception as error:  # whatever a template may ask for in vain
            raise Problem(f"{{{{{match[1]}}}}}: {error!r}") from None

    def render(self, name):
        """The text of a template with its values. A line that contained only values and is empty
        now is dropped."""
        path = TEMPLATES / f"{name}.md"
        try:
            text = NEEDS.sub(self.needed, path.read_text(encoding="utf-8"))
            text = VALUE.sub(lambda match: self.value(match) or "\0", text)
        except OSError as error:
            raise Problem(f"there is no template for {name}: {error}") from None
        except Problem as problem:
            raise Problem(f"bench/story/{name}.md: {problem}") from None
        text = re.sub(r"^\0+\n", "", text, flags=re.M).replace("\0", "")
        return "\n\n".join(map(wrapped, re.split(r"\n{2,}", text.strip("\n")))) + "\n"


def shown(name):
    """The name of a document in messages: its path from the root of the repository."""
    return name.removeprefix("../") if name.startswith("../") else f"docs/{name}"


def document(name, results, docs):
    """The text that a document should have, and the page that made it."""
    page = Page(results)
    if name == WHOLE:
        return page.render(Path(name).stem), page
    text = (docs / name).read_text(encoding="utf-8")
    if not TABLE.search(text):
        raise Problem(f"{shown(name)} has no tables between <!-- table: NAME --> and <!-- end -->")
    return TABLE.sub(lambda match: match[1] + page.render(match[2]) + match[3], text), page


def is_current(path, text, show):
    """Whether a document is up to date; on request, prints the first difference."""
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    if old == text or not show:
        return old == text
    lines = difflib.unified_diff(old.splitlines(), text.splitlines(), str(path), "from bench/results",
                                 lineterm="", n=0)
    note("\n".join(list(lines)[:12]))
    return False


def write_documents(options):
    """Writes or checks all documents; returns the names of those that are out of date, and what is
    missing."""
    stale, missing = [], {}
    for name in (WHOLE, *WITH_TABLES):
        results = measured.Measured(options.results)
        text, page = document(name, results, options.docs)
        missing.update(page.missing)
        path = options.docs / name
        if is_current(path, text, options.check):
            continue
        stale.append(shown(name))
        if not options.check:
            path.write_text(text, encoding="utf-8")
            print(f"written: {path}")
    return stale, missing


def write_plots(options):
    """Draws or checks all plots; returns those that are out of date and were not drawn."""
    stale = []
    results = measured.Measured(options.results)
    drawings = {**story_growth.Growth(results).plots(), **story_device.Device(results).plots()}
    for name, drawing in drawings.items():
        path = options.docs / "benchmarks" / name
        if plot.is_current(path, drawing):
            continue
        if options.check or not plot.can_draw():
            stale.append(f"docs/benchmarks/{name}")
            continue
        plot.draw(path, drawing)
        print(f"written: {path}")
    return stale


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only say whether all is current")
    parser.add_argument("--results", type=Path, default=measured.provenance.RESULTS)
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    options = parser.parse_args()
    try:
        stale, missing = write_documents(options)
        undrawn = write_plots(options)
    except Problem as problem:
        note(f"story.py: {problem}")
        return 1
    for case, machine in missing.items():
        note(f"NOT MEASURED YET: {case}, on {machine}")
    if undrawn and not options.check:
        note(f"not drawn, for want of matplotlib: {', '.join(undrawn)}")
    elif stale and options.check or undrawn:
        note(f"not current: {', '.join([*stale, *undrawn])}; ./dev benchmarks writes them")
    return 1 if undrawn or (stale and options.check) else 0


if __name__ == "__main__":
    sys.exit(main())
