// Moves points until their distances are close to the wanted ones (stress majorisation, one point at a time), and pushes
// apart those that are too close. Used where there is no exact drawing: bridged rings, dense graphs, crowded chains.
// Deterministic: the same graph always looks the same.
// SPDX-License-Identifier: Apache-2.0

import { distance, type Point } from './geometry';

/** The wanted distance of every pair; weights fall with its square, so that near pairs count most. */
export type Wanted = readonly Float64Array[];

export function stressOf(points: readonly Point[], wanted: Wanted): number {
    let sum = 0;
    for (let i = 0; i < points.length; i++) {
        for (let j = 0; j < i; j++) {
            const want = wanted[i]![j]!;
            const off = distance(points[i]!, points[j]!) / want - 1;
            sum += off * off;
        }
    }
    return sum;
}

function pulledTo(i: number, points: readonly Point[], wanted: Wanted): Point {
    const here = points[i]!;
    let x = 0;
    let y = 0;
    let weights = 0;
    for (let j = 0; j < points.length; j++) {
        if (j === i) continue;
        const there = points[j]!;
        const want = wanted[i]![j]!;
        const weight = 1 / (want * want);
        const far = distance(here, there);
        const dx = far > 1e-9 ? (here.x - there.x) / far : Math.cos(i);
        const dy = far > 1e-9 ? (here.y - there.y) / far : Math.sin(i);
        x += weight * (there.x + want * dx);
        y += weight * (there.y + want * dy);
        weights += weight;
    }
    return weights > 0 ? { x: x / weights, y: y / weights } : here;
}

/** Stops when a round moves no point by more than a hundredth of a bond, or after `rounds`. */
export function relax(points: Point[], wanted: Wanted, rounds: number): void {
    for (let round = 0; round < rounds; round++) {
        let moved = 0;
        for (let i = 0; i < points.length; i++) {
            const next = pulledTo(i, points, wanted);
            moved = Math.max(moved, distance(points[i]!, next));
            points[i] = next;
        }
        if (moved < 0.002) return;
    }
}

export interface Spring {
    readonly a: number;
    readonly b: number;
    readonly length: number;
}

function pull(points: Point[], a: number, b: number, by: number): void {
    const p = points[a]!;
    const q = points[b]!;
    const far = distance(p, q);
    const dx = far > 1e-9 ? (q.x - p.x) / far : Math.cos(a + 1);
    const dy = far > 1e-9 ? (q.y - p.y) / far : Math.sin(a + 1);
    p.x += dx * by;
    p.y += dy * by;
    q.x -= dx * by;
    q.y -= dy * by;
}

/** Pushes apart points nearer than `least`, while springs keep the shape of bonds and rings. */
export function spread(points: Point[], springs: readonly Spring[], least: number, rounds: number): void {
    for (let round = 0; round < rounds; round++) {
        let close = false;
        for (let i = 0; i < points.length; i++) {
            for (let j = 0; j < i; j++) {
                const far = distance(points[i]!, points[j]!);
                if (far >= least) continue;
                close = true;
                pull(points, i, j, (far - least) * 0.25);
            }
        }
        if (!close) return;
        for (const { a, b, length } of springs) {
            pull(points, a, b, (distance(points[a]!, points[b]!) - length) * 0.2);
        }
    }
}
