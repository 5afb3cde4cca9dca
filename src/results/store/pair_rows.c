/* pair_rows.c - finds the rows of two stores that have the same pattern
 *
 * A hash join: the rows of `other` go into a table by hash, and each row of `store` looks up its
 * partner there. Items are translated to the codes of `other` by name. The hash of a list does not
 * depend on the order of its items, because two files may number the same names differently. Rows
 * with equal hashes are compared in full.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "base/hash.h"
#include "results/store/item_names.h"
#include "results/store/scan_rows.h"
#include "runtime/valid.h"

typedef struct pair_stamps {
    uint32_t *of; /* by item of `other`: the stamp of the list that was seen last with this item */
    uint32_t last;
} pair_stamps;

typedef struct pair_search {
    lode_store *store, *other;
    uint64_t *partners; /* of the caller, … */
    bool *equal;        /* … as is this; may be NULL */
    uint32_t *codes;    /* by item of `store`: its code in `other`, or STORED_NONE */
    uint64_t *hashes;   /* by row of `other` */
    uint32_t *slots;    /* rows of `other` by hash: row + 1, or 0 */
    size_t n_slots;
    stored_batch *batches; /* of `other`: the cells of its patterns */
    arrow_cells *cells;
    pair_stamps *stamps; /* by thread */
    mem_kept kept;
} pair_search;

/* A list of items; `codes` translates them, or is NULL. */
typedef struct pair_list {
    const uint32_t *items, *codes;
    uint32_t n, n_names;
} pair_list;

/* Returns the i-th item as a code of `other`. A file that has changed since it was checked may have
 * any number. */
static inline uint32_t pair_item(const pair_list *l, uint32_t i) {
    uint32_t item = MAPPED_READ(l->items[i]);
    if (item >= l->n_names) return STORED_NONE;
    return l->codes ? l->codes[item] : item;
}

static lode_status pair_list_at(stored_batch *b, uint32_t column, uint32_t at, pair_list *out) {
    const arrow_cells *cells;
    if (column == STORED_NONE) return LODE_OK;
    lode_status status = stored_cells(b, column, &cells);
    if (status != LODE_OK) return status;
    arrow_list list = arrow_list_at(cells, at);
    out->items = (const uint32_t *)cells->values + list.first;
    out->n = list.n;
    return LODE_OK;
}

/* The pattern of a row: up to two lists of items, or a text. */
typedef struct pair_pattern {
    pair_list lists[2];
    const char *text;
    uint32_t text_bytes;
} pair_pattern;

static lode_status pair_pattern_at(stored_batch *b, const uint32_t *codes, uint32_t at,
                                   pair_pattern *out) {
    lode_status status = LODE_OK;
    const lode_store *s = b->store;
    const arrow_cells *cells;
    const pair_list none = {.codes = codes, .n_names = s->n_names};
    *out = (pair_pattern){.lists = {none, none}};
    LODE_TRY(pair_list_at(b, s->items, at, &out->lists[0]));
    LODE_TRY(pair_list_at(b, s->rhs, at, &out->lists[1]));
    if (s->text == STORED_NONE) goto done;
    LODE_TRY(stored_cells(b, s->text, &cells));
    arrow_list text = arrow_list_at(cells, at);
    out->text = (const char *)cells->values + text.first;
    out->text_bytes = text.n;
done:
    return status;
}

/* False: an item of the pattern does not exist in `other`. */
static bool pair_hash(const pair_pattern *p, uint64_t *out) {
    const keyed *key = keyed_process();
    uint64_t hash = keyed_bytes(key, p->text_bytes ? p->text : "", p->text_bytes);
    for (unsigned k = 0; k < 2; k++) {
        uint64_t sum = p->lists[k].n;
        for (uint32_t i = 0; i < p->lists[k].n; i++) {
            uint32_t item = pair_item(&p->lists[k], i);
            if (item == STORED_NONE) return false;
            sum += keyed_number(key, item);
        }
        hash = keyed_number(key, hash ^ sum);
    }
    *out = hash;
    return true;
}

/* ---- comparing patterns ---------------------------------------------------------------------- */

static bool pair_lists_equal(const pair_list *a, const pair_list *b, pair_stamps *stamps) {
    if (a->n != b->n) return false;
    if (stamps->last == UINT32_MAX) {
        memset(stamps->of, 0, b->n_names * sizeof *stamps->of);
        stamps->last = 0;
    }
    const uint32_t stamp = ++stamps->last;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t item = pair_item(b, i);
        if (item == STORED_NONE) return false;
        stamps->of[item] = stamp;
    }
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t item = pair_item(a, i);
        if (item == STORED_NONE || stamps->of[item] != stamp) return false;
    }
    return true;
}

