/* read.c - see read.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "format/read.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "format/lines.h"
#include "runtime/parallel.h"

/* Memory that one thread takes per byte of a block: the text, at most half as many items of four
 * bytes, and the ends of the transactions; both arrays may have just doubled. */
#define READ_SCRATCH_PER_BYTE 8
#define READ_UNSEEN           4  /* bytes of memory for a byte of text, if nothing else is known */
#define READ_BUDGET_SHARE     64 /* blocks of all threads take this fraction of the budget */
#define READ_BYTES_PER_THREAD ((size_t)4 << 20) /* of the budget: each has tables of its own */

static const read_format *const read_formats[] = {&read_fimi, &read_spmf, &read_basket, &read_table,
                                                  &read_onehot};

static const read_format *read_find(lode_format format) {
    for (size_t i = 0; i < sizeof read_formats / sizeof *read_formats; i++) {
        if (read_formats[i]->format == format) return read_formats[i];
    }
    return NULL;
}

/* ---- Sizes that fit the budget ---- */

static unsigned read_threads(size_t budget, unsigned threads) {
    size_t most = budget / READ_BYTES_PER_THREAD;
    if (threads > PARALLEL_MAX) threads = PARALLEL_MAX;
    if (most < 1) return 1;
    return threads < most ? threads : (unsigned)most;
}

static size_t read_block_bytes(size_t budget, unsigned threads) {
    size_t bytes = budget / READ_BUDGET_SHARE / read_threads(budget, threads);
    if (bytes < INPUT_BLOCK_LEAST) return INPUT_BLOCK_LEAST;
    return bytes < INPUT_BLOCK ? bytes : INPUT_BLOCK;
}

static uint64_t read_scratch(size_t budget, unsigned threads, uint64_t tables) {
    uint64_t each = read_block_bytes(budget, threads) * READ_SCRATCH_PER_BYTE + tables;
    return read_threads(budget, threads) * each + ((size_t)192 << 10);
}

/* ---- Malformed input ---- */

const char *read_byte(char buffer[8], char byte) {
    unsigned char b = (unsigned char)byte;
    snprintf(buffer, 8, b > ' ' && b < 127 ? "'%c'" : "0x%02x", b);
    return buffer;
}

static void read_record(read_job *job, uint64_t sequence, uint64_t line, uint64_t column,
                        const char *format, va_list args) {
    pthread_mutex_lock(&job->lock);
    if (!job->failed || sequence < job->bad_sequence) {
        job->failed = true;
        job->bad_sequence = sequence;
        job->bad_line = line;
        job->bad_column = column;
        vsnprintf(job->what, sizeof job->what, format, args);
    }
    pthread_mutex_unlock(&job->lock);
}

#define READ_BLANK "blank line; expected blank lines only at the end"

void read_note_blank(read_worker *w, const char *at) {
    if (!w->blank) w->blank = at;
    w->n_blank++;
}

lode_status read_not_blank(read_worker *w) {
    const char *at = w->blank;
    if (!at) return LODE_OK;
    w->blank = NULL;
    lode_status status = LODE_OK;
    for (; status == LODE_OK && w->n_blank > 0; w->n_blank--) status = read_bad(w, at, READ_BLANK);
    return status;
}

/* Blank lines at the end of a block are allowed if nothing but blank lines follows in later ones.
 */
static void read_check_blanks(read_job *job) {
    uint64_t tail = job->failed ? job->bad_sequence + 1 : job->lines.n;
    while (tail > 0 && job->blanks.data[tail - 1] == job->lines.data[tail - 1]) tail--;
    if (job->failed) tail = job->bad_sequence + 1;
    for (uint64_t i = 0; i + 1 < tail; i++) {
        uint64_t n = job->blanks.data[i];
        if (n == 0) continue;
        if (job->options.skip_bad_lines) {
            job->workers[0].out->totals.n_skipped += n;
            continue;
        }
        job->failed = true;
        job->bad_sequence = i;
        job->bad_line = job->lines.data[i] - n + 1;
        job->bad_column = 1;
        snprintf(job->what, sizeof job->what, READ_BLANK);
        return;
    }
}

/* The number of the line that holds `at`, counted from 1, and where it begins. */
static uint64_t read_line_of(const char *text, const char *at, const char **start) {
    uint64_t line = 1;
    *start = text;
    for (const char *p = line_find(text, at); p < at; p = line_find(*start, at)) {
        *start = p + line_end_bytes(p, at);
        line++;
    }
    return line;
}

