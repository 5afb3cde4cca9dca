/* graph_draw.c - a sink that passes patterns on, and at the end draws the most frequent ones
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "base/os.h"
#include "base/outfile.h"
#include "base/utf8.h"
#include "runtime/valid.h"
#include "write/core/sink_text.h"
#include "write/graphs/graph_columns.h"
#include "write/graphs/graph_sink.h"
#include "write/graphs/smiles.h"
#include "write/graphs/svg.h"

#define DRAW_NAME_BYTES 32
#define DRAW_SLACK      1024 /* patterns that are collected before the best ones are picked again */
#define DRAW_PAGE       "<!doctype html><meta charset=\"utf-8\"><title>Patterns</title>\n"

typedef struct draw_sink {
    lode_sink base;
    lode_sink *inner;   /* NULL while it is not owned */
    graph_columns best; /* the `most` best and some more; under the lock */
    size_t most;
    char *folder;
    size_t folder_bytes;
    outfile index; /* index.html, which is begun before the search: then the folder is writable */
} draw_sink;

typedef struct draw_worker {
    graph_worker base;
    sink_worker *inner; /* opened with the first pattern */
} draw_worker;

/* Keeps the best. If sorting lacks memory or is ended, all of them stay, in no order. */
static lode_status draw_pick(draw_sink *sink, const sort_stop *stop) {
    lode_status status = graph_columns_sort(&sink->base.job->mem, &sink->best, stop);
    if (status == LODE_OK) graph_columns_cut(&sink->best, sink->most);
    return held_is_short(status) || status == LODE_CANCELLED ? LODE_OK : status;
}

/* Considers a pattern, without its lists, for the drawings. */
static lode_status draw_note(draw_sink *sink, const lode_graph_pattern *p) {
    lode_graph_pattern bare = {.size = sizeof bare, .graph = p->graph, .support = p->support};
    pthread_mutex_lock(&sink->base.lock);
    lode_status status = graph_columns_append(&sink->base.job->mem, &sink->best, &bare);
    size_t n = sink->best.supports.n;
    sort_stop stop = job_sort_stop(sink->base.job);
    bool many = n / 2 >= sink->most && n - sink->most >= DRAW_SLACK;
    if (status == LODE_OK && many) status = draw_pick(sink, &stop);
    pthread_mutex_unlock(&sink->base.lock);
    return status;
}

static lode_status draw_emit(sink_worker *worker, const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    draw_worker *w = (draw_worker *)worker;
    draw_sink *sink = (draw_sink *)worker->sink;
    if (!w->inner) LODE_TRY(graph_sink_open_worker(sink->inner, &w->inner));
    LODE_TRY(graph_sink_emit(w->inner, p));
    LODE_TRY(draw_note(sink, p));
done:
    return status;
}

