/* test_products.c - classes of rows on every device, called step by step, compared with enumeration
 *
 * The driver (product_driver.h) searches a root with the calls of device/api/products.h, and
 * records every set with its support. The expected sets are found by intersecting rows one by one,
 * and by trying every other row to see whether a set is closed or maximal (product_model.h).
 *
 * LODE_TEST_DEVICES names the devices; the default is the CPU. LODE_TEST_SHAPE=N tests only one
 * shape and one kernel, for slow tools.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "device/api/backend.h"
#include "product_driver.h"

#define STEP BY_BUILD(1, 7, 7) /* only every STEP-th shape */

/* ---- one run --------------------------------------------------------------------------------- */

#define GPU_BYTES ((uint64_t)64 << 20) /* its budget: allocating more would take time */

typedef struct place {
    lode_job *job;
    backend_slot slot;
    const char *name;
} place;

static bool is_cpu(const place *p) {
    return p->slot.backend == backend_at(0);
}

/* Sets by size, from a tally. */
static void tally_sizes(const uint64_t *tally, bool whole, uint32_t max_size, uint64_t *sizes) {
    for (uint32_t size = 0; size < PRODUCT_SIZES; size++) {
        for (uint32_t n_free = 0; n_free < PRODUCT_SIZES; n_free++) {
            uint64_t n = tally[size * PRODUCT_SIZES + n_free], choose = 1;
            for (uint32_t j = whole ? n_free : 0; j <= n_free && n > 0; j++) {
                if (size + j <= max_size && size + j < MAX_ROWS) sizes[size + j] += n * choose;
                choose = whole ? 0 : choose * (n_free - j) / (j + 1);
            }
        }
    }
}

