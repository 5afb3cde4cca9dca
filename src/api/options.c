/* options.c - options by name: makes the table from options.def, and parses the text of each kind
 * SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/options_table.h"
#include "base/figures.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "device/api/backend.h"
#include "pipeline/engine/branches.h"
#include "pipeline/engine/engine.h"
#include "pipeline/engine/targets.h"
#include "write/graphs/graph_text.h"
#include "write/itemsets/item_lines.h"
#include "write/rules/rule_text.h"

const option_row option_table[] = {
#define LODE_OPTION(group, field, kind, name, letter, argument, fallback, help)                    \
    {{sizeof(lode_option), name, letter, LODE_OPTION_##group, argument, fallback, help},           \
     KIND_##kind,                                                                                  \
     offsetof(lode_options, field)},
#define LODE_OPTION_ALIAS(...)
#include "api/options.def"
#undef LODE_OPTION
#undef LODE_OPTION_ALIAS
};

/* Names that options had before, or have in other programs, and answer to. */
static const struct option_alias {
    unsigned group;
    const char *old, *name;
} option_aliases[] = {
#define LODE_OPTION(...)
#define LODE_OPTION_ALIAS(group, old, name) {LODE_OPTION_##group, old, name},
#include "api/options.def"
#undef LODE_OPTION
#undef LODE_OPTION_ALIAS
};

#define WORDS(...)                                                                                 \
    (const char *const[]) {                                                                        \
        __VA_ARGS__, NULL                                                                          \
    }

/* The words that a kind of option takes; those of enums in the order of their values. */
static const char *const *const kind_words[N_KINDS] = {
    [KIND_TARGET] = WORDS("all", "closed", "maximal", "generators", "top:K"),
    [KIND_EPSILON] = WORDS("unlimited"),
    [KIND_MEMORY] = WORDS("unlimited", "auto"),
    [KIND_FORMAT] =
        WORDS("auto", "fimi", "spmf", "basket", "table", "onehot", "json", "attributes"),
    [KIND_SEPARATOR] = WORDS("tab"),
    [KIND_WRITE] = item_format_names,
    [KIND_CSV_ITEMS] = WORDS("cell", "columns"),
    [KIND_POPCOUNT] = WORDS("native", "table16", "shift", "constant16"),
    [KIND_REDUCE] = WORDS("any", "pow2"),
    [KIND_GRAPH_RECORDS] = WORDS("vectors", "columns"),
    [KIND_GRAPH_LOADS] = WORDS("readonly", "plain"),
    [KIND_GRID] = WORDS("folded", "square"),
    [KIND_PRODUCT] = WORDS("auto", "popc", "mma", "wgmma"),
    [KIND_GRAPH_TARGET] = WORDS("all", "closed", "maximal", "top:K"),
    [KIND_GRAPH_WRITE] = graph_format_names,
    [KIND_MOST] = WORDS("any"),
    [KIND_ADJUST] = WORDS("none", "bonferroni", "holm", "bh", "by"),
    [KIND_RULE_WRITE] = rule_format_names,
    [KIND_BASKET_WRITE] = WORDS("basket", "fimi", "table", "jsonl", "text", "csv"),
    [KIND_ROWS] = WORDS("all"),
    [KIND_SIGNIFICANCE] = WORDS("tarone", "permutation", "fdr"),
    [KIND_ALTERNATIVE] = WORDS("two-sided", "greater", "less"),
    [KIND_STORE_FORMAT] = WORDS("text", "csv", "jsonl"),
    [KIND_QUERY_FORMAT] = WORDS("text", "csv", "jsonl", "xlsx", "smarts"),
    [KIND_SUGGEST_TARGETS] = WORDS("all", "closed", "maximal", "rules"),
};

const char *const *option_words(option_kind kind) {
    return kind_words[kind];
}

/* The buffer for an error message; 0 bytes = none. */
typedef struct complaint {
    char *text;
    size_t bytes;
} complaint;

#define complain(c, ...) (snprintf((c).text, (c).bytes, __VA_ARGS__), LODE_INVALID)

