// The pictures of a result in a real browser: what they show, that pointer, finger and keys lead to the rule, and that
// they can be saved. They run against the stand-in server, whose rows are known by a formula.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { accessible as check, fits, mocked, newPage, picture } from './browser.mjs';

let mock;
let page;
let browser;
mocked((...given) => ([page, mock, browser] = given), { viewport: { width: 1280, height: 900 } });

const open = (hash) => page.goto(`${mock.url}/${hash}`);
const api = async (path) => (await fetch(`${mock.url}/api/v1${path}`)).json();
const hashHas = (text) => page.waitForFunction((t) => decodeURIComponent(location.hash).includes(t), text);
const accessible = () => check(page);

/** The number of dots in the paths of a plot of points. */
const dots = () => page.locator('figure svg path:not(.rim)').evaluateAll((all) => all.reduce((n, path) => n + path.getAttribute('d').split('h0').length - 1, 0));
const save = async (type) => {
    const [file] = await Promise.all([page.waitForEvent('download'), page.locator('figure').first().getByRole('button', { name: `save as ${type}` }).click()]);
    return readFile(await file.path());
};

/** No text of the drawing is cut off by its edges. */
async function textsInside() {
    const outside = await page.locator('figure svg').first().evaluate((svg) => {
        const frame = svg.getBoundingClientRect();
        return [...svg.querySelectorAll('text')].filter((text) => {
            const box = text.getBoundingClientRect();
            return box.width > 0 && (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1);
        }).map((text) => text.textContent);
    });
    assert.deepEqual(outside, []);
}

const SOME = 'min=lift=20';

test('scatter: up to ten thousand rules are a point each, above that cells', async () => {
    await open(`#/job/3?tab=scatter&${SOME}`);
    const { found } = await api(`/jobs/3/rules?rows=1&${SOME}`);
    assert.ok(found > 1000 && found <= 10_000, 'the filter leaves several pages of rules');
    await page.getByText(`${found.toLocaleString('en-US')} rules, one point each`).waitFor();
    assert.equal(await dots(), found);
    await textsInside();
    await accessible();
    await picture(page, 'scatter-points');
    await open('#/job/3?tab=scatter');
    await page.getByRole('application', { name: 'Cells of the plot' }).waitFor();
    await textsInside();
});

test('scatter: keys go from point to point, Enter opens the rule', async () => {
    await open(`#/job/3?tab=scatter&${SOME}`);
    const plot = page.getByRole('application', { name: 'Points of the plot' });
    await plot.focus();
    await page.keyboard.press('Home');
    const { rows } = await api(`/jobs/3/rules?rows=1&sort=lift&${SOME}`);
    const told = page.locator('#scatter-told');
    await told.getByText(`Lift ${Number(rows[0].lift.toPrecision(3))}`).waitFor();
    const first = await told.innerText();
    await page.keyboard.press('PageDown');
    await page.waitForFunction((old) => document.querySelector('#scatter-told').innerText !== old, first);
    await page.keyboard.press('ArrowRight');
    const before = await page.locator('figure .plot-told').getByRole('link', { name: 'Open this rule' }).getAttribute('href');
    await page.keyboard.press('Enter');
    await hashHas('tab=rule');
    assert.equal(await page.evaluate(() => location.hash), before);
});

