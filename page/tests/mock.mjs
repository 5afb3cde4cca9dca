// A stand-in for lode-server while the page is worked on: serves dist/ (or LODE_PAGE_OUT) and answers the API with
// generated data, so that views can be tried without building anything else: ten million rules by a
// formula, jobs that make progress, graphs, hostile names. Nothing here is kept, and nothing is mined.
//   node tests/mock.mjs [PORT]       LODE_MOCK_TOKEN=x asks for a token
// SPDX-License-Identifier: Apache-2.0
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const DIST = process.env.LODE_PAGE_OUT ?? fileURLToPath(new URL('../dist/', import.meta.url));
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
const CSP =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
    "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

// ---- the data ----------------------------------------------------------------------------------

const HOSTILE = ['<script>alert(1)</script>', `"quoted" & 'single'`, '🥖🧀', 'مربى المشمش', 'x'.repeat(10_000), '</td><td>', ' '];
const NAMES = [
    'whole milk', 'bread', 'butter', 'yoghurt', 'root vegetables', 'bananas', 'coffee', 'apples', 'cheese', 'eggs',
    'orange juice', 'sausages', 'tomatoes', 'beer', 'crisps', 'chocolate', 'onions', 'flour', 'sugar', 'rice',
    'pasta', 'olive oil', 'salt', 'tea', 'jam', 'honey', 'ham', 'salmon', 'lettuce', 'cucumber', 'wine', 'napkins',
    'soap', 'batteries', 'candles', 'cat food', 'cream', 'mustard', 'pepper', 'vinegar', ...HOSTILE,
];
const TOTAL = 9835;

function random(n) {
    let x = Math.imul(n + 1, 0x9e3779b1) >>> 0;
    x = Math.imul(x ^ (x >>> 15), 0x85ebca6b) >>> 0;
    x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35) >>> 0;
    return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}
const itemCount = (i) => Math.max(30, Math.round(2513 / (1 + i * 0.35)));

function pick(n, size) {
    const chosen = new Set(n < HOSTILE.length ? [NAMES.length - HOSTILE.length + n] : []);
    for (let i = 0; chosen.size < size; i++) chosen.add(Math.floor(random(n * 31 + i) ** 2 * NAMES.length));
    return [...chosen];
}

function rule(row) {
    const all = pick(row, 2 + Math.floor(random(row + 5) * 3));
    const [head, ...body] = all;
    const headCount = itemCount(head);
    const bodyCount = Math.max(20, Math.round(itemCount(body[0]) * (0.2 + 0.8 * random(row + 9))));
    const both = Math.max(5, Math.min(headCount, bodyCount, Math.round(bodyCount * (0.05 + 0.9 * random(row + 2)))));
    const confidence = both / bodyCount;
    const lift = confidence / (headCount / TOTAL);
    const values = {
        confidence, lift, support: both / TOTAL, leverage: both / TOTAL - (bodyCount * headCount) / TOTAL ** 2,
        conviction: confidence === 1 ? 'inf' : (1 - headCount / TOTAL) / (1 - confidence), zhang: (lift - 1) / Math.max(lift, 1),
    };
    return {
        row, body: body.map((i) => NAMES[i]), head: [NAMES[head]], both, body_count: bodyCount, head_count: headCount,
        support: both / TOTAL, confidence, lift, values,
    };
}

function itemset(row) {
    const items = pick(row, 1 + Math.floor(random(row + 5) * 4));
    const count = Math.max(10, Math.round(2513 / (1 + row ** 0.45)));
    return { row, items: items.map((i) => NAMES[i]), count, support: count / TOTAL, values: { count, support: count / TOTAL } };
}

const ATOMS = ['C', 'C', 'C', 'N', 'O', 'S', 'Cl'];
function graph(index, most = 18) {
    const n = 4 + Math.floor(random(index * 7) * (most - 4));
    const vertices = Array.from({ length: n }, (_, i) => ATOMS[Math.floor(random(index * 100 + i) * ATOMS.length)]);
    const edges = Array.from({ length: n - 1 }, (_, i) => [Math.max(0, i - Math.floor(random(index * 50 + i) * 2)), i + 1, random(i) > 0.8 ? '2' : '1']);
    if (n > 6) edges.push([0, 5, '1']);
    return { index, name: `molecule ${index}`, vertices, edges };
}
function graphPattern(row) {
    const { vertices, edges } = graph(row + 1000, 8);
    const count = Math.max(20, Math.round(340 / (1 + row * 0.05)));
    return { row, code: edges.map(([a, b, l]) => `[${vertices[a]}]-${l}-[${vertices[b]}]`).join(''), vertices, edges, count, support: count / 340 };
}

