/* datasets_ask.h - what the worker of a data set knows: profile, cleaning, thresholds, baskets
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DATASETS_ASK_H
#define LODE_SERVER_DATASETS_ASK_H

#include "request.h"
#include "server.h"

void ask_profile(server *s, request *r);
void ask_clean(server *s, request *r);
void ask_suggest(server *s, request *r);
void ask_baskets(server *s, request *r);
void ask_pairs(server *s, request *r);
void ask_graph(server *s, request *r);

#endif
