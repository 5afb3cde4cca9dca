/* clean_hints.c - names that may mean the same; see clean_state.h
 *
 * Names are compared in their folded form (fold.h), so names that differ only in case, accents or
 * blanks are equal. Names that differ in one character are found by hashes: of each name, and of
 * the name without each of its characters. Two such names share a hash, whichever character was
 * changed, added, omitted or swapped with its neighbour. Names that share a hash are then compared;
 * if many names share a hash, only some of them are compared.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "extras/clean/clean_state.h"
#include "extras/clean/fold.h"

#define HINT_LEAST  6      /* characters of names that may differ in one */
#define HINT_SWAPS  4      /* characters of names that may differ by two that are swapped */
#define HINT_MOST   64     /* bytes of such names */
#define HINT_NAMES  100000 /* maximum number of names to compare */
#define HINT_SHARED 64     /* names of one hash that are compared */

typedef struct hint_entry {
    uint64_t hash;
    uint32_t id;
} hint_entry;

static bool hint_before(const hint_entry *a, const hint_entry *b) {
    return a->hash != b->hash ? a->hash < b->hash : a->id < b->id;
}
#define SORT_NAME   sort_hints
#define SORT_TYPE   hint_entry
#define SORT_BEFORE hint_before
#include "base/sort_body.h"

typedef struct hint_state {
    lode_job *job;
    const lode_dataset *data;
    lode_clean_report *report;
    hint_entry *entries;
    size_t n, cap;
    vec_char text; /* all folded names */
    vec_u64 ends;
    vec_char name, folded, scratch;
} hint_state;

static const char *hint_folded(const hint_state *h, uint32_t id, size_t *n) {
    uint64_t start = id > 0 ? h->ends.data[id - 1] : 0;
    *n = (size_t)(h->ends.data[id] - start);
    return h->text.data + start;
}

/* ---- hashes ---- */

static lode_status hint_add(hint_state *h, const char *text, size_t n, uint32_t id) {
    if (h->n == h->cap) {
        lode_status status =
            vec_grow(&h->job->mem, (void **)&h->entries, h->n, &h->cap, 1, sizeof *h->entries);
        if (status != LODE_OK) return status;
    }
    h->entries[h->n++] = (hint_entry){keyed_bytes(keyed_process(), text, n), id};
    return LODE_OK;
}

/* Adds the hashes of a name, and of the name without each of its characters. */
static lode_status hint_enter(hint_state *h, uint32_t id) {
    lode_status status = LODE_OK;
    char left[HINT_MOST];
    size_t n, characters = 0;
    const char *name = hint_folded(h, id, &n);
    LODE_TRY(hint_add(h, name, n, id));
    if (n > HINT_MOST) goto done;
    for (size_t i = 0; i < n; characters++) i += utf8_next(name + i, n - i).taken;
    if (characters < HINT_SWAPS) goto done;
    for (size_t i = 0, taken; i < n; i += taken) {
        taken = utf8_next(name + i, n - i).taken;
        memcpy(left, name, i);
        memcpy(left + i, name + i + taken, n - i - taken);
        LODE_TRY(hint_add(h, left, n - taken, id));
    }
done:
    return status;
}

static lode_status hint_fold_all(hint_state *h) {
    lode_status status = LODE_OK;
    mem *m = &h->job->mem;
    const unsigned all = FOLD_BLANKS | FOLD_ACCENTS | FOLD_CASE;
    for (uint32_t id = 0; id < h->data->item_bound; id++) {
        if (id % 1024 == 0) LODE_TRY(job_check(h->job));
        h->folded.n = 0;
        if (h->data->item_supports[id] > 0) {
            LODE_TRY(clean_name_of(m, h->data, id, &h->name));
            LODE_TRY(fold_name(m, all, h->name.data, h->name.n, &h->folded, &h->scratch));
        }
        LODE_TRY(vec_char_append(m, &h->text, h->folded.data, h->folded.n));
        LODE_TRY(vec_u64_push(m, &h->ends, h->text.n));
        if (h->folded.n > 0) LODE_TRY(hint_enter(h, id));
    }
done:
    return status;
}

/* ---- comparing ---- */

static bool hint_is_digit(const char *p, const char *end) {
    return p < end && *p >= '0' && *p <= '9';
}

