/* onehot.c - transactions from a matrix of bytes: a row each, with the columns that are not zero
 *
 * The matrix lies by rows or, as pandas keeps many frames, by columns. It is read once, a tile of
 * some hundred rows at a time: bytes become bits, a word for 64 cells; of a matrix by columns,
 * blocks of 64 x 64 bits are turned; then the set bits of each row are listed. So both layouts cost
 * about the same, and what is not set costs next to nothing.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "pylode.h"

#define WORD 64 /* cells of a word */
/* Rows of a tile. Of a matrix by columns a tile takes so many bytes of each: with 64, every column
 * was another page for one cache line, and 100,000 x 1,000 took 60 ms instead of 40. */
#define TILE_ROWS  1024
#define TILE_WORDS (TILE_ROWS / WORD)
#define FEW_BITS   192 /* of a block of 64 x 64: to set so many takes about as long as to turn it */

typedef struct onehot {
    const uint8_t *cells;
    size_t n_rows, n_columns, row_stride, column_stride;
    size_t n_words; /* of a row of bits */
    uint64_t *bits; /* of a tile: TILE_ROWS rows of n_words */
    uint64_t *offsets;
    uint32_t *items;
    size_t n, room;
} onehot;

/* ---- Bytes to bits ---- */

/* Bit i is set if byte i is not zero. */
#ifdef __SSE2__
static inline uint64_t onehot_word(const uint8_t *p) {
    uint64_t zeros = 0;
    for (int i = 0; i < 4; i++) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
        uint64_t mask = (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
        zeros |= mask << (16 * i);
    }
    return ~zeros;
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

static void onehot_bits_by_rows(const onehot *m, size_t first, size_t n_rows) {
    for (size_t r = 0; r < n_rows; r++) {
        onehot_line(m->cells + (first + r) * m->row_stride, m->n_columns, m->bits + r * m->n_words);
    }
}

/* Turns a block of bits: bit c of word r becomes bit r of word c. Halves change places, then the
 * halves of these, … */
static void onehot_turn(uint64_t block[WORD]) {
    uint64_t mask = 0x00000000ffffffffu;
    for (int half = 32; half > 0; half /= 2, mask ^= mask << half) {
        for (int i = 0; i < WORD; i = ((i | half) + 1) & ~half) {
            uint64_t swap = ((block[i] >> half) ^ block[i | half]) & mask;
            block[i] ^= swap << half;
            block[i | half] ^= swap;
        }
    }
}

/* Sets the bits of a block one by one in the rows, which are zero; false if there are too many. */
static bool onehot_scatter(uint64_t *rows, size_t n_words, const uint64_t block[WORD]) {
    unsigned n = 0;
    for (size_t c = 0; c < WORD; c++) {
        for (uint64_t bits = block[c]; bits; bits &= bits - 1) {
            if (++n > FEW_BITS) return false;
            rows[(size_t)__builtin_ctzll(bits) * n_words] |= (uint64_t)1 << c;
        }
    }
    return true;
}

/* The columns of word w: 64 of them, or what is left. */
static void onehot_bits_of_word(const onehot *m, size_t first, size_t n_rows, size_t w) {
    uint64_t lines[WORD][TILE_WORDS] = {{0}};
    for (size_t c = 0; c < WORD && w * WORD + c < m->n_columns; c++) {
        onehot_line(m->cells + (w * WORD + c) * m->column_stride + first, n_rows, lines[c]);
    }
    for (size_t k = 0; k * WORD < n_rows; k++) {
        uint64_t block[WORD], *rows = m->bits + k * WORD * m->n_words + w;
        for (size_t c = 0; c < WORD; c++) block[c] = lines[c][k];
        if (onehot_scatter(rows, m->n_words, block)) continue;
        onehot_turn(block);
        size_t n = n_rows - k * WORD < WORD ? n_rows - k * WORD : WORD;
        for (size_t r = 0; r < n; r++) rows[r * m->n_words] = block[r];
    }
}

static void onehot_bits_by_columns(const onehot *m, size_t first, size_t n_rows) {
    memset(m->bits, 0, n_rows * m->n_words * sizeof *m->bits);
    for (size_t w = 0; w < m->n_words; w++) onehot_bits_of_word(m, first, n_rows, w);
}

/* ---- Bits to items ---- */

/* The number of set bits, without an instruction that not every processor has. */
static inline unsigned onehot_ones(uint64_t bits) {
    bits -= (bits >> 1) & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + ((bits >> 2) & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (unsigned)((bits * 0x0101010101010101u) >> 56);
}

/* One, and if there are more, four at a time, whether or not they are there: the number of rounds
 * is easier to predict than the number of bits, and what is too much is overwritten. */
static inline uint32_t *onehot_list(uint64_t bits, uint32_t base, uint32_t *out) {
    *out++ = base + (uint32_t)__builtin_ctzll(bits);
    bits &= bits - 1;
    if (!bits) return out;
    uint32_t *end = out + onehot_ones(bits);
    for (; bits; out += 4) {
        for (int k = 0; k < 4; k++) {
            out[k] = base + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);
            bits &= bits - 1;
        }
    }
    return end;
}

static int onehot_reserve(onehot *m, size_t more) {
    if (m->n + more <= m->room) return 0;
    size_t room = m->n + more + m->room / 2;
    uint32_t *items = realloc(m->items, room * sizeof *items);
    if (!items) return -1;
    m->items = items;
    m->room = room;
    return 0;
}

static int onehot_list_tile(onehot *m, size_t first, size_t n_rows) {
    for (size_t r = 0; r < n_rows; r++) {
        if (onehot_reserve(m, m->n_columns + 4) != 0) return -1;
        const uint64_t *row = m->bits + r * m->n_words;
        uint32_t *out = m->items + m->n;
        for (size_t w = 0; w < m->n_words; w++) {
            if (row[w]) out = onehot_list(row[w], (uint32_t)(w * WORD), out);
        }
        m->n = (size_t)(out - m->items);
        m->offsets[first + r + 1] = m->n;
    }
    return 0;
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
    m->offsets = calloc(m->n_rows + 1, sizeof *m->offsets);
    m->bits = malloc((TILE_ROWS * m->n_words + 1) * sizeof *m->bits);
    if (!m->offsets || !m->bits) return -1;
    for (size_t first = 0; first < m->n_rows; first += TILE_ROWS) {
        size_t n_rows = m->n_rows - first < TILE_ROWS ? m->n_rows - first : TILE_ROWS;
        if (m->column_stride == 1) {
            onehot_bits_by_rows(m, first, n_rows);
        } else {
            onehot_bits_by_columns(m, first, n_rows);
        }
        if (onehot_list_tile(m, first, n_rows) != 0) return -1;
    }
    return 0;
}

/* The arrays as blocks; they change hands. */
static PyObject *onehot_done(onehot *m) {
    PyObject *offsets = block_new(m->offsets, (m->n_rows + 1) * sizeof *m->offsets);
    PyObject *items = block_new(m->items, m->n * sizeof *m->items);
    if (offsets && items) return Py_BuildValue("NN", offsets, items);
    Py_XDECREF(offsets);
    Py_XDECREF(items);
    return NULL;
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
    free(m.bits);
    if (!failed) return onehot_done(&m);
    free(m.offsets);
    free(m.items);
    return NULL;
}

PyMethodDef onehot_functions[] = {
    {"onehot", onehot_rows, METH_VARARGS, "onehot(matrix of bytes) -> (offsets, items)"},
    {NULL, NULL, 0, NULL},
};
