#!/usr/bin/env python3
"""Nothing of lode.h is left out of test_null.c, test_valid.c and test_grow.c, no enum of an option
out of the table, and every struct can grow.

SPDX-License-Identifier: Apache-2.0
"""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include").rglob("*.h")))
TEST = "".join((ROOT / "tests" / name).read_text(encoding="utf-8")
               for name in ("test_null.c", "test_valid.c"))
GROW = (ROOT / "tests/test_grow.c").read_text(encoding="utf-8")
TABLE = (ROOT / "src/runtime/valid.c").read_text(encoding="utf-8")
# Enums that are positions in a list (formats.def) are checked where the list is known.
LISTED = {("lode_write_options", "format"): "src/write/itemsets/item_file.c",
          ("lode_graph_write_options", "format"): "src/write/graphs/graph_file.c",
          ("lode_rule_write_options", "format"): "src/write/rules/rule_text.c"}


def functions():
    """The names of all public functions."""
    declarations = re.findall(r"^LODE_API[^;]*;", HEADER, re.M | re.S)
    return [re.search(r"(\w+)\s*\(", text)[1] for text in declarations]


def enum_fields():
    """(struct, field) for each field of the option structs that is an enum."""
    enums = set(re.findall(r"^typedef enum (\w+)", HEADER, re.M))
    structs = re.findall(r"^typedef struct (\w+_options) \{(.*?)^\}", HEADER, re.M | re.S)
    return [(name, field) for name, body in structs
            for kind, field in re.findall(r"^    (\w+) (\w+);", body, re.M) if kind in enums]


def plain(text):
    """C without comments."""
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def structs():
    """name: (what is said before it, its fields, in order) of all public structs."""
    found = re.findall(r"((?:/\*(?:(?!\*/).)*\*/\n)?)typedef struct (\w+) \{(.*?)^\}", HEADER,
                       re.M | re.S)
    fields = {}
    for comment, name, body in found:
        declarations = [text.strip() for text in plain(body).split(";") if text.strip()]
        names = [re.search(r"(\w+)\s*(\[\w+\])?$", word)[1]
                 for text in declarations for word in text.split(",")]
        fields[name] = (comment, declarations[0], names)
    return fields


class Public(unittest.TestCase):
    def test_every_function_is_called(self):
        self.assertGreater(len(functions()), 70)
        missing = [name for name in functions() if not re.search(rf"\b{name}\(", TEST)]
        self.assertEqual(missing, [], "not called in tests/test_null.c or tests/test_valid.c")

    def test_every_enum_has_a_row(self):
        self.assertGreater(len(enum_fields()), 10)
        missing = [f"{name}.{field}" for name, field in enum_fields()
                   if (name, field) not in LISTED
                   and not re.search(rf"{name}, {field}, VALID_ENUM", TABLE)]
        self.assertEqual(missing, [], "no row in src/runtime/valid.c")

    def test_positions_in_lists_are_checked(self):
        for (_, field), path in LISTED.items():
            self.assertIn(f'valid_choice(job, "{field}", ', (ROOT / path).read_text())

    def test_every_enum_is_tried(self):
        missing = [f"{name}.{field}" for name, field in enum_fields()
                   if not re.search(rf"&o\.\w+, &o\.{name[5:-8]}\.{field}, ", TEST)]
        self.assertEqual(missing, [], "no check_enum() in tests/test_valid.c")

    def test_every_struct_has_a_size(self):
        """Or says that it has no need of one."""
        self.assertGreater(len(structs()), 20)
        for name, (comment, first, _) in structs().items():
            if "never grows" not in comment:
                self.assertEqual(first, "size_t size", name)

    def test_every_struct_is_tried(self):
        missing = [f"{name}, {fields[-1]}" for name, (comment, _, fields) in structs().items()
                   if "never grows" not in comment
                   and not re.search(rf"\b(IN|OUT|LENT)\({name}, {fields[-1]}[,)]", GROW)]
        self.assertEqual(missing, [], "not in tests/test_grow.c, with its last field")

    def test_options_end_without_padding(self):
        missing = [name for name, last in re.findall(r"\bIN\((\w+), (\w+),", GROW)
                   if name != "type" and f"NO_PADDING({name}, {last});" not in GROW]
        self.assertEqual(missing, [], "no NO_PADDING() in tests/test_grow.c")

    def test_structs_hold_no_structs_that_grow(self):
        """A field behind one would move. And none comes as a value."""
        fixed = {name for name, (comment, _, _) in structs().items() if "never grows" in comment}
        growing = set(structs()) - fixed
        for name, body in re.findall(r"^typedef struct (\w+) \{(.*?)^\}", HEADER, re.M | re.S):
            for kind, _ in re.findall(r"^    (lode_\w+) (\w+)", plain(body), re.M):
                self.assertNotIn(kind, growing, name)
        for text in re.findall(r"^LODE_API[^;]*;", HEADER, re.M | re.S):
            for kind, star in re.findall(r"\b(lode_\w+)\s(\**)", text):
                self.assertFalse(kind in growing and not star, text)


if __name__ == "__main__":
    unittest.main()
