/* rank_output.c - see rank_output.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rank_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OUTPUT_BUFFER ((size_t)1 << 20)
#define OUTPUT_KEPT   ".text"

/* ---- the file -------------------------------------------------------------------------------- */

static int outcome_write(void *user, const char *text, size_t bytes) {
    rank_output *o = user;
    if (o->in_title && o->has_title) return 0;
    if (fwrite(text, 1, bytes, o->file) != bytes) {
        o->failed = true;
        o->reason = errno;
        return 1;
    }
    o->bytes += bytes;
    if (o->kept[0]) byte_hash_add(&o->hashed, text, bytes);
    return 0;
}

static lode_status outcome_make_sink(rank_output *o, lode_job *job, lode_sink **out) {
    o->in_title = true;
    lode_status status = o->kind->write_sink(job, out, o->data, o->args, outcome_write, o);
    o->in_title = false;
    return status;
}

static lode_status outcome_fail(rank_output *o) {
    o->failed = true;
    o->reason = errno;
    return LODE_IO;
}

/* A file without a name, where parts would be. */
static int outcome_open_nameless(const rank_output *o) {
    char name[RANK_PATH + 8];
    snprintf(name, sizeof name, "%s.XXXXXX", o->part);
    int fd = mkstemp(name);
    if (fd >= 0) unlink(name);
    return fd;
}

/* A file with a name; -1: errno says why. */
static int outcome_open_named(rank_output *o, bool resumes) {
    lode_status status;
    if (!o->kept[0]) {
        status = lode_file_create(&o->output, o->part, false);
    } else {
        status = resumes ? lode_file_resume(&o->output, o->kept, OUTPUT_KEPT) : LODE_IO;
        /* The process was killed when there was the journal, but no text yet. */
        bool begins = !resumes || (status != LODE_OK && errno == ENOENT);
        if (begins) status = lode_file_keep(&o->output, o->kept, OUTPUT_KEPT);
    }
    return status == LODE_OK ? dup(lode_file_descriptor(o->output)) : -1;
}

/* Opens the file for text after the part that was resumed. */
static bool outcome_open_file(rank_output *o, const byte_hash *resumed) {
    bool nameless = o->nameless && !o->kept[0];
    int fd = nameless ? outcome_open_nameless(o) : outcome_open_named(o, resumed != NULL);
    o->file = fd >= 0 ? fdopen(fd, "r+") : NULL;
    if (!o->file) return false;
    setvbuf(o->file, NULL, _IOFBF, OUTPUT_BUFFER);
    if (!resumed) return true;
    o->hashed = *resumed;
    o->bytes = resumed->bytes;
    return ftruncate(fd, (off_t)o->bytes) == 0 && fseeko(o->file, (off_t)o->bytes, SEEK_SET) == 0;
}

lode_status outcome_open(rank_output *o, lode_job *job, const byte_hash *resumed) {
    lode_sink *sink = NULL;
    o->hash = lode_hash_join(o->kind->patterns, NULL, 0);
    if (o->mode == OUTPUT_BEST) {
        o->best = calloc((size_t)o->k, sizeof *o->best);
        return o->best ? LODE_OK : LODE_NOMEM;
    }
    if (o->mode != OUTPUT_TEXT) return LODE_OK;
    if (!outcome_open_file(o, resumed)) return outcome_fail(o);
    lode_status status = outcome_make_sink(o, job, &sink);
    if (!resumed) o->title_bytes = o->bytes;
    o->has_title = true;
    lode_sink_free(sink);
    return status != LODE_OK ? status : o->failed ? LODE_IO : LODE_OK;
}

lode_status outcome_flush(rank_output *o) {
    if (!o->file) return LODE_OK;
    return fflush(o->file) == 0 && fsync(fileno(o->file)) == 0 ? LODE_OK : outcome_fail(o);
}

const char *outcome_path(const rank_output *o) {
    return o->output ? lode_file_path(o->output) : o->part;
}

lode_status outcome_finish(rank_output *o, bool partial) {
    if (!o->file) return LODE_OK;
    bool closed = fclose(o->file) == 0;
    o->file = NULL;
    if (!closed || lode_file_commit(o->output, partial) != LODE_OK) return outcome_fail(o);
    snprintf(o->part, sizeof o->part, "%s", outcome_path(o));
    return LODE_OK;
}

size_t outcome_read(rank_output *o, uint64_t place, char *text, size_t room) {
    size_t left = place < o->bytes ? (size_t)(o->bytes - place) : 0;
    ssize_t n = pread(fileno(o->file), text, left < room ? left : room, (off_t)place);
    return n > 0 ? (size_t)n : 0;
}

bool outcome_copy(rank_output *o, const char *text, size_t bytes) {
    return outcome_write(o, text, bytes) == 0;
}

void outcome_restart(rank_output *o) {
    if (o->file) fclose(o->file);
    lode_file_free(o->output);
    free(o->sizes);
    free(o->last_sizes);
    o->file = NULL;
    o->output = NULL;
    o->kept[0] = 0;
    o->has_title = false;
    o->bytes = o->patterns = 0;
    o->hashed = (byte_hash){0};
    o->sizes = o->last_sizes = NULL;
    o->n_sizes = o->n_last = 0;
}

