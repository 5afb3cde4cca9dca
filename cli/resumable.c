/* resumable.c - runs that can be ended and resumed: --share, --journal, --resume
 *
 *     FILE.partial    the output so far
 *     FILE.journal    records which tasks are finished, and how long the output was then
 *                     (lode/journal.h)
 *     FILE            the output when it is complete; the other two are removed
 *
 * The search is divided into tasks, which are done in batches of about a second. After each batch,
 * first the output and then a record of the journal is flushed to disk. However the process ends,
 * the output up to the last record is valid; --resume cuts off the rest and continues from there.
 * With top:K, the best K are known only at the end, and a limit on the number of patterns refers to
 * one run; so shares with these options have no journal, and their unfinished file is like that of
 * any other run. FILE.journal is created first, and only if there is no FILE.partial. Therefore, if
 * there is a journal, FILE.partial belongs to it, provided that it begins with the bytes that the
 * journal describes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explosion.h"
#include "kept_output.h"
#include "mine.h"
#include "share_manifest.h"

/* ---- what is asked for ----------------------------------------------------------------------- */

static bool resumable_asked(const cli_args *args) {
    return cli_given(args, "journal") || cli_given(args, "resume");
}

bool resumable_wanted(const cli_args *args) {
    return cli_given(args, "output") && (share_wanted(args) || resumable_asked(args));
}

/* Returns why there can be no journal; NULL if there can. */
static const char *resumable_obstacle(const cli_args *args) {
    if (totals_target(args) == LODE_TARGET_TOP)
        return "--target top:K, whose result is known only at the end";
    if (cli_word(args, "limit-patterns")) return "--limit-patterns, which limits a single run";
    return NULL;
}

bool resumable_has_journal(const cli_args *args) {
    return resumable_wanted(args) && !resumable_obstacle(args);
}

bool resumable_check(const cli_args *args) {
    const char *output = cli_given(args, "output"), *obstacle = resumable_obstacle(args);
    const char *asked = cli_given(args, "resume") ? "--resume" : "--journal";
    if (!resumable_asked(args)) return true;
    if (!output || strcmp(output, "-") == 0) {
        cli_error("%s requires -o FILE: progress is recorded in FILE.journal", asked);
        return false;
    }
    if (obstacle) cli_error("%s cannot be combined with %s", asked, obstacle);
    return !obstacle && share_check_form(args, asked);
}

/* ---- a run ----------------------------------------------------------------------------------- */

#define RESUMABLE_PATH 4096

typedef struct resumable {
    mine_run *run;
    const char *path;
    lode_pattern_kind kind;
    char journal_path[RESUMABLE_PATH];
    lode_tasks *tasks;
    lode_journal *journal;  /* NULL: there is none */
    lode_journals *earlier; /* what earlier runs have done; NULL: nothing */
    lode_task *kept;        /* that are left, and pointers to them … */
    const lode_task **list;
    size_t n;
    uint64_t *ids; /* … and the ids of these and of those given meanwhile */
    size_t n_ids, ids_cap;
    kept_output out; /* not open with --count */
    bool text;
    mine_totals before;         /* of earlier runs */
    mine_totals told;           /* of this one, as far as the journal has it */
    uint64_t bytes, bytes_hash; /* of the output, as far as the journal has it */
    bool failed;                /* to write the journal */
} resumable;

static bool resumable_note_id(resumable *r, uint64_t id) {
    if (r->n_ids == r->ids_cap) {
        size_t cap = 2 * r->ids_cap + 64;
        uint64_t *grown = realloc(r->ids, cap * sizeof *grown);
        if (!grown) return false;
        r->ids = grown;
        r->ids_cap = cap;
    }
    r->ids[r->n_ids++] = id;
    return true;
}

static void resumable_free(resumable *r) {
    lode_journals_free(r->earlier);
    lode_journal_free(r->journal);
    lode_tasks_free(r->tasks);
    kept_close(&r->out);
    totals_free(&r->before);
    totals_free(&r->told);
    free(r->kept);
    free(r->list);
    free(r->ids);
}

/* ---- the journal ----------------------------------------------------------------------------- */

/* Returns the total numbers, and those since the last record. */
static bool resumable_count(const resumable *r, mine_totals *now, mine_totals *news) {
    if (!totals_add_sink(now, r->run->sink, r->kind)) return false;
    if (!totals_add(news, now->sizes, now->n_sizes, now->hash, r->kind)) return false;
    for (size_t i = 0; i < r->told.n_sizes && i < news->n_sizes; i++) {
        news->sizes[i] -= r->told.sizes[i];
    }
    news->hash = lode_hash_without(r->kind, now->hash, r->told.hash);
    return true;
}