const lengths = Array.from({ length: 32 }, (_, i) => ({ from: i + 1, to: i + 1, count: Math.round(2159 * Math.exp(-i / 5)) }));
const profile = {
    kind: 'baskets', transactions: TOTAL, items: NAMES.length, occurrences: 43367, empty: 12, repeated: 34, skipped: 0, dropped: 0,
    longest: 132, mean: 4.41, density: 0.026, weight: TOTAL, lengths, top: NAMES.slice(0, 50).map((name, i) => ({ name, count: itemCount(i) })),
    giants: { from: 101, count: 3 }, read_seconds: 0.021, bytes: 1_900_000,
};
const graphProfile = {
    kind: 'graphs', graphs: 340, vertices: 9189, edges: 9317, empty: 0, disconnected: 4, most_vertices: 214, most_edges: 214, directed: false,
    vertex_labels: [['C', 6311], ['O', 1233], ['N', 1019], ['Cl', 297], ['S', 178]].map(([name, count]) => ({ name, count })),
    edge_labels: [['1', 6423], ['2', 2894]].map(([name, count]) => ({ name, count })),
    sizes: Array.from({ length: 12 }, (_, i) => ({ from: i * 5, to: i * 5 + 4, count: Math.round(90 * Math.exp(-((i - 4) ** 2) / 8)) })),
};
const MEASURES = [
    ['support', 'Support', 'share of the baskets that have all of it', 1, 0, 1], ['confidence', 'Confidence', 'share of the baskets with the body that have the head', 1, 0, 1],
    ['lift', 'Lift', 'how much more often than by chance', 1, 0, null], ['leverage', 'Leverage', 'how many more than by chance', 1, -0.25, 0.25],
    ['conviction', 'Conviction', 'how much more often the rule would be wrong by chance', 1, 0, null], ['zhang', "Zhang's metric", 'association from -1 to 1', 1, -1, 1],
].map(([name, title, summary, better, low, high]) => ({ name, title, summary, better, low, high }));

// ---- state -------------------------------------------------------------------------------------

const now = () => Date.now() / 1000;
const failure = (status, code, message, hint) => Object.assign(new Error(message), { status, code, hint });

function dataset(id, name, kind, extra = {}) {
    return {
        id, name, kind, bytes: 532_000, received: 532_000, state: 'ready', read: {}, clean: {},
        profile: kind === 'graphs' ? graphProfile : profile, created: now() - 3600 * id, jobs: 0, message: null, ...extra,
    };
}
const datasets = new Map([
    [1, dataset(1, 'groceries.csv', 'baskets', { jobs: 2 })],
    [2, dataset(2, 'molecules.txt', 'graphs', { jobs: 1 })],
    [3, dataset(3, `<b>wrong</b> "file" 🧺.xlsx`, '', { profile: null })],
]);
const times = { total: 0.412, read: 0.021, prepare: 0.03, candidate: 0.051, counting: 0.268, transfer: 0.012, output: 0.03, utilisation: 0.83 };
function job(id, of, kind, state, patterns) {
    const about = datasets.get(of);
    const done = state === 'done';
    return {
        id, dataset: of, dataset_name: about.name, kind, options: { 'min-support': '1%' }, command: `lode ${kind} '${about.name}' -s 1%`, state,
        message: null, hint: null, created: now() - 600, started: now() - 599, ended: done ? now() - 598 : null, position: 0, progress: null, patterns,
        min_count: 99, total: of === 2 ? 340 : TOTAL, bytes: patterns * 40, times: done ? times : null, algorithm: 'frontier', device: 'cpu',
        fingerprint: done ? '0123456789abcdef' : null, ranked: 0, ranked_by: null, name: '', note: '', family: id, folded: 0, read: {}, clean: {},
        report: done ? { algorithm: 'frontier', seconds: times.total } : null,
    };
}
const jobs = new Map([
    [3, job(3, 1, 'rules', 'done', 10_000_000)],
    [4, job(4, 1, 'itemsets', 'done', 10_000_000)],
    [5, job(5, 2, 'graphs', 'done', 240)],
    [6, { ...job(6, 1, 'itemsets', 'failed', 0), message: 'the search needs 12 GiB, and its memory budget is 4 GiB', hint: 'A higher threshold needs less.' }],
    [7, { ...job(7, 1, 'rules', 'lost', 0), message: 'The worker of this data set ended while the job ran.' }],
]);
const listeners = new Map(); // job id → Set of responses
const comparisons = new Map();
const views = new Map();
let nextId = 10;
let jobSeconds = 4;
let held = false; // no job ends by itself, and no comparison gets beyond its second row

function tell(id, event, value) {
    for (const response of listeners.get(id) ?? []) response.write(`event: ${event}\ndata: ${JSON.stringify(value)}\n\n`);
}
const final = (state) => !['queued', 'running'].includes(state);

function endStreams(id) {
    if (!final(jobs.get(id).state) || comparisons.get(id)?.state === 'running') return;
    for (const response of listeners.get(id) ?? []) response.end();
    listeners.delete(id);
}

function finish(one, state) {
    Object.assign(one, { state, ended: now(), progress: null, times: state === 'cancelled' ? null : times });
    if (state === 'cancelled') one.message = 'The job was cancelled.';
    tell(one.id, 'job', one);
    endStreams(one.id);
}

function run(one) {
    const length = Number(one.options['limit-time'] ?? jobSeconds);
    Object.assign(one, { state: 'running', started: now() });
    tell(one.id, 'job', one);
    const timer = setInterval(() => {
        if (final(one.state) || !jobs.has(one.id)) return clearInterval(timer);
        const s = now() - one.started;
        one.patterns = Math.round(s * 25_000);
        const left = Math.max(0, length - s);
        one.progress = { phase: 'search', share: Math.min(1, s / length), seconds: s, patterns: one.patterns, rate: 25_000, left, left_least: left * 0.8, left_most: left * 1.4 };
        if (s >= length && !held) return finish(one, 'done');
        tell(one.id, 'progress', one.progress);
    }, 120).unref(); // a job that is left running keeps nobody from ending
}

