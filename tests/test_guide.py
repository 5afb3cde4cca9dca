#!/usr/bin/env python3
"""The commands of README.md, docs/cookbook.md and docs/rules.md run as they are written, and so do the first
examples of other pages; what README.md shows is what is printed; links between documents lead somewhere.

usage: test_guide.py [--write]      --write puts what the commands print into README.md

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LODE = Path(os.environ.get("LODE_BIN", ROOT / "build" / "lode")).resolve()
README = ROOT / "README.md"
# Commands of tables that need what a machine may not have, or that do not end.
ELSEWHERE = ("--device cuda", "mpirun ", "lode serve", "source ")
SOURCES = ("src", "include", "cli", "worker", "server", "mpi", "python", "tests", "tools", "bench", "cmake",
           "examples", "fuzz")


def blocks(text, language=""):
    """The blocks of code in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def without_code(text):
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S))


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    found = []
    for title in re.findall(r"^#+ (.*)", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        found.append(f"{slug}-{found.count(slug)}" if slug in found else slug)
    return found


def pages():
    """Every document of the repository."""
    top = [ROOT / name for name in ("docs", "bench", "python", "examples", "page", "tests", ".github")]
    found = [path for folder in top for path in folder.rglob("*.md")
             if not {"node_modules", "story", "dist"} & set(path.relative_to(ROOT).parts)
             and not path.name.startswith("page_")]  # templates
    return sorted([*ROOT.glob("*.md"), *found])


def shown_commands(text):
    """(command, what is shown below it) of each block that begins with $."""
    return [re.match(r"\$ (.*?)\n(.*)", block, re.S).groups() for block in blocks(text)
            if block.startswith("$ ")]


def timeless(text):
    return re.sub(r"\b\d+\.\d+ s\b", "0.01 s", text)


class InFolder(unittest.TestCase):
    """A folder in which `lode` and build/lode are the program that is tested."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "build" / "demo").mkdir(parents=True)
        for path in (self.folder / "lode", self.folder / "build" / "lode"):
            path.symlink_to(LODE)
        self.environment = {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"}

    def run_bash(self, command):
        """What a command that must succeed prints: standard output, then standard error."""
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=self.folder,
                              env=self.environment, capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 5) if "--limit-" in command else (0,),
                      f"{command}\n{done.stderr}")
        return done.stdout + done.stderr


class Guide(InFolder):
    def test_rules(self):
        found = blocks((ROOT / "docs/rules.md").read_text(encoding="utf-8"), "sh")
        self.assertGreater(len(found), 8)
        for block in found:
            if "| dot " in block and not shutil.which("dot"):
                print("skip: dot not installed")
                continue
            self.run_bash(block)

    def test_cookbook(self):
        """The first block makes the data; then all commands of the tables, in their order."""
        text = (ROOT / "docs/cookbook.md").read_text(encoding="utf-8")
        commands = re.findall(r"`((?:lode|mpirun|source) [^`]*)`",
                              "\n".join(re.findall(r"^\|.*", text, re.M)))
        self.assertGreater(len(commands), 35)
        self.run_bash(blocks(text, "sh")[0])
        for command in commands:
            if not any(word in command for word in ELSEWHERE):
                self.run_bash(command)

    def test_first_examples(self):
        """Pages that begin with commands and their data."""
        for name in ("algorithms", "how-it-works", "memory", "papers", "rows"):
            block = blocks((ROOT / f"docs/{name}.md").read_text(encoding="utf-8"))[0]
            self.assertIn("lode generate ", block, name)
            printed = self.run_bash(block)
            if name == "rows":
                self.assertIn("searches sets of rows: 20 rows", printed)

    def make_demo(self):
        self.run_bash(f"source {ROOT}/dev && cd {self.folder} && demo_baskets")

    def test_worker(self):
        """The client of docs/worker.md."""
        self.make_demo()
        (self.folder / "tools").symlink_to(ROOT / "tools")
        text = (ROOT / "docs/worker.md").read_text(encoding="utf-8")
        (self.folder / "client.py").write_text(blocks(text, "python")[0], encoding="utf-8")
        self.assertRegex(self.run_bash("python3 client.py"), r"^20000\n\d+\n\d+\n$")

    def test_readme(self):
        """What it shows is what is printed, but for the times."""
        self.make_demo()
        text = README.read_text(encoding="utf-8")
        found = shown_commands(text)
        self.assertEqual(len(found), 3)
        for command, shown in found:
            printed = timeless(self.run_bash(command))
            if "--write" in sys.argv:
                text = text.replace(f"$ {command}\n{shown}", f"$ {command}\n{printed}")
            else:
                self.assertEqual(timeless(shown), printed, f"{command}\n{__file__} --write renews it")
        if "--write" in sys.argv:
            README.write_text(text, encoding="utf-8")


class Links(unittest.TestCase):
    def test_links_lead_somewhere(self):
        """Files and anchors of the repository; addresses elsewhere are not looked at."""
        wrong = []
        self.assertGreater(len(pages()), 30)
        for page in pages():
            text = without_code(page.read_text(encoding="utf-8"))
            for link in re.findall(r"\]\(([^)\s]+)\)", text):
                if re.match(r"[a-z]+:", link):
                    continue
                name, _, anchor = link.partition("#")
                target = (page.parent / name).resolve() if name else page
                if not target.exists():
                    wrong.append(f"{page.relative_to(ROOT)}: {link}: there is no such file")
                elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
                    wrong.append(f"{page.relative_to(ROOT)}: {link}: there is no such heading")
        self.assertEqual(wrong, [])

    def test_footnotes_are_there(self):
        for page in pages():
            text = without_code(page.read_text(encoding="utf-8"))
            told = set(re.findall(r"^\[\^([^]]+)\]:", text, re.M))
            used = set(re.findall(r"\[\^([^]]+)\]", re.sub(r"^\[\^[^]]+\]:", "", text, flags=re.M)))
            self.assertEqual(used, told, page)

    def test_the_index_is_complete(self):
        index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
        missing = [path.name for path in (ROOT / "docs").glob("*.md")
                   if path.name != "README.md" and f"({path.name})" not in index]
        self.assertEqual(missing, [], "not in docs/README.md")

    def test_pages_stay_short(self):
        limits = {README: 120}
        for path in pages():
            lines = path.read_text(encoding="utf-8").count("\n")
            self.assertLessEqual(lines, limits.get(path, 400), f"{path}: lines")
        rows = re.findall(r"^\| (?!word \|)", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.M)
        self.assertLessEqual(len(rows), 50, "words in the glossary")

    def test_pages_that_sources_name_are_there(self):
        wrong = []
        for path in (path for folder in SOURCES for path in (ROOT / folder).rglob("*")):
            if path.suffix in (".c", ".h", ".cu", ".cuh", ".def", ".py", ".cmake", ".json") and path.is_file():
                names = re.findall(r"\bdocs/(?:[\w-]+/)?[\w-]+\.md", path.read_text(encoding="utf-8"))
                wrong += [f"{path.relative_to(ROOT)}: {name}" for name in names
                          if not (ROOT / name).exists() and "NNN" not in name]
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--write"])
