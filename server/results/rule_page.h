/* rule_page.h - describes a row in a sentence
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_RULE_PAGE_H
#define LODE_SERVER_RULE_PAGE_H

#include "http/text.h"
#include "results/stores.h"

/* "Of 54 baskets with a, 45 (83.3%) also have b; …", plain text. */
void words_of_row(store_handle *h, const lode_store_row *row, text *out);

/* The help text of a measure in the words of the page, which says if-part and then-part for
 * antecedent and consequent. */
void words_summary(const char *help, text *out);

/* The display name of a measure: "relativeRisk" becomes "Relative risk". */
void words_title(const char *name, text *out);

#endif