/** One comparison is slow, so that there is something to stop. */
const rowSeconds = (id) => (id === 3 ? 60 : 0.6);

function compare(id) {
    const rows = [['frontier', 'cpu', 0.412], ['auto', 'cpu', 0.35], ['tbi', 'cpu', 0.9], ['eqclass', 'cpu', 1.2], ['goethals', 'cpu', 2.1]].map(([name, device, seconds]) => ({
        name, kind: 'lode', device, state: 'waiting', seconds: null, parts: {}, utilisation: null, patterns: null, message: null, final: seconds,
    }));
    rows.push({ ...rows[0], name: 'eclat', kind: 'peer', device: null, final: null });
    const answer = { state: 'running', rows };
    comparisons.set(id, answer);
    const next = (i) => {
        const row = rows[i];
        if (row === undefined) {
            answer.state = 'done';
            return endStreams(id);
        }
        row.state = 'running';
        tell(id, 'compare', row);
        const timer = setInterval(() => {
            if (held && i > 1) return;
            clearInterval(timer);
            if (row.state === 'stopped') return;
            const s = row.final;
            if (s === null) Object.assign(row, { state: 'failed', message: 'eclat: command not found' });
            else Object.assign(row, { state: 'done', runs: 5, seconds: s, parts: { read: 0.02, prepare: 0.03, candidate: s * 0.2, counting: s * 0.6, output: 0.03 }, utilisation: 0.8, patterns: jobs.get(id).patterns });
            tell(id, 'compare', row);
            next(i + 1);
        }, rowSeconds(id) * 1000).unref();
    };
    next(0);
    return answer;
}

function stopComparison(id) {
    const answer = comparisons.get(id) ?? { state: 'none', rows: [] };
    for (const row of answer.rows) if (row.state === 'waiting' || row.state === 'running') row.state = 'stopped';
    if (answer.state === 'running') answer.state = 'done';
    endStreams(id);
    return answer;
}

// ---- rows of results -----------------------------------------------------------------------------

const FORMULA = { rules: rule, itemsets: itemset, graphs: graphPattern };
const SAMPLE = 50_000; // Filters and orders look at so many rows only: it is a mock.
const samples = new Map();

function sample(one) {
    if (!samples.has(one.kind)) samples.set(one.kind, Array.from({ length: SAMPLE }, (_, i) => FORMULA[one.kind](i)));
    return samples.get(one.kind).slice(0, one.patterns);
}
const numeric = (x) => (x === 'inf' ? Infinity : x ?? NaN);
const valueOf = (row, name) => numeric(row.values?.[name] ?? row[name]);

/** The items of a name or a pattern with * ? [] and \, as the store takes them. */
function named(text, option) {
    if (NAMES.includes(text)) return new Set([text]);
    if (!/[*?[\\]/.test(text)) throw failure(422, 'invalid', `--${option}: unknown item '${text}'`);
    const parts = text.replace(/\\(.)|\[([^\]]*)\]|[*?]|[.+^${}()|\]/]/g, (all, plain, set) => (plain ? `\\${plain}` : set !== undefined ? `[${set}]` : all === '*' ? '.*' : all === '?' ? '.' : `\\${all}`));
    const found = NAMES.filter((name) => new RegExp(`^${parts}$`, 's').test(name));
    if (found.length === 0) throw failure(422, 'invalid', `--${option}: no item name matches '${text}'`);
    return new Set(found);
}

function filterOf(query) {
    const tests = [];
    const sides = { '': (r) => r.items ?? [...(r.body ?? r.vertices), ...(r.head ?? [])], 'lhs-': (r) => r.body ?? [], 'rhs-': (r) => r.head ?? [] };
    // What differs from a bound by rounding passes, as in the store.
    const slack = (bound) => Math.abs(bound) * 1e-12;
    for (const [name, bound] of query.getAll('min').map((text) => text.split('='))) tests.push((r) => valueOf(r, name) >= bound - slack(bound));
    for (const [name, bound] of query.getAll('max').map((text) => text.split('='))) tests.push((r) => valueOf(r, name) <= Number(bound) + slack(bound));
    for (const [side, of] of Object.entries(sides)) {
        for (const text of query.getAll(`${side}has`)) {
            const names = named(text, 'include');
            tests.push((r) => of(r).some((name) => names.has(name)));
        }
        for (const text of query.getAll(`${side}lacks`)) {
            const names = named(text, 'exclude');
            tests.push((r) => !of(r).some((name) => names.has(name)));
        }
        for (const text of query.getAll(`${side}match`)) {
            let regex;
            try {
                regex = new RegExp(text);
            } catch {
                throw failure(422, 'invalid', `match: '${text}' is no regular expression`);
            }
            tests.push((r) => (r.code ? regex.test(r.code) : of(r).some((name) => regex.test(name))));
        }
    }
    for (const list of query.getAll('pick')) {
        const rows = new Set(list.split(',').map(Number));
        tests.push((r) => rows.has(r.row));
    }
    const size = (r) => (r.edges ?? sides[''](r)).length;
    if (query.has('min-size')) tests.push((r) => size(r) >= Number(query.get('min-size')));
    if (query.has('max-size')) tests.push((r) => size(r) <= Number(query.get('max-size')));
    return tests;
}

