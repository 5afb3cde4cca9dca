// Random walks over the page, on the real server: read another way, clean, undo, mine, raise and lower the threshold,
// filter, ask for the best, export, come back to an older result, delete. After every step each number that is shown is compared with a
// fresh run of the command line that the page shows.
//   LODE_LONG   50 walks instead of 2
//   LODE_SEED   only the walk of this number
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { PATIENCE, newPage, notLong, programs, startBoth, support } from './browser.mjs';

const STEPS = 10;
const both = await startBoth();
const { server, options } = both;

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function generator(seed) {
    let state = seed * 0x9e3779b9;
    return () => {
        state = (state + 0x6d2b79f5) | 0;
        let t = Math.imul(state ^ (state >>> 15), 1 | state);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
}

const NAMES = ['milk', 'bread', 'eggs', 'tea', 'jam, red', 'café', "cook's \"best\"", 'POSTAGE', 'ham', 'rice'];
const PROPOSED = [/Invoice values? begin/, /Quantity is negative/];
const number = (text) => Number(text.replaceAll(',', ''));
const quoted = (text) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Orders with cancelled ones, returns, and names in several spellings. */
function orders(random) {
    const lines = ['Invoice,Item,Quantity'];
    for (let i = 1; i <= 120; i++) {
        const invoice = random() < 0.1 ? `C${i}` : String(i);
        for (const name of NAMES) {
            if (random() > 0.35) continue;
            const spelled = random() < 0.2 ? name.toUpperCase() : name;
            lines.push(`${invoice},${quoted(spelled)},${random() < 0.1 ? -1 : 1 + Math.floor(random() * 5)}`);
        }
    }
    return `${lines.join('\n')}\n`;
}

/** Baskets with more itemsets than anybody waits for, unless the threshold is high. */
function dense(random) {
    const line = () => Array.from({ length: 40 }, (_, item) => item).filter(() => random() < 0.5).join(' ');
    return `${Array.from({ length: 2000 }, line).join('\n')}\n`;
}

class Walk {
    constructor(seed, page, folder) {
        this.random = generator(seed);
        Object.assign(this, { seed, page, folder, file: `walk ${seed}'s.csv`, jobs: [], runs: new Map(), log: [] });
    }

    below = (n) => Math.floor(this.random() * n);
    one = (list) => list[this.below(list.length)];
    step = (n) => this.page.locator(`[data-step="${n}"]`);

    /** Runs a command line as the page shows it; what it wrote and said. Each one runs once. */
    run(command, more = '') {
        const line = `${command} ${more}`;
        if (!this.runs.has(line)) {
            const env = { ...process.env, PATH: `${this.folder}:${process.env.PATH}` };
            const ran = promisify(execFile)('bash', ['-ec', line], { cwd: this.folder, env, maxBuffer: 1 << 26 });
            this.runs.set(line, ran.then(({ stderr }) => stderr));
        }
        return this.runs.get(line);
    }

    /** Waits until what the page shows and what the command line says agree: { shown, said } of the last look. */
    async agree(what, look) {
        const end = Date.now() + PATIENCE;
        for (;;) {
            const { shown, said } = await look();
            if (shown !== null && JSON.stringify(shown) === JSON.stringify(said)) return;
            if (Date.now() > end) assert.fail(`${what}: the page shows ${JSON.stringify(shown)}, the command line says ${JSON.stringify(said)}`);
            await this.page.waitForTimeout(50); // between two looks
        }
    }

    // ---- what is shown ----

    async text(locator) {
        const all = await locator.allTextContents();
        return all.length === 1 ? all[0].replace(/\s+/g, ' ').trim() : null;
    }

    /** The sizes of the data, as they are or as mining would make them, against what the shown command reads. */
    async checkData() {
        await this.agree('the data', async () => {
            const command = await this.text(this.step(5).locator('.bar code'));
            const sizes = /^([\d,]+) transactions?, ([\d,]+) items?$/.exec((await this.text(this.page.locator('.title p'))) ?? '');
            const first = (await this.text(this.step(5).locator('p.note'))) ?? '';
            const left = /applied first: ([\d,]+) of [\d,]+ transactions? remain/.exec(first);
            if (command === null || sizes === null || (first !== '' && left === null)) return { shown: null, said: command };
            const read = /: ([\d,]+) transactions?, ([\d,]+) items?/.exec((await this.run(command, '-o data.out')));
            return left !== null ? { shown: number(left[1]), said: number(read[1]) } : { shown: sizes.slice(1), said: read.slice(1) };
        });
    }

    command = (label) => this.text(this.page.getByRole('region', { name: label, exact: true }).locator('code'));

    /** Heading and threshold of a result, its rows, the baskets of one of them, and its pairs. */
    async checkJob() {
        const { page } = this;
        await page.getByRole('grid').or(page.getByText('No rows')).first().waitFor();
        if (!(await page.locator('details.line').getAttribute('open').catch(() => null))) await page.locator('details.line').evaluate((line) => (line.open = true));
        await this.agree('the heading', async () => {
            const command = (await this.command('Command for this job')) ?? (await this.command('Command for this job, keeping its result'));
            const title = await this.text(page.getByRole('heading', { level: 1 }));
            const threshold = /in at least [\d,]+ of [\d,]+ transactions/.exec((await this.text(page.locator('.what p.soft').last())) ?? '');
            if (command === null || title === null || threshold === null) return { shown: null, said: command };
            const said = await this.run(command, / -o \S+$/.test(command) ? '' : '-w jsonl -o rows.jsonl');
            const sentence = /^(?:the best [^\n]*? by \w+|no \w+ is|[\d,]+ \w+)(?: \([\d,]+ with ties\))? in at least [\d,]+ of [\d,]+ transactions?/m.exec(said)?.[0];
            const words = (text) => text?.toLowerCase().replace(/^no (\w+) is/, '0 $1s').replace(/transactions\b/, 'transaction');
            return { shown: words(`${title} ${threshold[0]}`), said: words(sentence) };
        });
        await this.checkRows();
    }

    /** The rows that an export of this view holds, and the number that the view shows. */
    async checkRows() {
        const { page } = this;
        const job = await this.command('Command for this job');
        const view = await this.command('Command for this view');
        const written = join(this.folder, 'view.jsonl');
        if (view === null) await this.run(job, `-w jsonl -o view.jsonl # ${this.runs.size}`);
        else await this.run(`${await this.command('Command for this job, keeping its result')} && ${view}`, `-w jsonl -o view.jsonl # ${this.runs.size}`);
        const rows = (text) => text.split('\n').filter(Boolean).map((line) => {
            const { items, body, head, both, count = both } = JSON.parse(line);
            const names = (list) => list.map(String).sort(); // the command writes items without names as numbers
            return JSON.stringify(items === undefined ? [names(body), names(head), count] : [names(items), count]);
        }).sort();
        const said = rows(await readFile(written, 'utf8'));
        await this.agree('the number of rows', async () => {
            const shown = /^([\d,]+)/.exec((await this.text(page.locator('p.found'))) ?? '');
            return { shown: shown && number(shown[1]), said: said.length };
        });
        await page.getByRole('button', { name: 'Save and share' }).click();
        const link = await page.getByRole('link', { name: 'JSON lines' }).getAttribute('href');
        await page.keyboard.press('Escape');
        const exported = await (await page.request.get(new URL(link, server.url).href)).text();
        assert.deepEqual(rows(exported), said, `the export, seed ${this.seed}: ${this.log.join(', ')}`);
        if (said.length > 0) await this.checkBaskets(new Set(said));
    }

    /** One row: it is among those of the command line, and its baskets are as many as it says. */
    async checkBaskets(said) {
        const { page } = this;
        const row = page.getByRole('grid').getByRole('row').nth(1);
        await row.locator('.names').first().waitFor();
        await row.dblclick();
        const sentence = page.locator('p.sentence');
        await sentence.waitFor();
        const four = page.locator('td.cell b'); // of a rule; an itemset has its sentence alone
        const count = number((await four.count()) > 0 ? await four.first().textContent() : /([\d,]+) of [\d,]+/.exec(await sentence.textContent())[1]);
        await this.agree('the baskets', async () => {
            const found = /^([\d,]+) transactions?/.exec((await this.text(page.getByRole('tabpanel').locator('p[role=status]').last())) ?? '');
            return { shown: found && number(found[1]), said: count };
        });
        assert.ok([...said].some((line) => line.endsWith(`,${count}]`)), `no row has ${count}`);
        await page.getByRole('tab', { name: 'Pairs' }).click();
        await this.agree('the pairs', async () => {
            const total = /of ([\d,]+) transactions/.exec((await this.text(page.locator('.what p.soft').last())) ?? '');
            const pairs = /items in ([\d,]+) transactions/.exec((await this.text(page.getByRole('tabpanel').locator('figcaption, p').filter({ hasText: 'most frequent items in' }).first())) ?? '');
            return { shown: pairs && number(pairs[1]), said: total && number(total[1]) };
        });
        await page.getByRole('tab', { name: 'Table' }).click();
    }

    // ---- what can be done ----

    async openData() {
        await this.page.goto(`${server.url}/#/data/${this.dataset}`);
        await this.step(5).locator('.bar').waitFor();
        await support(this.page, String(4 + this.below(12)));
    }

    async readOtherwise() {
        const form = this.step(1).locator('details');
        if ((await form.getAttribute('open')) === null) await form.locator('summary').click();
        const format = this.one(['', 'table']);
        this.log.push(`read as ${JSON.stringify(format)}`);
        await this.step(1).getByLabel('Format').selectOption(format);
        const again = this.step(1).getByRole('button', { name: 'Read again' });
        if (await again.isEnabled()) await again.click();
        await this.checkData();
    }

    async clean() {
        const apply = this.random() < 0.5;
        const box = this.step(3);
        const chosen = { fold: this.random() < 0.6, drop: this.one(['', 'postage', 'POSTAGE\ntea', 'jam*']), least: this.one(['', '1', '2', '3']) };
        const rows = PROPOSED.map((one) => [one, this.random() < 0.5]);
        const tea = this.random() < 0.3;
        this.log.push(`clean ${JSON.stringify(chosen)} without ${rows.map(([one, on]) => (on ? one : ''))}${tea ? ' and tea' : ''}${apply ? '' : ', pending'}`);
        for (const [one, on] of rows) await box.getByLabel(one).setChecked(on);
        const condition = box.getByRole('group', { name: 'Condition 1' });
        if ((await condition.count()) > 0) await condition.getByRole('button').click();
        if (tea) {
            await box.getByRole('button', { name: 'Add a condition' }).click();
            await condition.getByLabel('Column').selectOption('Item');
            await condition.getByLabel('Value', { exact: true }).fill('tea');
        }
        await box.getByLabel('Ignore case').setChecked(chosen.fold);
        await box.getByLabel('Drop items').fill(chosen.drop);
        await box.getByLabel('With at least').fill(chosen.least);
        const button = box.getByRole('button', { name: 'Clean the data' });
        await this.checkData();
        if (apply && (await button.isEnabled())) await button.click();
        await this.checkData();
    }

    async undo() {
        const back = this.step(3).getByRole('button', { name: 'Undo cleaning' });
        if ((await back.count()) === 0) return;
        this.log.push('undo');
        await back.click();
        await this.checkData();
    }

    async mine() {
        const kind = this.one(['Itemsets', 'Rules']);
        await this.step(4).getByRole('radio', { name: new RegExp(`^${kind}`) }).check();
        const least = 4 + this.below(12);
        this.log.push(`mine ${kind} at ${least}`);
        await support(this.page, String(least));
        if (kind === 'Rules') await this.step(4).getByLabel('Minimum confidence').fill(this.one(['30%', '50%', '60%']));
        await this.step(5).getByRole('button', { name: /mine/i }).click();
        await this.arrived();
    }

    async arrived() {
        await this.page.waitForURL((url) => /#\/job\/\d+/.test(url.href) && !this.jobs.includes(this.job(url.href)));
        this.jobs.push(this.job());
        await this.checkJob();
    }

    job = (url = this.page.url()) => Number(/#\/job\/(\d+)/.exec(url)?.[1]);
    least = async () => number(/in at least ([\d,]+)/.exec(await this.page.locator('.what p.soft').last().textContent())[1]);

    async threshold(to) {
        await this.page.getByLabel('Exact value').fill(String(to));
        await this.page.getByLabel('Exact value').press('Enter');
    }

    async lower() {
        const to = (await this.least()) - 1 - this.below(2);
        if (to < 2) return;
        this.log.push(`lower to ${to}`);
        await this.threshold(to);
        await this.arrived();
    }

    /** A search that would not end is raised while it runs. */
    async raise() {
        const { page } = this;
        const name = `dense ${this.seed}.dat`;
        const to = 470 + this.below(60);
        this.log.push(`raise to ${to}`);
        await writeFile(join(this.folder, name), dense(this.random));
        await page.goto(`${server.url}/#/`);
        await page.getByLabel('File with transactions or graphs').setInputFiles(join(this.folder, name));
        await page.waitForURL((url) => /#\/data\/\d+/.test(url.href));
        await this.step(5).locator('.bar').waitFor();
        await this.step(4).getByRole('radio', { name: /^Itemsets/ }).check();
        await support(page, '20');
        await this.step(5).getByRole('button', { name: /mine/i }).click();
        await page.getByLabel('Raise the threshold').fill(String(to));
        await page.getByRole('button', { name: 'Raise', exact: true }).click();
        await this.arrived();
        assert.equal(await this.least(), to);
    }

    async filter() {
        const to = (await this.least()) + 1 + this.below(4);
        this.log.push(`filter from ${to}`);
        await this.threshold(to);
        await this.page.waitForURL(new RegExp(`min=count%3D${to}`));
        await this.checkRows();
    }

    async best() {
        this.log.push('best 5');
        await this.page.getByLabel('Only the top').fill('5');
        await this.page.getByRole('button', { name: 'Find' }).click();
        await this.arrived();
    }

    async comeBack() {
        const id = this.one(this.jobs);
        this.log.push(`back to ${id}`);
        await this.page.goto(`${server.url}/#/`);
        await this.page.goto(`${server.url}/#/job/${id}`);
        await this.checkJob();
    }

    async remove() {
        const id = this.one(this.jobs);
        this.log.push(`delete ${id}`);
        await this.page.goto(`${server.url}/#/`);
        await this.page.getByRole('button', { name: /^Delete result/ }).first().waitFor();
        for (const fold of await this.page.getByRole('button', { name: /earlier result/ }).all()) await fold.click();
        const button = this.page.getByRole('button', { name: new RegExp(`^Delete result ${id},`) });
        await button.click();
        await this.page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
        await button.waitFor({ state: 'detached' });
        this.jobs.splice(this.jobs.indexOf(id), 1);
        await this.openData();
    }

    async go() {
        const { page } = this;
        const content = orders(this.random);
        await writeFile(join(this.folder, this.file), content);
        await symlink(programs().lode, join(this.folder, 'lode'));
        await page.goto(`${server.url}/`);
        await page.getByLabel('File with transactions or graphs').setInputFiles(join(this.folder, this.file));
        await page.waitForURL(/#\/data\/\d+/);
        this.dataset = Number(/#\/data\/(\d+)/.exec(page.url())[1]);
        await this.openData();
        for (let i = 0; i < STEPS; i++) {
            const onJob = /#\/job\//.test(page.url());
            const rules = onJob && / rules /.test((await this.page.locator('details.line code').first().textContent()) ?? '');
            const action = onJob
                ? this.one(['lower', 'filter', 'openData', 'openData', 'comeBack', ...(rules ? ['best'] : [])])
                : this.one(['readOtherwise', 'clean', 'clean', 'undo', 'mine', 'mine', ...(this.jobs.length > 1 ? ['comeBack', 'remove', 'raise'] : [])]);
            await this[action]();
        }
    }
}

const seeds = process.env.LODE_SEED ? [Number(process.env.LODE_SEED)] : Array.from({ length: notLong ? 2 : 50 }, (_, i) => i + 1);
for (const seed of seeds)
    test(`walk ${seed}`, options, async () => {
        const folder = await mkdtemp(join(tmpdir(), 'lode-walk-'));
        const { page, close } = await newPage(both.browser, server.url);
        const walk = new Walk(seed, page, folder);
        try {
            await walk.go();
            await close();
        } catch (reason) {
            reason.message += `\nwalk ${seed}: ${walk.log.join(', ')}\nat ${page.url()}`;
            throw reason;
        } finally {
            await page.context().close();
            await rm(folder, { recursive: true, force: true });
        }
    });
