/* download.h - sends files in chunks; reply_file() is in request.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DOWNLOAD_H
#define LODE_SERVER_DOWNLOAD_H

#include <stdint.h>

/* Bytes on disk of deleted files that are still being sent; no other count includes them. */
uint64_t download_unnamed_bytes(void);

#endif