test('scatter: pointing tells a rule, a click opens it, and points of one place are listed', async () => {
    await open(`#/job/3?tab=scatter&${SOME}&x=both&y=both`);
    await page.getByText('one point each').waitFor();
    const svg = page.locator('figure svg').first();
    const [all, hidden] = /([\d,]+) rules, one point each\. ([\d,]+) of them lie/.exec(await page.locator('figure').innerText()).slice(1).map((n) => Number(n.replaceAll(',', '')));
    const places = await svg.evaluate((one) => new Set([...one.querySelectorAll('path:not(.rim)')].flatMap((path) => path.getAttribute('d')?.match(/M[\d.]+ [\d.]+(?=h0)/g) ?? [])).size);
    assert.ok(places > 0 && places <= all - hidden, `${places} places of ${all} rules, ${hidden} under another one: no point is moved`);
    const at = await svg.evaluate((one) => {
        const [x, y] = /M([\d.]+) ([\d.]+)h0/.exec(one.querySelector('path:not(.rim)').getAttribute('d')).slice(1).map(Number);
        return { x, y };
    });
    await svg.hover({ position: at });
    await page.locator('.tip').getByText(/→/).waitFor();
    const count = /List all ([\d,]+) at this place/.exec(await page.locator('figure .plot-told').innerText())?.[1];
    assert.notEqual(count, undefined, 'counts have few values, so there are points at one place');
    const rule = await page.locator('figure .plot-told').getByRole('link', { name: 'Open this rule' }).getAttribute('href');
    await svg.click({ position: at });
    await page.waitForFunction((hash) => location.hash === hash, rule);
    await page.goBack();
    await svg.hover({ position: at });
    await page.locator('figure .plot-told').getByRole('link', { name: /^List all/ }).click();
    await page.locator('aside [role=status]').getByText(count).first().waitFor();
});

test('scatter: the colour is a measure of choice; a finger reads first and opens second', async () => {
    const phone = await newPage(browser, mock.url, { viewport: { width: 390, height: 844 }, hasTouch: true });
    page = phone.page;
    await open(`#/job/3?tab=scatter&${SOME}`);
    await page.getByText('one point each').waitFor();
    await page.getByRole('combobox', { name: 'Colour' }).selectOption('zhang');
    await page.getByText(/coloured by zhang/).waitFor();
    await fits(page);
    await textsInside();
    const svg = page.locator('figure svg').first();
    const box = await svg.boundingBox();
    await svg.tap({ position: { x: box.width * 0.5, y: box.height * 0.75 } });
    await page.locator('figure .plot-told').getByRole('link', { name: 'Open this rule' }).waitFor();
    assert.ok(!(await page.evaluate(() => location.hash)).includes('tab=rule'));
    await svg.tap({ position: { x: box.width * 0.5, y: box.height * 0.75 } });
    await hashHas('tab=rule');
    await phone.close();
});

/** Every item of the network has its name (many rules have only their colour), and no name lies on another name or on another node. */
async function namesApart() {
    const found = await page.locator('[data-node]').evaluateAll((all) => {
        const box = (one) => one.getBoundingClientRect();
        const nodes = all.map((node) => ({ circle: box(node.querySelector('circle')), texts: [...node.querySelectorAll('text')].map(box), name: node.textContent, pattern: node.matches('.pattern') }));
        const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
        const bad = nodes.filter((node) => node.name === '' && !node.pattern).map(() => 'a node without a name');
        nodes.forEach((a, i) => nodes.slice(i + 1).forEach((b) => {
            if ([a.circle, ...a.texts].some((x) => [b.circle, ...b.texts].some((y) => meet(x, y)))) bad.push(`${a.name} and ${b.name}`);
        }));
        return bad;
    });
    assert.deepEqual(found, []);
}
const scaleOf = () => page.locator('svg.frame svg > g').getAttribute('transform').then((text) => Number(/scale\(([\d.]+)\)/.exec(text)[1]));

test('network: all names are shown, none lies on another, as items and as rules', async () => {
    for (const view of ['#/job/3?tab=network&nodes=items', '#/job/3?tab=network&nodes=items&edges=200', '#/job/3?tab=network&nodes=patterns', '#/job/4?tab=network&nodes=patterns']) {
        await open(view);
        await page.locator('[data-node]').first().waitFor();
        await namesApart();
        await textsInside();
        await fits(page, view);
        await accessible();
        await picture(page, `network${view.replaceAll(/\W+/g, '-')}`);
    }
});

