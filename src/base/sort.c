/* sort.c - see sort.h
 *
 * Quicksort down to short runs, which insertion sort finishes; a range that was cut badly too often
 * is given to heapsort, so that no input is slow.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/sort.h"

#define SORT_SHORT 24

static void sort_insert(uint32_t *values, size_t n) {
    for (size_t i = 1; i < n; i++) {
        uint32_t value = values[i];
        size_t at = i;
        for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
        values[at] = value;
    }
}

static void sort_sift(uint32_t *heap, size_t at, size_t n) {
    uint32_t value = heap[at];
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && heap[child + 1] > heap[child]) child++;
        if (heap[child] <= value) break;
        heap[at] = heap[child];
    }
    heap[at] = value;
}

static void sort_heap(uint32_t *values, size_t n) {
    for (size_t i = n / 2; i-- > 0;) sort_sift(values, i, n);
    for (size_t end = n; end-- > 1;) {
        uint32_t largest = values[0];
        values[0] = values[end];
        values[end] = largest;
        sort_sift(values, 0, end);
    }
}

static uint32_t sort_median(uint32_t a, uint32_t b, uint32_t c) {
    uint32_t low = a < b ? a : b;
    uint32_t high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Everything before the result is at most the pivot, everything from it on at least. */
static size_t sort_split(uint32_t *values, size_t n) {
    uint32_t pivot = sort_median(values[0], values[n / 2], values[n - 1]);
    size_t i = 0;
    size_t j = n - 1;
    for (;;) {
        while (values[i] < pivot) i++;
        while (values[j] > pivot) j--;
        if (i >= j) return i > 0 ? i : 1;
        uint32_t other = values[i];
        values[i++] = values[j];
        values[j--] = other;
    }
}

static void sort_range(uint32_t *values, size_t n, unsigned patience) {
    while (n > SORT_SHORT) {
        if (patience-- == 0) {
            sort_heap(values, n);
            return;
        }
        size_t cut = sort_split(values, n);
        if (cut < n - cut) {
            sort_range(values, cut, patience);
            values += cut;
            n -= cut;
        } else {
            sort_range(values + cut, n - cut, patience);
            n = cut;
        }
    }
    sort_insert(values, n);
}

void sort_u32(uint32_t *values, size_t n) {
    unsigned patience = 4;
    for (size_t left = n; left > 1; left /= 2) patience += 2;
    sort_range(values, n, patience);
}
