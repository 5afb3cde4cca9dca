/* graph_sniff.c - does a file hold graphs?
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/input.h"
#include "graphdata/graphs.h"
#include "runtime/valid.h"

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

/* The first line that says something begins with "t" and a blank. */
static bool looks_like_graphs(const char *text, size_t n) {
    size_t i = 0;
    while (i < n) {
        while (i < n && (is_blank(text[i]) || is_line_end(text[i]))) i++;
        if (i == n || (text[i] != '#' && text[i] != '%')) break;
        while (i < n && !is_line_end(text[i])) i++;
    }
    if (i >= n || text[i] != 't') return false;
    i++;
    while (i < n && is_blank(text[i])) i++;
    return i == n || is_line_end(text[i]) || text[i] == '#' || text[i - 1] != 't';
}

lode_status lode_graphs_sniff(lode_job *job, const char *path, bool *is_graphs) {
    lode_status status = LODE_OK;
    input *in = NULL;
    const char *text;
    size_t n;
    bool complete;
    VALID_CALL(job, VALID_NEEDS(path), VALID_NEEDS(is_graphs));
    *is_graphs = false;
    if (strcmp(path, "-") == 0) return LODE_OK;
    LODE_TRY(input_open(job, &in, path));
    LODE_TRY(input_peek(in, INPUT_BLOCK_LEAST, &text, &n, &complete));
    *is_graphs = looks_like_graphs(text, n);
done:
    if (in) input_close(in);
    return job_explain(job, status, "reading the data");
}