/* A lode_task_done_fn: the output goes to disk, then a record. */
static int resumable_done(void *user, size_t first, size_t end, const lode_task *const *given,
                          size_t n_given) {
    resumable *r = user;
    mine_totals now = {0}, news = {0};
    size_t start = r->n_ids;
    bool fine = resumable_count(r, &now, &news);
    for (size_t i = 0; i < n_given && fine; i++) {
        fine = resumable_note_id(r, lode_journal_id(r->journal));
    }
    if (!fine) r->out.reason = ENOMEM;
    lode_journal_record record = {.size = sizeof record,
                                  .done = r->ids + first,
                                  .n_done = end - first,
                                  .given = given,
                                  .given_ids = r->ids + start,
                                  .n_given = n_given,
                                  .sizes = news.sizes,
                                  .n_sizes = news.n_sizes,
                                  .hash = news.hash,
                                  .bytes = r->out.hash.bytes,
                                  .bytes_hash = r->text ? byte_hash_value(&r->out.hash) : 0};
    if (fine) fine = !r->text || kept_sync(&r->out);
    if (fine) fine = lode_journal_append(r->journal, &record) == LODE_OK;
    r->failed = !fine;
    totals_free(&news);
    totals_free(&r->told);
    r->told = now;
    return fine ? 0 : 1;
}

/* Everything that decides about the result, in one text. */
static bool resumable_options(const resumable *r, char text[SHARE_TEXT]) {
    const cli_args *args = r->run->args;
    lode_threshold s = r->kind == LODE_GRAPHS ? lode_options_graph(args->options)->min_support
                                              : lode_options_mine(args->options)->min_support;
    const char *share = cli_word(args, "share");
    char first[192];
    snprintf(first, sizeof first, "support=%llu/%llu form=%s%s%s%.40s",
             (unsigned long long)s.numerator, (unsigned long long)s.denominator, share_format(args),
             cli_given(args, "hash") ? "+hash" : "", share ? " share=" : "", share ? share : "");
    if (share_options(args, first, text)) return true;
    cli_error("the options are too long for a journal");
    return false;
}

static int resumable_add_record(void *user, size_t journal, const lode_journal_record *record,
                                bool counts) {
    resumable *r = user;
    (void)journal, (void)counts; /* all of one journal do */
    r->bytes = record->bytes;
    r->bytes_hash = record->bytes_hash;
    return !totals_add(&r->before, record->sizes, record->n_sizes, record->hash, r->kind);
}

/* Reads what earlier runs have done; of any search, if it is NULL. */
static lode_status resumable_read(resumable *r, const lode_journal_search *search) {
    const char *path = r->journal_path;
    lode_job *job = r->run->job;
    r->bytes_hash = byte_hash_value(&(byte_hash){0});
    lode_status status =
        lode_journals_read(job, &r->earlier, &path, 1, search, lode_tasks_count(r->tasks));
    if (status == LODE_OK) status = lode_journals_each(r->earlier, resumable_add_record, r);
    return status == LODE_STOPPED ? LODE_NOMEM : status;
}

/* The tasks that are left: of earlier runs, or all. */
static bool resumable_list(resumable *r) {
    size_t n = r->earlier ? lode_journals_left(r->earlier) : lode_tasks_count(r->tasks);
    r->kept = calloc(n + 1, sizeof *r->kept);
    r->list = calloc(n + 1, sizeof *r->list);
    bool fine = r->kept && r->list;
    for (size_t i = 0; i < n && fine; i++) {
        uint64_t id = i;
        r->kept[i] = LODE_INIT(lode_task);
        if (r->earlier) lode_journals_left_at(r->earlier, i, &id, &r->kept[i]);
        if (id < lode_tasks_count(r->tasks)) lode_tasks_at(r->tasks, (size_t)id, &r->kept[i]);
        r->list[i] = &r->kept[i];
        fine = resumable_note_id(r, id);
    }
    r->n = n;
    if (!fine) cli_error("%s", lode_status_text(LODE_NOMEM));
    return fine;
}

/* Locks the journal of an earlier run, so that no other process takes it. Returns -1 with errno on
 * failure. If another process has removed or replaced the file before it was locked, it belongs to
 * that process. */
