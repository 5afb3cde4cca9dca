/* mapping.c - see mapping.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/clean/mapping.h"

#include <inttypes.h>
#include <stdio.h>

#include "extras/clean/fold.h"
#include "read/column_names.h"
#include "read/csv.h"
#include "read/line_ends.h"

#define MAPPING_SHOWN 60 /* bytes of a name in a message */

static int mapping_shown(size_t n) {
    return (int)(n < MAPPING_SHOWN ? n : MAPPING_SHOWN);
}

void mapping_clear(mapping *map) {
    if (!map->mem) return;
    patterns_clear(&map->from);
    dict_free(map->to);
    vec_u32_free(map->mem, &map->rules);
    vec_u64_free(map->mem, &map->lines);
    *map = (mapping){0};
}

/* ---- lines ---- */

typedef struct mapping_reader {
    lode_job *job;
    mapping *map;
    csv_cursor c;
    vec_char unquoted, from, to, scratch;
    uint64_t line;       /* of the record */
    const char *counted; /* lines before this are counted */
    bool bare;
} mapping_reader;

static lode_status mapping_bad(mapping_reader *r, const char *at, const char *what) {
    const char *start = r->counted;
    uint64_t line = r->line;
    for (const char *p = line_find(start, at); p < at; p = line_find(start, at)) {
        start = p + line_end_bytes(p, at);
        line++;
    }
    return job_fail(r->job, LODE_PARSE, "%s:%" PRIu64 ":%zu: %s", r->map->name, line,
                    (size_t)(at - start) + 1, what);
}

/* Adds a rule; `from` and `to` are in r. */
static lode_status mapping_add(mapping_reader *r, const char *at) {
    lode_status status = LODE_OK;
    mapping *map = r->map;
    uint32_t number, target;
    bool fresh;
    LODE_TRY(vec_u32_reserve(map->mem, &map->rules, 1));
    LODE_TRY(vec_u64_reserve(map->mem, &map->lines, 1));
    LODE_TRY(fold_name(map->mem, map->from.fold, r->to.data, r->to.n, &map->from.folded,
                       &map->from.scratch));
    if (map->from.folded.n == 0) {
        LODE_LEAVE(mapping_bad(r, at, "empty target; expected a name (use --drop to drop items)"));
    }
    LODE_TRY(dict_add(map->to, map->from.folded.data, map->from.folded.n, &target));
    LODE_TRY(patterns_add(&map->from, r->from.data, r->from.n, &number, &fresh));
    if (!fresh) {
        char what[128];
        snprintf(what, sizeof what,
                 "'%.*s' is already mapped in line %" PRIu64 "; expected each name once",
                 mapping_shown(r->from.n), r->from.data, map->lines.data[number]);
        LODE_LEAVE(mapping_bad(r, at, what));
    }
    map->rules.data[map->rules.n++] = target;
    map->lines.data[map->lines.n++] = r->line;
done:
    return status;
}

static bool mapping_is_header(const mapping_reader *r) {
    return r->map->rules.n == 0 && columns_same(r->from.data, r->from.n, "from") &&
           columns_same(r->to.data, r->to.n, "to");
}

/* A hash and a blank begin a comment. (A name that begins so stands in quotes.) */
static bool mapping_is_comment(const mapping_reader *r) {
    return r->c.end - r->c.record > 1 && r->c.record[0] == '#' && r->c.record[1] == ' ';
}

static lode_status mapping_record(mapping_reader *r) {
    lode_status status = LODE_OK;
    csv_field f;
    mem *m = r->map->mem;
    LODE_TRY(csv_next(&r->c, &f));
    const char *at = f.at;
    if (csv_is_blank(&f)) goto done;
    if (mapping_is_comment(r)) {
        if (!f.last) csv_skip(&r->c);
        goto done;
    }
    r->from.n = r->to.n = 0;
    LODE_TRY(vec_char_append(m, &r->from, f.text, f.n));
    if (f.n == 0) LODE_LEAVE(mapping_bad(r, at, "empty name; expected the name to map"));
    if (f.last) LODE_LEAVE(mapping_bad(r, at, "only one field; expected from,to or from<tab>to"));
    LODE_TRY(csv_next(&r->c, &f));
    LODE_TRY(vec_char_append(m, &r->to, f.text, f.n));
    if (!f.last) LODE_LEAVE(mapping_bad(r, f.at, "more than two fields; expected from,to"));
    if (!mapping_is_header(r)) LODE_TRY(mapping_add(r, at));
done:
    if (status == LODE_PARSE && r->c.bad) status = mapping_bad(r, r->c.bad_at, r->c.bad);
    return status;
}

