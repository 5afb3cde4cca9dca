/* select.c - see select.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/select.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/figures.h"
#include "base/nearest.h"
#include "base/os.h"
#include "base/utf8.h"

#define SELECT_ASK_EVERY  65536 /* items between two looks at whether the job was cancelled */
#define SELECT_READ_BYTES 65536

/* ---- globs ---------------------------------------------------------------------------------- */

/* Bytes of the character at `p`, and its code: its bytes as a number, which keeps their order. */
static size_t glob_character(const char *p, const char *end, uint32_t *code) {
    utf8_char c = utf8_next(p, (size_t)(end - p));
    *code = 0;
    for (unsigned i = 0; i < c.n; i++) *code = *code << 8 | (unsigned char)c.bytes[i];
    return c.taken;
}

/* Whether a character is in the class at `p`, which is after its [; *next is set to the position
 * after its ]. If there is no ], returns false and sets *next to NULL. */
static bool glob_class(const char *p, const char *end, uint32_t code, const char **next) {
    bool inverted = p < end && (*p == '!' || *p == '^'), found = false;
    const char *first = p += inverted;
    while (p < end && (*p != ']' || p == first)) {
        uint32_t low, high;
        if (*p == '\\' && p + 1 < end) p++;
        p += glob_character(p, end, &low);
        high = low;
        if (p + 1 < end && *p == '-' && p[1] != ']') {
            p += p[1] == '\\' && p + 2 < end ? 2 : 1;
            p += glob_character(p, end, &high);
        }
        found |= low <= code && code <= high;
    }
    *next = p < end ? p + 1 : NULL;
    return *next && found != inverted;
}

/* Matches one element of a glob that is no star; *next: what follows it. */
static bool glob_one(const char *p, const char *end, uint32_t code, const char **next) {
    uint32_t wanted;
    if (*p == '?') {
        *next = p + 1;
        return true;
    }
    if (*p == '[') {
        bool found = glob_class(p + 1, end, code, next);
        if (*next) return found;
    }
    if (*p == '\\' && p + 1 < end) p++;
    *next = p + glob_character(p, end, &wanted);
    return wanted == code;
}

bool select_matches(const char *glob, size_t glob_bytes, const char *name, size_t name_bytes) {
    const char *p = glob, *end = glob + glob_bytes, *t = name, *t_end = name + name_bytes;
    const char *star = NULL, *star_at = NULL; /* the last star, and where its text ends so far */
    while (t < t_end) {
        const char *next;
        uint32_t code;
        size_t taken = glob_character(t, t_end, &code);
        if (p < end && *p == '*') {
            star = ++p;
            star_at = t;
        } else if (p < end && glob_one(p, end, code, &next)) {
            p = next;
            t += taken;
        } else if (star) {
            p = star;
            t = star_at += glob_character(star_at, t_end, &code);
        } else {
            return false;
        }
    }
    while (p < end && *p == '*') p++;
    return p == end;
}

/* ---- one group ------------------------------------------------------------------------------ */

typedef struct select_reader {
    lode_job *job;
    const lode_dataset *data;
    const char *what; /* the option */
    uint8_t *marks;   /* by id: in the group that is read */
    const char *path; /* of the file that is read, and its line; NULL = none */
    uint64_t line;
} select_reader;

/* Fails with a message that begins with the option and, in a file, the line; `hint` suggests what
 * was probably meant, or is "". */
static lode_status select_fail(const select_reader *r, const char *text, const char *name, size_t n,
                               const char *hint) {
    char place[OS_PATH_BYTES + 32] = "";
    int shown = n < 200 ? (int)n : 200;
    if (r->path) {
        snprintf(place, sizeof place, " %s:%llu:", r->path, (unsigned long long)r->line);
    }
    return job_fail(r->job, LODE_INVALID, "%s:%s %s '%.*s'%s", r->what, place, text, shown, name,
                    hint);
}

static bool select_is_glob(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (text[i] && strchr("*?[\\", text[i])) return true;
    }
    return false;
}

/* Lends the name of an id; numbers are written to `digits`. NULL: no item has this id. */
static const char *select_name(const lode_dataset *data, uint32_t id, char digits[16], size_t *n) {
    if (data->names) return dict_name(data->names, id, n);
    if (data->item_supports[id] == 0) return NULL;
    *n = dataset_id_name(data, id, digits, 16);
    return digits;
}

