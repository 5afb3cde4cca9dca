// The drawings of the algorithms, from one small example: four transactions ABCD, BCD, CD and ACD, minimum support 2. Bits,
// counts, pairs and the folded grid are computed here; each drawing is a row of panels 260 units wide.
// SPDX-License-Identifier: Apache-2.0

/** Where a shape has its colour from: strong, on, off, second, idle or plain. */
export type Tone = 'strong' | 'on' | 'off' | 'second' | 'idle' | 'plain' | 'soft' | 'dashed';

export type Shape =
    | { kind: 'cell'; x: number; y: number; w: number; h: number; text: string; tone: Tone }
    | { kind: 'text'; x: number; y: number; text: string; tone: Tone; anchor: 'start' | 'middle' | 'end' }
    | { kind: 'line'; x1: number; y1: number; x2: number; y2: number; tone: Tone; arrow: boolean }
    | { kind: 'node'; x: number; y: number; text: string; tone: Tone };

export interface Panel {
    caption: string;
    height: number;
    shapes: Shape[];
}

const WIDTH = 260;
const ITEMS = ['A', 'B', 'C', 'D'];
const TRANSACTIONS = ['ABCD', 'BCD', 'CD', 'ACD'];
const LEAST = 2;

const rowOf = (set: string): number[] => TRANSACTIONS.map((one) => ([...set].every((item) => one.includes(item)) ? 1 : 0));
const support = (set: string): number => rowOf(set).reduce((sum, bit) => sum + bit, 0);

const cell = (x: number, y: number, text: string | number, tone: Tone = 'off', w = 22, h = 22): Shape => ({ kind: 'cell', x, y, w, h, text: String(text), tone });
const text = (x: number, y: number, words: string | number, tone: Tone = 'plain', anchor: 'start' | 'middle' | 'end' = 'start'): Shape => ({ kind: 'text', x, y, text: String(words), tone, anchor });
const line = (x1: number, y1: number, x2: number, y2: number, tone: Tone = 'soft'): Shape => ({ kind: 'line', x1, y1, x2, y2, tone, arrow: false });
const arrow = (x1: number, y1: number, x2: number, y2: number): Shape => ({ kind: 'line', x1, y1, x2, y2, tone: 'soft', arrow: true });
const node = (x: number, y: number, words: string, tone: Tone = 'off'): Shape => ({ kind: 'node', x, y, text: words, tone });

/** A row of cells with a label in front of it. */
function row(x: number, y: number, label: string, values: readonly (string | number)[], tone: (value: string | number, i: number) => Tone, size = 22): Shape[] {
    return [text(x - 8, y + size * 0.7, label, 'plain', 'end'), ...values.map((value, i) => cell(x + i * size, y, value, tone(value, i), size, size))];
}

const bitTone = (value: string | number): Tone => (value === 1 ? 'on' : 'off');
const bitRow = (x: number, y: number, label: string, bits: readonly number[], size = 22): Shape[] => row(x, y, label, bits, bitTone, size);

/** A class: its prefix, and the items that extend it. */
function classBox(x: number, y: number, prefix: string, items: readonly string[], tone: Tone = 'on'): Shape[] {
    return [cell(x, y, prefix, 'strong', 14 + 12 * prefix.length, 26), ...items.map((item, i) => cell(x + 18 + 12 * prefix.length + i * 28, y, item, tone, 26, 26))];
}

// ---- adaptive ----

function lattice(x: number, y: number): Shape[] {
    const sets = [['ABC'], ['AB', 'AC', 'BC'], ['A', 'B', 'C'], ['∅']];
    const at = (level: number, i: number): [number, number] => [x + (i - (sets[level]!.length - 1) / 2) * 62, y + level * 38];
    const shapes: Shape[] = [];
    for (let level = 0; level < 3; level++)
        for (const [i, upper] of sets[level]!.entries())
            for (const [k, lower] of sets[level + 1]!.entries())
                if (lower === '∅' || [...lower].every((item) => upper.includes(item))) shapes.push(line(...at(level, i), ...at(level + 1, k)));
    for (const [level, all] of sets.entries()) for (const [i, set] of all.entries()) shapes.push(node(...at(level, i), set, 'on'));
    return shapes;
}