function found(one, query) {
    const tests = filterOf(query);
    return tests.length === 0 && !query.has('sort') ? null : sample(one).filter((r) => tests.every((test) => test(r)));
}

function rowsAnswer(one, query) {
    const skip = Number(query.get('skip') ?? 0);
    const rows = Number(query.get('rows') ?? 100);
    if (!(rows >= 1 && rows <= 1000)) throw failure(422, 'invalid', 'rows: expected a number from 1 to 1000');
    const list = found(one, query);
    const sort = query.get('sort');
    if (sort) list.sort((a, b) => (valueOf(b, sort) - valueOf(a, sort)) * (query.has('reverse') ? -1 : 1));
    const page = list
        ? list.slice(skip, skip + rows)
        : Array.from({ length: Math.max(0, Math.min(rows, one.patterns - skip)) }, (_, i) => FORMULA[one.kind](skip + i));
    return { total: one.patterns, found: query.get('found') === '0' ? null : (list?.length ?? one.patterns), skip, rows: page, seconds: 0.002 };
}

function axis(values, name, bins, log, low, high) {
    const finite = values.filter(Number.isFinite);
    const from = low ?? Math.min(...finite.slice(0, 20_000));
    const to = high ?? Math.max(...finite.slice(0, 20_000));
    const logarithmic = log && from > 0;
    return { name, edges: Array.from({ length: bins + 1 }, (_, i) => (logarithmic ? from * (to / from) ** (i / bins) : from + ((to - from) * i) / bins)) };
}
function bin(edges, x) {
    if (!(x >= edges[0] && x <= edges.at(-1))) return -1;
    const at = edges.findIndex((edge, i) => i > 0 && x < edge);
    return at < 0 ? edges.length - 2 : at - 1;
}

function histogram(one, query) {
    const list = found(one, query) ?? sample(one);
    const make = (key) => {
        if (!query.has(key)) return null;
        const values = list.map((r) => valueOf(r, query.get(key)));
        const real = (name) => (query.has(`${key}-${name}`) ? Number(query.get(`${key}-${name}`)) : undefined);
        return { values, axis: axis(values, query.get(key), real('bins') ?? 40, query.get(`${key}-log`) === '1', real('low'), real('high')) };
    };
    const x = make('x');
    const y = make('y');
    const counts = new Array((x.axis.edges.length - 1) * (y ? y.axis.edges.length - 1 : 1)).fill(0);
    let inside = 0;
    let missing = 0;
    list.forEach((_, i) => {
        if (Number.isNaN(x.values[i])) return missing++;
        const bx = bin(x.axis.edges, x.values[i]);
        const by = y ? bin(y.axis.edges, y.values[i]) : 0;
        if (bx < 0 || by < 0) return;
        counts[by * (x.axis.edges.length - 1) + bx]++;
        inside++;
    });
    return { x: x.axis, y: y?.axis ?? null, counts, inside, outside: list.length - inside - missing, undefined: missing };
}

function network(one, query) {
    const by = query.get('by') ?? (one.kind === 'rules' ? 'lift' : 'count');
    const list = (found(one, query) ?? sample(one)).slice(0, 5000);
    const edges = new Map();
    for (const r of list) {
        if (r.body && r.body.length > 1) continue;
        const pairs = r.items ? r.items.slice(1).map((name) => [r.items[0], name]) : [[r.body[0], r.head[0]]];
        for (const [from, to] of pairs) {
            const key = JSON.stringify([from, to]);
            const edge = edges.get(key) ?? { from, to, value: -Infinity, rules: 0, row: r.row };
            edge.rules++;
            if (valueOf(r, by) > edge.value) Object.assign(edge, { value: valueOf(r, by), row: r.row });
            edges.set(key, edge);
        }
    }
    const best = [...edges.values()].sort((a, b) => b.value - a.value).slice(0, Number(query.get('edges') ?? 100));
    const names = [...new Set(best.flatMap((edge) => [edge.from, edge.to]))];
    const at = new Map(names.map((name, i) => [name, i]));
    return {
        by, nodes: names.map((name) => ({ name, count: itemCount(NAMES.indexOf(name)), rules: best.filter((e) => e.from === name || e.to === name).length })),
        edges: best.map((edge) => ({ ...edge, from: at.get(edge.from), to: at.get(edge.to) })), edges_found: edges.size, used: edges.size, found: edges.size,
    };
}

function rowPage(one, n) {
    const row = FORMULA[one.kind](n);
    if (one.kind !== 'rules') return { row, table: null, measures: [], level: 0.95, sentence: `${row.count} of ${one.total} have it.` };
    const { both, body_count, head_count } = row;
    return {
        row,
        table: { both, body_only: body_count - both, head_only: head_count - both, neither: TOTAL - body_count - head_count + both, total: TOTAL },
        measures: MEASURES.map((m) => ({ ...m, value: row.values[m.name], low: numeric(row.values[m.name]) * 0.9, high: numeric(row.values[m.name]) * 1.1 })),
        level: 0.95,
        sentence: `Of ${body_count} baskets with ${row.body.join(', ')}, ${both} (${(row.confidence * 100).toFixed(1)}%) also have ${row.head[0]}; without regard to it, it would be ${((head_count / TOTAL) * 100).toFixed(1)}%.`,
    };
}

