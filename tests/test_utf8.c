/* test_utf8.c - names as UTF-8, compared with a slow definition for every byte and pair of bytes
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

#include "check.h"

/* Writes a code point; returns how many bytes. */
static unsigned encode(uint32_t point, unsigned char *to) {
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    unsigned n = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (unsigned i = n; i-- > 1; point >>= 6) to[i] = (unsigned char)(0x80 | (point & 0x3f));
    to[0] = (unsigned char)(marks[n] | point);
    return n;
}

/* Every character of Unicode stays as it is, and is none when its end is missing. */
static void test_characters(void) {
    unsigned wrong = 0;
    for (uint32_t point = 0; point < 0x110000; point++) {
        unsigned char bytes[8] = {0};
        unsigned n = encode(point, bytes);
        bool surrogate = point >= 0xd800 && point < 0xe000;
        utf8_char whole = utf8_next((const char *)bytes, n);
        utf8_char cut = utf8_next((const char *)bytes, n - (n > 1));
        bool same = whole.n == n && whole.taken == n && memcmp(whole.bytes, bytes, n) == 0;
        wrong += surrogate ? whole.taken != 1 : !same;
        wrong += n > 1 && cut.taken != 1;
        unsigned taken = 0;
        uint32_t code = utf8_code((const char *)bytes, n, &taken);
        wrong += code != (surrogate ? UTF8_CODES + bytes[0] : point) || taken != whole.taken;
    }
    CHECK_EQUAL(wrong, 0);
}

/* The code points of the bytes from 0x80 to 0x9f in Windows-1252. */
static uint32_t windows(unsigned byte) {
    static const char *const points[] = {"€", "",  "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š",
                                         "‹", "Œ", "",  "Ž", "",  "",  "‘", "’", "“", "”", "•",
                                         "–", "—", "˜", "™", "š", "›", "œ", "",  "ž", "Ÿ"};
    unsigned taken;
    if (byte < 0x80 || byte > 0x9f || !*points[byte - 0x80]) return byte;
    return utf8_code(points[byte - 0x80], strlen(points[byte - 0x80]), &taken);
}

/* Two bytes that are no character: the first is Windows-1252. */
static void test_bytes(void) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < 65536; i++) {
        const unsigned char bytes[2] = {(unsigned char)(i >> 8), (unsigned char)i};
        utf8_char c = utf8_next((const char *)bytes, 2);
        unsigned char want[4];
        bool pair = bytes[0] >= 0xc2 && bytes[0] < 0xe0 && bytes[1] >> 6 == 2;
        if (pair) {
            wrong += c.taken != 2;
        } else {
            unsigned n = encode(windows(bytes[0]), want);
            wrong += c.taken != 1 || c.n != n || memcmp(c.bytes, want, n) != 0;
        }
    }
    CHECK_EQUAL(wrong, 0);
}

static void check_json(const char *name, size_t n, const char *want) {
    mem m;
    vec_char text = {0};
    mem_init(&m, NULL, NULL, 0);
    CHECK_EQUAL(utf8_put_json(&m, &text, name, n), LODE_OK);
    CHECK_EQUAL(text.n, strlen(want));
    CHECK(text.n == strlen(want) && memcmp(text.data, want, text.n) == 0);
    vec_char_free(&m, &text);
}

static void test_json(void) {
    check_json("", 0, "\"\"");
    check_json("a\"b\\c\n", 6, "\"a\\\"b\\\\c\\u000a\"");
    check_json("caf\xe9", 4, "\"caf\xc3\xa9\"");
    check_json("caf\xc3\xa9", 5, "\"caf\xc3\xa9\"");
    check_json("1 \x80", 3, "\"1 \xe2\x82\xac\"");
    CHECK(utf8_is_windows("1 \x80", 3) && !utf8_is_windows("caf\xe9 \xe2\x82\xac", 8));
    check_json("\xc3", 1, "\"\xc3\x83\"");
    check_json("\0x", 2, "\"\\u0000x\"");
}

