/* brute_form.c - see brute_form.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/brute_form.h"

#include "base/bits.h"

typedef struct form_search {
    const form_graph *g;
    uint64_t colour[FORM_MAX];
    uint64_t sorted[FORM_MAX]; /* colours, ascending */
    uint32_t order[FORM_MAX];
    bool placed[FORM_MAX];
    uint32_t now[FORM_SIZE], best[FORM_SIZE];
    uint32_t best_order[FORM_MAX];
    size_t best_n; /* numbers of `best` that are settled */
} form_search;

/* Colours that do not depend on the order of the vertices. */
static void form_make_colours(form_search *s) {
    const form_graph *g = s->g;
    for (uint32_t v = 0; v < g->n; v++) s->colour[v] = bits_mix(g->labels[v] + 1);
    for (uint32_t round = 0; round < 3; round++) {
        uint64_t next[FORM_MAX];
        for (uint32_t v = 0; v < g->n; v++) {
            next[v] = bits_mix(s->colour[v]);
            for (uint32_t u = 0; u < g->n; u++) {
                uint64_t links = (uint64_t)g->link[v][u] << 32 | g->link[u][v];
                if (links) next[v] += bits_mix(bits_mix(links) ^ s->colour[u]);
            }
        }
        for (uint32_t v = 0; v < g->n; v++) s->colour[v] = next[v];
    }
    for (uint32_t v = 0; v < g->n; v++) {
        uint32_t k = v;
        for (; k > 0 && s->sorted[k - 1] > s->colour[v]; k--) s->sorted[k] = s->sorted[k - 1];
        s->sorted[k] = s->colour[v];
    }
}

/* Compares n numbers from `at` on with the best list so far, and replaces it if they are smaller.
 * False: they are larger. */
static bool form_settle(form_search *s, size_t at, size_t n) {
    for (size_t i = at; i < at + n; i++) {
        if (i >= s->best_n || s->now[i] < s->best[i]) {
            memcpy(s->best + i, s->now + i, (at + n - i) * sizeof *s->now);
            s->best_n = at + n;
            return true;
        }
        if (s->now[i] > s->best[i]) return false;
    }
    return true;
}

/* Whether two vertices are twins: swapping them changes nothing, so one of them is tried. */
static bool are_twins(const form_graph *g, uint32_t u, uint32_t v) {
    if (g->labels[u] != g->labels[v] || g->link[u][v] != g->link[v][u]) return false;
    for (uint32_t w = 0; w < g->n; w++) {
        if (w == u || w == v) continue;
        if (g->link[u][w] != g->link[v][w] || g->link[w][u] != g->link[w][v]) return false;
    }
    return true;
}

/* Whether a twin of v before it is not placed yet. */
static bool has_twin(const form_search *s, uint32_t v) {
    for (uint32_t u = 0; u < v; u++) {
        if (!s->placed[u] && s->colour[u] == s->colour[v] && are_twins(s->g, u, v)) return true;
    }
    return false;
}

/* Tries all vertices at place k. It calls itself, at most FORM_MAX deep. */
static void form_place_next(form_search *s, uint32_t k, size_t at) {
    const form_graph *g = s->g;
    if (k == g->n) {
        memcpy(s->best_order, s->order, sizeof s->order);
        return;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        if (s->placed[v] || s->colour[v] != s->sorted[k] || has_twin(s, v)) continue;
        size_t n = 0;
        s->now[at + n++] = g->labels[v];
        for (uint32_t i = 0; i < k; i++) {
            s->now[at + n++] = g->link[v][s->order[i]];
            s->now[at + n++] = g->link[s->order[i]][v];
        }
        if (!form_settle(s, at, n)) continue;
        s->order[k] = v;
        s->placed[v] = true;
        form_place_next(s, k + 1, at + n);
        s->placed[v] = false;
    }
}

size_t form_make(const form_graph *g, uint32_t *form, uint32_t *order) {
    form_search s = {.g = g};
    form_make_colours(&s);
    s.now[0] = g->n;
    form_settle(&s, 0, 1);
    form_place_next(&s, 0, 1);
    memcpy(form, s.best, s.best_n * sizeof *form);
    memcpy(order, s.best_order, g->n * sizeof *order);
    return s.best_n;
}

void form_read(const uint32_t *form, form_graph *g) {
    *g = (form_graph){.n = *form++};
    for (uint32_t v = 0; v < g->n; v++) {
        g->labels[v] = *form++;
        for (uint32_t i = 0; i < v; i++) {
            g->link[v][i] = *form++;
            g->link[i][v] = *form++;
        }
    }
}

bool form_is_connected(const form_graph *g) {
    bool met[FORM_MAX] = {true};
    uint32_t queue[FORM_MAX] = {0}, n = 1;
    if (g->n == 0) return false;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t v = 0; v < g->n; v++) {
            if (met[v] || (!g->link[queue[i]][v] && !g->link[v][queue[i]])) continue;
            met[v] = true;
            queue[n++] = v;
        }
    }
    return n == g->n;
}

uint32_t form_count_edges(const form_graph *g, bool directed) {
    uint32_t n = 0;
    for (uint32_t u = 0; u < g->n; u++) {
        for (uint32_t v = 0; v < g->n; v++) n += g->link[u][v] != 0;
    }
    return directed ? n : n / 2;
}

void form_drop(form_graph *g, uint32_t vertex) {
    uint32_t last = g->n - 1;
    g->labels[vertex] = g->labels[last];
    for (uint32_t v = 0; v < g->n; v++) {
        g->link[vertex][v] = g->link[last][v];
        g->link[v][vertex] = g->link[v][last];
    }
    g->link[vertex][vertex] = 0;
    for (uint32_t v = 0; v < g->n; v++) g->link[last][v] = g->link[v][last] = 0;
    g->n--;
}
