// Places the vertices of a small labelled graph. Rings are regular polygons and chains zigzag at 120 degrees; parts that
// would overlap are turned about a bond, then pushed apart; components are drawn next to each other. So a molecule looks
// as chemists draw it, and any other graph is laid out by distances. Deterministic: the same graph always gets the same
// picture, so that people recognise a subgraph.
// SPDX-License-Identifier: Apache-2.0

import { components, neighbours, type Neighbour, type SmallGraph } from './graph';
import { angleTo, centreOf, distance, largestGap, mirror, rotate, step, type Placement, type Point } from './geometry';
import { findRings, ringSystems, type Ring } from './rings';
import { placeRingSystem } from './ringplace';
import { spread, type Spring } from './stress';

export interface Layout {
    /** One point per vertex; a bond is about 1 long; the bounding box starts at 0, 0. */
    readonly points: Point[];
    readonly width: number;
    readonly height: number;
    readonly rings: readonly Ring[];
}

interface Work {
    readonly near: Neighbour[][];
    /** The ring system of each vertex, or -1. */
    readonly system: number[];
    readonly local: Placement[];
    readonly at: Placement;
    /** The longest path behind an edge, see reach(). */
    readonly reaches: Map<string, number>;
    /** Vertices whose two bonds form a straight line: with a triple bond, or two double bonds. */
    readonly straight: boolean[];
}

/** The number of bonds on the longest path from `vertex` that does not return to `from`; in rings, an estimate. */
function reach(work: Work, from: number, vertex: number, limit = 64): number {
    const key = `${from} ${vertex}`;
    const known = work.reaches.get(key);
    if (known !== undefined) return known;
    work.reaches.set(key, 1);
    let far = 0;
    if (limit > 0) {
        for (const next of work.near[vertex]!) {
            if (next.vertex !== from) far = Math.max(far, reach(work, vertex, next.vertex, limit - 1));
        }
    }
    work.reaches.set(key, far + 1);
    return far + 1;
}

function unplaced(work: Work, vertex: number): number[] {
    return work.near[vertex]!.map((n) => n.vertex)
        .filter((v, i, all) => !work.at.has(v) && all.indexOf(v) === i)
        .sort((a, b) => reach(work, vertex, b) - reach(work, vertex, a) || a - b);
}

/** The direction from a vertex in which its neighbours leave the most space. */
function outward(vertex: number, near: readonly Neighbour[][], at: Placement): number {
    const here = at.get(vertex)!;
    const taken = near[vertex]!.flatMap((n) => (at.has(n.vertex) ? [angleTo(here, at.get(n.vertex)!)] : []));
    const gap = largestGap(taken);
    return gap.start + gap.width / 2;
}

function placeSystemAt(work: Work, vertex: number, where: Point, towards: number): number[] {
    const local = work.local[work.system[vertex]!]!;
    const turn = towards + Math.PI - outward(vertex, work.near, local);
    const origin = local.get(vertex)!;
    for (const [v, p] of local) {
        const turned = rotate(p, origin, turn);
        work.at.set(v, { x: turned.x - origin.x + where.x, y: turned.y - origin.y + where.y });
    }
    return [...local.keys()];
}

interface Growth {
    readonly vertex: number;
    /** The direction in which the vertex was reached, and the last turn of the chain: the next one is the opposite. */
    readonly angle: number;
    readonly turn: number;
}

const BEND = Math.PI / 3;

/** The directions of the next vertices of a chain, starting with the longest branch. */
function chainAngles(count: number, { angle, turn }: Growth, straight: boolean): number[] {
    if (count === 1) return [straight ? angle : angle - turn * BEND];
    if (count === 2) return [angle - turn * BEND, angle + turn * BEND];
    if (count === 3) return [angle, angle + Math.PI / 2, angle - Math.PI / 2];
    const part = (2 * Math.PI) / (count + 1);
    return Array.from({ length: count }, (_, i) => angle + Math.PI + part * (i + 1));
}

function ringAngles(work: Work, vertex: number, count: number): number[] {
    const here = work.at.get(vertex)!;
    const taken = work.near[vertex]!.flatMap((n) => (work.at.has(n.vertex) ? [angleTo(here, work.at.get(n.vertex)!)] : []));
    const gap = largestGap(taken);
    return Array.from({ length: count }, (_, i) => gap.start + (gap.width * (i + 1)) / (count + 1));
}

function grow(work: Work, first: Growth[]): void {
    const queue = [...first];
    for (let i = 0; i < queue.length; i++) {
        const from = queue[i]!;
        const next = unplaced(work, from.vertex);
        const inRing = work.system[from.vertex]! >= 0;
        const angles = inRing
            ? ringAngles(work, from.vertex, next.length)
            : chainAngles(next.length, from, work.straight[from.vertex]!);
        next.forEach((vertex, j) => {
            if (work.at.has(vertex)) return;
            const angle = angles[j]!;
            const where = step(work.at.get(from.vertex)!, angle);
            // Opposite branches of a fork turn in opposite directions, so that both lead outwards.
            const turn = inRing || next.length > 2 ? 1 : (j === 0 ? -1 : 1) * from.turn;
            if (work.system[vertex]! >= 0) {
                for (const v of placeSystemAt(work, vertex, where, angle)) queue.push({ vertex: v, angle: 0, turn: 1 });
            } else {
                work.at.set(vertex, where);
                queue.push({ vertex, angle, turn });
            }
        });
    }
}