lode_status read_bad(read_worker *w, const char *at, const char *format, ...) {
    if (w->job->options.skip_bad_lines) {
        worker_skip_transaction(w->out);
        return LODE_OK;
    }
    w->bad = true;
    const char *start;
    uint64_t line = read_line_of(w->block.text.data, at, &start);
    va_list args;
    va_start(args, format);
    read_record(w->job, w->block.sequence, line, (uint64_t)(at - start) + 1, format, args);
    va_end(args);
    return LODE_PARSE;
}

static csv_cursor read_make_cursor(read_worker *w, const char *text, size_t n) {
    return (csv_cursor){.at = text,
                        .end = text + n,
                        .separator = w->job->found.separator,
                        .mem = &w->job->ctx->mem,
                        .unquoted = &w->unquoted,
                        .bare = &w->bare};
}

csv_cursor read_cursor(read_worker *w) {
    return read_make_cursor(w, w->block.text.data, w->block.text.n);
}

csv_cursor read_cursor_over(read_job *job, const char *text, size_t n) {
    return read_make_cursor(&job->workers[0], text, n);
}

lode_status read_bad_header(read_job *job, const csv_cursor *c) {
    const char *start;
    uint64_t line = read_line_of(c->record, c->bad_at, &start);
    return read_bad_at(job, job->lines_above + line, (uint64_t)(c->bad_at - start) + 1, "%s",
                       c->bad);
}

lode_status read_bad_record(read_worker *w, csv_cursor *c) {
    lode_status status = read_bad(w, c->bad_at, "%s", c->bad);
    c->bad = NULL;
    csv_skip(c);
    return status;
}

