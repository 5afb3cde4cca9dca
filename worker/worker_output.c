/* worker_output.c - see worker_output.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "worker_output.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "worker.h"

typedef struct output_frame {
    struct output_frame *next;
    worker_text text;
} output_frame;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t added, written;
    output_frame *first, **last;
    size_t waiting; /* bytes, with those of the frame that is being written */
    int fd;
    worker_encode_fn encode;
    void (*gone)(void);
} output = {.lock = PTHREAD_MUTEX_INITIALIZER, .added = PTHREAD_COND_INITIALIZER};

static bool output_write(const char *text, size_t bytes) {
    while (bytes > 0) {
        ssize_t n = write(output.fd, text, bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        text += n;
        bytes -= (size_t)n;
    }
    return true;
}

static output_frame *output_take(void) {
    pthread_mutex_lock(&output.lock);
    while (!output.first) pthread_cond_wait(&output.added, &output.lock);
    output_frame *frame = output.first;
    output.first = frame->next;
    if (!frame->next) output.last = &output.first;
    pthread_mutex_unlock(&output.lock);
    return frame;
}

static void *output_run(void *unused) {
    (void)unused;
    for (;;) {
        output_frame *frame = output_take();
        bool written = output_write(frame->text.bytes, frame->text.n);
        pthread_mutex_lock(&output.lock);
        output.waiting -= frame->text.n;
        pthread_cond_broadcast(&output.written);
        pthread_mutex_unlock(&output.lock);
        worker_text_free(&frame->text);
        free(frame);
        if (!written) break;
    }
    output.gone();
    return NULL;
}

bool worker_output_start(int fd, worker_encode_fn encode, void (*gone)(void)) {
    pthread_condattr_t clock;
    pthread_t thread;
    output.fd = fd;
    output.encode = encode;
    output.gone = gone;
    output.last = &output.first;
    if (pthread_condattr_init(&clock) != 0) return false;
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    bool ready = pthread_cond_init(&output.written, &clock) == 0;
    pthread_condattr_destroy(&clock);
    return ready && pthread_create(&thread, NULL, output_run, NULL) == 0 &&
           pthread_detach(thread) == 0;
}

void worker_frame(const worker_message *m, worker_text *out) {
    char head[64], length[4];
    int n = snprintf(head, sizeof head, "%llu %s\n", (unsigned long long)m->id, m->kind);
    size_t payload = (size_t)n + m->bytes;
    out->lost |= payload >= UINT32_MAX;
    for (int i = 0; i < 4; i++) length[i] = (char)(payload >> 8 * i & 0xff);
    worker_add(out, length, sizeof length);
    worker_add(out, head, (size_t)n);
    worker_add(out, m->json, m->bytes);
}

/* Without memory for an answer, the process cannot keep its word, and ends. */
void worker_output_send(worker_text *text, bool may_drop) {
    output_frame *frame = text->lost || text->n == 0 ? NULL : calloc(1, sizeof *frame);
    if (!frame && (text->lost || text->n > 0)) {
        cli_error("out of memory for an answer of %zu bytes", text->n);
        lode_outputs_discard();
        _exit(CLI_FAILED);
    }
    if (!frame) return;
    frame->text = *text;
    *text = (worker_text){0};
    pthread_mutex_lock(&output.lock);
    if (may_drop && output.waiting > 0) {
        pthread_mutex_unlock(&output.lock);
        worker_text_free(&frame->text);
        free(frame);
        return;
    }
    *output.last = frame;
    output.last = &frame->next;
    output.waiting += frame->text.n;
    pthread_cond_signal(&output.added);
    pthread_mutex_unlock(&output.lock);
}

void worker_output_add(uint64_t id, const char *kind, const char *json, size_t bytes) {
    worker_message message = {id, kind, json, bytes};
    worker_text text = {0};
    output.encode(&message, &text);
    worker_output_send(&text, strcmp(kind, "event") == 0);
}

bool worker_output_drain(size_t bytes, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    int64_t ns = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += ns / 1000000000;
    until.tv_nsec = ns % 1000000000;
    int code = 0;
    pthread_mutex_lock(&output.lock);
    while (output.waiting > bytes && code == 0) {
        code = pthread_cond_timedwait(&output.written, &output.lock, &until);
    }
    bool drained = output.waiting <= bytes;
    pthread_mutex_unlock(&output.lock);
    return drained;
}

/* ---- how a request of the worker ends: done with an object, or failed with a reason ---------- */

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
