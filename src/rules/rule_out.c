/* rule_out.c - see rule_out.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rules/rule_out.h"

#define OUT_HAND_OVER 4096 /* rules of a thread before the list gets them */

lode_status rule_writer_open(rule_out *out, rule_writer *w) {
    *w = (rule_writer){.out = out};
    return out->list ? LODE_OK : rule_sink_open_worker(out->sink, &w->worker);
}

lode_status rule_writer_close(rule_writer *w) {
    lode_status status = LODE_OK;
    if (!w->out) return LODE_OK;
    if (w->out->list) {
        atomic_fetch_add_explicit(&w->out->list->cut, w->cut, memory_order_relaxed);
        status = rule_list_join(w->out->list, &w->rows);
    }
    if (w->worker) status = sink_close_worker(w->worker);
    atomic_fetch_add_explicit(&w->out->filtered, w->filtered, memory_order_relaxed);
    rule_rows_free(&w->out->job->mem, &w->rows);
    *w = (rule_writer){0};
    return status;
}

/* Reserves a place in a list; false: the limit is reached. */
static bool rule_list_take_room(rule_list *list) {
    uint64_t room = atomic_load_explicit(&list->room, memory_order_relaxed);
    if (room == UINT64_MAX) return true;
    while (room > 0 && !atomic_compare_exchange_weak(&list->room, &room, room - 1)) continue;
    return room > 0;
}

lode_status rule_writer_emit(rule_writer *w, const lode_rule *rule) {
    rule_list *list = w->out->list;
    if (!list) return rule_sink_emit(w->worker, rule);
    double key = list->cuts ? wants_key(list->wants, rule) : 0;
    if (list->cuts && key < atomic_load_explicit(&list->least, memory_order_relaxed)) {
        w->cut++;
        return LODE_OK;
    }
    if (!rule_list_take_room(list)) return rule_sink_full(w->out->job);
    lode_status status = rule_rows_add(&w->out->job->mem, &w->rows, rule, key);
    if (status == LODE_OK && w->rows.n >= OUT_HAND_OVER) status = rule_list_join(list, &w->rows);
    return status;
}

lode_status rule_writer_batch(rule_writer *w, const rule_batch *b, uint64_t total) {
    lode_status status = LODE_OK;
    if (!w->out->list) return rule_sink_emit_batch(w->worker, b);
    for (uint32_t i = 0; i < b->n && status == LODE_OK; i++) {
        lode_rule rule = rule_batch_at(b, i, total);
        status = rule_writer_emit(w, &rule);
    }
    return status;
}
