/* token.h - the access token of the server
 *
 * Clients send the token as `Authorization: Bearer …`, or once with POST /login, which sets a
 * cookie that scripts cannot read and other sites cannot send. Comparisons take constant time.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_TOKEN_H
#define LODE_SERVER_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

struct request;

#define TOKEN_LEAST 16
#define TOKEN_MOST  200

/* Whether a text can be a token: printable ASCII without spaces, 16 to 200 characters. */
bool token_is_good(const char *words);
/* A new token of 160 random bits; NULL: no random numbers or no memory. */
char *token_make(void);
/* The token in the first line of a file; NULL: `why` has one sentence. */
char *token_from_file(const char *path, char *why, size_t room);
/* Compares in constant time. */
bool token_equal(const char *given, const char *expected);

/* ---- requests (login.c) ---- */

typedef enum token_verdict { TOKEN_GOOD, TOKEN_MISSING, TOKEN_WRONG } token_verdict;
/* Whether a request has the token or the cookie, where one is needed. */
token_verdict login_check(const struct request *r);
/* Answers 401 after a delay that grows with each wrong token. */
void login_refuse(struct request *r);

#endif
