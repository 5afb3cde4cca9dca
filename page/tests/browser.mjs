// What the tests of the page share: a server (the real one, or the stand-in), a browser that reports
// every trouble, axe, and pictures.
//   LODE_SERVER, LODE_BIN  the programs; without them those of ../build or ../build/test are taken
//   CHROMIUM               the browser (default: /usr/bin/chromium-headless-shell, which takes half the
//                          processor time, or else /usr/bin/chromium)
//   LODE_LONG              any value: also what takes long (every view in both colours, pictures)
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, beforeEach } from 'node:test';
import { chromium } from 'playwright-core';
import { startMock } from './mock.mjs';

/** For tests that take long and seldom find anything: { skip: notLong }. */
export const notLong = process.env.LODE_LONG ? false : 'LODE_LONG is not set';

/** Milliseconds until something counts as missing, also on a busy machine. */
export const PATIENCE = 120_000;

/** Waits until ready() is true. */
export async function until(ready, what) {
    for (const end = Date.now() + PATIENCE; !(await ready()); ) {
        assert.ok(Date.now() < end, what);
        await new Promise((resolve) => setTimeout(resolve, 20)); // between two looks
    }
}

const BUILD = fileURLToPath(new URL('../../build/', import.meta.url));
const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The server and the command beside it; null where they are not built. */
export function programs() {
    const { LODE_SERVER: server, LODE_BIN: lode } = process.env;
    if (server !== undefined && lode !== undefined) return { server, lode };
    const folder = [BUILD, join(BUILD, 'test')].find((one) => existsSync(join(one, 'lode-server')) && existsSync(join(one, 'lode')));
    return folder === undefined ? null : { server: join(folder, 'lode-server'), lode: join(folder, 'lode') };
}

/** The real server and a browser for the tests of one file. `options` skips them where it is not built. */
export async function startBoth() {
    const server = await startServer();
    const both = { server, browser: undefined, options: { skip: server === null && 'lode-server is not built' } };
    before(async () => {
        if (server !== null) both.browser = await launch();
    });
    after(async () => {
        await both.browser?.close();
        await server?.close();
    });
    return both;
}

/** lode-server as a process on a folder of its own: { url, close }; null where it is not built. */
export async function startServer() {
    const found = programs();
    if (found === null) return null;
    const data = await mkdtemp(join(tmpdir(), 'lode-page-'));
    const child = spawn(found.server, ['--port', '0', '--data', data], { env: { ...process.env, LODE_BIN: found.lode }, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    for await (const line of createInterface(child.stdout)) {
        const url = /listening on.*?(http:\/\/[^\s/]+)/.exec(line)?.[1];
        if (url === undefined) continue;
        child.stdout.resume();
        const close = async () => {
            child.kill('SIGTERM');
            const code = await ended;
            await rm(data, { recursive: true, force: true });
            assert.equal(code, 0, 'lode-server ends well');
        };
        return { url, close };
    }
    throw new Error('lode-server did not start');
}

export function launch() {
    const found = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((path) => existsSync(path));
    const root = process.getuid?.() === 0; // Chromium has no sandbox for root, as in containers.
    return chromium.launch({ executablePath: process.env.CHROMIUM ?? found, args: root ? ['--no-sandbox'] : [], timeout: PATIENCE });
}

/** A page that collects what must not happen: errors, dialogs, requests to other hosts. */
export async function newPage(browser, url, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1200, height: 850 }, reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    const troubles = [];
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (line) => ['error', 'warning'].includes(line.type()) && !/status of [45]|ERR_FAILED/.test(line.text()) && troubles.push(line.text()));
    page.on('dialog', (dialog) => {
        troubles.push(`a dialog was opened: ${dialog.message()}`);
        void dialog.dismiss();
    });
    page.on('request', (request) => !request.url().startsWith(url) && !/^(blob|data):/.test(request.url()) && troubles.push(`asked another host: ${request.url()}`));
    const close = async () => {
        await context.close();
        assert.deepEqual(troubles, []);
    };
    return { page, troubles, close };
}

/** axe finds nothing that is serious or worse on what is shown now; only: some of its rules. */
export async function accessible(page, only) {
    // A colour that is on its way from light to dark is neither.
    await page.evaluate(() => Promise.all(document.getAnimations().filter((a) => a instanceof CSSTransition).map((a) => a.finished.catch(() => undefined))));
    if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
    const found = await page.evaluate(async (rules) =>
        (await window.axe.run(document, { resultTypes: ['violations'], preload: false, ...(rules && { runOnly: rules }) })).violations.map((v) => ({
            id: v.id, impact: v.impact, where: v.nodes.map((n) => `${n.html.slice(0, 160)} ${n.any[0]?.message ?? ''}`),
        })),
        only,
    );
    assert.deepEqual(found.filter((v) => v.impact === 'serious' || v.impact === 'critical'), []);
}

/** Writes a threshold into step 4, once the page has proposed its own: a proposal that came in between would mix with it. */
export async function support(page, text) {
    const field = page.locator('[data-step="4"]').getByRole('textbox', { name: 'Minimum support' });
    await field.waitFor();
    await page.waitForFunction((input) => input.value !== '', await field.elementHandle());
    await field.fill(text);
}

/** Nothing sticks out to the right. Plots follow a new width some frames later, on a busy machine a second later. */
export async function fits(page, what = 'the view') {
    const [wide, room] = await page.evaluate(async () => {
        const root = document.documentElement;
        const end = performance.now() + 2000;
        do {
            for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
        } while (root.scrollWidth > root.clientWidth && performance.now() < end);
        return [root.scrollWidth, root.clientWidth];
    });
    assert.ok(wide <= room, `${what} is ${wide} pixels wide in ${room}`);
}

/** Keeps a picture of the view in build/pictures, where one is wanted. */
export async function picture(page, name, options = { fullPage: true }) {
    if (!notLong) await page.screenshot({ path: join(BUILD, 'pictures', `${name}.png`), ...options });
}

/** A stand-in server and a browser for all tests of a file, and a page for each: `take` gets it. */
export function mocked(take, options) {
    const shared = {};
    before(async () => Object.assign(shared, { mock: await startMock(), browser: await launch() }));
    after(async () => {
        await shared.browser.close();
        await shared.mock.close();
    });
    beforeEach(async () => {
        shared.page = await newPage(shared.browser, shared.mock.url, options);
        take(shared.page.page, shared.mock, shared.browser);
    });
    afterEach(() => shared.page.close());
}
