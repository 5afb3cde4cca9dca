/* mcp_message.c - messages of lode mcp: JSON-RPC 2.0, one per line
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "mcp.h"

#define ID_MOST 256 /* bytes of an id, or of a token */

enum {
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
};

/* Newest first. 2025-03-26 is left out: it has lists of messages, which no other version has. */
static const char *const message_versions[] = {"2025-11-25", "2025-06-18", "2024-11-05"};

void mcp_message_free(mcp_message *m) {
    json_tree_free(&m->tree);
    worker_request_free(&m->request);
    worker_text_free(&m->id);
    worker_text_free(&m->token);
    worker_text_free(&m->cancelled);
}

/* ---- answers -------------------------------------------------------------------------------- */

static void message_add_head(worker_text *t, const worker_text *id) {
    worker_addf(t, "{\"jsonrpc\":\"2.0\",\"id\":");
    if (id && id->n > 0) {
        worker_add(t, id->bytes, id->n);
    } else {
        worker_addf(t, "null");
    }
}

void mcp_add_error(worker_text *reply, const worker_text *id, int code, const char *message) {
    message_add_head(reply, id);
    worker_addf(reply, ",\"error\":{\"code\":%d,\"message\":", code);
    worker_add_word(reply, message);
    worker_addf(reply, "}}\n");
}

static void message_add_content(worker_text *reply, const worker_text *id, const char *text,
                                size_t bytes) {
    message_add_head(reply, id);
    worker_addf(reply, ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":");
    worker_add_text(reply, text, bytes);
    worker_addf(reply, "}]");
}

void mcp_add_result(worker_text *reply, const worker_text *id, const char *json, size_t bytes) {
    message_add_content(reply, id, json, bytes);
    worker_addf(reply, ",\"structuredContent\":");
    worker_add(reply, json, bytes);
    worker_addf(reply, ",\"isError\":false}}\n");
}

void mcp_add_failure(worker_text *reply, const worker_text *id, const char *message,
                     const char *json, size_t bytes) {
    message_add_content(reply, id, message, strlen(message));
    if (bytes > 0) worker_addf(reply, ",\"structuredContent\":");
    worker_add(reply, json, bytes);
    worker_addf(reply, ",\"isError\":true}}\n");
}

void mcp_add_progress(worker_text *out, const worker_text *token, double share, const char *words) {
    worker_addf(out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
                     "\"progressToken\":");
    worker_add(out, token->bytes, token->n);
    worker_addf(out, ",\"progress\":");
    worker_add_real(out, share);
    worker_addf(out, ",\"total\":1,\"message\":");
    worker_add_word(out, words);
    worker_addf(out, "}}\n");
}

/* ---- requests that need no data -------------------------------------------------------------- */

static mcp_action message_refuse(mcp_message *m, worker_text *reply, int code,
                                 const char *message) {
    mcp_add_error(reply, &m->id, code, message);
    return MCP_ANSWER;
}

static mcp_action message_initialize(const mcp_about *about, mcp_message *m, size_t params,
                                     worker_text *reply) {
    const char *asked = params ? json_string_of(&m->tree, params, "protocolVersion") : NULL;
    const char *version = message_versions[0];
    worker_text words = {0};
    if (!asked) {
        return message_refuse(m, reply, RPC_PARAMS, "initialize: expected a protocolVersion");
    }
    for (size_t i = 0; i < sizeof message_versions / sizeof *message_versions; i++) {
        if (strcmp(asked, message_versions[i]) == 0) version = asked;
    }
    worker_addf(&words,
                "lode finds frequent itemsets, association rules and frequent subgraphs in files. "
                "It reads files below these folders: ");
    worker_add(&words, about->folders.bytes, about->folders.n);
    worker_addf(&words,
                ". Name files by their path or relative to a folder. Begin with "
                "describe_file, choose a threshold with suggest_threshold, then mine. %s",
                about->saves
                    ? "With save_as, query_result can look at the whole result later."
                    : "Results cannot be stored: lode was started without a folder for them.");
    message_add_head(reply, &m->id);
    worker_addf(reply,
                ",\"result\":{\"protocolVersion\":\"%s\",\"capabilities\":{\"tools\":{}},"
                "\"serverInfo\":{\"name\":\"lode\",\"version\":\"%s\"},\"instructions\":",
                version, lode_version());
    worker_add_text(reply, words.bytes, words.n);
    worker_addf(reply, "}}\n");
    reply->lost |= words.lost;
    worker_text_free(&words);
    return MCP_ANSWER;
}

