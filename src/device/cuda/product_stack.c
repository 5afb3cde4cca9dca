/* product_stack.c - the stack of frames in device memory, and what is spilled; see product_device.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/os.h"
#include "device/cuda/product_device.h"

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

/* Moves the frames below the top one, in its slab, to the host; all of their place becomes room. */
static lode_status spill(product_device *d, product_frame *top) {
    lode_status status = LODE_OK;
    size_t bytes = top->before.low;
    LODE_TRY(mem_resize(&d->job->mem, &top->spilled, 0, bytes));
    top->spilled_bytes = bytes;
    LODE_TRY(product_fetch(d, top->spilled, top->before.base, bytes));
    d->report.spilled_bytes += bytes;
    d->room = top->after = (product_room){top->before.base, 0, bytes, bytes, top->before.slab};
done:
    return status;
}

/* The frames below come back. */
static lode_status unspill(product_device *d, const product_frame *top) {
    return product_send(d, top->before.base, top->spilled, top->spilled_bytes);
}

lode_status product_make_room(product_device *d, size_t bytes, const char *what) {
    lode_status status = LODE_OK;
    product_frame *top = product_top(d);
    if (product_left(d) >= bytes || product_enter_slab(d, bytes)) return LODE_OK;
    if (!top->spilled && top->before.low >= bytes) {
        LODE_TRY(spill(d, top));
        return LODE_OK;
    }
    size_t missing = bytes - product_left(d);
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
    d->room = f->before;
    product_frame_drop(d);
    d->called += os_seconds() - start;
}
