/* item_spmf.c - itemsets as SPMF prints them: a b c #SUP: 45
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/digits.h"
#include "write/itemsets/item_lines.h"

static char *spmf_put_tail(const lines *l, char *to, uint32_t size, uint64_t support) {
    (void)l, (void)size;
    to = digits_put(lines_put(to, " #SUP: "), support);
    *to++ = '\n';
    return to;
}

const item_format item_format_spmf = {
    .title = "",
    .head = "",
    .separator = ' ',
    .quoted_for = " ()",
    .has_plain_tails = true,
    .put_tail = spmf_put_tail,
};
