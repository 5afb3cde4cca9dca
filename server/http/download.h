/* download.h - answers that are files, piece by piece; reply_file() is in request.h
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DOWNLOAD_H
#define LODE_SERVER_DOWNLOAD_H

#include <stdint.h>

/* What the files take that are being sent and have no name any more, so that nothing else says
 * so. */
uint64_t download_unnamed_bytes(void);

#endif