/* Marks the items that a glob matches; *found: how many. */
static lode_status select_glob(select_reader *r, const char *glob, size_t n, uint32_t *found) {
    char digits[16];
    for (uint32_t id = 0; id < r->data->item_bound; id++) {
        size_t bytes;
        const char *name = select_name(r->data, id, digits, &bytes);
        if (id % SELECT_ASK_EVERY == 0) {
            lode_status status = job_check(r->job);
            if (status != LODE_OK) return status;
        }
        if (!name || !select_matches(glob, n, name, bytes)) continue;
        r->marks[id] = 1;
        ++*found;
    }
    return LODE_OK;
}

static lode_status select_unknown(select_reader *r, const char *text, size_t n) {
    char hint[SELECT_HINT_BYTES];
    if (select_is_glob(text, n)) return select_fail(r, "no item name matches", text, n, "");
    select_hint(r->data, text, n, hint);
    return select_fail(r, "unknown item", text, n, hint);
}

static lode_status select_file(select_reader *r, const char *path);

/* Marks the items of a name, a glob or a file. */
static lode_status select_read(select_reader *r, const char *text, size_t n) {
    uint32_t item, id, found = 0;
    if (n == 0) return job_fail(r->job, LODE_INVALID, "%s: the item name is missing", r->what);
    if (text[0] == '@' && n > 1 && !r->path) {
        char path[OS_PATH_BYTES];
        if (n > sizeof path)
            return job_fail(r->job, LODE_INVALID, "%s: the path is too long", r->what);
        memcpy(path, text + 1, n - 1);
        path[n - 1] = 0;
        return select_file(r, path);
    }
    if (lode_dataset_item_find(r->data, text, n, &item) && dataset_find_id(r->data, item, &id)) {
        r->marks[id] = 1;
        return LODE_OK;
    }
    lode_status status = select_is_glob(text, n) ? select_glob(r, text, n, &found) : LODE_OK;
    return status == LODE_OK && found == 0 ? select_unknown(r, text, n) : status;
}

/* Reads every line that is not blank; *n_names: how many. */
static lode_status select_lines(select_reader *r, const char *text, size_t n, uint64_t *n_names) {
    lode_status status = LODE_OK;
    const char *end = text + n;
    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3; /* the mark of UTF-8 */
    while (text < end && status == LODE_OK) {
        const char *line = text, *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        text = stop < end ? stop + 1 : end;
        r->line++;
        if (stop > line && stop[-1] == '\r') stop--;
        size_t bytes = (size_t)(stop - line);
        if (bytes == 0) continue;
        status = select_read(r, line, bytes);
        ++*n_names;
    }
    return status;
}

/* Appends all that a file holds. */
static lode_status select_load(const select_reader *r, const char *path, int fd, vec_char *text) {
    lode_status status = LODE_OK;
    for (int64_t got = 1; got != 0;) {
        LODE_TRY(job_check(r->job));
        LODE_TRY(vec_char_reserve(&r->job->mem, text, SELECT_READ_BYTES));
        got = os_read(fd, text->data + text->n, SELECT_READ_BYTES);
        if (got > 0) text->n += (size_t)got;
        if (got < 0 && errno != EINTR) {
            return job_fail(r->job, LODE_IO, "%s: cannot read '%s': %s", r->what, path,
                            strerror(errno));
        }
    }
done:
    return status;
}

static lode_status select_file(select_reader *r, const char *path) {
    lode_status status = LODE_OK;
    vec_char text = {0};
    uint64_t n_names = 0;
    int fd = os_open_read(path);
    if (fd < 0) {
        return job_fail(r->job, LODE_NOTFOUND, "%s: cannot open '%s': %s", r->what, path,
                        strerror(errno));
    }
    LODE_TRY(select_load(r, path, fd, &text));
    r->path = path;
    r->line = 0;
    LODE_TRY(select_lines(r, text.data, text.n, &n_names));
    if (n_names == 0) {
        status = job_fail(r->job, LODE_INVALID, "%s: '%s' lists no items", r->what, path);
    }
done:
    r->path = NULL;
    os_close(fd);
    vec_char_free(&r->job->mem, &text);
    return status;
}

/* ---- lists of groups ------------------------------------------------------------------------ */

