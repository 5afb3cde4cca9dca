/* transport.c - see transport.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "transport.h"

#include <stdlib.h>
#include <string.h>

#include "stored_task.h"

#define TRANSPORT_TAG 1

/* What a message looks like on the way, before its tasks. */
typedef struct wire_head {
    uint64_t threshold, sent, received, found;
    uint32_t kind, stop, lifeline, wave;
    uint64_t n_tasks;
} wire_head;

struct transport {
    MPI_Comm comm;
    MPI_Request *requests; /* of what is under way; buffers[i] belongs to requests[i] */
    void **buffers;
    int n, cap;
    uint64_t bytes;
};

transport *transport_create(MPI_Comm comm) {
    transport *t = calloc(1, sizeof *t);
    if (t) t->comm = comm;
    return t;
}

void transport_free(transport *t) {
    if (!t) return;
    free(t->requests);
    free(t->buffers);
    free(t);
}

/* Room for one more request. */
static bool transport_grow(transport *t) {
    if (t->n < t->cap) return true;
    size_t cap = 2 * (size_t)t->cap + 16;
    MPI_Request *requests = realloc(t->requests, cap * sizeof *requests);
    if (requests) t->requests = requests;
    void **buffers = realloc(t->buffers, cap * sizeof *buffers);
    if (buffers) t->buffers = buffers;
    if (!requests || !buffers) return false;
    t->cap = (int)cap;
    return true;
}

/* Frees the buffers of what has been received. */
static void transport_clear(transport *t) {
    int kept = 0;
    for (int i = 0; i < t->n; i++) {
        int received = 0;
        MPI_Test(&t->requests[i], &received, MPI_STATUS_IGNORE);
        if (received) {
            free(t->buffers[i]);
            continue;
        }
        t->requests[kept] = t->requests[i];
        t->buffers[kept++] = t->buffers[i];
    }
    t->n = kept;
}

bool transport_send(transport *t, int to, const sched_message *m) {
    size_t words = 0, at = 0;
    for (size_t i = 0; i < m->n_tasks; i++) words += task_words(task_of_handle(m->tasks[i]));
    size_t bytes = sizeof(wire_head) + words * sizeof(uint32_t);
    unsigned char *buffer = malloc(bytes);
    if (!buffer || !transport_grow(t)) {
        free(buffer);
        return false;
    }
    wire_head head = {m->threshold,      m->sent,     m->received, m->found,  (uint32_t)m->kind,
                      (uint32_t)m->stop, m->lifeline, m->wave,     m->n_tasks};
    memcpy(buffer, &head, sizeof head);
    uint32_t *row = (uint32_t *)(void *)(buffer + sizeof head);
    for (size_t i = 0; i < m->n_tasks; i++) {
        stored_task *task = task_of_handle(m->tasks[i]);
        task_pack(task, row + at);
        at += task_words(task);
        free(task);
    }
    t->buffers[t->n] = buffer;
    t->bytes += bytes;
    MPI_Issend(buffer, (int)bytes, MPI_BYTE, to, TRANSPORT_TAG, t->comm, &t->requests[t->n++]);
    return true;
}

/* Reads the tasks of a message. NULL: no memory, or nonsense. */
static uint64_t *transport_tasks(const uint32_t *words, size_t n_words, size_t n) {
    size_t at = 0, i = 0;
    uint64_t *handles = malloc((n + 1) * sizeof *handles);
    for (; handles && i < n; i++) {
        stored_task *task = task_unpack(words, n_words, &at);
        if (!task) break;
        handles[i] = task_handle(task);
    }
    if (handles && i == n) return handles;
    while (handles && i > 0) free(task_of_handle(handles[--i]));
    free(handles);
    return NULL;
}

/* Receives a message that is there: as one thread alone receives, the next of that rank is the one
 * that was seen. (MPI_Improbe would do, too, but SimGrid has none.) */
static bool transport_take(const transport *t, sched *s, const MPI_Status *status) {
    int bytes;
    wire_head head;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    unsigned char *buffer = malloc((size_t)bytes + 1);
    if (!buffer || bytes < (int)sizeof head) {
        free(buffer);
        return false;
    }
    MPI_Recv(buffer, bytes, MPI_BYTE, status->MPI_SOURCE, TRANSPORT_TAG, t->comm,
             MPI_STATUS_IGNORE);
    memcpy(&head, buffer, sizeof head);
    uint64_t *tasks =
        transport_tasks((const uint32_t *)(const void *)(buffer + sizeof head),
                        ((size_t)bytes - sizeof head) / sizeof(uint32_t), (size_t)head.n_tasks);
    free(buffer);
    if (!tasks) return false;
    sched_message m = {.kind = (sched_kind)head.kind,
                       .stop = (sched_reason)head.stop,
                       .lifeline = head.lifeline != 0,
                       .wave = head.wave,
                       .threshold = head.threshold,
                       .sent = head.sent,
                       .received = head.received,
                       .found = head.found,
                       .tasks = tasks,
                       .n_tasks = (size_t)head.n_tasks};
    sched_received(s, status->MPI_SOURCE, &m);
    free(tasks);
    return true;
}

int transport_receive(transport *t, sched *s) {
    int n = 0;
    transport_clear(t);
    for (int there = 1; there;) {
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, TRANSPORT_TAG, t->comm, &there, &status);
        if (!there) break;
        if (!transport_take(t, s, &status)) return -1;
        n++;
    }
    return n;
}

/* A barrier that a rank enters when all that it has sent was received: when all are through it,
 * everything was. */
bool transport_end(transport *t, sched *s, void (*wait)(void *user), void *user) {
    MPI_Request barrier = MPI_REQUEST_NULL;
    bool entered = false;
    for (int through = 0; !through;) {
        int got = transport_receive(t, s);
        if (got < 0) return false;
        if (!entered && t->n == 0) {
            MPI_Ibarrier(t->comm, &barrier);
            entered = true;
        }
        if (entered) MPI_Test(&barrier, &through, MPI_STATUS_IGNORE);
        if (!through && got == 0) wait(user);
    }
    return true;
}

uint64_t transport_bytes(const transport *t) {
    return t->bytes;
}
