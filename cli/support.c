/* support.c - lode support RESULT ITEM...: the support of any set, from a stored result
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option support_options[] = {
    {"sets", 0, "FILE", "the items given", "one set a line, items separated by commas; - is stdin"},
    {"quiet", 'q', NULL, "progress, notes", "print errors and warnings only"},
    {0},
};

/* The sets that are asked for. */
typedef struct set_list {
    lode_store *store;
    lode_job *job;
    uint64_t n_sets, *offsets, *supports;
    uint32_t *items;
    size_t cap_sets, cap_items;
    lode_known *known;
    char **texts;     /* as they were written */
    const char *file; /* where they come from; NULL: the command line */
    bool blanks;      /* no name has a blank, so that blanks separate items */
} set_list;

static void *grown(void *old, size_t n, size_t width) {
    void *more = realloc(old, (n ? n : 1) * width);
    if (!more) {
        cli_error("%s", lode_status_text(LODE_NOMEM));
        exit(CLI_FAILED);
    }
    return more;
}

/* Finds an item; says where it was not found. */
static bool add_item(set_list *l, const char *name, size_t n) {
    uint64_t at = l->offsets[l->n_sets];
    if (at == l->cap_items) {
        l->cap_items = 2 * l->cap_items + 16;
        l->items = grown(l->items, l->cap_items, sizeof *l->items);
    }
    lode_status status = lode_store_item_find(l->store, name, n, &l->items[at]);
    if (status == LODE_OK) {
        l->offsets[l->n_sets]++;
    } else if (l->file && status == LODE_INVALID) {
        fprintf(stderr, "%s:%llu: %s\n", l->file, (unsigned long long)l->n_sets,
                lode_job_error(l->job));
    } else {
        cli_error("%s", lode_job_error(l->job));
    }
    return status == LODE_OK;
}

/* Begins a set; its items are those up to offsets[n_sets]. */
static void begin_set(set_list *l) {
    if (l->n_sets + 2 > l->cap_sets) {
        l->cap_sets = 2 * l->cap_sets + 16;
        l->offsets = grown(l->offsets, l->cap_sets, sizeof *l->offsets);
        l->texts = grown(l->texts, l->cap_sets, sizeof *l->texts);
    }
    if (l->n_sets == 0) l->offsets[0] = 0;
    l->offsets[l->n_sets + 1] = l->offsets[l->n_sets];
}

static bool has_item(const set_list *l, const char *name, size_t n) {
    uint32_t item;
    return lode_store_item_find(l->store, name, n, &item) == LODE_OK;
}

/* Items between commas or tabs or, where no name has any, blanks; or one name that has such. */
static bool add_line(set_list *l, const char *line) {
    const char *between = l->blanks ? ",\t " : ",\t";
    bool added = true;
    begin_set(l);
    l->n_sets++;
    l->texts[l->n_sets - 1] = grown(NULL, strlen(line) + 1, 1);
    memcpy(l->texts[l->n_sets - 1], line, strlen(line) + 1);
    if (line[strcspn(line, between)] && has_item(l, line, strlen(line))) {
        return add_item(l, line, strlen(line));
    }
    while (added && *line) {
        size_t n = strcspn(line, between), end = n;
        while (end > 0 && line[end - 1] == ' ') end--; /* "a, b" */
        if (end > 0) added = add_item(l, line, end);
        line += n + strspn(line + n, ",\t ");
    }
    return added;
}

static void look_for_blanks(set_list *l, uint32_t n) {
    l->blanks = true;
    for (uint32_t i = 0; i < n && l->blanks; i++) {
        size_t bytes;
        const char *name = lode_store_item_name(l->store, i, &bytes);
        l->blanks = !memchr(name, ' ', bytes);
    }
}

static int read_sets(set_list *l, const char *path) {
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "r");
    char *line = NULL;
    size_t cap = 0;
    int code = CLI_DONE;
    l->file = is_stdin ? "standard input" : path;
    if (!file) {
        cli_error("cannot open '%s': %s", path, strerror(errno));
        return CLI_BAD_INPUT;
    }
    while (code == CLI_DONE && getline(&line, &cap, file) >= 0) {
        line[strcspn(line, "\r\n")] = 0;
        if (!add_line(l, line)) code = CLI_BAD_INPUT;
    }
    if (code == CLI_DONE && ferror(file)) {
        cli_error("cannot read '%s': %s", path, strerror(errno));
        code = CLI_FAILED;
    }
    free(line);
    if (!is_stdin) fclose(file);
    return code;
}

