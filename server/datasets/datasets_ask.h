/* datasets_ask.h - what the worker of a data set knows: profile, cleaning, thresholds, baskets
 *
 * The last three are about the data of a job as it has mined them, however they are read and
 * cleaned since.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DATASETS_ASK_H
#define LODE_SERVER_DATASETS_ASK_H

#include "http/request.h"
#include "server.h"

void ask_profile(server *s, request *r);
void ask_clean(server *s, request *r);
void ask_suggest(server *s, request *r);
void ask_baskets(server *s, request *r);
void ask_pairs(server *s, request *r);
void ask_graph(server *s, request *r);

void ask_job_profile(server *s, request *r);
void ask_job_baskets(server *s, request *r);
void ask_job_pairs(server *s, request *r);

#endif