const adaptive: Panel[] = [
    {
        caption: 'Many items, few of them in each transaction: a list for each transaction.',
        height: 150,
        shapes: [['3', '17', '52'], ['17', '88'], ['3', '17', '41', '90'], ['52']].flatMap((list, i) => row(48, 14 + i * 32, `${i + 1}`, list, () => 'on', 30)),
    },
    {
        caption: 'Dense data: a row of bits for each item. Adding an item is one AND.',
        height: 150,
        shapes: [
            ...bitRow(72, 10, 'prefix', [1, 0, 1, 1, 0, 1, 1], 24),
            ...bitRow(72, 42, 'and C', [1, 1, 1, 0, 0, 1, 0], 24),
            line(72, 76, 240, 76),
            ...row(72, 86, '', [1, 0, 1, 0, 0, 1, 0], (bit) => (bit === 1 ? 'strong' : 'off'), 24),
            text(72, 132, 'three ones: support 3', 'soft'),
        ],
    },
    {
        caption: 'At most 64 items: a transaction is one word. Equal transactions are merged and counted.',
        height: 150,
        shapes: [
            text(72, 20, 'items', 'soft'),
            text(210, 20, 'how often', 'soft', 'middle'),
            ...[[[1, 0, 1, 1], 9], [[1, 1, 0, 1], 4], [[0, 1, 1, 0], 2]].flatMap(([bits, times], i) => [...bitRow(72, 30 + i * 36, '', bits as number[], 24), cell(192, 30 + i * 36, `× ${times as number}`, 'strong', 40, 24)]),
        ],
    },
    { caption: 'At most 10 items: all subsets are counted at once, as a lattice.', height: 150, shapes: lattice(WIDTH / 2, 18) },
];

// ---- tensor ----

const tensor: Panel[] = [
    {
        caption: 'The class as a matrix of bits: a row for each item, a column for each transaction.',
        height: 150,
        shapes: [...TRANSACTIONS.map((_, i) => text(91 + i * 26, 20, i + 1, 'soft', 'middle')), ...ITEMS.flatMap((item, i) => bitRow(78, 28 + i * 28, item, rowOf(item), 26))],
    },
    {
        caption: 'Its product with its transpose: each entry is the support of a pair of items.',
        height: 150,
        shapes: [
            ...ITEMS.map((item, i) => text(91 + i * 26, 20, item, 'plain', 'middle')),
            ...ITEMS.flatMap((a, i) => row(78, 28 + i * 28, a, ITEMS.map((b) => support(a + b)), (value, k) => (k <= i ? 'idle' : Number(value) >= LEAST ? 'strong' : 'off'), 26)),
        ],
    },
    {
        caption: `Each pair with a support of at least ${LEAST} becomes a class of the next step: the sets that begin with this pair.`,
        height: 150,
        shapes: ITEMS.map((a, i) => ({ a, partners: ITEMS.slice(i + 1).filter((b) => support(a + b) >= LEAST) }))
            .filter(({ partners }) => partners.length > 0)
            .flatMap(({ a, partners }, i) => classBox(70, 22 + i * 38, a, partners)),
    },
];

// ---- graft ----

