/* mcp.h - lode mcp: the Model Context Protocol in front of the worker
 *
 * A message is a line of JSON-RPC (docs/mcp.md). mcp_message.c reads one, and answers at once
 * whatever needs no data. A call of a tool becomes a request of the worker's long lane, with the
 * same names and values as in docs/worker.md; mcp_calls.c runs the verbs that it needs. So limits,
 * cancelling and messages are those of the worker.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_MCP_H
#define LODE_CLI_MCP_H

#include <sys/stat.h>

#include "json_tree.h"
#include "worker.h"

#define MCP_MESSAGE_MOST (1u << 20) /* bytes of a message */

/* ---- mcp_tools.c: the tools and their arguments --------------------------------------------- */

typedef enum mcp_type { MCP_TEXT, MCP_COUNT, MCP_SWITCH, MCP_LIST } mcp_type;

/* An argument of a tool. Its name is what follows the dot of its key, with _ for -. */
typedef struct mcp_arg {
    const char *key; /* its name in the request to the worker, such as o.min-support */
    mcp_type type;
    const char *help; /* NULL: that of the option */
} mcp_arg;

typedef enum mcp_kind {
    MCP_DESCRIBE,
    MCP_SUGGEST,
    MCP_ITEMSETS,
    MCP_RULES,
    MCP_GRAPHS,
    MCP_QUERY,
    MCP_EXPLAIN,
    MCP_KINDS
} mcp_kind;

typedef struct mcp_tool {
    const char *name, *title, *help;
    unsigned groups, read_groups;    /* the options behind the keys o.NAME and read.NAME */
    const mcp_arg *args, *read_args; /* end with a key that is NULL */
    const char *required;            /* names, separated by blanks */
} mcp_tool;

extern const mcp_tool mcp_tools[MCP_KINDS];

/* Writes the list of tools as JSON. Without a folder for results, no tool has save_as. */
void mcp_add_tools(worker_text *json, bool saves);
/* Room in a request for values that the steps of a call add. */
#define MCP_MORE_VALUES 16
/* Fills the values of a request with the arguments in node `in`, or no arguments if that is 0.
 * Their texts are lent by the tree. False: `message` says what is wrong. */
bool mcp_take_arguments(const mcp_tool *tool, const json_tree *tree, size_t in, worker_request *out,
                        char message[WORKER_MESSAGE]);

/* ---- mcp_message.c: JSON-RPC ---------------------------------------------------------------- */

typedef struct mcp_message {
    json_tree tree;
    worker_text id;         /* of a request, as JSON */
    const mcp_tool *tool;   /* MCP_CALL: what to run, … */
    worker_request request; /* … its values, … */
    worker_text token;      /* … and the token of its progress, as JSON; empty: none */
    worker_text cancelled;  /* MCP_CANCEL: the id of the call */
    char error[WORKER_MESSAGE];
} mcp_message;

typedef enum mcp_action {
    MCP_ANSWER, /* `reply` is the answer; it may be empty */
    MCP_CALL,
    MCP_CANCEL
} mcp_action;

/* What the answers say about this process. */
typedef struct mcp_about {
    bool saves;          /* there is a folder for results */
    worker_text folders; /* the folders that it reads, for people */
} mcp_about;

/* Reads one line. The caller frees *out. */
mcp_action mcp_message_read(const mcp_about *about, const char *line, size_t bytes,
                            mcp_message *out, worker_text *reply);
void mcp_message_free(mcp_message *m);
/* The answer to a request that failed with this code and message. `id` NULL: it has none. */
void mcp_add_error(worker_text *reply, const worker_text *id, int code, const char *message);
/* The answer to a call: a JSON object, or the message of an error. */
void mcp_add_result(worker_text *reply, const worker_text *id, const char *json, size_t bytes);
void mcp_add_failure(worker_text *reply, const worker_text *id, const char *message,
                     const char *json, size_t bytes);
/* The progress of a call. */
void mcp_add_progress(worker_text *out, const worker_text *token, double share, const char *words);

/* ---- mcp_files.c: the folders --------------------------------------------------------------- */

/* Opens the folders to read, and one for results or NULL. Returns false after printing why. */
bool mcp_folders_open(const char *const *paths, int n, const char *results, mcp_about *about);
/* Gives up the right to open other files than those in the folders and of the system, if the kernel
 * has Landlock. For processes that have started no thread. */
void mcp_folders_only(void);
/* Finds a regular file below the folders. The descriptor only stands for the file: it is read by
 * the name /proc/self/fd/N. Negative: the call has the message. */
int mcp_file_find(worker_call *c, const char *name, struct stat *file);
/* Writes the path of a new file in the folder for results. */
#define MCP_PATH_MOST 320
lode_status mcp_result_path(worker_call *c, const char *name, char path[MCP_PATH_MOST]);

/* ---- mcp_calls.c: running the tools --------------------------------------------------------- */

/* Limits of `lode mcp` as they were given; NULL: the defaults. */
typedef struct mcp_limits {
    const char *threads, *memory, *device, *device_memory;
} mcp_limits;

extern mcp_limits mcp_given;

/* The `run` of the verbs of all tools. */
lode_status mcp_run(worker_call *c, worker_text *json);

#endif
