/* row_advice.h - says what is wrong with a condition on rows, and what to write instead
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_ROW_ADVICE_H
#define LODE_READ_ROW_ADVICE_H

#include "runtime/job.h"

/* Returns whether a value goes on with a second condition: "France AND Quantity<0", "1, b=2". */
bool rows_is_double(const char *value, size_t n);

/* Fails because `text` is not a condition. `value` is what follows the comparison; NULL = there is
 * no comparison. Returns INVALID. */
LODE_NODISCARD lode_status rows_advise(lode_job *job, const char *text, size_t n, const char *value,
                                       size_t n_value);

#endif
