// net.ts - the nodes and links of a network: items only, or items and the patterns that connect them
//
// SPDX-License-Identifier: Apache-2.0
import type { MeasureValue, Network } from '../lib/types';
import { ramped } from './dots';
import { numberOf, patternText } from './patterns';
import type { Row } from './rows.svelte';

export interface NetNode {
    /** The name of an item; the whole pattern. */
    name: string;
    /** The pattern, or null for an item. */
    row: Row | null;
    /** From 0 to 1. */
    size: number;
    /** Number of transactions, if known, and number of patterns. */
    count: number | null;
    rules: number;
}
export interface NetLink {
    from: number;
    to: number;
    arrow: boolean;
    /** Its value as a finite number, and from 0 (weakest) to 1. */
    value: number;
    strong: number;
    rules: number;
}
export interface Net {
    nodes: NetNode[];
    links: NetLink[];
    low: number;
    high: number;
    share: (value: number) => number;
    middle: number;
}

const plain = (value: MeasureValue): number => (value === 'inf' ? Infinity : value === '-inf' ? -Infinity : (value ?? NaN));

/** An infinite value is drawn as the strongest of the finite ones, a missing one as the weakest. */
function strengths(values: readonly number[]) {
    const { low, high, middle, share } = ramped(values);
    const bounded = (v: number) => (v === Infinity ? high : Number.isFinite(v) ? v : low);
    const ends = Number.isFinite(low) ? { low, high } : { low: 0, high: 0 };
    return { ...ends, middle, share: (v: number) => share(bounded(v)) || 0, values: values.map((v) => (Number.isFinite(low) ? bounded(v) : 0)) };
}

/** Items as nodes; a link is the rule between two items, or stands for all itemsets with both. */
export function itemNet(answer: Network, arrows: boolean): Net {
    const { values, ...scale } = strengths(answer.edges.map((edge) => plain(edge.value as MeasureValue)));
    const { low, high } = scale;
    // The size is the same figure for all nodes: their counts, or, if one is not known, the number of patterns.
    const counted = answer.nodes.every((node) => node.count !== null);
    const sizeOf = (node: Network['nodes'][number]) => (counted ? node.count! : node.rules);
    const most = Math.max(1, ...answer.nodes.map(sizeOf));
    return {
        ...scale,
        nodes: answer.nodes.map((node) => ({ ...node, row: null, size: Math.sqrt(sizeOf(node) / most) })),
        links: answer.edges.map((edge, k) => ({
            from: edge.from, to: edge.to, arrow: arrows, value: values[k]!, strong: high > low ? (values[k]! - low) / (high - low) : 1, rules: edge.rules,
        })),
    };
}

/** Items and patterns as nodes: the items of the if-part lead to the rule, and the rule to the items of the then-part. */
export function patternNet(rows: readonly Row[], by: string): Net {
    const { values, ...scale } = strengths(rows.map((row) => numberOf(row, by)));
    const most = Math.max(...rows.map((row) => row.support), 1e-12);
    const nodes: NetNode[] = rows.map((row) => ({ name: patternText(row, 60), row, size: Math.sqrt(row.support / most), count: 'both' in row ? row.both : row.count, rules: 1 }));
    const items = new Map<string, number>();
    const item = (name: string): number => {
        let at = items.get(name);
        if (at === undefined) {
            items.set(name, (at = nodes.length));
            nodes.push({ name, row: null, size: 0, count: null, rules: 0 });
        }
        nodes[at]!.rules++;
        return at;
    };
    const links: NetLink[] = [];
    rows.forEach((row, k) => {
        const link = (from: number, to: number, arrow: boolean) => links.push({ from, to, arrow, value: values[k]!, strong: 0.25, rules: 1 });
        if ('body' in row) {
            for (const name of row.body) link(item(name), k, false);
            for (const name of row.head) link(k, item(name), true);
        } else if ('items' in row) for (const name of row.items) link(item(name), k, false);
    });
    const busiest = Math.max(1, ...nodes.map((node) => (node.row ? 0 : node.rules)));
    for (const node of nodes) if (node.row === null) node.size = Math.sqrt(node.rules / busiest);
    return { ...scale, nodes, links };
}
