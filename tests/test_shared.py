#!/usr/bin/env python3
"""Programs of older and of newer versions run with today's shared library.

tests/programs/grow.c is compiled three times: as it is, with headers whose structs lack their last
field, and with headers whose structs have one more.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import library
import test_public

ROOT = library.ROOT
LIBRARY = library.find(os.environ.get("LODE_BIN"))
PROGRAM = ROOT / "tests/programs/grow.c"


# Four bytes each.
NARROW = {"unsigned", "uint32_t", *re.findall(r"^typedef enum (\w+)", test_public.HEADER, re.M)}


def without_last(name, body):
    """Of the text of a struct: its last field is gone. As structs have no padding at their end, what
    is reserved is more, then, or there is something."""
    spare = re.search(r"(.*;)[^;]*?uint8_t reserved\[(\d+)\];", body, re.S)
    if spare:
        last = re.search(r"(\w+) \w+;\s*$", spare[1])
        single = last[1] in ("bool", "char")
        assert single or last[1] in NARROW, body
        more = 1 if single else 4
        return f"{spare[1][:last.start()]}uint8_t reserved[{int(spare[2]) + more}];\n"
    declaration = re.search(r"[^;]*;\s*$", body)[0]
    shorter = re.sub(r",[^,;]*;\s*$", ";\n", declaration) if "," in declaration else "\n"
    if name.endswith("_options") and declaration.split()[0] in NARROW:
        shorter += "    uint8_t reserved[4];\n"
    return body[:-len(declaration)] + shorter


def with_extra(_, body):
    """Of the text of a struct: it has one field more, where a later version would put it."""
    spare = re.search(r"uint8_t reserved\[(\d+)\];", body)
    if spare:
        return body.replace(spare[0], f"bool extra; uint8_t reserved[{int(spare[1]) - 1}];")
    return body + "    uint64_t extra;\n"


def make_headers(folder, change):
    """A copy of include/, without comments, with each struct that may grow changed."""
    for path in sorted((ROOT / "include").rglob("*.h")):
        text = test_public.plain(path.read_text(encoding="utf-8"))

        def edit(match):
            if not re.match(r"\s*size_t size;", match[3]):
                return match[0]
            return match[1] + change(match[2], match[3]) + "}"

        to = folder / path.relative_to(ROOT / "include")
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(re.sub(r"(^typedef struct (\w+) \{)(.*?)^\}", edit, text,
                             flags=re.M | re.S), encoding="utf-8")


class Shared(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def run_program(self, name, include, *flags):
        """Compiles and runs it; {struct: its size in that version}."""
        program = self.folder / name
        command = [os.environ.get("CC", "cc"), "-std=c17", "-Wall", "-Wextra", "-Werror",
                   *flags, f"-I{include}", PROGRAM, LIBRARY, f"-Wl,-rpath,{LIBRARY.parent}", "-o",
                   program]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run([str(program)], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[-1], "done")
        return {line.split()[0]: int(line.split()[1]) for line in lines[:-1]}

    def test_versions(self):
        older, newer = self.folder / "older", self.folder / "newer"
        make_headers(older, without_last)
        make_headers(newer, with_extra)
        now = self.run_program("now", ROOT / "include")
        old = self.run_program("old", older, "-DOLDER")
        new = self.run_program("new", newer, "-DNEWER")
        growing = {name for name, (_, first, _) in test_public.structs().items()
                   if first == "size_t size"}
        self.assertEqual(set(now), growing, "structs that the program does not use")
        self.assertEqual([set(old), set(new)], [growing, growing])
        for name in growing:
            self.assertTrue(old[name] <= now[name] <= new[name], name)
        # Those that were changed within what is reserved are as large as before.
        self.assertGreater(sum(old[name] < now[name] for name in growing), 14)
        self.assertGreater(sum(now[name] < new[name] for name in growing), 17)


if __name__ == "__main__":
    unittest.main()
