// Writes a graph in one line, similar to SMILES, for screen readers and tooltips: "C–C(=O)–N". Branches are in brackets;
// a number after a vertex marks where a ring closes.
// SPDX-License-Identifier: Apache-2.0

import { bondText, type EdgeStyle } from './bonds';
import { components, neighbours, type Neighbour, type SmallGraph } from './graph';

interface Walk {
    readonly graph: SmallGraph;
    readonly near: Neighbour[][];
    readonly style: EdgeStyle;
    readonly directed: boolean;
    readonly seen: Set<number>;
    /** The edges that close rings, with their numbers. */
    readonly closing: Map<number, number>;
}

function edgeText(walk: Walk, edge: number, from: number): string {
    const [a, , label] = walk.graph.edges[edge]!;
    const text = bondText(walk.style, label);
    if (!walk.directed) return text;
    const word = walk.style.kind === 'text' ? label : '';
    return a === from ? `–${word}→` : `←${word}–`;
}

/** Finds the edges that close a ring, in the order in which the line is written. */
function findClosing(walk: Walk, start: number): void {
    const seen = new Set<number>();
    const used = new Set<number>();
    const visit = (vertex: number): void => {
        seen.add(vertex);
        for (const next of walk.near[vertex]!) {
            if (used.has(next.edge)) continue;
            used.add(next.edge);
            if (seen.has(next.vertex)) walk.closing.set(next.edge, walk.closing.size + 1);
            else visit(next.vertex);
        }
    };
    visit(start);
}

function write(walk: Walk, vertex: number, from: number): string {
    walk.seen.add(vertex);
    let line = walk.graph.vertices[vertex] || '?';
    const branches: string[] = [];
    for (const next of walk.near[vertex]!) {
        const number = walk.closing.get(next.edge);
        if (number !== undefined) line += `${bondText(walk.style, walk.graph.edges[next.edge]![2]).replace('–', '')}[${number}]`;
    }
    for (const next of walk.near[vertex]!) {
        if (walk.closing.has(next.edge) || next.vertex === from || walk.seen.has(next.vertex)) continue;
        branches.push(edgeText(walk, next.edge, vertex) + write(walk, next.vertex, vertex));
    }
    const last = branches.pop();
    return line + branches.map((b) => `(${b})`).join('') + (last ?? '');
}

/** At most `longest` characters; a longer line is cut, and the size of the graph added. */
export function graphName(graph: SmallGraph, style: EdgeStyle, directed = false, longest = 120): string {
    const near = neighbours(graph);
    const lines = components(near).map((part) => {
        const start = part.find((v) => near[v]!.length <= 1) ?? part[0]!;
        const walk: Walk = { graph, near, style, directed, seen: new Set(), closing: new Map() };
        if (part.length > 400) return '';
        findClosing(walk, start);
        return write(walk, start, -1);
    });
    const line = lines.join(' and ');
    if (line.length > 0 && line.length <= longest) return line;
    const size = `${graph.vertices.length} vertices, ${graph.edges.length} edges`;
    return line ? `${[...line].slice(0, longest - 20).join('')}… (${size})` : size;
}
