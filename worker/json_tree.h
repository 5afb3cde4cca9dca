/* json_tree.h - reads one JSON text (RFC 8259) from a stranger
 *
 * Strict: UTF-8, no zero characters, no lone surrogates, no more than JSON_DEPTH levels and
 * JSON_MOST values, nothing after the value. The nodes of the tree are an array in the order of the
 * text, so walking over it needs no recursion.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_CLI_JSON_TREE_H
#define LODE_CLI_JSON_TREE_H

#include "cli.h"

#define JSON_DEPTH 32
#define JSON_MOST  20000 /* values in a text */

typedef enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_LIST,
    JSON_OBJECT
} json_type;

typedef struct json_node {
    json_type type;
    const char *name; /* the key in its object, or NULL */
    const char *text; /* of strings and, as written, of numbers, false, true and null */
    size_t next;      /* the number of the first node that is not within this one */
} json_node;

typedef struct json_tree {
    json_node *nodes; /* nodes[0] is the whole value */
    size_t n, room;
    char *text; /* the memory of all strings, each no longer than in the text, with a zero */
} json_tree;

/* Returns false if the text is not JSON, or without memory; `message` says what is wrong. */
bool json_tree_read(json_tree *t, const char *text, size_t bytes, const char **message);
void json_tree_free(json_tree *t);

/* The members of node `in`, which is a list or an object: for (size_t i = json_first(t, in); i;
 * i = json_after(t, in, i)). 0: there are no more. */
size_t json_first(const json_tree *t, size_t in);
size_t json_after(const json_tree *t, size_t in, size_t i);
/* The first member of an object with this name; 0: there is none, or `in` is not an object. */
size_t json_find(const json_tree *t, size_t in, const char *name);
/* The text of such a member if it is a string, or else NULL. */
const char *json_string_of(const json_tree *t, size_t in, const char *name);

#endif
