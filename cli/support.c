/* support.c - lode support RESULT ITEM...: shows the support of any set, from a stored result
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option support_options[] = {
    {"sets", 0, "FILE", "the items given as arguments",
     "look up the itemsets in FILE, one per line: a,\"b, c\" has two items; - is standard input"},
    {"quiet", 'q', NULL, "also print progress and notes",
     "print only results, warnings and errors"},
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
    char **texts;       /* as they were written */
    bool *unclear;      /* an item of the set is not in the result, … */
    uint64_t n_unclear; /* … which is so for these */
    const char *file;   /* where they come from; NULL: the command line */
    bool blanks;        /* no name has a blank, so that blanks separate items */
} set_list;

static void *grown(void *old, size_t n, size_t width) {
    void *more = realloc(old, (n ? n : 1) * width);
    if (!more) {
        cli_error("%s", lode_status_text(LODE_NOMEM));
        exit(CLI_FAILED);
    }
    return more;
}

/* Finds an item, which is one more of the last set. */
static lode_status add_item(set_list *l, const char *name, size_t n) {
    uint64_t at = l->offsets[l->n_sets];
    if (at == l->cap_items) {
        l->cap_items = 2 * l->cap_items + 16;
        l->items = grown(l->items, l->cap_items, sizeof *l->items);
    }
    lode_status status = lode_store_item_find(l->store, name, n, &l->items[at]);
    if (status == LODE_OK) l->offsets[l->n_sets]++;
    return status;
}

/* Begins a set without items; its items are those up to offsets[n_sets]. */
static void add_set(set_list *l, const char *text) {
    if (l->n_sets + 2 > l->cap_sets) {
        l->cap_sets = 2 * l->cap_sets + 16;
        l->offsets = grown(l->offsets, l->cap_sets, sizeof *l->offsets);
        l->texts = grown(l->texts, l->cap_sets, sizeof *l->texts);
        l->unclear = grown(l->unclear, l->cap_sets, sizeof *l->unclear);
    }
    if (l->n_sets == 0) l->offsets[0] = 0;
    l->offsets[l->n_sets + 1] = l->offsets[l->n_sets];
    l->texts[l->n_sets] = grown(NULL, strlen(text) + 1, 1);
    memcpy(l->texts[l->n_sets], text, strlen(text) + 1);
    l->unclear[l->n_sets++] = false;
}

/* ---- lines of a file ------------------------------------------------------------------------ */

#define SUPPORT_COMPLAINTS 20 /* lines about unknown items */

/* The closing quote of a name that begins with one; NULL: it has none before a separator. */
static char *closing_quote(char *name, const char *between) {
    char *p = name + 1;
    for (; *p && (*p != '"' || p[1] == '"'); p++) p += *p == '"';
    if (!*p) return NULL;
    size_t blanks = strspn(p + 1, " ");
    return strchr(between, p[1]) || strchr(between, p[1 + blanks]) ? p : NULL;
}

/* Reads the name at the beginning of a line, and returns where the next one begins. A name in
 * quotes may contain anything, with quotes doubled; its text is moved to the beginning of the
 * line. */
static char *next_name(char *line, const char *between, size_t *n) {
    char *end = line[0] == '"' ? closing_quote(line, between) : NULL;
    *n = 0;
    for (const char *p = line + 1; end && p < end; p++) {
        p += *p == '"';
        line[(*n)++] = *p;
    }
    if (end) return end + 1 + strspn(end + 1, ",\t ");
    end = line + strcspn(line, between);
    *n = (size_t)(end - line);
    while (*n > 0 && line[*n - 1] == ' ') --*n; /* "a , b" */
    return end + strspn(end, ",\t ");
}

/* Adds items separated by commas, tabs or, if no name contains any, blanks. Returns LODE_INVALID if
 * there is no such item, with the message in `why`. */
