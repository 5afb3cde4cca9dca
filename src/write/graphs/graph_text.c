/* graph_text.c - see graph_text.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/graphs/graph_text.h"

#include "base/utf8.h"
#include "write/core/digits.h"
#include "write/graphs/smiles.h"

#define LODE_GRAPH_FORMAT(name) extern const graph_format graph_format_##name;
#include "write/graphs/formats.def"
#undef LODE_GRAPH_FORMAT

const graph_format *const graph_formats[] = {
#define LODE_GRAPH_FORMAT(name) &graph_format_##name,
#include "write/graphs/formats.def"
#undef LODE_GRAPH_FORMAT
};

const char *const graph_format_names[] = {
#define LODE_GRAPH_FORMAT(name) #name,
#include "write/graphs/formats.def"
#undef LODE_GRAPH_FORMAT
    NULL,
};

void graph_text_free(graph_text *o) {
    vec_char_free(o->mem, &o->text);
    vec_u64_free(o->mem, &o->places);
    vec_char_free(o->mem, &o->name);
}

lode_status graph_text_put(graph_text *o, const char *words) {
    return vec_char_append(o->mem, &o->text, words, strlen(words));
}

lode_status graph_text_number(graph_text *o, const char *before, uint64_t number) {
    lode_status status = graph_text_put(o, before);
    return status == LODE_OK ? graphs_put_number(o->mem, &o->text, number) : status;
}

lode_status graph_text_place(graph_text *o, const char *before) {
    lode_status status = graph_text_put(o, before);
    return status == LODE_OK ? vec_u64_push(o->mem, &o->places, o->text.n) : status;
}

lode_status graph_text_share(graph_text *o, uint64_t support) {
    char share[DIGITS_RATIO];
    char *end = digits_put_ratio(share, support, o->data->n);
    return vec_char_append(o->mem, &o->text, share, (size_t)(end - share));
}

lode_status graph_text_json(graph_text *o, const char *text, size_t n) {
    return utf8_put_json(o->mem, &o->text, text, n);
}

lode_status graph_text_json_name(graph_text *o, const dict *names, uint32_t id) {
    size_t n;
    const char *name = dict_name(names, id, &n);
    return graph_text_json(o, name, n);
}

lode_status graph_text_code(graph_text *o, const lode_graph *pattern) {
    o->name.n = 0;
    return smiles_put(o->mem, &o->name, o->data, pattern);
}