function farthest(near: readonly Neighbour[][], part: readonly number[], start: number): number {
    const seen = new Set([start]);
    const queue = [start];
    for (let i = 0; i < queue.length; i++) {
        for (const { vertex } of near[queue[i]!]!) {
            if (!seen.has(vertex)) {
                seen.add(vertex);
                queue.push(vertex);
            }
        }
    }
    return queue[Math.min(queue.length, part.length) - 1]!;
}

function placePart(work: Work, part: readonly number[]): void {
    let largest = -1;
    for (const v of part) {
        const system = work.system[v]!;
        if (system >= 0 && (largest < 0 || work.local[system]!.size > work.local[largest]!.size)) largest = system;
    }
    if (largest >= 0) {
        const local = work.local[largest]!;
        for (const [v, p] of local) work.at.set(v, { ...p });
        grow(work, [...local.keys()].map((vertex) => ({ vertex, angle: 0, turn: 1 })));
        return;
    }
    // A tree starts at one end of its longest path, which then runs from left to right.
    const start = farthest(work.near, part, farthest(work.near, part, part[0]!));
    work.at.set(start, { x: 0, y: 0 });
    grow(work, [{ vertex: start, angle: Math.PI / 6, turn: 1 }]);
}

const NEAR = 0.75;

function crowding(points: readonly Point[]): number {
    let sum = 0;
    for (let i = 0; i < points.length; i++) {
        for (let j = 0; j < i; j++) {
            const dx = points[i]!.x - points[j]!.x;
            const dy = points[i]!.y - points[j]!.y;
            const square = dx * dx + dy * dy;
            if (square < NEAR * NEAR) sum += NEAR - Math.sqrt(square);
        }
    }
    return sum;
}

