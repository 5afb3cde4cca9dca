#!/usr/bin/env python3
"""Writes src/extras/clean/fold_data.c: which letters are equal except for case, and except for accents.

usage: make_fold.py > src/extras/clean/fold_data.c     (then ./dev fmt)

The facts come from the Unicode tables of this Python: simple case folding of all letters, and
compatibility decompositions without their marks, of the ranges in ACCENTS.

SPDX-License-Identifier: Apache-2.0
"""
import unicodedata

ACCENTS = [(0xA0, 0x24F), (0x370, 0x3FF), (0x400, 0x52F), (0x1E00, 0x1EFF), (0x1F00, 0x1FFF),
           (0x2010, 0x204F), (0x2070, 0x209F), (0x2100, 0x218F), (0x2460, 0x24FF), (0xFB00, 0xFB06),
           (0xFF61, 0xFF9F)]
# Letters that do not decompose, and punctuation that people type in several ways.
EXTRA = {"ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O",
         "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "TH",
         "ħ": "h", "Ħ": "H", "ı": "i", "ŧ": "t", "Ŧ": "T", "ŋ": "n", "Ŋ": "N", "ĸ": "k",
         "‘": "'", "’": "'", "‚": "'", "‛": "'", "“": '"', "”": '"', "„": '"', "‟": '"',
         "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "′": "'", "″": '"',
         "‹": "'", "›": "'", "«": '"', "»": '"', "⁄": "/"}
# Letters of their own, though they decompose.
KEEP = "йЙ"


def case_rows():
    """(first, last, step, difference) of letters that become others."""
    to = {}
    for code in range(0x110000):
        if 0xD800 <= code < 0xE000:
            continue
        letter = chr(code)
        folded = letter.casefold()
        if len(folded) != 1:
            folded = letter.lower() if len(letter.lower()) == 1 else letter
        if folded != letter:
            to[code] = ord(folded) - code
    codes, rows = sorted(to), []
    while codes:
        first = codes[0]
        best = max((step for step in (1, 2)), key=lambda step: run(to, codes, step))
        n = run(to, codes, best)
        rows.append((first, codes[n - 1], best, to[first]))
        codes = codes[n:]
    return rows


def run(to, codes, step):
    n = 1
    while n < len(codes) and codes[n] == codes[n - 1] + step and to[codes[n]] == to[codes[0]]:
        n += 1
    return n


def plain(letter):
    """The letter without accents; "" if it stays."""
    if letter in KEEP:
        return ""
    if letter in EXTRA:
        return EXTRA[letter]
    parts = unicodedata.normalize("NFKD", letter)
    kept = "".join(EXTRA.get(c, c) for c in parts if unicodedata.category(c) != "Mn")
    return "" if kept == letter or not kept or " " in kept else kept


def accent_rows():
    """(first, words) of blocks of 16 letters."""
    words = {}
    for low, high in ACCENTS:
        for code in range(low, high + 1):
            if plain(chr(code)):
                words.setdefault(code & ~15, {})[code & 15] = plain(chr(code))
    for first, block in sorted(words.items()):
        yield first, " ".join(block.get(i, "") for i in range(max(block) + 1))


def main():
    print("""/* fold_data.c - which letters are the same without case, and without accents; see fold.h
 *
 * Written by tools/make_fold.py, from the tables of Unicode %s.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/clean/fold.h"

const fold_case fold_cases[] = {""" % unicodedata.unidata_version)
    rows = case_rows()
    for first, last, step, to in rows:
        print(f"    {{0x{first:x}, 0x{last:x}, {step}, {to}}},")
    print("};\n\nconst size_t fold_n_cases = sizeof fold_cases / sizeof *fold_cases;\n")
    print("const fold_accent fold_accents[] = {")
    for first, words in accent_rows():
        quoted = words.replace('"', '\\"')
        print(f'    {{0x{first:x}, "{quoted}"}},')
    print("};\n\nconst size_t fold_n_accents = sizeof fold_accents / sizeof *fold_accents;")


if __name__ == "__main__":
    main()
