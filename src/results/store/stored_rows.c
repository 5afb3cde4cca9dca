/* stored_rows.c - single rows of a store
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/item_names.h"
#include "runtime/valid.h"

/* Turns to the batch of a row; *at: its place there. `cells` are freed by the caller. */
static lode_status row_turn(lode_store *s, uint64_t row, stored_batch *b, uint32_t *at) {
    *b = (stored_batch){0};
    if (row >= s->info.rows) {
        return job_fail(s->job, LODE_INVALID, "there is no row %llu; expected 0 to %llu",
                        (unsigned long long)row, (unsigned long long)s->info.rows - 1);
    }
    lode_status status = mem_resize(&s->job->mem, (void **)&b->cells, 0, stored_cells_bytes(s));
    if (status != LODE_OK) return status;
    stored_turn(b, s, arrow_batch_of(s->file, row));
    *at = (uint32_t)(row - b->first);
    if (row - b->first < b->rows) return LODE_OK;
    return job_fail(s->job, LODE_PARSE, "%s: damaged: its batches do not add up to its rows",
                    s->path);
}

static lode_status row_list(stored_batch *b, uint32_t column, uint32_t at, const uint32_t **items,
                            uint32_t *n) {
    const arrow_cells *cells;
    if (column == STORED_NONE) return LODE_OK;
    lode_status status = stored_cells(b, column, &cells);
    if (status != LODE_OK) return status;
    arrow_list list = arrow_list_at(cells, at);
    *items = (const uint32_t *)cells->values + list.first;
    *n = list.n;
    return LODE_OK;
}

static lode_status row_text(stored_batch *b, uint32_t at, lode_store_row *out) {
    const arrow_cells *cells;
    if (b->store->text == STORED_NONE) return LODE_OK;
    lode_status status = stored_cells(b, b->store->text, &cells);
    if (status != LODE_OK) return status;
    arrow_list text = arrow_list_at(cells, at);
    out->text = (const char *)cells->values + text.first;
    out->text_bytes = text.n;
    return LODE_OK;
}

lode_status lode_store_row_at(lode_store *store, uint64_t row, lode_store_row *out) {
    lode_status status = LODE_OK;
    stored_batch b = {0};
    uint32_t at = 0;
    lode_store_row found = {.size = sizeof found, .row = row};
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(out));
    LODE_TRY(names_load(store));
    LODE_TRY(row_turn(store, row, &b, &at));
    LODE_TRY(row_list(&b, store->items, at, &found.items, &found.n_items));
    LODE_TRY(row_list(&b, store->head, at, &found.head, &found.n_head));
    LODE_TRY(row_text(&b, at, &found));
    LODE_TRY(stored_counts_of(&b, at, &found.counts));
    if (!valid_fill(out, &found)) {
        status = job_fail(store->job, LODE_INVALID, "the size of a lode_store_row is not set");
    }
done:
    if (b.cells) mem_free(&store->job->mem, b.cells, stored_cells_bytes(store));
    return stored_end_row(store, status);
}

lode_status lode_store_value(lode_store *store, uint64_t row, uint32_t column, double *out) {
    lode_status status = LODE_OK;
    stored_batch b = {0};
    uint32_t at = 0;
    uint8_t mask = 1;
    double value = 0;
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(out));
    const stored_column *c = column < store->info.n_columns ? &store->columns[column] : NULL;
    if (!c || (c->type != LODE_COLUMN_COUNT && c->type != LODE_COLUMN_REAL)) {
        return job_fail(store->job, LODE_INVALID, "column %u is not one of numbers", column);
    }
    LODE_TRY(row_turn(store, row, &b, &at));
    LODE_TRY(stored_reals(&b, c, (stored_range){at, 1, &mask}, &value));
    *out = value;
done:
    if (b.cells) mem_free(&store->job->mem, b.cells, stored_cells_bytes(store));
    return stored_end_row(store, status);
}
