/* part_manifest.h - the manifest of a part, in the form that `lode merge` reads
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MPI_PART_MANIFEST_H
#define LODE_MPI_PART_MANIFEST_H

#include "rank_run.h"

/* Writes PART.share.json for the part number `part` of `n`. False: errno says why. */
bool part_write_manifest(const rank_run *r, int part, int n, bool complete);

#endif
