/* select.c - see select.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/select.h"

#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "base/os.h"
#include "base/utf8.h"

/* ---- globs ---------------------------------------------------------------------------------- */

/* Bytes of the character at `p`, and its code: its bytes as a number, which keeps their order. */
static size_t glob_character(const char *p, const char *end, uint32_t *code) {
    utf8_char c = utf8_next(p, (size_t)(end - p));
    *code = 0;
    for (unsigned i = 0; i < c.n; i++) *code = *code << 8 | (unsigned char)c.bytes[i];
    return c.taken;
}

/* Whether a character is in the class at `p`, after its [; *next: after its ]. False, and *next
 * NULL, if there is no ]. */
static bool glob_class(const char *p, const char *end, uint32_t code, const char **next) {
    bool inverted = p < end && (*p == '!' || *p == '^'), found = false;
    const char *first = p += inverted;
    while (p < end && (*p != ']' || p == first)) {
        uint32_t low, high;
        if (*p == '\\' && p + 1 < end) p++;
        p += glob_character(p, end, &low);
        high = low;
        if (p + 1 < end && *p == '-' && p[1] != ']') p += 1 + glob_character(p + 1, end, &high);
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
    bool in_file;
} select_reader;

static bool select_is_glob(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (strchr("*?[\\", text[i])) return true;
    }
    return false;
}

/* Marks the items that a glob matches; returns how many. */
static uint32_t select_glob(select_reader *r, const char *glob, size_t n) {
    char name[4096];
    uint32_t found = 0;
    for (uint32_t id = 0; id < r->data->item_bound; id++) {
        size_t bytes = dataset_id_name(r->data, id, name, sizeof name);
        if (r->data->item_supports[id] == 0 || bytes > sizeof name) continue;
        if (!select_matches(glob, n, name, bytes)) continue;
        r->marks[id] = 1;
        found++;
    }
    return found;
}

/* The id of an item. */
static bool select_id(const lode_dataset *data, const char *name, size_t n, uint32_t *id) {
    uint32_t item, low = 0, high = data->item_bound;
    if (!lode_dataset_item_find(data, name, n, &item)) return false;
    while (low < high && data->numbers) { /* numbers ascend */
        uint32_t middle = low + (high - low) / 2;
        if (data->numbers[middle] < item) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *id = data->numbers ? low : item;
    return true;
}

#define SELECT_HINTS 4096 /* items that are looked at to guess what was meant */

static lode_status select_unknown(select_reader *r, const char *text, size_t n) {
    static _Thread_local char names[SELECT_HINTS][NEAREST_BYTES];
    const char *known[SELECT_HINTS];
    char word[NEAREST_BYTES], hint[NEAREST_BYTES + 32] = "";
    size_t n_known = 0;
    for (uint32_t id = 0; id < r->data->item_bound && n_known < SELECT_HINTS; id++) {
        size_t bytes = dataset_id_name(r->data, id, names[n_known], NEAREST_BYTES - 1);
        if (bytes >= NEAREST_BYTES || r->data->item_supports[id] == 0) continue;
        names[n_known][bytes] = 0;
        known[n_known] = names[n_known];
        n_known++;
    }
    if (n < sizeof word) {
        memcpy(word, text, n);
        word[n] = 0;
        nearest_hint(hint, word, known, n_known);
    }
    size_t shown = strlen(hint);
    if (shown > 0) hint[shown - 1] = 0; /* its blank */
    return job_fail(r->job, LODE_INVALID, "%s: no item is called '%.*s'%s%s", r->what, (int)n, text,
                    shown > 0                 ? "; "
                    : select_is_glob(text, n) ? ", and none matches it"
                                              : "",
                    hint);
}

static lode_status select_file(select_reader *r, const char *path);

/* Marks the items of a name, a glob or a file. */
static lode_status select_read(select_reader *r, const char *text, size_t n) {
    uint32_t id;
    if (n == 0)
        return job_fail(r->job, LODE_INVALID, "%s: the name of an item is missing", r->what);
    if (text[0] == '@' && n > 1 && !r->in_file) {
        char path[OS_PATH_BYTES];
        if (n > sizeof path) return job_fail(r->job, LODE_INVALID, "%s: too long a path", r->what);
        memcpy(path, text + 1, n - 1);
        path[n - 1] = 0;
        return select_file(r, path);
    }
    if (select_id(r->data, text, n, &id)) {
        r->marks[id] = 1;
        return LODE_OK;
    }
    if (select_is_glob(text, n) && select_glob(r, text, n) > 0) return LODE_OK;
    return select_unknown(r, text, n);
}

/* Calls select_read for every line that is not blank. */
static lode_status select_lines(select_reader *r, const char *text, size_t n) {
    lode_status status = LODE_OK;
    for (const char *end = text + n; text < end && status == LODE_OK;) {
        const char *line = text, *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        text = stop + 1;
        if (stop > line && stop[-1] == '\r') stop--;
        if (stop > line) status = select_read(r, line, (size_t)(stop - line));
    }
    return status;
}

static lode_status select_file(select_reader *r, const char *path) {
    lode_status status = LODE_OK;
    vec_char text = {0};
    mem *m = &r->job->mem;
    int fd = os_open_read(path);
    int64_t got = 1;
    if (fd < 0) {
        return job_fail(r->job, LODE_NOTFOUND, "%s: cannot open '%s': %s", r->what, path,
                        strerror(errno));
    }
    while (got != 0) {
        LODE_TRY(vec_char_reserve(m, &text, text.n + 65536));
        got = os_read(fd, text.data + text.n, 65536);
        if (got > 0) text.n += (size_t)got;
        if (got < 0 && errno != EINTR) {
            status = job_fail(r->job, LODE_IO, "%s: cannot read '%s': %s", r->what, path,
                              strerror(errno));
            goto done;
        }
    }
    r->in_file = true;
    status = select_lines(r, text.data, text.n);
    r->in_file = false;
done:
    os_close(fd);
    vec_char_free(m, &text);
    return status;
}

/* ---- lists of groups ------------------------------------------------------------------------ */

static const char *select_number(const char *p, const char *end, uint32_t *out) {
    uint64_t value = 0;
    const char *start = p;
    for (; p < end && *p >= '0' && *p <= '9' && value < UINT32_MAX; p++) {
        value = value * 10 + (uint64_t)(*p - '0');
    }
    if (p > start) *out = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
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
    for (uint32_t id = 0, n = 0; id < bound; id++) {
        if (r->marks[id]) g->ids[n++] = id;
        r->marks[id] = 0;
    }
    out->groups[out->n++] = *g;
    return LODE_OK;
}

static lode_status select_line(select_reader *r, const char *line, const char *end, bool counted,
                               select_groups *out) {
    select_group g = {.least = 1, .most = UINT32_MAX};
    const char *names = counted ? select_bounds(line, end, &g) : line;
    if (!names) {
        return job_fail(r->job, LODE_INVALID,
                        "%s: '%.*s': expected how many items of a group, such as 0-1:beer* or "
                        "2-:@FILE",
                        r->what, (int)(end - line), line);
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
    for (const char *end; *text; text = *end ? end + 1 : end) {
        end = text + strcspn(text, "\n");
        LODE_TRY(select_line(&r, text, end, counted, out));
    }
done:
    mem_free(out->mem, r.marks, bound);
    if (status != LODE_OK) select_clear(out);
    return status;
}

void select_clear(select_groups *groups) {
    for (uint32_t i = 0; i < groups->n; i++) {
        mem_free(groups->mem, groups->groups[i].ids, groups->groups[i].n * sizeof(uint32_t));
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
