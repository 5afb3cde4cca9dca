/* item_groups.c - see item_groups.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/item_groups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/os.h"
#include "data/transactions/select.h"
#include "results/store/item_names.h"

bool list_next(const char **text, list_line *line) {
    if (!*text || !**text) return false;
    size_t n = strcspn(*text, "\n");
    *line = (list_line){*text, n};
    *text += n + ((*text)[n] == '\n');
    return true;
}

/* A group that is read. */
typedef struct group_reader {
    lode_store *store;
    const char *what;
    uint64_t bit, *marks;
} group_reader;

static bool group_is_glob(list_line l) {
    for (size_t i = 0; i < l.n; i++) {
        if (strchr("*?[\\", l.text[i])) return true;
    }
    return false;
}

static lode_status group_glob(group_reader *r, list_line l, bool *found) {
    lode_store *s = r->store;
    for (uint32_t item = 0; item < s->n_names; item++) {
        size_t bytes;
        const char *name = names_at(s, item, &bytes);
        if (item % 1024 == 0) {
            lode_status status = job_check(s->job);
            if (status != LODE_OK) return status;
        }
        if (!select_matches(l.text, l.n, name, bytes)) continue;
        r->marks[item] |= r->bit;
        *found = true;
    }
    return LODE_OK;
}

/* A name or a glob. */
static lode_status group_one(group_reader *r, list_line l) {
    bool found = false;
    uint32_t item = names_find(r->store, l.text, l.n);
    if (item != UINT32_MAX) {
        r->marks[item] |= r->bit;
        return LODE_OK;
    }
    if (!group_is_glob(l)) return names_unknown(r->store, r->what, l.text, l.n);
    lode_status status = group_glob(r, l, &found);
    if (status != LODE_OK || found) return status;
    return job_fail(r->store->job, LODE_INVALID, "%s: no item has a name like '%.*s'", r->what,
                    (int)(l.n < 200 ? l.n : 200), l.text);
}

static lode_status group_read_file(group_reader *r, const char *path, vec_char *text) {
    lode_status status = LODE_OK;
    mem *m = &r->store->job->mem;
    int64_t got = 1;
    int fd = os_open_read(path);
    if (fd < 0) {
        return job_fail(r->store->job, LODE_NOTFOUND, "%s: cannot open '%s': %s", r->what, path,
                        strerror(errno));
    }
    while (got != 0) {
        LODE_TRY(job_check(r->store->job));
        LODE_TRY(vec_char_reserve(m, text, 65536));
        got = os_read(fd, text->data + text->n, 65535);
        if (got > 0) text->n += (size_t)got;
        if (got < 0 && errno != EINTR) {
            LODE_LEAVE(job_fail(r->store->job, LODE_IO, "%s: cannot read '%s': %s", r->what, path,
                                strerror(errno)));
        }
    }
    text->data[text->n] = 0;
done:
    os_close(fd);
    return status;
}

static lode_status group_file(group_reader *r, const char *path) {
    lode_status status = LODE_OK;
    vec_char text = {0};
    list_line line;
    char place[OS_PATH_BYTES + 64];
    const char *option = r->what;
    uint64_t number = 0, names = 0;
    LODE_TRY(group_read_file(r, path, &text));
    const char *at = text.data;
    if (strncmp(at, "\xef\xbb\xbf", 3) == 0) at += 3; /* the mark of UTF-8 */
    r->what = place;
    while (list_next(&at, &line)) {
        snprintf(place, sizeof place, "%s: %s:%" PRIu64, option, path, ++number);
        if (line.n > 0 && line.text[line.n - 1] == '\r') line.n--;
        if (line.n > 0) LODE_TRY(group_one(r, line));
        names += line.n > 0;
    }
    if (names == 0) {
        status = job_fail(r->store->job, LODE_INVALID, "%s: '%s' names no item", option, path);
    }
done:
    vec_char_free(&r->store->job->mem, &text);
    return status;
}

lode_status groups_mark(lode_store *s, const char *what, list_line group, uint64_t bit,
                        uint64_t *marks) {
    group_reader r = {s, what, bit, marks};
    char path[OS_PATH_BYTES];
    if (group.n == 0) return job_fail(s->job, LODE_INVALID, "%s: the name is missing", what);
    if (group.text[0] != '@' || group.n == 1) return group_one(&r, group);
    if (group.n > sizeof path) return job_fail(s->job, LODE_INVALID, "%s: too long a path", what);
    memcpy(path, group.text + 1, group.n - 1);
    path[group.n - 1] = 0;
    return group_file(&r, path);
}
