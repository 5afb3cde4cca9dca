/* clean_names.c - the steps that look at names; see clean_state.h
 *
 * The name of every item goes through all steps once. A set of bits records which steps changed it,
 * so that one pass over the transactions counts, for each step, the transactions it affects.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"
#include "base/utf8.h"
#include "extras/clean/clean_state.h"
#include "extras/clean/fold.h"

#define NAMES_ASK_EVERY 1024

lode_status clean_name_of(mem *m, const lode_dataset *data, uint32_t id, vec_char *out) {
    out->n = 0;
    lode_status status = vec_char_reserve(m, out, 64);
    if (status != LODE_OK) return status;
    size_t n = dataset_id_name(data, id, out->data, out->cap);
    if (n > out->cap) {
        status = vec_char_reserve(m, out, n);
        if (status != LODE_OK) return status;
        dataset_id_name(data, id, out->data, out->cap);
    }
    out->n = n;
    return LODE_OK;
}

lode_status clean_keep_text(lode_clean_report *report, const char *text, size_t n, size_t *at) {
    *at = report->text.n;
    lode_status status = vec_char_append(report->mem, &report->text, text, n);
    return status == LODE_OK ? vec_char_append(report->mem, &report->text, "", 1) : status;
}

lode_status clean_quote(mem *m, vec_char *to, const char *name, size_t n) {
    lode_status status = LODE_OK;
    const bool quote = n > 0 && (memchr(name, ',', n) || memchr(name, '"', n));
    if (quote) LODE_TRY(vec_char_append(m, to, "\"", 1));
    for (size_t i = 0; i < n;) {
        utf8_char c = utf8_next(name + i, n - i);
        if (name[i] == '"') LODE_TRY(vec_char_append(m, to, "\"", 1));
        LODE_TRY(vec_char_append(m, to, c.bytes, c.n));
        i += c.taken;
    }
    if (quote) LODE_TRY(vec_char_append(m, to, "\"", 1));
done:
    return status;
}

lode_status clean_list(mem *m, vec_char *list, const char *name, size_t n) {
    lode_status status = list->n > 0 ? vec_char_append(m, list, ", ", 2) : LODE_OK;
    return status == LODE_OK ? clean_quote(m, list, name, n) : status;
}

/* ---- one name ---- */

/* Folds s->name in one way, and marks the step if that changes it. */
static lode_status names_fold(clean_state *s, fold_how how, clean_step step, uint16_t *marks) {
    if (!(s->fold & how)) return LODE_OK;
    lode_status status = fold_once(&s->job->mem, how, s->name.data, s->name.n, &s->scratch);
    if (status != LODE_OK) return status;
    bool same = s->name.n == s->scratch.n &&
                (s->name.n == 0 || memcmp(s->name.data, s->scratch.data, s->name.n) == 0);
    if (same) return LODE_OK;
    vec_char swap = s->name;
    s->name = s->scratch;
    s->scratch = swap;
    *marks |= (uint16_t)(1u << step);
    return LODE_OK;
}

static lode_status names_map(clean_state *s, uint16_t *marks) {
    const char *to;
    size_t n = 0;
    if (!s->map.mem) return LODE_OK;
    lode_status status = mapping_apply(s->job, &s->map, s->name.data, s->name.n, &to, &n);
    if (status != LODE_OK || !to) return status;
    if (n == s->name.n && memcmp(to, s->name.data, n) == 0) return LODE_OK;
    *marks |= 1u << CLEAN_MAP;
    s->name.n = 0;
    return vec_char_append(&s->job->mem, &s->name, to, n);
}

/* What becomes of an item. */
static lode_status names_item(clean_state *s, uint32_t id) {
    lode_status status = LODE_OK;
    uint16_t *marks = &s->marks[id];
    s->to[id] = DERIVE_DROPPED;
    LODE_TRY(clean_name_of(&s->job->mem, s->data, id, &s->name));
    LODE_TRY(names_fold(s, FOLD_UTF8, CLEAN_ENCODING, marks));
    LODE_TRY(names_fold(s, FOLD_BLANKS, CLEAN_BLANKS, marks));
    LODE_TRY(names_fold(s, FOLD_ACCENTS, CLEAN_ACCENTS, marks));
    LODE_TRY(names_fold(s, FOLD_CASE, CLEAN_CASE, marks));
    if (s->name.n == 0) goto done; /* a name of blanks is no item */
    LODE_TRY(names_map(s, marks));
    uint32_t pattern =
        s->drop.mem ? patterns_find(&s->drop, s->name.data, s->name.n, NULL) : PATTERNS_NONE;
    if (pattern != PATTERNS_NONE) {
        s->drop.used.data[pattern]++;
        *marks |= 1u << CLEAN_DROP;
        goto done;
    }
    LODE_TRY(dict_add(s->names, s->name.data, s->name.n, &s->to[id]));
done:
    return status;
}

/* ---- all of them ---- */