/* Whether a row of `other` has this pattern, all of whose items exist in `other`. */
static lode_status pair_compare(pair_search *s, const pair_pattern *a, uint64_t row,
                                pair_stamps *stamps, bool *equal) {
    pair_pattern b;
    stored_batch *batch = &s->batches[arrow_batch_of(s->other->file, row)];
    lode_status status = pair_pattern_at(batch, NULL, (uint32_t)(row - batch->first), &b);
    if (status != LODE_OK) return status;
    *equal = a->text_bytes == b.text_bytes &&
             (a->text_bytes == 0 || memcmp(a->text, b.text, a->text_bytes) == 0) &&
             pair_lists_equal(&a->lists[0], &b.lists[0], stamps) &&
             pair_lists_equal(&a->lists[1], &b.lists[1], stamps);
    return LODE_OK;
}

/* ---- the table of the other store ------------------------------------------------------------ */

static lode_status pair_visit_hash(void *user, const scan_block *block) {
    lode_status status = LODE_OK;
    pair_search *s = user;
    pair_pattern p;
    LODE_TRY(job_check(s->store->job));
    for (uint32_t i = 0; i < block->range.n; i++) {
        LODE_TRY(pair_pattern_at(block->batch, NULL, block->range.from + i, &p));
        s->hashes[block->first + i] = 0;
        (void)pair_hash(&p, &s->hashes[block->first + i]);
    }
done:
    return status;
}

static lode_status pair_answer_hash(const query_plan *plan, void *user) {
    return scan_all(plan, pair_visit_hash, user);
}

/* Reads the cells of all batches of `other`, because partners are looked up in any order. */
static lode_status pair_read_cells(pair_search *s) {
    lode_status status = LODE_OK;
    const uint32_t columns[] = {s->other->items, s->other->rhs, s->other->text};
    const size_t per_batch = stored_cells_bytes(s->other) / sizeof *s->cells;
    const arrow_cells *cells;
    lode_counts counts;
    for (uint32_t b = 0; b < arrow_n_batches(s->other->file); b++) {
        s->batches[b].cells = s->cells + b * per_batch;
        stored_turn(&s->batches[b], s->other, b);
        for (unsigned k = 0; k < 3; k++) {
            if (columns[k] == STORED_NONE) continue;
            LODE_TRY(stored_cells(&s->batches[b], columns[k], &cells));
        }
        if (s->batches[b].rows > 0) LODE_TRY(stored_counts_of(&s->batches[b], 0, &counts));
    }
done:
    return status;
}

/* The table has each pattern once: rows with equal patterns, which a result of lode does not have,
 * would otherwise make it slow. */
static lode_status pair_add(pair_search *s, uint64_t row) {
    lode_status status = LODE_OK;
    stored_batch *batch = &s->batches[arrow_batch_of(s->other->file, row)];
    pair_pattern p;
    bool equal = false;
    size_t at = (size_t)s->hashes[row] & (s->n_slots - 1);
    for (; s->slots[at] != 0 && !equal; at = (at + 1) & (s->n_slots - 1)) {
        uint64_t before = s->slots[at] - 1;
        if (s->hashes[before] != s->hashes[row]) continue;
        LODE_TRY(pair_pattern_at(batch, NULL, (uint32_t)(row - batch->first), &p));
        LODE_TRY(pair_compare(s, &p, before, &s->stamps[0], &equal));
    }
    if (!equal) s->slots[at] = (uint32_t)row + 1;
done:
    return status;
}

static lode_status pair_fill(pair_search *s) {
    lode_status status = LODE_OK;
    for (uint64_t row = 0; row < s->other->info.rows; row++) {
        if (row % 65536 == 0) LODE_TRY(job_check(s->store->job));
        LODE_TRY(pair_add(s, row));
    }
done:
    return status;
}

static lode_status pair_prepare(pair_search *s) {
    lode_status status = LODE_OK;
    lode_store *other = s->other;
    mem *m = &s->store->job->mem;
    const size_t names = other->n_names + (size_t)1, rows = (size_t)other->info.rows;
    const size_t batches = arrow_n_batches(other->file) + (size_t)1;
    const unsigned width = scan_width(s->store);
    s->n_slots = (size_t)bits_next_power_of_two(rows + rows / 2 + 2);
    LODE_TRY(mem_keep(m, &s->kept, (void **)&s->hashes, (rows + 1) * sizeof *s->hashes));
    LODE_TRY(mem_keep_zero(m, &s->kept, (void **)&s->slots, s->n_slots * sizeof *s->slots));
    LODE_TRY(mem_keep_zero(m, &s->kept, (void **)&s->batches, batches * sizeof *s->batches));
    LODE_TRY(mem_keep_zero(m, &s->kept, (void **)&s->cells, batches * stored_cells_bytes(other)));
    LODE_TRY(mem_keep_zero(m, &s->kept, (void **)&s->stamps, width * sizeof *s->stamps));
    for (unsigned w = 0; w < width; w++) {
        LODE_TRY(
            mem_keep_zero(m, &s->kept, (void **)&s->stamps[w].of, names * sizeof *s->stamps[w].of));
    }
    LODE_TRY(scan_ask(other, NULL, pair_answer_hash, s));
    LODE_TRY(pair_read_cells(s));
    LODE_TRY(pair_fill(s));
done:
    return status;
}

