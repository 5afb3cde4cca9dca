/* views.h - short links to views of the page
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_VIEWS_H
#define LODE_SERVER_VIEWS_H

#include "http/request.h"
#include "server.h"

void views_create(server *s, request *r);
void views_list(server *s, request *r);
void views_get(server *s, request *r);
void views_delete(server *s, request *r);

#endif