/* Counts for each step the transactions that it concerns, and the transactions of each item. */
static lode_status names_count(clean_state *s) {
    uint64_t baskets[CLEAN_STEPS] = {0};
    for (size_t b = 0; b < s->data->n_blocks; b++) {
        const data_block *block = &s->data->blocks[b];
        lode_status status = job_check(s->job);
        if (status != LODE_OK) return status;
        for (uint32_t i = 0; i < block->n; i++) {
            unsigned marks = 0;
            for (uint32_t k = block->offsets[i]; k < block->offsets[i + 1]; k++) {
                s->counts[block->items[k]]++;
                marks |= s->marks[block->items[k]];
            }
            for (; marks; marks &= marks - 1) baskets[__builtin_ctz(marks)]++;
        }
    }
    for (uint32_t id = 0; id < s->bound; id++) {
        for (unsigned marks = s->marks[id]; marks; marks &= marks - 1) {
            lode_clean_step *step = &s->report->steps[__builtin_ctz(marks)];
            step->items++;
            step->occurrences += s->counts[id];
        }
    }
    for (size_t i = 0; i < CLEAN_STEPS; i++) s->report->steps[i].baskets += baskets[i];
    return LODE_OK;
}

static uint64_t names_unused(const patterns *p) {
    uint64_t n = 0;
    for (size_t i = 0; p->mem && i < p->used.n; i++) n += p->used.data[i] == 0;
    return n;
}

/* Notes the patterns of one table that have matched no name, the first of them by name. */
static lode_status names_list_unused(clean_state *s, const dict *table, const vec_u32 *numbers) {
    lode_status status = LODE_OK;
    for (uint32_t i = 0; i < dict_count(table); i++) {
        size_t n;
        if (s->drop.used.data[numbers->data[i]] > 0) continue;
        const char *name = dict_name(table, i, &n);
        if (s->report->n_unused_patterns++ >= CLEAN_SPELLED) continue;
        LODE_TRY(clean_list(&s->job->mem, &s->scratch, name, n));
    }
done:
    return status;
}

static lode_status names_note_unused(clean_state *s) {
    lode_status status = LODE_OK;
    s->scratch.n = 0;
    if (!s->drop.mem) return LODE_OK;
    LODE_TRY(names_list_unused(s, s->drop.plain, &s->drop.plain_numbers));
    LODE_TRY(names_list_unused(s, s->drop.globs, &s->drop.glob_numbers));
    if (s->report->n_unused_patterns > CLEAN_SPELLED) {
        LODE_TRY(vec_char_append(&s->job->mem, &s->scratch, ", …", 5));
    }
    LODE_TRY(
        clean_keep_text(s->report, s->scratch.data, s->scratch.n, &s->report->unused_patterns));
done:
    return status;
}

static lode_status names_prepare(clean_state *s) {
    lode_status status = LODE_OK;
    const lode_clean_options *o = s->options;
    mem *m = &s->job->mem;
    size_t bound = s->data->item_bound;
    if (o->map || o->map_text) {
        LODE_TRY(mapping_read(s->job, o->map, o->map_text, s->fold, &s->map));
    }
    if (o->drop) {
        LODE_TRY(patterns_create(m, s->fold, &s->drop));
        LODE_TRY(patterns_read(s->job, &s->drop, o->drop, "drop"));
    }
    LODE_TRY(dict_create(m, &s->names));
    s->bound = bound;
    LODE_TRY(mem_zalloc(m, (void **)&s->to, bound * sizeof *s->to));
    LODE_TRY(mem_zalloc(m, (void **)&s->marks, bound * sizeof *s->marks));
    LODE_TRY(mem_zalloc(m, (void **)&s->counts, bound * sizeof *s->counts));
done:
    return status;
}

lode_status clean_names(clean_state *s) {
    lode_status status = LODE_OK;
    uint64_t kept = 0;
    LODE_TRY(names_prepare(s));
    for (uint32_t id = 0; id < s->bound; id++) {
        if (id % NAMES_ASK_EVERY == 0) LODE_TRY(job_check(s->job));
        s->to[id] = DERIVE_DROPPED;
        if (s->data->item_supports[id] == 0 && !s->data->weights) continue;
        LODE_TRY(names_item(s, id));
        kept += s->to[id] != DERIVE_DROPPED;
    }
    LODE_TRY(names_count(s));
    s->report->steps[CLEAN_MERGED].items = kept - dict_count(s->names);
    s->report->n_unused_rules = names_unused(&s->map.from);
    LODE_TRY(names_note_unused(s));
done:
    return status;
}

void clean_names_clear(clean_state *s) {
    mem *m = &s->job->mem;
    mapping_clear(&s->map);
    patterns_clear(&s->drop);
    dict_free(s->names);
    mem_free(m, s->to, s->to ? s->bound * sizeof *s->to : 0);
    mem_free(m, s->marks, s->marks ? s->bound * sizeof *s->marks : 0);
    mem_free(m, s->counts, s->counts ? s->bound * sizeof *s->counts : 0);
    vec_char_free(m, &s->name);
    vec_char_free(m, &s->scratch);
}

/* ---- spellings that became one ---- */

