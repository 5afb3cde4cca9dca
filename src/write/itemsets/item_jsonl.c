/* item_jsonl.c - itemsets as lines of JSON: {"items":["a","b"],"count":45,"support":0.045}
 * SPDX-License-Identifier: Apache-2.0 */
#include "write/core/digits.h"
#include "write/itemsets/item_lines.h"

static char *jsonl_put_tail(const lines *l, char *to, uint32_t size, uint64_t support) {
    (void)size;
    to = digits_put(lines_put(to, "],\"count\":"), support);
    to = digits_put_ratio(lines_put(to, ",\"support\":"), support, l->n_transactions);
    *to++ = '}';
    *to++ = '\n';
    return to;
}

const item_format item_format_jsonl = {
    .title = "",
    .head = "{\"items\":[",
    .separator = ',',
    .has_plain_tails = true,
    .put_tail = jsonl_put_tail,
};
