// The layout of small graphs: rings are regular, chains bend by 120 degrees, nothing overlaps, and the same graph always
// looks the same. Molecules here are written by hand; random graphs come from a fixed formula.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

let vite;
let layout;
let edgeStyle;
let graphName;

before(async () => {
    vite = await createServer({
        root: fileURLToPath(new URL('..', import.meta.url)),
        configFile: false,
        logLevel: 'error',
        server: { middlewareMode: true, hmr: false, watch: null, ws: false },
        optimizeDeps: { noDiscovery: true },
    });
    ({ layout } = await vite.ssrLoadModule('/src/graph/layout.ts'));
    ({ edgeStyle } = await vite.ssrLoadModule('/src/graph/bonds.ts'));
    ({ graphName } = await vite.ssrLoadModule('/src/graph/names.ts'));
});
after(() => vite.close());

const ring = (k, from = 0) => Array.from({ length: k }, (_, i) => [from + i, from + ((i + 1) % k)]);
const graph = (n, edges) => ({ vertices: Array(n).fill('C'), edges: edges.map(([a, b, label = '1']) => [a, b, label]) });
const chain = (n) => graph(n, Array.from({ length: n - 1 }, (_, i) => [i, i + 1]));
const naphthalene = graph(10, [...ring(6), [0, 6], [6, 7], [7, 8], [8, 9], [9, 1]]);
const phenalene = graph(13, [...ring(12), [12, 0], [12, 4], [12, 8]]);
const aspirin = graph(13, [...ring(6), [0, 6], [6, 7], [6, 8, '2'], [1, 9], [9, 10], [10, 11], [10, 12, '2']]);
const spiro = graph(9, [...ring(5), [0, 5], [5, 6], [6, 7], [7, 8], [8, 0]]);
const norbornane = graph(7, [...ring(6), [0, 6], [6, 3]]);

const far = (p, q) => Math.hypot(p.x - q.x, p.y - q.y);
function nearest(points) {
    let least = Infinity;
    for (let i = 0; i < points.length; i++) for (let j = 0; j < i; j++) least = Math.min(least, far(points[i], points[j]));
    return least;
}
function bend(a, b, c) {
    const u = { x: a.x - b.x, y: a.y - b.y };
    const v = { x: c.x - b.x, y: c.y - b.y };
    return (Math.acos((u.x * v.x + u.y * v.y) / (Math.hypot(u.x, u.y) * Math.hypot(v.x, v.y))) * 180) / Math.PI;
}
function random(seed) {
    let x = seed;
    return () => (x = (x * 48271) % 2147483647) / 2147483647;
}
function randomGraph(seed) {
    const next = random(seed);
    const n = 2 + Math.floor(next() * 28);
    const edges = [];
    for (let v = 1; v < n; v++) if (next() > 0.05) edges.push([Math.max(0, v - 1 - Math.floor(next() * 3)), v]);
    for (let i = 0; i < n / 4; i++) {
        const a = Math.floor(next() * n);
        const b = Math.floor(next() * n);
        if (a !== b && !edges.some(([x, y]) => (x === a && y === b) || (x === b && y === a))) edges.push([a, b]);
    }
    return graph(n, edges);
}

test('rings are regular polygons', () => {
    for (const [g, sizes] of [[graph(6, ring(6)), [6]], [graph(5, ring(5)), [5]], [naphthalene, [6, 6]], [phenalene, [6, 6, 6]], [aspirin, [6]], [spiro, [5, 5]]]) {
        const { points, rings } = layout(g);
        assert.deepEqual(rings.map((r) => r.vertices.length).sort(), sizes);
        for (const { vertices } of rings) {
            const k = vertices.length;
            for (let i = 0; i < k; i++) {
                const [a, b, c] = [vertices[i], vertices[(i + 1) % k], vertices[(i + 2) % k]].map((v) => points[v]);
                assert.ok(Math.abs(far(a, b) - 1) < 0.02, `a side is ${far(a, b)}`);
                assert.ok(Math.abs(bend(a, b, c) - (180 - 360 / k)) < 2, `a corner has ${bend(a, b, c)} degrees`);
            }
        }
    }
});

