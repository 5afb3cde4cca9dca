/* fuzz_workbook.c - any bytes as the parts of an Excel workbook, or as the archive itself
 *
 * Compressed bytes with checksums leave a fuzzer little to find. So the input is the text of the
 * parts, and an archive without compression is made of them: a sheet, the shared strings, the
 * styles and the workbook, each up to a zero byte; a part that is missing or empty is a usual one.
 * An input that begins with "P" is an archive as it is.
 * SPDX-License-Identifier: Apache-2.0 */
#include <zlib.h>

#include "target.h"

#define PARTS 7

typedef struct part {
    const char *name, *text; /* text: what it has unless the input says otherwise */
} part;

/* The first four are in the input. */
static const part parts[PARTS] = {
    {"xl/s1.xml", "<worksheet/>"},
    {"xl/strings.xml", "<sst><si><t>milk</t></si></sst>"},
    {"xl/styles.xml",
     "<styleSheet><cellXfs><xf numFmtId='0'/><xf numFmtId='14'/></cellXfs></styleSheet>"},
    {"xl/workbook.xml",
     "<workbook xmlns:r='r'><sheets><sheet name='A' r:id='a'/></sheets></workbook>"},
    {"[Content_Types].xml", "<Types/>"},
    {"_rels/.rels", "<Relationships/>"},
    {"xl/_rels/workbook.xml.rels",
     "<Relationships><Relationship Id='a' Type='x/worksheet' Target='s1.xml'/><Relationship Id='b' "
     "Type='x/sharedStrings' Target='strings.xml'/><Relationship Id='c' Type='x/styles' "
     "Target='styles.xml'/></Relationships>"}};

static size_t put(unsigned char *to, size_t at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) to[at++] = (unsigned char)(value >> 8 * i);
    return at;
}

/* The fields that the header of a part and its line in the directory share. */
static size_t put_fields(unsigned char *to, size_t at, const uint8_t *text, size_t n,
                         const char *name) {
    at = put(to, at, 20, 2);
    at = put(to, at, 0, 8); /* flags, method, time, date */
    at = put(to, at, crc32(0, text, (uInt)n), 4);
    at = put(to, at, n, 4);
    at = put(to, at, n, 4);
    at = put(to, at, strlen(name), 2);
    return put(to, at, 0, 2);
}

static size_t put_text(unsigned char *to, size_t at, const void *text, size_t n) {
    memcpy(to + at, text, n);
    return at + n;
}

/* Makes the archive; `to` has room for it. Returns its length. */
static size_t make_archive(unsigned char *to, const uint8_t *bytes, size_t n) {
    const uint8_t *texts[PARTS];
    size_t lengths[PARTS], starts[PARTS], at = 0;
    for (unsigned i = 0; i < PARTS; i++) {
        const uint8_t *zero = i < 4 && n > 0 ? memchr(bytes, 0, n) : NULL;
        size_t own = i < 4 ? (zero ? (size_t)(zero - bytes) : n) : 0;
        texts[i] = own > 0 ? bytes : (const uint8_t *)parts[i].text;
        lengths[i] = own > 0 ? own : strlen(parts[i].text);
        if (i < 4) bytes += own + (zero != NULL), n -= own + (zero != NULL);
        starts[i] = at;
        at = put(to, at, 0x04034b50, 4);
        at = put_fields(to, at, texts[i], lengths[i], parts[i].name);
        at = put_text(to, at, parts[i].name, strlen(parts[i].name));
        at = put_text(to, at, texts[i], lengths[i]);
    }
    size_t directory = at;
    for (unsigned i = 0; i < PARTS; i++) {
        at = put(to, at, 0x02014b50, 4);
        at = put(to, at, 20, 2);
        at = put_fields(to, at, texts[i], lengths[i], parts[i].name);
        at = put(to, at, 0, 8); /* comment, disk, attributes */
        at = put(to, at, 0, 2);
        at = put(to, at, starts[i], 4);
        at = put_text(to, at, parts[i].name, strlen(parts[i].name));
    }
    size_t length = at - directory;
    at = put(to, at, 0x06054b50, 4);
    at = put(to, at, 0, 4);
    at = put(to, at, PARTS, 2);
    at = put(to, at, PARTS, 2);
    at = put(to, at, length, 4);
    at = put(to, at, directory, 4);
    return put(to, at, 0, 2);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    static const lode_format formats[] = {LODE_FORMAT_AUTO, LODE_FORMAT_BASKET, LODE_FORMAT_TABLE,
                                          LODE_FORMAT_ONEHOT};
    if (n == 0 || n > (1 << 20)) return 0;
    unsigned char *archive = malloc(n + 4096);
    size_t length = bytes[0] == 'P' ? n : make_archive(archive, bytes + 1, n - 1);
    if (bytes[0] == 'P') memcpy(archive, bytes, n);
    lode_read_options options = {.size = sizeof options,
                                 .format = formats[bytes[0] & 3],
                                 .skip_bad_lines = bytes[0] >> 2 & 1,
                                 .sheet = bytes[0] >> 3 & 1 ? "1" : NULL};
    fuzz_read a = fuzz_open(archive, length, &options, 1, 0);
    fuzz_read b = fuzz_open(archive, length, &options, 2, 1 + (bytes[0] >> 5) * 3u);
    fuzz_require(a.status == b.status, "different statuses");
    if (a.status == LODE_OK) {
        fuzz_same_data(a.data, b.data);
    } else {
        fuzz_require(strcmp(lode_job_error(a.job), lode_job_error(b.job)) == 0, "other message");
    }
    fuzz_close(&a);
    fuzz_close(&b);
    free(archive);
    return 0;
}
