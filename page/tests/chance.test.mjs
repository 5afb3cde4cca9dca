// The chance that an item of an if-part adds what it adds: against sums of exact whole numbers.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const { module: { chance, chanceText } } = await runnerImport(fileURLToPath(new URL('../src/result/chance.ts', import.meta.url)), { configFile: false, logLevel: 'error' });

function choose(n, k) {
    if (k < 0n || k > n) return 0n;
    let out = 1n;
    for (let i = 1n; i <= k; i++) out = (out * (n - k + i)) / i;
    return out;
}
/** The same probability in whole numbers, with 30 digits. */
function exact(hits, drawn, marked, all) {
    let sum = 0n;
    for (let i = hits; i <= Math.min(drawn, marked); i++) sum += choose(BigInt(marked), BigInt(i)) * choose(BigInt(all - marked), BigInt(drawn - i));
    return Number((sum * 10n ** 30n) / choose(BigInt(all), BigInt(drawn))) / 1e30;
}

test('the chance is that of the hypergeometric distribution', () => {
    for (const [hits, drawn, marked, all] of [[25, 39, 250, 469], [1, 1, 1, 2], [0, 5, 5, 9], [5, 5, 5, 9], [4, 7, 6, 9], [3, 10, 20, 400], [166, 230, 326, 2733], [40, 60, 60, 80], [300, 900, 3000, 9835]]) {
        const [is, should] = [chance(hits, drawn, marked, all), exact(hits, drawn, marked, all)];
        assert.ok(Math.abs(is - should) <= 1e-9 * should + 1e-29, `${hits} of ${drawn}, ${marked} of ${all}: ${is}, not ${should}`);
    }
    assert.equal(chanceText(chance(25, 39, 250, 469)), 'p = 0.11');
    assert.equal(chance(5, 5, 5, 5), 1);
});
