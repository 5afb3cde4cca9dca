/* product_stack.c - the stack of frames in device memory, and what is spilled; see product_device.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "cuda/product_device.h"

lode_status product_frame_add(product_device *d, product_frame **out) {
    lode_status status = LODE_OK;
    void *frame = NULL;
    LODE_TRY(mem_zalloc(&d->job->mem, &frame, sizeof **d->frames));
    if (d->n_frames == d->frames_cap) {
        status = vec_grow(&d->job->mem, (void **)&d->frames, d->n_frames, &d->frames_cap, 1,
                          sizeof(void *));
    }
    if (status != LODE_OK) {
        mem_free(&d->job->mem, frame, sizeof **d->frames);
        return status;
    }
    *out = d->frames[d->n_frames++] = frame;
done:
    return status;
}

void product_frame_drop(product_device *d) {
    mem *m = &d->job->mem;
    product_frame *f = d->frames[--d->n_frames];
    vec_u32_free(m, &f->firsts);
    vec_u64_free(m, &f->pairs_at);
    vec_u32_free(m, &f->child_firsts);
    vec_u64_free(m, &f->child_ats);
    vec_u64_free(m, &f->child_pairs);
    vec_u64_free(m, &f->lattice_sets_at);
    vec_u32_free(m, &f->large);
    mem_free(m, f->spilled, f->spilled_bytes);
    mem_free(m, f, sizeof *f);
}

/* ---- spilling ------------------------------------------------------------------------------ */

/* Moves the frames below the top one to the host; all of their place becomes room. */
static lode_status spill(product_device *d, product_frame *top) {
    lode_status status = LODE_OK;
    size_t bytes = top->begin;
    LODE_TRY(mem_resize(&d->job->mem, &top->spilled, 0, bytes));
    top->spilled_bytes = bytes;
    LODE_TRY(product_fetch(d, top->spilled, d->pool, bytes));
    d->report.spilled_bytes += bytes;
    top->low_before = d->low;
    top->high_before = d->high;
    d->low = top->low = 0;
    d->high = top->high = bytes;
done:
    return status;
}

/* The frames below come back. */
static lode_status unspill(product_device *d, product_frame *top) {
    lode_status status = LODE_OK;
    LODE_TRY(product_send(d, d->pool, top->spilled, top->spilled_bytes));
    d->low = top->low_before;
    d->high = top->high_before;
done:
    return status;
}

lode_status product_make_room(product_device *d, size_t bytes, const char *what) {
    lode_status status = LODE_OK;
    product_frame *top = product_top(d);
    if (product_room(d) >= bytes) return LODE_OK;
    if (!top->spilled && top->begin >= bytes) {
        LODE_TRY(spill(d, top));
        return LODE_OK;
    }
    size_t missing = bytes - product_room(d);
    return job_fail(d->job, LODE_BUDGET, "the device memory is too small: %s need %.1f MiB more",
                    what, job_mib_up(missing));
done:
    return status;
}

void product_pop(product_device *d) {
    product_frame *f = product_top(d);
    double start = os_seconds();
    /* A failure stays with the device: the next call reports it. */
    if (f->spilled && unspill(d, f) != LODE_OK) d->failed = true;
    d->low = f->begin;
    product_frame_drop(d);
    if (d->n_frames > 0) d->high = product_top(d)->high;
    d->called += os_seconds() - start;
}
