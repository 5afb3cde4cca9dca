// Conditions on rows: every one can be read back, none means more than it says, and proposals follow from the
// columns. SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import ts from 'typescript';

const load = async (path, replace = (text) => text) => {
    const source = await readFile(new URL(`../src/${path}`, import.meta.url), 'utf8');
    const { outputText } = ts.transpileModule(replace(source), { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 } });
    return `data:text/javascript;base64,${Buffer.from(outputText).toString('base64')}`;
};
const format = await load('lib/format.ts');
const { textOf, conditionOf, columnName, proposals, dayAfter, dayBefore } = await import(await load('load/rows.ts', (text) => text.replace("'../lib/format'", `'${format}'`)));

test('a condition is the same after it was written and read', () => {
    const values = ['C', 'a*b', '[x]', 'q?', 'back\\slash', '\\', '*', 'tea, red', 'x=y', '<script>', '50%', "'France'", '"', '"x"', 'a and b<c', 'a, b=c'];
    for (const test of ['is', 'isnot', 'begins', 'contains', 'empty', 'filled', '<', '<=', '>', '>='])
        for (const value of ['empty', 'filled'].includes(test) ? [''] : /^[<>]/.test(test) ? ['5', '-1.5', '2011-06-01'] : values)
            assert.deepEqual(conditionOf(textOf({ column: 'Order ID', test, value })), { column: 'Order ID', test, value });
    assert.deepEqual(conditionOf('Item=a*c*'), { column: 'Item', test: 'like', value: 'a*c*' });
    assert.deepEqual(conditionOf(' Item != x* '), { column: 'Item', test: 'unlike', value: 'x*' });
    assert.deepEqual(conditionOf("Item='tea'"), { column: 'Item', test: 'is', value: 'tea' });
    assert.equal(textOf({ column: 'Item', test: 'is', value: "'tea'" }), `Item="'tea'"`);
    assert.equal(conditionOf('Item'), null);
});

const column = (name, more) => ({ name, empty: 0, numbers: 0, negative: 0, zero: 0, dates: 0, starts: [], distinct: null, values: [], ...more });

test('columns that cannot be named are numbered', () => {
    const columns = ['Item', 'a=b', '7', '', ' x', 'Same', 'same', 'Order ID'].map((name) => column(name, {}));
    assert.deepEqual(columns.map((_, i) => columnName(columns, i)), ['Item', '2', '3', '4', '5', '6', '7', 'Order ID']);
});

test('rows are proposed that are few of many', () => {
    const columns = [
        column('Invoice', { numbers: 900, starts: [{ letter: 'A', rows: 1, values: 1 }, { letter: 'C', rows: 99, values: 40 }] }),
        column('Item', { empty: 3, starts: [{ letter: 'T', rows: 20, values: 2 }] }),
        column('Quantity', { numbers: 1000, negative: 12 }), column('Price', { numbers: 1000, negative: 1, zero: 20 }),
        column('Free', { numbers: 1000, zero: 600 }), column('Customer', { empty: 250, numbers: 750 }), column('Size', { numbers: 500, negative: 5 }),
    ];
    assert.deepEqual(proposals({ rows: 1000, tid: 0, item: 1, columns }).map((one) => [one.text, one.sentence]), [
        ['Invoice=A*', '1 Invoice value begins with A, in 1 row'], ['Invoice=C*', '40 Invoice values begin with C, in 99 rows'],
        ['Item=', 'Item is empty in 3 rows'], ['Quantity<0', 'Quantity is negative in 12 rows'], ['Price<=0', 'Price is zero or negative in 21 rows'],
    ]);
    const letters = [column('Invoice', { starts: [{ letter: 'C', rows: 1000, values: null }] }), column('Item', {})];
    assert.deepEqual(proposals({ rows: 1000, tid: 0, item: 1, columns: letters }), [], 'all orders are called so');
});

test('the day after and the day before, over the ends of months and years', () => {
    for (const [day, next] of [['2011-06-30', '2011-07-01'], ['2011-12-31', '2012-01-01'], ['2012-02-28', '2012-02-29']]) {
        assert.equal(dayAfter(day), next);
        assert.equal(dayBefore(next), day);
    }
});
