// The numbers of a comparison of algorithms, and of thresholds with another total.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const load = async (path) => (await runnerImport(fileURLToPath(new URL(`../src/run/${path}`, import.meta.url)), { configFile: false, logLevel: 'error' })).module;
const { byTime, ratio, reference, shortRowName, withoutReading } = await load('compare.ts');
const { differences, partText } = await load('diff.ts');
const { lowerOptions, shareKept, withoutLost } = await load('threshold.ts');
const { chosenByHeld, onlyHeld, testedRules } = await load('../result/verdict.ts');

test('all are compared with the algorithm of the result', () => {
    const row = (name, seconds, device = 'cpu*2') => ({ name, kind: 'lode', device, state: 'done', seconds, parts: {}, utilisation: null, patterns: 5, message: null });
    const rows = [row('frontier', 2), row('adaptive', 0.5), row('gpu-apriori', 8)];
    const job = { algorithm: 'adaptive', device: 'cpu*2' };
    assert.equal(reference(rows, job).name, 'adaptive');
    assert.deepEqual(rows.map((one) => ratio(one, rows, job)), [4, 1, 16]);
    assert.equal(reference(rows, { algorithm: null, device: null }).name, 'frontier');
    assert.equal(shortRowName(rows[2], rows), 'gpu-apriori', 'the device is said once if it is the same for all');
    assert.equal(shortRowName(rows[2], [...rows, row('frontier', 1, 'cuda')]), 'gpu-apriori on 2 cores');
});

test('all start from the same: where one could use prepared data, none has the time for preparing', () => {
    const row = (name, seconds, prepare, message = null) => ({ name, kind: 'lode', device: 'cpu', state: 'done', seconds, parts: { read: 1, prepare }, message });
    const reused = [row('a', 5, 2), row('b', 3.5, 0, 'started from data that an earlier run prepared'), { ...row('c', 9, 0), state: 'failed' }];
    assert.deepEqual(byTime(withoutReading(reused)).map((one) => [one.name, measuredSeconds(one)]), [['a', 2], ['b', 2.5], ['c', null]]);
    assert.deepEqual(withoutReading(reused.slice(0, 1)).map((one) => one.seconds), [4], 'preparing counts where all did it');
});
const measuredSeconds = (row) => (row.state === 'done' ? row.seconds : null);

test('what two results lack is explained by what their searches kept', () => {
    const job = (options, more = {}) => ({ kind: 'rules', options: { 'min-support': '1%', ...options }, min_count: 10, total: 1000, ranked_by: null, state: 'done', ...more });
    const answer = { same_data: true, parts: { only: 28, 'other-only': 3 } };
    const [all, best] = [job({}), job({ top: '10', 'sort-by': 'lift' }, { ranked_by: 'lift' })];
    assert.equal(partText('only', all, best, answer), '28 rules are only in this result: they meet the thresholds of the other search, but that kept only the best 10 by lift.');
    assert.match(partText('other-only', all, best, answer), /although they meet the thresholds of this search\.$/);
    assert.match(partText('only', all, job({ productive: 'true', significant: '0.05', adjust: 'bh' }), answer), /: they meet the thresholds of the other search, but that kept only productive rules, and of these significant rules\.$/);
    const listed = (...two) => differences(...two).map(({ what, here, there }) => `${what}: ${here} | ${there}`);
    assert.deepEqual(listed(all, best), ['Kept: all | the best 10 by lift']);
    assert.deepEqual(listed(job({ adjust: 'bh' }), all), ['p-values adjusted by: Benjamini-Hochberg | none']);
    const lower = job({ 'min-support': '5', 'min-confidence': '50%', min: 'heldOutLift=2', productive: 'true', threads: '8' }, { min_count: 5 });
    assert.deepEqual(listed(lower, job({ 'min-confidence': '40%', min: 'heldOutLift=2' })), [
        'Threshold: 0.5% (5) | 1% (10)', 'Confidence, at least: 50% | 40%', 'Only productive rules: yes | no',
    ]);
});

test('a lower threshold keeps “the best 10”, and a search loses measures that it no longer has', () => {
    const best = { kind: 'rules', options: { 'min-support': '1%', top: '10', 'sort-by': 'lift' }, min_count: 10, total: 1000 };
    assert.deepEqual(lowerOptions(best, 5), { 'min-support': '5', top: '10', 'sort-by': 'lift' });
    assert.deepEqual(lowerOptions({ ...best, kind: 'itemsets', options: { target: 'top:10' } }, 5), { 'min-support': '5' });
    assert.deepEqual(withoutLost({ top: '10', 'sort-by': 'heldOutLift', min: ['lift=2', 'heldOutLift=2'], max: 'adjustedP=0.1' }), { top: '10', 'sort-by': 'lift', min: ['lift=2'] });
    assert.deepEqual(withoutLost({ 'sort-by': 'heldOutLift', holdout: '30%' }), { 'sort-by': 'heldOutLift', holdout: '30%' });
});

test('“of N tested rules” counts also those that a search has dropped because they do not hold', () => {
    const job = (options, rules, more) => ({ options: { holdout: '30%', ...options }, patterns: 64, ranked: 0, ranked_by: null, report: { rules }, ...more });
    assert.equal(testedRules(job({ significant: '0.05', adjust: 'bh' }, { tests: '388', filtered: 324 })), 388);
    assert.equal(testedRules(job({ significant: '0.05' }, { tests: '', filtered: 324 })), 388, 'without adjustment');
    assert.equal(testedRules(job({ significant: '0.05', productive: 'true' }, { tests: '', filtered: 324 })), null, 'others were dropped for another reason');
    assert.equal(testedRules(job({}, { tests: '', filtered: 0 }, { patterns: 10, ranked: 388 })), 388);
    assert.ok(onlyHeld(job({ min: 'heldOutLift=2' }, {})) && !onlyHeld(job({ min: 'lift=2' }, {})));
    assert.ok(chosenByHeld(job({}, {}, { patterns: 10, ranked: 388, ranked_by: 'heldOutLift' })));
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
