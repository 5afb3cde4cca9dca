/* workers_request.c - see workers_request.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "workers/workers_request.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

worker_request *worker_request_new(const char *verb) {
    worker_request *q = calloc(1, sizeof *q);
    if (q) snprintf(q->verb, sizeof q->verb, "%s", verb);
    return q;
}

void worker_request_free(worker_request *q) {
    if (!q) return;
    text_free(&q->lines);
    free(q);
}

static void request_put_value(text *t, const char *value) {
    for (; *value; value++) {
        if (*value == '\\') {
            text_put(t, "\\\\");
        } else if (*value == '\n') {
            text_put(t, "\\n");
        } else if (*value == '\r') {
            text_put(t, "\\r");
        } else {
            text_char(t, *value);
        }
    }
}

void worker_request_add(worker_request *q, const char *name, const char *value) {
    if (!q || !value) return;
    text_put(&q->lines, name);
    text_char(&q->lines, '=');
    request_put_value(&q->lines, value);
    text_char(&q->lines, '\n');
}

static void request_add_value(worker_request *q, const char *name, const json_t *value) {
    char number[40];
    if (json_is_string(value)) {
        worker_request_add(q, name, json_string_value(value));
    } else if (json_is_boolean(value)) {
        worker_request_add(q, name, json_is_true(value) ? "true" : "false");
    } else if (json_is_integer(value)) {
        snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        worker_request_add(q, name, number);
    } else if (json_is_real(value)) {
        snprintf(number, sizeof number, "%.15g", json_real_value(value));
        worker_request_add(q, name, number);
    }
}

void worker_request_add_object(worker_request *q, const char *prefix, const json_t *options) {
    const char *key;
    json_t *value;
    char name[96];
    json_object_foreach((json_t *)options, key, value) {
        snprintf(name, sizeof name, "%s%s", prefix, key);
        if (!json_is_array(value)) {
            request_add_value(q, name, value);
            continue;
        }
        for (size_t i = 0; i < json_array_size(value); i++) {
            request_add_value(q, name, json_array_get(value, i));
        }
    }
}

bool worker_request_payload(const worker_request *q, uint64_t id, text *out) {
    if (q->lines.failed || q->lines.length > WORKER_REQUEST_MOST - 64) return false;
    text_printf(out, "%" PRIu64 " %s\n", id, q->verb);
    if (q->lines.length > 0) text_add(out, q->lines.data, q->lines.length);
    return !out->failed;
}