static lode_status mapping_lines(lode_job *job, mapping *map, const char *text, size_t n) {
    lode_status status = LODE_OK;
    mem *m = map->mem;
    mapping_reader r = {.job = job, .map = map, .line = 1, .counted = text};
    bool tabs = n > 0 && memchr(text, '\t', n) != NULL;
    r.c = (csv_cursor){.at = text,
                       .end = text + n,
                       .separator = tabs ? '\t' : ',',
                       .mem = m,
                       .unquoted = &r.unquoted,
                       .bare = &r.bare};
    while (csv_begin(&r.c)) {
        LODE_TRY(job_check(job));
        r.line += line_count(r.counted, r.c.record);
        r.counted = r.c.record;
        LODE_TRY(mapping_record(&r));
    }
done:
    vec_char_free(m, &r.unquoted);
    vec_char_free(m, &r.from);
    vec_char_free(m, &r.to);
    vec_char_free(m, &r.scratch);
    return status;
}

/* ---- rules that follow one another ---- */

/* The rule for a target as a name; PATTERNS_NONE: it stays. */
static uint32_t mapping_next(const mapping *map, uint32_t target) {
    size_t n;
    const char *name = dict_name(map->to, target, &n);
    uint32_t id = dict_find(map->from.plain, name, n);
    return id != DICT_NONE ? map->from.plain_numbers.data[id] : PATTERNS_NONE;
}

enum { MAPPING_NEW, MAPPING_OPEN, MAPPING_DONE };

static lode_status mapping_circle(lode_job *job, const mapping *map, uint32_t rule, uint32_t next) {
    size_t n;
    const char *name = dict_name(map->to, map->rules.data[rule], &n);
    return job_fail(
        job, LODE_PARSE,
        "%s:%" PRIu64 ":1: '%.*s' maps back to itself through line %" PRIu64 "; remove the cycle",
        map->name, map->lines.data[rule], mapping_shown(n), name, map->lines.data[next]);
}

/* Follows a rule to the end of its chain, and gives all rules of the chain the last target. Each
 * rule is visited once, however long the chains are. */
static lode_status mapping_follow(lode_job *job, mapping *map, uint32_t rule, uint8_t *marks,
                                  vec_u32 *path) {
    lode_status status = LODE_OK;
    uint32_t last = rule;
    path->n = 0;
    for (;;) {
        uint32_t next = mapping_next(map, map->rules.data[last]);
        marks[last] = MAPPING_OPEN;
        LODE_TRY(vec_u32_push(map->mem, path, last));
        if (next == PATTERNS_NONE || map->rules.data[next] == map->rules.data[last]) break;
        if (marks[next] == MAPPING_OPEN) LODE_LEAVE(mapping_circle(job, map, last, next));
        last = next;
        if (marks[last] == MAPPING_DONE) break;
    }
    for (size_t i = 0; i < path->n; i++) {
        map->rules.data[path->data[i]] = map->rules.data[last];
        marks[path->data[i]] = MAPPING_DONE;
    }
done:
    return status;
}

static lode_status mapping_close(lode_job *job, mapping *map) {
    lode_status status = LODE_OK;
    uint8_t *marks = NULL;
    size_t n = map->rules.n;
    vec_u32 path = {0};
    LODE_TRY(mem_zalloc(map->mem, (void **)&marks, n));
    for (uint32_t i = 0; i < n; i++) {
        if (marks[i] == MAPPING_NEW) LODE_TRY(mapping_follow(job, map, i, marks, &path));
    }
done:
    vec_u32_free(map->mem, &path);
    mem_free(map->mem, marks, marks ? n : 0);
    return status;
}

lode_status mapping_read(lode_job *job, const char *path, const char *text, unsigned fold,
                         mapping *out) {
    lode_status status = LODE_OK;
    vec_char loaded = {0};
    mem *m = &job->mem;
    *out = (mapping){.mem = m, .name = path ? path : "the mapping"};
    LODE_TRY(patterns_create(m, fold, &out->from));
    LODE_TRY(dict_create(m, &out->to));
    if (path) LODE_TRY(patterns_load(job, path, &loaded));
    if (path) {
        LODE_TRY(mapping_lines(job, out, loaded.data ? loaded.data : "", loaded.n));
    } else {
        LODE_TRY(mapping_lines(job, out, text, strlen(text)));
    }
    LODE_TRY(mapping_close(job, out));
done:
    vec_char_free(m, &loaded);
    if (status != LODE_OK) mapping_clear(out);
    return status;
}

lode_status mapping_apply(lode_job *job, mapping *map, const char *name, size_t n, const char **to,
                          size_t *n_to) {
    uint32_t other, rule = patterns_find(&map->from, name, n, &other);
    *to = NULL;
    if (rule == PATTERNS_NONE) return LODE_OK;
    map->from.used.data[rule]++;
    if (other != PATTERNS_NONE && map->rules.data[other] != map->rules.data[rule]) {
        return job_fail(job, LODE_PARSE,
                        "%s:%" PRIu64 ":1: '%.*s' matches this pattern and the one in line %" PRIu64
                        ", which map it to different names; add a line for the name itself",
                        map->name, map->lines.data[other], mapping_shown(n), name,
                        map->lines.data[rule]);
    }
    *to = dict_name(map->to, map->rules.data[rule], n_to);
    return LODE_OK;
}
