/* stored_format.h - what lode query and lode apply share: the format that a file gets
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_STORED_FORMAT_H
#define LODE_CLI_STORED_FORMAT_H

#include "cli.h"

/* Without --write: jsonl for a file of --output that is called so, otherwise csv. `group` has the
 * option. False: it has said why not. */
bool stored_choose_format(cli_args *args, unsigned group);

#endif
