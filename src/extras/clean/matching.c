/* matching.c - see matching.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/clean/matching.h"

#include "data/transactions/select.h"
#include "extras/clean/patterns.h"
#include "runtime/valid.h"

/* ---- which names are meant ---- */

/* Whether a line is the name of an item, a glob that matches one, or a file. */
static bool matching_is_whole(const lode_dataset *data, const char *line, size_t n) {
    char name[4096];
    uint32_t item;
    if (n > 0 && line[0] == '@') return true;
    if (lode_dataset_item_find(data, line, n, &item)) return true;
    if (!patterns_is_glob(line, n)) return false;
    for (uint32_t id = 0; id < data->item_bound; id++) {
        size_t bytes = dataset_id_name(data, id, name, sizeof name);
        if (data->item_supports[id] == 0 || bytes > sizeof name) continue;
        if (select_matches(line, n, name, bytes)) return true;
    }
    return false;
}

/* Appends a part of a line: whole if it names something, else split at blanks. */
static lode_status matching_put(mem *m, const lode_dataset *data, const char *part, size_t n,
                                vec_char *out) {
    lode_status status = LODE_OK;
    while (n > 0 && (*part == ' ' || *part == '\t')) part++, n--;
    while (n > 0 && (part[n - 1] == ' ' || part[n - 1] == '\t')) n--;
    bool whole = matching_is_whole(data, part, n);
    for (size_t at = 0, end; at < n; at = end + 1) {
        end = at;
        while (end < n && (whole || (part[end] != ' ' && part[end] != '\t'))) end++;
        if (end == at) continue;
        if (out->n > 0) LODE_TRY(vec_char_append(m, out, "\n", 1));
        LODE_TRY(vec_char_append(m, out, part + at, end - at));
    }
done:
    return status;
}

/* Rewrites a list: a line that is not a name is split at commas, and a part that is still not a
 * name is split at blanks. */
static lode_status matching_split(mem *m, const lode_dataset *data, const char *list,
                                  vec_char *out) {
    lode_status status = LODE_OK;
    for (const char *end; *list; list = *end ? end + 1 : end) {
        end = list + strcspn(list, "\n");
        bool whole = matching_is_whole(data, list, (size_t)(end - list));
        for (const char *p = list, *stop; p < end; p = stop + 1) {
            stop = whole ? end : p + strcspn(p, ",\n");
            LODE_TRY(matching_put(m, data, p, (size_t)(stop - p), out));
        }
    }
    LODE_TRY(vec_char_append(m, out, "", 1));
done:
    return status;
}

/* Whether a list has been split at blanks, too, and not only at commas. */
static bool matching_has_more(const char *list, const char *lines) {
    size_t commas = 0, breaks = 0;
    for (; *list; list++) commas += *list == ',' || *list == '\n';
    for (; *lines; lines++) breaks += *lines == '\n';
    return breaks > commas;
}

static lode_status matching_groups(lode_job *job, const lode_dataset *data, const char *list,
                                   const char *what, select_groups *out) {
    vec_char lines = {0};
    mem *m = &job->mem;
    *out = (select_groups){.mem = m};
    if (!list) return LODE_OK;
    lode_status status = matching_split(m, data, list, &lines);
    if (status == LODE_OK && *list && lines.n == 1) {
        status = job_fail(job, LODE_INVALID, "%s: '%s': expected an item name", what, list);
    }
    if (status == LODE_OK) status = select_parse(job, data, lines.data, what, false, out);
    if (status == LODE_INVALID && matching_has_more(list, lines.data)) {
        char message[JOB_MESSAGE_BYTES];
        size_t n = strlen(job->message);
        memcpy(message, job->message, n + 1);
        job_clear_message(job);
        status = job_fail(job, LODE_INVALID,
                          "%s%s if names have blanks, put commas between them, as in %s 'red "
                          "wine,beer'",
                          message, n > 0 && message[n - 1] == '?' ? "" : ";", what);
    }
    vec_char_free(m, &lines);
    return status;
}

static lode_status matching_with(lode_job *job, const char *list, matching *m) {
    select_groups groups;
    lode_status status = matching_groups(job, m->data, list, "--include", &groups);
    if (status != LODE_OK) return status;
    if (groups.n > MATCHING_GROUPS) {
        status = job_fail(job, LODE_INVALID,
                          "--include: %u required groups of items; at most %d are supported",
                          groups.n, MATCHING_GROUPS);
    }
    for (uint32_t g = 0; g < groups.n && status == LODE_OK; g++) {
        uint64_t bit = (uint64_t)1 << g;
        m->all |= bit;
        for (uint32_t i = 0; i < groups.groups[g].n; i++) m->groups[groups.groups[g].ids[i]] |= bit;
    }
    select_clear(&groups);
    return status;
}

