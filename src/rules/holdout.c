/* holdout.c - see holdout.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/holdout.h"

#include "base/rng.h"
#include "data/transactions/project.h"
#include "data/transactions/recount.h"
#include "write/itemsets/item_columns.h"

#define HOLDOUT_ASK    4096                 /* rules between checks for a stop */
#define HOLDOUT_STREAM UINT64_C(0x686f6c64) /* its numbers are not those of generators */

/* ---- which part ----------------------------------------------------------------------------- */

lode_status holdout_open(lode_job *job, const lode_dataset *data, const char *text, uint64_t seed,
                         holdout *out) {
    lode_threshold t;
    *out = (holdout){.given = text != NULL, .seed = seed};
    if (!text && seed == 0) return LODE_OK;
    if (!text) return job_fail(job, LODE_INVALID, "--seed has no effect without --holdout SHARE");
    if (lode_threshold_parse(text, &t, NULL, 0) == LODE_OK && t.denominator > 0) {
        out->share = t;
        if (t.numerator < t.denominator) return LODE_OK;
        return job_fail(job, LODE_INVALID, "--holdout: '%s' leaves no transactions to search",
                        text);
    }
    if (text[0] == 0) return job_fail(job, LODE_INVALID, "--holdout: expected a share or a file");
    if (seed != 0) {
        return job_fail(job, LODE_INVALID, "--seed has no effect with --holdout FILE");
    }
    /* Read as the data were, as far as that is known. */
    lode_read_options o = {
        .size = sizeof o, .format = data->profile.format, .separator = data->profile.separator};
    lode_status status = lode_dataset_open(job, &out->held, text, &o);
    if (status == LODE_OK) out->path = text;
    if (status == LODE_NOTFOUND && text[strspn(text, "0123456789.")] == 0) {
        job_clear_message(job);
        status = job_fail(job, status,
                          "--holdout: cannot open '%s'; for a share of the transactions, write "
                          "0.3 or 30%%",
                          text);
    }
    return status;
}

bool holdout_holds(lode_threshold share, uint64_t seed, uint64_t transaction) {
    unsigned __int128 part = ((unsigned __int128)share.numerator << 64) / share.denominator;
    rng r = rng_make(seed, HOLDOUT_STREAM);
    return rng_at(&r, transaction) < part; /* of 2^64 values, share * 2^64 are held out */
}

typedef struct holdout_choice {
    const holdout *h;
    bool held; /* takes those, or the others */
} holdout_choice;

static bool holdout_takes(void *user, uint64_t transaction) {
    const holdout_choice *c = user;
    return holdout_holds(c->h->share, c->h->seed, transaction) == c->held;
}

static lode_status holdout_divide_share(lode_job *job, const lode_dataset *data, holdout *h) {
    holdout_choice c = {.h = h};
    lode_status status = dataset_divide(job, data, holdout_takes, &c, &h->searched);
    c.held = true;
    return status == LODE_OK ? dataset_divide(job, data, holdout_takes, &c, &h->held) : status;
}

/* The id of an item of the data searched that has the name of another's; RECOUNT_NO_ITEM: none. */
static uint32_t holdout_find(const lode_dataset *data, const char *name, size_t n) {
    uint32_t item, id;
    bool found = lode_dataset_item_find(data, name, n, &item) && dataset_find_id(data, item, &id);
    return found ? id : RECOUNT_NO_ITEM;
}

static lode_status holdout_map_file(lode_job *job, const lode_dataset *data, holdout *h) {
    lode_status status = LODE_OK;
    mem *m = &job->mem;
    vec_char name = {0};
    h->map_bytes = h->held->item_bound * sizeof *h->map;
    LODE_TRY(mem_zalloc(m, (void **)&h->map, h->map_bytes));
    LODE_TRY(vec_char_reserve(m, &name, 16));
    for (uint32_t id = 0; id < h->held->item_bound; id++) {
        size_t n = dataset_id_name(h->held, id, name.data, name.cap);
        if (n > name.cap) {
            LODE_TRY(vec_char_reserve(m, &name, n));
            n = dataset_id_name(h->held, id, name.data, name.cap);
        }
        h->map[id] = holdout_find(data, name.data, n);
    }
done:
    vec_char_free(m, &name);
    return status;
}

