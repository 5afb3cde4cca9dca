/* rule_sorted.c - see rule_sorted.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/rules/rule_sorted.h"

#include "write/core/sort_output.h"

static rules_worker *hand_rules(const sort_hand *h) {
    return (rules_worker *)h->worker;
}

/* Hands over the lines that were made, when it is their turn; `made` of them, which are none
 * afterwards. */
static lode_status rules_flush(sort_hand *h, uint64_t *made) {
    rules_worker *w = hand_rules(h);
    lode_status status = hand_may_write(h);
    if (status == LODE_OK) status = text_flush(&rule_file_of(w)->base, &w->block);
    if (status == LODE_OK) sink_note_written(h->out->sink, *made);
    if (status == LODE_OK) *made = 0;
    return status;
}

/* A line that memory has no room for waits for the turn, too. */
static lode_status rules_put_line(sort_hand *h, const lode_rule *rule, uint64_t *made) {
    rules_worker *w = hand_rules(h);
    lode_status status = rule_file_write(w, rule);
    if (status != LODE_BUDGET || w->block.n == 0) return status;
    status = rules_flush(h, made);
    return status == LODE_OK ? rule_file_write(w, rule) : status;
}

static lode_status rules_lines(sort_hand *h, uint32_t size, sort_span rows) {
    lode_status status = LODE_OK;
    rules_worker *w = hand_rules(h);
    const rule_layout *l = &rule_file_of(w)->store.layout;
    unsigned words = rule_row_words(l, size);
    rule_reader reader = rule_reader_of(l, size, h->items.data);
    uint64_t made = 0;
    for (size_t i = 0; i < rows.n; i++, made++) {
        if (w->block.n >= w->block_most) LODE_TRY(rules_flush(h, &made));
        LODE_TRY(rules_put_line(h, rule_read(&reader, rows.rows + i * words), &made));
    }
    status = rules_flush(h, &made);
done:
    if (w->own) sink_note_written(h->out->sink, made); /* these are no lines, and do not wait */
    return status;
}

static lode_status rules_open(sort_hand *h) {
    lode_job *job = h->out->sink->job;
    size_t left = mem_left(&job->mem), most = SORT_TEXT_BYTES;
    if (left != SIZE_MAX && left / SORT_TEXT_SHARE / job->threads < most) {
        most = left / SORT_TEXT_SHARE / job->threads;
    }
    lode_status status = rule_sink_open_worker(h->out->sink, &h->worker);
    if (!h->worker) return status;
    hand_rules(h)->keeps = true;
    hand_rules(h)->block_most = most > SORT_TEXT_LEAST ? most : SORT_TEXT_LEAST;
    return status;
}

static void rules_drop_lines(sort_hand *h) {
    hand_rules(h)->block.n = 0;
}

static const sort_output_ops rules_ops = {
    .open = rules_open, .write = rules_lines, .forget = rules_drop_lines};

lode_status rule_sorted_write(rule_file *sink, const sort_stop *stop, bool *partial) {
    sort_output out = {.ops = &rules_ops,
                       .sink = &sink->base.base,
                       .store = &sink->store.base,
                       .near = output_path(&sink->base.out),
                       .stop = stop,
                       .alone = sink->lines.format->writer || sink->base.out.write};
    lode_status status = sort_output_run(&out, partial);
    if (!*partial) sink->order = "size";
    return status;
}
