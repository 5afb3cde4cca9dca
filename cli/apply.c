/* apply.c - lode apply RULES FILE: recommends items for each basket, from stored rules
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "query.h"

static const cli_option apply_options[] = {
    {"output", 'o', "FILE", "standard output",
     "where to write; the file appears when it is complete; FILE.jsonl implies -w jsonl"},
    {"quiet", 'q', NULL, "also print progress and a summary",
     "print only results, warnings and errors"},
    {0},
};

/* Whether these are rules and baskets to read, and a file to write. */
static bool check_apply(cli_args *args) {
    if (args->n_files == 2) {
        return cli_may_write(args, "output", cli_given(args, "output")) &&
               stored_choose_format(args, LODE_OPTION_APPLY);
    }
    cli_error("no baskets; expected: lode apply RULES FILE");
    return false;
}

/* Returns the suggestion for an unknown item: the text from "; " on in the message of the store, or
 * "". */
static const char *guess_of(lode_job *job, lode_store *store, const char *name, size_t n) {
    uint32_t item;
    if (lode_store_item_find(store, name, n, &item) == LODE_OK) return "";
    const char *guess = strstr(lode_job_error(job), "; did you mean ");
    return guess ? guess : "";
}

/* Items of baskets that no rule can be about: often the same items, spelt in another way. */
static void print_unknown(lode_job *job, lode_store *store, const lode_dataset *data,
                          const lode_apply_summary *s) {
    fprintf(stderr,
            "%s of the %s items in the baskets %s not occur in the data of the rules; the most "
            "frequent:\n",
            cli_count(s->unknown), cli_count(s->items), s->unknown == 1 ? "does" : "do");
    for (uint32_t i = 0; i < s->n_named; i++) {
        char name[128];
        uint64_t baskets = lode_dataset_item_support(data, s->most_unknown[i]);
        size_t n = lode_dataset_item_name(data, s->most_unknown[i], name, sizeof name - 1);
        bool cut = n >= sizeof name;
        name[cut ? sizeof name - 1 : n] = 0;
        cli_print(stderr, "  '%s%s', in %s basket%s%s\n", name, cut ? "..." : "",
                  cli_count(baskets), baskets == 1 ? "" : "s",
                  cut ? "" : guess_of(job, store, name, n));
    }
}

static void print_summary(lode_job *job, lode_store *store, const lode_dataset *data,
                          const lode_apply_summary *s) {
    fprintf(stderr, "%s basket%s: %s with recommendations, ranked by %s; %s without\n",
            cli_count(s->transactions), s->transactions == 1 ? "" : "s", cli_count(s->advised),
            s->by, cli_count(s->transactions - s->advised));
    if (s->unknown > 0) print_unknown(job, store, data, s);
}

static lode_status apply_all(lode_job *job, const cli_args *args, lode_store **store,
                             lode_dataset **data) {
    const char *path = cli_given(args, "output");
    lode_read_options read = *lode_options_read(args->options);
    lode_apply_summary summary = LODE_INIT(lode_apply_summary);
    read.keep_ids = true; /* by which advice finds its basket */
    lode_status status = lode_store_open(job, store, args->files[0]);
    if (status != LODE_OK) return status;
    status = lode_dataset_open(job, data, args->files[1], &read);
    if (status != LODE_OK) return status;
    if (!path || strcmp(path, "-") == 0) cli_progress_end();
    status = lode_store_apply_file(*store, *data, lode_options_apply(args->options),
                                   path ? path : "-", &summary);
    cli_progress_end();
    if (status == LODE_OK && !cli_given(args, "quiet")) {
        fflush(stdout);
        print_summary(job, *store, *data, &summary);
    }
    return status;
}

static int run_apply(cli_args *args) {
    lode_job *job = NULL;
    lode_store *store = NULL;
    lode_dataset *data = NULL;
    if (!check_apply(args)) return CLI_USAGE;
    lode_status status = cli_job_create(&job, args);
    if (status != LODE_OK) return cli_fail(NULL, status);
    status = apply_all(job, args, &store, &data);
    cli_progress_end();
    int code = status == LODE_OK ? CLI_DONE : cli_fail(job, status);
    lode_store_free(store);
    lode_dataset_free(data);
    cli_job_free(job);
    return code;
}

const cli_command cli_apply = {
    .name = "apply",
    .arguments = "RULES FILE [options]",
    .summary = "recommend items for each basket in FILE, using rules stored with -w arrow",
    .examples = "  lode rules baskets.csv -s 1% -c 50% -w arrow -o rules.arrow\n"
                "  lode apply rules.arrow new.csv\n"
                "  lode apply rules.arrow new.csv --by lift --top 3 -o advice.jsonl\n"
                "  lode apply rules.arrow new.csv --all               every rule that applies\n",
    .groups = LODE_OPTION_JOB | LODE_OPTION_READ | LODE_OPTION_APPLY,
    .options = apply_options,
    .n_files = 2,
    .run = run_apply,
};
