/* machine.h - named values for programs: one list of fields, written as JSON or as plain lines
 *
 *     JSON   {"input":{"path":"a.csv","items":3},"times":[0.5,0.25]}
 *     TSV    input.path<TAB>a.csv          for scripts: grep, cut, awk, read
 *            input.items<TAB>3
 *            times.0<TAB>0.5 …
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_REPORT_MACHINE_H
#define LODE_RUNTIME_REPORT_MACHINE_H

#include "base/status.h"

#define FIELDS_BUFFER 4096

/* A text buffer in front of a write function. Text is passed on in whole lines if the lines fit. */
typedef struct fields_out {
    lode_write_fn write;
    void *user;
    bool stopped; /* the write function has asked to stop */
    size_t n;
    char buffer[FIELDS_BUFFER];
} fields_out;

void fields_put(fields_out *out, const char *text, size_t n);
void fields_print(fields_out *out, const char *format, ...) LODE_PRINTF(2, 3);
/* Writes the rest of the buffer. Returns OK, or STOPPED if the write function has asked to stop. */
LODE_NODISCARD lode_status fields_flush(fields_out *out);

#endif
