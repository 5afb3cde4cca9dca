/* test_pages.c - large blocks of memory grow and shrink, even after madvise() on some of the pages
 *
 * The system keeps pages with different advice as separate mappings, and refuses to move them
 * together. A block that grows must not report this as a lack of memory.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"
#include "base/os.h"
#include "check.h"

#define MIB ((size_t)1 << 20)

static void fill(unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)(i * 31 + i / 4096);
}

static bool is_filled(const unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != (unsigned char)(i * 31 + i / 4096)) return false;
    }
    return true;
}

/* A block of so many bytes, of which some get advice, and then of others. */
static void check_resized(size_t bytes, size_t from, size_t advised, size_t after) {
    mem m;
    unsigned char *block = NULL;
    mem_init(&m, NULL, NULL, 0);
    CHECK_EQUAL(mem_resize(&m, (void **)&block, 0, bytes), LODE_OK);
    fill(block, bytes);
    os_pages_prefer_huge(block + from, advised);
    CHECK_EQUAL(mem_resize(&m, (void **)&block, bytes, after), LODE_OK);
    CHECK(is_filled(block, bytes < after ? bytes : after));
    mem_free(&m, block, after);
    CHECK_EQUAL(mem_used(&m), 0);
}

static void grows_after_advice(void) {
    const size_t odd[] = {0, 1, 100, 4095};
    for (size_t i = 0; i < 4; i++) {
        check_resized(4 * MIB + odd[i], 0, 4 * MIB + odd[i], 64 * MIB); /* all of it */
        check_resized(4 * MIB, MIB, MIB + odd[i], 64 * MIB + odd[i]);   /* the middle */
        check_resized(4 * MIB, 3 * MIB + odd[i], MIB / 2, 2 * MIB);     /* less, afterwards */
    }
}

int main(void) {
    CHECK_RUN(grows_after_advice);
    return check_result();
}
