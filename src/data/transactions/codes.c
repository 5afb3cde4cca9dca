/* codes.c - see codes.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "data/transactions/codes.h"

#include "base/utf8.h"

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
