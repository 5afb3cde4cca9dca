#!/usr/bin/env python3
"""Nothing of lode.h is left out of test_valid.c, and no enum of an option out of the table.

SPDX-License-Identifier: Apache-2.0
"""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEADER = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include").rglob("*.h")))
TEST = (ROOT / "tests/test_valid.c").read_text(encoding="utf-8")
TABLE = (ROOT / "src/runtime/valid.c").read_text(encoding="utf-8")


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


class Public(unittest.TestCase):
    def test_every_function_is_called(self):
        self.assertGreater(len(functions()), 70)
        missing = [name for name in functions() if not re.search(rf"\b{name}\(", TEST)]
        self.assertEqual(missing, [], "not called in tests/test_valid.c")

    def test_every_enum_has_a_row(self):
        self.assertGreater(len(enum_fields()), 10)
        missing = [f"{name}.{field}" for name, field in enum_fields()
                   if not re.search(rf"{name}, {field}, VALID_ENUM", TABLE)]
        self.assertEqual(missing, [], "no row in src/runtime/valid.c")

    def test_every_enum_is_tried(self):
        missing = [f"{name}.{field}" for name, field in enum_fields()
                   if not re.search(rf"&o\.\w+, &o\.{name[5:-8]}\.{field}, ", TEST)]
        self.assertEqual(missing, [], "no check_enum() in tests/test_valid.c")


if __name__ == "__main__":
    unittest.main()
