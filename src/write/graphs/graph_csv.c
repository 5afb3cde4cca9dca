/* graph_csv.c - graph patterns as csv: a line each, with the pattern in the manner of SMILES
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"
#include "write/graphs/graph_text.h"

static lode_status graph_csv_put(graph_text *o, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    LODE_TRY(graph_text_code(o, p->graph));
    bool quote = memchr(o->name.data, ',', o->name.n) || memchr(o->name.data, '"', o->name.n);
    LODE_TRY(quote ? utf8_put_quoted(o->mem, &o->text, o->name.data, o->name.n)
                   : vec_char_append(o->mem, &o->text, o->name.data, o->name.n));
    LODE_TRY(graph_text_number(o, ",", p->graph->n_edges));
    LODE_TRY(graph_text_number(o, ",", p->graph->n_vertices));
    LODE_TRY(graph_text_number(o, ",", p->support));
    LODE_TRY(graph_text_put(o, ","));
    LODE_TRY(graph_text_share(o, p->support));
    LODE_TRY(graph_text_put(o, "\n"));
done:
    return status;
}

const graph_format graph_format_csv = {
    .title = "code,edges,vertices,count,support\n",
    .csv = true,
    .put = graph_csv_put,
};