static lode_status draw_close(sink_worker *worker) {
    return sink_close_worker(((draw_worker *)worker)->inner);
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* The path of a file of the folder, in `path`. */
static lode_status draw_path(const draw_sink *sink, const char *name, vec_char *path) {
    path->n = 0;
    return vec_char_printf(&sink->base.job->mem, path, "%s/%s", sink->folder, name);
}

typedef enum draw_found { DRAW_NOTHING, DRAW_OWN, DRAW_FOREIGN } draw_found;

/* Finds out what a file is: lode's own files begin as it writes them. */
static draw_found draw_find(const char *path) {
    const size_t page = sizeof DRAW_PAGE - 1;
    char start[200];
    int fd = os_open_plain(path, false); /* lode makes no links */
    if (fd < 0) return errno == ENOENT ? DRAW_NOTHING : DRAW_FOREIGN;
    int64_t n = os_read(fd, start, sizeof start);
    os_close(fd);
    bool own = n > 0 && svg_is_drawing(start, (size_t)n);
    own |= n >= (int64_t)page && memcmp(start, DRAW_PAGE, page) == 0;
    return own ? DRAW_OWN : DRAW_FOREIGN;
}

/* Makes the path of a file of the folder, unless another program has made it. */
static lode_status draw_claim(const draw_sink *sink, const char *name, vec_char *path) {
    lode_status status = draw_path(sink, name, path);
    if (status != LODE_OK || draw_find(path->data) != DRAW_FOREIGN) return status;
    return job_fail(sink->base.job, LODE_IO,
                    "'%s' was not made by lode and is not replaced; choose another folder",
                    path->data);
}

/* Begins a file of the folder. */
static lode_status draw_open(const draw_sink *sink, outfile *file, const char *name) {
    lode_status status = LODE_OK;
    lode_job *job = sink->base.job;
    vec_char path = {0};
    LODE_TRY(draw_claim(sink, name, &path));
    status = outfile_open(file, &job->mem, path.data, OUTFILE_REPLACE);
    if (status == LODE_IO) {
        job_fail(job, status, "cannot write '%s': %s%s", path.data, strerror(file->error),
                 outfile_remedy(file->error));
    }
done:
    vec_char_free(&job->mem, &path);
    return status;
}

/* Writes a file that was begun. */
static lode_status draw_complete(const draw_sink *sink, outfile *file, const vec_char *text) {
    lode_status status = outfile_write(file, text->data, text->n);
    if (status == LODE_OK) status = outfile_commit(file, NULL);
    if (status != LODE_IO) return status;
    return job_fail(sink->base.job, status, "cannot write '%s': %s", file->final,
                    strerror(file->error));
}

static lode_status draw_write_file(const draw_sink *sink, const char *name, const vec_char *text) {
    outfile file = OUTFILE_INIT;
    lode_status status = draw_open(sink, &file, name);
    if (status == LODE_OK) status = draw_complete(sink, &file, text);
    outfile_discard(&file);
    return status;
}

static lode_status draw_put(draw_sink *sink, vec_char *text, const char *words) {
    return vec_char_append(&sink->base.job->mem, text, words, strlen(words));
}

/* One figure of the index: the drawing, the support, the code. */
static lode_status draw_put_figure(draw_sink *sink, vec_char *page, const char *name,
                                   const lode_graph_pattern *p) {
    lode_status status = LODE_OK;
    mem *m = &sink->base.job->mem;
    vec_char code = {0};
    LODE_TRY(draw_put(sink, page, "<figure><img src=\""));
    LODE_TRY(draw_put(sink, page, name));
    LODE_TRY(draw_put(sink, page, "\"><figcaption><b>"));
    LODE_TRY(graphs_put_number(m, page, p->support));
    LODE_TRY(draw_put(sink, page, "</b> graphs<br>"));
    LODE_TRY(smiles_put(m, &code, sink->base.data, p->graph));
    LODE_TRY(utf8_put_xml(m, page, code.data, code.n));
    LODE_TRY(draw_put(sink, page, "</figcaption></figure>\n"));
done:
    vec_char_free(m, &code);
    return status;
}

static void draw_name(char name[DRAW_NAME_BYTES], uint64_t i) {
    snprintf(name, DRAW_NAME_BYTES, "%03llu.svg", (unsigned long long)(i + 1));
}

/* ---- what an earlier run has left in the folder -------------------------------------------- */

/* Removes drawings of an earlier run with higher numbers than the last one of this run. Drawings
 * are numbered without gaps. They are removed from the last to the first, so that there are still
 * no gaps if the program ends meanwhile. Other files stay. */
static lode_status draw_remove_older(const draw_sink *sink, uint64_t first) {
    lode_status status = LODE_OK;
    char name[DRAW_NAME_BYTES];
    vec_char path = {0};
    uint64_t end = first;
    for (bool there = true; there; end += there) {
        draw_name(name, end);
        LODE_TRY(draw_path(sink, name, &path));
        there = draw_find(path.data) == DRAW_OWN;
    }
    while (end-- > first) {
        draw_name(name, end);
        LODE_TRY(draw_path(sink, name, &path));
        os_remove(path.data);
    }
done:
    vec_char_free(&sink->base.job->mem, &path);
    return status;
}

/* Draws all. *cut: a cancel has ended it, and there are fewer drawings; NULL = do not look. */
static lode_status draw_all(draw_sink *sink, bool *cut) {
    lode_status status = LODE_OK;
    mem *m = &sink->base.job->mem;
    vec_char page = {0}, drawing = {0};
    size_t n = 0;
    LODE_TRY(draw_put(
        sink, &page,
        DRAW_PAGE "<style>"
                  "body{font:14px sans-serif;display:flex;flex-wrap:wrap;gap:16px}figure{margin:0;"
                  "padding:12px;border:1px solid #ddd;border-radius:8px;text-align:center;"
                  "max-width:340px}figcaption{overflow-wrap:anywhere;color:#444}img{max-width:100%"
                  "}</style>\n"));
    LODE_TRY(graph_columns_sort(m, &sink->best, NULL));
    graph_columns_cut(&sink->best, sink->most);
    for (; n < sink->best.supports.n; n++) {
        if (cut && (*cut = job_is_cancelled(sink->base.job))) break;
        char name[DRAW_NAME_BYTES];
        lode_graph graph;
        lode_graph_pattern p = graph_columns_at(&sink->best, n, &graph);
        draw_name(name, n);
        drawing.n = 0;
        LODE_TRY(svg_put(m, &drawing, sink->base.data, &p));
        LODE_TRY(draw_write_file(sink, name, &drawing));
        LODE_TRY(draw_put_figure(sink, &page, name, &p));
    }
    LODE_TRY(draw_complete(sink, &sink->index, &page));
    LODE_TRY(draw_remove_older(sink, n));
done:
    vec_char_free(m, &page);
    vec_char_free(m, &drawing);
    return status;
}

static lode_status draw_finish(lode_sink *base, bool partial) {
    draw_sink *sink = (draw_sink *)base;
    bool cut = false;
    lode_status drawn = draw_all(sink, partial ? NULL : &cut);
    const sink_kind *kind = sink->inner->kind;
    lode_status status = kind->finish ? kind->finish(sink->inner, partial || cut) : LODE_OK;
    if (cut && status == LODE_OK) status = LODE_CANCELLED;
    base->complete = true;
    return drawn != LODE_OK ? drawn : status;
}

static void draw_free(lode_sink *base) {
    draw_sink *sink = (draw_sink *)base;
    mem *m = &base->job->mem;
    lode_sink_free(sink->inner);
    graph_columns_free(m, &sink->best);
    outfile_discard(&sink->index);
    mem_free(m, sink->folder, sink->folder_bytes);
}

static lode_status draw_empty(lode_sink *base) {
    draw_sink *sink = (draw_sink *)base;
    graph_columns_free(&base->job->mem, &sink->best);
    return sink_empty(sink->inner);
}

static bool draw_can_empty(const lode_sink *base) {
    return sink_can_empty(((const draw_sink *)base)->inner);
}

static const graph_ops draw_graphs = {
    .worker_bytes = sizeof(draw_worker),
    .emit = draw_emit,
    .close = draw_close,
};

static const sink_kind draw_kind = {
    .bytes = sizeof(draw_sink),
    .graphs = &draw_graphs,
    .finish = draw_finish,
    .free = draw_free,
    .empty = draw_empty,
    .can_empty = draw_can_empty,
};

lode_status lode_graph_sink_draw(lode_job *job, lode_sink **out, const lode_graphs *data,
                                 const char *folder, uint64_t most, lode_sink *inner) {
    lode_status status = LODE_OK;
    lode_sink *base = NULL;
    vec_char first = {0};
    VALID_CALL(job, VALID_NEEDS(out), VALID_NEEDS(data), VALID_NEEDS(folder), VALID_NEEDS(inner));
    LODE_TRY(sink_check(inner, job, LODE_GRAPHS, data));
    if (most == 0) LODE_LEAVE(job_fail(job, LODE_INVALID, "the number of patterns to draw is 0"));
    LODE_TRY(sink_create(job, &draw_kind, &base));
    draw_sink *sink = (draw_sink *)base;
    base->data = data;
    sink->index = (outfile)OUTFILE_INIT;
    sink->most = (size_t)most;
    size_t bytes = strlen(folder) + 1;
    LODE_TRY(mem_resize(&job->mem, (void **)&sink->folder, 0, bytes));
    sink->folder_bytes = bytes;
    memcpy(sink->folder, folder, bytes);
    if (!os_make_folder(folder)) {
        LODE_LEAVE(
            job_fail(job, LODE_IO, "cannot create the folder '%s': %s", folder, strerror(errno)));
    }
    LODE_TRY(draw_open(sink, &sink->index, "index.html"));
    LODE_TRY(draw_claim(sink, "001.svg", &first)); /* whatever comes after, its name is needed */
    base->inner = sink->inner = inner;
    graph_sink_meet(inner, data);
    inner->nested = true;
    *out = base;
    base = NULL;
done:
    vec_char_free(&job->mem, &first);
    lode_sink_free(base);
    return job_explain(job, status, "opening the output");
}