/* Reads digits, if there are any; a number that is too large is UINT32_MAX. */
static const char *select_number(const char *p, const char *end, uint32_t *out) {
    uint64_t value = 0;
    const char *start = p;
    for (; p < end && *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (uint64_t)(*p - '0');
        if (value > UINT32_MAX) value = UINT32_MAX;
    }
    if (p > start) *out = (uint32_t)value;
    return p;
}

/* Reads "0-1:", "2-:" or "1:"; NULL: something else. */
static const char *select_bounds(const char *p, const char *end, select_group *g) {
    const char *start = p;
    g->least = 0;
    p = select_number(p, end, &g->least);
    if (p == start) return NULL;
    g->most = g->least;
    if (p < end && *p == '-') {
        g->most = UINT32_MAX;
        p = select_number(p + 1, end, &g->most);
    }
    return p < end && *p == ':' && g->least <= g->most ? p + 1 : NULL;
}

/* Turns the marks into the items of a group, and clears them. */
static lode_status select_take(select_reader *r, select_groups *out, select_group *g) {
    uint32_t bound = r->data->item_bound;
    for (uint32_t id = 0; id < bound; id++) g->n += r->marks[id];
    lode_status status = mem_zalloc(out->mem, (void **)&g->ids, g->n * sizeof *g->ids);
    if (status != LODE_OK) return status;
    g->cap = g->n;
    for (uint32_t id = 0, n = 0; id < bound; id++) {
        if (r->marks[id]) g->ids[n++] = id;
        r->marks[id] = 0;
    }
    out->groups[out->n++] = *g;
    return LODE_OK;
}

static lode_status select_line(select_reader *r, const char *line, const char *end, bool counted,
                               select_groups *out) {
    select_group g = {.least = 1, .most = UINT32_MAX, .text = line, .bytes = (size_t)(end - line)};
    const char *names = counted && line < end ? select_bounds(line, end, &g) : line;
    if (!names) {
        return job_fail(r->job, LODE_INVALID,
                        "%s: '%.*s': expected a number or range of items and a colon, such as "
                        "0-1:beer* or 2-:@FILE",
                        r->what, end - line < 200 ? (int)(end - line) : 200, line);
    }
    lode_status status = select_read(r, names, (size_t)(end - names));
    return status == LODE_OK ? select_take(r, out, &g) : status;
}

lode_status select_parse(lode_job *job, const lode_dataset *data, const char *text,
                         const char *what, bool counted, select_groups *out) {
    lode_status status = LODE_OK;
    select_reader r = {.job = job, .data = data, .what = what};
    size_t bound = data->item_bound + (size_t)1, lines = 1;
    *out = (select_groups){.mem = &job->mem};
    if (!text) return LODE_OK;
    for (const char *p = text; *p; p++) lines += *p == '\n';
    LODE_TRY(mem_zalloc(out->mem, (void **)&r.marks, bound));
    LODE_TRY(mem_zalloc(out->mem, (void **)&out->groups, lines * sizeof *out->groups));
    out->cap = lines;
    for (const char *end;; text = end + 1) {
        end = strchr(text, '\n');
        LODE_TRY(select_line(&r, text, end ? end : text + strlen(text), counted, out));
        if (!end) break;
    }
done:
    mem_free(out->mem, r.marks, bound);
    if (status != LODE_OK) select_clear(out);
    return status;
}

void select_clear(select_groups *groups) {
    for (uint32_t i = 0; i < groups->n; i++) {
        mem_free(groups->mem, groups->groups[i].ids, groups->groups[i].cap * sizeof(uint32_t));
    }
    if (groups->groups) {
        mem_free(groups->mem, groups->groups, groups->cap * sizeof *groups->groups);
    }
    *groups = (select_groups){.mem = groups->mem};
}

void select_mark(const select_groups *groups, uint8_t *marks, uint8_t mark) {
    for (uint32_t g = 0; g < groups->n; g++) {
        for (uint32_t i = 0; i < groups->groups[g].n; i++) {
            marks[groups->groups[g].ids[i]] |= mark;
        }
    }
}

/* ---- from items to groups ------------------------------------------------------------------- */