const graft: Panel[] = [
    {
        caption: 'A pattern (C–C) and two extensions of it, which are siblings.',
        height: 150,
        shapes: [line(90, 105, 165, 105, 'plain'), line(90, 105, 60, 45, 'dashed'), line(165, 105, 200, 45, 'dashed'), node(90, 105, 'C', 'strong'), node(165, 105, 'C', 'strong'), node(60, 45, 'O', 'on'), node(200, 45, 'N', 'second')],
    },
    {
        caption: 'For each extension, a sorted list of its places. What both lists have are the places of both.',
        height: 150,
        shapes: [
            ...row(84, 14, 'with O', ['g1', 'g2', 'g4', 'g5'], (_, i) => (i === 0 || i === 2 ? 'strong' : 'on'), 38),
            ...row(84, 58, 'with N', ['g1', 'g3', 'g4', 'g6'], (_, i) => (i === 0 || i === 2 ? 'strong' : 'second'), 38),
            arrow(122, 100, 122, 112),
            ...row(84, 116, 'both', ['g1', 'g4'], () => 'strong', 38).map((shape) => (shape.kind === 'cell' ? { ...shape, h: 28 } : shape)),
        ],
    },
    {
        caption: 'The larger pattern, without another look at the graphs.',
        height: 150,
        shapes: [line(90, 105, 165, 105, 'plain'), line(90, 105, 60, 45, 'plain'), line(165, 105, 200, 45, 'plain'), node(90, 105, 'C', 'strong'), node(165, 105, 'C', 'strong'), node(60, 45, 'O', 'strong'), node(200, 45, 'N', 'strong')],
    },
];

// ---- frontier ----

const PAIRS = ITEMS.flatMap((a, i) => ITEMS.slice(i + 1).map((b) => a + b));
const EPSILON = 5;

const frontier: Panel[] = [
    { caption: 'Classes on a stack: a prefix, and the items that can be added.', height: 150, shapes: ITEMS.slice(0, 3).flatMap((a, i) => classBox(70, 22 + i * 38, a, ITEMS.slice(i + 1))) },
    {
        caption: `Join from the top until there are ε = ${EPSILON} candidates: the frontier. One call counts them all.`,
        height: 150,
        shapes: PAIRS.slice(0, EPSILON).flatMap((pair, i) => bitRow(84, 8 + i * 28, pair, rowOf(pair), 24).concat(text(196, 25 + i * 28, `= ${support(pair)}`, support(pair) >= LEAST ? 'strong' : 'soft'))),
    },
    {
        caption: `Those with a support of at least ${LEAST} go back onto the stack, as larger classes.`,
        height: 150,
        shapes: [
            ...['A', 'B'].flatMap((a, i) => PAIRS.slice(0, EPSILON).filter((pair) => pair[0] === a && support(pair) >= LEAST).flatMap((pair, k, all) => (k + 1 < all.length ? classBox(70, 22 + i * 38, pair, [all[k + 1]![1]!]) : []))),
            ...classBox(70, 98, 'C', ['D'], 'idle'),
        ],
    },
];

// ---- eqclass ----

const CANDIDATES = ['ACD', 'ACE', 'ACF', 'BCD', 'BCE'];
const PREFIXES = [...new Set(CANDIDATES.map((one) => one.slice(0, -1)))];

const eqclass: Panel[] = [
    {
        caption: `gpapriori: each candidate is a list of its items. ${CANDIDATES.length} candidates take ${CANDIDATES.join('').length} places.`,
        height: 160,
        shapes: CANDIDATES.flatMap((one, i) => [...one].map((item, k) => cell(82 + k * 32, 8 + i * 29, item, k === 2 ? 'on' : 'second', 30, 25))),
    },
    {
        caption: `eqclass: what candidates have in common is stored once. The same candidates take ${PREFIXES.join('').length + CANDIDATES.length} places.`,
        height: 160,
        shapes: PREFIXES.flatMap((prefix, i) => [
            ...[...prefix].map((item, k) => cell(30 + k * 32, 30 + i * 64, item, 'second', 30, 25)),
            arrow(98, 42 + i * 64, 122, 42 + i * 64),
            ...CANDIDATES.filter((one) => one.startsWith(prefix)).map((one, k) => cell(128 + k * 32, 30 + i * 64, one.at(-1)!, 'on', 30, 25)),
        ]),
    },
    {
        caption: 'The rows of the prefix are intersected once, too, and the result is kept for all members.',
        height: 160,
        shapes: [
            ...bitRow(100, 8, 'A', [1, 0, 1, 1, 0], 24),
            ...bitRow(100, 36, 'C', [1, 1, 0, 1, 1], 24),
            ...row(100, 70, 'A and C', [1, 0, 0, 1, 0], (bit) => (bit === 1 ? 'strong' : 'off'), 24),
            arrow(160, 98, 160, 112),
            text(160, 130, 'and D, and E, and F', 'soft', 'middle'),
        ],
    },
];

