// dots.ts - points of plots: the colour of a value, the next point in a direction
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
