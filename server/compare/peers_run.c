/* peers_run.c - a run of another program: first its data are written, then it is started
 * SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compare/peers.h"
#include "storage/discard.h"

#define PEERS_MOST_WORDS 16

struct peer_run {
    server *server;
    peer_listener to; /* `done` NULL: nobody wants to know */
    json_t *words;
    char input[4400];
    worker_call *call; /* the worker writes the data, … */
    peer_child *child; /* … or the program runs */
    bool stopped;
};

static void peers_input_path(const server *s, uint64_t job, char *path, size_t room) {
    snprintf(path, room, "%s/compare-%" PRIu64 ".fimi", s->config->tmp_dir, job);
}

void peers_forget_input(const server *s, uint64_t job) {
    char path[4400];
    peers_input_path(s, job, path, sizeof path);
    discard_file(s, path);
}

static void peers_end(peer_run *run, peer_result result) {
    result.stopped = run->stopped;
    if (!result.output) result.output = "";
    if (run->to.done) run->to.done(run->to.user, &result);
    json_decref(run->words);
    free(run);
}

/* ---- the program ----------------------------------------------------------------------------- */

static void peers_ended(void *user, const peer_result *result) {
    peers_end(user, *result);
}

static bool peers_execute(peer_run *run) {
    char *words[PEERS_MOST_WORDS] = {NULL};
    const peer_listener to = {peers_ended, run};
    size_t n = json_array_size(run->words);
    for (size_t i = 0; i < n && i + 1 < PEERS_MOST_WORDS; i++) {
        words[i] = (char *)json_string_value(json_array_get(run->words, i));
    }
    run->child = peer_child_start(run->server, words, COMPARE_SECONDS, to);
    return run->child != NULL;
}

/* ---- its data -------------------------------------------------------------------------------- */

static void peers_written(void *user, bool ok, const char *json, size_t bytes) {
    peer_run *run = user;
    run->call = NULL;
    if (ok && !run->stopped) {
        if (!peers_execute(run)) peers_end(run, (peer_result){.trouble = "it cannot be started"});
        return;
    }
    json_t *failed = json_loadb(json, bytes, 0, NULL);
    const char *status = json_string_value(json_object_get(failed, "status"));
    const char *why = json_string_value(json_object_get(failed, "message"));
    run->stopped = run->stopped || (status && strcmp(status, "cancelled") == 0);
    peers_end(run, (peer_result){.trouble = why ? why : "its data cannot be written"});
    json_decref(failed);
}

static bool peers_write(peer_run *run, const worker_source *of) {
    const worker_reply reply = {.done = peers_written, .user = run};
    worker_request *q = worker_request_new("write");
    worker_request_add(q, "path", run->input);
    worker_request_add(q, "format", "fimi");
    run->call = workers_ask_humbly(run->server->workers, of, q, reply);
    return run->call != NULL;
}

peer_run *peers_start(server *s, const comparison *c, const char *name, peer_listener to) {
    peer_run *run = calloc(1, sizeof *run);
    if (!run) return NULL;
    run->server = s;
    run->to = to;
    peers_input_path(s, c->job, run->input, sizeof run->input);
    run->words = peers_words(c, name, run->input);
    bool there = access(run->input, R_OK) == 0;
    if (run->words && (there ? peers_execute(run) : peers_write(run, &c->source))) return run;
    json_decref(run->words);
    free(run);
    return NULL;
}

void peers_stop(peer_run *run) {
    run->stopped = true;
    if (run->call) workers_control(run->call, worker_request_new("cancel"));
    if (run->child) peer_child_kill(run->child);
}

void peers_abandon(peer_run *run) {
    run->to.done = NULL;
    run->stopped = true;
    if (run->call) workers_control(run->call, worker_request_new("cancel"));
    if (run->child) peer_child_abandon(run->child);
}
