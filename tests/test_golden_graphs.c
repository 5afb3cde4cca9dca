/* test_golden_graphs.c - known counts of real graphs, by every miner, equal as sets
 *
 *     test_golden_graphs [DATA-SET]      only the rows of graphs/counts.csv of that data set
 *
 * Each row is mined by graft with one and with two threads, by gspan and, if it is small, by
 * frontier. The number of patterns must be the known number (or at least that, if only a lower
 * bound is known), and all must have the same hash, which is over canonical forms and supports.
 * Numbers of closed and maximal patterns are compared if the file has confirmed numbers. Rows that
 * take long are only tested with LODE_LONG.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "data/graphs/graphs.h"
#include "graphs.h"

typedef struct graph_row {
    char file[64], status[16];
    uint64_t min_count, patterns, closed, maximal; /* 0: not known */
} graph_row;

static bool parse_row(const char *line, graph_row *row) {
    *row = (graph_row){.min_count = 0};
    int n = sscanf(line, "%63[^,],%" SCNu64 ",%" SCNu64 ",%15[^,],%" SCNu64 ",%" SCNu64, row->file,
                   &row->min_count, &row->patterns, row->status, &row->closed, &row->maximal);
    return n >= 4;
}

static bool is_of(const graph_row *row, const char *only) {
    size_t length = only ? strlen(only) : 0;
    return !only || (strncmp(row->file, only, length) == 0 && row->file[length] == '.');
}

/* A second or so each. */
static bool is_short(const graph_row *row) {
    static const struct {
        const char *file;
        uint64_t least;
    } from[] = {{"Chemical_340", 17}, {"Compound_422", 43}, {"MUTAG", 38},
                {"MUTAG11", 76},      {"PTC", 35},          {"ENZYMES", 480},
                {"HIV_41127", 4113},  {"NCI1", 411},        {"DD", 707}};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        if (is_of(row, from[i].file)) return row->min_count >= from[i].least;
    }
    return false;
}

typedef struct counted {
    uint64_t patterns, hash;
    double seconds;
} counted;

static counted count(lode_job *job, const lode_graphs *data, const graph_row *row,
                     const char *algorithm, lode_target target) {
    counted c = {0};
    lode_sink *sink = NULL;
    lode_graph_options o = {.size = sizeof o, .algorithm = algorithm, .target = target};
    o.min_support.numerator = row->min_count;
    CHECK(lode_graph_sink_hash(job, &sink, data) == LODE_OK);
    double start = os_seconds();
    if (!CHECK(lode_graphs_mine(job, data, &o, sink) == LODE_OK)) {
        fprintf(stderr, "  %s\n", lode_job_error(job));
    }
    c.seconds = os_seconds() - start;
    c.patterns = lode_sink_patterns(sink);
    c.hash = lode_sink_hash_value(sink);
    lode_sink_free(sink);
    return c;
}

static void check_counts(const graph_row *row, const char *how, counted got, const counted *first) {
    bool exact = strcmp(row->status, "exact") == 0;
    bool fine =
        exact ? CHECK_EQUAL(got.patterns, row->patterns) : CHECK(got.patterns >= row->patterns);
    fine &= CHECK_EQUAL(got.hash, first->hash);
    if (!fine) fprintf(stderr, "  %s %" PRIu64 ", %s\n", row->file, row->min_count, how);
    printf("row: %.*s %" PRIu64 " %s,%" PRIu64 ",%.2f\n", (int)strcspn(row->file, "."), row->file,
           row->min_count, how, got.patterns, got.seconds);
    fflush(stdout);
}

/* The closed counts of the file at low support come from one program only, and are a few too low:
 * the definition, applied to the list of all patterns, gives 1,908 at 11 of Chemical_340. */
static bool closed_is_confirmed(const graph_row *row) {
    return !is_of(row, "Chemical_340") || row->min_count > 11;
}

static void check_row(const char *folder, const graph_row *row) {
    char path[512];
    lode_job *one = graph_job(1), *two = graph_job(2);
    lode_graphs *data = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, row->file);
    if (CHECK(lode_graphs_open(one, &data, path, NULL) == LODE_OK)) {
        counted first = count(one, data, row, "graft", LODE_TARGET_ALL);
        check_counts(row, "graft", first, &first);
        check_counts(row, "graft -j 2", count(two, data, row, "graft", LODE_TARGET_ALL), &first);
        check_counts(row, "gspan", count(one, data, row, "gspan", LODE_TARGET_ALL), &first);
        if (first.patterns < 5000 && data->n < 10000) { /* plain loops for what a GPU does */
            counted c = count(two, data, row, "frontier", LODE_TARGET_ALL);
            check_counts(row, "frontier", c, &first);
        }
        if (row->closed && closed_is_confirmed(row)) {
            counted c = count(two, data, row, "graft", LODE_TARGET_CLOSED);
            CHECK_EQUAL(c.patterns, row->closed);
        }
        if (row->maximal) {
            counted c = count(two, data, row, "gspan", LODE_TARGET_MAXIMAL);
            CHECK_EQUAL(c.patterns, row->maximal);
        }
    }
    lode_graphs_free(data);
    lode_job_free(one);
    lode_job_free(two);
}

int main(void) {
    char folder[400], path[512], line[256];
    const char *data = getenv("LODE_DATA"), *only = check_argument;
    graph_row row;
    snprintf(folder, sizeof folder, "%s/graphs", data ? data : "../shared/data");
    snprintf(path, sizeof path, "%s/counts.csv", folder);
    FILE *counts = fopen(path, "r");
    if (!counts) {
        printf("skip: there is no %s (set LODE_DATA)\n", path);
        return 77;
    }
    unsigned n = 0;
    while (fgets(line, sizeof line, counts)) {
        if (!parse_row(line, &row) || !is_of(&row, only)) continue;
        if (!is_short(&row) && !getenv("LODE_LONG")) continue;
        check_row(folder, &row);
        n++;
    }
    fclose(counts);
    if (n == 0) {
        printf("skip: takes minutes (set LODE_LONG)\n");
        return 77;
    }
    return check_result();
}
