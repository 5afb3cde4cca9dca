/* fuzz_ipc.c - any bytes as an Arrow file or IPC stream; the first byte switches options
 * SPDX-License-Identifier: Apache-2.0 */
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    static const lode_format formats[] = {LODE_FORMAT_AUTO, LODE_FORMAT_TABLE, LODE_FORMAT_ONEHOT,
                                          LODE_FORMAT_BASKET};
    if (n == 0) return 0;
    const uint8_t flags = bytes[0];
    lode_read_options options = {.size = sizeof options,
                                 .format = formats[flags >> 6],
                                 .tid_column = flags & 1 ? "1" : NULL,
                                 .item_column = flags & 2 ? "2" : NULL,
                                 .weight_column = flags & 4 ? "3" : NULL,
                                 .drop_rows = flags & 8 ? "1=b\n2<5" : NULL,
                                 .keep_ids = flags & 16,
                                 .skip_bad_lines = flags & 32};
    fuzz_read a = fuzz_open(bytes + 1, n - 1, &options, 1, 0);
    fuzz_read b = fuzz_open(bytes + 1, n - 1, &options, 2, 1 + (flags & 63u));
    fuzz_require(a.status == b.status, "different statuses");
    if (a.status == LODE_OK) {
        fuzz_same_data(a.data, b.data);
    } else if (a.status != LODE_BUDGET) {
        fuzz_require(strcmp(lode_job_error(a.job), lode_job_error(b.job)) == 0, "other message");
    }
    fuzz_close(&a);
    fuzz_close(&b);
    return 0;
}