lode_status lode_options_create(lode_options **out) {
    if (!out) return LODE_INVALID;
    lode_options *o = calloc(1, sizeof *o); /* no context yet, whose memory it could be */
    if (!o) return LODE_NOMEM;
    o->ctx.size = sizeof o->ctx;
    o->job.size = sizeof o->job;
    o->read.size = sizeof o->read;
    o->mine.size = sizeof o->mine;
    o->write.size = sizeof o->write;
    o->graph_read.size = sizeof o->graph_read;
    o->graph.size = sizeof o->graph;
    o->graph_write.size = sizeof o->graph_write;
    o->rule.size = sizeof o->rule;
    o->rule_write.size = sizeof o->rule_write;
    o->clean.size = sizeof o->clean;
    o->select.size = sizeof o->select;
    o->basket_write.size = sizeof o->basket_write;
    o->query.size = sizeof o->query;
    o->query_write.size = sizeof o->query_write;
    o->apply.size = sizeof o->apply;
    o->suggest.size = sizeof o->suggest;
    o->papers.size = sizeof o->papers;
    o->mine.papers = o->graph.papers = &o->papers;
    o->classes.size = sizeof o->classes;
    o->mine.classes = o->write.classes = &o->classes;
    o->graph.classes = o->graph_write.classes = &o->classes;
    *out = o;
    return LODE_OK;
}

void lode_options_free(lode_options *options) {
    if (!options) return;
    for (size_t i = 0; i < N_OPTIONS; i++) free(options->texts[i]);
    free(options);
}

void lode_options_set_log(lode_options *options, lode_log_fn log, void *user) {
    if (!options) return;
    options->job.log = log;
    options->job.log_user = user;
}

void lode_options_set_progress(lode_options *options, lode_progress_fn progress, void *user) {
    if (!options) return;
    options->job.progress = progress;
    options->job.progress_user = user;
}

#define OPTIONS_PART(name, type)                                                                   \
    const type *lode_options_##name(const lode_options *options) {                                 \
        return options ? &options->name : NULL;                                                    \
    }
OPTIONS_PART(ctx, lode_ctx_options)
OPTIONS_PART(job, lode_job_options)
OPTIONS_PART(read, lode_read_options)
OPTIONS_PART(mine, lode_mine_options)
OPTIONS_PART(write, lode_write_options)
OPTIONS_PART(graph_read, lode_graph_read_options)
OPTIONS_PART(graph, lode_graph_options)
OPTIONS_PART(graph_write, lode_graph_write_options)
OPTIONS_PART(rule, lode_rule_options)
OPTIONS_PART(rule_write, lode_rule_write_options)
OPTIONS_PART(clean, lode_clean_options)
OPTIONS_PART(select, lode_select_options)
OPTIONS_PART(basket_write, lode_basket_write_options)
OPTIONS_PART(suggest, lode_suggest_options)
OPTIONS_PART(papers, lode_paper_options)
OPTIONS_PART(classes, lode_class_options)
OPTIONS_PART(query, lode_query_options)
OPTIONS_PART(query_write, lode_query_write_options)
OPTIONS_PART(apply, lode_apply_options)

const lode_option *lode_option_at(size_t i) {
    return i < N_OPTIONS ? &option_table[i].option : NULL;
}

/* "auto", and then the names of a list. */
static const char *engine_word(option_kind kind, size_t i) {
    if (i == 0) return "auto";
    if (kind == KIND_DEVICE) return backend_at(i - 1) ? backend_at(i - 1)->name : NULL;
    const lode_engine *engine =
        engine_at(kind == KIND_ALGORITHM ? LODE_ITEMSETS : LODE_GRAPHS, i - 1);
    return engine ? engine->name : NULL;
}

const char *lode_option_word(const lode_option *option, size_t i) {
    size_t row = 0;
    while (row < N_OPTIONS && &option_table[row].option != option) row++;
    if (row == N_OPTIONS) return NULL;
    option_kind kind = option_table[row].kind;
    if (kind == KIND_ALGORITHM || kind == KIND_GRAPH_ALGORITHM || kind == KIND_DEVICE) {
        return engine_word(kind, i);
    }
    const char *const *words = option_words(kind);
    for (size_t n = 0; words && words[n]; n++) {
        if (n == i) return words[n];
    }
    return NULL;
}

/* ---- kinds of text ------------------------------------------------------------------------- */

