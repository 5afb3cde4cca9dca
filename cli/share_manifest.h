/* share_manifest.h - the manifest of a share: which shares belong together, and which are complete
 *
 * `lode itemsets … --share K/N -o PART` also writes the manifest PART.share.json, when PART is
 * complete. The manifest says which share of which search PART is; `lode merge` joins parts only if
 * they are all shares of one search.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_SHARE_MANIFEST_H
#define LODE_CLI_SHARE_MANIFEST_H

#include "totals.h"

#define SHARE_TEXT  4096              /* bytes of the options as text */
#define SHARE_SIZES ((size_t)1 << 18) /* bytes of all sizes as text, some 20,000 of them */
#define SHARE_SMALL 64

typedef struct share_manifest {
    char kind[SHARE_SMALL];                   /* "itemsets", "graphs" */
    uint64_t share, of;                       /* this is share `share`, from 1, of `of` shares */
    char cut[SHARE_SMALL], data[SHARE_SMALL]; /* hashes of the division, and of the data */
    char options[SHARE_TEXT];                 /* the options that affect the result */
    char write[SHARE_SMALL];                  /* the format of PART; "count": there is no PART */
    uint64_t top;                             /* K of top:K, else 0 */
    uint64_t complete;                        /* 0: a limit ended the search */
    uint64_t patterns, bytes;                 /* how many patterns PART has; its length */
    char content[SHARE_SMALL];                /* a hash of the bytes of PART */
    char hash[SHARE_SMALL];                   /* the hash of the patterns; "": not requested */
    char sizes[SHARE_SIZES];                  /* number of patterns of each size: "1:24,2:108" */
} share_manifest;

/* Whether --share was given. */
bool share_wanted(const cli_args *args);
/* Checks whether the other options can be combined with --share. Returns false after printing why
 * not. */
bool share_check(const cli_args *args);
/* Checks whether output in the requested format can be joined from pieces, as `option` requires.
 * Returns false after printing why not. */
bool share_check_form(const cli_args *args, const char *option);
/* Returns the format of the output; "count" means only numbers. */
const char *share_format(const cli_args *args);
/* Writes `first`, which has the threshold, and then the other options that affect the result,
 * sorted. Returns false if the text is too long. */
bool share_options(const cli_args *args, const char *first, char text[SHARE_TEXT]);
/* Checks whether the name of a part's manifest is free, or belongs to an earlier manifest. Returns
 * false after printing why not. */
bool share_may_replace(const char *part);
/* Removes the manifest of an earlier run. Call it when this run begins to search. */
void share_forget(const char *part);
/* Writes the numbers of patterns by size, in the form of the manifest. Returns false if the text is
 * too long. */
bool share_sizes(const uint64_t *sizes, size_t n, char text[SHARE_SIZES]);
/* Computes the hash of a finished file, for `content`. Returns false and sets errno on failure. */
bool share_hash_file(const char *path, char content[SHARE_SMALL]);
/* Writes a manifest next to its part, atomically. Returns false and sets errno on failure. */
bool share_save(const char *part, const share_manifest *m);
/* Writes the manifest of a part that is finished. */
lode_status share_write(const cli_args *args, lode_job *job, const mine_totals *totals,
                        uint64_t fingerprint, bool complete);
/* Reads the manifest of a part. Returns false after printing what is wrong. */
bool share_read(const char *part, share_manifest *out);

#endif
