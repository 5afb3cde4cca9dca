/* rank_output.h - the results of a rank: numbers, and its part of the output
 *
 * Each search of a rank has its own sink. The texts of all searches are appended to one file, which
 * becomes PART when the job is done, or is joined with the files of other ranks. The numbers of all
 * searches are added up here. If the output is standard output, the file has no name, and its text
 * is sent to rank 0.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_RANK_OUTPUT_H
#define LODE_MPI_RANK_OUTPUT_H

#include "byte_hash.h"
#include "kinds.h"

#define RANK_PATH 4096

typedef enum outcome_mode {
    OUTPUT_COUNT = 0, /* number of patterns by size */
    OUTPUT_HASH,      /* these numbers, and a hash */
    OUTPUT_TEXT,      /* patterns, written to a file */
    OUTPUT_BEST       /* the K highest supports, to find the threshold of top:K */
} outcome_mode;

typedef struct rank_output {
    const cli_args *args;
    const rank_kind *kind;
    const void *data;
    outcome_mode mode;
    char part[RANK_PATH]; /* the name that the file gets when it is complete */
    char kept[RANK_PATH]; /* path of the journal that describes the text; the text is KEPT.text,
                           * which stays if the job is killed; "": there is no journal */
    lode_file *output;    /* NULL: the file has no name, so it disappears with the process */
    FILE *file;
    bool in_title;  /* the next write is a title */
    bool has_title; /* the file has a title already */
    bool nameless;  /* the file must not have a name */
    bool failed;
    int reason;                  /* errno of the failure */
    uint64_t bytes, title_bytes; /* length of the file, and of its title */
    byte_hash hashed;            /* hash of the text so far, if a journal records it */
    uint64_t patterns;
    uint64_t *sizes; /* number of patterns of each size; n_sizes entries */
    size_t n_sizes;
    uint64_t hash;        /* of the patterns of all searches so far */
    uint64_t *last_sizes; /* the numbers of the last search; n_last entries */
    size_t n_last;
    uint64_t last_hash;
    uint64_t k, n_best; /* K of top:K; number of entries of `best` */
    uint64_t *best;     /* a heap of the k highest supports, with the lowest one on top */
} rank_output;

/* Opens the file, if patterns are to be written, and writes the title unless the file has one. With
 * `resumed`, continues an existing file of a journal after the text with this hash; NULL begins a
 * new file. */
lode_status outcome_open(rank_output *o, lode_job *job, const byte_hash *resumed);
/* outcome_sink() makes the sink of a search, and outcome_take() adds its results to those of the
 * rank. CANCELLED means that the text of the search is incomplete. */
lode_status outcome_sink(rank_output *o, lode_job *job, lode_sink **out);
lode_status outcome_take(rank_output *o, lode_sink *sink, bool partial);
/* Adds numbers that were found earlier. Returns false if memory runs out. */
bool outcome_add(rank_output *o, const uint64_t *sizes, size_t n, uint64_t hash);
/* Closes the file without removing it, and resets all numbers, so that outcome_open() starts
 * anew. */
void outcome_restart(rank_output *o);
/* Appends text that was written earlier. */
bool outcome_copy(rank_output *o, const char *text, size_t bytes);
/* Flushes the text to disk. */
lode_status outcome_flush(rank_output *o);
/* Keeps only the first `keep` patterns of the text. */
lode_status outcome_cut(rank_output *o, uint64_t keep);
/* Reads up to `room` bytes at the position `place` of a nameless file. Returns how many were read;
 * 0 at the end and on failure. */
size_t outcome_read(rank_output *o, uint64_t place, char *text, size_t room);
/* Closes the file, gives it its name, PART or PART.partial, and stores this name in `part`. */
lode_status outcome_finish(rank_output *o, bool partial);
/* The name that the file has now. */
const char *outcome_path(const rank_output *o);
/* Frees everything. A file that does not have its final name is removed, unless a journal describes
 * it. */
void outcome_close(rank_output *o);

/* The lowest of the k best supports; 0: fewer than k are known. */
uint64_t outcome_least(const rank_output *o);

#endif
