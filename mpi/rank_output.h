/* rank_output.h - what a rank has found: numbers, and its part of the output
 *
 * Each search of a rank has its own sink. The texts of all searches are appended to one file, which
 * becomes PART when the job is done, or is joined with those of other ranks; the numbers are added
 * up here. If the output is standard output, the file has no name, and its text is sent to rank 0.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_RANK_OUTPUT_H
#define LODE_MPI_RANK_OUTPUT_H

#include "byte_hash.h"
#include "kinds.h"

#define RANK_PATH 4096

typedef enum outcome_mode {
    OUTPUT_COUNT = 0, /* numbers by size */
    OUTPUT_HASH,      /* … and a hash */
    OUTPUT_TEXT,      /* patterns, to a file */
    OUTPUT_BEST       /* the K highest supports, to find the threshold of top:K */
} outcome_mode;

typedef struct rank_output {
    const cli_args *args;
    const rank_kind *kind;
    const void *data;
    outcome_mode mode;
    char part[RANK_PATH]; /* the name of the file, when it is done */
    char kept[RANK_PATH]; /* a journal, to which the text KEPT.text belongs: it stays; "": none */
    lode_file *output;    /* NULL: the file has no name, so that nothing is ever left of it */
    FILE *file;
    bool in_title;  /* the next write is a title … */
    bool has_title; /* … which the file has already */
    bool nameless;  /* the file is to have no name */
    bool failed;
    int reason;                  /* errno of what failed */
    uint64_t bytes, title_bytes; /* of the file, and of its title */
    byte_hash hashed;            /* the text so far, if a journal records it */
    uint64_t patterns;
    uint64_t *sizes; /* by size, n_sizes of them */
    size_t n_sizes;
    uint64_t hash;        /* of all searches so far */
    uint64_t *last_sizes; /* of the last search, n_last of them */
    size_t n_last;
    uint64_t last_hash;
    uint64_t k, n_best;
    uint64_t *best; /* a heap of the k highest supports, the lowest on top */
} rank_output;

/* Opens the file, if patterns are to be written, and writes the title unless the file has one. With
 * `resumed`, continues an existing file of a journal after the text with this hash; NULL begins a
 * new file. */
lode_status outcome_open(rank_output *o, lode_job *job, const byte_hash *resumed);
/* Make the sink of a search; and take its results. CANCELLED means that its text was cut. */
lode_status outcome_sink(rank_output *o, lode_job *job, lode_sink **out);
lode_status outcome_take(rank_output *o, lode_sink *sink, bool partial);
/* Adds numbers that were found earlier. Returns false if there is no memory. */
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
/* Reads from a nameless file: up to `room` bytes at `place`; 0: there are no more, or it failed. */
size_t outcome_read(rank_output *o, uint64_t place, char *text, size_t room);
/* Closes the file and gives it its name, PART or PART.partial, which is PART from then on. */
lode_status outcome_finish(rank_output *o, bool partial);
/* The name that the file has now. */
const char *outcome_path(const rank_output *o);
/* Forgets everything; a file that has not got its name is removed, unless it is to be kept. */
void outcome_close(rank_output *o);

/* The lowest of the k best; 0: there are not k yet. */
uint64_t outcome_least(const rank_output *o);

#endif
