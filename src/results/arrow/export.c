/* export.c - see export.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "results/arrow/export.h"

#include <string.h>

#define EXPORT_COLUMNS 16 /* the most columns */
#define EXPORT_NODES   (1 + 3 * EXPORT_COLUMNS)

/* All nodes of an array. The root is a copy of nodes[0], and so is what a consumer moves. */
typedef struct array_block {
    export_owner owner;
    _Atomic unsigned held; /* nodes that were not released */
    unsigned n;
    struct ArrowArray nodes[EXPORT_NODES];
    const void *buffers[EXPORT_NODES][3];
    struct ArrowArray *children[EXPORT_NODES]; /* of lists one; those of the root come first */
} array_block;

typedef struct schema_block {
    ctx_home *home;
    _Atomic unsigned held;
    unsigned n;
    struct ArrowSchema nodes[EXPORT_NODES];
    struct ArrowSchema *children[EXPORT_NODES];
} schema_block;

/* ---- the array ------------------------------------------------------------------------------ */

static void array_let_go(array_block *b) {
    if (atomic_fetch_sub(&b->held, 1) > 1) return;
    export_owner owner = b->owner;
    if (owner.drop) owner.drop(&owner.home->mem, owner.owned);
    mem_free(&owner.home->mem, b, sizeof *b);
    ctx_home_release(owner.home);
}

static void array_release(struct ArrowArray *a) {
    array_block *b = a->private_data;
    for (int64_t i = 0; i < a->n_children; i++) { /* those that were moved are NULL */
        if (a->children[i]->release) a->children[i]->release(a->children[i]);
    }
    if (a->dictionary && a->dictionary->release) a->dictionary->release(a->dictionary);
    a->release = NULL;
    array_let_go(b);
}

/* Adds a node and its children. */
static struct ArrowArray *array_add(array_block *b, const export_column *c) {
    unsigned at = b->n++;
    struct ArrowArray *a = &b->nodes[at];
    for (unsigned i = 0; i < c->n_buffers; i++) b->buffers[at][1 + i] = c->buffers[i];
    *a = (struct ArrowArray){.length = (int64_t)c->length,
                             .n_buffers = 1 + (int64_t)c->n_buffers,
                             .buffers = b->buffers[at],
                             .release = array_release,
                             .private_data = b};
    if (c->child) {
        b->children[at] = array_add(b, c->child);
        a->children = &b->children[at];
        a->n_children = 1;
    }
    if (c->dictionary) a->dictionary = array_add(b, c->dictionary);
    return a;
}

static lode_status array_make(const export_owner *owner, const export_column *columns, unsigned n,
                              array_block **out) {
    array_block *b = NULL;
    export_column root = {.length = n > 0 ? columns[0].length : 0};
    lode_status status = mem_zalloc(&owner->home->mem, (void **)&b, sizeof *b);
    if (status != LODE_OK) return status;
    b->owner = *owner;
    struct ArrowArray *a = array_add(b, &root);
    for (unsigned i = 0; i < n; i++) {
        struct ArrowArray *child = array_add(b, &columns[i]);
        b->children[EXPORT_NODES - n + i] = child;
    }
    a->children = &b->children[EXPORT_NODES - n];
    a->n_children = n;
    b->held = b->n;
    *out = b;
    return LODE_OK;
}

/* ---- the schema ----------------------------------------------------------------------------- */

static void schema_release(struct ArrowSchema *s) {
    schema_block *b = s->private_data;
    for (int64_t i = 0; i < s->n_children; i++) {
        if (s->children[i]->release) s->children[i]->release(s->children[i]);
    }
    if (s->dictionary && s->dictionary->release) s->dictionary->release(s->dictionary);
    s->release = NULL;
    if (atomic_fetch_sub(&b->held, 1) > 1) return;
    ctx_home *home = b->home;
    mem_free(&home->mem, b, sizeof *b);
    ctx_home_release(home);
}

static struct ArrowSchema *schema_add(schema_block *b, const export_column *c) {
    unsigned at = b->n++;
    struct ArrowSchema *s = &b->nodes[at];
    *s = (struct ArrowSchema){
        .format = c->format, .name = c->name, .release = schema_release, .private_data = b};
    if (c->child) {
        b->children[at] = schema_add(b, c->child);
        s->children = &b->children[at];
        s->n_children = 1;
    }
    if (c->dictionary) s->dictionary = schema_add(b, c->dictionary);
    return s;
}

static lode_status schema_make(lode_job *job, const export_column *columns, unsigned n,
                               schema_block **out) {
    lode_status status = LODE_OK;
    ctx_home *home = NULL;
    schema_block *b = NULL;
    export_column root = {.format = "+s", .name = ""};
    LODE_TRY(ctx_home_create(job, &home));
    LODE_TRY(mem_zalloc(&home->mem, (void **)&b, sizeof *b));
    b->home = home;
    struct ArrowSchema *s = schema_add(b, &root);
    for (unsigned i = 0; i < n; i++) {
        struct ArrowSchema *child = schema_add(b, &columns[i]);
        b->children[EXPORT_NODES - n + i] = child;
    }
    s->children = &b->children[EXPORT_NODES - n];
    s->n_children = n;
    b->held = b->n;
    ctx_home_settle(home);
    home = NULL;
    *out = b;
done:
    ctx_home_release(home);
    return status;
}

lode_status export_columns(lode_job *job, const export_column *columns, unsigned n,
                           const export_owner *owner, struct ArrowSchema *schema,
                           struct ArrowArray *array) {
    lode_status status = LODE_OK;
    array_block *a = NULL;
    schema_block *s = NULL;
    LODE_REQUIRE(job, n <= EXPORT_COLUMNS, "too many columns for an Arrow array");
    LODE_TRY(schema_make(job, columns, n, &s));
    status = array_make(owner, columns, n, &a);
    if (status != LODE_OK) {
        s->nodes[0].release(&s->nodes[0]);
        goto done;
    }
    *array = a->nodes[0];
    *schema = s->nodes[0];
done:
    return status;
}
