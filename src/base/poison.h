/* poison.h - tells AddressSanitizer which bytes of a block nobody may touch
 *
 * The sanitizer only knows the blocks of malloc. Code that hands out pieces of something larger
 * (pages, blocks, slabs) marks the rest, so that overruns are found there as well. In other builds
 * these functions do nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_BASE_POISON_H
#define LODE_BASE_POISON_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POISON_ON 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define POISON_ON 1
#endif

#if defined(POISON_ON)
void __asan_poison_memory_region(const volatile void *start, size_t bytes);
void __asan_unpoison_memory_region(const volatile void *start, size_t bytes);

static inline void poison(const void *start, size_t bytes) {
    if (bytes > 0) __asan_poison_memory_region(start, bytes);
}
static inline void unpoison(const void *start, size_t bytes) {
    if (bytes > 0) __asan_unpoison_memory_region(start, bytes);
}
#else
static inline void poison(const void *start, size_t bytes) {
    (void)start;
    (void)bytes;
}
static inline void unpoison(const void *start, size_t bytes) {
    (void)start;
    (void)bytes;
}
#endif

#endif