static mcp_action message_list_tools(const mcp_about *about, mcp_message *m, size_t params,
                                     worker_text *reply) {
    if (params && json_find(&m->tree, params, "cursor")) {
        return message_refuse(m, reply, RPC_PARAMS, "tools/list: the list has only one page");
    }
    message_add_head(reply, &m->id);
    worker_addf(reply, ",\"result\":{\"tools\":");
    mcp_add_tools(reply, about->saves);
    worker_addf(reply, "}}\n");
    return MCP_ANSWER;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Writes an id or a token as JSON: a string, or a whole number. */
static bool message_take_id(const json_tree *t, size_t i, worker_text *out) {
    const json_node *node = &t->nodes[i];
    bool number = node->type == JSON_NUMBER && !strpbrk(node->text, ".eE");
    if ((!number && node->type != JSON_STRING) || strlen(node->text) > ID_MOST) return false;
    if (number) {
        worker_addf(out, "%s", node->text);
    } else {
        worker_add_word(out, node->text);
    }
    return true;
}

static mcp_action message_call(mcp_message *m, size_t params, worker_text *reply) {
    const char *name = params ? json_string_of(&m->tree, params, "name") : NULL;
    size_t in = params ? json_find(&m->tree, params, "arguments") : 0;
    size_t meta = params ? json_find(&m->tree, params, "_meta") : 0;
    size_t token = meta ? json_find(&m->tree, meta, "progressToken") : 0;
    for (size_t i = 0; name && i < MCP_KINDS; i++) {
        if (strcmp(name, mcp_tools[i].name) == 0) m->tool = &mcp_tools[i];
    }
    if (!m->tool) {
        snprintf(m->error, sizeof m->error, "there is no tool '%.60s'", name ? name : "");
        return message_refuse(m, reply, RPC_PARAMS, m->error);
    }
    if (in && m->tree.nodes[in].type != JSON_OBJECT) {
        return message_refuse(m, reply, RPC_PARAMS, "arguments: expected an object");
    }
    if (token && !message_take_id(&m->tree, token, &m->token)) {
        return message_refuse(m, reply, RPC_PARAMS,
                              "progressToken: expected a short string or a whole number");
    }
    if (mcp_take_arguments(m->tool, &m->tree, in, &m->request, m->error)) return MCP_CALL;
    mcp_add_failure(reply, &m->id, m->error, NULL, 0);
    return MCP_ANSWER;
}

static mcp_action message_cancel(mcp_message *m, size_t params) {
    size_t id = params ? json_find(&m->tree, params, "requestId") : 0;
    return id && message_take_id(&m->tree, id, &m->cancelled) ? MCP_CANCEL : MCP_ANSWER;
}

static mcp_action message_dispatch(const mcp_about *about, mcp_message *m, const char *method,
                                   worker_text *reply) {
    size_t params = json_find(&m->tree, 0, "params");
    bool object = !params || m->tree.nodes[params].type == JSON_OBJECT;
    if (m->id.n == 0) { /* a notification, which has no answer */
        bool cancels = object && strcmp(method, "notifications/cancelled") == 0;
        return cancels ? message_cancel(m, params) : MCP_ANSWER;
    }
    if (!object) return message_refuse(m, reply, RPC_PARAMS, "params: expected an object");
    if (strcmp(method, "initialize") == 0) return message_initialize(about, m, params, reply);
    if (strcmp(method, "tools/list") == 0) return message_list_tools(about, m, params, reply);
    if (strcmp(method, "tools/call") == 0) return message_call(m, params, reply);
    if (strcmp(method, "ping") == 0) {
        message_add_head(reply, &m->id);
        worker_addf(reply, ",\"result\":{}}\n");
        return MCP_ANSWER;
    }
    snprintf(m->error, sizeof m->error, "there is no method '%.60s'", method);
    return message_refuse(m, reply, RPC_METHOD, m->error);
}

mcp_action mcp_message_read(const mcp_about *about, const char *line, size_t bytes,
                            mcp_message *out, worker_text *reply) {
    const char *message;
    *out = (mcp_message){0};
    if (!json_tree_read(&out->tree, line, bytes, &message)) {
        snprintf(out->error, sizeof out->error, "invalid JSON: %s", message);
        return message_refuse(out, reply, RPC_PARSE, out->error);
    }
    const char *version = json_string_of(&out->tree, 0, "jsonrpc");
    const char *method = json_string_of(&out->tree, 0, "method");
    size_t id = json_find(&out->tree, 0, "id");
    bool answers = json_find(&out->tree, 0, "result") || json_find(&out->tree, 0, "error");
    if (id && !message_take_id(&out->tree, id, &out->id) && !answers) {
        return message_refuse(out, reply, RPC_REQUEST,
                              "id: expected a short string or a whole number");
    }
    if (!method && answers) return MCP_ANSWER; /* lode asks nothing */
    if (!version || strcmp(version, "2.0") != 0 || !method) {
        return message_refuse(out, reply, RPC_REQUEST,
                              "expected an object with \"jsonrpc\":\"2.0\" and a method");
    }
    return message_dispatch(about, out, method, reply);
}