// ---- gspan ----

const gspan: Panel[] = [
    {
        caption: 'A pattern with its right-most path (bold). It grows only at this path: forward to a new vertex, or backward to one on it.',
        height: 160,
        shapes: [
            line(130, 24, 80, 74, 'soft'), line(130, 24, 175, 74, 'strong'), line(175, 74, 150, 128, 'strong'), line(175, 74, 232, 100, 'dashed'), line(150, 128, 210, 148, 'dashed'), line(150, 128, 130, 24, 'dashed'),
            node(130, 24, '0', 'strong'), node(80, 74, '1', 'off'), node(175, 74, '2', 'strong'), node(150, 128, '3', 'strong'), node(232, 100, '+', 'second'), node(210, 146, '+', 'second'),
        ],
    },
    {
        caption: 'The places of the pattern in columns. Each entry points to the previous column, so a common beginning is stored once.',
        height: 160,
        shapes: [
            ...['Q0', 'Q1', 'Q2'].map((name, i) => text(50 + i * 80, 20, name, 'plain', 'middle')),
            ...['v3', 'v8'].map((name, i) => cell(30, 40 + i * 60, name, 'on', 40, 26)),
            ...['v4', 'v5', 'v9'].map((name, i) => cell(110, 34 + i * 40, name, 'on', 40, 26)),
            ...['v7', 'v6', 'v7', 'v2'].map((name, i) => cell(190, 28 + i * 32, name, 'on', 40, 26)),
            arrow(110, 47, 72, 52), arrow(110, 87, 72, 56), arrow(110, 127, 72, 114), arrow(190, 41, 152, 46), arrow(190, 73, 152, 84), arrow(190, 105, 152, 90), arrow(190, 137, 152, 128),
        ],
    },
    {
        caption: 'One thread for each place and each vertex of the path finds edges to add. Sorted, equal ones are counted, once per graph.',
        height: 160,
        shapes: [
            text(20, 22, 'extension', 'soft'), text(220, 22, 'graphs', 'soft', 'middle'),
            ...[['3 – new O', 5], ['2 – new C', 3], ['3 – 0', 1]].flatMap(([name, n], i) => [cell(20, 34 + i * 40, name as string, Number(n) >= LEAST ? 'on' : 'idle', 150, 30), cell(200, 34 + i * 40, n as number, Number(n) >= LEAST ? 'strong' : 'idle', 40, 30)]),
        ],
    },
];

// ---- pbi, tbi ----

const PAIRS_FREQUENT = PAIRS.filter((pair) => support(pair) >= LEAST);

