// The estimate between the points of the threshold curve: the interval holds the truth for every
// threshold, and the guess lies in it. SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import ts from 'typescript';

async function load(path) {
    const source = await readFile(new URL(`../src/${path}`, import.meta.url), 'utf8');
    const { outputText } = ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } });
    return await import(`data:text/javascript;base64,${Buffer.from(outputText).toString('base64')}`);
}
const { estimate } = await load('load/curve.ts');
const { rough } = await load('lib/format.ts');

/** Falls in uneven stairs, as counts of closed itemsets do. */
const truth = (n) => (n > 400 ? 0 : Math.floor(4000 / n) + (n < 50 ? 990 : 0));
const point = (min_count, target = 'closed') =>
    ({ target, min_count, support: min_count / 1000, patterns: truth(min_count), low: truth(min_count), high: truth(min_count), exact: true, answer: false });
const points = [5, 10, 49, 98, 197, 450].map((n) => point(n));
const value = (text) => Number(text.replaceAll(',', ''));

test('the interval holds the truth, also as it is written', () => {
    for (let n = 5; n <= 1000; n++) {
        const { patterns, low, high, exact } = estimate(points, n);
        assert.ok(low <= truth(n) && truth(n) <= high, `at least ${n}: ${truth(n)} is not from ${low} to ${high}`);
        assert.ok(low <= patterns && patterns <= high, `at least ${n}: ${patterns} is not from ${low} to ${high}`);
        assert.ok(value(rough(low, Math.floor)) <= low && value(rough(high, Math.ceil)) >= high);
        if (exact) assert.equal(patterns, truth(n));
    }
    const middle = estimate(points, 70);
    assert.ok(middle.low < middle.patterns && middle.patterns < middle.high, 'the guess is no end of its interval');
});

test('beyond the ends one bound is known, and of maximal patterns none', () => {
    assert.deepEqual(estimate(points, 3), { patterns: truth(5), low: truth(5), high: Infinity, exact: false, bounded: true });
    assert.equal(estimate(points, 900).exact, true, 'none above none');
    const maximal = [5, 10, 49].map((n) => point(n, 'maximal'));
    assert.equal(estimate(maximal, 3), null);
    assert.equal(estimate(maximal, 20).bounded, false);
    assert.equal(estimate(maximal, 10).exact, true);
    assert.equal(estimate([], 10), null);
});
