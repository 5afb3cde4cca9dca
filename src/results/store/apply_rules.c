/* apply_rules.c - gives each transaction its rules, and the items that they recommend
 *
 * Threads take pieces of consecutive transactions. What a thread finds waits until all earlier
 * pieces have been delivered, so advice comes in the order of transactions. The thread with the
 * first undelivered piece never waits, so there is always progress.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/reals.h"
#include "results/store/apply_index.h"
#include "results/store/item_names.h"
#include "results/store/row_table.h"
#include "runtime/lease.h"
#include "runtime/output.h"
#include "runtime/parallel.h"
#include "runtime/valid.h"

#define APPLY_PIECE 64
#define APPLY_WAIT  16384 /* pieces of advice that may wait */
#define APPLY_TOP   5

/* An item, or for every_rule nothing, with its best rule. */
typedef struct apply_pick {
    const apply_rule *rule;
    double goodness; /* high ones are better */
    uint32_t item;
    bool held;
} apply_pick;

static bool apply_pick_before(const apply_pick *a, const apply_pick *b) {
    if (a->goodness != b->goodness) return a->goodness > b->goodness;
    if (a->rule->row != b->rule->row) return a->rule->row < b->rule->row;
    return a->item < b->item;
}

#define SORT_NAME   sort_apply_picks
#define SORT_TYPE   apply_pick
#define SORT_BEFORE apply_pick_before
#include "base/sort_body.h"

typedef struct apply_run {
    lode_store *store;
    const lode_dataset *data;
    lode_apply_options how;
    apply_index index;
    lode_advice_fn function;
    void *user;
    pthread_mutex_t lock; /* guards the three below */
    pthread_cond_t moved;
    uint64_t turn;      /* the piece that is delivered now */
    bool ended;         /* nothing is delivered any more, … */
    lode_status status; /* … and why */
    _Atomic uint64_t next;
} apply_run;

/* What a thread has of its own. */
typedef struct apply_worker {
    apply_run *run;
    uint64_t piece;
    uint64_t stamp;    /* of the present transaction, from 1 */
    uint64_t *has;     /* by rank: the stamp of the last transaction that has it */
    uint64_t *picked;  /* by item: the stamp of the last one it was recommended for, … */
    uint32_t *pick_of; /* … and which pick that is */
    mem_kept kept;     /* the memory of the three */
    apply_pick *picks;
    size_t n_picks, cap_picks;
    lode_advice *waiting;
    size_t n_waiting, cap_waiting;
} apply_worker;

/* ---- delivering ----------------------------------------------------------------------------- */

/* Waits until it is this piece's turn. Returns false if delivery has stopped. */
static bool apply_wait(apply_worker *w) {
    apply_run *r = w->run;
    pthread_mutex_lock(&r->lock);
    while (r->turn != w->piece && !r->ended) pthread_cond_wait(&r->moved, &r->lock);
    bool ended = r->ended;
    pthread_mutex_unlock(&r->lock);
    return !ended;
}

/* Goes on to the next piece or, after a failure, ends everything. */
static void apply_move(apply_run *r, lode_status status) {
    pthread_mutex_lock(&r->lock);
    r->turn++;
    if (status != LODE_OK && !r->ended) r->status = status;
    r->ended = r->ended || status != LODE_OK;
    pthread_cond_broadcast(&r->moved);
    pthread_mutex_unlock(&r->lock);
}

static lode_status apply_deliver(apply_worker *w) {
    apply_run *r = w->run;
    if (!apply_wait(w)) return LODE_STOPPED;
    for (size_t i = 0; i < w->n_waiting; i++) {
        if (r->function(r->user, &w->waiting[i]) == 0) continue;
        return job_fail(r->store->job, LODE_STOPPED,
                        "stopped by the function that receives the recommendations");
    }
    w->n_waiting = 0;
    return LODE_OK;
}

