/* mcp_tools.c - the tools of lode mcp, their arguments, and their JSON schemas
 *
 * An argument is an option of the library, with its help text and its checks, or a value that
 * mcp_calls.c reads.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "mcp.h"

#define NAME_MOST 32

/* ---- the table ------------------------------------------------------------------------------ */

#define ARG_FILE                                                                                   \
    { "file", MCP_TEXT, "data file: its path, or relative to a folder of lode" }
#define ARG_SAVE                                                                                   \
    {                                                                                              \
        "save_as", MCP_TEXT,                                                                       \
            "store the whole result under this new name, such as milk.arrow, for query_result"     \
    }
#define ARG_RESULT                                                                                 \
    { "result", MCP_TEXT, "name of a stored result, such as milk.arrow" }
#define ARG_ROWS                                                                                   \
    { "list.rows", MCP_COUNT, "number of patterns to return, best first; default 20" }
#define ITEMS_HELP "an item, or a pattern such as beer*"

static const mcp_arg basket_args[] = {
    {"read.format", MCP_TEXT, NULL},
    {"read.separator", MCP_TEXT, NULL},
    {"read.header", MCP_SWITCH, NULL},
    {"read.tid", MCP_TEXT, NULL},
    {"read.item", MCP_TEXT, NULL},
    {"read.weight", MCP_TEXT, NULL},
    {"read.drop-rows", MCP_LIST, NULL},
    {"read.sheet", MCP_TEXT, NULL},
    {"read.skip-bad-lines", MCP_SWITCH, NULL},
    {0},
};
static const mcp_arg graph_args[] = {
    {"read.directed", MCP_SWITCH, NULL},
    {"read.skip-bad-graphs", MCP_SWITCH, NULL},
    {"read.labels", MCP_LIST,
     "names of labels: atomic (vertices are atomic numbers, edges 1 to 4 are bonds), or lines such "
     "as v 6 C and e 1 single"},
    {0},
};
static const mcp_arg no_args[] = {{0}};

