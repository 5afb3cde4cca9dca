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

static void read_record(read_worker *w, uint64_t line, uint64_t column, const char *format,
                        va_list args) {
    read_task *task = w->task;
    pthread_mutex_lock(&task->lock);
    if (!task->failed || w->block.sequence < task->bad_sequence) {
        task->failed = true;
        task->bad_file = w->file;
        task->bad_sequence = w->block.sequence;
        task->bad_line = line;
        task->bad_column = column;
        vsnprintf(task->what, sizeof task->what, format, args);
    }
    pthread_mutex_unlock(&task->lock);
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

/* Blank lines at the end of a block are allowed if nothing but blank lines follows in later ones of
 * the file, whose blocks begin at `first` and end before `end`. False: not so. */
static bool read_check_file(read_task *task, const read_file *file, uint64_t end) {
    bool bad = task->failed && task->bad_sequence < end;
    uint64_t tail = bad ? task->bad_sequence + 1 : end;
    while (!bad && tail > file->first && task->blanks.data[tail - 1] == task->lines.data[tail - 1])
        tail--;
    for (uint64_t i = file->first; i + 1 < tail; i++) {
        uint64_t n = task->blanks.data[i];
        if (n == 0) continue;
        if (task->options.skip_bad_lines) {
            task->workers[0].out->totals.n_skipped += n;
            continue;
        }
        task->failed = true;
        task->bad_file = file;
        task->bad_sequence = i;
        task->bad_line = task->lines.data[i] - n + 1;
        task->bad_column = 1;
        snprintf(task->what, sizeof task->what, READ_BLANK);
        return false;
    }
    return !bad;
}

static void read_check_blanks(read_task *task) {
    for (size_t i = 0; i < task->next; i++) {
        const read_file *file = &task->files[i];
        uint64_t end = file == task->file ? task->lines.n : file->end;
        if (end > task->lines.n) end = task->lines.n; /* what came behind a malformed line */
        if (file->first < end && !read_check_file(task, file, end)) return;
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
    if (w->task->options.skip_bad_lines) {
        worker_skip_transaction(w->out);
        return LODE_OK;
    }
    w->bad = true;
    const char *start;
    uint64_t line = read_line_of(w->block.text.data, at, &start);
    va_list args;
    va_start(args, format);
    read_record(w, line, (uint64_t)(at - start) + 1, format, args);
    va_end(args);
    return LODE_PARSE;
}

csv_cursor read_cursor(read_worker *w) {
    const vec_char *text = &w->block.text;
    return (csv_cursor){.at = text->data,
                        .end = text->data + text->n,
                        .separator = w->file->found.separator,
                        .mem = &w->task->job->mem,
                        .unquoted = &w->unquoted,
                        .bare = &w->bare};
}

csv_cursor read_cursor_over(read_task *task, const char *text, size_t n) {
    return (csv_cursor){.at = text,
                        .end = text + n,
                        .separator = task->file->found.separator,
                        .mem = &task->job->mem,
                        .unquoted = &task->header_scratch,
                        .bare = &task->header_bare};
}

lode_status read_bad_header(read_task *task, const csv_cursor *c) {
    const char *start;
    uint64_t line = read_line_of(c->record, c->bad_at, &start);
    return read_bad_at(task, task->file->lines_above + line, (uint64_t)(c->bad_at - start) + 1,
                       "%s", c->bad);
}

lode_status read_bad_record(read_worker *w, csv_cursor *c) {
    lode_status status = read_bad(w, c->bad_at, "%s", c->bad);
    c->bad = NULL;
    csv_skip(c);
    return status;
}

static lode_status read_bad_in(read_task *task, const read_file *file, uint64_t line,
                               uint64_t column, const char *what) {
    return job_fail(task->job, LODE_PARSE, "%s:%" PRIu64 ":%" PRIu64 ": %s", file->name, line,
                    column, what);
}

lode_status read_bad_at(read_task *task, uint64_t line, uint64_t column, const char *format, ...) {
    char what[READ_WHAT_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return read_bad_in(task, task->file, line, column, what);
}

/* Makes the message of the earliest malformed place. */
static lode_status read_explain_bad(read_task *task) {
    const read_file *file = task->bad_file;
    uint64_t line = task->bad_line;
    uint64_t before = 0;
    lode_status status = read_lines_before(task, file, &before);
    if (status != LODE_OK) return status;
    for (uint64_t i = file->first; i < task->bad_sequence; i++) line += task->lines.data[i];
    return read_bad_in(task, file, before + line, task->bad_column, task->what);
}

/* ---- Columns ---- */

void read_note_column(read_task *task, size_t column, const char *name, size_t n) {
    if (read_is_later(task)) return;
    char *start = task->columns + strlen(task->columns);
    size_t room = sizeof task->columns - (size_t)(start - task->columns);
    const char *comma = start > task->columns ? ", " : "";
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
    read_task *task = w->task;
    const vec_char *text = &w->block.text;
    uint64_t lines = read_count_lines(text->data, text->n);
    lode_status status = LODE_OK;
    w->n_lines = (size_t)lines;
    lines += text->data[text->n - 1] != '\n';
    pthread_mutex_lock(&task->lock);
    while (status == LODE_OK && task->lines.n <= w->block.sequence) {
        status = vec_u64_reserve(&task->job->mem, &task->blanks, 1);
        if (status == LODE_OK) status = vec_u64_push(&task->job->mem, &task->lines, 0);
        if (status == LODE_OK) task->blanks.data[task->blanks.n++] = 0;
    }
    if (status == LODE_OK) task->lines.data[w->block.sequence] = lines;
    pthread_mutex_unlock(&task->lock);
    return status;
}

/* Counts again if LFs are not all that ends lines. */
static void read_note_bare_lines(read_worker *w) {
    if (!w->bare) return;
    const char *end = w->block.text.data + w->block.text.n;
    uint64_t lines = line_count(w->block.text.data, end);
    lines += end[-1] != '\n' && end[-1] != '\r';
    pthread_mutex_lock(&w->task->lock);
    w->task->lines.data[w->block.sequence] = lines;
    pthread_mutex_unlock(&w->task->lock);
}

static void read_note_trailing_blanks(read_worker *w) {
    if (!w->blank) return;
    pthread_mutex_lock(&w->task->lock);
    w->task->blanks.data[w->block.sequence] = w->n_blank;
    pthread_mutex_unlock(&w->task->lock);
}

static lode_status read_block_once(read_worker *w) {
    lode_status status = LODE_OK;
    w->blank = NULL;
    w->n_blank = 0;
    w->bare = false;
    LODE_TRY(read_note_lines(w));
    worker_begin_block(w->out, w->block.sequence);
    LODE_TRY(w->task->format->parse(w));
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
    if (status != LODE_BUDGET || w->task->format->format == LODE_FORMAT_TABLE) return status;
    return builder_give_up(w->task->builder) ? read_block_once(w) : status;
}

static lode_status read_some(void *arg, unsigned index) {
    lode_status status = LODE_OK;
    read_task *task = arg;
    read_worker *w = &task->workers[index];
    for (;;) {
        if (job_is_cancelled(task->job)) LODE_LEAVE(LODE_CANCELLED);
        if (lease_gives(task->job)) break;
        LODE_TRY(read_next(w));
        if (w->block.text.n == 0) break;
        LODE_TRY(read_block(w));
        if (index == 0) LODE_TRY(job_tick(task->job, w->bytes_done, task->bytes_total));
    }
done:
    if (status != LODE_OK) read_stop(task);
    /* A malformed line is not the end: an earlier block may hold another, and that one counts. */
    return w->bad ? LODE_OK : status;
}

/* ---- The job ---- */

static lode_status read_start_workers(read_task *task) {
    lode_status status = LODE_OK;
    size_t bytes = task->n_workers * sizeof *task->workers;
    LODE_TRY(mem_zalloc(&task->job->mem, (void **)&task->workers, bytes));
    LODE_TRY(builder_create(task->job, &task->builder, task->n_workers, task->name.data));
    builder_set_scratch(task->builder, read_scratch);
    for (unsigned i = 0; i < task->n_workers; i++) {
        task->workers[i].task = task;
        task->workers[i].index = i;
        task->workers[i].out = builder_get_worker(task->builder, i);
    }
done:
    return status;
}

static void read_free_blocks(read_task *task) {
    for (unsigned i = 0; task->workers && i < task->n_workers; i++) {
        vec_char_free(&task->job->mem, &task->workers[i].block.text);
        vec_char_free(&task->job->mem, &task->workers[i].unquoted);
        vec_char_free(&task->job->mem, &task->workers[i].kept);
    }
}

static void read_clear(read_task *task) {
    mem *m = &task->job->mem;
    if (task->workers && task->format->clear) task->format->clear(task);
    for (size_t i = 0; task->files && i < task->n_files; i++) {
        if (task->files[i].own) task->format->clear_file(task, &task->files[i]);
    }
    input_close(task->in);
    read_free_blocks(task);
    mem_free(m, task->workers, task->n_workers * sizeof *task->workers);
    mem_free(m, task->files, task->n_files * sizeof *task->files);
    vec_char_free(m, &task->name);
    vec_char_free(m, &task->header);
    vec_char_free(m, &task->header_scratch);
    vec_u64_free(m, &task->lines);
    vec_u64_free(m, &task->blanks);
    builder_free(task->builder);
    pthread_mutex_destroy(&task->lock);
    pthread_mutex_destroy(&task->next_lock);
}

static lode_status read_enter_part(read_task *task) {
    const lode_read_options *o = &task->options;
    if (o->n_parts == 0) return LODE_OK;
    if (task->format->parts) return input_set_part(task->in, o->part, o->n_parts);
    return job_fail(task->job, LODE_UNSUPPORTED, "%s: a %s file cannot be read in parts",
                    task->file->name, task->format->name);
}

/* How much of the input was read; above 0, and below 1. */
static double read_share(const read_task *task) {
    double done = (double)task->bytes_before, total = (double)task->bytes_total;
    if (task->in) done += (double)input_bytes_done(task->in);
    return done > 0 && total > done ? done / total : 0.999;
}

static void read_tell_totals(read_task *task) {
    uint64_t n = 0;
    for (unsigned i = 0; i < task->n_workers; i++) n += task->workers[i].n_totals;
    if (n == 0) return;
    job_log(task->job, LODE_LOG_INFO, "%s: left out %" PRIu64 " line%s of totals", task->name.data,
            n, n == 1 ? "" : "s");
}

static lode_status read_task_run(read_task *task) {
    lode_status status = LODE_OK;
    LODE_TRY(read_start_workers(task));
    LODE_TRY(read_prepare(task));
    LODE_TRY(read_enter_part(task));
    status = parallel_run(task->job, task->n_workers, false, read_some, task);
    if (status != LODE_OK && status != LODE_PARSE && !(task->failed && task->open_failed)) {
        goto done;
    }
    read_check_blanks(task);
    if (task->failed) { /* comes before damage of compressed data, which a later block has met */
        job_clear_message(task->job);
        LODE_LEAVE(read_explain_bad(task));
    }
    LODE_TRY(status);
    read_free_blocks(task);
    if (task->format->finish) LODE_TRY(task->format->finish(task));
    read_tell_totals(task);
done:
    if (status == LODE_BUDGET && task->builder) {
        status = builder_explain_budget(task->builder, read_share(task), task->bytes_total);
    }
    return status;
}

/* What the builder and messages call all of it. */
static lode_status read_name(read_task *task) {
    mem *m = &task->job->mem;
    size_t others = task->n_files - 1;
    lode_status status = vec_char_printf(m, &task->name, "%s", task->files[0].name);
    if (status == LODE_OK && others > 0) {
        status = vec_char_printf(m, &task->name, " and %zu other file%s", others,
                                 others == 1 ? "" : "s");
    }
    return status == LODE_OK ? vec_char_append(m, &task->name, "", 1) : status;
}

static lode_status read_begin(read_task *task) {
    lode_status status = LODE_OK;
    lode_job *job = task->job;
    size_t bytes = task->n_files * sizeof *task->files;
    LODE_TRY(mem_zalloc(&job->mem, (void **)&task->files, bytes));
    for (size_t i = 0; i < task->n_files; i++) {
        const char *name = task->sources[i].name;
        bool is_stdin = !task->sources[i].text && strcmp(name, "-") == 0;
        task->files[i].name = is_stdin ? "<stdin>" : name;
    }
    LODE_TRY(read_name(task));
    LODE_TRY(read_open_first(task));
    if (task->file->found.graphs) {
        LODE_LEAVE(
            job_fail(job, LODE_PARSE,
                     "%s: these are graphs, for `lode graphs`; expected transactions (if they "
                     "are, give their --format)",
                     task->file->name));
    }
    lode_format format = task->file->found.format;
    task->format = read_find(format);
    if (!task->format) LODE_LEAVE(job_fail(job, LODE_INVALID, "%d is no format", (int)format));
done:
    return status;
}

lode_status read_run(lode_job *job, const read_source *sources, size_t n_sources,
                     const lode_read_options *options, size_t block_bytes, lode_dataset **out) {
    lode_status status = LODE_OK;
    size_t budget = mem_budget(&job->mem);
    read_task task = {.job = job,
                      .sources = sources,
                      .n_files = n_sources,
                      .options = *options,
                      .n_workers = read_threads(budget, job->threads)};
    task.block_bytes = block_bytes ? block_bytes : read_block_bytes(budget, job->threads);
    pthread_mutex_init(&task.lock, NULL);
    pthread_mutex_init(&task.next_lock, NULL);
    LODE_TRY(read_begin(&task));
    LODE_TRY(read_task_run(&task));
    LODE_TRY(builder_finish(task.builder, out));
    lode_profile *profile = &(*out)->profile;
    profile->format = task.format->format;
    profile->separator = task.format->separated ? task.kind->found.separator : 0;
    profile->n_files = n_sources;
    memcpy(profile->columns, task.columns, sizeof profile->columns);
done:
    if (status == LODE_BUDGET && task.in) { /* without a sentence yet, not even a block was read */
        uint64_t refused = mem_refused(mem_tightest(&job->mem));
        job->unsure = true;
        job_over_budget(job, refused + READ_UNSEEN * task.bytes_total, "%s", task.name.data);
    }
    read_clear(&task);
    return status;
}
