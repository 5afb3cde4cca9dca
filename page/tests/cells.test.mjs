// The bounds of the cells of a plot: values on edges, and one digit beside them, pass the filter of the cell that counts
// them and of no other.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const { module: { cellBounds } } = await runnerImport(fileURLToPath(new URL('../src/result/cells.ts', import.meta.url)), { configFile: false, logLevel: 'error' });

/** As the store filters and counts. */
const passes = (x, { low, high }) => x >= low - Math.abs(low) * 1e-12 && x <= high + Math.abs(high) * 1e-12;
const cellOf = (x, edges) => edges.findLastIndex((edge, k) => k + 1 < edges.length && edge <= x);

const between = (low, high, n) => Array.from({ length: n + 1 }, (_, i) => low * (1 - i / n) + high * (i / n));

test('a value passes the bounds of its own cell alone, also on an edge and next to it', () => {
    for (const edges of [between(0.1, 0.7, 6), between(0.005, 0.6180339, 40), between(-0.3, 0.3, 6), between(0, 1, 7), between(1e-300, 1e300, 3), between(-5, -1, 9), [0.5, 0.5]]) {
        const beside = (x) => [x * (1 - 2 ** -52), x * (1 - 1e-13), x, x * (1 + 2 ** -52), x * (1 + 1e-13)];
        const values = edges.flatMap(beside).filter((x) => x >= edges[0] && x <= edges.at(-1));
        assert.ok(values.length >= edges.length);
        for (const x of values)
            for (let k = 0; k + 1 < edges.length; k++) assert.equal(passes(x, cellBounds('real', edges, k)), k === cellOf(x, edges), `${x} and cell ${k} of ${edges}`);
    }
});

test('bounds of counts are whole numbers', () => {
    assert.deepEqual(cellBounds('count', [1, 3, 5], 0), { low: 1, high: 2 });
    assert.deepEqual(cellBounds('count', [1, 3, 5], 1), { low: 3, high: 5 });
    assert.deepEqual(cellBounds('count', [1, 1.6, 2.5, 4], 1), { low: 2, high: 2 });
});