typedef struct names_spelling {
    uint32_t to, id;
    uint32_t count;
} names_spelling;

/* By the new name; the most frequent spelling first. */
static bool names_before(const names_spelling *a, const names_spelling *b) {
    if (a->to != b->to) return a->to < b->to;
    if (a->count != b->count) return a->count > b->count;
    return a->id < b->id;
}
#define SORT_NAME   sort_spellings
#define SORT_TYPE   names_spelling
#define SORT_BEFORE names_before
#include "base/sort_body.h"

/* Keeps a merge among those of the most transactions. */
static lode_status names_keep_merge(clean_state *s, const names_spelling *from, size_t n,
                                    uint64_t baskets) {
    lode_status status = LODE_OK;
    lode_clean_report *r = s->report;
    clean_merge merge = {.n_from = n, .baskets = baskets};
    size_t at = r->n_merges_kept, n_name;
    while (at > 0 && r->merges[at - 1].baskets < baskets) at--;
    if (at == CLEAN_MERGES) return LODE_OK;
    const char *name = dict_name(s->names, from->to, &n_name);
    s->scratch.n = 0;
    LODE_TRY(clean_keep_text(r, name, n_name, &merge.to));
    for (size_t i = 0; i < n && i < CLEAN_SPELLED; i++) {
        LODE_TRY(clean_name_of(&s->job->mem, s->data, from[i].id, &s->name));
        LODE_TRY(clean_list(&s->job->mem, &s->scratch, s->name.data, s->name.n));
        if (s->marks[from[i].id] >> CLEAN_ENCODING & 1) {
            bool windows = utf8_is_windows(s->name.data, s->name.n);
            LODE_TRY(vec_char_printf(&s->job->mem, &s->scratch, " (%s)",
                                     windows ? "Windows-1252" : "Latin-1"));
        }
    }
    if (n > CLEAN_SPELLED) LODE_TRY(vec_char_append(&s->job->mem, &s->scratch, ", …", 5));
    LODE_TRY(clean_keep_text(r, s->scratch.data, s->scratch.n, &merge.from));
    if (r->n_merges_kept < CLEAN_MERGES) r->n_merges_kept++;
    memmove(r->merges + at + 1, r->merges + at, (r->n_merges_kept - 1 - at) * sizeof *r->merges);
    r->merges[at] = merge;
done:
    return status;
}

/* How many transactions have the item of a name. */
static uint64_t names_baskets(const lode_dataset *clean, const uint32_t *counts, const char *name,
                              size_t n) {
    uint32_t item, id = 0;
    if (!lode_dataset_item_find(clean, name, n, &item)) return 0;
    if (!clean->numbers) return counts[item];
    for (uint32_t high = clean->item_bound; id < high;) { /* numbers ascend */
        uint32_t middle = id + (high - id) / 2;
        if (clean->numbers[middle] < item) {
            id = middle + 1;
        } else {
            high = middle;
        }
    }
    return counts[id];
}

/* Counts transactions by item, without weights. */
static lode_status names_clean_counts(clean_state *s, const lode_dataset *clean, uint32_t *counts) {
    for (size_t b = 0; b < clean->n_blocks; b++) {
        const data_block *block = &clean->blocks[b];
        lode_status status = job_check(s->job);
        if (status != LODE_OK) return status;
        for (uint32_t k = 0; k < block->offsets[block->n]; k++) counts[block->items[k]]++;
    }
    return LODE_OK;
}

lode_status clean_note_merges(clean_state *s, const lode_dataset *clean) {
    lode_status status = LODE_OK;
    mem *m = &s->job->mem;
    names_spelling *all = NULL;
    uint32_t *counts = NULL;
    size_t n = 0, bytes = s->bound * sizeof *all, counts_bytes = clean->item_bound * sizeof *counts;
    sort_stop stop = job_sort_stop(s->job);
    if (s->report->steps[CLEAN_MERGED].items == 0) return LODE_OK;
    LODE_TRY(mem_zalloc(m, (void **)&all, bytes));
    LODE_TRY(mem_zalloc(m, (void **)&counts, counts_bytes));
    LODE_TRY(names_clean_counts(s, clean, counts));
    for (uint32_t id = 0; id < s->bound; id++) {
        if (s->to[id] == DERIVE_DROPPED || s->counts[id] == 0) continue;
        all[n++] = (names_spelling){s->to[id], id, s->counts[id]};
    }
    if (!sort_spellings(all, n, &stop)) LODE_LEAVE(job_check(s->job));
    for (size_t i = 0, end; i < n; i = end) {
        size_t length;
        for (end = i + 1; end < n && all[end].to == all[i].to;) end++;
        if (end == i + 1) continue;
        s->report->n_merges++;
        const char *name = dict_name(s->names, all[i].to, &length);
        uint64_t baskets = names_baskets(clean, counts, name, length);
        LODE_TRY(names_keep_merge(s, all + i, end - i, baskets));
    }
done:
    mem_free(m, all, all ? bytes : 0);
    mem_free(m, counts, counts ? counts_bytes : 0);
    return status;
}
