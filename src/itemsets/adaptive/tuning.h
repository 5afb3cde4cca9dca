/* tuning.h - constants of adaptive that were measured or guessed
 *
 * Each comment has the meaning of the number, its unit, and in brackets its origin:
 *
 *   [table]    measurements are here or in docs/algorithms.md, "adaptive"
 *   [cost]     follows from the measured cost of an operation
 *   [checked]  its origin was not recorded. Later, about half and twice the value were tried on two
 *              or three of retail, T10I4, T40I10 and accidents-prefix (one thread, AVX-512, CPU
 *              time); differences above 10 %, the noise, are noted
 *   [guess]    never measured, or origin not recorded
 *
 * None of them changes the result, only speed, memory, or how even the progress is.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_ITEMSETS_ADAPTIVE_TUNING_H
#define LODE_ITEMSETS_ADAPTIVE_TUNING_H

/* ---- which shape (shape.c) ------------------------------------------------------------------- */

/* Number of items whose subsets are counted together, as a lattice. [table: 8, 10, 12 items] */
#define LATTICE_ITEMS 10
/* The search starts from rows if at least one bit in this many is set. [cost: to find the pairs of
 * n items in N transactions, rows take n * n / 2 * N / 64 words of 0.15 ns, and lists take
 * N * length² / 2 steps of 5 ns. So rows are faster if at least one bit in 50 is set, and smaller
 * if one in 60 is; table. Whether 50 would be better than 40 is open] */
#define ROOT_ROWS_ONE_IN 40
/* A child of lists becomes rows if at least one bit in this many is set, or for the reason
 * explained at lists_are_dense(). CPU seconds, AVX-512, one thread, median of seven on a busy
 * machine [table]:
 *
 *     one in                         12      24      48      96
 *     T10I4, 0.01 %                0.24    0.21    0.15    0.15
 *     T10I4, 0.02 %, closed        0.30    0.26    0.23    0.22
 *     retail, 0.006 %              0.12    0.11    0.11    0.10
 *     retail, 0.01 %, closed       0.22    0.21    0.20    0.20
 *
 * 48 is 30 % faster than 24 in the first row, but takes nearly twice the instructions there with
 * AVX2. Whether the number should depend on the kernels is open. */
#define CHILD_ROWS_ONE_IN 24
/* A child of lists with at most this many items becomes words, however many transactions it has.
 * [checked] */
#define FEW_ITEMS 16
/* Rows stay rows if they have at least this many transactions, which are hardly ever equal …
 * [guess] */
#define ROWS_SUPPORT 16384
/* … fewer expected sets than this for each transaction … [guess] */
#define ROWS_SETS 10
/* … and fewer expected sets than this among the LATTICE_ITEMS most frequent items, so that a
 * lattice would be mostly empty. CPU seconds, one core [table]:
 *
 *     full from this many sets on                 20     400    never
 *     T40I10, 300 items, 1 M, 1 %              6.4     3.0      3.8
 *     T40I10, 300 items, 200 K, 1 %            1.3     0.5      0.6
 *     accidents-prefix x 20, 12 %              0.3     0.3      0.8
 *     accidents-prefix x 20, 5 %               1.8     1.8      7.2 */
#define FULL_LATTICE 400
/* Converting rows or strips to words pays from this many expected sets on: in general, …
 * [checked: 500, 1000 and 2000 take 0.16, 0.18 and 0.20 s on accidents-prefix, 6 %] */
#define WORDS_SETS 1000
/* … for closed sets, where rows have more to do, … [checked] */
#define WORDS_SETS_CLOSED 300
/* … and where no lattice can be used, so that words gain less. [checked] */
#define WORDS_SETS_NO_LATTICE 4000

/* ---- generators (generators.c, occurrences.c) ----------------------------------------------- */

/* Maximum bytes of the tree of generators … [guess] */
#define GENERATORS_BYTES ((size_t)1 << 30)
/* … of which a thread takes this many at a time. [guess] */
#define GENERATORS_BLOCK ((size_t)64 << 10)
/* Maximum bytes of the rows of occurrences … [guess] */
#define OCCURRENCES_BYTES ((size_t)64 << 20)
/* … and the tree, or the rows, take at most 1 / this of the memory budget that is left. [guess] */
#define OCCURRENCES_SHARE 8

