/* patterns.c - see patterns.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/clean/patterns.h"

#include "data/transactions/select.h"
#include "extras/clean/fold.h"
#include "read/input.h"

lode_status patterns_create(mem *m, unsigned fold, patterns *out) {
    *out = (patterns){.mem = m, .fold = fold};
    lode_status status = dict_create(m, &out->plain);
    return status == LODE_OK ? dict_create(m, &out->globs) : status;
}

void patterns_clear(patterns *p) {
    if (!p->mem) return;
    dict_free(p->plain);
    vec_u32_free(p->mem, &p->plain_numbers);
    dict_free(p->globs);
    vec_u32_free(p->mem, &p->glob_numbers);
    vec_char_free(p->mem, &p->folded);
    vec_char_free(p->mem, &p->scratch);
    vec_u64_free(p->mem, &p->used);
    *p = (patterns){0};
}

bool patterns_is_glob(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (strchr("*?[\\", text[i]) && text[i]) return true;
    }
    return false;
}

/* Adds a text to one of the two tables. */
static lode_status patterns_enter(patterns *p, dict *table, vec_u32 *numbers, uint32_t *number) {
    lode_status status = LODE_OK;
    uint32_t id;
    LODE_TRY(vec_u32_reserve(p->mem, numbers, 1));
    LODE_TRY(vec_u64_reserve(p->mem, &p->used, 1));
    LODE_TRY(dict_add(table, p->folded.data, p->folded.n, &id));
    if (id == numbers->n) {
        numbers->data[numbers->n++] = p->n++;
        p->used.data[p->used.n++] = 0;
    }
    *number = numbers->data[id];
done:
    return status;
}

lode_status patterns_add(patterns *p, const char *text, size_t n, uint32_t *number, bool *fresh) {
    const uint32_t before = p->n;
    lode_status status = fold_name(p->mem, p->fold, text, n, &p->folded, &p->scratch);
    if (status != LODE_OK) return status;
    status = patterns_is_glob(p->folded.data, p->folded.n)
                 ? patterns_enter(p, p->globs, &p->glob_numbers, number)
                 : patterns_enter(p, p->plain, &p->plain_numbers, number);
    *fresh = p->n > before;
    return status;
}

uint32_t patterns_find(const patterns *p, const char *name, size_t n, uint32_t *other) {
    uint32_t id = dict_find(p->plain, name, n), found = PATTERNS_NONE;
    if (other) *other = PATTERNS_NONE;
    if (id != DICT_NONE) return p->plain_numbers.data[id];
    for (uint32_t i = 0; i < dict_count(p->globs); i++) {
        size_t length;
        const char *glob = dict_name(p->globs, i, &length);
        if (!select_matches(glob, length, name, n)) continue;
        if (found != PATTERNS_NONE) {
            *other = p->glob_numbers.data[i];
            return found;
        }
        found = p->glob_numbers.data[i];
        if (!other) return found;
    }
    return found;
}

/* ---- lists and files ---- */

lode_status patterns_load(lode_job *job, const char *path, vec_char *out) {
    lode_status status = LODE_OK;
    input *in = NULL;
    input_block block = {0};
    out->n = 0;
    LODE_TRY(input_open(job, &in, path));
    do {
        LODE_TRY(job_check(job));
        LODE_TRY(input_next(in, &block));
        LODE_TRY(vec_char_append(&job->mem, out, block.text.data, block.text.n));
    } while (block.text.n > 0);
done:
    vec_char_free(&job->mem, &block.text);
    input_close(in);
    return status;
}

static lode_status patterns_lines(patterns *p, const char *text, size_t n) {
    lode_status status = LODE_OK;
    for (const char *end = text + n; text < end;) {
        const char *line = text, *stop = memchr(text, '\n', (size_t)(end - text));
        uint32_t number;
        bool fresh;
        if (!stop) stop = end;
        text = stop + 1;
        if (stop > line && stop[-1] == '\r') stop--;
        if (stop > line) LODE_TRY(patterns_add(p, line, (size_t)(stop - line), &number, &fresh));
    }
done:
    return status;
}

static lode_status patterns_file(lode_job *job, patterns *p, const char *path, size_t n) {
    lode_status status = LODE_OK;
    vec_char name = {0}, text = {0};
    mem *m = &job->mem;
    LODE_TRY(vec_char_append(m, &name, path, n));
    LODE_TRY(vec_char_append(m, &name, "", 1));
    LODE_TRY(patterns_load(job, name.data, &text));
    LODE_TRY(patterns_lines(p, text.data, text.n));
done:
    vec_char_free(m, &name);
    vec_char_free(m, &text);
    return status;
}

lode_status patterns_read(lode_job *job, patterns *p, const char *list, const char *what) {
    lode_status status = LODE_OK;
    if (!list) return LODE_OK;
    for (const char *end; *list; list = *end ? end + 1 : end) {
        end = list + strcspn(list, "\n");
        size_t n = (size_t)(end - list);
        if (n == 0) LODE_LEAVE(job_fail(job, LODE_INVALID, "%s: the item name is missing", what));
        LODE_TRY(*list == '@' && n > 1 ? patterns_file(job, p, list + 1, n - 1)
                                       : patterns_lines(p, list, n));
    }
done:
    return status;
}
