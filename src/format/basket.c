/* basket.c - one transaction a line: names separated by one character
 *
 *     bread,milk,"cheese, grated"
 *     bread,,beer                      an empty field is no item
 *
 * With options.header the first line names columns and is passed over. In parts, names must not
 * contain line ends: a part begins after a newline, whatever stands around it.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/read.h"

static lode_status basket_prepare(read_job *job) {
    const char *text;
    size_t n;
    if (!job->options.header) return LODE_OK;
    return input_take_record(job->in, &text, &n);
}

static lode_status basket_record(read_worker *w, csv_cursor *c) {
    lode_status status = LODE_OK;
    csv_field field;
    do {
        LODE_TRY(csv_next(c, &field));
        if (field.n == 0) continue;
        uint32_t code;
        LODE_TRY(worker_code(w->out, field.text, field.n, &code));
        LODE_TRY(worker_reserve(w->out, 1));
        worker_push(w->out, code);
    } while (!field.last);
    LODE_TRY(worker_end_transaction(w->out));
done:
    return status;
}

static lode_status basket_parse(read_worker *w) {
    lode_status status = LODE_OK;
    csv_cursor c = read_cursor(w);
    while (csv_begin(&c)) {
        status = basket_record(w, &c);
        if (status == LODE_PARSE && c.bad) status = read_bad_record(w, &c);
        if (status != LODE_OK) break;
    }
    return status;
}

const read_format read_basket = {.name = "basket",
                                 .format = LODE_FORMAT_BASKET,
                                 .separated = true,
                                 .parts = true,
                                 .prepare = basket_prepare,
                                 .parse = basket_parse};