static bool read_number(const char *text, uint64_t most, uint64_t *out, const char **end) {
    uint64_t value = 0;
    const char *p = text;
    if (*p < '0' || *p > '9') return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (value > (most - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out = value;
    *end = p;
    return true;
}

static lode_status set_count(const char *text, uint64_t most, uint64_t *out, complaint c) {
    const char *end;
    uint64_t value;
    if (!read_number(text, most, &value, &end) || *end != 0 || value == 0) {
        return complain(c, "'%s': expected a whole number from 1 to %llu", text,
                        (unsigned long long)most);
    }
    *out = value;
    return LODE_OK;
}

static lode_status set_bytes(const char *text, uint64_t *out, complaint c) {
    static const char units[] = "KMGT";
    const char *end;
    uint64_t value;
    if (!read_number(text, UINT64_MAX, &value, &end) || value == 0) goto bad;
    unsigned shift = 0;
    if (*end) {
        char unit = *end >= 'a' ? (char)(*end - 'a' + 'A') : *end;
        const char *at = strchr(units, unit);
        if (!at) goto bad;
        shift = 10 * (unsigned)(at - units + 1);
        end++;
        if (*end == 'i') end++; /* MiB is what M means */
        if (*end == 'B' || *end == 'b') end++;
        if (*end || value > UINT64_MAX >> shift) goto bad;
    }
    *out = value << shift;
    return LODE_OK;
bad:
    return complain(c, "'%s': expected a size such as 64M, 512M or 4G", text);
}

static lode_status set_memory(const char *text, lode_job_options *out, complaint c) {
    lode_resources r = LODE_INIT(lode_resources);
    if (strcmp(text, "auto") == 0) {
        lode_resources_get(&r);
    } else if (strcmp(text, "unlimited") != 0 && set_bytes(text, &r.memory_budget, c) != LODE_OK) {
        return complain(c, "'%s': expected a size such as 64M, 512M or 4G, or unlimited", text);
    }
    out->memory_bytes = r.memory_budget;
    out->memory_origin = r.memory_origin;
    return LODE_OK;
}

/* Not strtod, which depends on the locale. */
bool option_seconds(const char *text, double *out) {
    static const char units[] = "smh";
    static const double seconds[] = {1, 60, 3600};
    const char *end;
    uint64_t whole, part = 0, parts = 1;
    if (!read_number(text, UINT32_MAX, &whole, &end)) return false;
    if (*end == '.') {
        for (end++; *end >= '0' && *end <= '9'; end++) {
            if (parts >= (uint64_t)1 << 53) continue; /* a double has no room for more */
            part = part * 10 + (uint64_t)(*end - '0');
            parts *= 10;
        }
    }
    double value = (double)whole + (double)part / (double)parts;
    if (*end) {
        const char *unit = strchr(units, *end);
        if (!unit || end[1] != 0) return false;
        value *= seconds[unit - units];
    }
    if (value == 0) return false;
    *out = value;
    return true;
}

static lode_status set_seconds(const char *text, double *out, complaint c) {
    if (option_seconds(text, out)) return LODE_OK;
    return complain(c, "'%s': expected a time above zero, such as 60, 0.5, 30s, 10m or 2h", text);
}

/* Reads one of the words of `kind`, the last of which is top:K. */
static lode_status set_target(option_kind kind, const char *text, lode_target *target,
                              uint64_t *top_k, complaint c) {
    const char *const *words = kind_words[kind], *end;
    char list[64] = "", hint[NEAREST_BYTES + 32];
    size_t n = 0;
    uint64_t k;
    for (; words[n + 1]; n++) {
        if (strcmp(text, words[n]) == 0) {
            *target = target_find(text);
            return LODE_OK;
        }
        append_text(list, sizeof list, "%s, ", words[n]);
    }
    if (strncmp(text, "top:", 4) == 0 && read_number(text + 4, UINT64_MAX, &k, &end) && *end == 0 &&
        k > 0) {
        *target = LODE_TARGET_TOP;
        *top_k = k;
        return LODE_OK;
    }
    if (strncmp(text, "top:", 4) == 0) {
        return complain(c, "'%s': K must be 1 or more, as in top:100", text);
    }
    return complain(c, "'%s': %sexpected %sor top:K such as top:100", text,
                    nearest_hint(hint, text, words, n + 1), list);
}

static lode_status set_epsilon(const char *text, uint64_t *out, complaint c) {
    if (strcmp(text, "unlimited") == 0) {
        *out = UINT64_MAX;
        return LODE_OK;
    }
    if (set_count(text, UINT64_MAX - 1, out, c) == LODE_OK) return LODE_OK;
    return complain(c, "'%s': expected a number of candidates, or unlimited", text);
}

/* K/N: two numbers that are neighbours in memory. */
static lode_status set_share(const char *text, uint32_t *out, complaint c) {
    uint64_t k = 0, n = 0;
    const char *end = text;
    bool fine = read_number(text, SHARE_MOST, &k, &end) && *end == '/';
    fine = fine && read_number(end + 1, SHARE_MOST, &n, &end) && *end == 0;
    if (!fine || k == 0 || k > n) {
        return complain(c, "'%s': expected K/N, the K-th of N shares, such as 2/8; N is at most %u",
                        text, SHARE_MOST);
    }
    out[0] = (uint32_t)k;
    out[1] = (uint32_t)n;
    return LODE_OK;
}

static lode_status set_most(const char *text, uint32_t *out, complaint c) {
    uint64_t number = UINT32_MAX;
    if (strcmp(text, "any") != 0 && set_count(text, UINT32_MAX, &number, c) != LODE_OK) {
        return complain(c, "'%s': expected a whole number of at least 1, or the word any", text);
    }
    *out = (uint32_t)number;
    return LODE_OK;
}

static lode_status set_rows(const char *text, uint64_t *out, complaint c) {
    if (strcmp(text, "all") == 0) {
        *out = UINT64_MAX;
        return LODE_OK;
    }
    if (set_count(text, UINT64_MAX - 1, out, c) == LODE_OK) return LODE_OK;
    return complain(c, "'%s': expected a number of rows, or all", text);
}

#define MOST_NAMES 32

static lode_status set_algorithm(lode_pattern_kind kind, const char *text, const char **out,
                                 complaint c) {
    const char *names[MOST_NAMES] = {"auto"};
    size_t n = 1;
    if (strcmp(text, "auto") == 0 || engine_find(kind, text)) {
        *out = text;
        return LODE_OK;
    }
    for (; engine_at(kind, n - 1) && n < MOST_NAMES; n++) names[n] = engine_at(kind, n - 1)->name;
    /* There is no such algorithm; `names` are all there are. */
    char list[256] = "", hint[NEAREST_BYTES + 32];
    for (size_t i = 0; i < n; i++) {
        append_text(list, sizeof list, "%s%s", i ? ", " : "", names[i]);
    }
    return complain(c, "'%s': %sexpected one of %s", text, nearest_hint(hint, text, names, n),
                    list);
}

static lode_status set_separator(const char *text, char *out, complaint c) {
    if (strcmp(text, "tab") == 0 || strcmp(text, "\\t") == 0) {
        *out = '\t';
    } else if (strlen(text) == 1 && text[0] != '"' && text[0] != '\n' && text[0] != '\r') {
        *out = text[0];
    } else {
        return complain(c, "'%s': expected one character (not a quote), or tab", text);
    }
    return LODE_OK;
}

/* Position of `text` in a list of names that ends with NULL. */
static lode_status set_choice(const char *text, const char *const *names, int *out, complaint c) {
    char list[128] = "", hint[NEAREST_BYTES + 32];
    size_t known = 0;
    for (int i = 0; names[i]; i++, known++) {
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return LODE_OK;
        }
        append_text(list, sizeof list, "%s%s", i ? ", " : "", names[i]);
    }
    return complain(c, "'%s': %sexpected one of %s", text, nearest_hint(hint, text, names, known),
                    list);
}

static lode_status set_switch(const char *text, bool *out, complaint c) {
    if (!text || strcmp(text, "true") == 0) {
        *out = true;
    } else if (strcmp(text, "false") == 0) {
        *out = false;
    } else {
        return complain(c, "'%s': expected true or false", text);
    }
    return LODE_OK;
}

static lode_status set_device(const char *text, const char **out, complaint c) {
    char why[LODE_REPORT_TEXT] = "";
    if (!backend_check_spec(text, why, sizeof why)) return complain(c, "'%s': %s", text, why);
    *out = text;
    return LODE_OK;
}

/* "0.6", "60%", "0" and "1"; never a count. */
static lode_status set_ratio(const char *text, lode_threshold *out, complaint c) {
    lode_threshold t = {0};
    if (strcmp(text, "0") == 0 || strcmp(text, "0.0") == 0 || strcmp(text, "0%") == 0) {
        *out = (lode_threshold){0, 1}; /* not {0, 0}, which is "not set" */
        return LODE_OK;
    }
    if (strcmp(text, "1") == 0 || strcmp(text, "1.0") == 0) text = "100%";
    if (lode_threshold_parse(text, &t, NULL, 0) != LODE_OK || t.denominator == 0) {
        char percent[32] = "";
        size_t digits = strspn(text, "0123456789.");
        if (digits > 0 && digits < 5 && text[digits] == 0) {
            snprintf(percent, sizeof percent, "; for percent, write %s%%", text);
        }
        return complain(c, "'%s': expected a share from 0 to 1, such as 0.6 or 60%%%s%s", text,
                        strchr(text, ',') ? ", with a decimal point" : "", percent);
    }
    *out = t;
    return LODE_OK;
}

/* Above 0, up to 1; not strtod, as above. */
static lode_status set_real(const char *text, double *out, complaint c) {
    lode_threshold t = {0};
    lode_status status = set_ratio(text, &t, c);
    if (status == LODE_OK && t.numerator == 0) {
        return complain(c, "'%s': expected a number above 0, such as 0.05", text);
    }
    if (status == LODE_OK) *out = (double)t.numerator / (double)t.denominator;
    return status;
}

/* Words separated by commas, as bits. */
static lode_status set_bits(const char *text, const char *const *names, unsigned *out,
                            complaint c) {
    unsigned bits = 0;
    for (const char *at = text; at; at = *at == ',' ? at + 1 : NULL) {
        char word[32];
        int choice = 0;
        size_t n = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : (int)sizeof word - 1, at);
        lode_status status = set_choice(word, names, &choice, c);
        if (status != LODE_OK) return status;
        bits |= 1u << choice;
        at += n;
    }
    *out = bits;
    return LODE_OK;
}