static void check_tally(driver *d, const found_sets *want) {
    uint64_t *tally = take((size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *tally);
    uint64_t got[MAX_ROWS] = {0}, wanted[MAX_ROWS] = {0};
    DRIVER_CHECK(d, d->products->tally(d->device, tally) == LODE_OK);
    tally_sizes(tally, d->config.target != LODE_TARGET_ALL, d->max_size, got);
    for (size_t i = 0; i < want->n; i++) wanted[want->data[i].size]++;
    DRIVER_CHECK(d, memcmp(got, wanted, sizeof got) == 0);
    /* A second call adds nothing: each result is tallied once. */
    memset(tally, 0, (size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *tally);
    DRIVER_CHECK(d, d->products->tally(d->device, tally) == LODE_OK);
    for (size_t i = 0; i < (size_t)PRODUCT_SIZES * PRODUCT_SIZES; i++) d->fine &= tally[i] == 0;
    DRIVER_CHECK(d, d->fine);
    free(tally);
}

static void check_report(driver *d, uint64_t n_sets) {
    product_report report = d->products->report(d->device);
    uint64_t rows = 0, lattices = 0;
    for (unsigned i = 0; i < PRODUCT_DEPTHS; i++) {
        rows += report.depths[i].rows;
        lattices += report.depths[i].lattices;
    }
    DRIVER_CHECK(d, report.kernel[0] != 0);
    DRIVER_CHECK(d, n_sets == 0 || d->max_size == 1 || rows > 0);
    DRIVER_CHECK(d, lattices <= rows);
}

/* The sets of at most max_size items. */
static found_sets sets_up_to(const found_sets *all, uint32_t max_size) {
    found_sets few = {0};
    few.data = take((all->n + 1) * sizeof *few.data);
    for (size_t i = 0; i < all->n; i++) {
        if (all->data[i].size <= max_size) few.data[few.n++] = all->data[i];
    }
    return few;
}

/* Runs once; false if the device has no such kernel. */
static bool check_run(const place *p, const product_root *root, product_config config,
                      uint32_t min_count, uint32_t max_size, const found_sets *all, uint64_t seed) {
    driver d = {.products = p->slot.backend->products,
                .config = config,
                .min_count = min_count,
                .max_size = max_size,
                .r = rng_make(seed, config.step),
                .fine = true};
    found_sets want = sets_up_to(all, max_size);
    lode_status opened = d.products->open(p->job, p->slot.index, 1, root, &config, &d.device);
    if (opened == LODE_OK) {
        drive_root(&d, root);
        if (d.fine && config.fetch) DRIVER_CHECK(&d, found_equal(&d.out, &want));
        if (d.fine && !config.fetch) check_tally(&d, &want);
        check_report(&d, want.n);
        d.products->close(d.device);
    } else if (config.kernel == PRODUCT_AUTO || opened != LODE_UNSUPPORTED) {
        DRIVER_CHECK(&d, opened == LODE_OK);
    }
    if (!d.fine) {
        fprintf(stderr,
                "  %s: %u rows, %" PRIu64
                " columns, %s, target %d, support %u, sizes to %u, kernel "
                "%d, step %u, lattices of %u, %s: %zu of %zu sets; %s\n",
                p->name, root->n_rows, root->n_columns, root->rows ? "bits" : "lists",
                (int)config.target, min_count, max_size, (int)config.kernel, config.step,
                config.lattice_items, config.fetch ? "sets" : "numbers", d.out.n, want.n,
                lode_job_error(p->job));
    }
    free(d.out.data);
    free(want.data);
    return opened != LODE_UNSUPPORTED;
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static const char *only_shape; /* LODE_TEST_SHAPE */

static const lode_target targets[] = {LODE_TARGET_ALL, LODE_TARGET_CLOSED, LODE_TARGET_MAXIMAL};
static const product_kernel kernels[] = {PRODUCT_AUTO, PRODUCT_POPC, PRODUCT_MMA, PRODUCT_WGMMA};
/* Below 100, a GPU also cuts the root into slices. A step of 1 would take it too long. */
static const uint32_t cpu_steps[] = {0, 1, 50}, gpu_steps[] = {0, 60, 400};
static const uint32_t max_sizes[] = {UINT32_MAX, 1, 2, 3, 5};
static const uint32_t lattices[] = {0, PRODUCT_LATTICE_ITEMS, 13};

/* On a GPU some kernels are left out to save time: lists have no products, and `auto` is one of the
 * others. */
static bool is_tried(const place *p, const product_root *root, product_kernel kernel) {
    if (is_cpu(p)) return true;
    if (only_shape) return kernel == PRODUCT_MMA;
    return root->rows ? kernel != PRODUCT_AUTO : kernel == PRODUCT_AUTO;
}

/* All kernels, steps and kinds of result on one root; sizes in turn. */
static void check_ways(const place *p, const product_root *root, lode_target target,
                       uint32_t min_count, const found_sets *all, uint64_t seed) {
    const uint32_t *steps = is_cpu(p) ? cpu_steps : gpu_steps;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        if (!is_tried(p, root, kernels[k])) continue;
        for (size_t way = 0; way < 6; way++) {
            product_config config = {.target = target,
                                     .kernel = kernels[k],
                                     .fetch = way % 2 == 0,
                                     .step = steps[way / 2],
                                     .slab_bytes = (seed + way) % 3 ? 0 : 65536,
                                     .lattice_items = lattices[(seed + way / 2 + k) % 3]};
            uint32_t most = UINT32_MAX;
            if (target == LODE_TARGET_ALL) most = max_sizes[(seed + way + k) % 5];
            if (!check_run(p, root, config, min_count, most, all, seed + way)) break;
        }
    }
}

static void check_shape(const place *p, const shape *s, uint64_t seed) {
    input in = input_make(s, seed);
    uint32_t min_count = find_threshold(&in, s->min_count);
    input_drop(&in, min_count);
    product_root lists = input_lists(&in);
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        brute b = {.in = &in, .min_count = min_count, .target = targets[t]};
        brute_extend(&b, NULL, 0);
        if (in.root.n_rows > 0) {
            check_ways(p, &in.root, targets[t], min_count, &b.out, seed);
            check_ways(p, &lists, targets[t], min_count, &b.out, seed + 1);
        }
        free(b.out.data);
    }
    input_free(&in);
}

static const place *here;

static void test_shapes(void) {
    unsigned done = 0;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += STEP) {
        if (only_shape && i != strtoul(only_shape, NULL, 10)) continue;
        done++;
        unsigned n_seeds = is_cpu(here) && getenv("LODE_LONG") ? 2 : 1;
        for (uint64_t seed = 0; seed < n_seeds; seed++) check_shape(here, &shapes[i], seed);
    }
    CHECK(done > 0);
}

/* Copies of one row: all but the first are perfect. 64 of them are too many for a tally. */
static void check_copies(uint32_t n, lode_target target) {
    const shape s = {n, 100, 500, 500, 1000000, 1, 0};
    input in = input_make(&s, n);
    uint64_t *tally = take((size_t)PRODUCT_SIZES * PRODUCT_SIZES * sizeof *tally);
    driver d = {.products = here->slot.backend->products,
                .config = {.target = target},
                .min_count = 1,
                .max_size = UINT32_MAX,
                .fine = true};
    if (CHECK(d.products->open(here->job, here->slot.index, 1, &in.root, &d.config, &d.device) ==
              LODE_OK)) {
        level l = {.n_rows = n};
        drive(&d, &l, 0, 0, n);
        lode_status status = d.products->tally(d.device, tally);
        CHECK_EQUAL(status, n > PRODUCT_SIZES ? LODE_UNSUPPORTED : LODE_OK);
        if (status == LODE_OK) CHECK_EQUAL(tally[PRODUCT_SIZES + n - 1], 1);
        d.products->close(d.device);
    }
    free(tally);
    input_free(&in);
}

