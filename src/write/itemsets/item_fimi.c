/* item_fimi.c - itemsets as the implementations of the FIMI workshops print them: a b c (45)
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/digits.h"
#include "write/itemsets/item_lines.h"

static char *fimi_put_tail(const lines *l, char *to, uint32_t size, uint64_t support) {
    (void)l, (void)size;
    *to++ = ' ';
    *to++ = '(';
    to = digits_put(to, support);
    *to++ = ')';
    *to++ = '\n';
    return to;
}

const item_format item_format_fimi = {
    .title = "",
    .head = "",
    .separator = ' ',
    .quoted_for = " ()",
    .has_plain_tails = true,
    .put_tail = fimi_put_tail,
};