test('network: rules are nodes where some have more than two items, and lead to their pages', async () => {
    await open('#/job/3?tab=network&nodes=items');
    await page.getByText(/rules with one item on each side\. Rules with more items are no arrows here/).waitFor();
    await open('#/job/3?tab=network'); // the result has rules of more items
    const { rows } = await api('/jobs/3/rules?rows=30&sort=lift');
    await page.waitForFunction(() => document.querySelectorAll('.node.pattern').length === 30);
    const items = new Set(rows.flatMap((rule) => [...rule.body, ...rule.head]));
    assert.equal(await page.locator('.node:not(.pattern)').count(), items.size);
    assert.equal(await page.locator('.edges path.arrow').count(), rows.reduce((n, rule) => n + rule.head.length, 0));
    await page.locator('.node.pattern').first().click();
    await page.locator('figure .told').getByText(/→.*Lift/).waitFor();
    await page.keyboard.press('Enter');
    await hashHas(`row=${rows[0].row}`);
    await hashHas('tab=rule');
});

test('network: buttons, keys, wheel and mouse zoom and move it', async () => {
    await open('#/job/3?tab=network&nodes=items');
    await page.locator('[data-node]').first().waitFor();
    const whole = await scaleOf();
    const bigger = async (act, what) => {
        const before = await scaleOf();
        await act();
        await page.waitForFunction((old) => Number(/scale\(([\d.]+)/.exec(document.querySelector('svg.frame svg > g').getAttribute('transform'))[1]) > old * 1.05, before);
        assert.ok((await scaleOf()) > before, what);
    };
    await bigger(() => page.getByRole('button', { name: 'Zoom in' }).click(), 'the button');
    await page.locator('[data-node][tabindex="0"]').focus();
    await bigger(() => page.keyboard.press('+'), 'the key');
    const frame = page.locator('svg.frame');
    await frame.scrollIntoViewIfNeeded();
    const box = await frame.boundingBox();
    await page.mouse.move(box.x + 8, box.y + 200);
    const scrolled = await page.evaluate(() => scrollY);
    const still = await scaleOf();
    await page.mouse.wheel(0, -40);
    assert.equal(await scaleOf(), still, 'the wheel scrolls the page until the plot is clicked');
    await page.mouse.down();
    await page.mouse.up();
    await bigger(() => page.mouse.wheel(0, -100), 'the wheel');
    assert.ok(Math.abs((await page.evaluate(() => scrollY)) - scrolled) <= 40);
    const first = await page.locator('svg.frame svg > g').getAttribute('transform');
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + 250, { steps: 4 });
    await page.mouse.up();
    assert.notEqual(await page.locator('svg.frame svg > g').getAttribute('transform'), first, 'dragging moves it');
    await page.getByRole('button', { name: 'Show all' }).click();
    assert.equal(await scaleOf(), whole);
    await page.locator('[data-node][tabindex="0"]').focus();
    for (const key of ['+', '+', '+', '+', 'End']) await page.keyboard.press(key);
    await page.waitForFunction(() => {
        const [a, b] = [document.activeElement.querySelector('circle'), document.querySelector('svg.frame')].map((one) => one.getBoundingClientRect());
        return a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
    }); // the node that has the focus is in sight
});

