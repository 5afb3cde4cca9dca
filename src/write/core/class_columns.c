/* class_columns.c - see class_columns.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/class_columns.h"

#include "lode.h"

#define CLASS_ASK_EVERY 1024 /* patterns between two looks at whether to stop */

lode_status class_columns_make(class_columns *c, mem *m, size_t rows, class_row_fn fill, void *user,
                               const sort_stop *stop) {
    lode_status status = LODE_OK;
    double row[CLASS_COLUMNS_MOST];
    class_columns_clear(c, m);
    c->made = true;
    if (c->n == 0 || rows == 0) return LODE_OK;
    LODE_TRY(mem_resize(m, (void **)&c->values, 0, rows * c->n * sizeof *c->values));
    c->rows = rows;
    for (size_t i = 0; i < rows; i++) {
        if (stop && i % CLASS_ASK_EVERY == 0 && stop->asked(stop->user)) LODE_LEAVE(LODE_CANCELLED);
        LODE_TRY(fill(user, i, row));
        for (uint32_t k = 0; k < c->n; k++) c->values[k * rows + i] = row[k];
    }
done:
    if (status != LODE_OK) class_columns_clear(c, m);
    return status;
}

void class_columns_clear(class_columns *c, mem *m) {
    if (c->values) mem_free(m, c->values, c->rows * c->n * sizeof *c->values);
    c->values = NULL;
    c->rows = 0;
    c->made = false;
}

const double *lode_sink_class_column(const lode_sink *sink, uint32_t column, const char **name) {
    static const double none = 0; /* an empty column is there, too */
    const class_columns *c = sink ? sink->by_class : NULL;
    if (name) *name = NULL;
    if (!c || column >= c->n || !c->made || c->rows != lode_sink_patterns(sink)) return NULL;
    if (name) *name = c->names[column];
    return c->values ? c->values + column * c->rows : &none;
}
