/* spans.c - see spans.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/spans.h"

#define SPANS_SAMPLE 256 /* occurrences of a triple that are looked at */

/* Edges by which an occurrence of a triple, at one end, can be extended. */
static double span_edges_at(const store *s, uint32_t vertex, uint32_t type) {
    return s->offsets[vertex + 1] - store_first(s, vertex, type);
}

/* About how many extensions the occurrences of a triple have. */
static double root_weight(const store *s, uint32_t triple) {
    size_t begin = s->roots_at[triple], n = s->roots_at[triple + 1] - begin;
    size_t step = n > SPANS_SAMPLE ? n / SPANS_SAMPLE : 1, looked = 0;
    double sum = 0;
    for (size_t i = 0; i < n; i += step, looked++) {
        uint32_t v = s->roots[begin + i], k = store_first(s, v, 2 * triple);
        sum += span_edges_at(s, v, 2 * triple) + span_edges_at(s, s->half[k].to, 2 * triple) - 2;
    }
    return looked ? sum / (double)looked * (double)n + 1 : 1;
}

void spans_of_roots(const store *s, uint32_t first, uint32_t end, double *spans) {
    double sum = 0;
    for (uint32_t t = first; t < end; t++) sum += spans[t - first] = root_weight(s, t);
    for (uint32_t t = first; t < end; t++) spans[t - first] /= sum;
}