static const mcp_arg describe_args[] = {
    ARG_FILE,
    {"list.rows", MCP_COUNT, "number of baskets or graphs to show; default 5"},
    {0},
};
static const mcp_arg suggest_args[] = {
    ARG_FILE,
    {"o.want", MCP_COUNT, "find the minimum support that gives about N patterns"},
    {"o.target", MCP_TEXT, NULL},
    {"o.min-size", MCP_COUNT, "2: leave out itemsets with a single item; for all and rules"},
    {"o.min-confidence", MCP_TEXT, NULL},
    {"o.limit-time", MCP_TEXT, NULL},
    {0},
};
static const mcp_arg itemsets_args[] = {
    ARG_FILE,
    ARG_ROWS,
    ARG_SAVE,
    {"o.min-support", MCP_TEXT, NULL},
    {"o.target", MCP_TEXT, NULL},
    {"o.min-size", MCP_COUNT, NULL},
    {"o.max-size", MCP_COUNT, NULL},
    {"o.include", MCP_LIST, "only itemsets with " ITEMS_HELP ", for each entry"},
    {"o.exclude", MCP_LIST, "mine as if these items were not in the data"},
    {"o.rare", MCP_TEXT, NULL},
    {"o.min", MCP_LIST,
     "only itemsets whose lift, leverage or allConfidence is at least V: lift=1.5"},
    {"o.max", MCP_LIST, "only itemsets whose lift, leverage or allConfidence is at most V"},
    {"o.sort-by", MCP_TEXT,
     "lift, leverage, allConfidence or support: highest first; default: support"},
    {"o.measure", MCP_LIST, "measures to add to each itemset: lift, leverage, allConfidence"},
    {"o.limit-time", MCP_TEXT, NULL},
    {"o.limit-patterns", MCP_COUNT, NULL},
    {0},
};
static const mcp_arg rules_args[] = {
    ARG_FILE,
    ARG_ROWS,
    ARG_SAVE,
    {"o.min-support", MCP_TEXT, NULL},
    {"o.min-confidence", MCP_TEXT, NULL},
    {"o.max-lhs", MCP_COUNT, NULL},
    {"o.max-rhs", MCP_TEXT, NULL},
    {"o.min-size", MCP_COUNT, NULL},
    {"o.max-size", MCP_COUNT, NULL},
    {"o.include", MCP_LIST, "only rules with " ITEMS_HELP ", for each entry"},
    {"o.include-lhs", MCP_LIST, NULL},
    {"o.include-rhs", MCP_LIST, NULL},
    {"o.exclude", MCP_LIST, "only rules without these items"},
    {"o.min", MCP_LIST, NULL},
    {"o.max", MCP_LIST, NULL},
    {"o.sort-by", MCP_TEXT, "measure to sort by, best first, such as lift; default: confidence"},
    {"o.top", MCP_COUNT, "with sort_by: only the best K rules, also in the stored result"},
    {"o.productive", MCP_SWITCH, NULL},
    {"o.holdout", MCP_TEXT, "share of the transactions on which the rules are tested, such as 30%"},
    {"o.adjust", MCP_TEXT, NULL},
    {"o.significant", MCP_TEXT,
     "only rules with a p-value of at most this, such as 0.05, after adjust"},
    {"o.measure", MCP_LIST, "measures to add to each rule, such as +conviction"},
    {"o.limit-time", MCP_TEXT, NULL},
    {"o.limit-patterns", MCP_COUNT, "stop after N rules"},
    {0},
};
static const mcp_arg graphs_args[] = {
    ARG_FILE,
    ARG_ROWS,
    ARG_SAVE,
    {"o.min-support", MCP_TEXT, NULL},
    {"o.target", MCP_TEXT, NULL},
    {"o.min-edges", MCP_COUNT, NULL},
    {"o.max-edges", MCP_COUNT, "maximum number of edges"},
    {"o.max-vertices", MCP_COUNT, "maximum number of vertices"},
    {"o.induced", MCP_SWITCH, NULL},
    {"o.limit-time", MCP_TEXT, NULL},
    {"o.limit-patterns", MCP_COUNT, NULL},
    {0},
};
static const mcp_arg query_args[] = {
    ARG_RESULT,
    {"o.include", MCP_LIST, "only rows with " ITEMS_HELP ", for each entry"},
    {"o.exclude", MCP_LIST, NULL},
    {"o.include-lhs", MCP_LIST, NULL},
    {"o.include-rhs", MCP_LIST, NULL},
    {"o.match", MCP_LIST, NULL},
    {"o.min", MCP_LIST, NULL},
    {"o.max", MCP_LIST, NULL},
    {"o.min-size", MCP_COUNT, NULL},
    {"o.max-size", MCP_COUNT, NULL},
    {"o.sort-by", MCP_TEXT, NULL},
    {"o.reverse", MCP_SWITCH, "with sort_by: worst first"},
    {"o.measure", MCP_TEXT, "measures to add to each row, separated by commas"},
    {"o.page", MCP_COUNT, "page of rows to return; default 1"},
    {"list.rows", MCP_COUNT, "rows per page; default 20"},
    {0},
};
static const mcp_arg explain_args[] = {
    {"file", MCP_TEXT, "data file, to explain a rule between its items"},
    {"if", MCP_LIST, "items of the antecedent; none: all transactions"},
    {"then", MCP_LIST, "items of the consequent"},
    {"result", MCP_TEXT, "instead of a file: name of a stored result, to explain one of its rows"},
    {"row", MCP_COUNT, "number of a row of the result, as query_result returns it"},
    {"measures", MCP_LIST, "measures to compute; default: the most common ones"},
    {0},
};

