/* list_stack.c - see list_stack.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "graphs/list_stack.h"

#include "base/host.h"
#include "base/mem.h"
#include "base/os.h"

#define LIST_STACK_LEAST ((size_t)64 << 20)

/* What could be needed at most: the budget, or else twice the memory that is free. */
static size_t list_stack_wish(const mem *m) {
    size_t left = mem_left(m);
    if (left != SIZE_MAX) return left + LIST_STACK_STEP;
    uint64_t available = host_read_memory("").available;
    if (available == UINT64_MAX) return (size_t)64 << 30;
    return (size_t)(2 * available) + LIST_STACK_LEAST;
}

/* Poisons the step after the usable part; poisoning everything would take longer than a search. */
static void list_stack_fence(list_stack *a) {
    size_t left = a->reserved - a->charged;
    poison(a->space + a->charged, left < LIST_STACK_STEP ? left : LIST_STACK_STEP);
}

lode_status list_stack_create(list_stack *a, mem *m, size_t most) {
    *a = (list_stack){.mem = m};
    size_t wish = list_stack_wish(m);
    if (most < LIST_STACK_STEP) most = LIST_STACK_STEP;
    size_t bytes = (wish < most ? wish : most) / LIST_STACK_STEP * LIST_STACK_STEP;
    for (; !a->space && bytes >= LIST_STACK_STEP; bytes /= 2) {
        a->space = os_space_reserve(bytes);
        a->reserved = a->space ? bytes : 0;
    }
    if (!a->space) return LODE_NOMEM;
    list_stack_fence(a);
    return LODE_OK;
}

void list_stack_free(list_stack *a) {
    if (!a->space) return;
    size_t fenced = a->reserved - a->charged;
    unpoison(a->space + a->charged, fenced < LIST_STACK_STEP ? fenced : LIST_STACK_STEP);
    os_pages_free(a->space, a->reserved);
    mem_discharge(a->mem, a->charged);
    *a = (list_stack){0};
}

lode_status list_stack_charge(list_stack *a, size_t top) {
    size_t step = (top - a->charged + LIST_STACK_STEP - 1) / LIST_STACK_STEP * LIST_STACK_STEP;
    if (top > a->reserved) return mem_budget(a->mem) == SIZE_MAX ? LODE_NOMEM : LODE_BUDGET;
    if (step > a->reserved - a->charged) step = a->reserved - a->charged;
    lode_status status = mem_charge(a->mem, step);
    if (status != LODE_OK) return status;
    unpoison(a->space + a->charged, step);
    a->charged += step;
    list_stack_fence(a);
    return LODE_OK;
}