static int resumable_hold(const char *path) {
    struct stat held, named;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return -1;
    bool busy = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    bool same = fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
                held.st_ino == named.st_ino;
    if (!busy && same) return fd;
    close(fd);
    errno = EWOULDBLOCK;
    return -1;
}

/* A process that was killed just when it made its journal leaves an empty file: no journal yet. */
static bool resumable_drop_empty(const char *path) {
    struct stat file;
    int held = resumable_hold(path);
    bool empty = held >= 0 && fstat(held, &file) == 0 && S_ISREG(file.st_mode) && file.st_size == 0;
    bool dropped = empty && unlink(path) == 0;
    if (held >= 0) close(held);
    return dropped;
}

static bool resumable_name_journal(const char *path, char journal[RESUMABLE_PATH]) {
    int n = snprintf(journal, RESUMABLE_PATH, "%s.journal", path);
    if (n >= 0 && n < RESUMABLE_PATH) return true;
    cli_error("'%.40s…': the name is too long", path);
    return false;
}

/* Looks for the journal of an earlier run. If there is another file instead, prints a message and
 * returns false. */
static bool resumable_find_journal(const char *journal, bool *there) {
    struct stat file;
    *there = lstat(journal, &file) == 0;
    if (!*there && errno != ENOENT) {
        cli_error("cannot write '%s': %s", journal, strerror(errno));
        return false;
    }
    if (*there && resumable_drop_empty(journal)) *there = false;
    if (!*there || cli_is_journal(journal)) return true;
    cli_error("'%s' exists but is not a journal of lode; give another -o FILE", journal);
    return false;
}

int resumable_look(const cli_args *args) {
    const char *path = cli_given(args, "output");
    char journal[RESUMABLE_PATH];
    struct stat file;
    bool there = false;
    if (stat(path, &file) == 0 && !S_ISREG(file.st_mode)) {
        cli_error("'%s' is not a regular file, which --share, --journal and --resume require",
                  path);
        return CLI_FAILED;
    }
    if (share_wanted(args) && !share_may_replace(path)) return CLI_BAD_INPUT;
    if (resumable_obstacle(args)) return CLI_DONE;
    if (!resumable_name_journal(path, journal)) return CLI_USAGE;
    if (!resumable_find_journal(journal, &there)) return CLI_BAD_INPUT;
    if (there || !kept_exists(path)) return CLI_DONE;
    cli_error("'%s%s' exists without a journal; move it or give another -o FILE", path,
              KEPT_SUFFIX);
    return CLI_BAD_INPUT;
}

static void resumable_say_resumed(const resumable *r) {
    size_t all = lode_tasks_count(r->tasks), left = lode_journals_left(r->earlier);
    if (lode_journals_torn(r->earlier) > 0) {
        cli_error("'%s': the last %llu bytes are damaged or incomplete; the tasks recorded there "
                  "are repeated",
                  r->journal_path, (unsigned long long)lode_journals_torn(r->earlier));
    }
    if (cli_given(r->run->args, "quiet")) return;
    fprintf(stderr, "resumed: %s patterns found before, %s of %s tasks left\n",
            cli_count(totals_patterns(&r->before)), cli_count(left), cli_count(all));
}

/* Resumes from a journal and its output. Returns an exit code. */
static int resumable_go_on(resumable *r, const lode_journal_search *search) {
    lode_job *job = r->run->job;
    lode_status status =
        resumable_read(r, search); /* first: opening cuts off an incomplete record */
    if (status == LODE_OK) {
        status = lode_journal_open(job, &r->journal, r->journal_path, search);
    }
    if (status != LODE_OK) return cli_fail(job, status);
    bool gspan = strcmp(share_format(r->run->args), "gspan") == 0;
    if (r->text && !kept_resume(&r->out, r->path, gspan, r->bytes, r->bytes_hash)) {
        return CLI_BAD_INPUT;
    }
    resumable_say_resumed(r);
    return CLI_DONE;
}

/* Removes the journal of an earlier run and its output, which must be what the journal says. */
static int resumable_forget(resumable *r) {
    lode_status status = resumable_read(r, NULL);
    if (status != LODE_OK) return cli_fail(r->run->job, status);
    if (!kept_remove(r->path, r->bytes, r->bytes_hash)) return CLI_BAD_INPUT;
    unlink(r->journal_path);
    cli_error("discarded '%s' of an earlier run, which --resume would have continued",
              r->journal_path);
    lode_journals_free(r->earlier);
    r->earlier = NULL;
    totals_free(&r->before);
    return CLI_DONE;
}

