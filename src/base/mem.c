/* mem.c - see mem.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/os.h"

#define MEM_PAGES_FROM ((size_t)256 << 10)

static bool mem_is_pages(size_t bytes) {
    return bytes >= MEM_PAGES_FROM;
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
    m->outer = NULL;
    m->lender = (mem_lender){0};
    m->resize = resize ? resize : mem_system_resize;
    m->user = user;
    m->budget = budget_bytes == 0 || budget_bytes > SIZE_MAX ? SIZE_MAX : (size_t)budget_bytes;
    atomic_init(&m->promises, 0);
    atomic_init(&m->used, 0);
    atomic_init(&m->peak, 0);
    atomic_init(&m->refused, 0);
}

void mem_init_inner(mem *m, mem *outer, uint64_t budget_bytes) {
    mem_init(m, outer->resize, outer->user, budget_bytes);
    m->outer = outer;
}

/* Returns how much of the budget is reserved for jobs other than `inner`; 0 if all promises fit
 * into `spare`, the bytes that are left. */
static size_t mem_reserved(const mem *m, const mem *inner, size_t spare) {
    size_t promises = atomic_load_explicit(&m->promises, memory_order_relaxed);
    return promises <= spare ? 0 : m->lender.promised(m->lender.user, inner);
}

/* Counts in one object only, on behalf of the object `inner` within it. */
static lode_status mem_charge_one(mem *m, const mem *inner, size_t bytes) {
    size_t used = mem_used(m), wanted = used + bytes;
    size_t spare = wanted >= used && wanted < m->budget ? m->budget - wanted : 0;
    size_t reserved = mem_reserved(m, inner, spare);
    size_t budget = reserved < m->budget ? m->budget - reserved : 0;
    do {
        if (__builtin_add_overflow(used, bytes, &wanted)) return LODE_NOMEM;
        if (wanted > budget) {
            atomic_store_explicit(&m->refused, wanted, memory_order_relaxed);
            return LODE_BUDGET;
        }
    } while (!atomic_compare_exchange_weak(&m->used, &used, wanted));
    size_t peak = atomic_load_explicit(&m->peak, memory_order_relaxed);
    while (wanted > peak && !atomic_compare_exchange_weak(&m->peak, &peak, wanted)) {
    }
    LODE_DEBUG_CHECK(wanted <= m->budget, "%zu bytes are in use, but the budget is %zu", wanted,
                     m->budget);
    return LODE_OK;
}

static void mem_discharge_one(mem *m, size_t bytes) {
    size_t used = atomic_fetch_sub(&m->used, bytes);
    LODE_DEBUG_CHECK(used >= bytes, "%zu bytes are given back, but only %zu are in use", bytes,
                     used);
}

/* Reclaims unused memory; true if some was freed, so that trying again makes sense. */
static bool mem_reclaim(const mem *m, size_t bytes) {
    while (m->outer) m = m->outer;
    return m->lender.reclaim && m->lender.reclaim(m->lender.user, bytes);
}

/* As mem_charge_one(); in the outermost object, reclaims unused memory. */
static lode_status mem_charge_firmly(mem *m, const mem *inner, size_t bytes) {
    lode_status status = mem_charge_one(m, inner, bytes);
    while (status == LODE_BUDGET && !m->outer && bytes <= m->budget && mem_reclaim(m, bytes)) {
        status = mem_charge_one(m, inner, bytes);
    }
    return status;
}

lode_status mem_charge(mem *m, size_t bytes) {
    const mem *inner = NULL;
    for (mem *at = m; at; inner = at, at = at->outer) {
        lode_status status = mem_charge_firmly(at, inner, bytes);
        if (status == LODE_OK) continue;
        for (mem *back = m; back != at; back = back->outer) mem_discharge_one(back, bytes);
        return status;
    }
    LODE_DEBUG_CHECK(!m->outer || mem_used(m->outer) >= bytes,
                     "an outer account lacks the %zu bytes that an inner account has just charged",
                     bytes);
    return LODE_OK;
}

void mem_discharge(mem *m, size_t bytes) {
    for (; m; m = m->outer) mem_discharge_one(m, bytes);
}

void mem_move_out(mem *m) {
    while (m->outer && m->outer->outer) {
        mem_discharge_one(m->outer, mem_used(m));
        m->outer = m->outer->outer;
    }
}

void mem_adopt(mem *m, size_t bytes) {
    size_t used = atomic_fetch_add(&m->used, bytes) + bytes; /* the outer one has counted them */
    if (used > atomic_load(&m->peak)) atomic_store(&m->peak, used);
}

/* ---- blocks that carry their size, in Debug ------------------------------------------------ */

#if LODE_DEBUG
#define MEM_BEFORE MEM_ALIGN
#define MEM_AFTER  MEM_ALIGN
#define MEM_MAGIC  UINT64_C(0x656d6f6479627574)

typedef struct mem_header {
    uint64_t magic;
    size_t bytes;
} mem_header;

/* The block as the allocator knows it, with its header. Checks that, and removes the poison. */
static void *mem_unwrap(void *pointer, size_t bytes) {
    if (!pointer) return NULL;
    mem_header *h = (mem_header *)(void *)((char *)pointer - MEM_BEFORE);
    unpoison(h, MEM_BEFORE);
    LODE_DEBUG_CHECK(h->magic == MEM_MAGIC, "%p is not an allocated block, or was freed already",
                     pointer);
    LODE_DEBUG_CHECK(h->bytes == bytes, "a block has %zu bytes, but the caller says %zu", h->bytes,
                     bytes);
    h->magic = 0;
    unpoison(pointer, bytes + MEM_AFTER);
    return h;
}

