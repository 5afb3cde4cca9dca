/* events.h - event streams (server-sent events) of jobs
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_EVENTS_H
#define LODE_SERVER_EVENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/request.h"

typedef struct listener {
    struct listener **list;
    uint64_t job, client;
    stream *stream;
    struct listener *next;
} listener;

/* Answers the request with an event stream, if fewer than `most` are open. NULL: the request has
 * been answered with an error. */
listener *events_add(listener **list, request *r, uint64_t job, size_t most);
/* Whether a job has listeners. */
bool events_has(const listener *list, uint64_t job);
/* Sends progress. Listeners that have not read the previous events miss this one; the next one
 * replaces it. */
void events_send(listener *list, uint64_t job, const char *event, const char *json, size_t bytes);
void events_send_json(listener *list, uint64_t job, const char *event, const json_t *value);
/* Sends to one listener. */
void events_send_one(listener *l, const char *event, const json_t *value);
/* Sends a comment to all listeners, so that no client mistakes a quiet stream for a broken one. */
void events_beat(listener *list);
/* Ends the streams of a job; 0: of all jobs. */
void events_end(listener **list, uint64_t job);

#endif
