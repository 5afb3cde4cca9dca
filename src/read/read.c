/* read.c - see read.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/read.h"

#include <inttypes.h>
#include <stdio.h>

#include "read/line_ends.h"
#include "read/read_advice.h"
#include "runtime/parallel.h"

/* Memory of one thread per byte of a block: the text, at most half as many items of four bytes, and
 * the ends of the transactions. Both arrays may just have been doubled. */
#define READ_SCRATCH_PER_BYTE 8
#define READ_UNSEEN           4  /* bytes of memory per byte of text, if nothing else is known */
#define READ_BUDGET_SHARE     64 /* the blocks of all threads take this fraction of the budget */
#define READ_BYTES_PER_THREAD ((size_t)4 << 20) /* one thread per this many bytes of a budget */

static const read_format *const read_formats[] = {
    &read_fimi, &read_spmf, &read_basket, &read_table, &read_onehot, &read_json, &read_attributes};

static const read_format *read_find(const read_file *file) {
    const lode_format format = file->found.format;
    if (file->lists) return &read_lists;
    if (format == LODE_FORMAT_JSON && file->found.json.pairs) return &read_json_pairs;
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

/* Checks blank lines at the end of a block. They are allowed if only blank lines follow in the
 * later blocks of the file, up to `end`. Returns false if the file is malformed. */
static bool read_check_file(read_task *task, const read_file *file, uint64_t end) {
    bool bad = task->failed && task->bad_sequence < end;
    uint64_t stop = bad ? task->bad_sequence + 1 : end;
    while (!bad && stop > file->first && task->blanks.data[stop - 1] == task->lines.data[stop - 1])
        stop--;
    for (uint64_t i = file->first; i + 1 < stop; i++) {
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
        if (end > task->lines.n) end = task->lines.n; /* reading has stopped at a malformed line */
        if (file->first < end && !read_check_file(task, file, end)) return;
    }
}

/* Makes the message of the earliest malformed place. */
static lode_status read_explain_bad(read_task *task) {
    const read_file *file = task->bad_file;
    uint64_t line = task->bad_line;
    lode_status status = LODE_OK;
    if (!task->bad_is_absolute) {
        status = read_absolute_line(task, file, task->bad_sequence, line, &line);
    }
    if (status != LODE_OK) return status;
    return read_bad_in(task, file, line, task->bad_column, task->what);
}

/* ---- The loop of one thread ---- */

/* Counts LFs in 32 sums of one byte each, which the compiler turns into vector instructions. */
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

/* The last line of the input counts even if it has no end. */
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

/* Counts lines again, if some may end with a CR alone. */
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

/* Reads a block. If memory runs out, the builder writes its blocks to disk, or drops them and only
 * counts from then on, and this block is parsed again. Tables cannot do this, because their
 * transactions may begin in an earlier block. */
static lode_status read_block(read_worker *w) {
    bool gained = false;
    lode_status status = read_block_once(w);
    if (status != LODE_BUDGET || w->task->format->joins) return status;
    lode_status given = builder_give_up(w->task->builder, &gained);
    if (given != LODE_OK) return given;
    return gained ? read_block_once(w) : status;
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
    /* A malformed line is reported at the end: another thread may find one in an earlier block. */
    return w->bad ? LODE_OK : status;
}

/* ---- The job ---- */

static lode_status read_start_workers(read_task *task) {
    lode_status status = LODE_OK;
    size_t bytes = task->n_workers * sizeof *task->workers;
    LODE_TRY(mem_zalloc(&task->job->mem, (void **)&task->workers, bytes));
    LODE_TRY(builder_create(task->job, &task->builder, task->n_workers, task->name.data));
    builder_set_scratch(task->builder, read_scratch);
    if (task->options.spill) LODE_TRY(builder_set_spill(task->builder, task->options.spill));
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
        arrays_worker_free(&task->job->mem, task->workers[i].arrays);
        task->workers[i].arrays = NULL;
        vec_char_free(&task->job->mem, &task->workers[i].item);
        vec_u32_free(&task->job->mem, &task->workers[i].split);
    }
}

