/* worker.c - lode worker: keeps a data set in memory, and answers requests that arrive through a
 * pipe
 * SPDX-License-Identifier: Apache-2.0 */
#include "worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker_output.h"

#define PROTOCOL 1

/* ---- verbs that are answered at once -------------------------------------------------------- */

static lode_status worker_hello(worker_call *c, worker_text *json) {
    (void)c;
    worker_addf(json, "{\"protocol\":%d,\"version\":\"%s\",\"pid\":%ld}", PROTOCOL, lode_version(),
                (long)getpid());
    return LODE_OK;
}

static lode_status worker_profile(worker_call *c, worker_text *json) {
    (void)c;
    worker_add(json, worker_open_data.profile.bytes, worker_open_data.profile.n);
    return LODE_OK;
}

static lode_status control_job(worker_call *c, worker_control what, worker_text *json) {
    uint64_t id = 0, min_count = 0;
    worker_range job = {"job", 1, UINT64_MAX}, count = {"min_count", 1, UINT64_MAX};
    const worker_request *r = &c->request;
    if (!worker_request_number(r, job, &id, c->message, sizeof c->message) ||
        !worker_request_number(r, count, &min_count, c->message, sizeof c->message)) {
        return LODE_INVALID;
    }
    if (id == 0) return worker_refuse(c, LODE_INVALID, "%s: expected job=ID", c->verb->name);
    if (what == WORKER_RAISE && min_count == 0) {
        return worker_refuse(c, LODE_INVALID, "raise: expected min_count=N");
    }
    worker_addf(json, "{}");
    return worker_lanes_control(c, id, what, min_count);
}

static lode_status worker_cancel(worker_call *c, worker_text *json) {
    return control_job(c, WORKER_CANCEL, json);
}

static lode_status worker_keep(worker_call *c, worker_text *json) {
    return control_job(c, WORKER_KEEP, json);
}

static lode_status worker_raise(worker_call *c, worker_text *json) {
    return control_job(c, WORKER_RAISE, json);
}

static const worker_verb worker_verbs[] = {
    {"hello", WORKER_CONTROL, "", false, worker_hello},
    {"open", WORKER_LONG, "path name kind memory threads device device-memory disk read. clean.",
     false, worker_open},
    {"mine", WORKER_LONG, "kind output rows count report o.", true, worker_mine},
    {"columns", WORKER_LONG, "", true, worker_columns},
    {"clean", WORKER_LONG, "clean.", true, worker_clean},
    {"suggest", WORKER_LONG, "o.", true, worker_suggest},
    {"write", WORKER_LONG, "path format", true, worker_write},
    {"profile", WORKER_SHORT, "", true, worker_profile},
    {"preview", WORKER_SHORT, "rows", true, worker_preview},
    {"baskets", WORKER_SHORT, "with+ without+ any limit", true, worker_baskets},
    {"pairs", WORKER_SHORT, "items", true, worker_pairs},
    {"graph", WORKER_SHORT, "index", true, worker_graph},
    {"occurrences", WORKER_SHORT, "vertex+ edge+ skip rows", true, worker_occurrences},
    {"cancel", WORKER_CONTROL, "job", false, worker_cancel},
    {"keep", WORKER_CONTROL, "job", false, worker_keep},
    {"raise", WORKER_CONTROL, "job min_count", false, worker_raise},
    {"quit", WORKER_CONTROL, "", false, NULL},
};

/* ---- the reader ----------------------------------------------------------------------------- */

static void worker_fail_call(worker_call *c, lode_status status) {
    worker_answer(c, status, NULL);
    worker_call_free(c);
}

static const worker_verb *worker_find_verb(const char *name) {
    for (size_t i = 0; i < sizeof worker_verbs / sizeof *worker_verbs; i++) {
        if (strcmp(worker_verbs[i].name, name) == 0) return &worker_verbs[i];
    }
    return NULL;
}

/* Answers a request, or queues it. Takes `text`, which has a byte more than it says. */
static void worker_take_request(char *text, size_t bytes) {
    worker_call *c = worker_need(sizeof *c);
    if (!worker_request_parse(&c->request, text, bytes, c->message, sizeof c->message)) {
        worker_fail_call(c, LODE_INVALID);
        return;
    }
    c->verb = worker_find_verb(c->request.verb);
    if (!c->verb) {
        worker_fail_call(c,
                         worker_refuse(c, LODE_INVALID, "unknown verb '%.60s'", c->request.verb));
    } else if (!worker_request_check(&c->request, c->verb->names, c->message, sizeof c->message)) {
        worker_fail_call(c, LODE_INVALID);
    } else if (c->verb->lane == WORKER_CONTROL) {
        worker_text json = {0};
        if (!c->verb->run) worker_quit(c);
        lode_status status = c->verb->run(c, &json);
        worker_answer(c, status, &json);
        worker_text_free(&json);
        worker_call_free(c);
    } else if (worker_lanes_has(c->request.id)) {
        worker_fail_call(c,
                         worker_refuse(c, LODE_INVALID, "a request with this ID is in progress"));
    } else if (!worker_lanes_add(c)) {
        worker_fail_call(
            c, worker_refuse(c, LODE_INVALID, "too many requests are waiting; try again later"));
    }
}

/* Reads so many bytes; false: the other side has closed the pipe. */
static bool worker_read(void *to, size_t bytes) {
    for (size_t n = 0; n < bytes;) {
        ssize_t got = read(STDIN_FILENO, (char *)to + n, bytes - n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        n += (size_t)got;
    }
    return true;
}

/* Reads requests until there are none any more. Who does not read answers is not asked for more. */
static int worker_read_requests(void) {
    unsigned char head[4];
    while (worker_read(head, sizeof head)) {
        uint32_t bytes = (uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 |
                         (uint32_t)head[3] << 24;
        if (bytes > WORKER_FRAME_MOST) {
            cli_error("worker: a request has %lu bytes; at most %u are allowed",
                      (unsigned long)bytes, WORKER_FRAME_MOST);
            worker_die(CLI_BAD_INPUT);
        }
        char *text = worker_need((size_t)bytes + 1);
        if (!worker_read(text, bytes)) {
            free(text);
            break;
        }
        worker_take_request(text, bytes);
        worker_wait_for_reader();
    }
    worker_quit(NULL);
    return CLI_DONE;
}

static int run_worker(cli_args *args) {
    (void)args;
    if (isatty(STDIN_FILENO)) {
        cli_error("worker: expected requests on a pipe; see docs/worker.md");
        return CLI_USAGE;
    }
    if (!worker_start("worker", worker_frame)) return CLI_FAILED;
    return worker_read_requests();
}

const cli_command cli_worker = {
    .name = "worker",
    .arguments = "",
    .summary = "keep a data set in memory and answer requests from another program",
    .examples =
        "  lode worker                                   docs/worker.md describes the protocol\n",
    .run = run_worker,
};
