/* confine.c - see confine.h
 *
 * The rules are those of the server's workers, and stricter for files: none can be opened.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "confine.h"

#include <sys/prctl.h>

#include "file_rules.h"
#include "sandbox.h"
#include "worker.h"

void molecules_confine(void) {
    if (!sandbox_has_filter() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    (void)file_rules_apply(file_rules_create_strict()); /* not every kernel has such rules */
    (void)sandbox_filter();
    worker_give_up_execution();
}
