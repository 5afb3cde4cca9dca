/* jobs.h - jobs that use the test's own allocator, and all structs of options
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_TESTS_JOBS_H
#define LODE_TESTS_JOBS_H

#include "lode.h"

/* As lode_job_create() without a context, but memory comes from `resize`. */
static inline lode_status job_with_memory(lode_job **out, const lode_job_options *o,
                                          lode_resize_fn resize, void *user) {
    lode_ctx_options c = {.size = sizeof c,
                          .threads = o->threads,
                          .memory_bytes = o->memory_bytes,
                          .resize = resize,
                          .resize_user = user};
    lode_ctx *ctx = NULL;
    lode_status status = lode_ctx_create(&ctx, &c);
    if (status == LODE_OK) status = lode_job_create(out, ctx, o);
    lode_ctx_free(ctx);
    return status;
}

typedef struct all_options {
    lode_read_options read;
    lode_mine_options mine;
    lode_write_options write;
    lode_graph_read_options graph_read;
    lode_graph_options graph;
    lode_graph_write_options graph_write;
    lode_paper_options paper;
    lode_rule_options rule;
    lode_rule_write_options rule_write;
    lode_query_write_options query_write;
    lode_apply_options apply;
    lode_class_options class;
} all_options;

static inline all_options all_defaults(void) {
    return (all_options){
        {.size = sizeof(lode_read_options)},       {.size = sizeof(lode_mine_options)},
        {.size = sizeof(lode_write_options)},      {.size = sizeof(lode_graph_read_options)},
        {.size = sizeof(lode_graph_options)},      {.size = sizeof(lode_graph_write_options)},
        {.size = sizeof(lode_paper_options)},      {.size = sizeof(lode_rule_options)},
        {.size = sizeof(lode_rule_write_options)}, {.size = sizeof(lode_query_write_options)},
        {.size = sizeof(lode_apply_options)},      {.size = sizeof(lode_class_options)}};
}

#endif
