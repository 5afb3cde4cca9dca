// Places a system of rings: the first as a regular polygon, each further one on the edge that it shares with a placed one.
// Where polygons do not fit (bridged rings, cages, dense graphs), points are placed by distances, see stress.ts.
// SPDX-License-Identifier: Apache-2.0

import type { Neighbour } from './graph';
import {
    angleTo,
    arc,
    centreOf,
    distance,
    polygonChord,
    polygonRadius,
    step,
    TURN,
    type Placement,
    type Point,
} from './geometry';
import type { Ring } from './rings';
import { relax, spread, stressOf, type Spring, type Wanted } from './stress';

const CLOSE = 0.05;

function polygonAround(ring: readonly number[], centre: Point, first: number, turn: number): Placement {
    const radius = polygonRadius(ring.length);
    return new Map(ring.map((v, i) => [v, step(centre, first + turn * i, radius)]));
}

/** The ring as a polygon on the side from ring[i] to the next vertex, away from `inside`. */
function polygonOnSide(ring: readonly number[], i: number, placed: Placement, inside: Point): Placement {
    const k = ring.length;
    const a = placed.get(ring[i]!)!;
    const b = placed.get(ring[(i + 1) % k]!)!;
    const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
    const left = (b.x - a.x) * (inside.y - a.y) - (b.y - a.y) * (inside.x - a.x) > 0;
    const height = polygonRadius(k) * Math.cos(Math.PI / k);
    const centre = step(middle, angleTo(a, b) + (left ? -Math.PI / 2 : Math.PI / 2), height);
    const order = Array.from({ length: k }, (_, j) => ring[(i + j) % k]!);
    return polygonAround(order, centre, angleTo(centre, a), left ? -TURN / k : TURN / k);
}

function fits(polygon: Placement, placed: Placement): boolean {
    for (const [v, p] of polygon) {
        const there = placed.get(v);
        if (there) {
            if (distance(there, p) > CLOSE) return false;
            continue;
        }
        for (const other of placed.values()) if (distance(other, p) < 0.4) return false;
    }
    return true;
}

function addAll(placed: Placement, more: Placement): void {
    for (const [v, p] of more) if (!placed.has(v)) placed.set(v, p);
}

/** Places a ring that shares one vertex, on the free side. */
function placeSpiro(ring: readonly number[], at: number, placed: Placement): void {
    const k = ring.length;
    const here = placed.get(ring[at]!)!;
    const around = [...placed.values()].filter((p) => p !== here && distance(p, here) < 1.2);
    const away = angleTo(centreOf(around.length ? around : placed.values()), here);
    const centre = step(here, away, polygonRadius(k));
    const order = Array.from({ length: k }, (_, j) => ring[(at + j) % k]!);
    addAll(placed, polygonAround(order, centre, away + Math.PI, TURN / k));
}

/** Places the missing vertices of a ring, each run of them on an arc between its two ends. */
function placeArcs(ring: readonly number[], placed: Placement): void {
    const k = ring.length;
    const inside = centreOf(placed.values());
    const start = ring.findIndex((v, i) => placed.has(v) && !placed.has(ring[(i + 1) % k]!));
    for (let i = 0; i < k && start >= 0; ) {
        const from = ring[(start + i) % k]!;
        let run = 0;
        while (!placed.has(ring[(start + i + 1 + run) % k]!)) run++;
        const to = ring[(start + i + 1 + run) % k]!;
        const points = arc(placed.get(from)!, placed.get(to)!, run, inside);
        points.forEach((p, j) => placed.set(ring[(start + i + 1 + j) % k]!, p));
        i += run + 1;
    }
}

/** Whether the ring became a regular polygon. */
function placeRing(ring: readonly number[], placed: Placement, owners: Map<number, Ring>): boolean {
    const k = ring.length;
    const there = ring.map((v) => placed.has(v));
    const count = there.filter(Boolean).length;
    if (count === 1) {
        placeSpiro(ring, there.indexOf(true), placed);
        return true;
    }
    for (let i = 0; i < k; i++) {
        if (!there[i] || !there[(i + 1) % k]) continue;
        const owner = owners.get(ring[i]!);
        const inside = centreOf(
            owner?.vertices.includes(ring[(i + 1) % k]!) ? owner.vertices.map((v) => placed.get(v)!) : placed.values(),
        );
        const polygon = polygonOnSide(ring, i, placed, inside);
        if (fits(polygon, placed)) {
            addAll(placed, polygon);
            return true;
        }
    }
    if (count < k) placeArcs(ring, placed);
    return false;
}

