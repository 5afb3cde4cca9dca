// dots.ts - points of plots: the colour of a value, points at one place, the next point in a direction
//
// SPDX-License-Identifier: Apache-2.0
import { place, valueAt } from './scale';

/** Colours are logarithmic if values differ by more than this factor. */
const FACTOR = 4;

export interface Dot {
    x: number;
    y: number;
}

/** A colour scale over values: infinite ones are at its ends, and wide ranges are logarithmic. */
export function ramped(values: readonly number[]): { low: number; high: number; middle: number; share: (value: number) => number } {
    const finite = values.filter(Number.isFinite);
    const low = finite.reduce((a, b) => Math.min(a, b), Infinity);
    const high = finite.reduce((a, b) => Math.max(a, b), -Infinity);
    const scale = { low, high, log: low > 0 && high / low > FACTOR };
    const share = (value: number) =>
        Number.isNaN(value) ? NaN : !Number.isFinite(value) ? Number(value > 0) : high > low ? place(scale, value) : 1;
    return { low, high, middle: valueAt(scale, 0.5), share };
}

const GOLDEN = 2.399963229728653;
/** Points at one place are at most this far from it, in pixels. */
const SPREAD = 7;

/** Arranges points at the same place in a small spiral around it. */
export function spread(points: readonly Dot[], radius: number): Dot[] {
    const groups = new Map<string, number[]>();
    points.forEach((p, i) => {
        const key = `${p.x.toFixed(1)} ${p.y.toFixed(1)}`;
        const group = groups.get(key);
        if (group) group.push(i);
        else groups.set(key, [i]);
    });
    const out = points.map((p) => ({ ...p }));
    for (const group of groups.values()) {
        const step = Math.min(radius, SPREAD / Math.sqrt(group.length));
        group.forEach((i, k) => {
            out[i]!.x += step * Math.sqrt(k) * Math.cos(k * GOLDEN);
            out[i]!.y += step * Math.sqrt(k) * Math.sin(k * GOLDEN);
        });
    }
    return out;
}

/** The nearest point that lies roughly in this direction; null: there is none. */
export function nextPoint(points: readonly Dot[], from: number, [wx, wy]: readonly [number, number], only?: Iterable<number>): number | null {
    const { x, y } = points[from]!;
    let best: number | null = null;
    let nearest = Infinity;
    for (const i of only ?? points.keys()) {
        const dx = points[i]!.x - x;
        const dy = points[i]!.y - y;
        const along = dx * wx + dy * wy;
        const across = Math.abs(dx * wy) + Math.abs(dy * wx);
        if (i === from || along < 0.5 || across > along * 1.6 || along + across >= nearest) continue;
        nearest = along + across;
        best = i;
    }
    return best;
}
