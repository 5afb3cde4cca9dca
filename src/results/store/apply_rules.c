/* apply_rules.c - gives each transaction its rules, and the items that they recommend
 *
 * Threads take pieces of some transactions. What a thread finds waits until the pieces before its
 * own have been delivered: so advice comes in the order of transactions. The thread that has the
 * first piece which is not delivered never waits, so that there is always one that goes on.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/store/apply_index.h"
#include "runtime/lease.h"
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

/* Waits until it is this piece's turn. False: nothing is delivered any more. */
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
                        "the function that takes the advice has asked to stop");
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
    const uint32_t *head = rule->list.items + rule->n_path;
    bool held = true;
    for (uint32_t i = 0; i < rule->n_head && held; i++) held = apply_has(w, head[i]);
    return apply_push(w, (apply_pick){.rule = rule, .item = UINT32_MAX, .held = held});
}

/* The rules that end at a node. */
static lode_status apply_rules_of(apply_worker *w, uint32_t node) {
    const apply_index *x = &w->run->index;
    for (uint32_t r = x->nodes[node].rules; r < x->nodes[node + 1].rules; r++) {
        const apply_rule *rule = &x->rules[r];
        lode_status status = x->by_head ? apply_recommend(w, rule) : apply_list(w, rule);
        if (status != LODE_OK) return status;
    }
    return LODE_OK;
}

/* Whether the best rule of a node is better than what its head has so far. */
static bool apply_may_improve(const apply_worker *w, uint32_t head, const apply_node *node) {
    const apply_index *x = &w->run->index;
    if (w->picked[head] != w->stamp) return true;
    return apply_better(x, &x->rules[node->best], w->picks[w->pick_of[head]].rule);
}

/* The bodies below a node, which has been passed; `head` is what they recommend, if it is one. */
static lode_status apply_walk(apply_worker *w, uint32_t from, uint32_t head) {
    const apply_index *x = &w->run->index;
    const apply_node *nodes = x->nodes;
    uint32_t end = nodes[from].next;
    lode_status status = apply_rules_of(w, from);
    for (uint32_t i = from + 1; i < end && status == LODE_OK;) {
        bool wanted = w->has[nodes[i].rank] == w->stamp &&
                      (!x->by_head || apply_may_improve(w, head, &nodes[i]));
        if (wanted) status = apply_rules_of(w, i);
        i = wanted ? i + 1 : nodes[i].next;
    }
    return status;
}

/* All rules of which an item of the transaction is the rarest of the body. */
static lode_status apply_root(apply_worker *w, uint32_t root) {
    lode_status status = LODE_OK;
    const apply_index *x = &w->run->index;
    if (!x->by_head) return apply_walk(w, root, 0);
    for (uint32_t i = root + 1; i < x->nodes[root].next; i = x->nodes[i].next) {
        uint32_t head = x->nodes[i].rank;
        if (apply_has(w, head) || !apply_may_improve(w, head, &x->nodes[i])) continue;
        LODE_TRY(apply_walk(w, i, head));
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

lode_status apply_column(lode_store *s, const lode_apply_options *how, const stored_column **by) {
    const char *name = how->by ? how->by : "confidence";
    if (s->info.kind != LODE_RULES) {
        return job_fail(s->job, LODE_INVALID, "%s: rules are applied, and this result has %s",
                        s->path, s->info.kind == LODE_GRAPHS ? "graphs" : "itemsets");
    }
    lode_status status = stored_need(s, "--by", name, by);
    if (status != LODE_OK || (*by)->better != 0) return status;
    return job_fail(s->job, LODE_INVALID,
                    "--by: '%s' does not rank rules, because neither high nor low values of it are "
                    "better; expected a measure such as confidence or lift",
                    name);
}

static lode_status apply_begin(apply_run *r, lode_apply_summary *summary) {
    lode_status status = LODE_OK;
    const stored_column *by = NULL;
    lode_store *s = r->store;
    if (r->how.every_rule && r->how.top != 0) {
        LODE_LEAVE(job_fail(s->job, LODE_INVALID,
                            "--top: every rule is listed, not the best items; leave one out"));
    }
    LODE_TRY(apply_column(s, &r->how, &by));
    if (r->how.top == 0) r->how.top = APPLY_TOP;
    *summary = (lode_apply_summary){
        .size = sizeof *summary, .by = by->name, .transactions = r->data->profile.n_transactions};
    r->index = (apply_index){
        .store = s, .data = r->data, .summary = summary, .by_head = !r->how.every_rule};
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
