// The parts of a job's page against lode-server itself: the live threshold, a reload in mid-job, cancel, the comparison,
// and graphs with their occurrences. Left out where the server is not built. LODE_URL names one that runs already.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { algorithmNames } from '../documents.js';
import { accessible, fits, launch, newPage, programs, startServer, until } from './browser.mjs';

const given = process.env.LODE_URL;
const server = given ? { url: given, close: async () => undefined } : await startServer();
const skip = server === null ? 'lode-server is not built' : false;
let browser;
let shown;
let page;

before(async () => {
    if (!skip) browser = await launch();
});
after(async () => {
    await browser?.close();
    await server?.close();
});
beforeEach(async () => {
    if (skip) return;
    shown = await newPage(browser, server.url);
    page = shown.page;
});
afterEach(() => (skip ? undefined : shown.close()));

async function api(path, body) {
    const init = body === undefined ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    const answer = await fetch(`${server.url}/api/v1${path}`, init);
    assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok ? '' : await answer.text()}`);
    return answer.json();
}
const sets = new Map();
async function dataset(example) {
    if (!sets.has(example)) sets.set(example, (await api('/datasets', { example })).id);
    return sets.get(example);
}
async function mined(example, kind, options, more = {}) {
    let job = await api('/jobs', { dataset: await dataset(example), kind, options, ...more });
    await until(async () => !['queued', 'running'].includes((job = await api(`/jobs/${job.id}`)).state), 'the job does not end');
    assert.equal(job.state, 'done', job.message);
    return job;
}
const open = (hash) => page.goto(`${server.url}/${hash}`);
const shownJob = async () => Number(/^#\/job\/(\d+)/.exec(await page.evaluate(() => location.hash))[1]);

test('the slider filters upward and mines downward', { skip }, async () => {
    const job = await mined('groceries', 'itemsets', { 'min-support': '2%' });
    await open(`#/job/${job.id}`);
    const exact = page.getByLabel('Exact value');
    await exact.fill(String(job.min_count * 2));
    await exact.press('Enter');
    await page.getByText(/^\s*[\d,]+ of [\d,]+ itemsets, found in/).waitFor();
    await exact.fill('1%');
    await exact.press('Enter');
    await page.waitForFunction((id) => !location.hash.startsWith(`#/job/${id}`), job.id);
    const lower = await api(`/jobs/${await shownJob()}`);
    assert.equal(lower.min_count, job.total / 100);
    assert.ok(lower.patterns > job.patterns);
    await page.getByRole('heading', { level: 1, name: `${lower.patterns.toLocaleString('en-US')} itemsets` }).waitFor();
    await page.getByText(/itemsets, mined in/).waitFor();
});

test('a page that is reloaded in mid-job goes on; cancel ends the job', { skip }, async () => {
    const job = await api('/jobs', { dataset: await dataset('t40i10'), kind: 'itemsets', options: { 'min-support': '0.05%' } });
    await open(`#/job/${job.id}`);
    await page.getByRole('progressbar').waitFor();
    await page.reload();
    await page.getByRole('progressbar').waitFor();
    await page.waitForFunction(() => /so far\s*[1-9]/.test(document.querySelector('dl.facts')?.innerText ?? ''));
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'The job was cancelled' }).waitFor();
    assert.equal((await api(`/jobs/${job.id}`)).state, 'cancelled');
});

test('the comparison fills in', { skip }, async () => {
    const job = await mined('groceries', 'itemsets', { 'min-support': '5%' });
    await open(`#/job/${job.id}?tab=compare`);
    await page.getByRole('button', { name: 'Compare the algorithms' }).click();
    await page.getByText(/All \d+ that finished found the same/).waitFor();
    const { rows } = await api(`/jobs/${job.id}/compare`);
    for (const name of ['adaptive', 'frontier', 'eclat', 'eclat-bits', 'fpgrowth', 'tensor', 'goethals']) {
        assert.ok(rows.some((row) => row.name === name && row.state === 'done'), name);
    }
    assert.equal(await page.locator('section[aria-label=Comparison] tbody tr').count(), rows.length);
    await accessible(page);
});

