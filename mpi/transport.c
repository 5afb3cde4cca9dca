/* transport.c - see transport.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "transport.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "stored_task.h"

#define TRANSPORT_TAG  1
#define TRANSPORT_MOST ((size_t)1 << 30) /* bytes of a piece: MPI counts them by an int */

/* What a message looks like on the way, before its tasks. */
typedef struct wire_head {
    uint64_t bytes; /* of the whole message, this included */
    uint64_t threshold, sent, received, found;
    uint32_t kind, stop, lifeline, wave;
    uint64_t n_tasks;
} wire_head;

/* A message that is sent; it is freed when all of its pieces were received. */
typedef struct parcel {
    size_t n_left;
    wire_head head; /* and the rest of the message */
} parcel;

_Static_assert(offsetof(parcel, head) + sizeof(wire_head) == sizeof(parcel), "tasks follow");

/* A message of which pieces are missing. */
typedef struct arrival {
    unsigned char *bytes; /* NULL: there is none */
    size_t n, there;
} arrival;

struct transport {
    MPI_Comm comm;
    size_t piece;          /* the most bytes that are sent at once */
    MPI_Request *requests; /* of pieces under way; parcels[i] belongs to requests[i] */
    parcel **parcels;
    size_t n, cap;
    arrival *arrivals; /* by rank */
    int n_ranks;
    uint64_t bytes, n_pieces;
};

transport *transport_create(MPI_Comm comm, size_t piece) {
    transport *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->comm = comm;
    t->piece = piece == 0 || piece > TRANSPORT_MOST ? TRANSPORT_MOST : piece;
    if (t->piece < sizeof(wire_head)) t->piece = sizeof(wire_head); /* it comes whole */
    MPI_Comm_size(comm, &t->n_ranks);
    t->arrivals = calloc((size_t)t->n_ranks, sizeof *t->arrivals);
    if (t->arrivals) return t;
    free(t);
    return NULL;
}

void transport_free(transport *t) {
    if (!t) return;
    for (int i = 0; i < t->n_ranks; i++) free(t->arrivals[i].bytes);
    free(t->arrivals);
    free(t->requests);
    free(t->parcels);
    free(t);
}

/* Room for more requests. */
static bool transport_grow(transport *t, size_t more) {
    if (more <= t->cap - t->n) return true;
    size_t cap = 2 * t->cap + 16 + more;
    MPI_Request *requests = realloc(t->requests, cap * sizeof *requests);
    if (requests) t->requests = requests;
    parcel **parcels = realloc(t->parcels, cap * sizeof *parcels);
    if (parcels) t->parcels = parcels;
    if (!requests || !parcels) return false;
    t->cap = cap;
    return true;
}

/* Frees what has been received. */
static void transport_clear(transport *t) {
    size_t kept = 0;
    for (size_t i = 0; i < t->n; i++) {
        int received = 0;
        parcel *p = t->parcels[i];
        MPI_Test(&t->requests[i], &received, MPI_STATUS_IGNORE);
        if (received) {
            if (--p->n_left == 0) free(p);
            continue;
        }
        t->requests[kept] = t->requests[i];
        t->parcels[kept++] = p;
    }
    t->n = kept;
}

/* Sends a parcel, which is freed later. */
static void transport_send_pieces(transport *t, int to, parcel *p) {
    unsigned char *at = (unsigned char *)p + offsetof(parcel, head);
    for (size_t left = (size_t)p->head.bytes; left > 0;) {
        size_t n = left < t->piece ? left : t->piece;
        t->parcels[t->n] = p;
        MPI_Issend(at, (int)n, MPI_BYTE, to, TRANSPORT_TAG, t->comm, &t->requests[t->n++]);
        at += n;
        left -= n;
    }
    t->bytes += p->head.bytes;
    t->n_pieces += p->n_left;
}

bool transport_send(transport *t, int to, const sched_message *m) {
    size_t words = 0;
    for (size_t i = 0; i < m->n_tasks; i++) words += task_words(task_of_handle(m->tasks[i]));
    size_t more = words * sizeof(uint32_t), bytes = sizeof(wire_head) + more;
    size_t n_pieces = (bytes + t->piece - 1) / t->piece;
    parcel *p = malloc(sizeof *p + more);
    if (!p || !transport_grow(t, n_pieces)) {
        free(p);
        return false;
    }
    *p = (parcel){n_pieces,
                  {bytes, m->threshold, m->sent, m->received, m->found, (uint32_t)m->kind,
                   (uint32_t)m->stop, m->lifeline, m->wave, m->n_tasks}};
    uint32_t *row = (uint32_t *)(void *)(p + 1);
    for (size_t i = 0; i < m->n_tasks; i++) {
        stored_task *task = task_of_handle(m->tasks[i]);
        task_pack(task, row);
        row += task_words(task);
        free(task);
    }
    transport_send_pieces(t, to, p);
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

/* Receives a piece that has arrived. Only one thread receives, so the next piece of that rank is
 * the one that was probed. (MPI_Improbe would also do, but SimGrid lacks it.) Returns false if
 * there is no memory or if the piece is malformed. */
static bool transport_take_piece(const transport *t, const MPI_Status *status) {
    arrival *a = &t->arrivals[status->MPI_SOURCE];
    wire_head head;
    int bytes = 0;
    MPI_Get_count(status, MPI_BYTE, &bytes);
    size_t n = (size_t)bytes;
    if (!a->bytes) *a = (arrival){.bytes = malloc(n + 1), .n = n};
    if (!a->bytes || n > a->n - a->there) return false;
    MPI_Recv(a->bytes + a->there, bytes, MPI_BYTE, status->MPI_SOURCE, TRANSPORT_TAG, t->comm,
             MPI_STATUS_IGNORE);
    a->there += n;
    if (a->there > n) return true; /* not the first */
    if (n < sizeof head) return false;
    memcpy(&head, a->bytes, sizeof head);
    if (head.bytes < n) return false;
    unsigned char *whole = head.bytes > n ? realloc(a->bytes, (size_t)head.bytes) : a->bytes;
    if (whole) *a = (arrival){whole, (size_t)head.bytes, n};
    return whole != NULL;
}

/* Hands a message to the scheduler, all of which is there. */
static bool transport_deliver(sched *s, int from, const arrival *a) {
    wire_head head;
    memcpy(&head, a->bytes, sizeof head);
    uint64_t *tasks =
        transport_tasks((const uint32_t *)(const void *)(a->bytes + sizeof head),
                        (a->n - sizeof head) / sizeof(uint32_t), (size_t)head.n_tasks);
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
    sched_received(s, from, &m);
    free(tasks);
    return true;
}

/* Receives a piece, and delivers the message if it was the last. */
static bool transport_take(transport *t, sched *s, const MPI_Status *status) {
    arrival *a = &t->arrivals[status->MPI_SOURCE];
    if (!transport_take_piece(t, status)) return false;
    if (a->there < a->n) return true;
    arrival whole = *a;
    *a = (arrival){0};
    bool fine = transport_deliver(s, status->MPI_SOURCE, &whole);
    free(whole.bytes);
    return fine;
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

/* A rank enters a barrier when everything it has sent was received. So when all ranks have passed
 * it, all messages were received. */
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

uint64_t transport_pieces(const transport *t) {
    return t->n_pieces;
}