/* A file of other items is another format, or another file. */
static lode_status holdout_check_file(lode_job *job, holdout *h) {
    for (uint32_t id = 0; id < h->held->item_bound; id++) {
        bool there = h->held->item_supports[id] > 0;
        h->n_items += there;
        h->n_known += there && h->map[id] != RECOUNT_NO_ITEM;
    }
    if (h->n_known > 0 || h->n_items == 0) return LODE_OK;
    return job_fail(job, LODE_PARSE,
                    "%s: none of its items is in the searched data; expected transactions with "
                    "the same items, in the same format",
                    h->path);
}

lode_status holdout_divide(lode_job *job, const lode_dataset *data, holdout *h) {
    if (!h->given) return LODE_OK;
    lode_status status = h->share.denominator > 0 ? holdout_divide_share(job, data, h)
                                                  : holdout_map_file(job, data, h);
    if (status == LODE_OK && h->map) status = holdout_check_file(job, h);
    if (status != LODE_OK || h->held->total_weight > 0) return status;
    return job_fail(job, LODE_INVALID, "--holdout: the held-out part has no transactions");
}

void holdout_clear(lode_job *job, holdout *h) {
    lode_dataset_free(h->searched);
    lode_dataset_free(h->held);
    if (h->map) mem_free(&job->mem, h->map, h->map_bytes);
    *h = (holdout){0};
}

/* ---- the rules there ------------------------------------------------------------------------ */

static lode_status holdout_put(mem *m, columns *sets, const uint32_t *a, uint32_t n_a,
                               const uint32_t *b, uint32_t n_b) {
    lode_status status = LODE_OK;
    size_t n = (size_t)n_a + n_b;
    LODE_TRY(vec_u32_reserve(m, &sets->items, n));
    LODE_TRY(vec_u64_push(m, &sets->supports, 0));
    if (sets->offsets.n == 0) LODE_TRY(vec_u64_push(m, &sets->offsets, 0));
    uint32_t *to = sets->items.data + sets->items.n;
    if (n_a > 0) memcpy(to, a, n_a * sizeof *a);
    if (n_b > 0) memcpy(to + n_a, b, n_b * sizeof *b);
    sort_u32(to, n);
    sets->items.n += n;
    status = vec_u64_push(m, &sets->offsets, sets->items.n);
done:
    return status;
}

/* Three sets for each rule: both sides, the antecedent, the consequent. */
static lode_status holdout_sets(const rule_list *list, columns *sets) {
    lode_status status = LODE_OK;
    mem *m = &list->job->mem;
    for (size_t i = 0; i < list->rows.n; i++) {
        lode_rule r = rule_list_at(list, i);
        LODE_TRY(holdout_put(m, sets, r.lhs, r.n_lhs, r.rhs, r.n_rhs));
        LODE_TRY(holdout_put(m, sets, r.lhs, r.n_lhs, NULL, 0));
        LODE_TRY(holdout_put(m, sets, r.rhs, r.n_rhs, NULL, 0));
        if (i % HOLDOUT_ASK == 0) LODE_TRY(job_check(list->job));
    }
done:
    return status;
}

lode_status holdout_count(const holdout *h, const lode_dataset *data, rule_list *list) {
    lode_status status = LODE_OK;
    columns sets = {0};
    if (!h->given) return LODE_OK;
    list->held_total = h->held->total_weight;
    if (list->rows.n == 0) return LODE_OK;
    LODE_TRY(holdout_sets(list, &sets));
    recount_sets all = columns_recount(&sets);
    LODE_TRY(recount(list->job, h->held, h->map, data->item_bound, &all));
    for (size_t i = 0; i < list->rows.n; i++) {
        rule_row *row = &list->rows.data[i];
        row->held_both = sets.supports.data[3 * i];
        row->held_lhs = sets.supports.data[3 * i + 1];
        row->held_rhs = sets.supports.data[3 * i + 2];
    }
done:
    columns_free(&list->job->mem, &sets);
    return status;
}