// ---- baskets, pairs --------------------------------------------------------------------------------

const baskets = (id, query) => ({ count: 54, baskets: Array.from({ length: Math.min(54, Number(query.get('limit') ?? 50)) }, (_, i) => ({ number: i * 7 + 1, id: null, items: [...query.getAll('with'), NAMES[(i + need(datasets, id).id) % 30]] })) });
function pairs(query) {
    const n = Number(query.get('items') ?? 25);
    return { total: TOTAL, items: NAMES.slice(0, n).map((name, i) => ({ name, count: itemCount(i) })), counts: Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => (i === j ? itemCount(i) : Math.round(Math.min(itemCount(i), itemCount(j)) * 0.4 * random(Math.min(i, j) * 97 + Math.max(i, j)))))) };
}

// ---- suggest, clean, preview ----------------------------------------------------------------------

function suggest(body, graphs = false) {
    const total = graphs ? 340 : TOTAL;
    const targets = body.targets ?? ['all', 'closed', 'maximal', 'rules'];
    const factor = { all: 1, closed: 0.92, maximal: 0.5, rules: 0.6 };
    const points = [];
    for (const target of targets) {
        const of = (c) => factor[target] * 48 * (TOTAL * 0.05 / c) ** 1.55;
        for (const min_count of graphs ? [272, 170, 102, 34, 17, 10] : [984, 492, 295, 197, 98, 49, 30, 20, 10, 5, 3, 2]) {
            const exact = min_count > (graphs ? 10 : 40);
            const patterns = graphs ? Math.round(9000 / min_count) : Math.round(of(min_count));
            if (graphs && !exact) {
                points.push({ target, min_count, support: min_count / total, patterns, low: patterns, high: null, exact, answer: false });
                continue;
            }
            points.push({ target, min_count, support: min_count / total, patterns, low: exact ? patterns : patterns * 0.6, high: exact ? patterns : patterns * 1.7, exact, answer: false });
        }
        if (body.want) {
            const min_count = Math.max(1, Math.round((TOTAL * 0.05) / (body.want / (factor[target] * 48)) ** (1 / 1.55)));
            const patterns = Math.round(of(min_count));
            points.push({ target, min_count, support: min_count / TOTAL, patterns, low: patterns * 0.9, high: patterns * 1.1, exact: false, answer: true });
        }
    }
    return { total, points };
}

const hints = [['Whole Milk', 'whole milk', 12, 2501], ['yogurt', 'yoghurt', 31, 905], ['brot', 'bread', 3, 1861]];
function clean(options) {
    const mapped = (options['map-text'] ?? '').split('\n').filter((line) => line !== '').length;
    const dropped = [options.drop ?? []].flat().length;
    const rare = options['min-item-support'] ? 9 : 0;
    const items = profile.items - mapped - dropped - rare;
    const after = { ...profile, items, occurrences: 43367 - 300 * (dropped + rare), empty: options['min-basket'] ? 0 : 12, transactions: TOTAL - (options['min-basket'] ? 12 : 0), giants: options['max-basket'] ? null : profile.giants };
    const step = (name, items, occurrences = 0, baskets = 0) => ({ name, rows: 0, items, occurrences, baskets });
    return {
        report: {
            before: { baskets: TOTAL, items: profile.items, occurrences: 43367, empty: 12 }, after: { baskets: after.transactions, items, occurrences: after.occurrences, empty: after.empty },
            steps: [step('repeated', 0, 34, 30), step('case', options['fold-case'] ? 14 : 0), step('map', mapped), step('drop', dropped, 300 * dropped), step('rare', rare, 300 * rare), step('short', 0, 0, options['min-basket'] ? 12 : 0)],
            merges: options['fold-case'] ? [{ from: 'Whole Milk, whole milk', to: 'whole milk', names: 2, baskets: 2513 }] : [], merged: options['fold-case'] ? 1 : 0,
            hints: hints.slice(mapped).map(([from, to, a, b]) => ({ from, to, from_baskets: a, to_baskets: b })), unused_rules: 0, unused_patterns: 0,
        },
        before: profile, after,
    };
}

const column = (name, more) => ({ name, empty: 0, numbers: 0, negative: 0, zero: 0, dates: 0, starts: [], distinct: null, values: [], ...more });
const tableColumns = {
    rows: 43367, header: true, tid: 0, item: 1,
    columns: [
        column('Order ID', { numbers: 42911, least: 536365, most: 581587, starts: [{ letter: 'C', rows: 456, values: 120 }] }),
        column('Product', { empty: 31, distinct: NAMES.length, values: NAMES.slice(0, 50).map((name, i) => ({ name, count: itemCount(i) })) }),
        column('Quantity', { numbers: 43367, negative: 700, zero: 3, least: -20, most: 80 }),
        column('Ordered', { dates: 43367, first: '2010-12-01', last: '2011-12-09' }),
        column(HOSTILE[0], { distinct: 2, values: [{ name: HOSTILE[1], count: 40000 }, { name: HOSTILE[0], count: 3367 }] }),
    ],
};