const mcp_tool mcp_tools[MCP_KINDS] = {
    [MCP_DESCRIBE] = {"describe_file", "Describe a file",
                      "Reads a file of transactions (baskets, tables, JSON) or of graphs. Returns "
                      "how it was understood, its size, its most frequent items, and first rows.",
                      0, LODE_OPTION_READ, describe_args, basket_args, "file"},
    [MCP_SUGGEST] = {"suggest_threshold", "Suggest a threshold",
                     "Estimates how many itemsets or rules each minimum support gives, without "
                     "mining. With `want`, finds the minimum support that gives about N of them.",
                     LODE_OPTION_SUGGEST, LODE_OPTION_READ, suggest_args, basket_args, "file"},
    [MCP_ITEMSETS] = {"mine_itemsets", "Mine itemsets",
                      "Finds the sets of items that occur together in at least min_support "
                      "transactions. Returns the number of itemsets and the best ones: the most "
                      "frequent, or by sort_by.",
                      LODE_OPTION_MINE | LODE_OPTION_CONSTRAINT | LODE_OPTION_WRITE,
                      LODE_OPTION_READ, itemsets_args, basket_args, "file"},
    [MCP_RULES] = {"mine_rules", "Mine association rules",
                   "Finds rules \"transactions with these items (body) also have those (head)\". "
                   "Returns the number of rules and the best ones, with their measures.",
                   LODE_OPTION_RULE | LODE_OPTION_RULE_WRITE, LODE_OPTION_READ, rules_args,
                   basket_args, "file min_support"},
    [MCP_GRAPHS] = {"mine_graphs", "Mine subgraphs",
                    "Finds the connected subgraphs that occur in at least min_support of the "
                    "graphs of a file in gSpan format.",
                    LODE_OPTION_GRAPH, LODE_OPTION_GRAPH_READ, graphs_args, graph_args, "file"},
    [MCP_QUERY] = {"query_result", "Query a stored result",
                   "Filters, sorts and pages a result that was stored with save_as, or with "
                   "`lode -w arrow`. Returns rows, their numbers, and how many rows match.",
                   LODE_OPTION_QUERY, 0, query_args, no_args, "result"},
    [MCP_EXPLAIN] = {"explain_rule", "Explain a rule",
                     "Says in a sentence what a rule means, with its counts and measures: a rule "
                     "between any items of a file, or a row of a stored result.",
                     0, LODE_OPTION_READ, explain_args, basket_args, ""},
};

/* ---- names ---------------------------------------------------------------------------------- */

/* "min_support" for the key "o.min-support". */
static void arg_name(const mcp_arg *arg, char name[NAME_MOST]) {
    const char *dot = strchr(arg->key, '.');
    snprintf(name, NAME_MOST, "%s", dot ? dot + 1 : arg->key);
    for (char *c = name; *c; c++) *c = *c == '-' ? '_' : *c;
}

/* The i-th argument of a tool: its own ones come first. NULL past the end. */
static const mcp_arg *arg_at(const mcp_tool *tool, size_t i) {
    size_t n = 0;
    while (tool->args[n].key) n++;
    if (i < n) return &tool->args[i];
    for (size_t k = 0; tool->read_args[k].key; k++) {
        if (k == i - n) return &tool->read_args[k];
    }
    return NULL;
}

static const mcp_arg *arg_find(const mcp_tool *tool, const char *name) {
    const mcp_arg *arg;
    char own[NAME_MOST];
    for (size_t i = 0; (arg = arg_at(tool, i)); i++) {
        arg_name(arg, own);
        if (strcmp(own, name) == 0) return arg;
    }
    return NULL;
}

/* ---- schemas -------------------------------------------------------------------------------- */

static const char *arg_help(const mcp_tool *tool, const mcp_arg *arg) {
    const char *dot = strchr(arg->key, '.');
    bool reads = strncmp(arg->key, "read.", 5) == 0;
    const lode_option *o =
        dot ? lode_option_find(reads ? tool->read_groups : tool->groups, dot + 1) : NULL;
    return arg->help ? arg->help : o ? o->help : "";
}

static void tools_add_arg(worker_text *json, const mcp_tool *tool, const mcp_arg *arg) {
    static const char *const types[] = {
        [MCP_TEXT] = "\"string\"",
        [MCP_COUNT] = "\"integer\",\"minimum\":0",
        [MCP_SWITCH] = "\"boolean\"",
        [MCP_LIST] = "\"array\",\"items\":{\"type\":\"string\"}",
    };
    char name[NAME_MOST];
    arg_name(arg, name);
    worker_addf(json, "\"%s\":{\"type\":%s,\"description\":", name, types[arg->type]);
    worker_add_word(json, arg_help(tool, arg));
    worker_addf(json, "}");
}

static void tools_add_required(worker_text *json, const char *names) {
    worker_addf(json, "\"required\":[");
    for (const char *at = names; *at; at += strspn(at, " ")) {
        int n = (int)strcspn(at, " ");
        worker_addf(json, "%s\"%.*s\"", at == names ? "" : ",", n, at);
        at += n;
    }
    worker_addf(json, "]");
}

