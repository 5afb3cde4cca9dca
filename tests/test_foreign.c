/* test_foreign.c - UTF-16 text, and files of other types; whole files are in tests/corpus
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/decode.h"
#include "read/foreign.h"
#include "read_util.h"

#define LONG_BYTES ((size_t)200000)

/* ---- UTF-16 ---- */

/* Good UTF-8 as UTF-16 in the given order. */
static size_t to_utf16(const char *text, utf16_kind kind, bool mark, unsigned char *out) {
    size_t n = 0;
    unsigned units[3] = {0xfeff};
    unsigned n_units = mark;
    const unsigned char *p = (const unsigned char *)text;
    for (bool more = true; more;) {
        for (unsigned i = 0; i < n_units; i++) {
            out[n + (kind == UTF16_LITTLE)] = (unsigned char)(units[i] >> 8);
            out[n + (kind == UTF16_BIG)] = (unsigned char)units[i];
            n += 2;
        }
        more = *p != 0;
        if (!more) break;
        unsigned length = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;
        uint32_t c = length == 1 ? *p : *p & (0x7fu >> length);
        for (unsigned i = 1; i < length; i++) c = c << 6 | (p[i] & 0x3fu);
        p += length;
        n_units = c < 0x10000 ? 1 : 2;
        units[0] = c < 0x10000 ? c : 0xd800 + ((c - 0x10000) >> 10);
        units[1] = 0xdc00 + ((c - 0x10000) & 0x3ff);
    }
    return n;
}

static void every_kind_of_letter(void) {
    static const char text[] = "milk,br\xc3\xb8"
                               "d,\xe7\x89\x9b\xe4\xb9\xb3\r\n\xf0\x9f\x8d\x9e,milk\r\n";
    unsigned char wide[4 * sizeof text];
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    for (unsigned way = 0; way < 4; way++) {
        size_t n = to_utf16(text, way & 1 ? UTF16_BIG : UTF16_LITTLE, way & 2, wide);
        const read_outcome *o = read_all_ways(wide, n, &options);
        CHECK_EQUAL(o->status, LODE_OK);
        CHECK_TEXT(o->text, "br\xc3\xb8"
                            "d milk \xe7\x89\x9b\xe4\xb9\xb3|milk \xf0\x9f\x8d\x9e|");
    }
}

/* Windows and room of all small sizes: characters are cut everywhere. */
static void cut_anywhere(void) {
    static const char text[] = "a\xc3\xb8\xe7\x89\x9b\xf0\x9f\x8d\x9e"
                               "b\n";
    static utf16 u;
    unsigned char wide[64];
    size_t n = to_utf16(text, UTF16_BIG, true, wide);
    for (size_t window = 1; window < n; window++) {
        for (size_t room = 1; room < 6; room++) {
            char out[64] = {0};
            size_t used = window, length = 0;
            const char *damage = NULL;
            memset(&u, 0, sizeof u);
            utf16_begin(&u, UTF16_BIG, wide, window < 2 ? used = 2 : window);
            for (;;) {
                size_t some = utf16_run(&u, out + length, room, &damage);
                length += some;
                if (some > 0) continue;
                if (u.ended || damage) break;
                size_t held = (size_t)(u.in.end - u.in.at);
                size_t more = window < n - used ? window : n - used;
                memmove(u.raw, u.in.at, held);
                memcpy(u.raw + held, wide + used, more);
                u.in = (decode_window){u.raw, u.raw + held + more};
                u.ended = more == 0;
                used += more;
            }
            CHECK(damage == NULL);
            CHECK_TEXT(out, text);
            CHECK_EQUAL(u.used, n);
        }
    }
}

/* Longer than every window on the way. */
static void long_text(void) {
    char *text = malloc(LONG_BYTES + 64);
    unsigned char *wide = malloc(2 * LONG_BYTES + 64);
    size_t n = 0;
    for (unsigned i = 0; n < LONG_BYTES; i++) {
        const char *after = i % 7 == 6 ? "\n" : i % 3 ? "," : ",\xf0\x9f\x8d\x9e,\xc3\xb8,";
        n += (size_t)snprintf(text + n, 64, "item%u%s", i * 31 % 97, after);
    }
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    static read_outcome plain;
    plain = *read_with(text, n, &options, 2, 0);
    size_t n_wide = to_utf16(text, UTF16_LITTLE, true, wide);
    const read_outcome *o = read_with(wide, n_wide, &options, 2, 0);
    CHECK_EQUAL(o->status, LODE_OK);
    CHECK_TEXT(o->text, plain.text);
    CHECK_EQUAL(o->profile.n_transactions, plain.profile.n_transactions);
    CHECK_EQUAL(o->profile.n_occurrences, plain.profile.n_occurrences);
    free(text);
    free(wide);
}

