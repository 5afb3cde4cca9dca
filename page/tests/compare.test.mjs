// The numbers of a comparison of algorithms, and of thresholds with another total.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const load = async (path) => (await runnerImport(fileURLToPath(new URL(`../src/run/${path}`, import.meta.url)), { configFile: false, logLevel: 'error' })).module;
const { ratio, reference, shortRowName } = await load('compare.ts');
const { shareKept } = await load('threshold.ts');

test('all are compared with the algorithm of the result', () => {
    const row = (name, seconds, device = 'cpu*2') => ({ name, kind: 'lode', device, state: 'done', seconds, parts: {}, utilisation: null, patterns: 5, message: null });
    const rows = [row('frontier', 2), row('adaptive', 0.5), row('gpu-apriori', 8)];
    const job = { algorithm: 'adaptive', device: 'cpu*2' };
    assert.equal(reference(rows, job).name, 'adaptive');
    assert.deepEqual(rows.map((one) => ratio(one, rows, job)), [4, 1, 16]);
    assert.equal(reference(rows, { algorithm: null, device: null }).name, 'frontier');
    assert.equal(shortRowName(rows[2], rows), 'gpu-apriori', 'the device is said once if it is the same for all');
    assert.equal(shortRowName(rows[2], [...rows, row('frontier', 1, 'cuda')]), 'gpu-apriori on cpu*2');
});

test('a count becomes the share that gives the same count, so that a search of a part is as strict', () => {
    for (const total of [1, 7, 469, 3893, 9835, 541909, 88162000]) {
        for (const count of new Set([1, 2, 23, Math.ceil(total / 3), total].filter((n) => n <= total))) {
            const text = shareKept(count, total);
            assert.match(text, /^[0-9.]+%$/);
            assert.equal(Math.ceil((Number(text.slice(0, -1)) / 100) * total - 1e-9), count, `${count} of ${total}: ${text}`);
        }
    }
    assert.equal(shareKept(23, 3893), '0.59%');
});