test('numbers become element symbols, and molecules are mined closed', { skip }, async () => {
    const graph = ['t # 0', 'v 0 6', 'v 1 6', 'v 2 8', 'e 0 1 1', 'e 1 2 2'].join('\n');
    await open('#/');
    const file = { name: 'numbers.lg', mimeType: 'text/plain', buffer: Buffer.from(`${graph}\n${graph.replace('# 0', '# 1')}\n`) };
    await page.locator('input[type=file]').first().setInputFiles(file);
    await page.getByRole('button', { name: 'Show them as element symbols and bonds' }).click();
    await page.getByText('closed subgraphs are preset').waitFor();
    await page.locator('[data-step="1"]').getByText('step 3 now looks only for closed subgraphs').waitFor();
    await page.getByText('numbers.lg --labels atomic -s').waitFor();
    assert.ok(await page.getByRole('radio', { name: /Closed/ }).isChecked());
    assert.equal(await page.locator('.vertex text', { hasText: 'O' }).count(), 2);
    await accessible(page);
    await page.getByLabel('Labels', { exact: true }).selectOption('own');
    await page.getByLabel('Names of labels').fill('v 6 carbon\ne 1 -\nv 6 C');
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByText('vertex label 6 has two names: carbon and C').waitFor();
    await page.getByLabel('Names of labels').fill('v 6 carbon\ne 1 -');
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.locator('.vertex text', { hasText: 'carbon' }).first().waitFor();
});

test('graphs are drawn, and their occurrences marked in the graphs that have them', { skip }, async () => {
    const job = await mined('molecules', 'graphs', { 'min-support': '30%' });
    const { rows } = await api(`/jobs/${job.id}/patterns?sort=count&rows=1000`);
    const large = rows.reduce((best, row) => (row.edges.length > best.edges.length ? row : best));
    await open(`#/job/${job.id}?row=${large.row}`);
    const graph = page.getByRole('group', { name: /arrow keys step/ });
    await graph.locator('.vertex.in').first().waitFor();
    assert.equal(await graph.locator('.vertex.in').count(), large.vertices.length);
    assert.equal(await graph.locator('.edge.in').count(), large.edges.length);
    await page.getByText(`Graph 1 of ${large.count.toLocaleString('en-US')}`).waitFor();
    await accessible(page);
    await page.getByRole('button', { name: 'All subgraphs' }).click();
    const label = 'O'; // not in all of them
    await page.getByRole('group', { name: 'With the labels' }).getByRole('button', { name: label, exact: true }).click();
    const wanted = rows.filter((row) => row.vertices.includes(label)).length;
    await page.getByText(new RegExp(`^\\s*${wanted.toLocaleString('en-US')} subgraphs?`)).waitFor();
});

test('two results of a data set: what only one has, what the thresholds exclude, and what has other counts', { skip }, async () => {
    const name = '<img src=x onerror=alert(1)>';
    const low = await mined('groceries', 'rules', { 'min-support': '1%', 'min-confidence': '20%' });
    const high = await mined('groceries', 'rules', { 'min-support': '2%', 'min-confidence': '20%' });
    const held = await mined('groceries', 'rules', { 'min-support': '1%', 'min-confidence': '20%', holdout: '30%' });
    await fetch(`${server.url}/api/v1/jobs/${high.id}`, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name }) });
    const told = await api(`/jobs/${low.id}/diff/${high.id}?part=excluded&rows=1000`);
    assert.equal(told.parts.excluded, low.patterns - high.patterns);
    assert.equal(told.parts.same, high.patterns);

    await open(`#/job/${low.id}?tab=diff`);
    const view = page.getByRole('region', { name: 'Comparison with another result' });
    const choice = view.getByLabel('The other result');
    assert.match(await choice.locator('option', { hasText: name }).textContent(), /2% \(200\) · [\d,]+ rules · confidence at least 20% · today/);
    await choice.selectOption(String(high.id));
    await view.getByText(/^The other search could not find them: it looked only for rules in at least 2% \(200\) of the transactions/).waitFor();
    await view.getByRole('button', { name: `Only here, below the other thresholds ${told.parts.excluded.toLocaleString('en')}`, pressed: true }).waitFor();
    assert.equal(await view.getByRole('button', { name: /^Only in/ }).count(), 0);
    assert.equal(await view.locator('.pairs tbody tr').count(), Math.min(50, told.parts.excluded));
    if (told.parts.excluded > 50) {
        await view.getByRole('button', { name: 'Show more' }).click();
        await view.locator('.pairs tbody tr').nth(50).waitFor();
    }
    await accessible(page);
    await page.setViewportSize({ width: 390, height: 800 });
    await fits(page, 'the comparison');

    await choice.selectOption(String(held.id));
    await view.getByText(/did not count in the same data/).waitFor();
    await view.getByRole('button', { name: /^In both, with other counts/ }).click();
    await view.getByText(/in both results, with other counts/).waitFor();
    assert.match(await view.locator('.pairs tbody tr').first().textContent(), /% → .*points/);
    await view.getByTitle('Open this rule').first().click();
    await page.getByRole('tab', { name: 'Rule', selected: true }).waitFor();
});

/** A data set of these lines, and a job on it. */
async function minedLines(name, lines, kind, options) {
    const content = `${lines.join('\n')}\n`;
    const made = await api('/datasets', { name, bytes: Buffer.byteLength(content) });
    await fetch(`${server.url}/api/v1/datasets/${made.id}/content?offset=0`, { method: 'PUT', headers: { 'Content-Type': 'application/octet-stream' }, body: content });
    sets.set(name, made.id);
    return mined(name, kind, options);
}

