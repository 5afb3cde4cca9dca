/* jobs_times.c - the paper's line: how long a job took, and with what, from the library's report
 *
 * Reports of graphs have other phases: what a device computes is counting, and testing codes is
 * what making candidates is for itemsets.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "jobs/jobs_live.h"

static double times_find(const json_t *report, const char *group, const char *name) {
    return json_number_value(json_object_get(json_object_get(report, group), name));
}

/* Devices that were all busy all the time have 1; an algorithm without devices says nothing. */
static json_t *times_utilisation(const json_t *report) {
    double share = times_find(report, "device", "utilisation");
    return share > 0 ? json_real(share) : json_null();
}

json_t *job_times(const json_t *report) {
    bool graphs = json_object_get(json_object_get(report, "times"), "device") != NULL;
    double prepare = times_find(report, "times", "preprocess");
    double candidate = times_find(report, "times", graphs ? "test" : "candidate");
    double counting = times_find(report, "times", graphs ? "device" : "counting");
    double transfer = times_find(report, "times", graphs ? "start" : "transfer");
    return json_pack(
        "{s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:o}", "total", times_find(report, "times", "total"), "read",
        times_find(report, "times", "read"), "prepare", prepare, "candidate", candidate, "counting",
        counting, "transfer", transfer, "output", times_find(report, "times", "output"),
        "utilisation", times_utilisation(report));
}