/* Puts the picks of a transaction in order, and the best of them in line. */
static lode_status apply_keep(apply_worker *w, uint64_t transaction) {
    lode_status status = LODE_OK;
    apply_run *r = w->run;
    lode_job *job = r->store->job;
    sort_stop stop = job_sort_stop(job);
    size_t n = w->n_picks;
    if (!sort_apply_picks(w->picks, n, &stop)) return job_check(job);
    if (!r->how.every_rule && n > r->how.top) n = r->how.top;
    for (size_t i = 0; i < n; i++) {
        const apply_pick *p = &w->picks[i];
        if (w->n_waiting >= APPLY_WAIT) LODE_TRY(apply_deliver(w));
        if (w->n_waiting == w->cap_waiting) {
            LODE_TRY(vec_grow(&job->mem, (void **)&w->waiting, w->n_waiting, &w->cap_waiting, 1,
                              sizeof *w->waiting));
        }
        w->waiting[w->n_waiting++] = (lode_advice){.size = sizeof(lode_advice),
                                                   .transaction = transaction,
                                                   .row = p->rule->row,
                                                   .score = p->rule->score,
                                                   .item = p->item,
                                                   .rank = (uint32_t)i,
                                                   .held = p->held};
    }
done:
    return status;
}

/* ---- one transaction ------------------------------------------------------------------------ */

static bool apply_has(const apply_worker *w, uint32_t item) {
    uint32_t rank = w->run->index.rank_of[item];
    return rank != UINT32_MAX && w->has[rank] == w->stamp;
}

static lode_status apply_push(apply_worker *w, apply_pick pick) {
    apply_index *x = &w->run->index;
    pick.goodness = x->low_first ? -pick.rule->score : pick.rule->score;
    if (w->n_picks == w->cap_picks) {
        lode_status status = vec_grow(&x->store->job->mem, (void **)&w->picks, w->n_picks,
                                      &w->cap_picks, 1, sizeof *w->picks);
        if (status != LODE_OK) return status;
    }
    w->picks[w->n_picks++] = pick;
    return LODE_OK;
}

/* A rule for an item: it counts if it is better than the one that the item has. */
static lode_status apply_recommend(apply_worker *w, const apply_rule *rule) {
    const apply_index *x = &w->run->index;
    uint32_t item = rule->list.items[1];
    if (w->picked[item] != w->stamp) {
        w->picked[item] = w->stamp;
        w->pick_of[item] = (uint32_t)w->n_picks;
        return apply_push(w, (apply_pick){.rule = rule, .item = item});
    }
    apply_pick *pick = &w->picks[w->pick_of[item]];
    if (apply_better(x, rule, pick->rule)) {
        pick->rule = rule;
        pick->goodness = x->low_first ? -rule->score : rule->score;
    }
    return LODE_OK;
}

static lode_status apply_list(apply_worker *w, const apply_rule *rule) {
    const uint32_t *rhs = rule->list.items + rule->n_path;
    bool held = true;
    for (uint32_t i = 0; i < rule->n_rhs && held; i++) held = apply_has(w, rhs[i]);
    return apply_push(w, (apply_pick){.rule = rule, .item = UINT32_MAX, .held = held});
}