function sharedCount(ring: Ring, placed: Placement): number {
    return ring.vertices.filter((v) => placed.has(v)).length;
}

/** First the ring with the most neighbouring rings, then always the one with the most placed vertices. */
function placePolygons(rings: readonly Ring[]): { placed: Placement; exact: boolean } {
    const others = (ring: Ring): number =>
        rings.filter((r) => r !== ring && r.edges.some((e) => ring.edges.includes(e))).length;
    const waiting = [...rings].sort((a, b) => others(b) - others(a));
    const first = waiting.shift()!;
    const placed = polygonAround(first.vertices, { x: 0, y: 0 }, Math.PI / 2, TURN / first.vertices.length);
    const owners = new Map<number, Ring>(first.vertices.map((v) => [v, first]));
    let exact = true;
    while (waiting.length) {
        let best = 0;
        for (let i = 1; i < waiting.length; i++) {
            if (sharedCount(waiting[i]!, placed) > sharedCount(waiting[best]!, placed)) best = i;
        }
        const [ring] = waiting.splice(best, 1);
        if (!placeRing(ring!.vertices, placed, owners)) exact = false;
        for (const v of ring!.vertices) owners.set(v, ring!);
    }
    return { placed, exact };
}

function stepsWithin(members: readonly number[], near: readonly Neighbour[][]): number[][] {
    const place = new Map(members.map((v, i) => [v, i]));
    return members.map((start) => {
        const steps = new Array<number>(members.length).fill(members.length);
        steps[place.get(start)!] = 0;
        const queue = [start];
        for (let i = 0; i < queue.length; i++) {
            const at = queue[i]!;
            for (const { vertex } of near[at]!) {
                const to = place.get(vertex);
                if (to === undefined || steps[to] !== members.length) continue;
                steps[to] = steps[place.get(at)!]! + 1;
                queue.push(vertex);
            }
        }
        return steps;
    });
}

/** Wanted distances: one step is a bond, two a bend of 120 degrees, more a zigzag; within a ring, chords of a polygon. */
function wantedDistances(members: readonly number[], rings: readonly Ring[], near: readonly Neighbour[][]): Wanted {
    const place = new Map(members.map((v, i) => [v, i]));
    const wanted = stepsWithin(members, near).map((row) =>
        Float64Array.from(row, (steps) => (steps <= 1 ? 1 : steps === 2 ? 1.7 : 0.87 * steps)),
    );
    for (const { vertices } of [...rings].reverse()) {
        const k = vertices.length;
        if (k > 8) continue;
        for (let i = 0; i < k; i++) {
            for (let j = 0; j < i; j++) {
                const a = place.get(vertices[i]!)!;
                const b = place.get(vertices[j]!)!;
                const chord = polygonChord(k, Math.min(i - j, k - i + j));
                if (wanted[a]![b] !== 1) wanted[a]![b] = wanted[b]![a] = chord;
            }
        }
    }
    return wanted;
}

function spiral(count: number): Point[] {
    const golden = Math.PI * (3 - Math.sqrt(5));
    return Array.from({ length: count }, (_, i) => step({ x: 0, y: 0 }, golden * i, 0.7 * Math.sqrt(i)));
}

function bondsWithin(members: readonly number[], near: readonly Neighbour[][]): Spring[] {
    const place = new Map(members.map((v, i) => [v, i]));
    const springs: Spring[] = [];
    members.forEach((v, a) => {
        for (const { vertex } of near[v]!) {
            const b = place.get(vertex);
            if (b !== undefined && b > a) springs.push({ a, b, length: 1 });
        }
    });
    return springs;
}

function placeByDistances(start: Placement, rings: readonly Ring[], near: readonly Neighbour[][]): Placement {
    const members = [...start.keys()];
    const wanted = wantedDistances(members, rings, near);
    const rounds = members.length > 120 ? 80 : 200;
    let best = [...start.values()].map((p) => ({ ...p }));
    relax(best, wanted, rounds);
    const other = spiral(members.length);
    relax(other, wanted, rounds);
    if (stressOf(other, wanted) < stressOf(best, wanted) - 1e-6) best = other;
    spread(best, bondsWithin(members, near), 0.6, 60);
    return new Map(members.map((v, i) => [v, best[i]!]));
}

/** The positions of the vertices of one ring system, in its own coordinates. */
export function placeRingSystem(rings: readonly Ring[], near: readonly Neighbour[][]): Placement {
    const { placed, exact } = placePolygons(rings);
    return exact ? placed : placeByDistances(placed, rings, near);
}
