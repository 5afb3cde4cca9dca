/* worker_answer.c - how a request of the worker ends: done with an object, or failed with a reason
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdlib.h>

#include "worker.h"
#include "worker_output.h"

lode_status worker_refuse(worker_call *c, lode_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(c->message, sizeof c->message, format, args);
    va_end(args);
    return status;
}

/* "budget" for LODE_BUDGET, and so on. */
static const char *answer_status_word(lode_status status) {
    static const char *const words[] = {
        [LODE_OK] = "ok",           [LODE_NOMEM] = "nomem",
        [LODE_BUDGET] = "budget",   [LODE_CANCELLED] = "cancelled",
        [LODE_INVALID] = "invalid", [LODE_PARSE] = "parse",
        [LODE_IO] = "io",           [LODE_UNSUPPORTED] = "unsupported",
        [LODE_DEVICE] = "device",   [LODE_NOTFOUND] = "notfound",
        [LODE_STOPPED] = "stopped", [LODE_INTERNAL] = "internal",
    };
    return (size_t)status < sizeof words / sizeof *words ? words[status] : "internal";
}

void worker_call_free(worker_call *c) {
    worker_request_free(&c->request);
    free(c);
}

static void answer_add_failure(const worker_call *c, lode_status status, worker_text *t) {
    worker_addf(t, "{\"status\":\"%s\",\"exit\":%d,\"message\":", answer_status_word(status),
                lode_exit_code(status));
    worker_add_word(t, c->message[0] ? c->message : lode_status_text(status));
    if (c->needed > 0) worker_addf(t, ",\"needed\":%llu", (unsigned long long)c->needed);
    worker_addf(t, "}");
}

void worker_answer(worker_call *c, lode_status status, const worker_text *json) {
    static const char no_memory[] =
        "{\"status\":\"nomem\",\"exit\":1,\"message\":\"the system has no more memory\"}";
    worker_text failure = {0};
    bool done = status == LODE_OK && json && !json->lost;
    if (!done && status != LODE_OK) answer_add_failure(c, status, &failure);
    const worker_text *t = done ? json : &failure;
    if (t->lost || t->n == 0) {
        worker_output_add(c->request.id, "failed", no_memory, sizeof no_memory - 1);
    } else {
        worker_output_add(c->request.id, done ? "done" : "failed", t->bytes, t->n);
    }
    worker_text_free(&failure);
}
