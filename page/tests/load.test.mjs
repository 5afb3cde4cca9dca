// The way from a file to a job in a real browser, against the stand-in server: what it shows, what it
// asks for, and that keyboards, small screens and hostile names do not break it.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { accessible, fits, mocked, newPage, notLong, picture, support } from './browser.mjs';
import { startMock } from './mock.mjs';

let mock;
let page;
let browser;
mocked((...given) => ([page, mock, browser] = given));

const open = (hash) => page.goto(`${mock.url}/${hash}`);
const step = (n) => page.locator(`[data-step="${n}"]`);
const sentence = () => step(4).locator('.sentence');
const asks = (path) => page.waitForRequest((request) => request.url().includes(path) && request.method() === 'POST');

test('the first view shows where to drop, examples, data sets and results', async () => {
    await open('');
    await page.getByRole('link', { name: 'molecules.txt', exact: true }).waitFor();
    await page.getByRole('button', { name: /Molecules/ }).waitFor();
    await page.getByText('<b>wrong</b> "file"').waitFor();
    await accessible(page);
    await page.getByRole('button', { name: 'Dark mode' }).click();
    await accessible(page);
    await page.reload();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark', 'the choice is kept');
});

test('a data set is deleted after a question, and not before', async () => {
    await open('');
    await page.getByRole('button', { name: /^Groceries/ }).click();
    await page.getByRole('heading', { name: 'groceries.csv' }).waitFor();
    const id = (await page.evaluate(() => location.hash)).match(/data\/([0-9]+)/)[1];
    await open('#/');
    const link = page.locator(`a[href="#/data/${id}"]`);
    const row = page.locator('tr', { has: link });
    await row.getByRole('button', { name: 'Delete groceries.csv' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await link.count(), 1);
    await row.getByRole('button', { name: 'Delete groceries.csv' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('groceries.csv was deleted.').waitFor();
    await link.waitFor({ state: 'detached' });
});

test('a result is deleted after a question, and the focus stays in the list', async () => {
    await open('');
    const buttons = page.getByRole('button', { name: /^Delete result/ });
    await buttons.nth(1).waitFor();
    const [first, next] = [await buttons.nth(0).getAttribute('aria-label'), await buttons.nth(1).getAttribute('aria-label')];
    await buttons.first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await buttons.first().getAttribute('aria-label'), first);
    await buttons.first().click();
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText(/ was deleted\.$/).waitFor();
    await page.getByRole('button', { name: first, exact: true }).waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), next);
});

test('what is shown as after is what is mined, and the badge counts ticks that are not applied', async () => {
    await page.request.patch(`${mock.url}/api/v1/datasets/1`, { data: { clean: {}, read: {} } });
    await open('#/data/1');
    const box = step(3);
    await box.getByText('no changes', { exact: true }).waitFor();
    await box.getByRole('row', { name: /^Items 47 47$/ }).waitFor();
    assert.equal(await box.locator('tr.changed').count(), 0, 'nothing is ticked');
    await box.getByRole('button', { name: 'Select all 3' }).click();
    await box.getByText('3 changes, not applied yet').waitFor();
    await box.getByRole('row', { name: /^Items 47 44$/ }).waitFor();
    assert.ok(await box.getByLabel('Remove extra spaces').isChecked(), 'as lode clean does');
    await box.getByRole('button', { name: 'Clear' }).click();
    await box.getByText('no changes', { exact: true }).waitFor();
    const spaces = page.waitForRequest((request) => request.url().includes('/clean') && request.postDataJSON()?.clean['keep-blanks'] === 'false');
    await box.getByLabel('Remove extra spaces').check();
    await spaces;
});

