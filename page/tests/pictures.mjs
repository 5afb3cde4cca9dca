// Takes the pictures of README.md and docs/server.md, with an example, on the server as it is built.
//   node tests/pictures.mjs [NAME...]      (all, or those whose names are given)
// SPDX-License-Identifier: Apache-2.0
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch, newPage, startServer } from './browser.mjs';

const FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const wanted = process.argv.slice(2);
const server = await startServer();
if (server === null) throw new Error('lode-server is not built: ./dev build');

async function api(path, body) {
    const init = body === undefined ? {} : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    return (await fetch(`${server.url}/api/v1${path}`, init)).json();
}

async function mined(dataset, kind, options) {
    let job = await api('/jobs', { dataset, kind, options });
    while (job.state === 'queued' || job.state === 'running') {
        await new Promise((resolve) => setTimeout(resolve, 100));
        job = await api(`/jobs/${job.id}`);
    }
    if (job.state !== 'done') throw new Error(`${kind}: ${job.state}, ${job.message}`);
    return job.id;
}

const groceries = (await api('/datasets', { example: 'groceries' })).id;
const rules = await mined(groceries, 'rules', { 'min-support': '1%', 'min-confidence': '30%' });

// Name, address, what must be there, and the rest of how it is taken.
const VIEWS = [
    ['table', `#/job/${rules}?tab=table&sort=lift`, '[role=grid]'],
    ['rule', `#/job/${rules}?tab=rule&row=0`, 'table', { fullPage: true }],
    ['scatter', `#/job/${rules}?tab=scatter`, 'main svg, main canvas', { fullPage: true }],
    ['network', `#/job/${rules}?tab=network`, 'main svg circle', { fullPage: true }],
    ['groups', `#/job/${rules}?tab=groups`, 'main svg circle', { fullPage: true }],
];

const browser = await launch();
await mkdir(FOLDER, { recursive: true });
for (const [name, address, there, how = {}] of VIEWS) {
    if (wanted.length && !wanted.includes(name)) continue;
    const viewport = { width: 1200, height: how.fullPage ? 1300 : 850 }; // what sticks to the bottom of a lower window would hide a plot
    const { page, close } = await newPage(browser, server.url, { viewport, colorScheme: 'light', reducedMotion: 'reduce' });
    await page.goto(`${server.url}/${address}`);
    await page.locator(there).first().waitFor();
    await page.waitForLoadState('networkidle').catch(() => undefined); // a view with a stream of events never is
    await page.waitForTimeout(1500);
    await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: how.fullPage ?? false });
    await close();
    console.log(`${name}.png`);
}
await browser.close();
await server.close();
