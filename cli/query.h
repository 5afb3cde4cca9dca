/* query.h - functions that the parts of lode query share
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_QUERY_H
#define LODE_CLI_QUERY_H

#include "cli.h"

/* Checks whether the values of the histogram options can be parsed. Returns false after printing
 * why not. */
bool query_check_histograms(const cli_args *args);
/* Draw a histogram of the rows that the options select: query_histogram() of one column, with
 * `text` as "NAME[:BINS]"; query_histogram2() of two columns, with `text` as "X,Y". */
lode_status query_histogram(const cli_args *args, lode_store *store, const char *text);
lode_status query_histogram2(const cli_args *args, lode_store *store, const char *text);

/* ---- what lode query and lode apply share: the format that a file gets ----------------------- */

/* Without --write, chooses jsonl if the name of --output ends with it, and csv otherwise. `group`
 * is the group of the option --write. Returns false after printing why. */
bool stored_choose_format(cli_args *args, unsigned group);

#endif