test('a data set goes through five steps to a job', async () => {
    await open('#/data/1');
    await sentence().getByText('itemsets').waitFor();
    await step(1).getByText('<script>alert(1)</script>', { exact: true }).first().waitFor();
    await step(2).getByText('3 transactions with 101 items or more').waitFor();
    await accessible(page);
    await picture(page, 'data');

    const cleaning = asks('/clean');
    await step(3).getByLabel('Ignore case').check();
    assert.deepEqual((await cleaning).postDataJSON(), { clean: { 'fold-case': 'true' }, read: {} });
    await step(3).getByText('converted to lower case: 14 names').waitFor();
    await step(3).getByRole('checkbox', { name: /^yogurt/ }).check();
    const changed = page.waitForRequest((request) => request.method() === 'PATCH');
    await step(3).getByRole('button', { name: 'Clean the data' }).click();
    assert.deepEqual((await changed).postDataJSON(), { clean: { 'fold-case': 'true', 'map-text': 'yogurt,yoghurt' }, read: {} });
    await step(3).getByText('2 changes').waitFor();
    await step(5).getByText(/^lode clean \S+ --fold-case --map mapping.csv -o cleaned.csv && lode itemsets cleaned.csv --format basket --separator , -s \S+$/).waitFor();

    await step(4).getByRole('radio', { name: /^Rules/ }).check();
    await sentence().getByText('rules').waitFor();
    await step(4).getByRole('button', { name: 'Filter by a measure' }).click();
    await step(4).getByLabel('Or the number of rules').fill('2000');
    await step(4).getByRole('button', { name: 'Find' }).click();
    await sentence().getByText(/about 2,0/).waitFor();
    await accessible(page);

    const mined = asks('/jobs');
    await step(5).getByRole('button', { name: 'Mine rules' }).click();
    const { kind, options } = (await mined).postDataJSON();
    assert.equal(kind, 'rules');
    assert.equal(options['min-confidence'], '50%');
    assert.deepEqual(options.min, ['lift=1.5']);
    assert.ok(!('target' in options) && !('epsilon' in options), 'options without effect are not sent');
    await page.waitForURL(/#\/job\//);
});

test('rows are left out by proposals, dates and conditions, which a mine button applies', async () => {
    await page.request.patch(`${mock.url}/api/v1/datasets/1`, { data: { clean: {}, read: {} } });
    await open('#/data/1?support=1%25');
    const box = step(3);
    // The conditions of the preview whose last condition is this one; others may be on their way.
    const left = async (last) => {
        const conditions = (request) => request.postDataJSON().read?.['drop-rows'] ?? [];
        return conditions(await page.waitForRequest((request) => request.url().includes('/clean')
            && request.method() === 'POST' && conditions(request).at(-1) === last));
    };
    await box.getByText('values begin with C').waitFor();
    await box.getByRole('cell', { name: '9,835' }).first().waitFor();
    let asked = left('Order ID=C*');
    await box.getByLabel('120 Order ID values begin with C, in 456 rows').check();
    assert.deepEqual(await asked, ['Order ID=C*']);
    await box.getByLabel('Quantity is zero or negative in 703 rows').check();
    await box.getByLabel('Product is empty in 31 rows').check();
    await box.getByLabel('Ordered from').fill('2011-01-01');
    asked = left('Ordered>=2011-07-01');
    await box.getByLabel('up to and including').fill('2011-06-30');
    assert.deepEqual((await asked).slice(-2), ['Ordered<2011-01-01', 'Ordered>=2011-07-01']);
    await box.getByRole('button', { name: 'Add a condition' }).click();
    const one = box.getByRole('group', { name: 'Condition 1' });
    await one.getByLabel('Column').selectOption('5');
    await one.getByLabel('Test').selectOption('begins');
    // A column whose name holds signs is given by its number, and text is no pattern.
    asked = left('5=a\\*b*');
    await one.getByLabel('Value').fill('a*b');
    await asked;
    await one.getByLabel('Column').selectOption('Product');
    await one.getByLabel('Test').selectOption('isnot');
    await one.getByLabel('Value').fill('whole milk');
    await accessible(page);
    assert.equal(await page.locator('main script').count(), 0);
    await box.getByLabel(/Product is empty/).uncheck();
    await step(5).getByText('The cleaning in step 3 is applied first: ').waitFor();
    const rows = ['Order ID=C*', 'Quantity<=0', 'Ordered<2011-01-01', 'Ordered>=2011-07-01', 'Product!=whole milk'];
    const [patched, mined] = [page.waitForRequest((request) => request.method() === 'PATCH'), asks('/jobs')];
    await step(5).getByRole('button', { name: 'Clean and mine itemsets' }).click();
    assert.deepEqual((await patched).postDataJSON(), { read: { 'drop-rows': rows }, clean: {} });
    assert.deepEqual((await mined).postDataJSON().read, { 'drop-rows': rows });

    await page.waitForURL(/#\/job\//);
    await page.goBack();
    await box.getByText('5 changes').waitFor();
    assert.ok(await box.getByLabel(/values begin with C/).isChecked());
    assert.equal(await box.getByLabel('up to and including').inputValue(), '2011-06-30');
    assert.equal(await one.getByLabel('Value').inputValue(), 'whole milk');
    assert.equal(await step(1).locator('details').getAttribute('open'), null, 'rows that are left out are no other way of reading');
    await one.getByRole('button', { name: 'Remove condition 1' }).click();
    await box.getByRole('button', { name: 'Undo cleaning' }).click();
    await box.getByText('no changes').waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await fits(page);
});

test('the threshold moves by keyboard, is in the address, and comes back', async () => {
    await open('#/data/1');
    const slider = step(4).getByRole('slider', { name: 'Minimum support' });
    await sentence().getByText('itemsets').waitFor();
    await slider.focus();
    const before = await sentence().textContent();
    for (let i = 0; i < 40; i++) await page.keyboard.press('ArrowLeft');
    const moved = await sentence().textContent();
    assert.notEqual(moved, before);
    await page.reload();
    await page.waitForFunction((text) => document.querySelector('.sentence')?.textContent === text, moved);
    const place = await slider.inputValue();
    await step(4).getByRole('textbox', { name: 'Minimum support' }).fill('120%');
    await step(4).getByText('a count from 1 to 9,835').waitFor();
    assert.ok(await step(5).getByRole('button', { name: 'Mine itemsets' }).isDisabled());
    assert.equal(await slider.inputValue(), place, 'what cannot be read does not move the slider');
    assert.equal(await step(5).locator('code').count(), 0, 'nor is it in a command');
});

test('each arrow key changes the count, also where the slider has fewer counts than positions', async () => {
    await open('#/data/1?support=2');
    await sentence().getByText('itemsets').waitFor();
    const slider = step(4).getByRole('slider', { name: 'Minimum support' });
    await slider.focus();
    for (const n of [3, 4, 5]) {
        await page.keyboard.press('ArrowRight');
        await sentence().getByText(`In at least ${n} of 9,835 transactions`).waitFor();
    }
    await page.keyboard.press('ArrowLeft');
    await sentence().getByText(/In at least 4 of .* about [0-9,.a-z ]+ itemsets, between /).waitFor();
});

test('an empty file is refused by a message that can be closed, and goes away', async () => {
    await page.clock.install();
    await open('');
    const choose = () => page.locator('input[type=file]').first().setInputFiles({ name: 'none.csv', mimeType: 'text/csv', buffer: Buffer.alloc(0) });
    const message = page.getByText('none.csv is empty.');
    await choose();
    await message.waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await message.waitFor({ state: 'detached' });
    await choose();
    await message.waitFor();
    await page.clock.runFor(11_000);
    assert.equal(await message.count(), 1);
    await page.clock.runFor(2000);
    await message.waitFor({ state: 'detached' });
});

test('invisible characters are shown, empty transactions and Latin-1 are mentioned', async () => {
    await page.route('**/datasets/1/preview*', (route) => route.fulfill({ json: {
        kind: 'baskets', lines: ['a,\u202egnp.exe', 'bread\u0007,café'], recognised: { format: 'basket', separator: ',', latin1: 1 },
        baskets: [{ number: 1, id: null, items: ['a', '\u202egnp.exe'] }, { number: 2, id: null, items: ['bread\u0007', 'café'] }], warnings: [],
    } }));
    await open('#/data/1');
    await step(1).getByText('a,⟨U+202E⟩gnp.exe').waitFor();
    await step(1).getByText('bread␇', { exact: true }).waitFor();
    await step(1).getByText('The name of 1 item is not valid UTF-8; lode reads them as Latin-1.').waitFor();
    await step(2).getByText('12 of 9,835 transactions are empty. They count towards every percentage.').waitFor();
    const changed = page.waitForRequest((request) => request.method() === 'PATCH');
    await step(2).getByRole('button', { name: 'Drop them' }).click();
    assert.equal((await changed).postDataJSON().clean['min-basket'], '1');
});

test('the device takes consumers, an algorithm and ε, and only where they have an effect', async () => {
    await open('#/data/1?support=1%25');
    await step(5).getByText('Device: automatic').click();
    assert.ok(await step(5).getByLabel('Consumers').isDisabled());
    await step(5).getByLabel('Device', { exact: true }).selectOption('cuda:0');
    await step(5).getByLabel('Consumers').fill('4');
    assert.ok(await step(5).getByLabel('ε').isDisabled());
    await step(5).getByLabel('Algorithm').selectOption('frontier');
    await step(5).getByLabel('ε').fill('4096');
    await accessible(page);
    const mined = asks('/jobs');
    await step(5).getByRole('button', { name: 'Mine itemsets' }).click();
    assert.deepEqual((await mined).postDataJSON().options, { 'min-support': '1%', algorithm: 'frontier', device: 'cuda:0*4', epsilon: '4096' });
});

test('a wrong file shows the message, its line, and how to read it otherwise', async () => {
    await open('#/data/3');
    await step(1).getByText('line 1: this is a spreadsheet').waitFor();
    await step(1).getByText('Save the sheet as CSV').waitFor();
    await step(4).getByText('The file could not be read: see step 1.').waitFor();
    assert.equal(await step(1).getByText(/First lines|Choose the format/).count(), 0, 'bytes are not shown, and no option reads them');
    await accessible(page);
    await step(1).getByText('Change how the file is read').click();
    await step(1).getByLabel('Separator').fill('xx');
    await step(1).getByRole('button', { name: 'Read again' }).click();
    await step(1).getByText('separator: expected one character').waitFor();
    await step(1).getByLabel('Separator').fill(';');
    await step(1).getByLabel('Format').selectOption('table');
    await step(1).getByRole('button', { name: 'Read again' }).click();
    await step(2).getByText('9,835').first().waitFor();
});

test('graphs are drawn, and mined as subgraphs', async () => {
    await open('#/data/2');
    await step(1).getByText('molecule 0').waitFor();
    await step(3).getByText('In at least 34 of 340 graphs (10%): 265 closed subgraphs.').waitFor();
    const minimum = step(3).getByRole('textbox', { name: 'Minimum support' });
    await minimum.fill('10');
    await step(3).getByText('In at least 10 of 340 graphs (2.94%): at least 900 closed subgraphs.').waitFor();
    await minimum.fill('10%');
    await accessible(page);
    await picture(page, 'data-graphs');
    const mined = asks('/jobs');
    await step(4).getByRole('button', { name: 'Mine subgraphs' }).click();
    assert.deepEqual((await mined).postDataJSON(), { dataset: 2, kind: 'graphs', options: { 'min-support': '10%', target: 'closed' }, read: {}, clean: {} });
});

test('at 360 pixels nothing sticks out, in any view', { skip: notLong }, async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const hash of ['#/', '#/data/1', '#/data/2', '#/data/3', '#/about', '#/nothing']) {
        await open(hash);
        await page.getByRole('heading').first().waitFor();
        await page.waitForLoadState('networkidle');
        await fits(page, hash);
        await accessible(page);
    }
});