test('network: keys keep the node and its text in the window; the skip link leads to the plot', async () => {
    await page.setViewportSize({ width: 1200, height: 480 });
    await open('#/job/3?tab=network&nodes=items');
    await page.locator('svg .node').first().waitFor();
    await page.getByRole('link', { name: 'Skip to the results' }).focus();
    await page.keyboard.press('Enter');
    assert.ok(await page.evaluate(() => document.activeElement.id === 'results' && document.activeElement.querySelector('figure') !== null));
    await page.locator('svg .node[tabindex="0"]').focus();
    for (const pressed of ['End', 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown']) {
        await page.keyboard.press(pressed);
        const seen = await page.waitForFunction(() => {
            const node = document.activeElement.getBoundingClientRect();
            const text = document.querySelector('.below .told').getBoundingClientRect();
            return node.top >= 0 && node.bottom <= innerHeight && text.top >= 0 && text.bottom <= innerHeight + 1;
        }, null, { timeout: 10_000 });
        assert.ok(seen);
    }
});

test('network: on a phone it fits, a finger selects, two fingers zoom', async () => {
    const phone = await newPage(browser, mock.url, { viewport: { width: 390, height: 844 }, hasTouch: true });
    page = phone.page;
    await open('#/job/3?tab=network&nodes=items');
    await page.locator('[data-node]').first().waitFor();
    await fits(page);
    await namesApart();
    await accessible();
    await page.locator('[data-node] circle').nth(3).tap();
    const link = page.getByRole('link', { name: 'Only rules with this item' });
    await link.waitFor();
    const before = await scaleOf();
    await page.locator('svg.frame').scrollIntoViewIfNeeded();
    const box = await page.locator('svg.frame').boundingBox();
    const touch = await page.context().newCDPSession(page);
    const fingers = (far) => [-1, 1].map((side, id) => ({ id, x: box.x + box.width / 2 + side * far, y: box.y + 8 }));
    await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: fingers(30) });
    for (const far of [45, 60, 80, 100]) await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: fingers(far) });
    await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    assert.ok((await scaleOf()) > before * 1.5, `two fingers zoom from ${before}, not to ${await scaleOf()}`);
    await link.click();
    await hashHas('has=');
    await phone.close();
});

test('groups: a circle is the rules of both items, and leads to them', async () => {
    await open(`#/job/3?tab=groups&${SOME}`);
    const map = page.getByRole('application', { name: 'Cells of the grouped matrix' });
    await map.waitFor();
    await textsInside();
    await fits(page);
    await accessible();
    await picture(page, 'groups');
    await map.focus();
    await page.keyboard.press('Home');
    const circles = await page.locator('figure svg circle').count();
    const told = page.locator('#groups-told');
    for (let i = 0; i < 40 && !/\d rules?;/.test(await told.innerText()); i++) await page.keyboard.press(i % 20 === 19 ? 'ArrowDown' : 'ArrowRight');
    const rules = Number(/: ([\d,]+) rules?;/.exec(await told.innerText())[1].replaceAll(',', ''));
    const list = page.getByRole('link', { name: 'List the rules of this cell' });
    const query = (await list.getAttribute('href')).split('?')[1];
    const cell = await api(`/jobs/3/rules?rows=1&sort=lift&${query}`);
    const all = await api(`/jobs/3/rules?rows=1&${SOME}`);
    if (all.found <= 5000) assert.equal(cell.found, rules);
    else assert.ok(cell.found >= rules);
    await page.locator('figure .plot-told').getByText(new RegExp(`Lift (\\S+ to )?${Number(cell.rows[0].lift.toPrecision(3))},`)).waitFor();
    assert.ok(circles > 10);
    await page.keyboard.press('Enter');
    await hashHas('rhs-has=');
    await page.getByRole('tab', { name: 'Table', selected: true }).waitFor();
});

test('upset: bars are counts, dots are items, and a column leads to its itemset', async () => {
    await open('#/job/4?tab=upset');
    const plot = page.getByRole('application', { name: 'Itemsets of the plot' });
    await plot.waitFor();
    await textsInside();
    await fits(page);
    await accessible();
    await picture(page, 'upset');
    const { rows } = await api('/jobs/4/patterns?rows=25&sort=count&min-size=2');
    assert.equal(await page.locator('.set').count(), rows.length);
    assert.deepEqual(await page.locator('.set').evaluateAll((all) => all.map((set) => set.querySelectorAll('circle:not(.none)').length)), rows.map((row) => row.items.length));
    const heights = await page.locator('.set .bar').evaluateAll((all) => all.map((bar) => Number(bar.getAttribute('height'))));
    heights.forEach((height, i) => assert.ok(Math.abs(height / heights[0] - rows[i].count / rows[0].count) < 0.02));
    await plot.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    await page.locator('#upset-told').getByText(`Count ${rows[1].count.toLocaleString('en-US')} of`).waitFor();
    await page.keyboard.press('Enter');
    await hashHas(`row=${rows[1].row}`);
});

