/* catalog.c - lists of algorithms and devices
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "pipeline/engine/engine.h"
#include "runtime/valid.h"

bool lode_algorithm_at(lode_pattern_kind kind, size_t i, lode_algorithm *out) {
    const lode_engine *engine = engine_at(kind, i);
    if (!engine) return valid_fill(out, NULL);
    lode_algorithm a = {
        .name = engine->name,
        .summary = engine->summary,
        .oracle = engine->oracle,
        .weights = engine->weights,
        .targets = engine_targets(engine),
    };
    return valid_fill(out, &a);
}

static bool absent_device_at(size_t i, lode_device *out) {
    lode_device d = {.name = backend_absent_at(i)};
    snprintf(d.detail, sizeof d.detail, "%s", BACKEND_ABSENT);
    return valid_fill(out, d.name ? &d : NULL);
}

void lode_device_wake(const char *device) {
    backend_wake(device);
}

bool lode_device_at(size_t i, lode_device *out) {
    const lode_backend *backend = backend_at(i);
    size_t n_there = 0;
    while (backend_at(n_there)) n_there++;
    if (!backend) return absent_device_at(i - n_there, out);
    lode_device d = {.name = backend->name};
    d.usable = out && backend->probe(d.detail, sizeof d.detail);
    return valid_fill(out, &d);
}