static bool tool_saves(const mcp_tool *tool) {
    return arg_find(tool, "save_as") != NULL;
}

static void tools_add(worker_text *json, const mcp_tool *tool, bool saves) {
    const mcp_arg *arg;
    const char *comma = "";
    worker_addf(json, "{\"name\":\"%s\",\"title\":\"%s\",\"description\":", tool->name,
                tool->title);
    worker_add_word(json, tool->help);
    worker_addf(json, ",\"inputSchema\":{\"type\":\"object\",\"properties\":{");
    for (size_t i = 0; (arg = arg_at(tool, i)); i++) {
        if (!saves && strcmp(arg->key, "save_as") == 0) continue;
        worker_addf(json, "%s", comma);
        tools_add_arg(json, tool, arg);
        comma = ",";
    }
    worker_addf(json, "},");
    tools_add_required(json, tool->required);
    worker_addf(json,
                ",\"additionalProperties\":false},\"annotations\":{\"readOnlyHint\":%s,"
                "\"destructiveHint\":false,\"openWorldHint\":false}}",
                saves && tool_saves(tool) ? "false" : "true");
}

void mcp_add_tools(worker_text *json, bool saves) {
    worker_addf(json, "[");
    for (size_t i = 0; i < MCP_KINDS; i++) {
        if (i > 0) worker_addf(json, ",");
        tools_add(json, &mcp_tools[i], saves);
    }
    worker_addf(json, "]");
}

/* ---- arguments ------------------------------------------------------------------------------ */

static bool tools_take_value(const mcp_arg *arg, const json_node *node, worker_request *out,
                             char message[WORKER_MESSAGE]) {
    static const char *const types[] = {[MCP_TEXT] = "a string or a number",
                                        [MCP_COUNT] = "a whole number",
                                        [MCP_SWITCH] = "true or false",
                                        [MCP_LIST] = "a list of strings"};
    char name[NAME_MOST];
    if (node->text && node->type != JSON_NULL) {
        out->values[out->n_values++] = (worker_value){arg->key, node->text};
        return true;
    }
    arg_name(arg, name);
    snprintf(message, WORKER_MESSAGE, "%s: expected %s", name, types[arg->type]);
    return false;
}

/* An argument that is null is as good as one that is not there. */
static bool tools_take_argument(const mcp_tool *tool, const json_tree *tree, size_t i,
                                worker_request *out, char message[WORKER_MESSAGE]) {
    const json_node *node = &tree->nodes[i];
    const mcp_arg *arg = arg_find(tool, node->name);
    if (!arg) {
        snprintf(message, WORKER_MESSAGE, "%s has no argument '%.60s'", tool->name, node->name);
        return false;
    }
    if (node->type == JSON_NULL) return true;
    if (node->type != JSON_LIST || arg->type != MCP_LIST) {
        return tools_take_value(arg, node, out, message);
    }
    for (size_t k = json_first(tree, i); k; k = json_after(tree, i, k)) {
        if (!tools_take_value(arg, &tree->nodes[k], out, message)) return false;
    }
    return true;
}

static bool tools_have_required(const mcp_tool *tool, const worker_request *r,
                                char message[WORKER_MESSAGE]) {
    char name[NAME_MOST];
    for (const char *at = tool->required; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, at);
        at += n;
        if (worker_request_get(r, arg_find(tool, name)->key)) continue;
        snprintf(message, WORKER_MESSAGE, "%s requires the argument %s", tool->name, name);
        return false;
    }
    return true;
}

bool mcp_take_arguments(const mcp_tool *tool, const json_tree *tree, size_t in, worker_request *out,
                        char message[WORKER_MESSAGE]) {
    size_t room = (in ? tree->nodes[in].next - in : 0) + MCP_MORE_VALUES;
    out->values = calloc(room, sizeof *out->values);
    if (!out->values) {
        snprintf(message, WORKER_MESSAGE, "%s", lode_status_text(LODE_NOMEM));
        return false;
    }
    for (size_t i = in ? json_first(tree, in) : 0; i; i = json_after(tree, in, i)) {
        if (!tools_take_argument(tool, tree, i, out, message)) return false;
    }
    return tools_have_required(tool, out, message);
}
