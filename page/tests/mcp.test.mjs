// lode mcp with the client of the official SDK: it starts the program, lists the tools and calls each of them.
// tests/test_mcp.py has hostile messages, which this client cannot send. Left out where the program is not built.
// LODE_BIN names the program.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const lode = [process.env.LODE_BIN, ...['lode', 'test/lode'].map((name) => fileURLToPath(new URL(`../../build/${name}`, import.meta.url)))].find(
    (path) => path !== undefined && existsSync(path)
);
const sdk = await import('@modelcontextprotocol/sdk/client/index.js').catch(() => null);
const skip = lode === undefined ? 'lode is not built' : sdk === null ? 'the npm package @modelcontextprotocol/sdk is not installed: run npm ci' : false;

let client;
let transport;
let top;

before(async () => {
    if (skip) return;
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    top = mkdtempSync(join(tmpdir(), 'lode-mcp-'));
    for (const name of ['data', 'results']) mkdirSync(join(top, name));
    writeFileSync(join(top, 'data/b.csv'), 'a,b,c\na,b\na,c\nb,c\na,d\n');
    writeFileSync(join(top, 'data/g.lg'), 't # 0\nv 0 C\nv 1 C\ne 0 1 s\nt # 1\nv 0 C\nv 1 C\nv 2 O\ne 0 1 s\ne 1 2 d\n');
    writeFileSync(join(top, 'secret.csv'), 'secret\n');
    symlinkSync('../secret.csv', join(top, 'data/link.csv'));
    let row = 1;
    const bits = () => (row = (row * 48271) % 2147483647) % 20 > 0;
    writeFileSync(join(top, 'data/slow.dat'), Array.from({ length: 3000 }, () => `${Array.from({ length: 60 }, (_, i) => i).filter(bits).join(' ')}\n`).join(''));
    client = new sdk.Client({ name: 'lode-test', version: '1.0.0' });
    transport = new StdioClientTransport({ command: lode, args: ['mcp', join(top, 'data'), '--results', join(top, 'results'), '--threads', '2'] });
    await client.connect(transport);
});
after(async () => {
    await client?.close();
    if (top) rmSync(top, { recursive: true, force: true });
});

async function call(name, args) {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) return result.content[0].text;
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    return result.structuredContent;
}

test('the tools have schemas', { skip }, async () => {
    assert.equal(client.getServerVersion().name, 'lode');
    assert.match(client.getInstructions(), /describe_file/);
    const { tools } = await client.listTools();
    assert.deepEqual(
        tools.map((tool) => tool.name),
        ['describe_file', 'suggest_threshold', 'mine_itemsets', 'mine_rules', 'mine_graphs', 'query_result', 'explain_rule']
    );
    for (const tool of tools) assert.equal(tool.inputSchema.type, 'object');
    await client.ping();
});

test('every tool answers', { skip }, async () => {
    assert.equal((await call('describe_file', { file: 'b.csv' })).profile.transactions, 5);
    assert.ok((await call('suggest_threshold', { file: 'b.csv', want: 6 })).points.some((point) => point.answer && point.patterns === 6));
    assert.equal((await call('mine_itemsets', { file: 'b.csv', min_support: '2', target: 'closed' })).rows[0].count, 4);
    assert.equal((await call('mine_graphs', { file: 'g.lg', min_support: '2' })).patterns, 1);
    const rules = await call('mine_rules', { file: 'b.csv', min_support: '1', sort_by: 'lift', save_as: 'r.arrow' });
    assert.equal(rules.rows.length, Math.min(20, rules.patterns));
    assert.deepEqual(readdirSync(join(top, 'results')), ['r.arrow']);
    const found = await call('query_result', { result: 'r.arrow', min: ['confidence=1'], sort_by: 'support' });
    assert.ok(found.rows.length > 0 && found.rows.every((row) => row.confidence === 1));
    const row = found.rows[0];
    const told = await call('explain_rule', { result: 'r.arrow', row: row.row });
    assert.equal(told.counts.both, row.both);
    assert.equal((await call('explain_rule', { file: 'b.csv', if: row.body, then: row.head })).sentence, told.sentence);
});

test('errors are answers', { skip }, async () => {
    for (const file of ['../secret.csv', 'link.csv', join(top, 'secret.csv')]) assert.match(await call('describe_file', { file }), /leads out of the folders/);
    assert.match(await call('mine_itemsets', { file: 'b.csv', min_support: 'many' }), /min-support 'many'/);
    await assert.rejects(client.callTool({ name: 'none', arguments: {} }), { code: -32602 });
    await assert.rejects(client.complete({ ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'x', value: '' } }), { code: -32601 });
});

test('a search tells its progress, and stops when it is cancelled', { skip }, async () => {
    const stop = new AbortController();
    const told = [];
    const options = { signal: stop.signal, onprogress: (progress) => told.push(progress), timeout: 120_000 };
    const search = client.callTool({ name: 'mine_itemsets', arguments: { file: 'slow.dat', min_support: '1' } }, undefined, options);
    const failed = assert.rejects(search);
    for (const end = Date.now() + 60_000; told.length < 2 && Date.now() < end; ) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.ok(told.length >= 2 && told[0].progress < told[1].progress && told[0].total === 1);
    stop.abort();
    await failed;
    assert.equal((await call('describe_file', { file: 'b.csv' })).profile.items, 4); // waits for the end of the search
});
