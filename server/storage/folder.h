/* folder.h - the data folder: whose it is, its lock, and what is set aside
 *
 * A folder belongs to the server only if the server made it: then it holds the marker lode.folder,
 * with the number of its database. What a start finds, and what it does:
 *
 *   nothing there                                    makes the database, then the marker
 *   the marker, and the database of that number      goes on
 *   no marker, and a database with a server's tables an older server's: goes on, writes the marker
 *   the marker, and no database or another one,
 *     while there are uploads or results             refuses; --recover makes one from the files
 *   anything else                                    refuses
 *
 * A folder that is refused is left as it is. Only files whose names the server makes are ever
 * moved or removed; files that the database does not know are moved to lost/.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_FOLDER_H
#define LODE_SERVER_FOLDER_H

#include <dirent.h>

#include "system/config.h"

struct database;

typedef struct data_folder data_folder;

/* Checks that the folder is the server's, takes its lock and opens its database. The caller closes
 * *db. NULL: `why` says why in one sentence, and nothing was changed. */
data_folder *folder_open(config *c, struct database **db, char *why, size_t room);
void folder_close(data_folder *f);

#define FOLDER_NUMBER_MOST ((uint64_t)1 << 53) /* that a data set or job has */

/* The number in a name that the server makes for a result or an upload: 12 of "12.arrow" and
 * "12.data". 0: it has another name. *whole: it is not the half of one, as "12.arrow.tmp.99" and
 * "12.part" are. */
uint64_t folder_result(const char *name, bool *whole);
uint64_t folder_upload(const char *name, bool *whole);

/* Calls `look` for every entry of a folder that is not hidden, in the order of the disk; false: it
 * could not be read to its end, and errno says why. `look` may move or remove the entry. */
bool folder_each(const char *path, void (*look)(void *user, int folder, const char *name),
                 void *user);

/* Moves a file of an open folder to lost/, under its name or one with a number behind it. False: it
 * stays where it is, and a message was printed. */
bool folder_lose(data_folder *f, int from, const char *name);
/* How many were moved so far. */
size_t folder_lost(const data_folder *f);
/* The path of lost/, which may not be there. */
const char *folder_lost_path(const data_folder *f);

#endif
