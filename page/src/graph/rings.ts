// Finds the rings of a small graph: a set of short cycles from which all others can be made (a cycle basis). The shortest
// cycles through each edge are candidates; they are taken shortest first, unless they are a sum of those taken before.
// That finds what chemists call rings, and stays cheap for graphs with a few hundred edges.
// SPDX-License-Identifier: Apache-2.0

import type { Neighbour, SmallGraph } from './graph';

export interface Ring {
    /** In order around the ring. */
    readonly vertices: number[];
    readonly edges: number[];
}

/** All shortest paths from `to` back to `from` without the edge itself, at most `room` of them. In a grid, both faces at an
 *  edge are equally short, so one candidate per edge would miss rings. */
function ringsThrough(edge: number, from: number, to: number, near: readonly Neighbour[][], room: number): Ring[] {
    const steps = new Map<number, number>([[from, 0]]);
    const queue = [from];
    for (let i = 0; i < queue.length && !steps.has(to); i++) {
        const at = queue[i]!;
        for (const next of near[at]!) {
            if (next.edge === edge || steps.has(next.vertex)) continue;
            steps.set(next.vertex, steps.get(at)! + 1);
            queue.push(next.vertex);
        }
    }
    const rings: Ring[] = [];
    const back = (at: number, vertices: number[], edges: number[]): void => {
        if (rings.length >= room) return;
        if (at === from) {
            rings.push({ vertices, edges: [...edges, edge] });
            return;
        }
        for (const next of near[at]!) {
            if (next.edge === edge || steps.get(next.vertex) !== steps.get(at)! - 1) continue;
            back(next.vertex, [...vertices, next.vertex], [...edges, next.edge]);
        }
    };
    if (steps.has(to)) back(to, [to], []);
    return rings;
}

/** Bit rows over the edges, in echelon form: `adds` returns whether a ring is new, and adds it if so. */
class CycleSpace {
    private readonly rows = new Map<number, Set<number>>();

    adds(edges: readonly number[]): boolean {
        const row = new Set(edges);
        for (;;) {
            let lead = -1;
            for (const edge of row) if (edge > lead) lead = edge;
            if (lead < 0) return false;
            const known = this.rows.get(lead);
            if (!known) {
                this.rows.set(lead, row);
                return true;
            }
            for (const edge of known) if (!row.delete(edge)) row.add(edge);
        }
    }
}

const WAYS = 4;

/** Rings of at most `longest` vertices, shortest first. */
export function findRings(graph: SmallGraph, near: readonly Neighbour[][], longest = 40): Ring[] {
    const candidates: Ring[] = [];
    graph.edges.forEach(([a, b], edge) => {
        if (a === b || !near[a] || !near[b]) return;
        for (const ring of ringsThrough(edge, a, b, near, WAYS)) {
            if (ring.vertices.length >= 3 && ring.vertices.length <= longest) candidates.push(ring);
        }
    });
    candidates.sort((a, b) => a.vertices.length - b.vertices.length);
    const space = new CycleSpace();
    return candidates.filter((ring) => space.adds(ring.edges));
}

/** Rings that share a vertex, directly or through others, form a system, which is drawn as one piece. */
export function ringSystems(rings: readonly Ring[]): Ring[][] {
    const systems: { rings: Ring[]; vertices: Set<number> }[] = [];
    for (const ring of rings) {
        const touched = systems.filter((system) => ring.vertices.some((v) => system.vertices.has(v)));
        const whole = { rings: [ring], vertices: new Set(ring.vertices) };
        for (const system of touched) {
            whole.rings.push(...system.rings);
            for (const v of system.vertices) whole.vertices.add(v);
            systems.splice(systems.indexOf(system), 1);
        }
        systems.push(whole);
    }
    return systems.map((system) => system.rings);
}