void outcome_close(rank_output *o) {
    if (o->file) fclose(o->file);
    lode_file_free(o->output);
    free(o->sizes);
    free(o->last_sizes);
    free(o->best);
    *o = (rank_output){0};
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* Whether a pattern begins with this line. `quoted`: the line begins within a cell in quotes. */
static bool outcome_begins(const char *format, const char *line, bool quoted) {
    if (strcmp(format, "gspan") == 0) return line[0] == 't';
    return !quoted;
}

/* Returns where the text after the first `keep` patterns begins; UINT64_MAX if it cannot be
 * read. */
static uint64_t outcome_place(FILE *file, const char *format, uint64_t keep) {
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    uint64_t at = 0, seen = 0;
    bool quoted = false, csv = strcmp(format, "csv") == 0;
    uint64_t most = keep + csv; /* the title is a line, too */
    while ((n = getline(&line, &cap, file)) > 0) {
        if (outcome_begins(format, line, quoted) && seen++ == most) break;
        for (ssize_t i = 0; csv && i < n; i++) quoted ^= line[i] == '"';
        at += (uint64_t)n;
    }
    if (n < 0 && !feof(file)) at = UINT64_MAX;
    free(line);
    return at;
}

lode_status outcome_cut(rank_output *o, uint64_t keep) {
    char format[32];
    if (!o->file || keep >= o->patterns) return LODE_OK;
    lode_options_get_in(o->args->options, o->args->command->groups, "write", format, sizeof format);
    lode_status status = outcome_flush(o);
    if (status != LODE_OK) return status;
    rewind(o->file);
    uint64_t place = outcome_place(o->file, format, keep);
    if (place == UINT64_MAX || ftruncate(fileno(o->file), (off_t)place) != 0 ||
        fseeko(o->file, (off_t)place, SEEK_SET) != 0) {
        return outcome_fail(o);
    }
    o->bytes = place;
    o->patterns = keep;
    return LODE_OK;
}

/* ---- what a search has found ----------------------------------------------------------------- */

lode_status outcome_sink(rank_output *o, lode_job *job, lode_sink **out) {
    switch (o->mode) {
    case OUTPUT_COUNT: return lode_sink_count(job, out);
    case OUTPUT_HASH: return o->kind->hash_sink(job, out, o->data);
    case OUTPUT_TEXT: return outcome_make_sink(o, job, out);
    case OUTPUT_BEST: return o->kind->memory_sink(job, out);
    }
    return LODE_INTERNAL;
}

bool outcome_add(rank_output *o, const uint64_t *sizes, size_t n, uint64_t hash) {
    if (n > o->n_sizes) {
        uint64_t *grown = realloc(o->sizes, n * sizeof *grown);
        if (!grown) return false;
        memset(grown + o->n_sizes, 0, (n - o->n_sizes) * sizeof *grown);
        o->sizes = grown;
        o->n_sizes = n;
    }
    for (size_t i = 0; i < n; i++) {
        o->sizes[i] += sizes[i];
        o->patterns += sizes[i];
    }
    if (o->mode == OUTPUT_HASH) {
        o->hash = lode_hash_join(o->kind->patterns, (uint64_t[]){o->hash, hash}, 2);
    }
    return true;
}

/* The top of the heap has changed, or its end has got a new number. */
static void outcome_sink_best(rank_output *o) {
    for (uint64_t i = 0;;) {
        uint64_t least = i;
        for (uint64_t child = 2 * i + 1; child <= 2 * i + 2 && child < o->n_best; child++) {
            if (o->best[child] < o->best[least]) least = child;
        }
        if (least == i) return;
        uint64_t swapped = o->best[i];
        o->best[i] = o->best[least];
        o->best[least] = swapped;
        i = least;
    }
}

static void outcome_note_best(rank_output *o, uint64_t support) {
    if (o->n_best == o->k) {
        if (support <= o->best[0]) return;
        o->best[0] = support;
        outcome_sink_best(o);
        return;
    }
    uint64_t i = o->n_best++;
    for (; i > 0 && o->best[(i - 1) / 2] > support; i = (i - 1) / 2) {
        o->best[i] = o->best[(i - 1) / 2];
    }
    o->best[i] = support;
}

uint64_t outcome_least(const rank_output *o) {
    return o->k > 0 && o->n_best == o->k ? o->best[0] : 0;
}

/* Adds up the numbers of a sink. */
static lode_status outcome_count(rank_output *o, const lode_sink *sink) {
    size_t n = lode_sink_patterns(sink) > 0 ? (size_t)lode_sink_largest(sink) + 1 : 0;
    uint64_t *sizes = calloc(n + 1, sizeof *sizes);
    if (!sizes) return LODE_NOMEM;
    for (size_t i = 0; i < n; i++) sizes[i] = lode_sink_patterns_of_size(sink, (uint32_t)i);
    free(o->last_sizes);
    o->last_sizes = sizes;
    o->n_last = n;
    o->last_hash = lode_sink_hash_value(sink);
    return outcome_add(o, sizes, n, o->last_hash) ? LODE_OK : LODE_NOMEM;
}

lode_status outcome_take(rank_output *o, lode_sink *sink, bool partial) {
    const uint64_t *supports;
    lode_status status = lode_sink_finish(sink, partial);
    bool cut = status == LODE_CANCELLED; /* what could be written in a moment was */
    if (o->failed) return LODE_IO;
    if (status != LODE_OK && !cut) return status;
    if (o->mode != OUTPUT_BEST) {
        status = outcome_count(o, sink);
        return status == LODE_OK && cut ? LODE_CANCELLED : status;
    }
    size_t n = o->kind->supports(sink, &supports);
    for (size_t i = 0; i < n; i++) outcome_note_best(o, supports[i]);
    return LODE_OK;
}