/* A word of lode_significance; after "permutation", a number may follow: "permutation=1000". */
static lode_status set_significance(const char *text, lode_class_options *out, complaint c) {
    char word[32];
    int choice = 0;
    uint64_t n = 0;
    size_t bytes = strcspn(text, "=");
    bool has_number = text[bytes] == '=';
    snprintf(word, sizeof word, "%.*s", bytes < sizeof word ? (int)bytes : (int)sizeof word - 1,
             text);
    lode_status status = set_choice(word, kind_words[KIND_SIGNIFICANCE], &choice, c);
    if (status == LODE_OK && has_number && choice != LODE_BY_PERMUTATION) {
        return complain(c, "'%s': only permutation takes a number, as in permutation=1000", text);
    }
    if (status == LODE_OK && has_number) {
        status = set_count(text + bytes + 1, UINT32_MAX, &n, c);
    }
    if (status != LODE_OK) return status;
    memcpy(&out->by, &choice, sizeof choice);
    out->permutations = n;
    return LODE_OK;
}

static lode_status set_field(const option_row *row, lode_options *options, const char *text,
                             complaint c) {
    const char *const *words = option_words(row->kind);
    void *field = (char *)options + row->offset;
    uint64_t number = 0;
    int choice = 0;
    lode_status status = LODE_OK;
    switch (row->kind) {
    case KIND_SWITCH: return set_switch(text, field, c);
    case KIND_TEXT:
    case KIND_LIST: *(const char **)field = text; return LODE_OK;
    case KIND_RATIO: return set_ratio(text, field, c);
    case KIND_REAL: return set_real(text, field, c);
    case KIND_COUNT64: return set_count(text, UINT64_MAX, field, c);
    case KIND_BYTES: return set_bytes(text, field, c);
    case KIND_MEMORY: return set_memory(text, &options->job, c);
    case KIND_SECONDS: return set_seconds(text, field, c);
    case KIND_THRESHOLD: return lode_threshold_parse(text, field, c.text, c.bytes);
    case KIND_TARGET:
        return set_target(row->kind, text, &options->mine.target, &options->mine.top_k, c);
    case KIND_EPSILON: return set_epsilon(text, field, c);
    case KIND_SHARE: return set_share(text, field, c);
    case KIND_ROWS: return set_rows(text, field, c);
    case KIND_ALGORITHM: return set_algorithm(LODE_ITEMSETS, text, field, c);
    case KIND_DEVICE: return set_device(text, field, c);
    case KIND_SEPARATOR: return set_separator(text, field, c);
    case KIND_COUNT32:
        status = set_count(text, UINT32_MAX, &number, c);
        if (status == LODE_OK) *(uint32_t *)field = (uint32_t)number;
        return status;
    case KIND_MOST: return set_most(text, field, c);
    case KIND_THREADS:
        status = set_count(text, 1024, &number, c);
        if (status == LODE_OK) *(unsigned *)field = (unsigned)number;
        return status;
    case KIND_SUGGEST_TARGETS: return set_bits(text, words, field, c);
    case KIND_SIGNIFICANCE: return set_significance(text, &options->classes, c);
    case KIND_GRAPH_ALGORITHM: return set_algorithm(LODE_GRAPHS, text, field, c);
    case KIND_GRAPH_TARGET:
        return set_target(row->kind, text, &options->graph.target, &options->graph.top_k, c);
    case KIND_FORMAT:
    case KIND_WRITE:
    case KIND_CSV_ITEMS:
    case KIND_PRODUCT:
    case KIND_GRAPH_WRITE:
    case KIND_POPCOUNT:
    case KIND_REDUCE:
    case KIND_GRID:
    case KIND_GRAPH_RECORDS:
    case KIND_GRAPH_LOADS:
    case KIND_ADJUST:
    case KIND_ALTERNATIVE:
    case KIND_BASKET_WRITE:
    case KIND_STORE_FORMAT:
    case KIND_QUERY_FORMAT:
    case KIND_RULE_WRITE: /* enums, all as large as int */
        status = set_choice(text, words, &choice, c);
        if (status == LODE_OK) memcpy(field, &choice, sizeof choice);
        return status;
    }
    return LODE_INTERNAL;
}