/* The rules that end at a node. */
static lode_status apply_rules_of(apply_worker *w, uint32_t node) {
    const apply_index *x = &w->run->index;
    for (uint32_t r = x->nodes[node].rules; r < x->nodes[node + 1].rules; r++) {
        const apply_rule *rule = &x->rules[r];
        lode_status status = x->by_rhs ? apply_recommend(w, rule) : apply_list(w, rule);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

/* Whether the best rule of a node is better than what its consequent has so far. */
static bool apply_may_improve(const apply_worker *w, uint32_t rhs, const apply_node *node) {
    const apply_index *x = &w->run->index;
    if (w->picked[rhs] != w->stamp) return true;
    return apply_better(x, &x->rules[node->best], w->picks[w->pick_of[rhs]].rule);
}

/* Visits the antecedents at and below a node whose items the transaction has. If the tree is
 * ordered by consequent, `rhs` is the item that they recommend. */
static lode_status apply_walk(apply_worker *w, uint32_t from, uint32_t rhs) {
    const apply_index *x = &w->run->index;
    const apply_node *nodes = x->nodes;
    uint32_t end = nodes[from].next;
    lode_status status = apply_rules_of(w, from);
    for (uint32_t i = from + 1; i < end && status == LODE_OK;) {
        bool wanted = w->has[nodes[i].rank] == w->stamp &&
                      (!x->by_rhs || apply_may_improve(w, rhs, &nodes[i]));
        if (wanted) status = apply_rules_of(w, i);
        i = wanted ? i + 1 : nodes[i].next;
    }
    return status;
}

/* All rules of which an item of the transaction is the rarest of the antecedent. */
static lode_status apply_root(apply_worker *w, uint32_t root) {
    lode_status status = LODE_OK;
    const apply_index *x = &w->run->index;
    if (!x->by_rhs) return apply_walk(w, root, 0);
    for (uint32_t i = root + 1; i < x->nodes[root].next; i = x->nodes[i].next) {
        uint32_t rhs = x->nodes[i].rank;
        if (apply_has(w, rhs) || !apply_may_improve(w, rhs, &x->nodes[i])) continue;
        LODE_TRY(apply_walk(w, i, rhs));
    }
done:
    return status;
}

static lode_status apply_transaction(apply_worker *w, uint64_t transaction) {
    lode_status status = LODE_OK;
    const apply_index *x = &w->run->index;
    uint32_t n = 0;
    const uint32_t *ids = dataset_row(w->run->data, transaction, &n);
    w->stamp++;
    w->n_picks = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t item = x->item_of[ids[i]];
        if (item != UINT32_MAX) w->has[x->rank_of[item]] = w->stamp;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t item = x->item_of[ids[i]];
        if (item == UINT32_MAX || x->roots[x->rank_of[item]] == 0) continue;
        LODE_TRY(job_check(w->run->store->job));
        LODE_TRY(apply_root(w, x->roots[x->rank_of[item]]));
    }
    LODE_TRY(apply_keep(w, transaction));
done:
    return status;
}

/* ---- threads -------------------------------------------------------------------------------- */

static lode_status apply_begin_worker(apply_worker *w) {
    lode_status status = LODE_OK;
    mem *m = &w->run->store->job->mem;
    size_t n = w->run->store->n_names + (size_t)1;
    LODE_TRY(mem_keep_zero(m, &w->kept, (void **)&w->has, n * sizeof *w->has));
    LODE_TRY(mem_keep_zero(m, &w->kept, (void **)&w->picked, n * sizeof *w->picked));
    LODE_TRY(mem_keep_zero(m, &w->kept, (void **)&w->pick_of, n * sizeof *w->pick_of));
done:
    return status;
}

static lode_status apply_piece(apply_worker *w) {
    lode_status status = LODE_OK;
    uint64_t n = w->run->data->profile.n_transactions;
    uint64_t first = w->piece * APPLY_PIECE;
    uint64_t end = n - first < APPLY_PIECE ? n : first + APPLY_PIECE;
    for (uint64_t t = first; t < end; t++) {
        LODE_TRY(job_check(w->run->store->job));
        LODE_TRY(apply_transaction(w, t));
    }
    LODE_TRY(apply_deliver(w));
done:
    return status;
}

static lode_status apply_work(void *arg, unsigned worker) {
    lode_status status = LODE_OK;
    apply_run *r = arg;
    apply_worker w = {.run = r};
    mem *m = &r->store->job->mem;
    uint64_t n = r->data->profile.n_transactions, pieces = n / APPLY_PIECE + 1;
    status = apply_begin_worker(&w);
    while (status == LODE_OK && (worker == 0 || !lease_gives(r->store->job))) {
        w.piece = atomic_fetch_add(&r->next, 1);
        if (w.piece >= pieces) break;
        status = apply_piece(&w);
        if (status == LODE_OK) apply_move(r, LODE_OK);
        if (status == LODE_OK && worker == 0) status = job_tick(r->store->job, w.piece, pieces);
    }
    if (status != LODE_OK) apply_move(r, status);
    mem_drop(m, &w.kept);
    mem_free(m, w.picks, w.cap_picks * sizeof *w.picks);
    mem_free(m, w.waiting, w.cap_waiting * sizeof *w.waiting);
    return status;
}

/* ---- the call ------------------------------------------------------------------------------- */

/* The column that ranks rules. Errors: INVALID (not a store of rules; no such column, or it has no
 * better end). */
static lode_status apply_column(lode_store *s, const lode_apply_options *how,
                                const stored_column **by) {
    const char *name = how->by ? how->by : "confidence";
    if (s->info.kind != LODE_RULES) {
        return job_fail(s->job, LODE_INVALID,
                        "%s: only rules can be applied to baskets, but this result has %s", s->path,
                        s->info.kind == LODE_GRAPHS ? "graphs" : "itemsets");
    }
    lode_status status = stored_need(s, "--by", name, by);
    if (status != LODE_OK || (*by)->better != 0) return status;
    return job_fail(s->job, LODE_INVALID,
                    "--by: '%s' cannot rank rules, because neither high nor low values of it are "
                    "better; expected a measure such as confidence or lift",
                    name);
}

static lode_status apply_begin(apply_run *r, lode_apply_summary *summary) {
    lode_status status = LODE_OK;
    const stored_column *by = NULL;
    lode_store *s = r->store;
    if (r->how.every_rule && r->how.top != 0) {
        LODE_LEAVE(
            job_fail(s->job, LODE_INVALID, "--top cannot be combined with listing every rule"));
    }
    LODE_TRY(apply_column(s, &r->how, &by));
    if (r->how.top == 0) r->how.top = APPLY_TOP;
    *summary = (lode_apply_summary){
        .size = sizeof *summary, .by = by->name, .transactions = r->data->profile.n_transactions};
    r->index = (apply_index){
        .store = s, .data = r->data, .summary = summary, .by_rhs = !r->how.every_rule};
    job_begin_phase(s->job, "query");
    LODE_TRY(apply_index_build(&r->index, by));
done:
    return status;
}

lode_status lode_store_apply(lode_store *store, const lode_dataset *data,
                             const lode_apply_options *options, lode_advice_fn function,
                             void *user) {
    VALID_CALL(store ? store->job : NULL, VALID_NEEDS(data), {function != NULL, "function"});
    lode_apply_options how;
    lode_apply_summary summary;
    lode_status status = valid_take(store->job, VALID_APPLY, options, &how);
    return status == LODE_OK ? apply_all_rules(store, data, &how, function, user, &summary)
                             : status;
}

lode_status apply_all_rules(lode_store *store, const lode_dataset *data,
                            const lode_apply_options *how, lode_advice_fn function, void *user,
                            lode_apply_summary *summary) {
    lode_status status = LODE_OK;
    apply_run r = {.store = store, .data = data, .how = *how, .function = function, .user = user};
    lease_call call = {0};
    pthread_mutex_init(&r.lock, NULL);
    pthread_cond_init(&r.moved, NULL);
    LODE_TRY(dataset_in_memory(store->job, data));
    LODE_TRY(lease_enter(store->job, LEASE_ANY, &call));
    LODE_TRY(apply_begin(&r, summary));
    status = parallel_run(store->job, store->job->threads, false, apply_work, &r);
    if (r.ended) status = r.status; /* of the first that failed; others only followed */
done:
    apply_index_clear(&r.index);
    lease_leave(&call);
    pthread_cond_destroy(&r.moved);
    pthread_mutex_destroy(&r.lock);
    return job_explain(store->job, stored_end(store, status), "applying rules");
}

/* ---- rules applied to transactions, as lines of text ----------------------------------------- */

/*     csv     1,A7,beer,0.8125,chips|nuts      with every rule: 1,A7,chips|nuts,beer,0.8125,false
 *     jsonl   {"basket":1,"id":"A7","item":"beer","confidence":0.8125,"body":["chips","nuts"]}
 *     text    1 (A7): beer (confidence 0.8125), because of chips, nuts */

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
        LODE_TRY(advice_put_side(a, "head", s->rhs, at));
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
    LODE_TRY(every ? table_put_list(t, t->store->rhs, at) : table_put_name(t, advice->item));
    LODE_TRY(table_put_text(t, " ("));
    LODE_TRY(table_put_text(t, a->by));
    LODE_TRY(table_put_text(t, " "));
    LODE_TRY(table_put_text(t, score));
    LODE_TRY(table_put_text(t, ")"));
    if (every && advice->held) LODE_TRY(table_put_text(t, ", already in the basket"));
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
