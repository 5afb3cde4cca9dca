// How edges and vertices look. If all edge labels of a data set are numbers or names of chemical bonds, edges are drawn as
// single, double, triple or aromatic bonds; if there is only one label, as plain lines; otherwise with their labels.
// SPDX-License-Identifier: Apache-2.0

export type BondOrder = 1 | 2 | 3 | 4;

export interface EdgeStyle {
    readonly kind: 'bonds' | 'plain' | 'text';
    /** 4 is aromatic: a solid and a dashed line. */
    order(label: string): BondOrder;
}

const ORDERS = new Map<string, BondOrder>([
    ['1', 1],
    ['2', 2],
    ['3', 3],
    ['4', 4],
    ['single', 1],
    ['double', 2],
    ['triple', 3],
    ['aromatic', 4],
    ['-', 1],
    ['=', 2],
    ['#', 3],
    [':', 4],
]);

function orderOf(label: string): BondOrder | undefined {
    return ORDERS.get(label.toLowerCase());
}

/** The style for all labels of a data set, so that all its subgraphs are drawn alike. */
export function edgeStyle(labels: Iterable<string>): EdgeStyle {
    const all = new Set(labels);
    if (all.size > 1 && [...all].every((label) => orderOf(label) !== undefined)) {
        return { kind: 'bonds', order: (label) => orderOf(label) ?? 1 };
    }
    return { kind: all.size <= 1 ? 'plain' : 'text', order: () => 1 };
}

/** An edge in a line of text. */
export function bondText(style: EdgeStyle, label: string): string {
    if (style.kind === 'text') return `–${label}–`;
    return style.kind === 'plain' ? '–' : { 1: '–', 2: '=', 3: '≡', 4: ':' }[style.order(label)];
}

interface Labelled {
    readonly vertices: readonly string[];
    readonly edges: readonly (readonly [number, number, string])[];
}

/** Whether labels are element symbols, carbon among them, and all edges are bonds. */
export function isMolecular(graphs: readonly Labelled[]): boolean {
    const atoms = graphs.flatMap((graph) => graph.vertices);
    const bonds = graphs.flatMap((graph) => graph.edges);
    return atoms.includes('C') && atoms.every((label) => /^[A-Z][a-z]?$/.test(label)) && bonds.every(([, , label]) => orderOf(label) !== undefined);
}

/** Whether labels may be atomic numbers: numbers of elements, mostly carbon, and all edges are numbers of bonds. */
export function mayBeAtomic(graphs: readonly Labelled[]): boolean {
    const atoms = graphs.flatMap((graph) => graph.vertices);
    const bonds = graphs.flatMap((graph) => graph.edges);
    const carbons = atoms.filter((label) => label === '6').length;
    return (
        carbons * 3 > atoms.length &&
        atoms.every((label) => /^[1-9][0-9]{0,2}$/.test(label) && Number(label) <= 118) &&
        bonds.every(([, , label]) => /^[1-4]$/.test(label))
    );
}

const ELEMENTS: Readonly<Record<string, string>> = {
    C: 'carbon',
    H: 'hydrogen',
    N: 'blue',
    O: 'red',
    S: 'yellow',
    P: 'orange',
    F: 'green',
    Cl: 'green',
    Br: 'brown',
    I: 'violet',
    B: 'pink',
    Si: 'teal',
    Se: 'orange',
    Na: 'violet',
    K: 'violet',
};

const OTHERS = ['blue', 'orange', 'green', 'violet', 'red', 'teal', 'yellow', 'pink', 'brown'] as const;

/** The colour of a vertex: the usual ones for elements, otherwise one of nine chosen by the label. */
export function vertexColour(label: string): string {
    const element = ELEMENTS[label];
    if (element) return element;
    const number = /^\d{1,3}$/.test(label) ? Number(label) : undefined;
    if (number !== undefined) return number === 0 ? 'carbon' : OTHERS[(number - 1) % OTHERS.length]!;
    let hash = 7;
    for (const character of label) hash = (hash * 31 + character.codePointAt(0)!) % 65521;
    return OTHERS[hash % OTHERS.length]!;
}
