/* folder.h - the data folder: ownership, lock, and the folder lost/
 *
 * The server only uses a folder that it created: such a folder has the marker file lode.folder,
 * with the id of its database. What a start finds, and what it does:
 *
 *   nothing                                          creates the database, then the marker
 *   the marker, and the database with that id        continues
 *   no marker, but the database of an older server   continues, and writes the marker
 *   the marker, or uploads or results, but not the
 *     database that belongs to them                  refuses; --recover creates a new database
 *   anything else                                    refuses
 *
 * A refused folder is left unchanged. The server only moves or removes files whose names it
 * generates itself; files that the database does not list are moved to lost/.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_FOLDER_H
#define LODE_SERVER_FOLDER_H

#include <dirent.h>

#include "system/config.h"

struct database;

typedef struct data_folder data_folder;

/* Checks that the folder belongs to the server, locks it and opens its database. The caller closes
 * *db. NULL: `why` has one sentence, and nothing was changed. */
data_folder *folder_open(config *c, struct database **db, char *why, size_t room);
void folder_close(data_folder *f);

#define FOLDER_NUMBER_MOST ((uint64_t)1 << 53) /* the highest id of a data set or job */

/* The id in the file name of a result or an upload: 12 of "12.arrow" and "12.data". 0: any other
 * name. *whole is false for unfinished files such as "12.arrow.tmp.99" and "12.part". */
uint64_t folder_result(const char *name, bool *whole);
uint64_t folder_upload(const char *name, bool *whole);

/* Calls `look` for every entry of a folder that is not hidden, in directory order. `look` may move
 * or remove the entry. False: the folder could not be read to its end; see errno. */
bool folder_each(const char *path, void (*look)(void *user, int folder, const char *name),
                 void *user);

/* Moves a file of an open folder to lost/, under its name or the name and a number. False: it was
 * not moved, and a message was printed. */
bool folder_lose(data_folder *f, int from, const char *name);
/* Number of files moved so far. */
size_t folder_lost(const data_folder *f);
/* The path of lost/, which may not exist. */
const char *folder_lost_path(const data_folder *f);

#endif