test('the page of a rule says which item of its if-part may add nothing, and the result begins with another rule', { skip }, async () => {
    // Green is in 250 of 469 with red, and in 25 of the 39 with red and roses: 53.3% and 64.1%, which chance explains.
    const times = (n, line) => Array.from({ length: n }, () => line);
    const lines = [...times(25, 'red,roses,green'), ...times(14, 'red,roses'), ...times(225, 'red,green'), ...times(205, 'red,tea'), ...times(100, 'roses,tea'), ...times(431, 'tea,milk')];
    const job = await minedLines('red.basket', lines, 'rules', { 'min-support': '20', 'min-confidence': '50%' });
    const { rows } = await api(`/jobs/${job.id}/rules?sort=lift&rows=5`);
    assert.deepEqual([rows[0].body.toSorted(), rows[0].head], [['red', 'roses'], ['green']]);

    await open(`#/job/${job.id}`);
    const best = page.getByRole('region', { name: 'Best rule' });
    await best.getByText('whose every item adds something').waitFor();
    const told = await best.innerText();
    assert.match(told, /roses adds nothing provable to red \(p = 0\.11\)/);
    assert.match(told, /is in 250 of the (469|250) transactions with/);

    await open(`#/job/${job.id}?tab=rule&row=${rows[0].row}`);
    const verdict = page.getByRole('status', { name: 'Verdict' });
    await verdict.getByText('adds nothing provable').waitFor();
    const words = (await verdict.innerText()).replaceAll(/\s+/g, ' ');
    assert.match(words, /^p = .*, before any adjustment: /);
    assert.ok(!/chance:/.test(words), 'no verdict without an adjustment');
    assert.match(words, /But roses adds nothing provable to red alone: 53\.3% \(250 of 469\) → 64\.1% \(25 of 39\), p = 0\.11\./);
    assert.ok(!/red adds nothing/.test(words), words);
    // Roses without red are in 14 of 139: that rule is not in the result, so there are its numbers and no link to an empty table.
    await page.getByText('More general: without red: not in this result; there, the confidence is 18% (25 of 139)').waitFor();
    assert.equal(await page.getByRole('link', { name: 'More general: without red' }).count(), 0);
    assert.equal(await page.getByRole('link', { name: 'More general: without roses' }).count(), 1);
    await accessible(page);
});

test('a verdict follows the held-out part or the adjusted p-value, and agrees with the head', { skip }, async () => {
    // One pair that holds, and many items that meet by chance.
    const lines = Array.from({ length: 400 }, (_, i) => `${i % 4 === 0 ? 'tea,cake' : 'milk'},${[3, 5, 7].map((k) => `n${Math.floor((i * i * k + i * 13) / 7) % 23}`).join(',')}`);
    const wanted = { 'min-support': '1%', 'min-confidence': '50%', 'sort-by': 'lift' };
    const job = await minedLines('verdict.basket', lines, 'rules', { ...wanted, holdout: '30%' });
    const ask = (id, query) => api(`/jobs/${id}/rules?sort=lift&measures=heldOutP&${query}`);
    const [holding, failing] = await Promise.all([ask(job.id, 'max=heldOutP%3D0.05&rows=1'), ask(job.id, 'min=heldOutP%3D0.06&rows=1')]);
    assert.ok(holding.found > 0 && failing.found > 0, 'rules of both kinds');
    await open(`#/job/${job.id}`);
    const best = page.getByRole('region', { name: 'Best rule' });
    await best.getByText(new RegExp(`${holding.found} of ${job.patterns} rules holds?`)).waitFor();
    assert.match(await best.innerText(), new RegExp(`in the ${job.report.rules.held_out}\\s+held-out transactions`));
    // The rules of a higher lift are counted in the whole result, not only in those that hold.
    const { rows: [first] } = await ask(job.id, 'max=heldOutP%3D0.05&rows=1');
    const { found: above } = await ask(job.id, `min=lift%3D${first.lift * (1 + 1e-9)}&rows=1`);
    assert.ok(above > 0, 'chance gives a higher lift');
    await best.getByText(new RegExp(`Of all ${job.patterns} rules in this result, ${above} (has|have) a higher lift, but\\s+(does|do) not hold`)).waitFor();
    await best.getByRole('button', { name: /^Show only/ }).click();
    await page.getByText(new RegExp(`^${holding.found} of ${job.patterns} rules`)).first().waitFor();
    await best.getByRole('link', { name: 'Open this rule' }).click();
    const verdict = page.getByRole('status', { name: 'Verdict' });
    await verdict.getByText('Holds', { exact: true }).waitFor();
    await open(`#/job/${job.id}?tab=rule&row=${failing.rows[0].row}`);
    await verdict.getByText('Does not hold', { exact: true }).waitFor();
    assert.match(await page.getByRole('region', { name: 'Measures' }).locator('tbody tr').first().innerText(), /^Held/);
    await page.getByText(/^This list has all transactions, searched and held-out ones/).waitFor();
    await page.getByText(/^Of [\d,]+ searched transactions? with .*; of all searched transactions, /).waitFor();

    // With “Significant”, those that do not hold are not in the result, but were tested.
    const kept = await mined('verdict.basket', 'rules', { ...wanted, holdout: '30%', significant: '0.05', adjust: 'bh' });
    const tested = Number(kept.report.rules.tests);
    assert.ok(kept.patterns > 0 && kept.patterns < tested, `${kept.patterns} of ${tested}`);
    await open(`#/job/${kept.id}`);
    await best.getByText(`${kept.patterns} of ${tested} tested rules`).waitFor();
    await best.getByText(/The other .* not in this result/).waitFor();

    // Rules that the switch "Significant" keeps are not chance, and the page shows the same p-value.
    const firm = await mined('verdict.basket', 'rules', { ...wanted, significant: '0.05', adjust: 'bh' });
    await open(`#/job/${firm.id}?tab=rule&row=0`);
    await verdict.getByText('Not chance:').waitFor();
    const { measures } = await api(`/jobs/${firm.id}/rows/0`);
    const p = measures.find((one) => one.name === 'adjustedP').value;
    assert.ok((await verdict.innerText()).includes(p < 0.001 ? p.toExponential(1) : String(Number(p.toPrecision(2)))), 'the adjusted p-value');
});

