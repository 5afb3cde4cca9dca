// cells.ts - the bounds that select exactly the rows of one cell of a plot
//
// The server counts a value in the last cell whose lower edge is not above it. Its filter, however, accepts values that
// miss a bound by a relative rounding error of 1e-12, so an edge used as a bound would include values of the
// neighbouring cell. The bounds are therefore moved by exactly that much.
//
// SPDX-License-Identifier: Apache-2.0
import type { Column } from '../lib/types';
import type { Bounds } from './view';

/** The relative error by which a value may miss a bound, as in the store. */
export const ROUNDING = 1e-12;

const view = new DataView(new ArrayBuffer(8));

/** The next floating point number, up (1) or down (-1). */
function neighbour(x: number, way: 1 | -1): number {
    if (x === 0) return way * Number.MIN_VALUE;
    view.setFloat64(0, x);
    view.setBigInt64(0, view.getBigInt64(0) + BigInt(x > 0 ? way : -way));
    return view.getFloat64(0);
}

/** The smallest bound whose filter starts at `edge` and not below it. */
function lowBound(edge: number): number {
    let bound = edge + Math.abs(edge) * ROUNDING;
    const begins = (b: number) => b - Math.abs(b) * ROUNDING;
    while (begins(bound) < edge) bound = neighbour(bound, 1);
    while (begins(neighbour(bound, -1)) >= edge) bound = neighbour(bound, -1);
    return bound;
}

/** The largest bound whose filter ends at `last` and not above it. */
const highBound = (last: number): number => -lowBound(-last);

/** The bounds of cell k. The last cell includes its upper edge, the others do not. */
export function cellBounds(type: Column['type'], edges: readonly number[], k: number): Bounds {
    const low = edges[k]!;
    const high = edges[k + 1]!;
    const last = k + 2 === edges.length;
    if (type === 'count') return { low: Math.ceil(low), high: last ? Math.floor(high) : Math.max(Math.ceil(low), Math.ceil(high) - 1) };
    return { low: lowBound(low), high: highBound(last ? high : neighbour(high, -1)) };
}