/* Why nothing is known of a set. */
static const char *reason_of(const lode_store_info *info) {
    if (!info->complete) return "the search was stopped, or had constraints";
    if (info->target == LODE_TARGET_GENERATORS) return "the result has generators only";
    if (info->max_size > 0) return "the search was limited in size";
    return "the search left out small sets";
}

static void print_one(const set_list *l, const lode_store_info *info) {
    uint64_t support = l->supports[0];
    double percent = info->total ? 100 * (double)support / (double)info->total : 0;
    switch (l->known[0]) {
    case LODE_KNOWN_EXACT:
        printf("%s of %s transactions (%.4g%%)\n", cli_count(support), cli_count(info->total),
               percent);
        break;
    case LODE_KNOWN_AT_LEAST:
        printf("at least %s of %s transactions (%.4g%%): the result does not tell more\n",
               cli_count(support), cli_count(info->total), percent);
        break;
    case LODE_KNOWN_BELOW:
        printf("below the threshold: in fewer than %s of %s transactions\n",
               cli_count(info->min_count), cli_count(info->total));
        break;
    case LODE_KNOWN_NOT: printf("unknown: %s\n", reason_of(info)); break;
    }
}

/* A line for each set: a number, what it is, the set. */
static void print_many(const set_list *l, const lode_store_info *info) {
    static const char *const words[] = {"exact", "at least", "below", "unknown"};
    for (uint64_t i = 0; i < l->n_sets; i++) {
        uint64_t number = l->known[i] == LODE_KNOWN_BELOW ? info->min_count : l->supports[i];
        printf("%llu\t%s\t%s\n", (unsigned long long)number, words[l->known[i]], l->texts[i]);
    }
}

static int answer_sets(const cli_args *args, set_list *l) {
    lode_store_info info = LODE_INIT(lode_store_info);
    uint32_t n = 0;
    const char *path = cli_given(args, "sets");
    lode_status status = lode_store_items(l->store, &n);
    if (status != LODE_OK) return cli_fail(l->job, status);
    look_for_blanks(l, n);
    begin_set(l);
    if (args->n_files > 1) {
        for (int i = 1; i < args->n_files; i++) {
            if (i == 1) l->n_sets++, l->texts[0] = NULL;
            if (!add_item(l, args->files[i], strlen(args->files[i]))) return CLI_USAGE;
        }
    } else {
        int code = read_sets(l, path ? path : "-");
        if (code != CLI_DONE) return code;
    }
    l->supports = grown(NULL, l->n_sets, sizeof *l->supports);
    l->known = grown(NULL, l->n_sets, sizeof *l->known);
    l->items = grown(l->items, l->cap_items + 1, sizeof *l->items);
    status = lode_store_supports(l->store, l->n_sets, l->offsets, l->items, l->supports, l->known);
    cli_progress_end();
    if (status != LODE_OK) return cli_fail(l->job, status);
    lode_store_about(l->store, &info);
    if (args->n_files > 1) {
        print_one(l, &info);
    } else {
        print_many(l, &info);
    }
    return CLI_DONE;
}

static int run_support(cli_args *args) {
    set_list l = {0};
    if (cli_given(args, "sets") && args->n_files > 1) {
        cli_error("--sets reads the sets from a file; it does not go with items");
        return CLI_USAGE;
    }
    lode_status status = cli_job_create(&l.job, args);
    if (status != LODE_OK) return cli_fail(NULL, status);
    status = lode_store_open(l.job, &l.store, args->file);
    int code = status == LODE_OK ? answer_sets(args, &l) : cli_fail(l.job, status);
    for (uint64_t i = 0; i < l.n_sets; i++) free(l.texts[i]);
    free(l.texts);
    free(l.offsets);
    free(l.items);
    free(l.supports);
    free(l.known);
    lode_store_free(l.store);
    cli_job_free(l.job);
    return code;
}

const cli_command cli_support = {
    .name = "support",
    .arguments = "RESULT [ITEM...] [options]",
    .summary = "tell the support of any set from a stored result of all or closed itemsets",
    .examples = "  lode itemsets baskets.csv -s 1% --target closed -w arrow -o closed.arrow\n"
                "  lode support closed.arrow milk bread\n"
                "  lode support closed.arrow --sets sets.txt        one set a line: milk,bread\n",
    .groups = LODE_OPTION_JOB,
    .options = support_options,
    .n_files = CLI_MANY_FILES,
    .run = run_support,
};
