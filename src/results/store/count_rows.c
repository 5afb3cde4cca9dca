/* count_rows.c - how many rows a query finds
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/scan_rows.h"
#include "runtime/valid.h"

static lode_status count_answer(const query_plan *plan, void *user) {
    uint64_t rows = plan->store->info.rows;
    if (query_is_open(plan)) {
        atomic_store((_Atomic uint64_t *)user, plan->from < rows ? rows - plan->from : 0);
        return LODE_OK;
    }
    return scan_all(plan, scan_visit_count, user);
}

lode_status lode_store_count(lode_store *store, const lode_query_options *query, uint64_t *n) {
    _Atomic uint64_t found = 0;
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(n));
    lode_status status = scan_ask(store, query, count_answer, &found);
    if (status == LODE_OK) *n = found;
    return status;
}
