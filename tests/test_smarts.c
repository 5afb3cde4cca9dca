/* SMARTS made of the codes of graph patterns: labels, branches, rings, and what is refused.
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/smarts.h"

#include <string.h>

#include "check.h"
#include "runtime/job.h"

static lode_job *job;

/* Whether a code becomes these SMARTS; NULL = it is refused because of the label `bad`. */
static bool becomes(const char *code, const char *smarts, const char *bad) {
    vec_char out = {0};
    smarts_text label = {"", 0};
    lode_status status = smarts_put(&job->mem, &out, (smarts_text){code, strlen(code)}, &label);
    bool good = smarts ? status == LODE_OK && out.n == strlen(smarts) &&
                             memcmp(out.data, smarts, out.n) == 0
                       : status == LODE_UNSUPPORTED && label.n == strlen(bad) &&
                             memcmp(label.at, bad, label.n) == 0;
    if (!good) fprintf(stderr, "%s became %.*s\n", code, (int)out.n, out.n ? out.data : "");
    vec_char_free(&job->mem, &out);
    return good;
}

static void test_labels(void) {
    CHECK(becomes("[C]", "[#6]", NULL));
    CHECK(becomes("[*]-single-[Cl]", "[#0]-[#17]", NULL));
    CHECK(becomes("[C]-double-[O]-triple-[N]-quadruple-[Og]", "[#6]=[#8]#[#7]$[#118]", NULL));
    CHECK(becomes("[C]---[C]-=-[C]-#-[C]-:-[C]", "[#6]-[#6]=[#6]#[#6]:[#6]", NULL));
    CHECK(becomes("[C]-[C](-[N])-[O]", "[#6]~[#6](~[#7])~[#8]", NULL)); /* edges without labels */
}

static void test_rings(void) {
    CHECK(becomes("[C]{1}-:-[C]-:-[N]-:-{1}", "[#6]1:[#6]:[#7]:1", NULL));
    /* closed in a branch, before and after other branches */
    CHECK(becomes("[C]{1}-:-[C]-:-[N](-:-{1})-single-[O]", "[#6]1:[#6]:[#7]:1-[#8]", NULL));
    CHECK(becomes("[C]{1}-:-[C]-:-[N](-single-[O])(-:-{1})-single-[S]",
                  "[#6]1:[#6]:[#7]:1(-[#8])-[#16]", NULL));
    CHECK(becomes("[C]{1}{2}-:-[C](-single-[O](-single-[F])-:-{2})-:-[N]-:-{1}",
                  "[#6]12:[#6](-[#8]:2(-[#9])):[#7]:1", NULL));
    CHECK(becomes("[C]{9}{10}{123}-[C](-{9})(-{10})-{123}", "[#6]9%10%(123)~[#6]~9~%10~%(123)",
                  NULL));
}

static void test_refused(void) {
    CHECK(becomes("[6]", NULL, "6"));
    CHECK(becomes("[CC]-single-[C]", NULL, "CC"));
    CHECK(becomes("[C]-1-[C]", NULL, "1"));
    CHECK(becomes("[C]-other-[C]", NULL, "other"));
    CHECK(becomes("[C]-single->[C]", NULL, "single"));
    CHECK(becomes("[C]<-single-[C]", NULL, "<-single-[C]"));
    CHECK(becomes("[C", NULL, "C"));
    CHECK(becomes("[C]-single-", NULL, ""));
    CHECK(becomes("[C])", NULL, ")"));
}

int main(void) {
    CHECK_EQUAL(lode_job_create(&job, NULL, NULL), LODE_OK);
    CHECK_RUN(test_labels);
    CHECK_RUN(test_rings);
    CHECK_RUN(test_refused);
    lode_job_free(job);
    return check_result();
}