static lode_status add_names(set_list *l, const char *text, char *why, size_t why_bytes) {
    const char *between = l->blanks ? ",\t " : ",\t";
    char *line = grown(NULL, strlen(text) + 1, 1), *at = line;
    lode_status status = LODE_OK;
    memcpy(line, text, strlen(text) + 1);
    at += strspn(at, " ");
    while (status == LODE_OK && *at) {
        size_t n;
        char *next = next_name(at, between, &n);
        if (n > 0) status = add_item(l, at, n);
        if (status == LODE_INVALID) {
            bool glob = memchr(at, '*', n) || memchr(at, '?', n);
            snprintf(why, why_bytes, "%s%s", lode_job_error(l->job),
                     glob ? "; patterns are not allowed here" : "");
        }
        at = next;
    }
    free(line);
    return status;
}

/* A set; or, if that has no sense, one name that looks like several. */
static lode_status add_line(set_list *l, const char *line, uint64_t number) {
    char why[512] = "";
    add_set(l, line);
    lode_status status = add_names(l, line, why, sizeof why);
    if (status != LODE_INVALID) return status;
    l->offsets[l->n_sets] = l->offsets[l->n_sets - 1];
    status = line[strcspn(line, ",\t \"")] ? add_item(l, line, strlen(line)) : LODE_INVALID;
    if (status != LODE_INVALID) return status;
    l->unclear[l->n_sets - 1] = true;
    if (l->n_unclear++ < SUPPORT_COMPLAINTS) {
        cli_progress_hide();
        cli_print(stderr, "%s:%llu: %s\n", l->file, (unsigned long long)number, why);
    }
    return LODE_OK;
}

static void look_for_blanks(set_list *l, uint32_t n) {
    l->blanks = true;
    for (uint32_t i = 0; i < n && l->blanks; i++) {
        size_t bytes;
        const char *name = lode_store_item_name(l->store, i, &bytes);
        l->blanks = !memchr(name, ' ', bytes);
    }
}

static int read_lines(set_list *l, FILE *file) {
    char *line = NULL;
    size_t cap = 0;
    uint64_t number = 0;
    lode_status status = LODE_OK;
    int reason = 0;
    while (status == LODE_OK && getline(&line, &cap, file) >= 0) {
        bool marked = number == 0 && strncmp(line, "\xef\xbb\xbf", 3) == 0; /* as UTF-8 */
        line[strcspn(line, "\r\n")] = 0;
        status = add_line(l, line + (marked ? 3 : 0), ++number);
    }
    if (status == LODE_OK && !feof(file)) reason = errno ? errno : EIO; /* or memory */
    free(line);
    if (status != LODE_OK) return cli_fail(l->job, status);
    if (reason == 0) return CLI_DONE;
    cli_error("cannot read '%s': %s", l->file, strerror(reason));
    return CLI_FAILED;
}

static int read_sets(set_list *l, const char *path) {
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "r");
    l->file = is_stdin ? "standard input" : path;
    if (!file) {
        cli_error("cannot open '%s': %s", path, strerror(errno));
        return CLI_BAD_INPUT;
    }
    int code = read_lines(l, file);
    if (!is_stdin) fclose(file);
    return code;
}

/* The items of the command line, which are one set. */
static int take_items(set_list *l, const cli_args *args) {
    add_set(l, "");
    for (int i = 1; i < args->n_files; i++) {
        const char *name = args->files[i];
        lode_status status = add_item(l, name, strlen(name));
        if (status == LODE_OK) continue;
        if (status != LODE_INVALID) return cli_fail(l->job, status);
        cli_error("%s%s", lode_job_error(l->job),
                  strpbrk(name, "*?") ? "; patterns are not allowed here" : "");
        return CLI_USAGE;
    }
    return CLI_DONE;
}

/* Why nothing is known of a set. */
static const char *reason_of(const lode_store_info *info) {
    if (!info->complete) return "the search was stopped early or had constraints";
    if (info->target == LODE_TARGET_GENERATORS) return "the result contains only generators";
    if (info->max_size > 0) return "the search had a maximum size";
    return "the search had a minimum size";
}

