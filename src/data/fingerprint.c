/* fingerprint.c - a hash of a data set: lode_dataset_fingerprint
 *
 * That of a transaction is made of the hashes of its items' names and of its weight; those of all
 * transactions are added up, so that neither ids nor the order in which threads read matters.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/bits.h"
#include "data/dataset.h"

static uint64_t fingerprint_row(const lode_dataset *data, uint64_t t) {
    uint32_t n = 0;
    const uint32_t *ids = dataset_row(data, t, &n);
    uint64_t sum = data->weights ? data->weights[t] : 1;
    for (uint32_t i = 0; i < n; i++) sum += dataset_id_hash(data, ids[i]);
    return bits_mix(sum);
}

uint64_t lode_dataset_fingerprint(const lode_dataset *data) {
    if (!data) return 0;
    uint64_t n = data->profile.n_transactions, sum = n;
    for (uint64_t t = 0; t < n; t++) sum += fingerprint_row(data, t);
    return bits_mix(sum);
}
