// The parts of a job's page in a real browser: progress, the live threshold, the comparison, graphs with occurrences,
// saving and sharing. They run against the stand-in server (mock.mjs), which lets jobs fail and streams break on demand.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { accessible as check, fits, launch, newPage, until } from './browser.mjs';
import { startMock } from './mock.mjs';

let mock;
let browser;
let page;
let shown;

before(async () => {
    mock = await startMock({ seconds: 0.9 });
    browser = await launch();
});
after(async () => {
    await browser.close();
    await mock.close();
});
beforeEach(async () => {
    shown = await newPage(browser, mock.url, { permissions: ['clipboard-read', 'clipboard-write'] });
    page = shown.page;
});
afterEach(() => {
    mock.hold(false);
    return shown.close();
});

const open = (hash) => page.goto(`${mock.url}/${hash}`);
const api = async (path, body) => {
    const init = body === undefined ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    return (await fetch(`${mock.url}/api/v1${path}`, init)).json();
};
/** A job that runs for so long, unless it is ended. */
const newJob = (seconds = 60) => api('/jobs', { dataset: 1, kind: 'itemsets', options: { 'min-support': '1%', 'limit-time': String(seconds) } });
const hash = () => page.evaluate(() => location.hash);

const accessible = () => check(page);

test('a running job shows how far it is, survives a reload, and ends in its result', async () => {
    const job = await newJob();
    await open(`#/job/${job.id}`);
    const bar = page.getByRole('progressbar');
    await bar.waitFor();
    await page.waitForFunction(() => Number(document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')) > 0);
    await page.getByText(/^about \d+ s/).waitFor();
    await accessible();
    const before = Number(await bar.getAttribute('aria-valuenow'));
    await page.reload();
    await page.waitForFunction((least) => Number(document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow')) >= least, before);
    await api(`/jobs/${job.id}/keep`, {});
    await page.getByRole('region', { name: 'Threshold' }).waitFor();
    assert.equal(await bar.count(), 0);
});

test('the threshold of a running job is raised; stop and keep leaves a result', async () => {
    const job = await newJob();
    await open(`#/job/${job.id}`);
    await page.getByLabel('Raise the threshold').fill('2%');
    await page.getByRole('button', { name: 'Raise' }).click();
    await page.getByText('The threshold is now 2%.').waitFor();
    assert.equal((await api(`/jobs/${job.id}`)).options['min-support'], '2%');
    await page.getByRole('button', { name: /Stop and keep/ }).click();
    await page.getByRole('region', { name: 'Threshold' }).waitFor();
    await page.getByText('The search was stopped.').first().waitFor();
    await page.getByRole('heading', { level: 1, name: /^[\d,]+ itemsets? found before the search was stopped$/ }).waitFor();
});

test('cancel ends a job, and it can be mined again', async () => {
    const job = await newJob();
    await open(`#/job/${job.id}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'The job was cancelled' }).waitFor();
    assert.equal((await api(`/jobs/${job.id}`)).state, 'cancelled');
    await page.getByRole('button', { name: 'Mine again' }).click();
    await page.getByRole('progressbar').waitFor();
    assert.notEqual(await hash(), `#/job/${job.id}`);
});

test('a failed and a lost job say why and what to do', async () => {
    await open('#/job/6');
    await page.getByText('needs 12 GiB').first().waitFor();
    await page.getByText('A higher threshold needs less.').first().waitFor();
    await accessible();
    await open('#/job/7');
    await page.getByRole('heading', { name: 'The job was interrupted' }).waitFor();
    await page.getByRole('link', { name: 'Change the threshold or the data' }).waitFor();
});

test('a broken stream is opened again', async () => {
    const job = await newJob();
    let asked = 0;
    await page.route('**/events', (route) => (asked++ < 2 ? route.abort() : route.continue()));
    await open(`#/job/${job.id}`);
    await until(() => asked >= 3, 'the stream is not opened again');
    await api(`/jobs/${job.id}/keep`, {});
    await page.getByRole('region', { name: 'Threshold' }).waitFor();
});

test('the threshold filters upward at once', async () => {
    await open('#/job/4?sort=support');
    const exact = page.getByLabel('Exact value');
    await exact.fill('400');
    await exact.press('Enter');
    await page.waitForFunction(() => new URLSearchParams(location.hash.split('?')[1]).get('min') === 'count=400');
    await page.getByText(/of 10,000,000 itemsets, found in/).waitFor();
    assert.match(await hash(), /sort=support/);
    await page.getByRole('slider', { name: /^Threshold/ }).press('ArrowRight');
    await page.waitForFunction(() => Number(/count%3D(\d+)/.exec(location.hash)?.[1]) > 400);
    await accessible();
});

test('the threshold mines downward live: the old job is dropped, the new result takes its place', async () => {
    await open('#/job/4?sort=support&tab=table');
    const slider = page.getByRole('slider', { name: /^Threshold/ });
    await slider.waitFor();
    const known = new Set((await api('/jobs')).jobs.map((job) => job.id));
    const mined = async () => (await api('/jobs')).jobs.filter((job) => !known.has(job.id));
    mock.hold(true);
    await slider.press('ArrowLeft');
    await page.getByText('Mining down to').waitFor();
    await until(async () => (await mined()).length > 0, 'nothing is mined');
    const first = (await mined())[0];
    for (let i = 0; i < 5; i++) await slider.press('ArrowLeft');
    const least = /^\d+/.exec(await slider.getAttribute('aria-valuetext'))[0];
    await until(async () => (await mined()).every((job) => job.options['min-support'] === least), 'what nobody looks at is not dropped');
    mock.hold(false);
    await page.waitForFunction(() => /^#\/job\/\d\d/.test(location.hash));
    const now = await mined();
    assert.equal(now.length, 1, 'what nobody looked at is gone');
    assert.notEqual(now[0].id, first.id);
    assert.ok(Number(now[0].options['min-support']) < 99);
    assert.equal(await hash(), `#/job/${now[0].id}?sort=support&tab=table`);
    await page.getByText(/itemsets, mined in 412 ms/).waitFor();
    await page.waitForFunction(() => document.activeElement?.getAttribute('type') === 'range');
    await page.goBack();
    await page.waitForFunction(() => location.hash.startsWith('#/job/4'));
});

test('the best K are mined', async () => {
    await open('#/job/4');
    await page.getByLabel('Only the top').fill('25');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.waitForFunction(() => /^#\/job\/\d\d/.test(location.hash));
    const { options } = await api(`/jobs/${/\d+/.exec(await hash())[0]}`);
    assert.deepEqual(options, { 'min-support': '1%', target: 'top:25' });
    await page.getByRole('heading', { name: /^The 25 most frequent itemsets \([\d,]+ with ties\)/ }).waitFor();
    assert.equal(await page.getByLabel('Only the top').inputValue(), '25');
});

test('a comparison is stopped: what has run stays, and it can be begun again', async () => {
    await open('#/job/3?tab=compare');
    await page.getByRole('button', { name: 'Compare the algorithms' }).click();
    await page.getByRole('cell', { name: 'running…' }).waitFor();
    await page.getByRole('button', { name: 'Stop comparing' }).click();
    await page.getByText('not run: the comparison was stopped').first().waitFor();
    await accessible();
    await page.getByRole('button', { name: 'Compare again' }).click();
    await page.getByRole('button', { name: 'Stop comparing' }).waitFor();
});

test('the comparison fills in, says what failed, and draws no bar without a number', async () => {
    mock.hold(true);
    await open('#/job/4?tab=compare');
    const begin = page.getByRole('button', { name: 'Compare the algorithms' });
    await begin.waitFor();
    assert.equal((await api('/jobs/4/compare')).state, 'none', 'nothing runs before it is asked for');
    await begin.click();
    const rows = page.locator('section[aria-label=Comparison] tbody tr');
    await rows.first().waitFor();
    await page.getByText(/^2 of 6 done/).waitFor();
    assert.equal(await page.locator('svg text.row-name').count(), 6);
    mock.hold(false);
    await page.getByText('All 5 that finished found the same').waitFor();
    await page.getByRole('cell', { name: 'failed: eclat: command not found' }).waitFor();
    const bars = await page.locator('figure, section[aria-label=Comparison]').locator('svg').first().evaluate((svg) => {
        const names = [...svg.querySelectorAll('text.row-name')].map((t) => Number(t.getAttribute('y')));
        const last = names.at(-1);
        return [...svg.querySelectorAll('rect')].filter((r) => Math.abs(Number(r.getAttribute('y')) + 15 - last) < 2).length;
    });
    assert.equal(bars, 0);
    assert.match(await rows.nth(4).innerText(), /5\.3 ×/, 'without reading, unless it is asked for');
    const own = rows.filter({ hasText: 'this result' });
    assert.match(await rows.first().innerText(), /^auto/, 'the fastest first');
    await page.getByText('A short time is the median of 5 runs.').waitFor();
    const hrefs = await rows.getByRole('link').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    assert.deepEqual([hrefs.length, hrefs[1]], [5, '#/algorithms/frontier'], 'names lead to the pages of the algorithms, not those of other programs');
    assert.equal(await page.getByText('this result', { exact: true }).count(), 1);
    assert.match(await own.innerText(), /392 ms/);
    await page.getByLabel('Without reading').uncheck();
    await page.waitForFunction(() => location.hash.includes('time=all'));
    assert.match(await own.innerText(), /412 ms/);
    assert.match(await rows.nth(4).innerText(), /5\.1 ×/);
    await page.getByText('Logarithmic').click();
    await page.waitForFunction(() => location.hash.includes('scale=log'));
    await accessible();
    const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Comparison of algorithms: save as CSV' }).last().click()]);
    const text = await readFile(await csv.path(), 'utf8');
    assert.match(text, /^name,kind,device,state,runs,seconds,ratio/);
    assert.match(text, /eclat,peer,,failed,,,/);
    const [svg] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Comparison of algorithms: save as SVG' }).last().click()]);
    assert.match(await readFile(await svg.path(), 'utf8'), /<svg[^>]*xmlns/);
});

test('graphs: drawn cards, filters, occurrences step by step, a link that brings it back', async () => {
    await open('#/job/5');
    const cards = page.getByRole('list', { name: 'Subgraphs' }).getByRole('link');
    await cards.first().waitFor();
    assert.equal(await cards.count(), 48);
    await page.getByRole('link', { name: 'O–Cl(–C)–C, in 340 graphs 100%' }).waitFor();
    await accessible();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Page 2 of 5').waitFor();
    await page.getByRole('group', { name: 'With the labels' }).getByRole('button', { name: 'Cl' }).click();
    await page.waitForFunction(() => new URLSearchParams(location.hash.split('?')[1]).get('match') === '\\[Cl\\]');
    await page.waitForFunction(() => [...document.querySelectorAll('.cards a')].every((a) => a.querySelector('svg').getAttribute('aria-label').includes('Cl')));
    const name = (await cards.nth(1).getByRole('img').getAttribute('aria-label')).slice(0, -1);
    await cards.nth(1).click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
    const graph = page.getByRole('group', { name: /arrow keys step/ });
    await graph.locator('svg .vertex.in').first().waitFor();
    await accessible();
    await graph.press('ArrowRight');
    await page.getByText(/Graph 2 of/).waitFor();
    await page.reload();
    await page.getByText(/Graph 2 of/).waitFor();
    await graph.press('Escape');
    await cards.first().waitFor();
    assert.ok(await page.evaluate(() => document.activeElement?.matches('.cards a, .cards')));
});

test('save and share: rows of the filter, a link, a short link; the command line', async () => {
    await open('#/job/3?min=lift%3D2&sort=lift&reverse=1');
    await page.getByRole('button', { name: 'Save and share' }).click();
    const csv = page.getByRole('link', { name: 'CSV', exact: true });
    assert.match(await csv.getAttribute('href'), /\/jobs\/3\/export\?format=csv&min=lift%3D2&sort=lift&reverse=1$/);
    const sheet = page.getByRole('link', { name: 'Excel (.xlsx)' });
    assert.match(await sheet.getAttribute('href'), /\/jobs\/3\/export\?format=xlsx&min=lift%3D2&sort=lift&reverse=1$/);
    assert.equal(await page.getByText('A sheet of Excel has').count(), 0);
    await accessible();
    await page.getByRole('button', { name: 'Create a short link' }).click();
    const short = page.getByRole('region', { name: 'Short link to this view' });
    const address = await short.innerText();
    await page.getByRole('button', { name: 'Copy: Link to this view' }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
    await page.goto('about:blank');
    await page.goto(address);
    await page.waitForFunction(() => location.hash === '#/job/3?min=lift%3D2&sort=lift&reverse=1');
});

test('downloads: the selected rows, a warning about rows that do not fit into a sheet, and a server that cannot write xlsx', async () => {
    await open('#/job/3');
    const boxes = page.getByRole('checkbox', { name: /row/i });
    await boxes.nth(1).check();
    await boxes.nth(2).check();
    const picked = page.getByRole('group', { name: 'Selected rows' });
    assert.match(await picked.getByRole('link', { name: 'Save for Excel' }).getAttribute('href'), /export\?format=xlsx&pick=\d+%2C\d+$/);
    await page.getByRole('button', { name: 'Save and share' }).click();
    const sheet = page.getByRole('link', { name: 'Excel (.xlsx)' });
    await sheet.waitFor();
    assert.ok(await page.getByLabel('The 2 selected rows').isChecked());
    assert.match(await sheet.getAttribute('href'), /export\?format=xlsx&pick=\d+%2C\d+$/);
    await page.getByLabel('All rows', { exact: true }).check();
    assert.match(await sheet.getAttribute('href'), /export\?format=xlsx$/);
    await page.route('**/api/v1/about', async (route) => route.fulfill({ json: { ...(await (await route.fetch()).json()), xlsx: false } }));
    await page.reload();
    await page.getByRole('button', { name: 'Save and share' }).click();
    await page.getByText(/A sheet of Excel has at most 1,048,576 rows, and these are 10,000,000\./).waitFor();
    await page.getByText(/cannot write Excel files, because it was built without libxlsxwriter/).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Excel (.xlsx)' }).count(), 0);
});

test('at 360 pixels nothing sticks out', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const job = await newJob();
    for (const [address, ready] of [
        [`#/job/${job.id}`, '[role=progressbar]'],
        ['#/job/6', 'h2'],
        ['#/job/4?tab=compare', 'section[aria-label=Comparison] button'],
        ['#/job/5', '.cards li'],
        ['#/job/5?row=3', '.graph svg'],
    ]) {
        await open(address);
        await page.locator(ready).first().waitFor();
        await fits(page, address);
    }
});
