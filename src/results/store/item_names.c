/* item_names.c - see item_names.h
 *
 * A table of slots by hash, at most half full; the names themselves stay in the file.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/item_names.h"

#include "base/bits.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "runtime/valid.h"

static size_t names_slot(const lode_store *s, const char *name, size_t n) {
    return (size_t)keyed_bytes(keyed_process(), name, n) & (s->n_slots - 1);
}

static lode_status names_fill(lode_store *s) {
    for (uint32_t item = 0; item < s->n_names; item++) {
        size_t bytes;
        const char *name = names_at(s, item, &bytes);
        if (item % 4096 == 0) {
            lode_status status = stored_poll(s);
            if (status != LODE_OK) return status;
        }
        size_t at = names_slot(s, name, bytes);
        while (s->slots[at] != 0) at = (at + 1) & (s->n_slots - 1);
        s->slots[at] = item + 1;
    }
    return LODE_OK;
}

lode_status names_load(lode_store *s) {
    lode_status status = LODE_OK;
    uint64_t n = 0;
    mem *m = &s->job->mem;
    if (s->has_names || s->items == STORED_NONE) return LODE_OK;
    LODE_TRY(arrow_names(s->file, arrow_column_at(s->file, s->items)->dictionary, &n));
    if (n > INT32_MAX) {
        LODE_LEAVE(
            job_fail(s->job, LODE_PARSE, "%s: damaged: it has more names than codes", s->path));
    }
    s->n_names = (uint32_t)n;
    s->n_slots = (size_t)bits_next_power_of_two(2 * n + 2);
    status = mem_zalloc(m, (void **)&s->slots, s->n_slots * sizeof *s->slots);
    if (status != LODE_OK) s->n_slots = 0;
    if (status == LODE_OK) status = names_fill(s);
    s->has_names = status == LODE_OK;
    if (!s->has_names) {
        mem_free(m, s->slots, s->n_slots * sizeof *s->slots);
        s->slots = NULL;
        s->n_slots = 0;
    }
done:
    return job_explain(s->job, status, "reading the names of a stored result");
}

uint32_t names_find(const lode_store *s, const char *name, size_t n) {
    size_t at = names_slot(s, name, n);
    for (; s->slots[at] != 0; at = (at + 1) & (s->n_slots - 1)) {
        size_t bytes;
        const char *other = names_at(s, s->slots[at] - 1, &bytes);
        if (bytes == n && memcmp(other, name, n) == 0) return s->slots[at] - 1;
    }
    return UINT32_MAX;
}

#define NAMES_HINTS   256 /* names that are compared at a time */
#define NAMES_GUESSES 100 /* that a store makes: each looks at all names */

/* The nearest of some names from `first` on, as a copy; *best keeps it if nothing is nearer. */
static void names_guess(const lode_store *s, uint32_t first, const char *word, char *best) {
    char texts[NAMES_HINTS + 1][NEAREST_BYTES];
    const char *known[NAMES_HINTS + 1];
    size_t n = 0;
    if (best[0]) {
        memcpy(texts[0], best, NEAREST_BYTES);
        known[n++] = texts[0];
    }
    for (uint32_t i = first; i < s->n_names && i < first + NAMES_HINTS; i++) {
        size_t bytes;
        const char *name = names_at(s, i, &bytes);
        if (bytes == 0 || bytes >= NEAREST_BYTES) continue;
        memcpy(texts[n], name, bytes);
        texts[n][bytes] = 0;
        known[n] = texts[n];
        n++;
    }
    const char *near = nearest_name(word, known, n);
    if (near) memmove(best, near, strlen(near) + 1);
}

lode_status names_unknown(lode_store *s, const char *what, const char *name, size_t n) {
    char word[NEAREST_BYTES] = "", best[NEAREST_BYTES] = "";
    if (n < sizeof word && s->n_guesses < NAMES_GUESSES) {
        memcpy(word, name, n);
        s->n_guesses++;
    }
    for (uint32_t i = 0; i < s->n_names && word[0]; i += NAMES_HINTS) {
        lode_status status = job_check(s->job);
        if (status != LODE_OK) return status;
        names_guess(s, i, word, best);
    }
    return job_fail(s->job, LODE_INVALID, "%s%sunknown item '%.*s'%s%s%s", what,
                    what[0] ? ": " : "", (int)(n < 200 ? n : 200), name,
                    best[0] ? "; did you mean '" : "", best, best[0] ? "'?" : "");
}

lode_status lode_store_items(lode_store *store, uint32_t *n) {
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(n));
    lode_status status = stored_end_row(store, names_load(store));
    if (status == LODE_OK) *n = store->n_names;
    return status;
}

const char *lode_store_item_name(const lode_store *store, uint32_t item, size_t *bytes) {
    size_t n = 0;
    bool known = store && store->has_names && item < store->n_names;
    const char *name = known ? names_at(store, item, &n) : "";
    if (bytes) *bytes = n;
    return name;
}

lode_status lode_store_item_find(lode_store *store, const char *name, size_t name_bytes,
                                 uint32_t *item) {
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(name), VALID_NEEDS(item));
    lode_status status = stored_end_row(store, names_load(store));
    if (status != LODE_OK) return status;
    uint32_t found = store->has_names ? names_find(store, name, name_bytes) : UINT32_MAX;
    if (found == UINT32_MAX) status = names_unknown(store, "", name, name_bytes);
    status = stored_end_row(store, status);
    if (status == LODE_OK) *item = found;
    return status;
}