function preview(one) {
    if (one.kind === 'graphs')
        return { kind: 'graphs', lines: ['t # 0', 'v 0 C', 'v 1 C', 'v 2 O', 'e 0 1 1', 'e 1 2 2', 't # 1', 'v 0 N'], recognised: { format: 'gspan' }, graphs: [0, 1, 2, 3, 4, 5].map((i) => graph(i)), warnings: [] };
    const lines = ['Order ID,Product', '536365,whole milk', '536365,bread', '536366,"<script>alert(1)</script>"', '536366,butter', '536367,coffee'];
    if (one.kind === '' && one.read.format === undefined)
        return { lines: ['PK\u0003\u0004\u0014 xl/workbook.xml', '�����'], error: { message: `${one.name}: line 1: this is a spreadsheet (xlsx), which lode does not read`, hint: 'Save the sheet as CSV, and load that.' } };
    return {
        kind: 'baskets', lines, recognised: { format: one.read.format ?? 'table', separator: one.read.separator ?? ',', header: true, columns: 'Order ID, Product', latin1: 0 },
        baskets: [['536365', [0, 1]], ['536366', [40, 2]], ['536367', [6]], ['536368', [42, 43, 44]]].map(([id, list]) => ({ id, items: list.map((i) => NAMES[i]) })), warnings: ['2 lines were empty'],
    };
}

// ---- routes --------------------------------------------------------------------------------------

const need = (map, id) => map.get(Number(id)) ?? (() => { throw failure(404, 'notfound', 'There is no such thing here.', 'It may have been deleted.'); })();
const without = ({ report: _, ...rest }) => rest;

const OPTIONS = [
    ['format', 'read', 'FORMAT', 'detected', 'fimi, spmf, basket, table, onehot or json', ['fimi', 'spmf', 'basket', 'table', 'onehot', 'json']],
    ['algorithm', 'mine', 'NAME', 'auto', 'how to search', ['auto', 'frontier', 'tbi', 'eqclass']],
].map(([name, group, argument, fallback, help, words]) => ({ name, group, argument, fallback, help, words }));

