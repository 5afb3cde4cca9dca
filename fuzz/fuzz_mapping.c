/* fuzz_mapping.c - any bytes as a mapping file, applied to a small data set
 *
 * The first byte switches foldings. No name that the mapping leads to may be mapped further, and
 * no transaction may be lost.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "extras/clean/mapping.h"
#include "target.h"

static const char noisy[] = "Milk,milk,\"a,b\"\n Bread ,bread\nbeer 1,beer 2,BEER\nÉclair,x*y,a\n";

/* What the mapping makes of a name is not mapped further. */
static void mapping_is_closed(lode_job *job, mapping *map) {
    for (uint32_t i = 0; i < dict_count(map->to); i++) {
        size_t n, n_to, n_last;
        const char *to, *last, *name = dict_name(map->to, i, &n);
        if (mapping_apply(job, map, name, n, &to, &n_to) != LODE_OK || !to) continue;
        if (mapping_apply(job, map, to, n_to, &last, &n_last) != LODE_OK) continue;
        bool by_name = dict_find(map->from.plain, to, n_to) != DICT_NONE;
        bool same = !last || (n_last == n_to && memcmp(last, to, n_to) == 0);
        fuzz_require(!by_name || same, "a chain was not followed to its end");
    }
}

static void mapping_clean(lode_job *job, const char *text, unsigned how) {
    lode_dataset *data = NULL, *clean = NULL;
    lode_clean_options o = {.size = sizeof o,
                            .map_text = text,
                            .fold_case = how & 1,
                            .fold_accents = how >> 1 & 1,
                            .keep_blanks = how >> 2 & 1};
    lode_read_options r = {.size = sizeof r, .format = LODE_FORMAT_BASKET, .separator = ','};
    const char *reason = "";
    fuzz_require(lode_dataset_parse(job, &data, noisy, sizeof noisy - 1, "x", &r) == LODE_OK,
                 "no data");
    lode_status status = lode_clean(job, &clean, data, &o, NULL);
    if (status == LODE_OK) {
        fuzz_require(dataset_validate(clean, &reason), reason);
        fuzz_require(clean->profile.n_transactions == 4, "transactions are lost");
    } else {
        fuzz_require(status == LODE_PARSE && lode_job_error(job)[0], "failure without a message");
    }
    lode_dataset_free(clean);
    lode_dataset_free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n) {
    lode_job_options o = {.size = sizeof o, .threads = 1, .memory_bytes = FUZZ_BUDGET};
    lode_job *job = NULL;
    mapping map = {0};
    if (n == 0) return 0;
    fuzz_require(lode_job_create(&job, NULL, &o) == LODE_OK, "no job");
    char *text = malloc(n);
    memcpy(text, bytes + 1, n - 1);
    text[n - 1] = 0;
    if (mapping_read(job, NULL, text, bytes[0] & 7, &map) == LODE_OK) mapping_is_closed(job, &map);
    mapping_clear(&map);
    mapping_clean(job, text, bytes[0]);
    free(text);
    fuzz_require(lode_ctx_memory_used(lode_job_ctx(job)) == 0, "memory is left over");
    lode_job_free(job);
    return 0;
}