static char *join_lines(const char *first, const char *second) {
    size_t n = strlen(first) + strlen(second) + 2;
    char *joined = malloc(n);
    if (joined) snprintf(joined, n, "%s\n%s", first, second);
    return joined;
}

/* Sets a field; one that points to its text, to a copy of it. */
static lode_status set_copy(const option_row *row, lode_options *options, const char *text,
                            complaint c) {
    if (!option_is_text(row->kind)) {
        lode_status set = set_field(row, options, text, c);
        options->ctx.threads = options->job.threads; /* the same words for a job */
        options->ctx.memory_bytes = options->job.memory_bytes;
        options->ctx.memory_origin = options->job.memory_origin;
        options->ctx.device_memory_bytes = options->job.device_memory_bytes;
        return set;
    }
    char **kept = &options->texts[row - option_table];
    char *copy = row->kind == KIND_LIST && *kept ? join_lines(*kept, text) : strdup(text);
    if (!copy) return LODE_NOMEM;
    lode_status status = set_field(row, options, copy, c);
    free(status == LODE_OK ? *kept : copy);
    if (status == LODE_OK) *kept = copy;
    return status;
}

const option_row *option_find(unsigned groups, const char *name) {
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const lode_option *o = &option_table[i].option;
        if (o->group & groups && strcmp(o->name, name) == 0) return &option_table[i];
    }
    for (size_t i = 0; i < sizeof option_aliases / sizeof *option_aliases; i++) {
        const struct option_alias *a = &option_aliases[i];
        if (a->group & groups && strcmp(a->old, name) == 0) return option_find(a->group, a->name);
    }
    return NULL;
}