static void test_copies(void) {
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        check_copies(2, targets[t]);
        check_copies(PRODUCT_SIZES, targets[t]);
        check_copies(PRODUCT_SIZES + 1, targets[t]);
        check_copies(130, targets[t]);
    }
}

/* With any budget of the host or of the GPU: all sets, or a refusal, and never more memory than the
 * budget. */
static void test_budgets(void) {
    const shape s = {90, 900, 150, 450, 2, 40, 0};
    input in = input_make(&s, 3);
    uint32_t min_count = find_threshold(&in, s.min_count);
    input_drop(&in, min_count);
    product_root lists = input_lists(&in);
    unsigned refused = 0, done = 0;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        brute b = {.in = &in, .min_count = min_count, .target = targets[t]};
        brute_extend(&b, NULL, 0);
        for (double kib = 40; kib < 1000; kib *= BY_BUILD(1.06, 1.3, 1.3)) {
            lode_job *job = NULL;
            lode_job_options o = {.size = sizeof o, .device = here->name, .threads = 1};
            if (is_cpu(here)) {
                o.memory_bytes = (uint64_t)(kib * 1024);
            } else {
                o.device_memory_bytes = (uint64_t)(kib * 1024) * 60;
            }
            driver d = {.products = here->slot.backend->products,
                        .config = {.target = targets[t],
                                   .fetch = true,
                                   .lattice_items = lattices[(done + refused) % 3]},
                        .min_count = min_count,
                        .max_size = UINT32_MAX,
                        .fine = true,
                        .tight = true};
            const product_root *root = done % 2 ? &in.root : &lists;
            if (lode_job_create(&job, NULL, &o) != LODE_OK) exit(2);
            lode_status status =
                d.products->open(job, here->slot.index, 1, root, &d.config, &d.device);
            if (drive_on(&d, status)) drive_root(&d, root);
            if (!d.refused && !CHECK(found_equal(&d.out, &b.out))) {
                fprintf(stderr, "  %.0f KiB, target %d, %s: %zu of %zu sets; %s\n", kib,
                        (int)targets[t], root->rows ? "bits" : "lists", d.out.n, b.out.n,
                        lode_job_error(job));
            }
            *(d.refused ? &refused : &done) += 1;
            if (status == LODE_OK) d.products->close(d.device);
            CHECK(!is_cpu(here) || (double)lode_ctx_memory_peak(lode_job_ctx(job)) <= kib * 1024);
            CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(job)), 0);
            lode_job_free(job);
            free(d.out.data);
        }
        free(b.out.data);
    }
    printf("    %u times refused, %u times done\n", refused, done);
    CHECK(done > 0 && (refused > 0 || strcmp(here->slot.backend->name, "cpu") != 0));
    input_free(&in);
}

/* ---- devices --------------------------------------------------------------------------------- */

static void run_on(const char *device) {
    place p = {.job = mining_job(device), .name = device};
    backend_plan *plan = take(sizeof *plan);
    if (CHECK(backend_make_plan(p.job, device, plan) == LODE_OK)) {
        p.slot = plan->slots[0];
        p.job->device_memory = GPU_BYTES;
        here = &p;
        printf("%s\n", plan->text);
        if (CHECK(p.slot.backend->products != NULL)) {
            CHECK_RUN(test_shapes);
            if (!only_shape) {
                CHECK_RUN(test_copies);
                CHECK_RUN(test_budgets);
            }
        }
        CHECK_EQUAL(lode_ctx_memory_used(lode_job_ctx(p.job)), 0);
    }
    free(plan);
    lode_job_free(p.job);
}

int main(void) {
    static const char *const defaults[] = {"cpu"};
    char done[16][64] = {{0}};
    only_shape = getenv("LODE_TEST_SHAPE");
    for (size_t i = 0; i < 16; i++) {
        const char *device = mining_device(defaults, 1, i);
        snprintf(done[i], sizeof done[i], "%s", device);
        if (i > 0 && strcmp(done[0], done[i]) == 0) break; /* all were here */
        run_on(done[i]);
    }
    return check_result();
}