test('chains bend by 120 degrees and run from left to right', () => {
    const { points, width, height } = layout(chain(9));
    for (let i = 2; i < points.length; i++) assert.ok(Math.abs(bend(points[i - 2], points[i - 1], points[i]) - 120) < 1);
    assert.ok(width > 6.5 && height < 0.6, `${width} by ${height}`);
});

test('triple bonds go straight', () => {
    const { order } = edgeStyle(['1', '3']);
    const { points } = layout({ vertices: ['C', 'C', 'N'], edges: [[0, 1, '1'], [1, 2, '3']] }, order);
    assert.ok(Math.abs(bend(points[0], points[1], points[2]) - 180) < 1);
});

test('nothing overlaps', () => {
    for (const g of [chain(30), naphthalene, phenalene, aspirin, spiro, norbornane]) assert.ok(nearest(layout(g).points) > 0.7);
    for (let seed = 1; seed <= 60; seed++) {
        const { points } = layout(randomGraph(seed));
        assert.ok(nearest(points) > 0.4, `seed ${seed}: ${nearest(points)}`);
        assert.ok(points.every((p) => Number.isFinite(p.x) && Number.isFinite(p.y)));
    }
});

test('points lie inside the box, and the box begins at zero', () => {
    for (let seed = 1; seed <= 20; seed++) {
        const { points, width, height } = layout(randomGraph(seed));
        for (const p of points) assert.ok(p.x >= -1e-9 && p.y >= -1e-9 && p.x <= width + 1e-9 && p.y <= height + 1e-9);
    }
});

test('the same graph looks the same', () => {
    for (let seed = 1; seed <= 10; seed++) assert.deepEqual(layout(randomGraph(seed)), layout(randomGraph(seed)));
});

test('odd graphs are laid out, too', () => {
    assert.deepEqual(layout(graph(0, [])).points, []);
    assert.deepEqual(layout(graph(1, [])).points, [{ x: 0, y: 0 }]);
    assert.equal(layout(graph(2, [[0, 0], [0, 1], [0, 7]])).points.length, 2);
    const complete = graph(8, Array.from({ length: 8 }, (_, i) => Array.from({ length: i }, (_, j) => [i, j])).flat());
    assert.ok(nearest(layout(complete).points) > 0.4);
    const begin = process.cpuUsage();
    layout(randomGraph(77));
    const large = graph(160, Array.from({ length: 159 }, (_, i) => [i, i + 1]).concat(Array.from({ length: 80 }, (_, i) => [i, i + 70])));
    assert.ok(nearest(layout(large).points) > 0.2);
    const used = process.cpuUsage(begin); // of the processor: others may use it, too
    assert.ok((used.user + used.system) / 1000 < 5000);
});

test('a graph has a name that can be read out', () => {
    const acid = { vertices: ['C', 'C', 'O', 'O'], edges: [[0, 1, '1'], [1, 2, '2'], [1, 3, '1']] };
    assert.equal(graphName(acid, edgeStyle(['1', '2'])), 'C–C(=O)–O');
    assert.equal(graphName(graph(2, [[0, 1]]), edgeStyle(['a', 'b'])), 'C–1–C');
    assert.equal(graphName(graph(2, [[0, 1]]), edgeStyle(['1']), true), 'C–→C');
    assert.match(graphName(graph(3, ring(3)), edgeStyle(['1'])), /^C\[1\]–C–C\[1\]$/);
    assert.match(graphName(chain(300), edgeStyle(['1'])), /… \(300 vertices, 299 edges\)$/);
});

test('edges are lines where all labels are bonds, else text', () => {
    assert.equal(edgeStyle(['1', '2', '3']).kind, 'bonds');
    assert.equal(edgeStyle(['1', '2', 'x']).kind, 'text');
    assert.equal(edgeStyle(['0', '1']).kind, 'text');
    assert.equal(edgeStyle(['7']).kind, 'plain');
});
