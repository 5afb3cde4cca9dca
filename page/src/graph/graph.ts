// A small labelled graph as the server sends it, and what both the layout and the drawing ask of it.
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

/** The neighbours of every vertex. Edges that name no vertex, and loops, are left out: they have no line. */
export function neighbours(graph: SmallGraph): Neighbour[][] {
    const lists: Neighbour[][] = graph.vertices.map(() => []);
    graph.edges.forEach(([a, b], edge) => {
        if (a === b || !lists[a] || !lists[b]) return;
        lists[a].push({ vertex: b, edge });
        lists[b].push({ vertex: a, edge });
    });
    return lists;
}

/** The connected parts, each as its vertices in the order of a breadth-first walk; the largest comes first. */
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

/** The part of a graph that is at most `steps` away from some vertices, and at most `most` vertices of it: large
 *  graphs cannot be drawn whole, and what surrounds an occurrence is what people want to see. `from` says which
 *  vertex of the whole each vertex of the part is. */
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
