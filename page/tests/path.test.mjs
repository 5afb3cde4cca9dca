// The newcomer's path against the real server: from an empty page to a network of rules; files in
// slices that survive a lost connection and a reload; hostile names; graphs.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessible, fits, launch, newPage, picture, startServer } from './browser.mjs';

const server = await startServer();
const options = { skip: server === null && 'lode-server is not built' };
let browser;
let folder;

before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lode-page-files-'));
    if (server !== null) browser = await launch();
});
after(async () => {
    await browser?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
});

const step = (page, n) => page.locator(`[data-step="${n}"]`);
const choose = (page, path) => page.getByLabel('File with transactions or graphs').setInputFiles(path);
async function file(name, text) {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
}
async function visit(run, context = {}) {
    const { page, close } = await newPage(browser, server.url, context);
    await page.goto(`${server.url}/`);
    await run(page);
    await close();
}

test('from an empty page to a network of rules', options, () =>
    visit(async (page) => {
        await page.getByText('None yet.').waitFor();
        await accessible(page);
        await picture(page, 'load-empty');
        await page.getByRole('button', { name: /^Groceries/ }).click();
        await step(page, 4).locator('.sentence').getByText(/itemsets/).waitFor();
        await accessible(page);
        await picture(page, 'load-data');

        await step(page, 4).getByRole('radio', { name: /^Rules/ }).check();
        await step(page, 4).locator('.sentence').getByText(/rules/).waitFor();
        await step(page, 4).getByLabel('Or the number of rules').fill('200');
        await step(page, 4).getByRole('button', { name: 'Find' }).click();
        await step(page, 4).getByRole('button', { name: 'Find' }).and(page.locator(':enabled')).waitFor();
        await step(page, 5).getByRole('button', { name: 'Mine rules' }).click();
        await page.waitForURL(/#\/job\/[0-9]+/);
        await page.getByRole('grid').waitFor();
        await accessible(page);
        await page.getByRole('tab', { name: /Network/ }).click();
        await page.locator('svg circle, canvas').first().waitFor();
        await accessible(page);
        await picture(page, 'load-network');
        await page.goto(`${server.url}/#/`);
        await page.getByRole('link', { name: /Rules in groceries/ }).waitFor();
        await accessible(page);
        await picture(page, 'load');
    }));

test('cleaning shows before and after, and changes what is mined', options, () =>
    visit(async (page) => {
        await choose(page, await file('noisy.csv', 'Milk,bread\nmilk,bread\nMILK,eggs\nyoghurt,milk\nyoghurt,bread\nyogurt,eggs\n'));
        await step(page, 2).getByText('Most frequent items').waitFor();
        await step(page, 3).getByLabel('Ignore case').check();
        await step(page, 3).getByRole('checkbox', { name: /^yogurt/ }).check();
        await step(page, 3).locator('tr.changed', { hasText: 'Items' }).first().waitFor();
        await step(page, 3).getByRole('button', { name: 'Clean the data' }).click();
        await step(page, 3).getByText('2 changes').waitFor();
        await page.getByText('6 transactions, 4 items').waitFor();
    }));

test('names that look like markup stay text, from the preview to the profile', options, () =>
    visit(async (page) => {
        const names = ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', `"q" & 'q'`, '🥖🧀', 'مربى', 'x'.repeat(10_000)];
        const line = names.map((name) => `"${name.replaceAll('"', '""')}"`).join(',');
        await choose(page, await file('<img src=x>.csv', `${line}\n${line}\nbread,milk\n`));
        await page.getByRole('heading', { name: '<img src=x>.csv' }).waitFor();
        await step(page, 1).getByText('<img src=x onerror=alert(1)>', { exact: true }).first().waitFor();
        await step(page, 2).getByText('Most frequent items').waitFor();
        assert.equal(await page.locator('main img, main script').count(), 0);
        await page.setViewportSize({ width: 360, height: 740 });
        await fits(page);
        await accessible(page);
    }));

test('a file that cannot be read so says where, and is read otherwise', options, () =>
    visit(async (page) => {
        await choose(page, await file('names.csv', 'bread,milk\nbread,eggs\n'));
        await step(page, 2).getByText('Most frequent items').waitFor();
        await step(page, 1).getByText('Change how the file is read').click();
        await step(page, 1).getByLabel('Format').selectOption('fimi');
        await step(page, 1).getByRole('button', { name: 'Read again' }).click();
        await step(page, 1).getByRole('alert').waitFor();
        assert.match(await step(page, 1).getByRole('alert').textContent(), /names\.csv:1:/);
        assert.equal(await step(page, 1).locator('mark').textContent(), 'bread,milk\n', 'the line is marked');
        await step(page, 1).getByRole('button', { name: 'Back to detected settings' }).click();
        await step(page, 2).getByText('Most frequent items').waitFor();
    }));

test('rows of attributes: numbers in ranges, and the sheet of a workbook', options, () =>
    visit(async (page) => {
        await choose(page, await file('people.csv', `age,city\n${Array.from({ length: 60 }, (_, i) => `${20 + i},${i % 2 ? 'Ulm' : 'Bonn'}`).join('\n')}\n`));
        await step(page, 1).getByRole('button', { name: 'Read items such as “column=value”' }).click();
        await step(page, 1).getByText('age=20', { exact: true }).waitFor();
        const ranges = step(page, 1).getByRole('group', { name: 'Ranges for numbers' });
        assert.deepEqual(await ranges.locator('label').allTextContents(), ['age'], 'only numbers have ranges');
        await ranges.getByLabel('age').selectOption('own');
        await ranges.getByLabel('Ranges begin at').fill('30, 50');
        await accessible(page);
        await step(page, 1).getByRole('button', { name: 'Read again' }).click();
        await step(page, 1).getByText('age=[30,50)', { exact: true }).first().waitFor();
        await step(page, 5).getByText(/people\.csv --format attributes .*--bins age=30,50/).waitFor();
        await ranges.getByLabel('age').selectOption('quantiles:3');
        await step(page, 1).getByRole('button', { name: 'Read again' }).click();
        await step(page, 1).getByText(/^age=<39/).first().waitFor();

        // The server names the sheet that it reads.
        await page.route('**/preview?*', async (route) => {
            const answer = await (await route.fetch()).json();
            await route.fulfill({ json: { ...answer, recognised: { ...answer.recognised, sheet: 'Orders' } } });
        });
        await page.reload();
        await step(page, 1).getByLabel('Sheet').fill('Lines');
        const asked = page.waitForRequest((request) => request.method() === 'PATCH');
        await step(page, 1).getByRole('button', { name: 'Read again' }).click();
        assert.equal((await asked).postDataJSON().read.sheet, 'Lines');
    }));

test('an upload goes on after a lost connection and after a reload, and can be cancelled', options, () =>
    visit(async (page) => {
        const large = await file('large.csv', 'bread,milk,eggs\nbread,butter\n'.repeat(650_000)); // three slices
        const offsets = [];
        let lost = false;
        let held = true;
        await page.route('**/content?offset=*', async (route) => {
            const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
            if (offset === 8388608 && !lost) {
                lost = true;
                return route.abort();
            }
            if (offset === 16777216 && held) return route.abort();
            offsets.push(offset);
            return route.continue();
        });
        await choose(page, large);
        await page.getByText(/16 MiB of/).waitFor();
        await accessible(page);
        await page.reload();
        held = false;
        await page.getByText('choose the same file again to continue').waitFor();
        await choose(page, large);
        await page.waitForURL(/#\/data\//);
        await page.getByText('1,300,000 transactions').first().waitFor();
        assert.deepEqual(offsets, [0, 8388608, 16777216], 'what had arrived is not sent again');

        await page.goto(`${server.url}/#/`);
        held = true;
        await choose(page, await file('second.csv', 'bread,milk,eggs\n'.repeat(1_200_000)));
        await page.getByText(/16 MiB of/).waitFor();
        let release;
        const released = new Promise((resolve) => (release = resolve));
        await page.route(/\/datasets\/\d+$/, async (route) => {
            if (route.request().method() === 'DELETE') await released;
            return route.continue();
        });
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByText('deleting…').waitFor(); // it is listed as long as the server has it
        release();
        await page.getByRole('heading', { name: 'Uploads' }).waitFor({ state: 'detached' });
        const { datasets } = await (await page.request.get(`${server.url}/api/v1/datasets`)).json();
        assert.ok(!datasets.some((one) => one.name === 'second.csv'), 'nothing of it is left');
    }));

test('graphs go the same way, drawn', options, () =>
    visit(async (page) => {
        await page.getByRole('button', { name: /^Molecules/ }).click();
        await step(page, 1).locator('svg').first().waitFor();
        await step(page, 3).getByText(/In at least/).waitFor();
        await accessible(page);
        await picture(page, 'load-graphs');
        await step(page, 4).getByRole('button', { name: 'Mine subgraphs' }).click();
        await page.waitForURL(/#\/job\/[0-9]+/);
        await page.getByText(/subgraph|pattern/i).first().waitFor();
    }));
