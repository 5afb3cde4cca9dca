/* query.h - what the parts of lode query share
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_QUERY_H
#define LODE_CLI_QUERY_H

#include "cli.h"

/* Whether the texts of the options can be read; if not, says so. */
bool query_check_histograms(const cli_args *args);
/* Draw a histogram of the rows that the options ask for: of "NAME[:BINS]", and of "X,Y". */
lode_status query_histogram(const cli_args *args, lode_store *store, const char *text);
lode_status query_histogram2(const cli_args *args, lode_store *store, const char *text);

/* ---- what lode query and lode apply share: the format that a file gets ----------------------- */

/* Without --write, chooses jsonl if the name of --output ends with it, and csv otherwise. `group`
 * has the option. Returns false after printing why. */
bool stored_choose_format(cli_args *args, unsigned group);

#endif