/* Whether two texts differ in one character, which is no digit in either. */
static bool hint_one_apart(const char *a, size_t n_a, const char *b, size_t n_b) {
    const char *a_end = a + n_a, *b_end = b + n_b;
    while (a < a_end && b < b_end && *a == *b) a++, b++;
    while (a > a_end - n_a && ((unsigned char)*a & 0xc0) == 0x80) a--, b--; /* within a character */
    size_t left_a = (size_t)(a_end - a), left_b = (size_t)(b_end - b);
    size_t step_a = left_a > 0 ? utf8_next(a, left_a).taken : 0;
    size_t step_b = left_b > 0 ? utf8_next(b, left_b).taken : 0;
    bool changed = step_a > 0 && step_b > 0 && left_a - step_a == left_b - step_b &&
                   memcmp(a + step_a, b + step_b, left_a - step_a) == 0;
    bool longer = step_a > 0 && left_a - step_a == left_b && memcmp(a + step_a, b, left_b) == 0;
    bool shorter = step_b > 0 && left_b - step_b == left_a && memcmp(b + step_b, a, left_a) == 0;
    if (changed) return !hint_is_digit(a, a_end) && !hint_is_digit(b, b_end);
    if (longer) return !hint_is_digit(a, a_end);
    return shorter && !hint_is_digit(b, b_end);
}

static bool hint_has_least(const char *name, size_t n, size_t least) {
    size_t characters = 0;
    for (size_t i = 0; i < n && characters < least; characters++) {
        i += utf8_next(name + i, n - i).taken;
    }
    return characters == least;
}

/* Whether two texts differ in two neighbours that are swapped, and are no digits: Mlik, Milk. */
static bool hint_swapped(const char *a, const char *b, size_t n) {
    size_t i = 0;
    while (i < n && a[i] == b[i]) i++;
    while (i > 0 && i < n && ((unsigned char)a[i] & 0xc0) == 0x80) i--; /* within a character */
    if (i == n) return false;
    size_t first = utf8_next(a + i, n - i).taken;
    if (i + first >= n) return false;
    size_t second = utf8_next(a + i + first, n - i - first).taken, both = first + second;
    if (hint_is_digit(a + i, a + n) || hint_is_digit(a + i + first, a + n)) return false;
    return memcmp(a + i, b + i + second, first) == 0 && memcmp(a + i + first, b + i, second) == 0 &&
           memcmp(a + i + both, b + i + both, n - i - both) == 0;
}

/* Whether two folded names may be spellings of one. */
static bool hint_alike(const char *a, size_t n_a, const char *b, size_t n_b) {
    if (n_a == n_b && hint_has_least(a, n_a, HINT_SWAPS) && hint_swapped(a, b, n_a)) return true;
    return (hint_has_least(a, n_a, HINT_LEAST) || hint_has_least(b, n_b, HINT_LEAST)) &&
           hint_one_apart(a, n_a, b, n_b);
}

static bool hint_is_known(const lode_clean_report *r, uint32_t from, uint32_t to,
                          const uint32_t (*pairs)[2]) {
    for (size_t i = 0; i < r->n_hints_kept; i++) {
        if (pairs[i][0] == from && pairs[i][1] == to) return true;
    }
    return false;
}

/* Notes two names, the rarer first. */
static lode_status hint_note(hint_state *h, uint32_t a, uint32_t b, bool letter,
                             uint32_t (*pairs)[2]) {
    lode_status status = LODE_OK;
    lode_clean_report *r = h->report;
    const uint64_t *supports = h->data->item_supports;
    uint32_t from = supports[a] < supports[b] ? a : b, to = from == a ? b : a;
    if (r->n_hints_kept == CLEAN_HINTS || hint_is_known(r, from, to, pairs)) return LODE_OK;
    clean_hint hint = {
        .from_baskets = supports[from], .to_baskets = supports[to], .letter = letter};
    LODE_TRY(clean_name_of(&h->job->mem, h->data, from, &h->name));
    LODE_TRY(clean_keep_text(r, h->name.data, h->name.n, &hint.from));
    LODE_TRY(clean_name_of(&h->job->mem, h->data, to, &h->name));
    LODE_TRY(clean_keep_text(r, h->name.data, h->name.n, &hint.to));
    pairs[r->n_hints_kept][0] = from;
    pairs[r->n_hints_kept][1] = to;
    r->hints[r->n_hints_kept++] = hint;
    r->n_hints = r->n_hints_kept;
done:
    return status;
}

