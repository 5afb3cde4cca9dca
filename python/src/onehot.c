/* onehot.c - turns a matrix of bytes into rows of bits: a bit is set if the cell is not zero
 *
 * The matrix is stored by rows or, as pandas stores many frames, by columns. It is read once, in
 * tiles of several hundred rows, and 64 cells become one word of bits. If the matrix is stored by
 * columns, blocks of 64 x 64 bits are then transposed, so that both layouts take about the same
 * time. lode makes a data set of the bits (lode_dataset_from_bits), and decides whether to keep
 * them as bits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "pylode.h"

#define WORD 64 /* cells of a word */
/* Rows of a tile. Of a matrix by columns, a tile reads this many bytes of each column: with 64,
 * each cache line was on another page, and 100,000 x 1,000 took 60 ms instead of 40. */
#define TILE_ROWS  1024
#define TILE_WORDS (TILE_ROWS / WORD)

typedef struct onehot {
    const uint8_t *cells;
    size_t n_rows, n_columns, row_stride, column_stride;
    size_t n_words; /* of a row of bits */
    uint64_t *bits; /* all rows */
} onehot;

/* ---- Bytes to bits ---- */

/* Bit i is set if byte i is not zero. */
#if defined(__SSE2__)
static inline uint64_t onehot_word(const uint8_t *p) {
    uint64_t zeros = 0;
    for (int i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
        uint64_t mask = (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
        zeros |= mask << (16 * i);
    }
    return ~zeros;
}
#elif defined(__aarch64__)
/* Each byte keeps the bit of its place among eight; sums of neighbours bring eight into one. */
static inline uint64_t onehot_word(const uint8_t *p) {
    const uint8x16_t place = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201u));
    uint8x16_t v[4];
    for (int i = 0; i < 4; i++) {
        uint8x16_t bytes = vld1q_u8(p + 16 * i);
        v[i] = vandq_u8(vtstq_u8(bytes, bytes), place);
    }
    uint8x16_t sums = vpaddq_u8(vpaddq_u8(v[0], v[1]), vpaddq_u8(v[2], v[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
}
#else
static inline uint64_t onehot_word(const uint8_t *p) {
    uint64_t bits = 0;
    for (int i = 0; i < WORD; i++) bits |= (uint64_t)(p[i] != 0) << i;
    return bits;
}
#endif

static uint64_t onehot_last_word(const uint8_t *p, size_t n) {
    uint8_t padded[WORD] = {0};
    memcpy(padded, p, n);
    return onehot_word(padded);
}

static void onehot_line(const uint8_t *p, size_t n, uint64_t *words) {
    size_t w = 0;
    for (; (w + 1) * WORD <= n; w++) words[w] = onehot_word(p + w * WORD);
    if (w * WORD < n) words[w] = onehot_last_word(p + w * WORD, n - w * WORD);
}

/* Transposes a block of bits: bit c of word r becomes bit r of word c. Swaps the halves, then the
 * halves of these, and so on. The inner loop is over neighbouring words, so it becomes SIMD. */
static void onehot_turn(uint64_t block[WORD]) {
    uint64_t mask = 0x00000000ffffffffu;
    for (int half = 32; half > 0; half /= 2, mask ^= mask << half) {
        for (int first = 0; first < WORD; first += 2 * half) {
            for (int i = first; i < first + half; i++) {
                uint64_t swap = ((block[i] >> half) ^ block[i + half]) & mask;
                block[i] ^= swap << half;
                block[i + half] ^= swap;
            }
        }
    }
}

/* Packs the columns of word w: 64 of them, or those that are left. */
static void onehot_bits_of_word(const onehot *m, size_t first, size_t n_rows, size_t w) {
    uint64_t lines[WORD][TILE_WORDS] = {{0}};
    for (size_t c = 0; c < WORD && w * WORD + c < m->n_columns; c++) {
        onehot_line(m->cells + (w * WORD + c) * m->column_stride + first, n_rows, lines[c]);
    }
    for (size_t k = 0; k * WORD < n_rows; k++) {
        uint64_t block[WORD], *rows = m->bits + (first + k * WORD) * m->n_words + w;
        for (size_t c = 0; c < WORD; c++) block[c] = lines[c][k];
        onehot_turn(block);
        size_t n = n_rows - k * WORD < WORD ? n_rows - k * WORD : WORD;
        for (size_t r = 0; r < n; r++) rows[r * m->n_words] = block[r];
    }
}

static void onehot_bits_by_columns(const onehot *m, size_t first, size_t n_rows) {
    for (size_t w = 0; w < m->n_words; w++) onehot_bits_of_word(m, first, n_rows, w);
}

/* ---- The function ---- */

static int onehot_shape(onehot *m, const Py_buffer *view) {
    if (view->ndim != 2 || view->itemsize != 1 || !view->strides ||
        view->shape[1] >= (Py_ssize_t)UINT32_MAX) {
        run_refuse("expected a matrix of bytes with less than 4294967295 columns");
        return -1;
    }
    m->cells = view->buf;
    m->n_rows = (size_t)view->shape[0];
    m->n_columns = (size_t)view->shape[1];
    m->row_stride = (size_t)view->strides[0];
    m->column_stride = (size_t)view->strides[1];
    m->n_words = (m->n_columns + WORD - 1) / WORD;
    if (m->column_stride == 1 || m->row_stride == 1 || m->n_rows * m->n_columns == 0) return 0;
    run_refuse("expected a matrix by rows or by columns");
    return -1;
}

static int onehot_work(onehot *m) {
    m->bits = malloc((m->n_rows * m->n_words + 1) * sizeof *m->bits);
    if (!m->bits) return -1;
    for (size_t first = 0; first < m->n_rows; first += TILE_ROWS) {
        size_t n_rows = m->n_rows - first < TILE_ROWS ? m->n_rows - first : TILE_ROWS;
        if (m->column_stride == 1) {
            for (size_t r = 0; r < n_rows; r++) {
                onehot_line(m->cells + (first + r) * m->row_stride, m->n_columns,
                            m->bits + (first + r) * m->n_words);
            }
        } else {
            onehot_bits_by_columns(m, first, n_rows);
        }
    }
    return 0;
}

static PyObject *onehot_rows(PyObject *module, PyObject *args) {
    PyObject *object;
    Py_buffer view;
    onehot m = {0};
    (void)module;
    if (!PyArg_ParseTuple(args, "O", &object) ||
        PyObject_GetBuffer(object, &view, PyBUF_STRIDES) != 0) {
        return NULL;
    }
    int failed = onehot_shape(&m, &view);
    if (!failed) {
        PyThreadState *thread = PyEval_SaveThread();
        failed = onehot_work(&m);
        PyEval_RestoreThread(thread);
        if (failed) PyErr_NoMemory();
    }
    PyBuffer_Release(&view);
    return failed ? NULL : block_new(m.bits, m.n_rows * m.n_words * sizeof *m.bits);
}

PyMethodDef onehot_functions[] = {
    {"onehot", onehot_rows, METH_VARARGS, "onehot(matrix of bytes) -> rows of bits, as words"},
    {NULL, NULL, 0, NULL},
};
