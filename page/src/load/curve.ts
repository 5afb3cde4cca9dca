// Estimates how many patterns a threshold gives, between the points that the server has computed. A
// higher threshold never gives more patterns (except maximal ones), so the neighbouring points bound the
// number between them; the estimate is a straight line on logarithmic scales. SPDX-License-Identifier: Apache-2.0
import type { SuggestPoint } from '../lib/types';

export interface Estimate {
    patterns: number;
    low: number;
    high: number;
    exact: boolean;
    /** Whether the number is certain to lie between low and high. */
    bounded: boolean;
}

export function pointsOf(points: readonly SuggestPoint[], target: string): SuggestPoint[] {
    const byCount = new Map<number, SuggestPoint>();
    for (const point of points) {
        const old = byCount.get(point.min_count);
        if (point.target === target && (old === undefined || (point.exact && !old.exact))) byCount.set(point.min_count, point);
    }
    return [...byCount.values()].sort((a, b) => a.min_count - b.min_count);
}

const between = (a: number, b: number, part: number): number => Math.exp(Math.log(a + 1) * (1 - part) + Math.log(b + 1) * part) - 1;

/**
 * The number of patterns at threshold `n`; null if nothing is known. `points` have one target and ascend
 * by count. Below the lowest point, `high` is infinite.
 */
export function estimate(points: readonly SuggestPoint[], n: number): Estimate | null {
    const right = points.find((point) => point.min_count >= n);
    const left = points.findLast((point) => point.min_count <= n);
    const falls = points[0]?.target !== 'maximal';
    if (left !== undefined && left === right) return { patterns: left.patterns, low: left.low, high: left.high, exact: left.exact, bounded: true };
    if (left === undefined || right === undefined) return falls ? outside(left, right) : null;
    const part = Math.log(n / left.min_count) / Math.log(right.min_count / left.min_count);
    // Estimated neighbours may contradict each other: then the interval is the wider one.
    const low = Math.min(right.low, left.high);
    const high = Math.max(right.low, left.high);
    const patterns = Math.min(Math.max(between(left.patterns, right.patterns, part), low), high);
    return { patterns, low, high, exact: falls && left.exact && right.exact && low === high, bounded: falls };
}

/** Beyond the ends of the curve there is only one bound. */
function outside(left: SuggestPoint | undefined, right: SuggestPoint | undefined): Estimate | null {
    if (right !== undefined) return { patterns: right.patterns, low: right.low, high: Infinity, exact: false, bounded: true };
    if (left === undefined) return null;
    return { patterns: left.patterns, low: 0, high: left.high, exact: left.exact && left.patterns === 0, bounded: true };
}