/* Damage far behind the first block still has its place. */
static void damage_has_a_place(void) {
    char *text = malloc(LONG_BYTES);
    unsigned char *wide = malloc(2 * LONG_BYTES + 64);
    size_t n = 0, lines = 0;
    for (; n + 16 < LONG_BYTES; lines++) n += (size_t)snprintf(text + n, 16, "\xc3\xb8,milk\r\n");
    size_t n_wide = to_utf16(text, UTF16_BIG, true, wide);
    memcpy(wide + n_wide, "\0x\xdf\x55\0y", 6);
    char expected[200];
    snprintf(expected, sizeof expected,
             "in:%zu:2: damaged UTF-16 text after %zu bytes: incomplete surrogate pair; expected "
             "the other half",
             lines + 1, n_wide + 2);
    lode_read_options options = read_options(LODE_FORMAT_BASKET);
    const read_outcome *o = read_with(wide, n_wide + 6, &options, 2, 0);
    CHECK_EQUAL(o->status, LODE_PARSE);
    CHECK_TEXT(o->text, expected);
    o = read_with(wide, n_wide + 1, &options, 1, 0);
    CHECK(strstr(o->text, ": incomplete character; ") != NULL);
    free(text);
    free(wide);
}

static void parts_are_refused(void) {
    lode_read_options options = read_options(LODE_FORMAT_BASKET);
    options.n_parts = 2;
    const read_outcome *o = read_with("\xff\xfe"
                                      "a\0\n\0b\0\n",
                                      10, &options, 1, 0);
    CHECK_EQUAL(o->status, LODE_UNSUPPORTED);
    CHECK_TEXT(o->text,
               "in: only an uncompressed UTF-8 file can be read in parts, not a UTF-16 file");
}

/* The memory for converting UTF-16 does not depend on the length of the file. */
static void memory_is_bounded(void) {
    size_t n = (size_t)8 << 20;
    unsigned char *wide = malloc(n);
    for (size_t i = 0; i < n; i += 8) memcpy(wide + i, "7\0 \0008\0\n", 8);
    lode_job *job = read_context(1, 0);
    input *in = NULL;
    input_block block = {0};
    uint64_t bytes = 0;
    CHECK_EQUAL(input_open_memory(job, &in, wide, n, "in"), LODE_OK);
    do {
        CHECK_EQUAL(input_next(in, &block), LODE_OK);
        bytes += block.text.n;
    } while (block.text.n > 0);
    CHECK_EQUAL(bytes, n / 2);
    CHECK(lode_ctx_memory_peak(lode_job_ctx(job)) < ((size_t)2 << 20));
    vec_char_free(&job->mem, &block.text);
    input_close(in);
    CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
    lode_job_free(job);
    free(wide);
}

/* ---- files that hold something else ---- */

/* Whether the text is refused as another kind of file. */
static bool refused(const char *text, size_t n) {
    lode_read_options options = read_options(LODE_FORMAT_AUTO);
    const read_outcome *o = read_with(text, n, &options, 1, 0);
    return o->status == LODE_PARSE && strstr(o->text, "in: this is ");
}

/* Items may be called anything. */
static void baskets_are_read(void) {
    static const char *const texts[] = {
        "PK,milk\n",
        "[milk],[bread]\n[milk]\n",
        "[1],[2]\n[1]\n",
        "[1]\n[2]\n",
        "[]\n",
        "{a},{b}\n",
        "{}\n{}\n",
        "{\"a\"},{\"b\"}\n",
        "{\"a\n",
        "[\"a\n",
        "['a b'] c\n",
        "[\"a\"],[\"b\"]\n",
        "<unknown>,milk\n",
        "<unknown>\n<other>\n",
        "<html,milk\n",
        "<table lamp>,chair\n",
        "BZh9,milk\n",
        "PAR1,ORC\n",
        "PAR1\nORC\n",
        "ORC,Elf\nElf,Troll\n",
        "RDX2,RDA\n",
        "insert into,milk\n",
        "create,table\n",
        "-,--\n-\n",
        "--\nmilk\n",
        "milk\n--\n",
        "1 -1\n2\n",
        "-1 -2 x\n",
        "t,v\nv 1\n",
        "t x\nv 0 x\n",
        "t 1\nv\n",
        "version 2\n",
        "C O N\nC\nO N\n",
        "C=N,a\nC=O,b\nN=O\n",
        "CO2 H2O\nCO2\n",
        "COIN\nSCONS\nBISON\n",
        "(C) milk\n",
        "C1 C2\nC1\n",
        "smiles,milk\nsmiles\n",
        "\xc4rger\n\xff\n",
        "\x80,euro\n",
        "a\x1b[0m,b\n",
        "[[\"a\",\"b\"],[\"c\"]]",
        "[1, 2]\n[3, 4]\n",
        "[\"a\"]\n[\"b\",\"c\"]\n",
        "",
        "\n\n",
        "x",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bool wrong = refused(texts[i], strlen(texts[i]));
        if (!CHECK(!wrong)) fprintf(stderr, "  %s", texts[i]);
    }
}

