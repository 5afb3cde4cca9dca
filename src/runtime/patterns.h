/* patterns.h - the kinds of pattern that lode finds
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RUNTIME_PATTERNS_H
#define LODE_RUNTIME_PATTERNS_H

typedef enum pattern_kind { PATTERN_ITEMSETS, PATTERN_GRAPHS } pattern_kind;

#endif
