/* item_order.c - see item_order.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/item_order.h"

#include "base/utf8.h"

static bool rank_before(const ranked_item *a, const ranked_item *b) {
    return a->support != b->support ? a->support < b->support : a->id < b->id;
}

#define SORT_NAME   sort_ranked
#define SORT_TYPE   ranked_item
#define SORT_BEFORE rank_before
#include "base/sort_body.h"

uint32_t rank_count(const lode_dataset *data, const uint64_t *supports, uint64_t min_count) {
    uint32_t n = 0, end = data->order ? data->n_order : data->item_bound;
    for (uint32_t i = 0; i < end; i++) {
        n += supports[data->order ? data->order[i] : i] >= min_count;
    }
    return n;
}

/* As the data set orders them: from its end. */
static void rank_as_ordered(const lode_dataset *data, const uint64_t *supports, uint64_t min_count,
                            ranking *r) {
    for (uint32_t i = data->n_order, k = 0; i-- > 0;) {
        uint32_t id = data->order[i];
        if (supports[id] >= min_count) r->items[k++] = (ranked_item){supports[id], id};
    }
}

lode_status rank_frequent(lode_job *job, const lode_dataset *data, const uint64_t *supports,
                          uint64_t min_count, ranking *out) {
    lode_status status = LODE_OK;
    ranking r = {.n = rank_count(data, supports, min_count)};
    LODE_TRY(mem_resize(&job->mem, (void **)&r.items, 0, r.n * sizeof *r.items));
    if (data->order) {
        rank_as_ordered(data, supports, min_count, &r);
        goto done;
    }
    for (uint32_t i = 0, k = 0; i < data->item_bound; i++) {
        if (supports[i] >= min_count) r.items[k++] = (ranked_item){supports[i], i};
    }
    sort_stop stop = job_sort_stop(job);
    if (!sort_ranked(r.items, r.n, &stop)) LODE_LEAVE(job_check(job));
done:
    if (status != LODE_OK) rank_free(job, &r);
    *out = r;
    return status;
}

void rank_free(lode_job *job, ranking *r) {
    mem_free(&job->mem, r->items, r->items ? r->n * sizeof *r->items : 0);
    *r = (ranking){0};
}

/* ---- the items that occur, as codes 0, 1, 2, … in print order, and their names as UTF-8 ------ */

lode_status codes_put_text(mem *m, vec_char *to, const char *name, size_t n) {
    lode_status status = LODE_OK;
    for (size_t i = 0; i < n;) {
        utf8_char c = utf8_next(name + i, n - i);
        LODE_TRY(vec_char_append(m, to, c.bytes, c.n));
        i += c.taken;
    }
done:
    return status;
}

/* The next code, with its name. */
static lode_status codes_add(codes *c, const char *name, size_t n) {
    lode_status status = LODE_OK;
    LODE_TRY(codes_put_text(c->mem, &c->text, name, n));
    LODE_TRY(vec_u64_push(c->mem, &c->offsets, c->text.n));
    c->n++;
done:
    return status;
}

static lode_status codes_begin(codes *c, mem *m) {
    *c = (codes){.mem = m};
    return vec_u64_push(m, &c->offsets, 0);
}

/* Gives each item that occurs a code. */
static lode_status codes_number(codes *c, const lode_dataset *data) {
    uint32_t n = 0;
    lode_status status = mem_resize(c->mem, (void **)&c->of, 0, data->item_bound * sizeof *c->of);
    if (status != LODE_OK) return status;
    c->n_ids = data->item_bound;
    for (uint32_t id = 0; id < c->n_ids; id++) {
        c->of[id] = data->item_supports[id] > 0 ? n++ : UINT32_MAX;
    }
    return LODE_OK;
}

static bool codes_have_gaps(const lode_dataset *data) {
    for (uint32_t id = 0; id < data->item_bound; id++) {
        if (data->item_supports[id] == 0) return true;
    }
    return false;
}

lode_status codes_of_items(codes *c, mem *m, const lode_dataset *data) {
    lode_status status = LODE_OK;
    char digits[16];
    LODE_TRY(codes_begin(c, m));
    if (codes_have_gaps(data)) LODE_TRY(codes_number(c, data));
    for (uint32_t id = 0; id < data->item_bound; id++) {
        size_t n;
        const char *name = digits;
        if (data->item_supports[id] == 0) continue;
        if (data->names) {
            name = dict_name(data->names, id, &n);
        } else {
            n = dataset_id_name(data, id, digits, sizeof digits);
        }
        LODE_TRY(codes_add(c, name, n));
    }
done:
    return status;
}

lode_status codes_of_names(codes *c, mem *m, const dict *names) {
    lode_status status = LODE_OK;
    LODE_TRY(codes_begin(c, m));
    for (uint32_t id = 0; id < dict_count(names); id++) {
        size_t n;
        const char *name = dict_name(names, id, &n);
        LODE_TRY(codes_add(c, name, n));
    }
done:
    return status;
}

void codes_free(codes *c) {
    if (!c->mem) return;
    mem_free(c->mem, c->of, c->n_ids * sizeof *c->of);
    vec_u64_free(c->mem, &c->offsets);
    vec_char_free(c->mem, &c->text);
    *c = (codes){0};
}