/* ---- rules (rules.c) ------------------------------------------------------------------------- */

/* The consequents of the sets of a lattice are counted in one of two ways. With tables, each entry
 * takes this many nanoseconds for each consequent that is not in the lattice … [cost] */
#define RULES_TABLE 0.3
/* … and for each item of the lattice. [cost] */
#define RULES_SHIFT 0.25
/* With words, each frequent set takes this many nanoseconds once … [cost] */
#define RULES_SET 25
/* … and for each word that is read. [cost] */
#define RULES_WORD 1.0

/* ---- lists (lists.c, base.c) ----------------------------------------------------------- */

/* Number of lists that prefetching is ahead of reading. [checked: 2 to 32] */
#define PREFETCH_AHEAD 8
/* Counters are cleared one by one if fewer than 1 / this of them were touched, else as a block.
 * [checked] */
#define SWEEP_SHARE 8
/* Words made from lists are merged if they have at least this many items; with fewer, the lattice
 * merges them. [checked: 10 to 24] */
#define MERGE_ITEMS 12
/* Maximum transactions of a child whose strips are gathered (strips.c); not more than STRIPS_MOST *
 * 64. [guess] */
#define GATHER_MOST 512
/* If a child needs more than one strip: maximum words of the table in which they are gathered,
 * which should stay in the first or second cache … [guess] */
#define GATHER_TABLE 8192
/* … and the child must have at least this many times as many transactions as the threshold. With
 * fewer, few sets are left to find, and a counter for each item is smaller than its words.
 * [guess] */
#define GATHER_DEEP 3
/* The whole table is swept, unless less than 1 / this of it can have been touched. [table:
 * T10I4D100K, threshold 5, closed, AVX-512: 2, 4, 8, 16 and 32 take 1.10, 1.01, 1, 0.91 and 0.97 of
 * the time of 8] */
#define GATHER_SWEEP 16
/* Share of the memory budget for the lists of the root; the rest is for the search. [guess] */
#define LISTS_SHARE 0.75
/* Starting a thread to make lists pays for this many occurrences, about a millisecond of work.
 * [guess] */
#define LISTS_PER_THREAD (1 << 19)

/* ---- rows (rows.c) --------------------------------------------------------------------------- */

/* Columns are dropped if this many times fewer are left … [checked: 2 to 6] */
#define COMPACT_COLUMNS 3
/* … and there are at least this many rows to make shorter. [checked] */
#define COMPACT_ITEMS 8
/* Number of items of the root whose pairs are counted together, … [cost: line_count.h counts as
 * many with AVX-512] */
#define ROOT_BLOCK 8
/* … if the rows take at least this many bytes: smaller rows stay in a cache anyway. Closed sets of
 * 3000 transactions of 220 items at 0.6 % (6127 frequent items, 2.3 MB of rows) take 1.6 CPU
 * seconds if items are counted one by one, and 0.9 in blocks. [table] */
#define ROOT_BLOCK_BYTES ((size_t)1 << 20)
/* Number of earlier items that are counted between two checks whether one is frequent. [guess] */
#define ROWS_AT_ONCE 32

/* ---- the closure check by a sample (rows.c) ----------------------------------------------- */

/* Columns that a sample should keep for a set whose support is the threshold. [guess] */
#define SAMPLE_COLUMNS 256
/* Lowest threshold, in transactions, for which samples are made. [guess] */
#define SAMPLE_MIN_COUNT 512
/* A sample is renewed if less than 1 / this of its intended columns is left. [guess] */
#define SAMPLE_SPENT 4

/* ---- words (words.c, merge.c, base.c) -------------------------------------------------------- */

/* Without lattices, a root of words becomes rows unless it has this many transactions for each
 * word. CPU milliseconds of generators as words and as rows [table]:
 *
 *                                     transactions for each word    words    rows
 *     16,659 of 25 items, 685                                1.0       23       5
 *     1,691 of 44 items, 2                                   1.0       37      33
 *     chess, 1500                                            1.0      166     163
 *     chess, 2000                                            1.9       14      15
 *     113,324 of 13 items, 2                                  22       12      16
 *     connect, 45,000                                        204       25      43 */
#define WORDS_REPEAT 1.5
/* Fewer words than this are not worth a hash table. [checked] */
#define MERGE_FROM 8
/* If linear probing takes more than this many steps per word, the hash factor is changed: words
 * need far fewer steps unless they were chosen to collide. [cost: tests/test_collisions.c] */