lode_status select_index_make(mem *m, const select_groups *groups, uint32_t item_bound,
                              select_index *out) {
    lode_status status = LODE_OK;
    size_t bound = item_bound, n_members = 0;
    *out = (select_index){0};
    for (uint32_t g = 0; groups && g < groups->n; g++) n_members += groups->groups[g].n;
    if (n_members == 0) return LODE_OK;
    LODE_TRY(mem_keep_zero(m, &out->kept, (void **)&out->starts, (bound + 2) * sizeof(uint32_t)));
    LODE_TRY(mem_keep_zero(m, &out->kept, (void **)&out->members, n_members * sizeof(uint32_t)));
    uint32_t *starts = out->starts;
    for (uint32_t g = 0; g < groups->n; g++) {
        const select_group *group = &groups->groups[g];
        for (uint32_t i = 0; i < group->n; i++) starts[group->ids[i] + 2]++;
    }
    for (size_t i = 2; i < bound + 2; i++) starts[i] += starts[i - 1];
    for (uint32_t g = 0; g < groups->n; g++) { /* starts[i + 1] moves on to where it belongs */
        const select_group *group = &groups->groups[g];
        for (uint32_t i = 0; i < group->n; i++) out->members[starts[group->ids[i] + 1]++] = g;
    }
done:
    if (status != LODE_OK) select_index_clear(m, out);
    return status;
}

void select_index_clear(mem *m, select_index *index) {
    mem_drop(m, &index->kept);
    *index = (select_index){0};
}

/* ---- what a name that no item has was probably meant to be ----------------------------------- */

/* People write "milk" where the data have "whole milk" and "UHT-milk". So names that contain the
 * word are better suggestions than names that differ by a letter. Nothing is suggested for numbers,
 * because each is similar to many others. */

#define HINT_ITEMS 16384 /* that are searched for hints */
#define HINT_NAMES 3     /* that are named */

static uint32_t hint_bound(const lode_dataset *data) {
    if (!data->names || data->numeric) return 0;
    return data->item_bound < HINT_ITEMS ? data->item_bound : HINT_ITEMS;
}

static char hint_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool hint_holds(const char *name, size_t bytes, const char *word, size_t n) {
    for (size_t at = 0; at + n <= bytes; at++) {
        size_t same = 0;
        while (same < n && hint_lower(name[at + same]) == hint_lower(word[same])) same++;
        if (same == n) return true;
    }
    return false;
}

/* Names that hold the word, the most frequent first; how many there are. */
static uint32_t hint_holders(const lode_dataset *data, const char *word, size_t n,
                             uint32_t ids[HINT_NAMES]) {
    const uint64_t *supports = data->item_supports;
    uint32_t found = 0;
    for (uint32_t id = 0; id < hint_bound(data); id++) {
        size_t bytes;
        const char *name = dict_name(data->names, id, &bytes);
        if (bytes >= NEAREST_BYTES || !hint_holds(name, bytes, word, n)) continue;
        uint32_t at = found < HINT_NAMES ? found : HINT_NAMES;
        found++;
        for (; at > 0 && supports[ids[at - 1]] < supports[id]; at--) {
            if (at < HINT_NAMES) ids[at] = ids[at - 1];
        }
        if (at < HINT_NAMES) ids[at] = id;
    }
    return found;
}

/* "; did you mean 'whole milk', 'UHT-milk' or 'butter milk'?" */
static bool hint_say_holders(const lode_dataset *data, const char *word, size_t n,
                             char hint[SELECT_HINT_BYTES]) {
    uint32_t ids[HINT_NAMES] = {0}, found = n > 1 ? hint_holders(data, word, n, ids) : 0;
    uint32_t shown = found < HINT_NAMES ? found : HINT_NAMES;
    if (found == 0) return false;
    hint[0] = 0;
    for (uint32_t i = 0; i < shown; i++) {
        size_t bytes;
        const char *name = dict_name(data->names, ids[i], &bytes);
        const char *before = i == 0 ? "; did you mean" : i + 1 < shown ? "," : " or";
        append_text(hint, SELECT_HINT_BYTES, "%s '%.*s'", before, (int)bytes, name);
    }
    append_text(hint, SELECT_HINT_BYTES, "?");
    if (found > shown) {
        append_text(hint, SELECT_HINT_BYTES, " '*%.*s*' matches all %u such names", (int)n, word,
                    found);
    }
    return true;
}

