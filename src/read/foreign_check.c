/* foreign_check.c - refuses an input whose text is of another kind; see foreign.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/foreign.h"

lode_status foreign_check_text(lode_job *job, input *in, bool graphs) {
    const char *text;
    size_t n;
    bool complete;
    lode_status status = input_peek(in, FOREIGN_HEAD, &text, &n, &complete);
    if (status != LODE_OK) return status;
    const foreign *kind = foreign_find_text(text, n < FOREIGN_HEAD ? n : FOREIGN_HEAD);
    if (!kind || (graphs && kind->is == foreign_is_gspan)) return LODE_OK;
    bool json = kind->is == foreign_is_json || kind->is == foreign_is_json_lines;
    if (json && !graphs) return LODE_OK; /* it is read */
    if (!graphs || kind->lost) return foreign_refuse(job, input_name(in), kind);
    return job_fail(job, LODE_PARSE, "%s: this is %s; `lode graphs` reads " FOREIGN_GSPAN,
                    input_name(in), kind->called);
}
