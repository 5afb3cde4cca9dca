// The state of the gallery in the address, and the vertices and edges of an occurrence.
// SPDX-License-Identifier: Apache-2.0
import type { Graph, GraphRow } from '../lib/types';
import { conditionsOf } from '../result/conditions';
import { surroundings, type Edge, type SmallGraph } from './graph';

export const CARDS = 48;

/** The condition that a subgraph has a vertex with this label: in a code, labels are in brackets. */
export function labelCondition(label: string): string {
    return `\\[${label.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\\]`;
}

export function wholeNumber(params: URLSearchParams, name: string, least = 0): number | null {
    const text = params.get(name);
    return text !== null && /^\d{1,15}$/.test(text) && Number(text) >= least ? Number(text) : null;
}

/** The query for one page of cards, most frequent subgraphs first. */
export function galleryQuery(params: URLSearchParams): URLSearchParams {
    const query = new URLSearchParams();
    for (const [name, value] of conditionsOf(params)) query.append(name, value);
    query.set('sort', 'count');
    query.set('skip', String((wholeNumber(params, 'page') ?? 0) * CARDS));
    query.set('rows', String(CARDS));
    return query;
}

/** Adds or removes a condition, and returns to the first page. */
export function toggled(params: URLSearchParams, name: string, value: string): URLSearchParams {
    const next = new URLSearchParams();
    let there = false;
    for (const [n, v] of params) {
        if (n === name && v === value) there = true;
        else if (n !== 'page') next.append(n, v);
    }
    if (!there) next.append(name, value);
    return next;
}

export interface Shown {
    graph: SmallGraph;
    marked: { vertices: Set<number>; edges: Set<number> };
    /** Whether only a part of the graph is drawn. */
    cut: boolean;
}

const MOST = 160;
const STEPS = 3;

function edgeBetween(edges: readonly Edge[], a: number, b: number, label: string): number {
    const exact = edges.findIndex(([x, y, l]) => l === label && ((x === a && y === b) || (x === b && y === a)));
    return exact >= 0 ? exact : edges.findIndex(([x, y]) => (x === a && y === b) || (x === b && y === a));
}

/** A graph with an occurrence of a subgraph; a large graph is cut to the surroundings of the occurrence. */
export function occurrence(graph: Graph, pattern: GraphRow, place: readonly number[]): Shown {
    const cut = graph.vertices.length > MOST;
    const part = cut ? surroundings(graph, place, STEPS, MOST) : { graph, from: null };
    const at = (vertex: number): number => (part.from === null ? vertex : part.from.indexOf(vertex));
    const vertices = new Set(place.map(at).filter((v) => v >= 0));
    const edges = new Set<number>();
    for (const [a, b, label] of pattern.edges) {
        const edge = edgeBetween(part.graph.edges, at(place[a] ?? -1), at(place[b] ?? -1), label);
        if (edge >= 0) edges.add(edge);
    }
    return { graph: part.graph, marked: { vertices, edges }, cut };
}
