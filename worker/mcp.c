/* mcp.c - lode mcp: answers an assistant over standard input and output
 * SPDX-License-Identifier: Apache-2.0 */
#include "mcp.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "worker_output.h"

#define CALLS_MOST 100 /* in progress */

/* A call in progress. */
typedef struct mcp_live {
    struct mcp_live *next;
    uint64_t id; /* of its request to the worker */
    mcp_message message;
    double share; /* of the last progress */
    bool cancelled;
} mcp_live;

/* The lock is never held while the lanes are called. */
static struct {
    pthread_mutex_t lock;
    mcp_live *first;
    uint64_t last_id;
    unsigned n; /* calls in progress */
    mcp_about about;
} mcp = {.lock = PTHREAD_MUTEX_INITIALIZER};

static worker_verb mcp_verbs[MCP_KINDS];

/* ---- answers -------------------------------------------------------------------------------- */

static void live_free(mcp_live *live) {
    mcp_message_free(&live->message);
    free(live);
}

/* Takes a call out of the list; NULL: it has ended. */
static mcp_live *live_take(uint64_t id) {
    pthread_mutex_lock(&mcp.lock);
    mcp_live **at = &mcp.first;
    while (*at && (*at)->id != id) at = &(*at)->next;
    mcp_live *live = *at;
    if (live) *at = live->next;
    mcp.n -= live != NULL;
    pthread_mutex_unlock(&mcp.lock);
    return live;
}

static double number_of(const json_tree *t, const char *name) {
    size_t i = json_find(t, 0, name);
    return i && t->nodes[i].type == JSON_NUMBER ? strtod(t->nodes[i].text, NULL) : 0;
}

/* Progress must grow with each message, which a share of the work need not do. */
#define PROGRESS_LEAST 1e-9

static void encode_progress(const worker_message *m, worker_text *out) {
    json_tree event;
    const char *reason;
    char words[128];
    if (!json_tree_read(&event, m->json, m->bytes, &reason)) return;
    double share = number_of(&event, "share"), patterns = number_of(&event, "patterns");
    snprintf(words, sizeof words, "%.0f patterns so far", patterns);
    json_tree_free(&event);
    pthread_mutex_lock(&mcp.lock);
    mcp_live *live = mcp.first;
    while (live && live->id != m->id) live = live->next;
    if (live && live->message.token.n > 0 && !live->cancelled) {
        live->share = share > live->share ? share : live->share + PROGRESS_LEAST;
        mcp_add_progress(out, &live->message.token, live->share, words);
    }
    pthread_mutex_unlock(&mcp.lock);
}

static void encode_failure(const mcp_live *live, const worker_message *m, worker_text *out) {
    json_tree failure;
    const char *reason, *words = NULL;
    bool read = json_tree_read(&failure, m->json, m->bytes, &reason);
    if (read) words = json_string_of(&failure, 0, "message");
    mcp_add_failure(out, &live->message.id, words ? words : "the call failed", m->json, m->bytes);
    if (read) json_tree_free(&failure);
}

/* A call that was cancelled gets no answer: so says the protocol. */
static void mcp_encode(const worker_message *m, worker_text *out) {
    if (strcmp(m->kind, "event") == 0) {
        encode_progress(m, out);
        return;
    }
    mcp_live *live = live_take(m->id);
    if (!live) return;
    if (!live->cancelled && strcmp(m->kind, "done") == 0) {
        mcp_add_result(out, &live->message.id, m->json, m->bytes);
    } else if (!live->cancelled) {
        encode_failure(live, m, out);
    }
    live_free(live);
}

/* ---- messages ------------------------------------------------------------------------------- */

