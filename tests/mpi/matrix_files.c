/* matrix_files.c - all ranks search the files of a list, to compare with known counts
 *
 * A line is "itemsets PATH SUPPORT TARGET" or "graphs …", where PATH has no blanks. Lines about the
 * same file must be neighbours, because the file is read once for all of them. Rank 0 prints the
 * line, the number of patterns and their hash, which the test compares with known values.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "matrix.h"

typedef struct matrix_line {
    char kind[16], path[RANK_PATH], target[16];
    unsigned long long support;
} matrix_line;

static bool matrix_parse(const char *text, matrix_line *out) {
    return sscanf(text, "%15s %4095s %llu %15s", out->kind, out->path, &out->support,
                  out->target) == 4;
}

static lode_status matrix_open_items(lode_job *job, const void *path, void **data) {
    return lode_dataset_open(job, (lode_dataset **)data, path, NULL);
}

static lode_status matrix_open_graphs(lode_job *job, const void *path, void **data) {
    return lode_graphs_open(job, (lode_graphs **)data, path, NULL);
}

static bool matrix_target(const char *word, lode_target *out) {
    static const struct {
        const char *word;
        lode_target target;
    } known[] = {
        {"all", LODE_TARGET_ALL}, {"closed", LODE_TARGET_CLOSED}, {"maximal", LODE_TARGET_MAXIMAL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(word, known[i].word) != 0) continue;
        *out = known[i].target;
        return true;
    }
    return false;
}

/* Reads the file of a line, unless it is that of the line before, which is in `opened`. */
static void matrix_change_file(rank_run *r, const matrix_line *line, char opened[RANK_PATH]) {
    bool graphs = strcmp(line->kind, "graphs") == 0;
    if (strcmp(opened, line->path) == 0) return;
    if (opened[0]) matrix_end(r);
    r->kind = graphs ? &rank_graphs : &rank_itemsets;
    matrix_begin(r, 1, graphs ? matrix_open_graphs : matrix_open_items, line->path);
    memcpy(opened, line->path, sizeof line->path);
}

static bool matrix_do_line(rank_run *r, const char *text, char opened[RANK_PATH]) {
    matrix_line line;
    rank_request request = {.top_k = 0};
    if (!matrix_parse(text, &line) || !matrix_target(line.target, &request.target)) return false;
    matrix_change_file(r, &line, opened);
    request.min_support = (lode_threshold){line.support, 0};
    r->asked = request;
    matrix_found found = matrix_together(r);
    if (r->rank == 0) {
        printf("%s %s %llu %s %llu %016llx\n", line.kind, line.path, line.support, line.target,
               (unsigned long long)found.patterns, (unsigned long long)found.hash);
    }
    return true;
}

int matrix_files(rank_run *r, const char *path) {
    static char text[RANK_PATH + 64], opened[RANK_PATH];
    int wrong = 0;
    FILE *list = fopen(path, "r");
    if (!list) {
        fprintf(stderr, "cannot open '%s'\n", path);
        MPI_Abort(r->comm, 1);
        return 1;
    }
    while (fgets(text, sizeof text, list)) {
        if (matrix_do_line(r, text, opened)) continue;
        if (r->rank == 0) printf("no search: %s", text);
        wrong++;
    }
    fclose(list);
    if (opened[0]) matrix_end(r);
    return wrong;
}
