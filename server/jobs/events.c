/* events.c - see events.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "jobs/events.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS_BEHIND 16384 /* maximum bytes that wait for a slow listener */
#define EVENTS_CLIENT 16    /* maximum streams of one client */

static void events_remove(listener *l) {
    listener **at = l->list;
    while (*at != l) at = &(*at)->next;
    *at = l->next;
    free(l);
}

static void events_closed(void *user) {
    events_remove(user);
}

/* A stream occupies a connection as long as the job runs, so streams are limited per client and in
 * total. */
static bool events_have_room(const listener *list, request *r, size_t most) {
    size_t all = 0, own = 0;
    for (const listener *l = list; l; l = l->next, all++) own += l->client == request_client(r);
    if (all < most && own < EVENTS_CLIENT) return true;
    reply_error(
        r, 429, "toomany",
        own < EVENTS_CLIENT
            ? "The server has %zu open event streams, the maximum; poll the job instead."
            : "You have %zu open event streams, the maximum; close some, or poll the job instead.",
        own < EVENTS_CLIENT ? all : own);
    return false;
}

listener *events_add(listener **list, request *r, uint64_t job, size_t most) {
    if (!events_have_room(*list, r, most)) return NULL;
    listener *l = calloc(1, sizeof *l);
    if (!l) {
        reply_error(r, 503, "unavailable", "the server is out of memory; try again later");
        return NULL;
    }
    *l = (listener){.list = list, .job = job, .client = request_client(r), .next = *list};
    l->stream = reply_events(r);
    if (!l->stream) {
        free(l);
        return NULL;
    }
    *list = l;
    stream_on_close(l->stream, events_closed, l);
    return l;
}

bool events_has(const listener *list, uint64_t job) {
    while (list && list->job != job) list = list->next;
    return list != NULL;
}

void events_send(listener *list, uint64_t job, const char *event, const char *json, size_t bytes) {
    for (listener *l = list, *next; l; l = next) {
        next = l->next;
        if (l->job != job || stream_pending(l->stream) > EVENTS_BEHIND) continue;
        stream_send(l->stream, event, json, bytes);
    }
}

void events_send_json(listener *list, uint64_t job, const char *event, const json_t *value) {
    for (listener *l = list, *next; l; l = next) {
        next = l->next;
        if (l->job == job) events_send_one(l, event, value);
    }
}

void events_send_one(listener *l, const char *event, const json_t *value) {
    char *json = value ? json_dumps(value, JSON_COMPACT) : NULL;
    if (json) stream_send(l->stream, event, json, strlen(json));
    free(json);
}

void events_beat(listener *list) {
    static const char comment[] = ": keep-alive\n\n";
    for (listener *l = list, *next; l; l = next) {
        next = l->next;
        stream_write(l->stream, comment, sizeof comment - 1);
    }
}

void events_end(listener **list, uint64_t job) {
    for (listener *l = *list, *next; l; l = next) {
        next = l->next;
        if (job != 0 && l->job != job) continue;
        stream *open = l->stream;
        events_remove(l);
        stream_end(open);
    }
}