static lode_status matching_without(lode_job *job, const char *list, matching *m) {
    select_groups groups;
    lode_status status = matching_groups(job, m->data, list, "--exclude", &groups);
    if (status != LODE_OK) return status;
    select_mark(&groups, m->unwanted, 1);
    select_clear(&groups);
    return LODE_OK;
}

lode_status matching_create(lode_job *job, const lode_dataset *data,
                            const lode_select_options *options, matching *out) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    *out = (matching){.mem = m, .data = data, .bound = data->item_bound, .any = options->any};
    LODE_TRY(mem_zalloc(m, (void **)&out->groups, out->bound * sizeof *out->groups));
    LODE_TRY(mem_zalloc(m, (void **)&out->unwanted, out->bound));
    LODE_TRY(matching_with(job, options->include, out));
    LODE_TRY(matching_without(job, options->exclude, out));
done:
    if (status != LODE_OK) matching_clear(out);
    return status;
}

void matching_clear(matching *m) {
    if (!m->mem) return;
    mem_free(m->mem, m->groups, m->groups ? m->bound * sizeof *m->groups : 0);
    mem_free(m->mem, m->unwanted, m->unwanted ? m->bound : 0);
    *m = (matching){0};
}

/* ---- which transactions ---- */

bool matching_fits(const matching *m, const uint32_t *ids, uint32_t n) {
    uint64_t met = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (m->unwanted[ids[i]]) return false;
        met |= m->groups[ids[i]];
    }
    return m->any && m->all ? met != 0 : met == m->all;
}

lode_status matching_walk(lode_job *job, const matching *m, uint64_t limit, matching_fn each,
                          void *user, uint64_t *n) {
    lode_status status = LODE_OK;
    *n = 0;
    for (size_t b = 0; b < m->data->n_blocks; b++) {
        const data_block *block = &m->data->blocks[b];
        LODE_TRY(job_check(job));
        for (uint32_t i = 0; i < block->n; i++) {
            const uint32_t *ids = block->items + block->offsets[i];
            const uint32_t length = block->offsets[i + 1] - block->offsets[i];
            if (!matching_fits(m, ids, length)) continue;
            ++*n;
            if (each) LODE_TRY(each(user, block->first + i, ids, length));
            if (*n == limit) goto done;
        }
    }
done:
    return status;
}

/* ---- lode_dataset_select(): the transactions that match, one by one -------------------------- */

typedef struct select_call {
    lode_job *job;
    const lode_dataset *data;
    lode_basket_fn each;
    void *user;
    vec_u32 items; /* as the program knows them */
} select_call;

static lode_status select_one(void *user, uint64_t t, const uint32_t *ids, uint32_t n) {
    select_call *s = user;
    const lode_dataset *data = s->data;
    s->items.n = 0;
    lode_status status = vec_u32_reserve(&s->job->mem, &s->items, n);
    if (status != LODE_OK) return status;
    for (uint32_t i = 0; i < n; i++) s->items.data[i] = dataset_item_of(data, ids[i]);
    lode_basket basket = {.size = sizeof basket,
                          .number = t,
                          .items = s->items.data,
                          .n_items = n,
                          .weight = data->weights ? data->weights[t] : 1};
    basket.id = dataset_transaction_id(data, t, &basket.id_bytes);
    return s->each(s->user, &basket) == 0 ? LODE_OK : LODE_STOPPED;
}

lode_status lode_dataset_select(lode_job *job, const lode_dataset *data,
                                const lode_select_options *options, lode_basket_fn each, void *user,
                                uint64_t *n) {
    lode_status status = LODE_OK;
    lease_call call = {0};
    lode_select_options o;
    matching m = {0};
    select_call s = {.job = job, .data = data, .each = each, .user = user};
    uint64_t found = 0;
    VALID_CALL(job, VALID_NEEDS(data));
    LODE_TRY(valid_take(job, VALID_SELECT, options, &o));
    LODE_TRY(dataset_in_memory(job, data));
    LODE_TRY(lease_enter(job, LEASE_ANY, &call));
    LODE_TRY(matching_create(job, data, &o, &m));
    LODE_TRY(matching_walk(job, &m, o.limit, each ? select_one : NULL, &s, &found));
done:
    if (n) *n = found;
    matching_clear(&m);
    vec_u32_free(&job->mem, &s.items);
    lease_leave(&call);
    return job_explain(job, status, "looking for transactions");
}
