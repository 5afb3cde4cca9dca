/* datasets_ask.h - requests that the worker of a data set answers: profile, columns, cleaning,
 * thresholds, baskets, pairs, graphs
 *
 * The ask_job_… functions use the data that a job has mined, even if the options of the data set
 * have changed since.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_DATASETS_ASK_H
#define LODE_SERVER_DATASETS_ASK_H

#include "http/request.h"
#include "server.h"

void ask_profile(server *s, request *r);
void ask_columns(server *s, request *r);
void ask_clean(server *s, request *r);
void ask_suggest(server *s, request *r);
void ask_baskets(server *s, request *r);
void ask_pairs(server *s, request *r);
void ask_graph(server *s, request *r);

void ask_job_profile(server *s, request *r);
void ask_job_suggest(server *s, request *r);
void ask_job_baskets(server *s, request *r);
void ask_job_pairs(server *s, request *r);

#endif
