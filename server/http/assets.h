/* assets.h - the files of the page, embedded in this program
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_ASSETS_H
#define LODE_SERVER_ASSETS_H

#include <stdbool.h>
#include <stddef.h>

/* A file of page/dist. CMake writes the table (assets_embed.cmake); its last entry has path
 * NULL. */
typedef struct asset_file {
    const char *path; /* "/index.html" */
    const unsigned char *begin, *end;
} asset_file;

extern const asset_file asset_files[];

/* Compresses every file once. */
bool assets_start(char *why, size_t room);
void assets_stop(void);

#endif
