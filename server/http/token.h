/* token.h - what a visitor must know who does not sit at this machine
 *
 * The token comes as `Authorization: Bearer …`, or once by POST /login, which sets a cookie that a
 * page cannot read and another site cannot send. Comparisons take the same time wherever two texts
 * differ.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_TOKEN_H
#define LODE_SERVER_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

struct request;

#define TOKEN_LEAST 16
#define TOKEN_MOST  200

/* Whether a text can be a token: printable ASCII without blanks, long enough. */
bool token_is_good(const char *words);
/* A new one of 160 random bits; NULL: no random numbers or no memory. */
char *token_make(void);
/* The first line of a file; NULL: `why` says so in one sentence. */
char *token_from_file(const char *path, char *why, size_t room);
/* Takes as long whatever the texts have in common. */
bool token_equal(const char *given, const char *expected);

/* ---- requests (login.c) ---- */

typedef enum token_verdict { TOKEN_GOOD, TOKEN_MISSING, TOKEN_WRONG } token_verdict;
/* Whether a request has the token or the cookie, where one is needed. */
token_verdict login_check(const struct request *r);
/* 401, held back a while, the longer the more often it happened. */
void login_refuse(struct request *r);

#endif