const pbi: Panel[] = [
    {
        caption: 'Both: the row of ACD is the AND of the rows of AC and AD. Its ones are counted by a block of threads.',
        height: 160,
        shapes: [
            ...bitRow(96, 14, 'AC', rowOf('AC'), 28),
            ...bitRow(96, 50, 'AD', rowOf('AD'), 28),
            line(96, 88, 208, 88),
            ...row(96, 98, 'ACD', rowOf('ACD'), (bit) => (bit === 1 ? 'strong' : 'off'), 28),
            text(96, 148, `support ${support('ACD')}`, 'soft'),
        ],
    },
    {
        caption: 'TBI: the sets are a trie on the host. Siblings are joined, and subsets looked up along its branches.',
        height: 160,
        shapes: (() => {
            const first = [...new Set(PAIRS_FREQUENT.map((pair) => pair[0]!))];
            const x = (i: number): number => 60 + i * 75;
            const shapes: Shape[] = first.map((_, i) => line(130, 22, x(i), 74));
            const leaves: Shape[] = [];
            for (const [i, a] of first.entries()) {
                const own = PAIRS_FREQUENT.filter((pair) => pair[0] === a);
                for (const [k, pair] of own.entries()) {
                    const at = x(i) + (k - (own.length - 1) / 2) * 36;
                    shapes.push(line(x(i), 74, at, 128));
                    leaves.push(node(at, 128, pair[1]!, 'on'));
                }
            }
            return [...shapes, node(130, 22, '', 'off'), ...first.map((a, i) => node(x(i), 74, a, 'off')), ...leaves];
        })(),
    },
    {
        caption: 'PBI: the sets are bits on the device. A join is an OR; rows in order make looking up a binary search.',
        height: 160,
        shapes: [
            ...ITEMS.map((item, i) => text(108 + i * 24, 16, item, 'soft', 'middle')),
            ...PAIRS_FREQUENT.slice(0, 4).flatMap((pair, i) => bitRow(96, 22 + i * 25, pair, ITEMS.map((item) => (pair.includes(item) ? 1 : 0)), 24)),
            ...row(96, 132, 'AC or AD', ITEMS.map((item) => ('ACD'.includes(item) ? 1 : 0)), (bit) => (bit === 1 ? 'strong' : 'off'), 24),
        ],
    },
];

// ---- the folded grid ----

const N = 6;
/** Row i of the triangle has the pairs of set i with the later ones; the rows below the middle fill the rest of those above. */
const folded = Array.from({ length: N / 2 }, (_, i) => [
    ...Array.from({ length: N - 1 - i }, (_, k) => ({ pair: `${i + 1}${i + 2 + k}`, moved: false })),
    ...Array.from({ length: i }, (_, k) => ({ pair: `${N - i}${N - i + 1 + k}`, moved: true })),
]);

const grid: Panel[] = [
    {
        caption: `Square: ${N * N} blocks for ${N} sets. ${N * N - (N * (N - 1)) / 2} of them have no pair and end at once.`,
        height: 190,
        shapes: Array.from({ length: N }, (_, i) => Array.from({ length: N }, (_, k) => cell(40 + k * 30, 6 + i * 30, k > i ? `${i + 1}${k + 1}` : '', k > i ? (i >= N / 2 ? 'second' : 'on') : 'idle', 28, 28))).flat(),
    },
    {
        caption: `Folded: ${(N * (N - 1)) / 2} blocks, each with a pair. The lower rows of the triangle fill the gaps of the upper ones.`,
        height: 190,
        shapes: folded.flatMap((line, i) => line.map(({ pair, moved }, k) => cell(55 + k * 30, 50 + i * 30, pair, moved ? 'second' : 'on', 28, 28))),
    },
];

// ---- eclat, fpgrowth ----

const baselines: Panel[] = [
    {
        caption: 'Eclat: the transactions of each item. What two lists have in common are the transactions of both items.',
        height: 160,
        shapes: [
            ...row(84, 14, 'milk', [1, 2, 4, 6, 7], (value) => ([1, 4, 7].includes(Number(value)) ? 'strong' : 'on'), 30),
            ...row(84, 56, 'bread', [1, 4, 5, 7], (value) => ([1, 4, 7].includes(Number(value)) ? 'strong' : 'on'), 30),
            arrow(128, 94, 128, 110),
            ...row(84, 116, 'both', [1, 4, 7], () => 'strong', 30),
        ],
    },
    {
        caption: 'FP-growth: a tree of the transactions, the most frequent items first. Paths that begin alike are shared.',
        height: 160,
        shapes: [
            line(130, 20, 130, 62), line(130, 62, 85, 104), line(130, 62, 175, 104), line(85, 104, 85, 142),
            node(130, 20, 'C 4', 'strong'), node(130, 62, 'D 4', 'strong'), node(85, 104, 'A 2', 'on'), node(175, 104, 'B 1', 'on'), node(85, 142, 'B 1', 'on'),
        ],
    },
];

export const DRAWINGS: Record<string, Panel[]> = { adaptive, tensor, graft, frontier, eqclass, gspan, pbi, grid, baselines };