lode_status read_bad_at(read_job *job, uint64_t line, uint64_t column, const char *format, ...) {
    char what[READ_WHAT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return ctx_fail(job->ctx, LODE_PARSE, "%s:%" PRIu64 ":%" PRIu64 ": %s", input_name(job->in),
                    line, column, what);
}

/* Makes the message of the earliest malformed place. */
static lode_status read_explain_bad(read_job *job) {
    uint64_t line = job->bad_line;
    uint64_t before = 0;
    lode_status status = input_lines_before(job->in, &before);
    if (status != LODE_OK) return status;
    for (uint64_t i = 0; i < job->bad_sequence; i++) line += job->lines.data[i];
    return read_bad_at(job, before + line, job->bad_column, "%s", job->what);
}

/* ---- Columns ---- */

void read_note_column(read_job *job, size_t column, const char *name, size_t n) {
    char *start = job->columns + strlen(job->columns);
    size_t room = sizeof job->columns - (size_t)(start - job->columns);
    const char *comma = start > job->columns ? ", " : "";
    size_t most = LODE_PROFILE_COLUMNS / 2 - 4;
    if (n > most) { /* at the end of a character of UTF-8 */
        for (n = most; n > 1 && (name[n] & 0xc0) == 0x80;) n--;
    }
    if (n > 0) {
        snprintf(start, room, "%s%.*s", comma, (int)n, name);
    } else {
        snprintf(start, room, "%s%zu", comma, column + 1);
    }
    for (; *start; start++) { /* a quoted name may hold line ends */
        if ((unsigned char)*start < ' ') *start = ' ';
    }
}

/* ---- The loop of one thread ---- */

/* Newlines, counted in bytes that the compiler can add up many at a time. */
static uint64_t read_count_lines(const char *text, size_t n) {
    uint64_t lines = 0;
    while (n > 0) {
        size_t some = n < 255 * 32 ? n : 255 * 32;
        unsigned char sums[32] = {0};
        size_t i = 0;
        for (; i + 32 <= some; i += 32) {
            for (size_t k = 0; k < 32; k++)
                sums[k] = (unsigned char)(sums[k] + (text[i + k] == '\n'));
        }
        for (; i < some; i++) lines += text[i] == '\n';
        for (size_t k = 0; k < 32; k++) lines += sums[k];
        text += some;
        n -= some;
    }
    return lines;
}

/* A line without an end, the last of the input, counts as well. */
static lode_status read_note_lines(read_worker *w) {
    read_job *job = w->job;
    const vec_char *text = &w->block.text;
    uint64_t lines = read_count_lines(text->data, text->n);
    lode_status status = LODE_OK;
    w->n_lines = (size_t)lines;
    lines += text->data[text->n - 1] != '\n';
    pthread_mutex_lock(&job->lock);
    while (status == LODE_OK && job->lines.n <= w->block.sequence) {
        status = vec_u64_reserve(&job->ctx->mem, &job->blanks, 1);
        if (status == LODE_OK) status = vec_u64_push(&job->ctx->mem, &job->lines, 0);
        if (status == LODE_OK) job->blanks.data[job->blanks.n++] = 0;
    }
    if (status == LODE_OK) job->lines.data[w->block.sequence] = lines;
    pthread_mutex_unlock(&job->lock);
    return status;
}

/* Counts again if LFs are not all that ends lines. */
static void read_note_bare_lines(read_worker *w) {
    if (!w->bare) return;
    const char *end = w->block.text.data + w->block.text.n;
    uint64_t lines = line_count(w->block.text.data, end);
    lines += end[-1] != '\n' && end[-1] != '\r';
    pthread_mutex_lock(&w->job->lock);
    w->job->lines.data[w->block.sequence] = lines;
    pthread_mutex_unlock(&w->job->lock);
}

static void read_note_trailing_blanks(read_worker *w) {
    if (!w->blank) return;
    pthread_mutex_lock(&w->job->lock);
    w->job->blanks.data[w->block.sequence] = w->n_blank;
    pthread_mutex_unlock(&w->job->lock);
}

static lode_status read_block_once(read_worker *w) {
    lode_status status = LODE_OK;
    w->blank = NULL;
    w->n_blank = 0;
    w->bare = false;
    LODE_TRY(read_note_lines(w));
    worker_begin_block(w->out, w->block.sequence);
    LODE_TRY(w->job->format->parse(w));
    LODE_TRY(worker_end_block(w->out));
    read_note_bare_lines(w);
    read_note_trailing_blanks(w);
done:
    return status;
}

/* If memory runs out on the way, the block is parsed again without the blocks before it. Lines of a
 * table may belong to a transaction of theirs. */
static lode_status read_block(read_worker *w) {
    lode_status status = read_block_once(w);
    if (status != LODE_BUDGET || w->job->format->format == LODE_FORMAT_TABLE) return status;
    return builder_give_up(w->job->builder) ? read_block_once(w) : status;
}

static lode_status read_some(void *arg, unsigned index) {
    lode_status status = LODE_OK;
    read_job *job = arg;
    read_worker *w = &job->workers[index];
    for (;;) {
        if (ctx_is_cancelled(job->ctx)) LODE_LEAVE(LODE_CANCELLED);
        LODE_TRY(input_next(job->in, &w->block));
        if (w->block.text.n == 0) break;
        LODE_TRY(read_block(w));
        if (index > 0) continue;
        LODE_TRY(ctx_tick(job->ctx, input_bytes_done(job->in), input_bytes_total(job->in)));
    }
done:
    if (status != LODE_OK) input_stop(job->in);
    /* A malformed line is not the end: an earlier block may hold another, and that one counts. */
    return w->bad ? LODE_OK : status;
}

/* ---- The job ---- */

static lode_status read_start_workers(read_job *job) {
    lode_status status = LODE_OK;
    size_t bytes = job->n_workers * sizeof *job->workers;
    LODE_TRY(mem_zalloc(&job->ctx->mem, (void **)&job->workers, bytes));
    LODE_TRY(builder_create(job->ctx, &job->builder, job->n_workers, input_name(job->in)));
    builder_set_scratch(job->builder, read_scratch);
    for (unsigned i = 0; i < job->n_workers; i++) {
        job->workers[i].job = job;
        job->workers[i].index = i;
        job->workers[i].out = builder_get_worker(job->builder, i);
    }
done:
    return status;
}

static void read_free_blocks(read_job *job) {
    for (unsigned i = 0; job->workers && i < job->n_workers; i++) {
        vec_char_free(&job->ctx->mem, &job->workers[i].block.text);
        vec_char_free(&job->ctx->mem, &job->workers[i].unquoted);
        vec_char_free(&job->ctx->mem, &job->workers[i].kept);
    }
}

static void read_clear(read_job *job) {
    mem *m = &job->ctx->mem;
    if (job->workers && job->format->clear) job->format->clear(job);
    read_free_blocks(job);
    mem_free(m, job->workers, job->n_workers * sizeof *job->workers);
    vec_u64_free(m, &job->lines);
    vec_u64_free(m, &job->blanks);
    builder_free(job->builder);
    pthread_mutex_destroy(&job->lock);
}

static lode_status read_enter_part(read_job *job) {
    const lode_read_options *o = &job->options;
    if (o->n_parts == 0) return LODE_OK;
    if (job->format->parts) return input_set_part(job->in, o->part, o->n_parts);
    return ctx_fail(job->ctx, LODE_UNSUPPORTED, "%s: a %s file cannot be read in parts",
                    input_name(job->in), job->format->name);
}

/* How much of the input was read; above 0, and below 1. */
static double read_share(const read_job *job) {
    double done = (double)input_bytes_done(job->in), total = (double)input_bytes_total(job->in);
    return done > 0 && total > done ? done / total : 0.999;
}

/* Takes what stands above the first line that counts. */
static lode_status read_pass_above(read_job *job) {
    lode_status status = LODE_OK;
    const char *text;
    size_t n;
    for (unsigned i = 0; i < job->found.above; i++) {
        LODE_TRY(input_take_record(job->in, &text, &n));
    }
    job->lines_above = input_lines_taken(job->in);
done:
    return status;
}

static void read_tell_totals(read_job *job) {
    uint64_t n = 0;
    for (unsigned i = 0; i < job->n_workers; i++) n += job->workers[i].n_totals;
    if (n == 0) return;
    ctx_log(job->ctx, LODE_LOG_INFO, "%s: left out %" PRIu64 " line%s of totals",
            input_name(job->in), n, n == 1 ? "" : "s");
}

static lode_status read_job_run(read_job *job) {
    lode_status status = LODE_OK;
    bool separated = job->format->separated;
    LODE_TRY(read_start_workers(job));
    input_set_cut(job->in, separated ? csv_cut : input_cut_lines, job->found.separator);
    LODE_TRY(read_pass_above(job));
    if (job->format->prepare) LODE_TRY(job->format->prepare(job));
    LODE_TRY(read_enter_part(job));
    status = parallel_run(job->ctx, job->n_workers, false, read_some, job);
    if (status != LODE_OK && status != LODE_PARSE) goto done;
    read_check_blanks(job);
    if (job->failed) { /* comes before damage of compressed data, which a later block has met */
        ctx_clear_message(job->ctx);
        LODE_LEAVE(read_explain_bad(job));
    }
    LODE_TRY(status);
    read_free_blocks(job);
    if (job->format->finish) LODE_TRY(job->format->finish(job));
    read_tell_totals(job);
done:
    if (status == LODE_BUDGET && job->builder) {
        uint64_t text = input_bytes_total(job->in);
        status = builder_explain_budget(job->builder, read_share(job), text);
    }
    return status;
}

lode_status read_run(lode_ctx *ctx, input *in, const lode_read_options *options, size_t block_bytes,
                     lode_dataset **out) {
    lode_status status = LODE_OK;
    read_job job = {.ctx = ctx, .in = in, .options = *options};
    pthread_mutex_init(&job.lock, NULL);
    size_t budget = ctx->mem.budget;
    job.n_workers = read_threads(budget, ctx->threads);
    input_set_block_bytes(in, block_bytes ? block_bytes : read_block_bytes(budget, ctx->threads));
    LODE_TRY(sniff(ctx, in, options, &job.found));
    if (job.found.graphs) {
        LODE_LEAVE(
            ctx_fail(ctx, LODE_PARSE,
                     "%s: these are graphs, for `lode graphs`; expected transactions (if they "
                     "are, give their --format)",
                     input_name(in)));
    }
    lode_format format = job.found.format;
    job.format = read_find(format);
    if (!job.format) LODE_LEAVE(ctx_fail(ctx, LODE_INVALID, "%d is no format", (int)format));
    LODE_TRY(read_job_run(&job));
    LODE_TRY(builder_finish(job.builder, out));
    lode_profile *profile = &(*out)->profile;
    profile->format = format;
    profile->separator = job.format->separated ? job.found.separator : 0;
    memcpy(profile->columns, job.columns, sizeof profile->columns);
done:
    read_clear(&job);
    if (status == LODE_BUDGET) { /* if it has no sentence yet, not even a block could be read */
        uint64_t refused = atomic_load_explicit(&ctx->mem.refused, memory_order_relaxed);
        ctx->unsure = true;
        ctx_over_budget(ctx, refused + READ_UNSEEN * input_bytes_total(in), "%s", input_name(in));
    }
    return status;
}
