// A small labelled graph as the server sends it, and functions shared by layout and drawing.
// SPDX-License-Identifier: Apache-2.0

export type Edge = readonly [number, number, string];

export interface SmallGraph {
    readonly vertices: readonly string[];
    readonly edges: readonly Edge[];
}

export interface Neighbour {
    readonly vertex: number;
    readonly edge: number;
}

/** The neighbours of every vertex, without loops and edges to missing vertices, which are not drawn. */
export function neighbours(graph: SmallGraph): Neighbour[][] {
    const lists: Neighbour[][] = graph.vertices.map(() => []);
    graph.edges.forEach(([a, b], edge) => {
        if (a === b || !lists[a] || !lists[b]) return;
        lists[a].push({ vertex: b, edge });
        lists[b].push({ vertex: a, edge });
    });
    return lists;
}

/** The connected components, largest first; each lists its vertices in breadth-first order. */
export function components(near: readonly Neighbour[][]): number[][] {
    const seen = new Array<boolean>(near.length).fill(false);
    const parts: number[][] = [];
    for (let start = 0; start < near.length; start++) {
        if (seen[start]) continue;
        seen[start] = true;
        const part = [start];
        for (let i = 0; i < part.length; i++) {
            for (const { vertex } of near[part[i]!]!) {
                if (!seen[vertex]) {
                    seen[vertex] = true;
                    part.push(vertex);
                }
            }
        }
        parts.push(part);
    }
    return parts.sort((a, b) => b.length - a.length);
}

/** The part of a graph within `steps` of some vertices, with at most `most` vertices: large graphs cannot be drawn
 *  whole, and people want to see the surroundings of an occurrence. `from` maps each vertex of the part to the whole
 *  graph. */
export function surroundings(
    graph: SmallGraph,
    centre: readonly number[],
    steps: number,
    most: number,
): { graph: SmallGraph; from: number[] } {
    const near = neighbours(graph);
    const depth = new Map<number, number>();
    const from: number[] = [];
    const take = (vertex: number, at: number): void => {
        if (depth.has(vertex) || from.length >= most) return;
        depth.set(vertex, at);
        from.push(vertex);
    };
    for (const vertex of centre) take(vertex, 0);
    for (let i = 0; i < from.length; i++) {
        const at = depth.get(from[i]!)!;
        if (at < steps) for (const { vertex } of near[from[i]!] ?? []) take(vertex, at + 1);
    }
    const place = new Map(from.map((vertex, i) => [vertex, i]));
    const edges: Edge[] = [];
    for (const [a, b, label] of graph.edges) {
        const x = place.get(a);
        const y = place.get(b);
        if (x !== undefined && y !== undefined) edges.push([x, y, label]);
    }
    return { graph: { vertices: from.map((v) => graph.vertices[v] ?? ''), edges }, from };
}
