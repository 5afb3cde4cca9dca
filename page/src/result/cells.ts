// cells.ts - the bounds that leave exactly the rows of one cell of a plot
//
// The server counts a value in the last cell whose lower edge is not above it. Its filter, however, lets pass what
// differs from a bound by rounding (a millionth of a millionth of it), so an edge given as a bound would bring in
// values of the neighbour. The bounds are therefore moved by that much, to the very last digit.
//
// SPDX-License-Identifier: Apache-2.0
import type { Column } from '../lib/types';
import type { Bounds } from './view';

/** The share of a bound by which a value may miss it, as in the store. */
export const ROUNDING = 1e-12;

const view = new DataView(new ArrayBuffer(8));

/** The next number in the order of all numbers, up (1) or down (-1). */
function neighbour(x: number, way: 1 | -1): number {
    if (x === 0) return way * Number.MIN_VALUE;
    view.setFloat64(0, x);
    view.setBigInt64(0, view.getBigInt64(0) + BigInt(x > 0 ? way : -way));
    return view.getFloat64(0);
}

/** The least bound whose filter begins at `edge` and not before it. */
function lowBound(edge: number): number {
    let bound = edge + Math.abs(edge) * ROUNDING;
    const begins = (b: number) => b - Math.abs(b) * ROUNDING;
    while (begins(bound) < edge) bound = neighbour(bound, 1);
    while (begins(neighbour(bound, -1)) >= edge) bound = neighbour(bound, -1);
    return bound;
}

/** The greatest bound whose filter ends at `last` and not after it. */
const highBound = (last: number): number => -lowBound(-last);

/** What leaves cell k of those between the edges. The last one has its upper edge, the others have not. */
export function cellBounds(type: Column['type'], edges: readonly number[], k: number): Bounds {
    const low = edges[k]!;
    const high = edges[k + 1]!;
    const last = k + 2 === edges.length;
    if (type === 'count') return { low: Math.ceil(low), high: last ? Math.floor(high) : Math.max(Math.ceil(low), Math.ceil(high) - 1) };
    return { low: lowBound(low), high: highBound(last ? high : neighbour(high, -1)) };
}