/* Starts from the beginning. */
static int resumable_begin(resumable *r, const lode_journal_search *search) {
    lode_job *job = r->run->job;
    bool noted = !resumable_obstacle(r->run->args);
    lode_status status = LODE_OK;
    if (noted) status = lode_journal_create(job, &r->journal, r->journal_path, search);
    if (status != LODE_OK) return cli_fail(job, status);
    if (!r->text || kept_create(&r->out, r->path, noted)) return CLI_DONE;
    if (noted) unlink(r->journal_path);
    return CLI_FAILED;
}

/* The message that is printed if the program crashes. */
static void resumable_hint_at_crash(const resumable *r) {
    static char words[sizeof r->journal_path + 100];
    snprintf(
        words, sizeof words,
        "lode: '%s' records what is finished; run the same command with --resume to continue.\n",
        r->journal_path);
    cli_set_crash_hint(words);
}

/* A hash of what is searched: the data and, with --class, the labels. A file of labels counts with
 * its content, because it may have changed since the other parts were searched. */
static uint64_t resumable_fingerprint(const resumable *r) {
    const char *classes = lode_options_classes(r->run->args->options)->classes;
    byte_hash h = {.sum = r->run->mining->fingerprint(r->run->data)};
    char buffer[4096];
    size_t n;
    if (!classes) return h.sum;
    byte_hash_add(&h, classes, strlen(classes) + 1);
    FILE *labels = fopen(classes, "rb");
    while (labels && (n = fread(buffer, 1, sizeof buffer, labels)) > 0)
        byte_hash_add(&h, buffer, n);
    if (labels) fclose(labels);
    return byte_hash_value(&h);
}

static int resumable_open(resumable *r) {
    const cli_args *args = r->run->args;
    static char options[SHARE_TEXT];
    lode_journal_search search = {.size = sizeof search, .options = options};
    bool there = false;
    if (!resumable_name_journal(r->path, r->journal_path)) return CLI_USAGE;
    if (!resumable_options(r, options)) return CLI_USAGE;
    search.data = resumable_fingerprint(r);
    search.tasks = lode_tasks_hash(r->tasks);
    if (!resumable_obstacle(args) && !resumable_find_journal(r->journal_path, &there)) {
        return CLI_BAD_INPUT;
    }
    int held = there ? resumable_hold(r->journal_path) : -1, code = CLI_DONE;
    if (there && held < 0) {
        cli_error("cannot lock '%s': %s", r->journal_path,
                  errno == EWOULDBLOCK ? "another process is writing it" : strerror(errno));
        return CLI_FAILED;
    }
    if (there && cli_given(args, "resume")) {
        close(held); /* for the library to take */
        code = resumable_go_on(r, &search);
    } else {
        if (there) code = resumable_forget(r);
        if (code == CLI_DONE) code = resumable_begin(r, &search);
        if (there) close(held);
    }
    if (code == CLI_DONE && !resumable_list(r)) code = CLI_FAILED;
    if (code == CLI_DONE && r->journal) resumable_hint_at_crash(r);
    return code;
}

/* ---- mining ---------------------------------------------------------------------------------- */

static lode_status resumable_sink(resumable *r) {
    mine_run *run = r->run;
    const cli_mining *m = run->mining;
    if (r->text) {
        r->out.skips = r->out.hash.bytes > 0; /* the title is there already */
        lode_status status =
            m->text_sink(run->job, &run->sink, run->data, kept_write, &r->out, run->args);
        r->out.skips = false;
        return status;
    }
    return cli_given(run->args, "hash") ? m->hash_sink(run->job, &run->sink, run->data)
                                        : lode_sink_count(run->job, &run->sink);
}

/* How often a record is written; 0 leaves it to the library. For tests. */
static double resumable_seconds(void) {
    const char *text = getenv("LODE_JOURNAL_SECONDS");
    double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 ? seconds : 0;
}

static lode_status resumable_search(resumable *r) {
    mine_run *run = r->run;
    lode_task_search search = {.size = sizeof search, .tasks = r->list, .n_tasks = r->n};
    search.done = r->journal ? resumable_done : NULL;
    search.done_user = r;
    search.done_seconds = resumable_seconds();
    search.of = share_wanted(run->args) ? r->tasks : NULL;
    return run->mining->mine_tasks(run->job, run->data, run->args, &search, run->sink);
}

/* The report is of this run alone. */
static void resumable_say_all(const resumable *r) {
    uint64_t before = totals_patterns(&r->before), now = lode_sink_patterns(r->run->sink);
    if (before == 0 || cli_given(r->run->args, "quiet")) return;
    fprintf(stderr, "%s patterns in all, including %s found before\n", cli_count(before + now),
            cli_count(before));
}

