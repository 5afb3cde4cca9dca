/* stores_jobs.c - see stores_jobs.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/stores_jobs.h"

#include <string.h>

#include "storage/database.h"

static const char *const result_kinds[] = {"itemsets", "rules", "graphs"};

const char *result_kind_name(result_kind kind) {
    return result_kinds[kind];
}

static bool result_has_file(const char *state) {
    return strcmp(state, "done") == 0 || strcmp(state, "kept") == 0 || strcmp(state, "limit") == 0;
}

bool result_of_request(server *s, request *r, result_job *out) {
    uint64_t id = request_number(r, 0);
    sqlite3_stmt *q = db_statement(s->db, "SELECT dataset, kind, state FROM jobs WHERE id = ?");
    db_bind_count(q, 1, id);
    const db_step step = db_next(s->db, q);
    if (step == DB_FAILED) {
        reply_unreadable(r);
        return false;
    }
    if (step == DB_END) {
        reply_error(r, 404, "notfound", "there is no job %llu", (unsigned long long)id);
        return false;
    }
    unsigned kind = 0;
    while (kind < 2 && strcmp(db_text(q, 1), result_kinds[kind]) != 0) kind++;
    *out = (result_job){id, db_count(q, 0), (result_kind)kind};
    bool there = result_has_file(db_text(q, 2));
    if (!there) {
        reply_error(r, 409, "conflict", "job %llu has no result: it is %s", (unsigned long long)id,
                    db_text(q, 2));
    }
    db_done(q);
    return there;
}
