/* options_table.h - internals of options by name: the rows of the table (options.def), and the
 * content of a lode_options
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_API_OPTIONS_TABLE_H
#define LODE_API_OPTIONS_TABLE_H

#include "lode.h"

/* How the text of an option is parsed; options.def uses the names without KIND_. */
typedef enum option_kind {
    KIND_SWITCH,
    KIND_TEXT,
    KIND_LIST,  /* texts, one per line; each call adds one */
    KIND_RATIO, /* a share from 0 to 1, exact */
    KIND_REAL,
    KIND_ADJUST,
    KIND_RULE_WRITE,
    KIND_ROWS, /* a number, or all */
    KIND_STORE_FORMAT,
    KIND_QUERY_FORMAT,
    KIND_COUNT32,
    KIND_MOST, /* as COUNT32, or "any": UINT32_MAX */
    KIND_COUNT64,
    KIND_BYTES,
    KIND_MEMORY, /* as BYTES, or "unlimited": 0, or "auto": what lode_resources_get() says */
    KIND_SECONDS,
    KIND_THREADS,
    KIND_THRESHOLD,
    KIND_TARGET,
    KIND_EPSILON,
    KIND_SHARE, /* two numbers: which share, and of how many */
    KIND_ALGORITHM,
    KIND_DEVICE,
    KIND_FORMAT,
    KIND_SEPARATOR,
    KIND_WRITE,
    KIND_CSV_ITEMS,
    KIND_POPCOUNT,
    KIND_REDUCE,
    KIND_GRAPH_RECORDS,
    KIND_GRAPH_LOADS,
    KIND_GRID,
    KIND_PRODUCT,
    KIND_GRAPH_ALGORITHM,
    KIND_GRAPH_TARGET,
    KIND_SUGGEST_TARGETS,
    KIND_GRAPH_WRITE,
    KIND_BASKET_WRITE,
    KIND_SIGNIFICANCE, /* a word, perhaps with a number of permutations */
    KIND_ALTERNATIVE
} option_kind;

#define N_KINDS (KIND_ALTERNATIVE + 1)

enum {
#define LODE_OPTION(...) +1
#define LODE_OPTION_ALIAS(...)
    N_OPTIONS = 0
#include "api/options.def"
#undef LODE_OPTION
#undef LODE_OPTION_ALIAS
};

struct lode_options {
    lode_ctx_options ctx;
    lode_job_options job;
    lode_read_options read;
    lode_mine_options mine;
    lode_write_options write;
    lode_graph_read_options graph_read;
    lode_graph_options graph;
    lode_graph_write_options graph_write;
    lode_rule_options rule;
    lode_rule_write_options rule_write;
    lode_clean_options clean;
    lode_select_options select;
    lode_basket_write_options basket_write;
    lode_query_options query;
    lode_query_write_options query_write;
    lode_apply_options apply;
    lode_suggest_options suggest;
    lode_paper_options papers;  /* mine and graph point to it */
    lode_class_options classes; /* mine, write, graph, graph_write point to it */
    char *texts[N_OPTIONS];     /* copies of the values that fields point to, by option */
};

typedef struct option_row {
    lode_option option;
    option_kind kind;
    size_t offset; /* of the field in lode_options */
} option_row;

extern const option_row option_table[];

/* The row with this name or alias in one of these groups (a set of bits); NULL if there is none. */
const option_row *option_find(unsigned groups, const char *name);

/* The words that a kind accepts, ending with NULL; for an enum, in the order of its values. NULL =
 * the kind accepts no words. */
const char *const *option_words(option_kind kind);

/* Whether the field points to a copy of the text. */
static inline bool option_is_text(option_kind kind) {
    return kind == KIND_TEXT || kind == KIND_LIST || kind == KIND_ALGORITHM ||
           kind == KIND_GRAPH_ALGORITHM || kind == KIND_DEVICE;
}

/* Parses a time above zero, such as 60, 0.5, 30s, 10m or 2h, as seconds. Returns false for
 * other texts. */
bool option_seconds(const char *text, double *out);

#endif