const routes = [
    ['GET', '/about', () => ({ version: '0.1.0', protocol: 1, examples: [
        { name: 'groceries', title: 'Groceries', kind: 'baskets', detail: '9,835 baskets of a month in a shop' }, { name: 'molecules', title: 'Molecules', kind: 'graphs', detail: '340 molecules as graphs' },
    ], peers: ['eclat'], limits: { upload: 2 ** 31, slice: 8388608, rows: 1000, disk: 2 ** 34, expire_days: null }, threads: 8, memory: 2 ** 33, xlsx: true })],
    ['GET', '/devices', () => ({ devices: [{ name: 'cpu', usable: true, detail: '8 threads' }, { name: 'cuda:0', usable: true, detail: 'NVIDIA H200, 141 GB' }, { name: 'cuda:1', usable: false, detail: 'in use by another program' }], algorithms: {
        itemsets: ['auto', 'frontier', 'tbi', 'eqclass', 'goethals'].map((name) => ({ name, summary: `the ${name} search`, weights: true, targets: ['all', 'closed', 'maximal', 'top'] })), graphs: ['auto', 'gspan', 'pgm'].map((name) => ({ name, summary: `the ${name} search`, weights: false, targets: ['all', 'closed', 'maximal'] })) }, threads: 8 })],
    ['GET', '/measures', () => ({ measures: MEASURES, itemset_measures: [] })],
    ['GET', '/options', () => ({ options: OPTIONS })],
    ['GET', '/status', () => ({ jobs_running: 0, jobs_queued: 0, workers: [], connections: 1, disk_used: 5e6 })],
    ['GET', '/datasets', () => ({ datasets: [...datasets.values()].sort((a, b) => b.created - a.created), next: null })],
    ['POST', '/datasets', (_, __, body) => {
        const id = nextId++;
        const kind = body.example === 'molecules' ? 'graphs' : 'baskets';
        const one = body.example ? dataset(id, `${body.example}.csv`, kind) : dataset(id, body.name, kind, { bytes: body.bytes, received: 0, state: 'uploading' });
        one.created = now();
        datasets.set(id, one);
        return [201, one];
    }],
    ['GET', '/datasets/:id', ([id]) => need(datasets, id)],
    ['PATCH', '/datasets/:id', ([id], _, body) => {
        if (body.read?.separator === 'xx') throw failure(422, 'invalid', "separator: expected one character, not 'xx'");
        return Object.assign(need(datasets, id), body, body.read ? { kind: 'baskets', profile } : {});
    }],
    ['DELETE', '/datasets/:id', ([id]) => (need(datasets, id), datasets.delete(Number(id)), [204, null])],
    ['PUT', '/datasets/:id/content', ([id], query, body) => {
        const one = need(datasets, id);
        if (Number(query.get('offset')) !== one.received) return [409, { error: { code: 'conflict', message: 'another offset is expected' }, received: one.received }];
        one.received += body.length;
        if (one.received >= one.bytes) one.state = 'ready';
        return { received: one.received, state: one.state };
    }],
    ['GET', '/datasets/:id/preview', ([id]) => preview(need(datasets, id))],
    ['GET', '/datasets/:id/profile', ([id]) => need(datasets, id).profile ?? (() => { throw failure(422, 'invalid', 'line 1: this file cannot be read'); })()],
    ['GET', '/datasets/:id/columns', ([id]) => (need(datasets, id), tableColumns)],
    ['POST', '/datasets/:id/clean', ([id], _, body) => (need(datasets, id), clean(body.clean ?? {}))],
    ['POST', '/datasets/:id/suggest', ([id], _, body) => suggest(body, need(datasets, id).kind === 'graphs')],
    ['GET', '/datasets/:id/baskets', ([id], query) => baskets(id, query)],
    ['GET', '/datasets/:id/pairs', (_, query) => pairs(query)],
    ['GET', '/datasets/:id/graphs/:n', ([, n]) => graph(Number(n))],
    ['GET', '/jobs/:id/profile', ([id]) => need(datasets, need(jobs, id).dataset).profile],
    ['GET', '/jobs/:id/baskets', ([id], query) => baskets(need(jobs, id).dataset, query)],
    ['GET', '/jobs/:id/pairs', (_, query) => pairs(query)],
    ['GET', '/jobs', (_, query) => {
        const all = [...jobs.values()].sort((a, b) => b.id - a.id);
        const replaced = (one) => all.some((j) => j.family === one.family && j.id > one.id && j.state === 'done');
        const plain = (one) => one.name === '' && one.note === '' && final(one.state);
        for (const one of all) one.folded = one.state === 'done' && !replaced(one) ? all.filter((j) => j.family === one.family && j.id < one.id && plain(j)).length : 0;
        const fits = (name, value) => !query.has(name) || value === Number(query.get(name));
        return { jobs: all.filter((j) => fits('dataset', j.dataset) && fits('family', j.family) && !(Number(query.get('before')) <= j.id && query.has('before')) && !(query.get('folded') === '0' && plain(j) && replaced(j))).map(without) };
    }],
    ['POST', '/jobs', (_, __, body) => {
        const one = job(nextId++, need(datasets, body.dataset).id, body.kind, 'queued', 0);
        Object.assign(one, { options: body.options, read: body.read ?? {}, clean: body.clean ?? {}, family: jobs.get(body.from)?.family ?? one.id });
        one.command = `lode ${body.kind} '${one.dataset_name}' ${Object.entries(body.options).map(([k, v]) => `--${k} ${v}`).join(' ')}`;
        if (body.options['min-support'] === 'x') throw failure(422, 'invalid', "min-support: expected a share such as 1% or a count, not 'x'", 'Try 1%.');
        jobs.set(one.id, one);
        datasets.get(one.dataset).jobs++;
        setTimeout(() => run(one), 150);
        return [201, one];
    }],
    ['GET', '/jobs/:id', ([id]) => need(jobs, id)],
    ['PATCH', '/jobs/:id', ([id], _, body) => Object.assign(need(jobs, id), body)],
    ['POST', '/jobs/:id/suggest', ([id], _, body) => (need(jobs, id), suggest(body))],
    ['DELETE', '/jobs/:id', ([id]) => (need(jobs, id), jobs.delete(Number(id)), [204, null])],
    ['POST', '/jobs/:id/cancel', ([id]) => (finish(need(jobs, id), 'cancelled'), [202, need(jobs, id)])],
    ['POST', '/jobs/:id/keep', ([id]) => (finish(need(jobs, id), 'kept'), [202, need(jobs, id)])],
    ['POST', '/jobs/:id/raise', ([id], _, body) => [202, Object.assign(need(jobs, id), { options: { ...need(jobs, id).options, 'min-support': body['min-support'] } })]],
    ['POST', '/jobs/:id/compare', ([id]) => [202, (need(jobs, id), compare(Number(id)))]],
    ['DELETE', '/jobs/:id/compare', ([id]) => stopComparison(need(jobs, id).id)],
    ['GET', '/jobs/:id/compare', ([id]) => (need(jobs, id), comparisons.get(Number(id)) ?? { state: 'none', rows: [] })],
    ['GET', '/jobs/:id/columns', ([id]) => {
        const one = need(jobs, id);
        const real = (name, low, high) => ({ name, type: 'real', stored: name === 'support', better: 1, low, high });
        const count = (name) => ({ name, type: 'count', stored: true, better: 1, low: 5, high: 2513 });
        const columns = one.kind === 'rules'
            ? [{ name: 'body', type: 'items', stored: true, better: 0, low: null, high: null }, { name: 'head', type: 'items', stored: true, better: 0, low: null, high: null }, count('both'), { ...count('size'), better: 0, low: 2, high: 4 }, real('support', 0.0005, 0.25), real('confidence', 0.05, 1), real('lift', 0.2, 140), real('leverage', -0.05, 0.2), real('conviction', 0.7, 20), real('zhang', -1, 1)]
            : one.kind === 'graphs' ? [{ name: 'code', type: 'text', stored: true, better: 0, low: null, high: null }, count('count'), real('support', 0.05, 1)]
            : [{ name: 'items', type: 'items', stored: true, better: 0, low: null, high: null }, count('count'), real('support', 0.001, 0.26)];
        return { rows: one.patterns, order: one.kind === 'rules' ? 'search' : 'support', columns };
    }],
    ['GET', '/jobs/:id/patterns', ([id], query) => rowsAnswer(need(jobs, id), query)],
    ['GET', '/jobs/:id/rules', ([id], query) => rowsAnswer(need(jobs, id), query)],
    ['GET', '/jobs/:id/histogram', ([id], query) => histogram(need(jobs, id), query)],
    ['GET', '/jobs/:id/network', ([id], query) => network(need(jobs, id), query)],
    ['GET', '/jobs/:id/rows/:n', ([id, n]) => rowPage(need(jobs, id), Number(n))],
    ['GET', '/jobs/:id/occurrences/:n', ([, n], query) => {
        const pattern = graphPattern(Number(n));
        const skip = Number(query.get('skip') ?? 0);
        const rows = Number(query.get('rows') ?? 12);
        const some = Array.from({ length: Math.max(0, Math.min(rows, pattern.count - skip)) }, (_, i) => ({ ...graph(skip + i, 24), places: [pattern.vertices.map((_, v) => v)] }));
        return { count: pattern.count, graphs: some.map((g) => ({ ...g, vertices: [...pattern.vertices, ...g.vertices], edges: [...pattern.edges, ...g.edges.map(([a, b, l]) => [a + pattern.vertices.length, b + pattern.vertices.length, l]), [0, pattern.vertices.length, '1']] })) };
    }],
    ['POST', '/views', (_, __, body) => (views.set(nextId, body.text), [201, { id: nextId++ }])],
    ['GET', '/views/:id', ([id]) => ({ text: need(views, id) })],
].map(([method, path, answer]) => ({ method, path: new RegExp(`^${path.replaceAll(/:[a-z]+/g, '([0-9]+)')}$`), answer }));