/* ---- looking up the partners ----------------------------------------------------------------- */

static lode_status pair_translate(pair_search *s) {
    const size_t names = s->store->n_names + (size_t)1;
    lode_status status =
        mem_keep_zero(&s->store->job->mem, &s->kept, (void **)&s->codes, names * sizeof *s->codes);
    for (uint32_t item = 0; status == LODE_OK && item < s->store->n_names; item++) {
        size_t bytes;
        const char *name = names_at(s->store, item, &bytes);
        if (item % 4096 == 0) status = job_check(s->store->job);
        s->codes[item] = names_find(s->other, name, bytes);
    }
    return status;
}

static lode_status pair_find(pair_search *s, const pair_pattern *p, pair_stamps *stamps,
                             uint64_t *partner) {
    uint64_t hash;
    bool equal = false;
    *partner = UINT64_MAX;
    if (!pair_hash(p, &hash)) return LODE_OK;
    size_t at = (size_t)hash & (s->n_slots - 1);
    for (; s->slots[at] != 0; at = (at + 1) & (s->n_slots - 1)) {
        uint64_t row = s->slots[at] - 1;
        if (s->hashes[row] != hash) continue;
        lode_status status = pair_compare(s, p, row, stamps, &equal);
        if (status != LODE_OK) return status;
        if (!equal) continue;
        *partner = row;
        break;
    }
    return LODE_OK;
}

/* Whether a row of a batch and a row of `other` have the same counts. */
static lode_status pair_compare_counts(pair_search *s, stored_batch *b, uint32_t at, uint64_t row,
                                       bool *equal) {
    lode_status status = LODE_OK;
    stored_batch *batch = &s->batches[arrow_batch_of(s->other->file, row)];
    lode_counts here, there;
    LODE_TRY(stored_counts_of(b, at, &here));
    LODE_TRY(stored_counts_of(batch, (uint32_t)(row - batch->first), &there));
    *equal = here.both == there.both && here.lhs == there.lhs && here.rhs == there.rhs &&
             here.total == there.total;
done:
    return status;
}

static lode_status pair_visit(void *user, const scan_block *block) {
    lode_status status = LODE_OK;
    pair_search *s = user;
    pair_pattern p;
    for (uint32_t i = 0; i < block->range.n; i++) {
        const uint32_t at = block->range.from + i;
        uint64_t *partner = &s->partners[block->first + i];
        bool *equal = s->equal ? &s->equal[block->first + i] : NULL;
        LODE_TRY(pair_pattern_at(block->batch, s->codes, at, &p));
        LODE_TRY(pair_find(s, &p, &s->stamps[block->worker], partner));
        if (!equal) continue;
        *equal = false;
        if (*partner == UINT64_MAX) continue;
        LODE_TRY(pair_compare_counts(s, block->batch, at, *partner, equal));
    }
done:
    return status;
}

static lode_status pair_answer(const query_plan *plan, void *user) {
    return scan_all(plan, pair_visit, user);
}

static lode_status pair_check(const lode_store *store, const lode_store *other) {
    static const char *const kinds[] = {"itemsets", "subgraphs", "rules"};
    if (store->info.kind != other->info.kind) {
        return job_fail(store->job, LODE_INVALID,
                        "%s has %s, and %s has %s; only results of the same kind can be compared",
                        store->path, kinds[store->info.kind], other->path, kinds[other->info.kind]);
    }
    if (other->info.rows < UINT32_MAX) return LODE_OK;
    return job_fail(store->job, LODE_UNSUPPORTED,
                    "%s: a result with more than 4,294,967,294 rows cannot be compared",
                    other->path);
}

lode_status lode_store_pair(lode_store *store, lode_store *other, uint64_t *partners, bool *equal) {
    lode_status status = LODE_OK;
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(other), VALID_NEEDS(partners));
    pair_search s = {.store = store, .other = other, .partners = partners, .equal = equal};
    LODE_TRY(pair_check(store, other));
    LODE_TRY(names_load(store));
    LODE_TRY(names_load(other));
    LODE_TRY(pair_translate(&s));
    LODE_TRY(pair_prepare(&s));
    LODE_TRY(scan_ask(store, NULL, pair_answer, &s));
    status = stored_end(other, status);
done:
    mem_drop(&store->job->mem, &s.kept);
    return job_explain(store->job, stored_end_row(store, status), "comparing stored results");
}
