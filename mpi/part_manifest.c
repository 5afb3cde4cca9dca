/* part_manifest.c - see part_manifest.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "part_manifest.h"

#include <errno.h>
#include <stdio.h>

#include "share_manifest.h"

static void part_hash(char text[SHARE_SMALL], uint64_t hash) {
    snprintf(text, SHARE_SMALL, "%016llx", (unsigned long long)hash);
}

bool part_write_manifest(const rank_run *r, int part, int n, bool complete) {
    static share_manifest m;
    char count[64];
    m = (share_manifest){.share = (uint64_t)part,
                         .of = (uint64_t)n,
                         .top = 0, /* parts of top:K have nothing but the best */
                         .complete = complete,
                         .patterns = r->out.patterns,
                         .bytes = r->out.bytes};
    snprintf(m.kind, sizeof m.kind, "%s", r->args->command->name);
    snprintf(m.write, sizeof m.write, "%s", share_format(r->args));
    snprintf(count, sizeof count, "mpi count=%llu",
             (unsigned long long)r->asked.min_support.numerator);
    part_hash(m.cut, lode_tasks_hash(r->tasks) + r->number); /* steals differ between jobs */
    part_hash(m.data, r->fingerprint);
    errno = E2BIG; /* if the options are too long */
    return share_options(r->args, count, m.options) &&
           share_sizes(r->out.sizes, r->out.n_sizes, m.sizes) &&
           share_hash_file(outcome_path(&r->out), m.content) &&
           share_save(outcome_path(&r->out), &m);
}