const lode_option *lode_option_find(unsigned groups, const char *name) {
    const option_row *row = name ? option_find(groups, name) : NULL;
    return row ? &row->option : NULL;
}

static lode_status set_option(lode_options *options, unsigned groups, const char *name,
                              const char *value, complaint c) {
    if (!options || !name) return complain(c, "%s is NULL", options ? "the name" : "options");
    const option_row *row = option_find(groups, name);
    if (row && !value && row->option.argument) {
        return complain(c, "%s is missing", row->option.argument);
    }
    if (row) return set_copy(row, options, value, c);
    const char *names[N_OPTIONS];
    size_t n = 0;
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (option_table[i].option.group & groups) names[n++] = option_table[i].option.name;
    }
    const char *near = nearest_name(name, names, n);
    return complain(c, "there is no option '%s'%s%s%s", name, near ? "; did you mean '" : "",
                    near ? near : "", near ? "'?" : "");
}

lode_status lode_options_set_in(lode_options *options, unsigned groups, const char *name,
                                const char *value, char *message, size_t message_bytes) {
    complaint c = {message, message ? message_bytes : 0};
    lode_status status = set_option(options, groups, name, value, c);
    if (status == LODE_INVALID && c.bytes > 0) {
        c.text[utf8_copy_printable(c.text, c.text, strlen(c.text), false)] = 0;
    }
    return status;
}

const char *lode_nearest(const char *word, const char *const *names, size_t n) {
    return word && names ? nearest_name(word, names, n) : NULL;
}

lode_status lode_options_set(lode_options *options, const char *name, const char *value,
                             char *message, size_t message_bytes) {
    /* Rows of itemsets come first in the table. */
    return lode_options_set_in(options, UINT_MAX, name, value, message, message_bytes);
}