test('the algorithms: each has a page with a drawing and charts, and shows the numbers of the documents', async () => {
    await open('#/algorithms');
    await page.getByRole('heading', { name: 'The algorithms' }).waitFor();
    await accessible(page);
    await picture(page, 'algorithms');
    const links = await page.locator('main li h3 a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    assert.equal(links.length, 9);
    await page.setViewportSize({ width: 390, height: 844 });
    for (const link of links) {
        await open(link);
        await page.getByRole('heading', { name: 'Where it loses' }).waitFor();
        const drawn = await page.getByRole('list', { name: 'How it works' }).locator('svg').evaluateAll((all) => all.map((one) => one.querySelectorAll('rect').length));
        assert.ok(drawn.length >= 2 && drawn.every((shapes) => shapes > 2), `${link} has a drawing`);
        for (const marks of await page.locator('figure svg[role=img]').evaluateAll((all) => all.map((one) => one.querySelectorAll('g').length))) assert.ok(marks >= 4, `${link} has marks in its charts`);
        assert.ok(!/NaN|undefined|\{\{/.test(await page.locator('main').innerText()));
        await fits(page, link);
    }
    await accessible(page);
    // The square grid at 1,000 transactions, as docs/papers/004.md has it.
    const paper = await readFile(new URL('../../docs/papers/004.md', import.meta.url), 'utf8');
    const row = /^\| transactions \| patterns \| square grid, GPU \| folded grid, GPU .*\n.*\n\| (.*) \|$/m.exec(paper)[1].split(' | ');
    await page.setViewportSize({ width: 1200, height: 850 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await open('#/algorithms/gpu-apriori');
    const figure = page.locator('figure', { hasText: 'Figure 8: candidates' });
    await figure.locator('summary').click();
    await figure.getByRole('row', { name: `${row[0]} ${row[3]} ${row[2]}` }).waitFor();
    await page.getByRole('link', { name: /^Every figure/ }).click();
    await page.waitForURL(/#\/papers\/004$/);
    const opened = page.locator('details', { hasText: 'Figure 8: candidates' });
    await opened.locator('summary').first().click();
    await opened.getByText(/^Holds\. More than half of the blocks/).waitFor();
    await accessible(page);
    await page.emulateMedia({ colorScheme: null });
    await open('#/papers/000?figure=18');
    await page.getByText('Memory and time are inverse to each other').waitFor();
    await open('#/algorithms/nothing');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
});

test('the about page leads to help, and names lead to their algorithm', async () => {
    await open('#/about');
    await page.getByText('What each one does, for experts').first().click();
    await page.getByRole('link', { name: 'goethals' }).waitFor();
    await accessible(page);
    await page.getByRole('button', { name: 'Glossary' }).last().click();
    await page.getByRole('dialog', { name: 'Glossary' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'goethals' }).click();
    await page.getByRole('heading', { name: 'PBI and TBI' }).waitFor();
});

test('a view that is not there, and one that is gone, say so', async () => {
    await open('#/nothing/there');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await open('#/data/999');
    await page.getByText('There is no such thing here.').waitFor();
});

test('a token is asked for, taken from the address, and leaves it', async (t) => {
    const locked = await startMock({ token: 'abc 1' });
    t.after(() => locked.close());
    const visit = await newPage(browser, locked.url);
    await visit.page.goto(`${locked.url}/#/`);
    const dialog = visit.page.getByRole('dialog', { name: 'Access token required' });
    await dialog.getByLabel('Token').fill('wrong');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('This is not the token of this server.').waitFor();
    await accessible(visit.page);
    await dialog.getByLabel('Token').fill('abc 1');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await visit.page.getByRole('link', { name: 'molecules.txt', exact: true }).waitFor();
    await visit.close();
    const guest = await newPage(browser, locked.url);
    await guest.page.goto(`${locked.url}/#token=abc%201`);
    await guest.page.getByRole('link', { name: 'molecules.txt', exact: true }).waitFor();
    assert.equal(await guest.page.evaluate(() => location.hash), '#/');
    assert.equal(await guest.page.getByRole('dialog').count(), 0);
    await guest.close();
});

/** Answers every estimate with these numbers of itemsets: [min_count, patterns, exact]. */
const estimates = (list) => page.route('**/suggest', (route) => {
    const points = list.map(([min_count, patterns, exact]) => ({ target: 'all', min_count, support: min_count / 9835, patterns, low: patterns, high: exact ? patterns : patterns * 3, exact, answer: false }));
    return route.fulfill({ json: { total: 9835, points } });
});

test('a large search says what it takes, and a huge one asks first', async () => {
    await estimates([[400, 500, true], [50, 4_000_000, true], [10, 90_000_000, false]]);
    const job = await (await fetch(`${mock.url}/api/v1/jobs/4`)).json();
    await page.route('**/jobs?dataset=1*', (route) => route.fulfill({ json: { jobs: [job], next: null } }));
    await open('#/data/1');
    await support(page, '400');
    const button = step(5).getByRole('button', { name: 'Mine itemsets' });
    await step(4).getByText(/: 500 itemsets/).waitFor();
    assert.equal(await step(5).getByText('This search finds').count(), 0, 'a small one needs no words');
    await support(page, '50');
    // An earlier result of the data took 412 ms for ten million itemsets of 40 bytes each.
    await step(5).getByText('This search finds 4 million itemsets, which take roughly 1 s and 153 MiB on disk.').waitFor();
    await support(page, '10');
    await step(5).getByText('about 90 million itemsets, which take roughly 4 s and 3.35 GiB on disk. There may be up to 270 million.').waitFor();
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Mine that many itemsets?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.match(page.url(), /#\/data\/1/);
    await accessible(page);
    await button.click();
    await dialog.getByRole('button', { name: 'Mine anyway' }).click();
    await page.waitForURL(/#\/job\/[0-9]+/);
});

test('lowering the threshold to a large search asks first, to a small one does not', async () => {
    await estimates([[99, 500_000, true], [60, 6_000_000, false], [10, 200_000_000, false]]);
    await open('#/job/4');
    const exact = page.getByLabel('Exact value');
    const posted = [];
    page.on('request', (request) => request.method() === 'POST' && request.url().endsWith('/jobs') && posted.push(request.postDataJSON()));
    await exact.fill('60');
    await exact.press('Enter');
    await page.getByText(/^\s*Down to 60 transactions .*about 6 million itemsets, which take roughly 1 s/).waitFor();
    assert.equal(posted.length, 0);
    await page.getByRole('button', { name: 'Back to 99' }).click();
    await exact.fill('98');
    await exact.press('Enter');
    await page.waitForURL((url) => !url.href.includes('/job/4'));
    assert.deepEqual(posted.map((one) => [one.options['min-support'], one.from]), [['98', 4]]);
    await exact.fill('60');
    await exact.press('Enter');
    await page.getByRole('button', { name: 'Mine them' }).click();
    await page.getByText(/Mining down to 60/).waitFor();
    assert.equal(posted.length, 2);
});
