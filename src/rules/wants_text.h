/* wants_text.h - measures and bounds of measures from text: "lift=1.5", "phi=-0.2", "fisher=1e-6"
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULES_WANTS_TEXT_H
#define LODE_RULES_WANTS_TEXT_H

#include "runtime/job.h"

/* The measure of a name. `option` is for the message, which lists the measures. */
LODE_NODISCARD lode_status wants_text_measure(lode_job *job, const char *option, const char *text,
                                              size_t n, size_t *measure);
/* A name, = and a number, with blanks between them. */
LODE_NODISCARD lode_status wants_text_bound(lode_job *job, const char *option, const char *text,
                                            size_t n, size_t *measure, double *value);
/* A decimal number such as -0.5, 1e-6, 60% or inf: all n characters. Whatever the locale. */
bool wants_text_number(const char *text, size_t n, double *value);

#endif
