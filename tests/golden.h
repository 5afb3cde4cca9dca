/* golden.h - the rows of itemsets/counts.csv: known counts of real data
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_GOLDEN_H
#define LODE_TESTS_GOLDEN_H

#include "mining.h"

typedef struct golden_row {
    char file[64], percent[16];
    uint64_t min_count, all;
    uint64_t closed, maximal; /* 0: not known */
} golden_row;

/* file,minsup_percent,minsup_count,all,closed,maximal */
static inline bool golden_parse(const char *line, golden_row *row) {
    row->closed = row->maximal = 0;
    return sscanf(line, "%63[^,],%15[^,],%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64, row->file,
                  row->percent, &row->min_count, &row->all, &row->closed, &row->maximal) >= 4;
}

/* Whether the row is about the data set `only`; NULL: any data set. */
static inline bool golden_is_of(const golden_row *row, const char *only) {
    size_t length = only ? strlen(only) : 0;
    return !only || (strncmp(row->file, only, length) == 0 && row->file[length] == '.');
}

/* Opens counts.csv, and writes its folder to `folder`. Returns NULL after printing a message if the
 * file does not exist. */
static inline FILE *golden_open(char *folder, size_t folder_bytes) {
    char path[512];
    const char *data = getenv("LODE_DATA");
    snprintf(folder, folder_bytes, "%s/itemsets", data ? data : "../shared/data");
    snprintf(path, sizeof path, "%s/counts.csv", folder);
    FILE *counts = fopen(path, "r");
    if (!counts) printf("skip: there is no %s (set LODE_DATA)\n", path);
    return counts;
}

#endif
