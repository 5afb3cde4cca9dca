/* events.h - who listens to a job: streams of server-sent events
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

/* Answers the request by a stream and adds it, if there are fewer than `most`. NULL: it was
 * answered otherwise. */
listener *events_add(listener **list, request *r, uint64_t job, size_t most);
/* Whether somebody listens to a job. */
bool events_has(const listener *list, uint64_t job);
/* How far it is. Those who have not read what was sent before miss it: the next one says more. */
void events_send(listener *list, uint64_t job, const char *event, const char *json, size_t bytes);
void events_send_json(listener *list, uint64_t job, const char *event, const json_t *value);
/* To one of them. */
void events_send_one(listener *l, const char *event, const json_t *value);
/* A comment to all, so that nobody takes a quiet stream for a broken one. */
void events_beat(listener *list);
/* Ends the streams of a job; of all, if it is 0. */
void events_end(listener **list, uint64_t job);

#endif