static void read_clear(read_task *task) {
    mem *m = &task->job->mem;
    if (task->workers && task->format->clear) task->format->clear(task);
    for (size_t i = 0; task->files && i < task->n_files; i++) {
        if (task->files[i].own) task->format->clear_file(task, &task->files[i]);
        rows_close_file(task, &task->files[i]);
        mem_free(m, task->files[i].needed, task->files[i].n_needed);
    }
    read_free_blocks(task);
    read_close_input(task);
    mem_free(m, task->workers, task->n_workers * sizeof *task->workers);
    mem_free(m, task->files, task->n_files * sizeof *task->files);
    vec_char_free(m, &task->name);
    vec_char_free(m, &task->header);
    vec_char_free(m, &task->header_scratch);
    vec_char_free(m, &task->sample);
    vec_u64_free(m, &task->lines);
    vec_u64_free(m, &task->blanks);
    rows_close(task);
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

/* The share of the input that was read; above 0, and below 1. */
static double read_share(const read_task *task) {
    double done = (double)task->bytes_before, total = (double)task->bytes_total;
    done += (double)read_bytes_done(task);
    return done > 0 && total > done ? done / total : 0.999;
}

static void read_tell_totals(read_task *task) {
    uint64_t n = 0;
    for (unsigned i = 0; i < task->n_workers; i++) n += task->workers[i].n_totals;
    if (n == 0) return;
    job_log(task->job, LODE_LOG_INFO, "%s: left out %" PRIu64 " line%s of totals", task->name.data,
            n, n == 1 ? "" : "s");
}

static void read_tell_drawn(read_task *task) {
    uint64_t n = 0;
    for (unsigned i = 0; i < task->n_workers; i++) n += task->workers[i].n_drawn;
    if (n == 0) return;
    job_log(task->job, LODE_LOG_INFO,
            "%s: left out %" PRIu64 " line%s of a printed table (a ruler, or a number of rows)",
            task->name.data, n, n == 1 ? "" : "s");
}

static void read_tell_weightless(read_task *task) {
    uint64_t n = 0;
    for (unsigned i = 0; i < task->n_workers; i++) n += task->workers[i].out->totals.n_weightless;
    if (n == 0) return;
    job_log(task->job, LODE_LOG_INFO, "%s: left out %" PRIu64 " transaction%s of weight 0",
            task->name.data, n, n == 1 ? "" : "s");
}

static lode_status read_task_run(read_task *task) {
    lode_status status = LODE_OK;
    bool one = task->n_files == 1 && !task->arrays;
    if (one && input_is_one_block(task->in, task->block_bytes)) task->n_workers = 1;
    LODE_TRY(read_start_workers(task));
    LODE_TRY(read_prepare(task));
    LODE_TRY(read_enter_part(task));
    status = parallel_run(task->job, task->n_workers, false, read_some, task);
    if (status != LODE_OK && status != LODE_PARSE &&
        !(task->failed && (task->open_failed || task->arrays))) {
        goto done;
    }
    read_check_blanks(task);
    if (task->failed) { /* goes before damage of compressed data, which is in a later block */
        job_clear_message(task->job);
        LODE_LEAVE(read_explain_bad(task));
    }
    LODE_TRY(status);
    read_free_blocks(task);
    if (task->query) read_close_query(task); /* finish() may use the memory of the driver */
    if (task->format->finish) LODE_TRY(task->format->finish(task));
    read_tell_totals(task);
    read_tell_drawn(task);
done:
    if (status == LODE_BUDGET && task->builder) {
        status = builder_explain_budget(task->builder, read_share(task), task->bytes_total);
    }
    return status;
}

/* Makes the name that messages use for all files together. */
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
        bool given = task->sources[i].text || task->sources[i].stream;
        bool is_stdin = !given && strcmp(name, "-") == 0;
        task->files[i].name = is_stdin ? "<stdin>" : name;
        if (read_is_query(&task->options, name)) task->files[i].name = "the query";
    }
    LODE_TRY(read_name(task));
    LODE_TRY(read_open_first(task));
    if (task->file->found.graphs) {
        LODE_LEAVE(job_fail(job, LODE_PARSE,
                            "%s: this file has graphs; use `lode graphs` to read it (or --format, "
                            "if it has transactions)",
                            task->file->name));
    }
    LODE_TRY(rows_open(task));
    if (task->file->found.format == LODE_FORMAT_TABLE || task->file->found.json.pairs) {
        job->can_spill = false; /* rows are gathered in memory */
    }
    lode_format format = task->file->found.format;
    task->format = read_find(task->file);
    if (!task->format) LODE_LEAVE(job_fail(job, LODE_INVALID, "unknown format %d", (int)format));
    if (task->rows && !task->census && format <= LODE_FORMAT_SPMF) {
        LODE_LEAVE(job_fail(job, LODE_INVALID,
                            "%s is %s, which has no columns for --weight, --drop-rows or --ignore",
                            task->file->name, task->format->name));
    }
    if (task->options.ignore && (format == LODE_FORMAT_JSON || format == LODE_FORMAT_TABLE)) {
        LODE_LEAVE(job_fail(job, LODE_INVALID,
                            "%s is read as %s, where only the columns of transactions and items "
                            "count; --ignore is for basket, onehot and attributes files",
                            task->file->name, task->format->name));
    }
    if (task->options.split && format != LODE_FORMAT_BASKET && format != LODE_FORMAT_TABLE) {
        LODE_LEAVE(job_fail(job, LODE_INVALID,
                            "%s is read as %s; --split is for basket and table files",
                            task->file->name, task->format->name));
    }