// ---- HTTP ----------------------------------------------------------------------------------------

async function bodyOf(request) {
    const parts = [];
    for await (const part of request) parts.push(part);
    const bytes = Buffer.concat(parts);
    if (request.headers['content-type'] !== 'application/json') return bytes;
    return JSON.parse(bytes.toString() || '{}');
}

function sendJson(response, status, value) {
    if (status === 204) return response.writeHead(204).end();
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }).end(JSON.stringify(value));
}

function streamEvents(response, id) {
    const one = need(jobs, id);
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write(`event: job\ndata: ${JSON.stringify(one)}\n\n`);
    const set = listeners.get(one.id) ?? new Set();
    listeners.set(one.id, set.add(response));
    response.on('close', () => set.delete(response));
    endStreams(one.id);
}

function exportRows(response, one, query) {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Disposition': `attachment; filename="result.${query.get('format')}"` });
    for (let i = 0; i < Math.min(1000, one.patterns); i++) response.write(`${JSON.stringify(FORMULA[one.kind](i))}\n`);
    response.end();
}

async function api(request, response, url, token) {
    const path = url.pathname.slice('/api/v1'.length);
    const body = await bodyOf(request);
    if (path === '/login') {
        if (body.token !== token) throw failure(401, 'unauthorized', 'This is not the token of this server.');
        return response.writeHead(204, { 'Set-Cookie': `token=${token}; HttpOnly; SameSite=Strict; Path=/` }).end();
    }
    if (token && !(request.headers.cookie ?? '').includes(`token=${token}`)) throw failure(401, 'unauthorized', 'A token is needed.');
    const special = /^\/jobs\/([0-9]+)\/(events|export)$/.exec(path);
    if (special?.[2] === 'events') return streamEvents(response, special[1]);
    if (special) return exportRows(response, need(jobs, special[1]), url.searchParams);
    const route = routes.find((one) => one.method === request.method && one.path.test(path));
    if (!route) throw failure(404, 'notfound', `There is no ${request.method} ${path}.`);
    const answer = route.answer(route.path.exec(path).slice(1), url.searchParams, body);
    return Array.isArray(answer) ? sendJson(response, answer[0], answer[1]) : sendJson(response, 200, answer);
}

async function file(response, path) {
    const name = normalize(path === '/' ? '/index.html' : path);
    const bytes = await readFile(join(DIST, name)).catch(() => null);
    if (bytes === null) return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': TYPES[extname(name)] ?? 'application/octet-stream', 'Content-Security-Policy': CSP }).end(bytes);
}

/** Starts the mock; resolves to { url, close, hold }. `seconds`: how long a job takes that has no limit-time. hold(true) lets no job end
    by itself until hold(false). */
export function startMock({ port = 0, token = '', seconds = 4 } = {}) {
    jobSeconds = seconds;
    const server = createServer((request, response) => {
        const url = new URL(request.url, 'http://mock');
        const work = url.pathname.startsWith('/api/v1/') ? api(request, response, url, token) : file(response, url.pathname);
        work.catch((error) => sendJson(response, error.status ?? 500, { error: { code: error.code ?? 'internal', message: error.message, ...(error.hint ? { hint: error.hint } : {}) } }));
    });
    return new Promise((resolve) =>
        server.listen(port, '127.0.0.1', () => resolve({
            url: `http://127.0.0.1:${server.address().port}`,
            hold: (on) => (held = on),
            close: () => (server.closeAllConnections(), new Promise((done) => server.close(done))),
        })),
    );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const { url } = await startMock({ port: Number(process.argv[2] ?? 8090), token: process.env.LODE_MOCK_TOKEN ?? '' });
    console.log(`The mock answers at ${url}`);
}