static void *mem_wrap(void *block, size_t bytes) {
    if (!block) return NULL;
    char *pointer = (char *)block + MEM_BEFORE;
    *(mem_header *)block = (mem_header){MEM_MAGIC, bytes};
    poison(block, MEM_BEFORE);
    poison(pointer + bytes, MEM_AFTER);
    return pointer;
}

static void *mem_call(mem *m, void *pointer, size_t old_bytes, size_t new_bytes) {
    const size_t around = MEM_BEFORE + MEM_AFTER;
    void *old = mem_unwrap(pointer, old_bytes);
    if (new_bytes > SIZE_MAX - around) return mem_wrap(old, old_bytes), NULL;
    void *fresh = m->resize(m->user, old, old ? old_bytes + around : 0,
                            new_bytes > 0 ? new_bytes + around : 0, MEM_ALIGN);
    if (!fresh && new_bytes > 0) mem_wrap(old, old_bytes);
    return mem_wrap(fresh, new_bytes);
}
#else
static void *mem_call(mem *m, void *pointer, size_t old_bytes, size_t new_bytes) {
    return m->resize(m->user, pointer, old_bytes, new_bytes, MEM_ALIGN);
}
#endif

lode_status mem_resize(mem *m, void **pointer, size_t old_bytes, size_t new_bytes) {
    if (new_bytes == old_bytes) return LODE_OK;
    if (new_bytes > old_bytes) {
        lode_status status = mem_charge(m, new_bytes - old_bytes);
        if (status != LODE_OK) return status;
    }
    void *fresh = mem_call(m, *pointer, old_bytes, new_bytes);
    while (!fresh && new_bytes > old_bytes && mem_reclaim(m, new_bytes - old_bytes)) {
        fresh = mem_call(m, *pointer, old_bytes, new_bytes);
    }
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
    LODE_DEBUG_CHECK(!pointer || bytes > 0, "a block is freed with a size of 0");
    if (!pointer || bytes == 0) return;
    mem_call(m, pointer, bytes, 0);
    mem_discharge(m, bytes);
}

lode_status mem_zalloc_uncounted(const mem *like, void **pointer, size_t bytes) {
    mem outside;
    mem_init(&outside, like->resize, like->user, 0);
    return mem_zalloc(&outside, pointer, bytes);
}

void mem_free_uncounted(const mem *like, void *pointer, size_t bytes) {
    mem outside;
    mem_init(&outside, like->resize, like->user, 0);
    atomic_init(&outside.used, bytes);
    mem_free(&outside, pointer, bytes);
}

/* ---- blocks that belong together ----------------------------------------------------------- */

typedef struct mem_kept_block {
    struct mem_kept_block *before;
    size_t bytes; /* of all, this header included */
} mem_kept_block;

static_assert(sizeof(mem_kept_block) <= MEM_ALIGN, "the header must fit into MEM_ALIGN bytes");

static lode_status mem_keep_any(mem *m, mem_kept *kept, void **pointer, size_t bytes, bool zero) {
    mem_kept_block *block = NULL;
    if (bytes == 0) {
        *pointer = NULL;
        return LODE_OK;
    }
    if (bytes > SIZE_MAX - MEM_ALIGN) return LODE_NOMEM;
    size_t all = bytes + MEM_ALIGN;
    lode_status status =
        zero ? mem_zalloc(m, (void **)&block, all) : mem_resize(m, (void **)&block, 0, all);
    if (status != LODE_OK) return status;
    *block = (mem_kept_block){kept->last, all};
    kept->last = block;
    *pointer = (char *)block + MEM_ALIGN;
    return LODE_OK;
}

lode_status mem_keep(mem *m, mem_kept *kept, void **pointer, size_t bytes) {
    return mem_keep_any(m, kept, pointer, bytes, false);
}

lode_status mem_keep_zero(mem *m, mem_kept *kept, void **pointer, size_t bytes) {
    return mem_keep_any(m, kept, pointer, bytes, true);
}

void mem_drop(mem *m, mem_kept *kept) {
    for (mem_kept_block *block = kept->last; block;) {
        mem_kept_block *before = block->before;
        mem_free(m, block, block->bytes);
        block = before;
    }
    kept->last = NULL;
}

static size_t mem_left_one(const mem *m, const mem *inner) {
    if (m->budget == SIZE_MAX) return SIZE_MAX;
    size_t used = mem_used(m) + mem_reserved(m, inner, 0);
    return used < m->budget ? m->budget - used : 0;
}

/* The object that has the least left, among this and all outer ones, and how much that is. */
static const mem *mem_find_tightest(const mem *m, size_t *left) {
    const mem *tightest = m, *inner = m;
    *left = mem_left_one(m, NULL);
    for (const mem *outer = m->outer; outer; inner = outer, outer = outer->outer) {
        size_t there = mem_left_one(outer, inner);
        if (there > *left) continue;
        tightest = outer;
        *left = there;
    }
    return tightest;
}

const mem *mem_tightest(const mem *m) {
    size_t left;
    return mem_find_tightest(m, &left);
}

size_t mem_budget(const mem *m) {
    size_t least = SIZE_MAX;
    for (; m; m = m->outer) {
        if (m->budget < least) least = m->budget;
    }
    return least;
}

size_t mem_left(const mem *m) {
    size_t left;
    mem_find_tightest(m, &left);
    return left;
}
