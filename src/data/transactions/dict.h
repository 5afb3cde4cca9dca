/* dict.h - maps names to dense numbers and back
 *
 * What:  a hash table from byte strings to 0, 1, 2, … in order of first appearance.
 * Load:  a dictionary has 10 .. 10^7 names of about 5 .. 40 bytes. There are far more look-ups than
 *        insertions.
 * Layout: open addressing over slots of (half of the hash, id + 1), at most 2/3 full; comparing
 *        this half first avoids nearly every comparison with a wrong name. The names are
 *        concatenated in one array, with offsets. The hash is keyed (base/hash.h), so nobody can
 *        choose names that collide.
 *
 *          slots    |  -  |h,2|  -  |h,1|  -  | …       offsets 0 5 9
 *          text     apple|pear|…                        name 0 = apple, name 1 = pear
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_DATA_TRANSACTIONS_DICT_H
#define LODE_DATA_TRANSACTIONS_DICT_H

#include "base/sort.h"
#include "base/vec.h"

typedef struct dict dict;

#define DICT_NONE UINT32_MAX

LODE_NODISCARD lode_status dict_create(mem *m, dict **out);
void dict_free(dict *d);
/* From now on until dict_sort() has ended, dict_add() and dict_sort() call `stop` now and then,
 * because they take long for many names. If `stop` returns true, they return CANCELLED. After a
 * cancelled dict_sort() the dictionary can only be freed. */
void dict_stop_by(dict *d, sort_stop stop);

/* Sets *id to the id of the name, and adds the name if it is new. Errors: NOMEM, BUDGET,
 * UNSUPPORTED (2^32 names). A failed call leaves the dictionary unchanged. */
LODE_NODISCARD lode_status dict_add(dict *d, const char *name, size_t n, uint32_t *id);
/* Returns the id of the name, or DICT_NONE. */
uint32_t dict_find(const dict *d, const char *name, size_t n);
uint32_t dict_count(const dict *d);
/* Lends a name, which is not zero-terminated. */
const char *dict_name(const dict *d, uint32_t id, size_t *n);
/* Lends the concatenated text of n names, beginning with the name `first`; *bytes receives its
 * length. `offsets`, if not NULL, receives the n + 1 positions where names begin and end. */
const char *dict_names(const dict *d, uint32_t first, uint32_t n, uint64_t *offsets, size_t *bytes);

/* dict_prepare() and dict_find_prepared() divide dict_find() into two steps, so that the memory
 * accesses of many look-ups overlap. The first step computes the hash and prefetches its slot. */
uint64_t dict_prepare(const dict *d, const char *name, size_t n);
/* The second step returns the id, or DICT_NONE. */
uint32_t dict_find_prepared(const dict *d, uint64_t hash, const char *name, size_t n);
/* Returns the bytes of memory that the dictionary holds. */
size_t dict_bytes(const dict *d);

/* Renumbers the names in PRINT ORDER. If every name consists of digits, this is the order of the
 * numbers (equal numbers, such as 7 and 007, are ordered by length), and *numeric becomes true.
 * Otherwise it is the order of the bytes of the names. new_ids[id] receives the new id of each old
 * id. */
LODE_NODISCARD lode_status dict_sort(dict *d, uint32_t *new_ids, bool *numeric);

#endif