test('groups and upset fit a phone, in dark, with names as text', async () => {
    const phone = await newPage(browser, mock.url, { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: 'dark' });
    page = phone.page;
    for (const view of [`#/job/3?tab=groups&groups=40&${SOME}`, '#/job/4?tab=upset', '#/job/4?tab=upset&sets=100']) {
        await open(view);
        await page.getByRole('application').waitFor();
        await fits(page, view);
        await textsInside();
        await accessible();
        assert.equal(await page.locator('#main script').count(), 0);
    }
    await page.locator('figure svg .set .bar').first().tap();
    await page.locator('figure .plot-told').getByRole('link', { name: 'Open this itemset' }).waitFor();
    assert.ok((await page.evaluate(() => location.hash)).includes('tab=upset'));
    await phone.close();
});

test('pictures: the SVG file is well-formed, plain and complete, names stay text', async () => {
    for (const [view, texts] of [[`tab=scatter&${SOME}`, ['Confidence', 'Lift']], ['tab=network', []], ['tab=groups', ['Highest Lift']], ['tab=pairs&items=60', ['<script>alert(1)']]]) {
        await open(`#/job/3?${view}`);
        await page.locator('figure svg').first().waitFor();
        const text = String(await save('SVG'));
        const seen = await page.evaluate((source) => {
            const file = new DOMParser().parseFromString(source, 'image/svg+xml');
            return {
                broken: file.querySelector('parsererror')?.textContent ?? null,
                odd: [...new Set([...file.querySelectorAll('*')].map((one) => one.localName))].filter((name) => !['svg', 'g', 'path', 'line', 'rect', 'circle', 'text', 'tspan', 'title'].includes(name)),
                first: file.documentElement.firstElementChild.localName, texts: file.documentElement.textContent,
            };
        }, text);
        assert.deepEqual([seen.broken, seen.odd, seen.first], [null, [], 'rect'], `${view}: a background, and nothing but shapes`);
        assert.doesNotMatch(text, /var\(|color-mix|oklab|class=|tabindex|onclick/);
        const title = await page.locator('figure').first().getAttribute('aria-label');
        // What is shown: the rules that pass the filter, all rules, or the data.
        const about = { scatter: /groceries\.csv · [0-9,]+ of 10,000,000 rules · in at least 99 of 9,835 transactions.*lift at least 20/, pairs: /groceries\.csv · 9,835 transactions/ };
        assert.match(seen.texts, about[/tab=(\w+)/.exec(view)[1]] ?? /groceries\.csv · 10,000,000 rules · in at least 99 of 9,835 transactions/, view);
        for (const expected of [title, ...texts]) assert.ok(seen.texts.includes(expected), `${view}: ${expected}`);
    }
});

test('pictures: the PNG file is large enough, and has the colours of the page', async () => {
    for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme });
        await open('#/job/3?tab=pairs');
        await page.locator('figure svg').first().waitFor();
        const shown = await page.locator('figure svg').first().boundingBox();
        const file = await save('PNG');
        const image = await page.evaluate(async (bytes) => {
            const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }));
            const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
            canvas.drawImage(bitmap, 0, 0);
            const data = canvas.getImageData(0, 0, bitmap.width, bitmap.height).data;
            return { width: bitmap.width, corner: [...data.slice(0, 3)], colours: new Set(new Uint32Array(data.buffer)).size };
        }, [...file]);
        assert.ok(image.width >= 2 * shown.width && image.colours > 20);
        const surface = await page.evaluate(() => {
            const probe = new OffscreenCanvas(1, 1).getContext('2d');
            probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--surface');
            probe.fillRect(0, 0, 1, 1);
            return [...probe.getImageData(0, 0, 1, 1).data.slice(0, 3)];
        });
        image.corner.forEach((value, i) => assert.ok(Math.abs(value - surface[i]) <= 2, `${colorScheme}: ${image.corner} is ${surface}`));
    }
});
