/* apply_lines.c - rules applied to transactions, as lines of text
 *
 *     csv     1,A7,beer,0.8125,chips|nuts      with every rule: 1,A7,chips|nuts,beer,0.8125,false
 *     jsonl   {"basket":1,"id":"A7","item":"beer","confidence":0.8125,"body":["chips","nuts"]}
 *     text    1 (A7): beer (confidence 0.8125), because of chips, nuts
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "results/store/apply_index.h"
#include "results/store/item_names.h"
#include "results/store/reals.h"
#include "results/store/row_table.h"
#include "runtime/lease.h"
#include "runtime/output.h"
#include "runtime/valid.h"

#define ADVICE_BUFFER (1 << 18)

typedef struct advice_run {
    lode_apply_options how;
    table table;
    output out;
    vec_char text;
    const lode_dataset *data;
    const char *by; /* the column that ranks rules */
    lode_apply_summary summary;
    uint64_t lines, advised;
    uint64_t basket;    /* of the last line, from 1 */
    lode_status status; /* of what failed within the callback */
} advice_run;

static lode_status advice_put_side(advice_run *a, const char *key, uint32_t column, uint32_t at) {
    lode_status status = table_put_key(&a->table, key);
    return status == LODE_OK ? table_put_list(&a->table, column, at) : status;
}

static lode_status advice_put_item(advice_run *a, uint32_t item) {
    size_t n;
    const char *name = names_at(a->table.store, item, &n);
    lode_status status = table_put_key(&a->table, "item");
    return status == LODE_OK ? table_put_string(&a->table, name, n) : status;
}

/* The id of a transaction, if transactions have ids. */
static lode_status advice_put_id(advice_run *a, uint64_t transaction) {
    size_t n;
    const char *id = dataset_transaction_id(a->data, transaction, &n);
    if (!id) return LODE_OK;
    lode_status status = table_put_key(&a->table, "id");
    return status == LODE_OK ? table_put_string(&a->table, id, n) : status;
}

static lode_status advice_put_number(advice_run *a, const char *key, const char *text) {
    lode_status status = table_put_key(&a->table, key);
    return status == LODE_OK ? table_put_text(&a->table, text) : status;
}

static lode_status advice_put_score(advice_run *a, double score) {
    char text[REALS_BYTES];
    bool finite = score - score == 0, json = a->table.format == LODE_STORE_JSONL;
    reals_put(text, score, 0);
    return advice_put_number(a, a->by, finite || !json ? text : "null");
}

/* A line of csv or jsonl. */
static lode_status advice_cells(advice_run *a, const lode_advice *advice, const char *basket) {
    lode_status status = LODE_OK;
    table *t = &a->table;
    const lode_store *s = t->store;
    uint32_t at = table_turn(t, advice->row);
    LODE_TRY(advice_put_number(a, "basket", basket));
    LODE_TRY(advice_put_id(a, advice->transaction));
    if (a->how.every_rule) {
        LODE_TRY(advice_put_side(a, "body", s->items, at));
        LODE_TRY(advice_put_side(a, "head", s->head, at));
        LODE_TRY(advice_put_score(a, advice->score));
        LODE_TRY(advice_put_number(a, "held", advice->held ? "true" : "false"));
    } else {
        LODE_TRY(advice_put_item(a, advice->item));
        LODE_TRY(advice_put_score(a, advice->score));
        LODE_TRY(advice_put_side(a, "body", s->items, at));
    }
    LODE_TRY(table_put_text(t, t->format == LODE_STORE_JSONL ? "}\n" : "\n"));
done:
    return status;
}

/* "7 (A3): " */
static lode_status advice_begin_sentence(advice_run *a, uint64_t transaction, const char *basket) {
    lode_status status = LODE_OK;
    table *t = &a->table;
    size_t n;
    const char *id = dataset_transaction_id(a->data, transaction, &n);
    LODE_TRY(table_put_text(t, basket));
    if (id) {
        LODE_TRY(table_put_text(t, " ("));
        LODE_TRY(table_put_string(t, id, n));
        LODE_TRY(table_put_text(t, ")"));
    }
    LODE_TRY(table_put_text(t, ": "));
done:
    return status;
}

