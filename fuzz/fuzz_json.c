/* fuzz_json.c - any bytes as a JSON file
 *
 * The first byte switches options, as in target.h; its low bits choose fields, not separators.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

static void json_compare(const fuzz_read *a, const fuzz_read *b) {
    fuzz_require(a->status == b->status, "different statuses");
    if (a->status == LODE_OK) {
        fuzz_same_data(a->data, b->data);
        return;
    }
    fuzz_require(strcmp(lode_job_error(a->job), lode_job_error(b->job)) == 0, "other message");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    if (n == 0) return 0;
    const unsigned how = bytes[0];
    lode_read_options options = {.size = sizeof options,
                                 .format = how & 128 ? LODE_FORMAT_AUTO : LODE_FORMAT_JSON,
                                 .item_column = how & 1 ? "items" : NULL,
                                 .tid_column = how & 2 ? "id" : NULL,
                                 .weight_column = how & 4 ? "w" : NULL,
                                 .skip_bad_lines = how >> 3 & 1,
                                 .drop_rows = how & 16 ? "s=x*\nw>3" : NULL,
                                 .keep_ids = how >> 5 & 1};
    fuzz_read a = fuzz_open(bytes + 1, n - 1, &options, 1, 0);
    fuzz_read b = fuzz_open(bytes + 1, n - 1, &options, 2, 1 + (how >> 6) * 5u);
    json_compare(&a, &b);
    fuzz_close(&a);
    fuzz_close(&b);
    return 0;
}