static void print_one(const set_list *l, const lode_store_info *info) {
    uint64_t support = l->supports[0];
    double percent = info->total ? 100 * (double)support / (double)info->total : 0;
    switch (l->known[0]) {
    case LODE_KNOWN_EXACT:
        printf("%s of %s transaction%s (%.4g%%)\n", cli_count(support), cli_count(info->total),
               info->total == 1 ? "" : "s", percent);
        break;
    case LODE_KNOWN_AT_LEAST:
        printf("at least %s of %s transactions (%.4g%%): the stored result does not tell the exact "
               "number\n",
               cli_count(support), cli_count(info->total), percent);
        break;
    case LODE_KNOWN_BELOW:
        printf("below the threshold: in fewer than %s of %s transactions\n",
               cli_count(info->min_count), cli_count(info->total));
        break;
    case LODE_KNOWN_NOT: printf("unknown: %s\n", reason_of(info)); break;
    }
}

/* Prints a line for each set: a number, its meaning, the set. */
static void print_many(const set_list *l, const lode_store_info *info) {
    static const char *const words[] = {"exact", "at least", "below", "unknown"};
    for (uint64_t i = 0; i < l->n_sets; i++) {
        uint64_t number = l->known[i] == LODE_KNOWN_BELOW ? info->min_count : l->supports[i];
        if (l->unclear[i]) number = 0;
        printf("%llu\t%s\t%s\n", (unsigned long long)number,
               l->unclear[i] ? "unknown item" : words[l->known[i]], l->texts[i]);
    }
}

/* Which file the sets come from; NULL: the items are one set. */
static const char *sets_file(const cli_args *args) {
    bool dash = args->n_files == 2 && strcmp(args->files[1], "-") == 0;
    return dash ? "-" : cli_given(args, "sets");
}

static int find_supports(const cli_args *args, set_list *l) {
    lode_store_info info = LODE_INIT(lode_store_info);
    l->supports = grown(NULL, l->n_sets, sizeof *l->supports);
    l->known = grown(NULL, l->n_sets, sizeof *l->known);
    l->offsets = grown(l->offsets, l->n_sets + 1, sizeof *l->offsets);
    l->items = grown(l->items, l->cap_items + 1, sizeof *l->items);
    lode_status status =
        lode_store_supports(l->store, l->n_sets, l->offsets, l->items, l->supports, l->known);
    cli_progress_end();
    if (status != LODE_OK) return cli_fail(l->job, status);
    lode_store_about(l->store, &info);
    if (!sets_file(args)) {
        print_one(l, &info);
        return CLI_DONE;
    }
    print_many(l, &info);
    if (l->n_unclear == 0) return CLI_DONE;
    fflush(stdout);
    cli_error("%s of %s sets %s an item that is not in the result", cli_count(l->n_unclear),
              cli_count(l->n_sets), l->n_unclear == 1 ? "has" : "have");
    return CLI_BAD_INPUT;
}

static int answer_sets(const cli_args *args, set_list *l) {
    uint32_t n = 0;
    lode_status status = lode_store_items(l->store, &n);
    if (status != LODE_OK) return cli_fail(l->job, status);
    look_for_blanks(l, n);
    const char *path = sets_file(args);
    int code = path ? read_sets(l, path) : take_items(l, args);
    return code == CLI_DONE ? find_supports(args, l) : code;
}

/* Checks the combination of arguments. */
static bool check_support(const cli_args *args) {
    bool sets = cli_given(args, "sets");
    if (sets && args->n_files > 1) {
        cli_error("--sets cannot be combined with items on the command line");
    } else if (!sets && args->n_files == 1) {
        cli_error(
            "no items; expected: lode support RESULT ITEM... or lode support RESULT --sets FILE");
    } else {
        return true;
    }
    return false;
}

static int run_support(cli_args *args) {
    set_list l = {0};
    if (!check_support(args)) return CLI_USAGE;
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
    free(l.unclear);
    lode_store_free(l.store);
    cli_job_free(l.job);
    return code;
}

const cli_command cli_support = {
    .name = "support",
    .arguments = "RESULT [ITEM...] [options]",
    .summary = "look up the support of any itemset in a result stored with --target all or closed",
    .examples =
        "  lode itemsets baskets.csv -s 1% --target closed -w arrow -o closed.arrow\n"
        "  lode support closed.arrow milk bread\n"
        "  lode support closed.arrow --sets sets.txt        one itemset per line: milk,bread\n",
    .groups = LODE_OPTION_JOB,
    .options = support_options,
    .n_files = CLI_MANY_FILES,
    .run = run_support,
};
