/* test_trie.c - the trie of the level-wise miners, compared with a plain list of itemsets
 *
 * Random levels are appended as the miners do it. After every level, the trie must be valid, return
 * every itemset, and find the same subsets as a search through the list. Damage of every kind must
 * be detected.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "papers/trie.h"

#include "base/rng.h"
#include "check.h"

#define MAX_ITEMS 9u
#define N_MASKS   (1u << MAX_ITEMS)

/* Itemsets as masks: known[m] says whether the trie holds m. */
typedef struct model {
    trie trie;
    mem mem;
    uint32_t n_items;
    bool known[N_MASKS];
    uint32_t *masks; /* of the nodes of the last level */
    uint32_t room[2][N_MASKS];
    size_t n;
} model;

static void model_check_valid(const model *m) {
    const char *reason = "";
    if (!CHECK(trie_validate(&m->trie, &reason))) fprintf(stderr, "  %s\n", reason);
}

static void model_open(model *m, uint32_t n_items) {
    *m = (model){.n_items = n_items, .n = n_items};
    mem_init(&m->mem, NULL, NULL, 0);
    CHECK(trie_init(&m->trie, &m->mem, n_items) == LODE_OK);
    m->masks = m->room[0];
    for (uint32_t i = 0; i < n_items; i++) {
        m->masks[i] = (uint32_t)1 << i;
        m->known[m->masks[i]] = true;
    }
    model_check_valid(m);
}

static uint32_t highest(uint32_t mask) {
    return 31 - (uint32_t)__builtin_clz(mask);
}

/* Keeps each extension of a node by a higher item with a chance in per cent. */
static void model_grow(model *m, rng *r, unsigned percent) {
    uint32_t *next = m->masks == m->room[0] ? m->room[1] : m->room[0];
    size_t n = 0;
    CHECK(trie_begin_level(&m->trie) == LODE_OK);
    for (uint32_t node = 0; node < m->n; node++) {
        for (uint32_t item = highest(m->masks[node]) + 1; item < m->n_items; item++) {
            if (rng_below(r, 100) >= percent) continue;
            CHECK(trie_append(&m->trie, node, item) == LODE_OK);
            next[n] = m->masks[node] | (uint32_t)1 << item;
            m->known[next[n++]] = true;
        }
    }
    CHECK(trie_end_level(&m->trie) == LODE_OK);
    m->masks = next;
    m->n = n;
    model_check_valid(m);
}

static void model_close(model *m) {
    trie_clear(&m->trie);
    trie_clear(&m->trie); /* once more does no harm */
    CHECK_EQUAL(m->mem.used, 0);
}

static uint32_t list_items(uint32_t mask, uint32_t *items) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < MAX_ITEMS; i++) {
        if (mask >> i & 1) items[n++] = i;
    }
    return n;
}

/* Every node of the last level, from its number. */
static void check_paths(const model *m) {
    uint32_t depth = m->trie.depth, items[MAX_ITEMS];
    CHECK_EQUAL(trie_at(&m->trie, depth)->items.n, m->n);
    for (uint32_t node = 0; node < m->n; node++) {
        uint32_t mask = 0;
        trie_path(&m->trie, depth, node, items);
        for (uint32_t i = 0; i < depth; i++) {
            mask |= (uint32_t)1 << items[i];
            CHECK(i == 0 || items[i - 1] < items[i]);
        }
        CHECK_EQUAL(mask, m->masks[node]);
    }
}

/* All sets of one item more than the last level's, whatever they were joined from. */
static void check_subsets(const model *m) {
    uint32_t items[MAX_ITEMS], depth = m->trie.depth;
    for (uint32_t mask = 1; mask < (uint32_t)1 << m->n_items; mask++) {
        uint32_t k = list_items(mask, items);
        if (k != depth + 1) continue;
        bool all = true;
        for (uint32_t i = 0; i + 2 < k; i++) all &= m->known[mask ^ (uint32_t)1 << items[i]];
        CHECK(trie_has_subsets(&m->trie, items, k) == all);
    }
}

