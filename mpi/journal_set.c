/* journal_set.c - see journal_set.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "journal_set.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOURNAL_DIGITS 9 /* of a number that is taken for that of a journal */

void journal_path(const rank_journal *j, int number, const char *more, char path[RANK_PATH]) {
    snprintf(path, RANK_PATH, "%s.%d%s", j->base, number, more);
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Returns the number after "NAME." in the name of a file; 0 if the name is another one. */
static int journal_number(const char *file, const char *name) {
    size_t n = strlen(name);
    if (strncmp(file, name, n) != 0 || file[n] != '.') return 0;
    const char *digits = file + n + 1;
    size_t length = strspn(digits, "0123456789");
    bool plain = length > 0 && length <= JOURNAL_DIGITS && !digits[length] && digits[0] != '0';
    return plain ? (int)strtol(digits, NULL, 10) : 0;
}

static int journal_by_number(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void journal_add_number(rank_run *r, int number) {
    rank_journal *j = r->journal;
    int *grown = realloc(j->numbers, ((size_t)j->n_journals + 1) * sizeof *grown);
    if (!grown) MPI_Abort(r->comm, CLI_FAILED);
    j->numbers = grown;
    j->numbers[j->n_journals++] = number;
}

/* Looks into the folder. */
static void journal_look(rank_run *r) {
    rank_journal *j = r->journal;
    char folder[RANK_PATH];
    const char *slash = strrchr(j->base, '/');
    int n = slash ? (int)(slash - j->base) + 1 : 0;
    snprintf(folder, sizeof folder, "%.*s.", n, j->base);
    DIR *open = opendir(folder); /* NULL: then none is there, and none can be written */
    for (struct dirent *one; open && (one = readdir(open));) {
        int number = journal_number(one->d_name, j->base + n);
        if (number > 0) journal_add_number(r, number);
    }
    if (open) closedir(open);
    if (j->n_journals > 0) {
        qsort(j->numbers, (size_t)j->n_journals, sizeof *j->numbers, journal_by_number);
    }
}

void journal_list(rank_run *r) {
    rank_journal *j = r->journal;
    j->n_journals = 0;
    if (r->rank == 0) journal_look(r);
    rank_tell_all(r, 0, &j->n_journals, sizeof j->n_journals);
    if (j->n_journals == 0) return;
    size_t bytes = (size_t)j->n_journals * sizeof *j->numbers;
    int *numbers = realloc(j->numbers, bytes);
    if (!numbers) MPI_Abort(r->comm, CLI_FAILED);
    j->numbers = numbers;
    rank_tell_all(r, 0, j->numbers, (int)bytes);
}

bool journal_is_there(const rank_journal *j, int number) {
    for (int i = 0; i < j->n_journals; i++) {
        if (j->numbers[i] == number) return true;
    }
    return false;
}

/* ---- beginning anew -------------------------------------------------------------------------- */

/* Whether it is a journal that nobody is writing; it may be of another search. */
static lode_status journal_may_go(rank_run *r, const char *path,
                                  const lode_journal_search *search) {
    lode_journal *one = NULL;
    lode_status status = lode_journal_open(r->job, &one, path, search);
    lode_journal_free(one);
    return status == LODE_INVALID ? LODE_OK : status;
}

/* Whether its text is a file, or not there. */
static bool journal_may_lose_text(const char *path) {
    struct stat file;
    return lstat(path, &file) == 0 ? S_ISREG(file.st_mode) : errno == ENOENT;
}

static void journal_remove_all(const rank_journal *j) {
    char path[RANK_PATH];
    for (int i = 0; i < j->n_journals; i++) {
        journal_path(j, j->numbers[i], ".text", path);
        unlink(path);
        journal_path(j, j->numbers[i], "", path);
        unlink(path);
    }
}

int journal_start_anew(rank_run *r, const lode_journal_search *search) {
    rank_journal *j = r->journal;
    char path[RANK_PATH], message[RANK_MESSAGE] = "";
    lode_status status = LODE_OK;
    for (int i = 0; r->rank == 0 && status == LODE_OK && i < j->n_journals; i++) {
        journal_path(j, j->numbers[i], "", path);
        status = journal_may_go(r, path, search);
        journal_path(j, j->numbers[i], ".text", path);
        if (status != LODE_OK || journal_may_lose_text(path)) continue;
        status = LODE_IO;
        snprintf(message, sizeof message,
                 "'%.800s' exists and was not written by lode; move it or give another --journal",
                 path);
    }
    if (r->rank == 0 && status == LODE_OK && j->n_journals > 0) {
        journal_path(j, j->numbers[0], "", path);
        cli_error("discarded '%s' of an earlier run, which --resume would have continued", path);
        journal_remove_all(j);
    }
    int code = rank_agree(r, status, message[0] ? message : NULL);
    j->n_journals = 0;
    return code;
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* How many are missing below the highest number; the first of them. */
static int journal_missing(const rank_journal *j, int *first) {
    int highest = j->n_journals > 0 ? j->numbers[j->n_journals - 1] : 0;
    *first = 1;
    while (journal_is_there(j, *first)) ++*first;
    return highest - j->n_journals;
}

static int journal_add_found(void *patterns, size_t journal, const lode_journal_record *record,
                             bool counts) {
    (void)journal;
    for (size_t i = 0; counts && i < record->n_sizes; i++)
        *(uint64_t *)patterns += record->sizes[i];
    return 0;
}

void journal_say_resumed(const rank_run *r) {
    const rank_journal *j = r->journal;
    char path[RANK_PATH];
    int first, missing = journal_missing(j, &first);
    uint64_t torn = lode_journals_torn(j->found);
    if (r->rank != 0) return;
    if (torn > 0) {
        cli_error(
            "journals: %llu bytes are damaged or incomplete; the tasks recorded there are repeated",
            (unsigned long long)torn);
    }
    if (missing > 0) {
        journal_path(j, first, "", path);
        cli_error("%d journal%s missing, the first is '%s'; the tasks in %s are repeated", missing,
                  missing == 1 ? " is" : "s are", path, missing == 1 ? "it" : "them");
    }
    if (cli_given(r->args, "quiet")) return;
    uint64_t found = 0; /* read errors are reported when the result is joined */
    if (lode_journals_each(j->found, journal_add_found, &found) != LODE_OK) return;
    fprintf(stderr, "resumed: %s patterns found before, %s of %s tasks left\n", cli_count(found),
            cli_count(lode_journals_left(j->found)), cli_count(lode_tasks_count(r->tasks)));
}

void journal_say_none(const rank_run *r) {
    if (r->rank != 0 || cli_given(r->args, "quiet")) return;
    cli_print(stderr,
              "note: there is no journal '%s.1' to resume from; started from the beginning\n",
              r->journal->base);
}

/* ---- the text that journals speak of, BASE.N.text: checked, and collected -------------------- */

#define TEXT_BLOCK 65536

static void text_path(const rank_run *r, size_t journal, char path[RANK_PATH]) {
    journal_path(r->journal, r->journal->numbers[journal], ".text", path);
}

static lode_status text_refuse(const rank_run *r, size_t journal, char message[RANK_MESSAGE]) {
    char path[RANK_PATH];
    text_path(r, journal, path);
    snprintf(message, RANK_MESSAGE,
             "'%.900s' has changed since its journal was written: start again without --resume",
             path);
    return LODE_PARSE;
}

static bool text_is_of(const rank_run *r, size_t journal) {
    return (int)(journal % (size_t)r->n_ranks) == r->rank;
}

/* ---- checking -------------------------------------------------------------------------------- */

/* What the last record of a journal says about its text. */
typedef struct text_end {
    uint64_t bytes, hash;
} text_end;

static int text_note_end(void *user, size_t journal, const lode_journal_record *record,
                         bool counts) {
    text_end *ends = user;
    (void)counts;
    ends[journal] = (text_end){record->bytes, record->bytes_hash};
    return 0;
}

/* Hashes the first bytes of a file; returns false if it is shorter. */
static bool text_hash(const char *path, uint64_t bytes, byte_hash *hash) {
    static char block[TEXT_BLOCK];
    FILE *file = bytes > 0 ? fopen(path, "r") : NULL;
    while (file && hash->bytes < bytes) {
        uint64_t left = bytes - hash->bytes;
        size_t n = fread(block, 1, left < sizeof block ? (size_t)left : sizeof block, file);
        if (n == 0) break;
        byte_hash_add(hash, block, n);
    }
    if (file) fclose(file);
    return hash->bytes == bytes;
}

lode_status text_check(rank_run *r, int number, byte_hash *own, char message[RANK_MESSAGE]) {
    const rank_journal *j = r->journal;
    char path[RANK_PATH];
    size_t n = (size_t)j->n_journals;
    text_end *ends = calloc(n + 1, sizeof *ends);
    *own = (byte_hash){0};
    lode_status status = ends ? LODE_OK : LODE_NOMEM;
    if (status == LODE_OK) status = lode_journals_each(j->found, text_note_end, ends);
    for (size_t i = 0; status == LODE_OK && i < n; i++) {
        byte_hash hash = {0};
        if (!text_is_of(r, i) && j->numbers[i] != number) continue;
        text_path(r, i, path);
        bool same = text_hash(path, ends[i].bytes, &hash);
        if (ends[i].bytes > 0) same = same && byte_hash_value(&hash) == ends[i].hash;
        if (!same) status = text_refuse(r, i, message);
        if (j->numbers[i] == number) *own = hash;
    }
    free(ends);
    return status;
}

/* ---- collecting ------------------------------------------------------------------------------ */

typedef struct text_gathering {
    rank_run *run;
    size_t journal; /* whose text is open */
    FILE *text;
    byte_hash hash; /* of the text read so far */
    char *message;
    lode_status status;
} text_gathering;

/* Reads the text up to `end`, and copies it to the output if it `counts`. Returns false if the text
 * ends before. */
static bool text_copy(text_gathering *g, uint64_t end, bool counts) {
    static char block[TEXT_BLOCK];
    while (g->hash.bytes < end) {
        uint64_t left = end - g->hash.bytes;
        size_t n = left < sizeof block ? (size_t)left : sizeof block;
        if (fread(block, 1, n, g->text) != n) return false;
        byte_hash_add(&g->hash, block, n);
        if (counts && !outcome_copy(&g->run->out, block, n)) {
            g->status = LODE_IO;
            return true;
        }
    }
    return true;
}

static bool text_open(text_gathering *g, size_t journal) {
    char path[RANK_PATH];
    if (g->text && g->journal == journal) return true;
    if (g->text) fclose(g->text);
    text_path(g->run, journal, path);
    g->text = fopen(path, "r");
    g->journal = journal;
    g->hash = (byte_hash){0};
    return g->text != NULL;
}

static int text_take(void *user, size_t journal, const lode_journal_record *record, bool counts) {
    text_gathering *g = user;
    rank_run *r = g->run;
    if (!text_is_of(r, journal)) return 0;
    if (r->out.mode == OUTPUT_TEXT) {
        bool same = text_open(g, journal) && text_copy(g, record->bytes, counts);
        if (g->status == LODE_OK && (!same || byte_hash_value(&g->hash) != record->bytes_hash)) {
            g->status = text_refuse(r, journal, g->message);
        }
    }
    if (g->status == LODE_OK && counts &&
        !outcome_add(&r->out, record->sizes, record->n_sizes, record->hash)) {
        g->status = LODE_NOMEM;
    }
    return g->status != LODE_OK;
}

lode_status text_gather(rank_run *r, char message[RANK_MESSAGE]) {
    text_gathering g = {.run = r, .message = message};
    outcome_restart(&r->out);
    lode_status status = outcome_open(&r->out, r->job, NULL);
    if (status == LODE_OK) status = lode_journals_each(r->journal->found, text_take, &g);
    if (g.status != LODE_OK) status = g.status;
    if (g.text) fclose(g.text);
    return status;
}