/* Says that the run has ended early, and how to resume it: its files stay. */
static void resumable_say_stopped(const resumable *r) {
    if (!r->journal) return;
    if (r->run->sink) resumable_say_all(r);
    cli_error("not complete: '%s' records what is finished; run the same command with --resume to "
              "continue",
              r->journal_path);
}

static int resumable_fail(const resumable *r, lode_status status) {
    char message[RESUMABLE_PATH + 128];
    lode_job *job = r->run->job;
    if (r->out.reason == 0 && !r->failed) return cli_fail(job, status);
    if (r->out.reason != 0) {
        snprintf(message, sizeof message, "cannot write '%s': %s", r->path,
                 strerror(r->out.reason));
    } else {
        snprintf(message, sizeof message, "%s", lode_job_error(job));
    }
    lode_report_fail(job, LODE_IO, message);
    cli_error("%s", message);
    return CLI_FAILED;
}

/* The search could not be divided; there is no journal of this run yet. */
static int resumable_fail_early(const resumable *r, lode_status status) {
    bool halted = status == LODE_CANCELLED || status == LODE_STOPPED;
    if (!halted) return cli_fail(r->run->job, status);
    cli_error("stopped before the search began; nothing was written");
    return lode_exit_code(status);
}

/* The result is complete, or as complete as a limit wants it: it gets its name. */
static int resumable_finish(resumable *r, lode_status mined) {
    mine_run *run = r->run;
    mine_totals *t = &r->before;
    resumable_say_all(r);
    if (!totals_add_sink(t, run->sink, r->kind)) return cli_fail(run->job, LODE_NOMEM);
    t->bytes = r->out.hash.bytes;
    t->bytes_hash = byte_hash_value(&r->out.hash);
    if (r->text && !kept_finish(&r->out, false)) return resumable_fail(r, LODE_IO);
    if (r->text) run->written = r->path;
    lode_status status = totals_print(t, run->args, run->job);
    if (status == LODE_OK && share_wanted(run->args)) {
        status = share_write(run->args, run->job, t, resumable_fingerprint(r), mined == LODE_OK);
    }
    if (status == LODE_OK && r->journal) unlink(r->journal_path);
    return lode_exit_code(status != LODE_OK ? status : mined);
}

/* The run was interrupted and has no journal. */
static int resumable_keep_partial(resumable *r) {
    if (!kept_finish(&r->out, true)) return resumable_fail(r, LODE_IO);
    cli_error("not complete: '%s' contains what was found so far", lode_file_path(r->out.file));
    return CLI_INTERRUPTED;
}

static int resumable_run(resumable *r) {
    mine_run *run = r->run;
    lode_status status = resumable_sink(r);
    if (status != LODE_OK) return resumable_fail(r, status);
    explosion_watch(run);
    lode_status mined = resumable_search(r);
    explosion_end();
    bool halted = mined == LODE_CANCELLED || mined == LODE_STOPPED;
    bool broken = r->failed || r->out.reason != 0;
    if (broken || (mined != LODE_OK && !halted)) {
        int code = resumable_fail(r, mined);
        resumable_say_stopped(r);
        return code;
    }
    if (run->mining->forget) run->mining->forget(run->data);
    status = lode_sink_finish(run->sink, mined == LODE_CANCELLED);
    if (status == LODE_CANCELLED) mined = status;
    if (status != LODE_OK && status != LODE_CANCELLED) return resumable_fail(r, status);
    if (mined == LODE_OK || (mined == LODE_STOPPED && !r->journal)) {
        return resumable_finish(r, mined);
    }
    if (r->journal) {
        resumable_say_stopped(r);
    } else if (r->text) {
        return resumable_keep_partial(r);
    }
    return lode_exit_code(mined);
}

int resumable_mine(mine_run *run) {
    resumable r = {.run = run, .path = cli_given(run->args, "output")};
    r.text = !cli_given(run->args, "count");
    r.kind = totals_kind(run->args);
    lode_status status = run->mining->divide(run->job, &r.tasks, run->data, run->args);
    int code = status == LODE_OK ? resumable_open(&r) : resumable_fail_early(&r, status);
    if (code == CLI_DONE) {
        /* Removes the manifest of an earlier run: the part it describes will be replaced. */
        if (share_wanted(run->args)) share_forget(r.path);
        code = resumable_run(&r);
    }
    resumable_free(&r);
    return code;
}
