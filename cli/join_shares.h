/* join_shares.h - joins the shares of one search, for `lode merge` and for lode-mpi
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_JOIN_SHARES_H
#define LODE_CLI_JOIN_SHARES_H

#include "cli.h"

#define MERGE_PATH 4096

/* Joins the files of a command line of `lode merge`. With `partial`, the result is not complete,
 * and is named FILE.partial or a free name like it. Sets `written` to the name of the file. Returns
 * the exit code. */
int merge_shares(const cli_args *args, bool partial, char written[MERGE_PATH]);

#endif
