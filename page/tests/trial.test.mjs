// What an analyst does and could be misled by, against the real server: results after the cleaning was undone,
// cleaning that is chosen but not applied, several row conditions, and the best rules of how many.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newPage, startBoth, support } from './browser.mjs';

const both = await startBoth();
const { server, options } = both;

const step = (page, n) => page.locator(`[data-step="${n}"]`);
async function visit(name, text, run) {
    const { page, close } = await newPage(both.browser, server.url);
    await page.goto(`${server.url}/`);
    await page.getByLabel('File with transactions or graphs').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
    await step(page, 2).getByText('Most frequent items').waitFor();
    await run(page);
    await close();
}
async function mine(page, least, button) {
    await support(page, least);
    await step(page, 5).getByRole('button', { name: button }).click();
    await page.waitForURL(/#\/job\/[0-9]+/);
    await page.getByRole('grid').waitFor();
}
const heading = (page) => page.getByRole('heading', { level: 1 }).textContent();
const BASKETS = 'Milk,bread\nmilk,bread\nMILK,eggs\nyogurt,milk\nyogurt,bread\nyogurt,eggs\npostage\n'.repeat(4);

test('a result keeps its data when the cleaning is undone', options, () =>
    visit('undone.csv', BASKETS, async (page) => {
        await step(page, 3).getByLabel('Ignore case').check();
        await step(page, 3).getByLabel('Drop items').fill('postage');
        await step(page, 3).getByText('4 transactions are empty now').waitFor();
        await step(page, 3).getByRole('button', { name: 'Leave them out' }).click();
        await step(page, 3).getByRole('button', { name: 'Clean the data' }).click();
        await page.getByText('24 transactions, 4 items').waitFor();
        await mine(page, '4', 'Mine itemsets');
        const address = page.url();
        await page.goBack();
        await step(page, 3).getByRole('button', { name: 'Undo cleaning' }).click();
        await page.getByText('28 transactions, 7 items').waitFor();

        await page.goto(address);
        await page.getByText('in at least 4 of 24 transactions').waitFor();
        await page.getByRole('row', { name: /milk/ }).first().dblclick();
        await page.getByText(/16 of 24 transactions/).first().waitFor();
        await page.getByRole('status').getByText('16 transactions').waitFor();
        await page.getByRole('tab', { name: 'Pairs' }).click();
        await page.getByText(/items in 24 transactions/).first().waitFor();
        await page.getByRole('tab', { name: 'Table' }).click();
        await page.getByLabel('Exact value').fill('2');
        await page.getByLabel('Exact value').press('Enter');
        await page.getByText('in at least 2 of 24 transactions').waitFor();
        await page.getByText('Command line and Python', { exact: true }).click();
        assert.match(await page.locator('details.line').textContent(), /lode clean undone\.csv/);
    }));

test('what is mined is what is previewed', options, () =>
    visit('pending.csv', BASKETS, async (page) => {
        await support(page, '4');
        await step(page, 3).getByLabel('Ignore case').check();
        await step(page, 3).getByLabel('Drop items').fill('postage\neggs');
        await step(page, 3).getByLabel('With at least').fill('2');
        await step(page, 3).locator('tr.changed', { hasText: 'Transactions' }).getByText('16').waitFor();
        await step(page, 5).getByText('16 of 28 transactions remain').waitFor();
        await step(page, 5).getByRole('button', { name: 'Clean and mine itemsets' }).click();
        await page.waitForURL(/#\/job\/[0-9]+/);
        await page.getByText('in at least 4 of 16 transactions').waitFor();
        await page.goBack();
        await step(page, 3).getByText('4 changes').waitFor(); // case, two items, small transactions
    }));

test('several row conditions, and nothing is mined while step 1 is not read again', options, () => {
    const table = ['Invoice,Item,Quantity', '1,milk,1', '1,bread,2', '2,milk,1', '2,bread,1', 'C3,milk,-1', '4,milk,0', '4,bread,1', '5,,1', '5,milk,3'];
    return visit('orders.csv', `${table.join('\n')}\n`, async (page) => {
        await step(page, 1).getByText('One transaction for each value of Invoice; its items are in Item.').waitFor();
        await step(page, 1).getByText('Change how the file is read').click();
        assert.ok(await step(page, 1).getByLabel('The first line is a header').isChecked(), 'as it was detected');
        await step(page, 1).getByLabel('Transaction column').selectOption('Invoice');
        await step(page, 1).getByLabel('Item column').selectOption('Item');
        await step(page, 5).getByText('Step 1 has changes').waitFor();
        assert.ok(await step(page, 5).getByRole('button', { name: 'Mine itemsets' }).isDisabled());
        await step(page, 1).getByRole('button', { name: 'Read again' }).click();
        await step(page, 3).getByLabel('1 Invoice value begins with C, in 1 row').check();
        await step(page, 3).getByLabel('Quantity is zero or negative in 2 rows').check();
        await step(page, 3).getByLabel('Item is empty in 1 row').check();
        await step(page, 3).locator('tr.changed', { hasText: 'Item occurrences' }).getByText('6', { exact: true }).waitFor();
        await mine(page, '1', 'Clean and mine itemsets');
        assert.equal(await heading(page), '3 itemsets');
        const { jobs } = await (await page.request.get(`${server.url}/api/v1/jobs`)).json();
        assert.match(jobs[0].command, /--drop-rows 'Invoice=C\*' --drop-rows 'Quantity<=0' --drop-rows Item=/);
    });
});

test('a transaction column with empty cells: the lists stay, and a button leaves these rows out', options, () => {
    const table = ['Invoice,Item,Customer', '1,milk,a', '1,bread,a', '2,milk,', '3,milk,b', '3,tea,b'];
    return visit('gaps.csv', `${table.join('\n')}\n`, async (page) => {
        await step(page, 1).getByText('Change how the file is read').click();
        await step(page, 1).getByLabel('Transaction column').selectOption('Customer');
        await step(page, 1).getByLabel('Item column').selectOption('Item');
        await step(page, 1).getByRole('button', { name: 'Read again' }).click();
        const button = step(page, 1).getByRole('button', { name: 'Leave out the rows without Customer' });
        await button.waitFor();
        assert.ok(!/--drop-rows/.test(await step(page, 1).getByRole('alert').innerText()), 'no advice for the command line');
        assert.equal(await step(page, 1).getByRole('combobox', { name: 'Transaction column' }).inputValue(), 'Customer');
        assert.ok(await step(page, 1).getByLabel('The first line is a header').isChecked());
        await page.reload();
        await step(page, 1).getByRole('combobox', { name: 'Transaction column' }).waitFor();
        await button.click();
        await page.getByText('2 transactions, 3 items').waitFor();
        await step(page, 1).getByText('1 row was left out by your conditions.').waitFor();
    });
});

test('the best rules say of how many, and by which measure', options, () =>
    visit('best.csv', BASKETS.toLowerCase(), async (page) => {
        await step(page, 4).getByRole('radio', { name: /^Rules/ }).check();
        await step(page, 4).getByLabel('Minimum confidence').fill('10%');
        await mine(page, '4', 'Mine rules');
        const all = /^([0-9]+) rules$/.exec(await heading(page))[1];
        await page.getByLabel('Only the top').fill('2');
        await page.getByLabel('by this measure').selectOption('confidence');
        await page.getByRole('button', { name: 'Find' }).click();
        await page.getByRole('heading', { level: 1, name: `The best 2 of ${all} rules by confidence` }).waitFor();
        await page.getByRole('button', { name: 'Save and share' }).click();
        await page.getByRole('dialog').getByText(`The best 2 of ${all} rules by confidence`).waitFor();
        await page.goto(`${server.url}/#/`);
        await page.getByRole('row', { name: /best\.csv/ }).getByText(`best 2 of ${all}`).waitFor();
    }));

test('the head tells the best rule; switches mine productive, significant and held-out rules', options, () =>
    visit('head.csv', 'tea,cake\ntea,cake\nham,mustard\nham,mustard\ncake,ham\n'.repeat(60), async (page) => {
        await step(page, 4).getByRole('radio', { name: /^Rules/ }).check();
        await step(page, 4).getByLabel('Minimum confidence').fill('10%');
        // Nothing is held out and no p-value is adjusted, so no rule can be the best by these.
        await step(page, 4).getByLabel('Only the best').fill('10');
        const titles = await step(page, 4).getByLabel('Best by').locator('option').allTextContents();
        assert.ok(titles.includes('Added value') && !titles.some((title) => /^(Held-out|Adjusted)|[a-z][A-Z]/.test(title)), titles.join());
        assert.deepEqual(titles.slice(-40), titles.slice(-40).sort((a, b) => a.localeCompare(b, 'en')), 'the other measures are sorted');
        await step(page, 4).getByLabel('Only the best').fill('');
        await mine(page, '2', 'Mine rules');
        const api = async (path) => (await page.request.get(`${server.url}/api/v1${path}`)).json();
        const job = () => Number(/job\/([0-9]+)/.exec(page.url())[1]);
        const best = page.getByRole('region', { name: 'Best rule' });
        const { rows: [top] } = await api(`/jobs/${job()}/rules?sort=lift&rows=1`);
        await best.getByText(`${top.head[0]} is in ${top.both} of the ${top.body_count} transactions with ${top.body.join(' and ')}`).waitFor();
        assert.match(await best.innerText(), new RegExp(`${Number(top.lift.toPrecision(3))} times as often`));

        const first = job();
        for (const [label, option, value] of [['Productive', 'productive', 'true'], ['Significant', 'significant', '0.05'], ['Test on 30% held out', 'holdout', '30%']]) {
            const before = job();
            await page.getByRole('button', { name: label, exact: true, pressed: false }).click();
            await page.waitForURL((url) => !url.href.endsWith(`/job/${before}`));
            await page.getByRole('button', { name: label, exact: true, pressed: true }).waitFor();
            const now = await api(`/jobs/${job()}`);
            assert.equal(now.options[option], value);
            assert.equal(now.options['min-support'], option === 'holdout' ? '0.6%' : '2', 'of a part of the data, the share counts');
            assert.equal(now.family, first);
        }
        const now = await api(`/jobs/${job()}`);
        await page.locator('.what').getByText('productive, significant at 0.05, 30% held out').waitFor();
        await page.getByRole('columnheader', { name: /Adjusted p-value/ }).waitFor();
        for (const [name, text] of [['Adjusted p-value', /^(0|1|0\.\d+|\d\.\d+e-\d+)$/], ['Held-out confidence', /%$/]]) {
            const titles = await page.getByRole('columnheader').allInnerTexts();
            const cell = page.locator('#row-0').getByRole('gridcell').nth(titles.findIndex((title) => title.replace(/[\s?]+/g, ' ').trim() === name));
            await page.waitForFunction(([element, source]) => new RegExp(source).test(element.innerText.trim()), [await cell.elementHandle(), text.source]);
        }
        await page.getByRole('button', { name: 'Productive', exact: true, pressed: true }).click();
        await page.getByRole('button', { name: 'Productive', exact: true, pressed: false }).waitFor();
        assert.equal((await api(`/jobs/${job()}`)).options.productive, undefined);

        // None of them litters the list: the older ones are folded under the newest, until one has a name.
        await page.getByRole('button', { name: 'Name this result' }).click();
        await page.getByLabel('Name', { exact: true }).fill('<b>Summer</b>');
        await page.getByRole('textbox', { name: 'Note' }).fill('without <i>postage</i>');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.locator('.what').getByText('<b>Summer</b>').waitFor();
        await page.goto(`${server.url}/#/`);
        const row = page.getByRole('row', { name: /<b>Summer<\/b>/ });
        await row.getByText('without <i>postage</i>').waitFor();
        assert.equal(await page.getByRole('row', { name: /head\.csv/ }).count(), 2, 'the data set and its newest result');
        await row.getByRole('button', { name: /4 earlier results/ }).click();
        await page.locator('tr.older').nth(3).waitFor();
        assert.equal(await page.locator('tr.older').count(), 4);
        await page.locator('tr.older').last().getByText(`2 (${((2 / 300) * 100).toPrecision(3)}%)`).waitFor();

        await page.getByRole('link', { name: 'head.csv', exact: true }).click();
        await page.getByText('Latest result:').getByRole('link', { name: '<b>Summer</b>' }).click();
        await page.waitForURL((url) => url.href.endsWith(`/job/${now.id + 1}`));
        await page.getByRole('heading', { level: 1 }).waitFor();
        assert.equal(await page.locator('.what b, .what i').count(), 0, 'names with markup stay text');
    }));
