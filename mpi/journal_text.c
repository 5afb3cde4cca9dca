/* journal_text.c - see journal_text.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "journal_text.h"

#include <stdlib.h>

#include "journal_set.h"

#define TEXT_BLOCK 65536

static void text_path(const rank_run *r, size_t journal, char path[RANK_PATH]) {
    journal_path(r->journal, r->journal->numbers[journal], ".text", path);
}

static lode_status text_refuse(const rank_run *r, size_t journal, char message[RANK_MESSAGE]) {
    char path[RANK_PATH];
    text_path(r, journal, path);
    snprintf(message, RANK_MESSAGE,
             "'%.900s' has changed since its journal was written: start anew, without --resume",
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

/* Hashes the first bytes of a file; false: there are not so many. */
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
    byte_hash hash; /* of what was read of it */
    char *message;
    lode_status status;
} text_gathering;

/* Reads the text up to `end`, and copies it to the output if it counts. False: it ends before. */
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