done:
    return status;
}

static void read_init(read_task *task, size_t block_bytes) {
    const size_t budget = mem_budget(&task->job->mem);
    task->n_workers = read_threads(budget, task->job->threads);
    task->block_bytes = block_bytes ? block_bytes : read_block_bytes(budget, task->job->threads);
    pthread_mutex_init(&task->lock, NULL);
    pthread_mutex_init(&task->next_lock, NULL);
}

/* Explains that not even one block could be read. */
static void read_tell_budget(read_task *task) {
    uint64_t refused = mem_refused(mem_tightest(&task->job->mem));
    task->job->unsure = true;
    job_over_budget(task->job, refused + READ_UNSEEN * task->bytes_total, "%s", task->name.data);
}

lode_status read_columns(lode_job *job, const read_source *source, const lode_read_options *options,
                         vec_char *json) {
    lode_status status = LODE_OK;
    read_task task = {.job = job, .sources = source, .n_files = 1, .options = *options};
    read_init(&task, 0);
    LODE_TRY(census_create(&job->mem, task.n_workers, &task.census));
    LODE_TRY(read_begin(&task));
    if (task.format == &read_table) LODE_TRY(read_task_run(&task));
    LODE_TRY(census_json(task.census, json));
done:
    if (status == LODE_BUDGET && task.in) read_tell_budget(&task);
    read_clear(&task);
    census_free(task.census);
    return status;
}

lode_status read_run(lode_job *job, const read_source *sources, size_t n_sources,
                     const lode_read_options *options, size_t block_bytes, lode_dataset **out) {
    lode_status status = LODE_OK;
    read_task task = {.job = job, .sources = sources, .n_files = n_sources, .options = *options};
    read_init(&task, block_bytes);
    LODE_TRY(read_begin(&task));
    LODE_TRY(read_task_run(&task));
    lode_profile rows = {.n_rows = 0};
    LODE_TRY(rows_tell(&task, &rows));
    LODE_TRY(builder_finish(task.builder, out));
    if (task.format->refine) LODE_TRY(task.format->refine(&task, out));
    lode_profile *profile = &(*out)->profile;
    profile->format = task.format->format;
    bool separated = task.format->separated && !task.kind->is_arrays;
    profile->separator = separated ? task.kind->found.separator : 0;
    profile->n_files = n_sources;
    profile->n_rows = rows.n_rows;
    profile->n_dropped = rows.n_dropped;
    profile->n_lost = rows.n_lost;
    read_tell_weightless(&task);
    memcpy(profile->columns, task.columns, sizeof profile->columns);
    memcpy(profile->sheet, task.sheet, sizeof profile->sheet);
    read_advise(job, task.name.data, *out, &task.options);
done:
    if (status == LODE_BUDGET && task.in) read_tell_budget(&task);
    read_clear(&task);
    return status;
}