static void hint_say_nearest(const lode_dataset *data, const char *word,
                             char hint[SELECT_HINT_BYTES]) {
    char names[2][NEAREST_BYTES] = {"", ""};
    const char *const both[] = {names[0], names[1]};
    for (uint32_t id = 0; id < hint_bound(data); id++) {
        size_t bytes;
        const char *name = dict_name(data->names, id, &bytes);
        if (bytes >= NEAREST_BYTES) continue;
        memcpy(names[1], name, bytes);
        names[1][bytes] = 0;
        if (nearest_name(word, both, 2) == names[1]) memcpy(names[0], names[1], sizeof names[0]);
    }
    if (names[0][0]) snprintf(hint, SELECT_HINT_BYTES, "; did you mean '%s'?", names[0]);
}

/* Whether the text looks like several names: what stands before its first comma is one. */
static bool hint_is_list(const lode_dataset *data, const char *text, size_t n) {
    const char *comma = memchr(text, ',', n);
    uint32_t item;
    return comma && lode_dataset_item_find(data, text, (size_t)(comma - text), &item);
}

#define HINT_CONVERT "`lode clean FILE -o NEW` converts them to UTF-8"

/* Whether the data have this name in Latin-1 or Windows-1252. */
static bool hint_is_latin(const lode_dataset *data, const char *text, size_t n) {
    char latin[NEAREST_BYTES];
    size_t bytes = 0;
    uint32_t item;
    unsigned taken;
    for (size_t i = 0; i < n; i += taken) {
        uint32_t code = utf8_code(text + i, n - i, &taken);
        unsigned byte = code < 0x100 ? code : 0x80;
        while (byte < 0x100 && utf8_of_byte((unsigned char)byte) != code) byte++;
        if (byte > 0xff || bytes == sizeof latin) return false;
        latin[bytes++] = (char)byte;
    }
    return bytes < n && lode_dataset_item_find(data, latin, bytes, &item);
}

/* Whether the text is an item in the quotes of a word processor, of three bytes each (U+2018 to
 * U+201F), which a shell passes on. */
static bool hint_is_quoted(const lode_dataset *data, const char *text, size_t n) {
    uint32_t item;
    if (n <= 6 || memcmp(text, "\xe2\x80", 2) != 0) return false;
    if (memcmp(text + n - 3, "\xe2\x80", 2) != 0) return false;
    bool quotes =
        ((unsigned char)text[2] & 0xf8) == 0x98 && ((unsigned char)text[n - 1] & 0xf8) == 0x98;
    return quotes && lode_dataset_item_find(data, text + 3, n - 6, &item);
}

/* Converts a hint with names that are not UTF-8, and says why the name in it was not found. */
static void hint_convert(char hint[SELECT_HINT_BYTES]) {
    char old[SELECT_HINT_BYTES];
    size_t n = strlen(hint);
    memcpy(old, hint, n);
    hint[0] = 0;
    for (size_t i = 0; i < n;) {
        utf8_char c = utf8_next(old + i, n - i);
        append_text(hint, SELECT_HINT_BYTES, "%.*s", (int)c.n, c.bytes);
        i += c.taken;
    }
    append_text(hint, SELECT_HINT_BYTES, " The data are not in UTF-8; " HINT_CONVERT);
}

void select_hint(const lode_dataset *data, const char *text, size_t n,
                 char hint[SELECT_HINT_BYTES]) {
    char word[NEAREST_BYTES];
    hint[0] = 0;
    if (hint_is_list(data, text, n)) {
        snprintf(hint, SELECT_HINT_BYTES, "; to give several items, repeat the option");
        return;
    }
    if (n >= sizeof word || memchr(text, 0, n)) return;
    if (hint_is_quoted(data, text, n)) {
        snprintf(hint, SELECT_HINT_BYTES,
                 "; these are quotes of a word processor; write straight quotes: '%.*s'",
                 (int)(n - 6), text + 3);
        return;
    }
    if (hint_is_latin(data, text, n)) {
        snprintf(hint, SELECT_HINT_BYTES,
                 "; the data have this name, but not in UTF-8; " HINT_CONVERT);
        return;
    }
    memcpy(word, text, n);
    word[n] = 0;
    if (!hint_say_holders(data, word, n, hint)) hint_say_nearest(data, word, hint);
    if (!lode_text_is_utf8(hint, strlen(hint))) hint_convert(hint);
}