/* By the definition: categories Cc, and what embeds, overrides and isolates. */
static bool steers(uint32_t point) {
    return point < 0x20 || (point >= 0x7f && point < 0xa0) ||
           (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
}

static void test_steering(void) {
    unsigned wrong = 0;
    for (uint32_t point = 0; point < 0x110000; point++) {
        unsigned char bytes[8];
        char shown[8];
        unsigned n = encode(point, bytes);
        if (point >= 0xd800 && point < 0xe000) continue; /* no characters */
        size_t kept = utf8_copy_printable(shown, (const char *)bytes, n, false);
        bool replaced = kept == 1 && shown[0] == '?' && point != '?';
        wrong += replaced != steers(point);
        wrong += !replaced && (kept != n || memcmp(shown, bytes, n) != 0);
    }
    CHECK_EQUAL(wrong, 0);
}

static void check_shown(const char *text, size_t n, bool lines, const char *want) {
    char copy[64] = "", place[64];
    memcpy(place, text, n);
    size_t there = utf8_copy_printable(copy, text, n, lines);
    size_t in_place = utf8_copy_printable(place, place, n, lines);
    CHECK_EQUAL(there, strlen(want));
    CHECK(in_place == there && memcmp(place, copy, there) == 0);
    CHECK_TEXT(copy, want);
}

static void test_shown(void) {
    check_shown("a\x1b]0;x\x07\tb\r\nc", 12, true, "a?]0;x?\tb?\nc");
    check_shown("a\tb\n", 4, false, "a?b?");
    check_shown("\xe2\x80\xaex\xc2\x9b\x9b\x7f", 8, false, "?x???");
    check_shown("caf\xc3\xa9 \xff\xe2\x80", 9, false, "caf\xc3\xa9 \xff\xe2?"); /* cut */
    check_shown("1 \x80 \x9b", 5, false, "1 ? ?");
    check_shown("\0x", 2, true, "?x");
    CHECK_EQUAL(lode_printable(NULL, "x", 1), 0);
}

static void test_formulas(void) {
    static const char *const are[] = {"=1",
                                      "+",
                                      "-x",
                                      "@",
                                      "\tx",
                                      "\r",
                                      "\n=1",
                                      "\x01",
                                      "\xef\xbc\x9d"
                                      "1",
                                      "\xef\xbc\x8b",
                                      "\xef\xbc\x8d",
                                      "\xef\xbc\xa0x"};
    static const char *const are_not[] = {"",         "a=1", "'=1", "1-2", "\xef\xbc\x9e",
                                          "\xef\xbc", " =1"};
    for (size_t i = 0; i < sizeof are / sizeof *are; i++) {
        CHECK(utf8_is_formula(are[i], strlen(are[i])));
    }
    for (size_t i = 0; i < sizeof are_not / sizeof *are_not; i++) {
        CHECK(!utf8_is_formula(are_not[i], strlen(are_not[i])));
    }
    CHECK(utf8_is_formula("\0=", 2));
}

/* For a page, nothing may be left that could end a script or begin a tag. */
static void test_json_for_pages(void) {
    static const char name[] = "a<\xe2\x80\xa8>&\"\x7f\xe9 \xe2\x80\xaa";
    char text[LODE_JSON_BYTES(sizeof name)];
    text[lode_json_string(text, name, sizeof name - 1, true)] = 0;
    CHECK_TEXT(text, "\"a\\u003c\\u2028\\u003e\\u0026\\\"\\u007f\xc3\xa9 \xe2\x80\xaa\"");
    text[lode_json_string(text, name, sizeof name - 1, false)] = 0;
    CHECK_TEXT(text, "\"a<\xe2\x80\xa8>&\\\"\x7f\xc3\xa9 \xe2\x80\xaa\"");
    CHECK(!lode_text_is_utf8(name, sizeof name - 1) && lode_text_is_utf8("\xc3\xa9\0", 3));
    CHECK(!lode_text_is_utf8("\xc3", 1) && !lode_text_is_utf8("\xc0\x80", 2));
    CHECK(!lode_text_is_utf8("\xed\xa0\x80", 3)); /* a surrogate */
}

int main(void) {
    CHECK_RUN(test_json_for_pages);
    CHECK_RUN(test_steering);
    CHECK_RUN(test_shown);
    CHECK_RUN(test_formulas);
    CHECK_RUN(test_characters);
    CHECK_RUN(test_bytes);
    CHECK_RUN(test_json);
    return check_result();
}
