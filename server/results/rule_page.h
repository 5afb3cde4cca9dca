/* rule_page.h - what a row says, in a sentence
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_RULE_PAGE_H
#define LODE_SERVER_RULE_PAGE_H

#include "http/text.h"
#include "results/stores.h"

/* "Of 54 baskets with a, 45 (83.3%) also have b; …", plain text. */
void words_of_row(store_handle *h, const lode_store_row *row, text *out);

/* What a measure says, in the words of the page: the antecedent of a rule is its if-part there, and
 * its consequent the then-part. */
void words_summary(const char *help, text *out);

/* The name of a measure for people: "relativeRisk" is "Relative risk". */
void words_title(const char *name, text *out);

#endif
