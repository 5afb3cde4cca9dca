/* methods.h - the level-wise methods, which engines.c lists
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_PAPERS_METHODS_H
#define LODE_PAPERS_METHODS_H

#include "papers/levelwise.h"

extern const levelwise_method tbi_method, pbi_method, goethals_method;
extern const levelwise_method gpapriori_method, eqclass_method, gpu_apriori_method;

#endif
