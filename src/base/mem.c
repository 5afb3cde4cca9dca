/* mem.c - see mem.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#include "base/os.h"

#define MEM_PAGES_FROM ((size_t)256 << 10)

/* Sanitizers see small overruns only in blocks of malloc. */
#if defined(__SANITIZE_ADDRESS__) || defined(LODE_MEM_NO_PAGES)
#define MEM_USE_PAGES 0
#else
#define MEM_USE_PAGES 1
#endif

static bool mem_is_pages(size_t bytes) {
    return MEM_USE_PAGES && bytes >= MEM_PAGES_FROM;
}

static void *mem_small_alloc(size_t bytes) {
    size_t rounded = (bytes + MEM_ALIGN - 1) / MEM_ALIGN * MEM_ALIGN;
    return rounded < bytes ? NULL : aligned_alloc(MEM_ALIGN, rounded);
}

static void *mem_system_alloc(size_t bytes) {
    return mem_is_pages(bytes) ? os_pages_alloc(bytes) : mem_small_alloc(bytes);
}

static void mem_system_free(void *pointer, size_t bytes) {
    if (mem_is_pages(bytes)) {
        os_pages_free(pointer, bytes);
    } else {
        free(pointer);
    }
}

static void *mem_system_resize(void *user, void *pointer, size_t old_bytes, size_t new_bytes,
                               size_t align) {
    (void)user;
    (void)align;
    if (new_bytes == 0) {
        if (pointer) mem_system_free(pointer, old_bytes);
        return NULL;
    }
    if (!pointer) return mem_system_alloc(new_bytes);
    if (mem_is_pages(old_bytes) && mem_is_pages(new_bytes)) {
        return os_pages_resize(pointer, old_bytes, new_bytes);
    }
    void *fresh = mem_system_alloc(new_bytes);
    if (!fresh) return NULL;
    memcpy(fresh, pointer, old_bytes < new_bytes ? old_bytes : new_bytes);
    mem_system_free(pointer, old_bytes);
    return fresh;
}

void mem_init(mem *m, lode_resize_fn resize, void *user, uint64_t budget_bytes) {
    m->resize = resize ? resize : mem_system_resize;
    m->user = user;
    m->budget = budget_bytes == 0 || budget_bytes > SIZE_MAX ? SIZE_MAX : (size_t)budget_bytes;
    atomic_init(&m->used, 0);
    atomic_init(&m->peak, 0);
    atomic_init(&m->refused, 0);
}

lode_status mem_charge(mem *m, size_t bytes) {
    size_t used = atomic_load_explicit(&m->used, memory_order_relaxed);
    size_t wanted;
    do {
        if (__builtin_add_overflow(used, bytes, &wanted)) return LODE_NOMEM;
        if (wanted > m->budget) {
            atomic_store_explicit(&m->refused, wanted, memory_order_relaxed);
            return LODE_BUDGET;
        }
    } while (!atomic_compare_exchange_weak(&m->used, &used, wanted));
    size_t peak = atomic_load_explicit(&m->peak, memory_order_relaxed);
    while (wanted > peak && !atomic_compare_exchange_weak(&m->peak, &peak, wanted)) {
    }
    return LODE_OK;
}

void mem_discharge(mem *m, size_t bytes) {
    atomic_fetch_sub(&m->used, bytes);
}

lode_status mem_resize(mem *m, void **pointer, size_t old_bytes, size_t new_bytes) {
    if (new_bytes == old_bytes) return LODE_OK;
    if (new_bytes > old_bytes) {
        lode_status status = mem_charge(m, new_bytes - old_bytes);
        if (status != LODE_OK) return status;
    }
    void *fresh = m->resize(m->user, *pointer, old_bytes, new_bytes, MEM_ALIGN);
    if (!fresh && new_bytes > 0) {
        if (new_bytes > old_bytes) mem_discharge(m, new_bytes - old_bytes);
        return LODE_NOMEM;
    }
    if (new_bytes < old_bytes) mem_discharge(m, old_bytes - new_bytes);
    *pointer = fresh;
    return LODE_OK;
}

lode_status mem_zalloc(mem *m, void **pointer, size_t bytes) {
    void *fresh = NULL;
    lode_status status = mem_resize(m, &fresh, 0, bytes);
    if (status != LODE_OK) return status;
    /* Fresh pages of the system are zero already; touching them would only make them resident. */
    bool zero = m->resize == mem_system_resize && mem_is_pages(bytes);
    if (bytes > 0 && !zero) memset(fresh, 0, bytes);
    *pointer = fresh;
    return LODE_OK;
}

void mem_free(mem *m, void *pointer, size_t bytes) {
    if (!pointer || bytes == 0) return;
    m->resize(m->user, pointer, bytes, 0, MEM_ALIGN);
    mem_discharge(m, bytes);
}

size_t mem_left(const mem *m) {
    if (m->budget == SIZE_MAX) return SIZE_MAX;
    size_t used = atomic_load_explicit(&m->used, memory_order_relaxed);
    return used < m->budget ? m->budget - used : 0;
}
