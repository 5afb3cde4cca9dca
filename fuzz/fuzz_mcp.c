/* fuzz_mcp.c - any lines as messages to lode mcp
 *
 * An answer must be one line of JSON, whatever a message is. What the reader of JSON accepts must
 * be the same after it is written and read again, and an option that is refused has a message.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "mcp.h"
#include "target.h"

/* ---- JSON ----------------------------------------------------------------------------------- */

static void mcp_write_name(worker_text *out, const json_node *node) {
    if (!node->name) return;
    worker_add_word(out, node->name);
    worker_addf(out, ":");
}

static void mcp_write_tree(const json_tree *t, size_t in, worker_text *out) {
    const json_node *node = &t->nodes[in];
    mcp_write_name(out, node);
    if (node->type == JSON_STRING) worker_add_word(out, node->text);
    if (node->type < JSON_STRING) worker_addf(out, "%s", node->text);
    if (node->type < JSON_LIST) return;
    worker_addf(out, node->type == JSON_LIST ? "[" : "{");
    for (size_t i = json_first(t, in); i; i = json_after(t, in, i)) {
        if (i != in + 1) worker_addf(out, ",");
        mcp_write_tree(t, i, out);
    }
    worker_addf(out, node->type == JSON_LIST ? "]" : "}");
}

static void mcp_same_texts(const char *a, const char *b) {
    fuzz_require(!a == !b && (!a || strcmp(a, b) == 0), "another text after writing");
}

static void mcp_check_tree(const json_tree *t) {
    worker_text again = {0};
    json_tree copy;
    const char *message;
    mcp_write_tree(t, 0, &again);
    fuzz_require(json_tree_read(&copy, again.bytes, again.n, &message), "written JSON is refused");
    fuzz_require(copy.n == t->n, "another number of values after writing");
    for (size_t i = 0; i < t->n; i++) {
        fuzz_require(copy.nodes[i].type == t->nodes[i].type, "another type after writing");
        fuzz_require(copy.nodes[i].next == t->nodes[i].next, "another shape after writing");
        mcp_same_texts(copy.nodes[i].name, t->nodes[i].name);
        mcp_same_texts(copy.nodes[i].text, t->nodes[i].text);
    }
    json_tree_free(&copy);
    worker_text_free(&again);
}

/* ---- messages ------------------------------------------------------------------------------- */

static void mcp_check_reply(const worker_text *reply) {
    json_tree t;
    const char *message;
    fuzz_require(!reply->lost, "out of memory");
    if (reply->n == 0) return;
    fuzz_require(memchr(reply->bytes, '\n', reply->n) == reply->bytes + reply->n - 1,
                 "an answer that is not one line");
    fuzz_require(json_tree_read(&t, reply->bytes, reply->n, &message), "an answer that is no JSON");
    fuzz_require(json_find(&t, 0, "id") &&
                     (json_find(&t, 0, "result") || json_find(&t, 0, "error")),
                 "neither a result nor an error");
    json_tree_free(&t);
}

/* Sets the options of a call, each on its own. */
static void mcp_check_call(const mcp_message *m) {
    lode_options *options;
    fuzz_require(lode_options_create(&options) == LODE_OK, "no options");
    fuzz_require(m->tool && m->id.n > 0, "a call without a tool or an id");
    for (size_t i = 0; i < m->request.n_values; i++) {
        const worker_value *v = &m->request.values[i];
        bool reads = strncmp(v->name, "read.", 5) == 0, sets = strncmp(v->name, "o.", 2) == 0;
        char message[512] = "";
        fuzz_require(v->text != NULL, "an argument without a text");
        if (!reads && !sets) continue;
        unsigned groups = reads ? m->tool->read_groups : m->tool->groups;
        lode_status status = lode_options_set_in(options, groups, strchr(v->name, '.') + 1, v->text,
                                                 message, sizeof message);
        fuzz_require(status == LODE_OK || message[0], "a refusal without a message");
        fuzz_require(strncmp(message, "there is no option", 18) != 0, "an argument is no option");
    }
    lode_options_free(options);
}

static void mcp_check_line(const char *line, size_t n, bool saves) {
    mcp_about about = {.saves = saves};
    mcp_message m;
    worker_text reply = {0};
    worker_addf(&about.folders, "/data");
    mcp_action action = mcp_message_read(&about, line, n, &m, &reply);
    fuzz_require(action == MCP_ANSWER || reply.n == 0, "an answer to what still runs");
    fuzz_require(action != MCP_CANCEL || m.cancelled.n > 0, "nothing to cancel");
    if (m.tree.n > 0) mcp_check_tree(&m.tree);
    mcp_check_reply(&reply);
    if (action == MCP_CALL) mcp_check_call(&m);
    mcp_message_free(&m);
    worker_text_free(&reply);
    worker_text_free(&about.folders);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    const char *at = (const char *)bytes, *end = at + n;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        mcp_check_line(at, (size_t)((line_end ? line_end : end) - at), n & 1);
        at = line_end ? line_end + 1 : end;
    }
    return 0;
}