static bool texts_are_equal(const worker_text *a, const worker_text *b) {
    return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* The call with an id of the other side; 0: it has ended. */
static uint64_t live_find(const worker_text *id, bool cancels) {
    uint64_t found = 0;
    pthread_mutex_lock(&mcp.lock);
    for (mcp_live *live = mcp.first; live && !found; live = live->next) {
        if (!texts_are_equal(&live->message.id, id)) continue;
        found = live->id;
        live->cancelled |= cancels;
    }
    pthread_mutex_unlock(&mcp.lock);
    return found;
}

static void mcp_cancel(const mcp_message *m) {
    worker_call by = {0};
    uint64_t id = live_find(&m->cancelled, true);
    if (id) worker_lanes_control(&by, id, WORKER_CANCEL, 0); /* it may have ended */
}

/* Queues a call. Takes *m. */
static void mcp_call_tool(mcp_message *m) {
    mcp_live *live = worker_need(sizeof *live);
    worker_call *c = worker_need(sizeof *c);
    c->verb = &mcp_verbs[m->tool - mcp_tools];
    c->request = m->request;
    c->request.verb = c->verb->name;
    m->request = (worker_request){0};
    live->message = *m;
    pthread_mutex_lock(&mcp.lock);
    live->id = c->request.id = ++mcp.last_id;
    live->next = mcp.first;
    mcp.first = live;
    bool room = mcp.n++ < CALLS_MOST;
    pthread_mutex_unlock(&mcp.lock);
    if (room && worker_lanes_add(c)) return;
    worker_answer(c, worker_refuse(c, LODE_INVALID, "too many calls are waiting; try again later"),
                  NULL);
    worker_call_free(c);
}

static void mcp_take_line(const worker_text *line) {
    mcp_message m;
    worker_text reply = {0};
    if (line->n == 0) return;
    mcp_action action = mcp_message_read(&mcp.about, line->bytes, line->n, &m, &reply);
    if (m.id.n > 0 && live_find(&m.id, false)) {
        worker_text_free(&reply);
        mcp_add_error(&reply, &m.id, -32600, "a request with this id is in progress");
        action = MCP_ANSWER;
    }
    if (action == MCP_CALL) {
        mcp_call_tool(&m);
        return;
    }
    if (action == MCP_CANCEL) mcp_cancel(&m);
    mcp_message_free(&m);
    worker_output_send(&reply, false);
}

/* ---- the reader ----------------------------------------------------------------------------- */

typedef struct mcp_reader {
    worker_text line;
    bool too_long; /* the rest of the line is skipped */
} mcp_reader;

static void reader_end_line(mcp_reader *r) {
    worker_text reply = {0};
    if (r->line.lost) worker_die(CLI_FAILED);
    if (r->too_long) {
        mcp_add_error(&reply, NULL, -32600, "a message can have at most 1 MiB");
        worker_output_send(&reply, false);
    } else {
        mcp_take_line(&r->line);
    }
    r->line.n = 0;
    r->too_long = false;
    worker_wait_for_reader();
}

static void reader_take(mcp_reader *r, const char *bytes, size_t n) {
    for (const char *end = bytes + n; bytes < end;) {
        const char *line_end = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t part = (size_t)((line_end ? line_end : end) - bytes);
        r->too_long |= part > MCP_MESSAGE_MOST - r->line.n;
        if (r->too_long) r->line.n = 0;
        if (!r->too_long) worker_add(&r->line, bytes, part);
        if (line_end) reader_end_line(r);
        bytes += part + (line_end != NULL);
    }
}

static int mcp_read_messages(void) {
    static char bytes[1 << 16];
    mcp_reader r = {0};
    for (;;) {
        ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        reader_take(&r, bytes, (size_t)n);
    }
    if (r.line.n > 0) reader_end_line(&r);
    worker_quit(NULL);
    return CLI_DONE;
}

/* ---- the command ---------------------------------------------------------------------------- */

static bool refuse_write(void *user, uint64_t bytes) {
    (void)user;
    (void)bytes;
    return false;
}

static int run_mcp(cli_args *args) {
    if (isatty(STDIN_FILENO)) {
        cli_error("mcp: expected messages on a pipe; docs/mcp.md shows how an assistant starts it");
        return CLI_USAGE;
    }
    if (!mcp_folders_open(args->files, args->n_files, cli_given(args, "results"), &mcp.about)) {
        return CLI_BAD_INPUT;
    }
    if (!mcp.about.saves) lode_files_limit(refuse_write, NULL); /* scratch files, too */
    mcp_given = (mcp_limits){cli_word(args, "threads"), cli_word(args, "memory"),
                             cli_word(args, "device"), cli_word(args, "device-memory")};
    for (size_t i = 0; i < MCP_KINDS; i++) {
        mcp_verbs[i] = (worker_verb){mcp_tools[i].name, WORKER_LONG, "", false, mcp_run};
    }
    mcp_folders_only();
    if (!worker_start("mcp", mcp_encode)) return CLI_FAILED;
    return mcp_read_messages();
}

static const cli_option mcp_options[] = {
    {"results", 0, "DIR", "store nothing", "let assistants store results in DIR, as new files"},
    {0},
};

const cli_command cli_mcp = {
    .name = "mcp",
    .arguments = "DIR... [options]",
    .summary = "let an AI assistant mine the files below DIR (Model Context Protocol)",
    .examples = "  lode mcp ~/data                               an assistant starts this; see "
                "docs/mcp.md\n"
                "  lode mcp ~/data --results ~/patterns          results may be stored in "
                "~/patterns\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_DEVICE,
    .options = mcp_options,
    .n_files = CLI_MANY_FILES,
    .run = run_mcp,
};