test('every algorithm of the server has a page', { skip }, async () => {
    const { algorithms } = await api('/devices');
    const names = [...algorithms.itemsets, ...algorithms.graphs].map(({ name }) => name).filter((name) => name !== 'auto');
    assert.deepEqual([...new Set(names)].filter((name) => !algorithmNames().includes(name)), []);
    assert.deepEqual(algorithmNames().filter((name) => !names.includes(name)), ['brute'], 'which is only for tests');
});

/** A Python that can import the module of this build; null: none. */
function python() {
    const found = programs();
    const folder = found && join(dirname(found.server), 'python');
    const env = { ...process.env, PYTHONPATH: folder, PATH: `${found && dirname(found.lode)}:${process.env.PATH}` };
    const name = ['python3', '/usr/bin/python3'].find((one) => found && spawnSync(one, ['-c', 'import lode'], { env }).status === 0);
    return name === undefined ? null : { name, env };
}
const interpreter = skip ? null : python();

test('the Python script of a result runs and finds as many patterns', { skip: skip || (interpreter === null && 'the Python module is not built') }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lode-python-'));
    const names = ['=1+1', '@home', 'say "cheese"', 'back\\slash', "it's", 'a|b', 'milk', 'Milk', '<b>'];
    const rows = Array.from({ length: 240 }, (_, i) => names.filter((_, k) => (i * (k + 3)) % (k + 4) < 2));
    const content = rows.map((row) => JSON.stringify(row.length > 0 ? row : ['milk'])).join('\n') + '\n';
    const made = await api('/datasets', { name: 'baskets.jsonl', bytes: Buffer.byteLength(content) });
    await fetch(`${server.url}/api/v1/datasets/${made.id}/content?offset=0`, { method: 'PUT', headers: { 'Content-Type': 'application/octet-stream' }, body: content });
    await writeFile(join(folder, 'baskets.jsonl'), content);
    sets.set('own', made.id);
    try {
        for (const [kind, options, more] of [
            ['itemsets', { 'min-support': '2%', target: 'closed', 'min-size': '2', include: ['mi*'] }],
            ['rules', { 'min-support': '3', 'min-confidence': '30%', min: ['lift=1.01', 'support=2%'], exclude: ['say "cheese"'], 'max-rhs': '2' }],
            ['rules', { 'min-support': '5%', top: '7', 'sort-by': 'lift', productive: 'true' }],
            ['itemsets', { 'min-support': '1%' }, { clean: { 'fold-case': 'true', drop: ["it's"] } }],
        ]) {
            const job = await mined('own', kind, options, more);
            await open(`#/job/${job.id}`);
            await page.getByText('Command line and Python').click();
            const script = await page.getByRole('region', { name: 'Python script for this job' }).innerText();
            await writeFile(join(folder, 'script.py'), script);
            const { status, stdout, stderr } = spawnSync(interpreter.name, ['script.py'], { cwd: folder, env: interpreter.env, encoding: 'utf8' });
            assert.equal(status, 0, `${script}\n${stderr}`);
            assert.ok(job.patterns > 1, 'the job finds something');
            assert.equal(Number(stdout), job.patterns, script);
        }
    } finally {
        await rm(folder, { recursive: true });
    }
});