static lode_status advice_sentence(advice_run *a, const lode_advice *advice, const char *basket) {
    lode_status status = LODE_OK;
    table *t = &a->table;
    char score[REALS_BYTES];
    bool every = a->how.every_rule;
    uint32_t at = table_turn(t, advice->row);
    reals_put(score, advice->score, 4);
    LODE_TRY(advice_begin_sentence(a, advice->transaction, basket));
    if (every) LODE_TRY(table_put_list(t, t->store->items, at));
    if (every) LODE_TRY(table_put_text(t, " → "));
    LODE_TRY(every ? table_put_list(t, t->store->head, at) : table_put_name(t, advice->item));
    LODE_TRY(table_put_text(t, " ("));
    LODE_TRY(table_put_text(t, a->by));
    LODE_TRY(table_put_text(t, " "));
    LODE_TRY(table_put_text(t, score));
    LODE_TRY(table_put_text(t, ")"));
    if (every && advice->held) LODE_TRY(table_put_text(t, ", which it has"));
    if (!every) LODE_TRY(table_put_text(t, ", because of "));
    if (!every) LODE_TRY(table_put_list(t, t->store->items, at));
    LODE_TRY(table_put_text(t, "\n"));
done:
    return status;
}

static lode_status advice_flush(advice_run *a, size_t least) {
    lode_status status = LODE_OK;
    LODE_TRY(
        vec_char_append(&a->table.store->job->mem, &a->text, a->table.line.data, a->table.line.n));
    a->table.line.n = 0;
    if (a->text.n == 0 || a->text.n < least) goto done;
    LODE_TRY(output_write(&a->out, a->text.data, a->text.n));
    a->text.n = 0;
done:
    return status;
}

static int advice_take(void *user, const lode_advice *advice) {
    advice_run *a = user;
    char basket[24];
    snprintf(basket, sizeof basket, "%llu", (unsigned long long)advice->transaction + 1);
    table_begin(&a->table);
    a->status = a->table.format == LODE_STORE_TEXT ? advice_sentence(a, advice, basket)
                                                   : advice_cells(a, advice, basket);
    if (a->status == LODE_OK) a->status = advice_flush(a, ADVICE_BUFFER);
    if (a->status != LODE_OK) return 1;
    a->lines++;
    a->advised += a->basket != advice->transaction + 1;
    a->basket = advice->transaction + 1;
    return 0;
}

/* The first line of csv. */
static lode_status advice_title(advice_run *a) {
    lode_status status = LODE_OK;
    table *t = &a->table;
    bool every = a->how.every_rule;
    table_begin(t);
    LODE_TRY(table_put_text(t, a->data->ids.ends ? "basket,id," : "basket,"));
    LODE_TRY(table_put_text(t, every ? "body,head," : "item,"));
    LODE_TRY(table_put_string(t, a->by, strlen(a->by)));
    LODE_TRY(table_put_text(t, every ? ",held\n" : ",body\n"));
    LODE_TRY(advice_flush(a, ADVICE_BUFFER));
done:
    return status;
}

static lode_status advice_run_all(advice_run *a, lode_store *s, const char *path) {
    lode_status status = LODE_OK;
    const stored_column *by = NULL;
    LODE_TRY(apply_column(s, &a->how, &by));
    a->by = by->name;
    LODE_TRY(table_init(&a->table, s, a->how.format, NULL));
    a->table.csv_safe = a->how.csv_safe;
    LODE_TRY(output_open(&a->out, s->job, path));
    if (a->how.format == LODE_STORE_CSV) LODE_TRY(advice_title(a));
    status = apply_all_rules(s, a->data, &a->how, advice_take, a, &a->summary);
    if (a->status != LODE_OK) status = a->status;
    status = stored_end(s, status);
    if (status != LODE_OK) goto done;
    LODE_TRY(advice_flush(a, 0));
    a->summary.lines = a->lines;
    a->summary.advised = a->advised;
    status = output_finish(&a->out, false);
done:
    output_discard(&a->out);
    vec_char_free(&s->job->mem, &a->text);
    table_clear(&a->table);
    return stored_end_row(s, status);
}

lode_status lode_store_apply_file(lode_store *store, const lode_dataset *data,
                                  const lode_apply_options *options, const char *path,
                                  lode_apply_summary *summary) {
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(data), VALID_NEEDS(path));
    advice_run a = {.data = data, .status = LODE_OK};
    lease_call call = {0};
    lode_status status = valid_take(store->job, VALID_APPLY, options, &a.how);
    if (status != LODE_OK) return status;
    if (a.how.csv_safe && a.how.format != LODE_STORE_CSV) {
        return job_fail(store->job, LODE_INVALID, "--csv-safe is for csv only");
    }
    status = lease_enter(store->job, LEASE_ANY, &call);
    if (status == LODE_OK) status = advice_run_all(&a, store, path);
    lease_leave(&call);
    if (status == LODE_OK && summary && !valid_fill(summary, &a.summary)) {
        status = job_fail(store->job, LODE_INVALID, "the size of a lode_apply_summary is not set");
    }
    return job_explain(store->job, status, "applying rules");
}