static void test_random(void) {
    static model m;
    for (uint64_t seed = 0; seed < 120; seed++) {
        rng r = rng_make(seed, 31);
        model_open(&m, (uint32_t)(1 + seed % MAX_ITEMS));
        for (unsigned level = 0; level < 6 && m.n > 0; level++) {
            check_paths(&m);
            check_subsets(&m);
            model_grow(&m, &r, 40 + (unsigned)(seed % 4) * 20);
        }
        model_close(&m);
    }
}

static void test_empty(void) {
    mem memory;
    trie t;
    const char *reason = "";
    mem_init(&memory, NULL, NULL, 0);
    CHECK(trie_init(&t, &memory, 0) == LODE_OK);
    CHECK(trie_validate(&t, &reason));
    CHECK(trie_begin_level(&t) == LODE_OK && trie_end_level(&t) == LODE_OK);
    CHECK(trie_validate(&t, &reason));
    trie_clear(&t);
    CHECK_EQUAL(memory.used, 0);
}

/* Whatever number of the trie is changed, it is noticed, and changed back it is valid again. */
static unsigned try_damage(const trie *t, const vec_u32 *v, const char *what, uint32_t level) {
    unsigned tried = 0;
    for (size_t i = 0; i < v->n; i++) {
        for (uint32_t by = 1; by <= 2; by++, tried++) {
            const char *reason = NULL;
            uint32_t right = v->data[i];
            v->data[i] = by == 1 ? right + 100 : right - 100;
            bool valid = trie_validate(t, &reason);
            v->data[i] = right;
            if (!CHECK(!valid && reason != NULL))
                fprintf(stderr, "  %s of level %u, number %zu\n", what, level, i);
        }
    }
    return tried;
}

static void test_damage(void) {
    static model m;
    rng r = rng_make(5, 32);
    unsigned tried = 0;
    model_open(&m, 7);
    model_grow(&m, &r, 80);
    model_grow(&m, &r, 80);
    for (uint32_t k = 1; k <= 3; k++) {
        const trie_level *level = trie_at(&m.trie, k);
        tried += try_damage(&m.trie, &level->items, "items", k);
        if (k > 1) tried += try_damage(&m.trie, &level->parents, "parents", k);
        if (k < 3) tried += try_damage(&m.trie, &level->first, "starts", k);
    }
    CHECK(tried > 100);
    model_check_valid(&m);
    model_close(&m);
}

/* Two neighbours exchanged, a node twice, one too few starts. */
static void test_damage_of_order(void) {
    static model m;
    const char *reason;
    rng r = rng_make(6, 33);
    model_open(&m, 6);
    model_grow(&m, &r, 100);
    trie_level *first = &m.trie.levels[0], *pairs = &m.trie.levels[1];
    for (size_t i = 0; i + 1 < pairs->items.n; i++) {
        uint32_t here = pairs->items.data[i], next = pairs->items.data[i + 1];
        if (pairs->parents.data[i] != pairs->parents.data[i + 1]) continue;
        pairs->items.data[i] = next;
        CHECK(!trie_validate(&m.trie, &reason)); /* twice */
        pairs->items.data[i + 1] = here;
        CHECK(!trie_validate(&m.trie, &reason)); /* exchanged */
        pairs->items.data[i] = here;
        pairs->items.data[i + 1] = next;
    }
    model_check_valid(&m);
    first->first.n--;
    CHECK(!trie_validate(&m.trie, &reason));
    first->first.n++;
    pairs->parents.n--;
    CHECK(!trie_validate(&m.trie, &reason));
    pairs->parents.n++;
    model_check_valid(&m);
    model_close(&m);
}

int main(void) {
    CHECK_RUN(test_random);
    CHECK_RUN(test_empty);
    CHECK_RUN(test_damage);
    CHECK_RUN(test_damage_of_order);
    return check_result();
}