/* Compares two names of the same hash. */
static lode_status hint_compare(hint_state *h, uint32_t a, uint32_t b, uint32_t (*pairs)[2]) {
    size_t n_a, n_b;
    const char *x = hint_folded(h, a, &n_a), *y = hint_folded(h, b, &n_b);
    bool same = n_a == n_b && memcmp(x, y, n_a) == 0;
    if (a == b || (!same && !hint_alike(x, n_a, y, n_b))) return LODE_OK;
    return hint_note(h, a, b, !same, pairs);
}

static lode_status hint_compare_all(hint_state *h, uint32_t (*pairs)[2]) {
    lode_status status = LODE_OK;
    for (size_t i = 0, end; i < h->n && h->report->n_hints_kept < CLEAN_HINTS; i = end) {
        for (end = i + 1; end < h->n && h->entries[end].hash == h->entries[i].hash;) end++;
        size_t stop = end - i < HINT_SHARED ? end : i + HINT_SHARED;
        LODE_TRY(job_check(h->job));
        for (size_t a = i; a < stop; a++) {
            for (size_t b = a + 1; b < stop; b++) {
                LODE_TRY(hint_compare(h, h->entries[a].id, h->entries[b].id, pairs));
            }
        }
    }
done:
    return status;
}

/* The order of hints must not depend on the key of the hashes. */
static bool hint_is_first(const clean_hint *a, const clean_hint *b) {
    if (a->letter != b->letter) return b->letter;
    if (a->from_baskets != b->from_baskets) return a->from_baskets > b->from_baskets;
    return a->to_baskets != b->to_baskets ? a->to_baskets > b->to_baskets : false;
}

static bool hint_text_first(const char *text, const clean_hint *a, const clean_hint *b) {
    if (hint_is_first(a, b) || hint_is_first(b, a)) return hint_is_first(a, b);
    int from = strcmp(text + a->from, text + b->from);
    return from != 0 ? from < 0 : strcmp(text + a->to, text + b->to) < 0;
}

static void hint_sort(lode_clean_report *r) {
    for (size_t i = 1; i < r->n_hints_kept; i++) {
        clean_hint hint = r->hints[i];
        size_t at = i;
        for (; at > 0 && hint_text_first(r->text.data, &hint, &r->hints[at - 1]); at--) {
            r->hints[at] = r->hints[at - 1];
        }
        r->hints[at] = hint;
    }
}

/* Keeps only the first hint of each name, because a name can be replaced by one other name only.
 * Hints cannot form cycles: they lead to names that are more frequent, or equally frequent and
 * earlier. */
static void hint_keep_first(lode_clean_report *r) {
    size_t n = 0;
    for (size_t i = 0; i < r->n_hints_kept; i++) {
        const char *from = r->text.data + r->hints[i].from;
        size_t k = 0;
        while (k < n && strcmp(r->text.data + r->hints[k].from, from) != 0) k++;
        if (k == n) r->hints[n++] = r->hints[i];
    }
    r->n_hints_kept = r->n_hints = n;
}

lode_status clean_find_hints(lode_job *job, const lode_dataset *data, lode_clean_report *report) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    hint_state h = {.job = job, .data = data, .report = report};
    sort_stop stop = job_sort_stop(job);
    uint32_t(*pairs)[2] = NULL;
    if (data->profile.n_items > HINT_NAMES || data->numeric) return LODE_OK;
    LODE_TRY(mem_zalloc(m, (void **)&pairs, CLEAN_HINTS * sizeof *pairs));
    LODE_TRY(hint_fold_all(&h));
    if (!sort_hints(h.entries, h.n, &stop)) LODE_LEAVE(job_check(job));
    LODE_TRY(hint_compare_all(&h, pairs));
    hint_sort(report);
    hint_keep_first(report);
done:
    mem_free(m, h.entries, h.cap * sizeof *h.entries);
    mem_free(m, pairs, pairs ? CLEAN_HINTS * sizeof *pairs : 0);
    vec_char_free(m, &h.text);
    vec_u64_free(m, &h.ends);
    vec_char_free(m, &h.name);
    vec_char_free(m, &h.folded);
    vec_char_free(m, &h.scratch);
    return status;
}
