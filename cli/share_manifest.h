/* share_manifest.h - the manifest of a share: what belongs together, and whether it is complete
 *
 * `lode itemsets … --share K/N -o PART` also writes PART.share.json, when PART is complete. It says
 * which share of which search this is; `lode merge` joins parts only if they are all shares of one.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_SHARE_MANIFEST_H
#define LODE_CLI_SHARE_MANIFEST_H

#include "totals.h"

#define SHARE_TEXT  4096              /* bytes of the options as text */
#define SHARE_SIZES ((size_t)1 << 18) /* bytes of all sizes as text, some 20,000 of them */
#define SHARE_SMALL 64

typedef struct share_manifest {
    char kind[SHARE_SMALL]; /* "itemsets", "graphs" */
    uint64_t share, of;
    char cut[SHARE_SMALL], data[SHARE_SMALL]; /* hashes, of how it was cut and of what */
    char options[SHARE_TEXT];                 /* that decide about the result */
    char write[SHARE_SMALL];                  /* the format of PART; "count": there is none */
    uint64_t top;                             /* K of top:K, else 0 */
    uint64_t complete;                        /* 0: a limit has ended it */
    uint64_t patterns, bytes;
    char content[SHARE_SMALL]; /* a hash of the bytes of PART */
    char hash[SHARE_SMALL];    /* "": none was asked for */
    char sizes[SHARE_SIZES];   /* "1:24,2:108": how many there are of each size */
} share_manifest;

/* Whether --share was given. */
bool share_wanted(const cli_args *args);
/* Whether the other options go with --share; if not, says so. */
bool share_check(const cli_args *args);
/* Whether output in this format can be combined from pieces, as `option` requires; if not, prints a
 * message. */
bool share_check_form(const cli_args *args, const char *option);
/* Returns the format of the output; "count" means only numbers. */
const char *share_format(const cli_args *args);
/* Lists the options that affect the result, sorted, after `first`, which has the threshold. Returns
 * false if they are too long. */
bool share_options(const cli_args *args, const char *first, char text[SHARE_TEXT]);
/* Whether the name of a part's manifest is free, or that of an earlier one; if not, says so. */
bool share_may_replace(const char *part);
/* Removes the manifest of an earlier run, when this one begins to search. */
void share_forget(const char *part);
/* Writes the numbers of patterns by size as in the manifest. Returns false if they are too long. */
bool share_sizes(const uint64_t *sizes, size_t n, char text[SHARE_SIZES]);
/* Computes the manifest's hash of a finished file. Returns false and sets errno on failure. */
bool share_hash_file(const char *path, char content[SHARE_SMALL]);
/* Writes a manifest beside its part, atomically. Returns false and sets errno on failure. */
bool share_save(const char *part, const share_manifest *m);
/* Writes the manifest of a part that is finished. */
lode_status share_write(const cli_args *args, lode_job *job, const mine_totals *totals,
                        uint64_t fingerprint, bool complete);
/* Reads the manifest of a part. Returns false after printing what is wrong. */
bool share_read(const char *part, share_manifest *out);

#endif