#define MERGE_PATIENCE 8
/* Words that the root collects before it merges equal ones. [guess] */
#define MERGE_BATCH 65536
/* The merged words of the root move to a block of their size if they fill at most 1 / this of their
 * memory. [guess] */
#define WORDS_WASTE 8

/* ---- the root (base.c, root.c, twins.c) ------------------------------------------------------ */

/* Rows may take 1 / this of the memory budget that is left. [guess] */
#define ROWS_SHARE 2
/* Bytes that are reserved for the conditional databases of one thread, however small the data, with
 * the table of strips.c. [guess] */
#define PATH_LEAST_BYTES (((uint64_t)512 << 10) + GATHER_TABLE * sizeof(uint64_t))
/* If jobs share a context, a base is made for a lower threshold, as long as it then has at most
 * this many times as many items or occurrences. [guess] */
#define DEEPER 1.25
/* With fewer items, or if even the longest transaction has fewer, comparing items costs next to
 * nothing, and no twins are looked for. [guess] */
#define TWINS_ITEMS 1024
/* Looking for twins pays if there are at least this many pairs of items per occurrence. [guess] */
#define TWINS_PAIRS 256
/* Twins are used only if at most 1 / this of the items is left. [guess] */
#define TWINS_SHARE 2

/* ---- progress (span.c, plan.c) --------------------------------------------------------------- */

/* The unit of expected work is one transaction that is selected, counted and merged, which takes
 * this many seconds. The costs below are in this unit. They were fitted to the CPU time of every
 * item of the root on the data of docs/algorithms.md, "adaptive", progress. [cost] */
#define SPAN_SECONDS 4e-9
#define SPAN_NODE    64 /* a node with its lattice, whatever its transactions [cost] */
#define SPAN_MERGED  4 /* times the square root of a node's transactions: equal ones merge [cost] */
#define SPAN_WORD    0.12 /* a word of a row that is intersected, and hardly in a cache [cost] */
#define SPAN_STEP    2    /* an item of a list [cost] */
#define SPAN_LOOK    0.15 /* a word that is looked at and not selected [cost] */
/* If at most this many items may still be added, sets are counted by size instead of by support.
 * [guess] */
#define SPAN_FEW_SIZES 3
/* Bins for the logarithm of the support of sets. [guess] */
#define SPAN_BINS 32
/* Nanoseconds that dividing a span takes for each item … [cost] */
#define SPAN_ITEM_COST 120
/* … and nanoseconds that may be spent on dividing for each node searched; a node takes 300 to 1200.
 * [cost] */
#define SPAN_NODE_GAIN 2
/* Probing may take the share PLAN_EFFORT of the time that has passed. At the start, it may take
 * this share of a longer time: of the fraction PLAN_TRUST of the time that the search is expected
 * to take, but of at most PLAN_MOST seconds. [guess: below 1 % of the search] */
#define PLAN_EFFORT 0.006
#define PLAN_TRUST  0.5
#define PLAN_MOST   1.0
/* Minimum number of probes before their ratios mean something. [guess] */
#define PLAN_FEW 12
/* While the remaining items are taken, the plan checks about this many times whether there is time
 * for a probe. [cost: a check takes 30 to 50 ns, an item in two transactions 400] */
#define PLAN_LOOKS 1024
/* All weights are computed again once there are this many times as many probes as at the last time.
 * [guess] */
#define PLAN_MORE 1.5

/* ---- looks at the clock ---------------------------------------------------------------------- */

/* Nodes after which the thread that reports progress looks at the clock again. [guess: at most 0.3
 * ms] */
#define ADAPTIVE_TICK 256
/* Occurrences that the search for twins passes between two checks for a stop. [guess] */
#define TWINS_CHECK 4096

/* Items of the root that are probed before a search is divided (branch.h), evenly spread; the work
 * of the others is interpolated. A probe takes as long as opening the item's branch. [guess] */
#define BRANCH_PROBES 128
/* The same if items of the root are counted in blocks. Probing a single item then takes three times
 * as long as counting it in a block, and many items are alike. On T40I10 with 1 M transactions at
 * 1 %, probing every eighth item would cost a fourth of the time of a share. */
#define BRANCH_PROBES_BLOCKS 16

#endif