function cross(a: Point, b: Point, c: Point, d: Point): boolean {
    const side = (p: Point, q: Point, r: Point): number => (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
    return side(a, b, c) * side(a, b, d) < -1e-9 && side(c, d, a) * side(c, d, b) < -1e-9;
}

function crossings(points: readonly Point[], edges: readonly (readonly [number, number])[]): number {
    let count = 0;
    for (let i = 0; i < edges.length; i++) {
        const [a, b] = edges[i]!;
        for (let j = 0; j < i; j++) {
            const [c, d] = edges[j]!;
            if (a === c || a === d || b === c || b === d) continue;
            if (cross(points[a]!, points[b]!, points[c]!, points[d]!)) count++;
        }
    }
    return count;
}

interface Hinge {
    readonly from: number;
    readonly to: number;
    readonly beyond: number[];
}

/** Bridges: bonds between two pieces, one of which can be turned or mirrored about the bond. */
function hinges(part: readonly number[], near: readonly Neighbour[][], inRing: ReadonlySet<number>): Hinge[] {
    const found: Hinge[] = [];
    for (const from of part) {
        for (const { vertex: to, edge } of near[from]!) {
            if (inRing.has(edge)) continue;
            const seen = new Set([from, to]);
            const beyond = [to];
            for (let i = 0; i < beyond.length; i++) {
                for (const { vertex } of near[beyond[i]!]!) {
                    if (!seen.has(vertex)) {
                        seen.add(vertex);
                        beyond.push(vertex);
                    }
                }
            }
            if (beyond.length * 2 <= part.length) found.push({ from, to, beyond });
        }
    }
    return found.sort((a, b) => b.beyond.length - a.beyond.length);
}

const TURNS = [0, Math.PI / 6, -Math.PI / 6, Math.PI / 3, -Math.PI / 3];

/** Turns pieces about bridges as long as that makes the picture less crowded. */
function unfold(points: Point[], part: readonly number[], all: readonly Hinge[], edges: [number, number][]): void {
    const place = new Map(part.map((v, i) => [v, i]));
    const score = (p: readonly Point[]): number => crowding(p) + 2 * crossings(p, edges);
    let best = score(points);
    for (let pass = 0; pass < 3 && best > 1e-6; pass++) {
        const before = best;
        for (const hinge of all) {
            const from = points[place.get(hinge.from)!]!;
            const to = points[place.get(hinge.to)!]!;
            for (const angle of TURNS) {
                for (const flipped of [false, true]) {
                    const next = points.slice();
                    for (const v of hinge.beyond) {
                        const p = points[place.get(v)!]!;
                        next[place.get(v)!] = rotate(flipped ? mirror(p, from, to) : p, from, angle);
                    }
                    // A bend has a small cost, so that angles of 120 degrees stay unless they do harm.
                    const value = score(next) + Math.abs(angle) * 0.05;
                    if (value < best - 1e-6) {
                        best = value;
                        points.splice(0, points.length, ...next);
                    }
                }
            }
        }
        if (best > before - 1e-6) return;
    }
}

function ringSprings(rings: readonly Ring[], at: Placement, place: ReadonlyMap<number, number>): Spring[] {
    const springs: Spring[] = [];
    for (const { vertices } of rings) {
        for (let i = 0; i < vertices.length; i++) {
            for (let j = 0; j < i; j++) {
                const a = place.get(vertices[i]!);
                const b = place.get(vertices[j]!);
                if (a === undefined || b === undefined) continue;
                springs.push({ a, b, length: distance(at.get(vertices[i]!)!, at.get(vertices[j]!)!) });
            }
        }
    }
    return springs;
}

const MOST_TO_UNFOLD = 90;

function tidy(work: Work, part: readonly number[], rings: readonly Ring[]): Point[] {
    const points = part.map((v) => ({ ...work.at.get(v)! }));
    const place = new Map(part.map((v, i) => [v, i]));
    const edges: [number, number][] = [];
    const springs = ringSprings(rings, work.at, place);
    const inRing = new Set(rings.flatMap((r) => r.edges));
    part.forEach((v, a) => {
        for (const { vertex, edge } of work.near[v]!) {
            const b = place.get(vertex)!;
            if (a > b) continue;
            edges.push([a, b]);
            if (!inRing.has(edge)) springs.push({ a, b, length: 1 });
        }
    });
    if (part.length <= MOST_TO_UNFOLD) unfold(points, part, hinges(part, work.near, inRing), edges);
    spread(points, springs, NEAR, 80);
    // Vertices that springs leave too close, as in dense graphs, are moved apart, so that no label hides another.
    spread(points, [], 0.55, 40);
    return points;
}

interface Box {
    points: Point[];
    width: number;
    height: number;
}

function boxed(points: readonly Point[]): Box {
    const left = Math.min(...points.map((p) => p.x));
    const top = Math.min(...points.map((p) => p.y));
    const right = Math.max(...points.map((p) => p.x));
    const bottom = Math.max(...points.map((p) => p.y));
    return {
        points: points.map((p) => ({ x: p.x - left, y: p.y - top })),
        width: right - left,
        height: bottom - top,
    };
}

/** Rotates by the multiple of 30 degrees that makes the picture lowest: cards are wider than high. */
function level(points: readonly Point[]): Box {
    const centre = centreOf(points);
    let best = boxed(points);
    for (let i = 1; i < 6; i++) {
        const turned = boxed(points.map((p) => rotate(p, centre, (i * Math.PI) / 6)));
        if (turned.height < best.height - 1e-6) best = turned;
    }
    return best;
}

const GAP = 1;

/** Arranges the components in rows, so that the whole is about 1.5 times as wide as high. */
function pack(boxes: readonly Box[]): { offsets: Point[]; width: number; height: number } {
    const area = boxes.reduce((sum, b) => sum + (b.width + GAP) * (b.height + GAP), 0);
    const room = Math.max(boxes[0]?.width ?? 0, Math.sqrt(area * 1.6));
    const offsets: Point[] = [];
    let x = 0;
    let y = 0;
    let rowHeight = 0;
    let width = 0;
    for (const box of boxes) {
        if (x > 0 && x + box.width > room + 1e-9) {
            x = 0;
            y += rowHeight + GAP;
            rowHeight = 0;
        }
        offsets.push({ x, y });
        width = Math.max(width, x + box.width);
        rowHeight = Math.max(rowHeight, box.height);
        x += box.width + GAP;
    }
    return { offsets, width, height: y + rowHeight };
}

function straightVertices(graph: SmallGraph, near: readonly Neighbour[][], order: (label: string) => number): boolean[] {
    return near.map((list) => {
        const orders = list.map((n) => order(graph.edges[n.edge]![2]));
        return list.length === 2 && (orders.includes(3) || orders.every((o) => o === 2));
    });
}

/** Lays out a graph. `order` says whether an edge is a double or triple bond, where chains may be straight. */
export function layout(graph: SmallGraph, order: (label: string) => number = () => 1): Layout {
    const near = neighbours(graph);
    const rings = findRings(graph, near);
    const systems = ringSystems(rings);
    const system = new Array<number>(near.length).fill(-1);
    systems.forEach((members, i) => members.forEach((ring) => ring.vertices.forEach((v) => (system[v] = i))));
    const work: Work = {
        near,
        system,
        local: systems.map((members) => placeRingSystem(members, near)),
        at: new Map(),
        reaches: new Map(),
        straight: straightVertices(graph, near, order),
    };
    const parts = components(near);
    const boxes = parts.map((part) => {
        placePart(work, part);
        const own = rings.filter((ring) => part.includes(ring.vertices[0]!));
        return level(tidy(work, part, own));
    });
    const { offsets, width, height } = pack(boxes);
    const points: Point[] = graph.vertices.map(() => ({ x: 0, y: 0 }));
    parts.forEach((part, i) => {
        part.forEach((v, j) => {
            const p = boxes[i]!.points[j]!;
            points[v] = { x: p.x + offsets[i]!.x, y: p.y + offsets[i]!.y };
        });
    });
    return { points, width, height, rings };
}