typedef struct sample {
    const char *text;
    size_t n;
} sample;

#define SAMPLE(text)                                                                               \
    { text, sizeof(text) - 1 }

static const sample samples[] = {
    SAMPLE("PK\3\4\24\0\0\0\10\0xl/workbook.xml"),
    SAMPLE("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0"),
    SAMPLE("BZh91AY&SY\x0e\x09\xe2\xd9"),
    SAMPLE("\xfd"
           "7zXZ\0\0\4"),
    SAMPLE("PAR1\25\4\25\20"),
    SAMPLE("SQLite format 3\0\20\0"),
    SAMPLE("%PDF-1.7\n%\xe2\xe3"),
    SAMPLE("\xff\xfe\0\0a\0\0\0"),
    SAMPLE("a\0\0\0b\0\0\0c\0\0\0d\0\0\0"),
    SAMPLE("\0\0\0a\0\0\0b\0\0\0c\0\0\0d"),
    SAMPLE("\1\0\0\0\2\0\0\0\3\0\0\0"),
    SAMPLE("{\"a\": 1}\n{\"a\": 2}\n"),
    SAMPLE("[{\"a\": 1}]"),
    SAMPLE("{\n\"a\": [1]}\n"),
    SAMPLE("['milk', 'bread']\n"),
    SAMPLE("<?xml version=\"1.0\"?><a/>"),
    SAMPLE("<a>\n<b>x</b></a>\n"),
    SAMPLE("  <!DOCTYPE HTML>\n<html>"),
    SAMPLE("<table border=1><tr><td>x</td>"),
    SAMPLE("-- dump\nINSERT INTO t VALUES (1);\n"),
    SAMPLE("a | b\n---+---\n1 | 2\n"),
    SAMPLE("@CONVERTED_FROM_TEXT\n@ITEM=1=a\n1 -1 2 -1 -2\n"),
    SAMPLE("CC(=O)O vinegar\nCCO\n"),
    SAMPLE("id,smiles\n1,c1ccccc1\n"),
    SAMPLE("smiles,id\n\nCC(=O)O,1\n\nCCO,2\n"),
    SAMPLE("[Na+].[Cl-]\nC[N+](C)(C)C\nC%10CCCC%10\nF/C=C/F\n"),
    SAMPLE("\n  drawn\n\n  2  1  0  0  0  0            999 V2000\n"),
    SAMPLE("t # a\nv 0 C\n"),
    SAMPLE("# x\n% y\n# z\nt 0\rv 0 C\r"),
};

/* Each is told; and whatever is left of one that was cut, nothing outside of it is read. */
static void other_kinds_are_told(void) {
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        if (!CHECK(refused(samples[i].text, samples[i].n))) {
            fprintf(stderr, "  sample %zu: %s\n", i, samples[i].text);
        }
        for (size_t n = 1; n < samples[i].n; n++) {
            char *copy = malloc(n);
            memcpy(copy, samples[i].text, n);
            refused(copy, n);
            free(copy);
        }
    }
}

/* Who says how to read a text gets it read; a binary file stays one. */
static void told_how(void) {
    lode_read_options options = read_options(LODE_FORMAT_BASKET);
    options.separator = ',';
    CHECK_TEXT(read_with("{\"a\":1,b}\n", 10, &options, 1, 0)->text, "b} {\"a\":1|");
    CHECK_EQUAL(read_with("PAR1\25\4\25\20", 8, &options, 1, 0)->status, LODE_PARSE);
    options = read_options(LODE_FORMAT_AUTO);
    options.header = true;
    CHECK_TEXT(read_with("a\n---\nb\n", 8, &options, 1, 0)->text, "---|b|");
}

static void graphs_too(void) {
    static const char *const texts[] = {"{\"nodes\": []}\n",
                                        "<graphml>\n<graph>\n</graph></graphml>\n", "PAR1\25\4"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        lode_job *job = read_context(1, 0);
        lode_graphs *graphs = NULL;
        CHECK_EQUAL(lode_graphs_parse(job, &graphs, texts[i], strlen(texts[i]), "in", NULL),
                    LODE_PARSE);
        CHECK(strstr(lode_job_error(job), "in: this is ") != NULL);
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
        lode_job_free(job);
    }
}

int main(void) {
    CHECK_RUN(every_kind_of_letter);
    CHECK_RUN(cut_anywhere);
    CHECK_RUN(long_text);
    CHECK_RUN(damage_has_a_place);
    CHECK_RUN(parts_are_refused);
    CHECK_RUN(memory_is_bounded);
    CHECK_RUN(baskets_are_read);
    CHECK_RUN(other_kinds_are_told);
    CHECK_RUN(told_how);
    CHECK_RUN(graphs_too);
    return check_result();
}
