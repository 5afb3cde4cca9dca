// force.ts - a force-directed layout: nodes repel each other, edges attract
//
// The networks here have at most a few hundred nodes, so this simple method is fast enough. The layout is
// deterministic: nodes start on a spiral in the order of their numbers, and nothing is random. So a link
// always shows the same picture.
//
// SPDX-License-Identifier: Apache-2.0

export interface Place {
    x: number;
    y: number;
}
export interface Pull {
    from: number;
    to: number;
    weight: number;
}

const ROUNDS = 260;

export function layout(nodes: number, pulls: Pull[], width: number, height: number): Place[] {
    const places = spiral(nodes);
    const degree = new Array<number>(nodes).fill(0);
    for (const pull of pulls) {
        degree[pull.from]! += 1;
        degree[pull.to]! += 1;
    }
    for (let round = 0; round < ROUNDS; round++) step(places, pulls, degree, 1 - round / ROUNDS);
    return fit(places, width, height);
}

/** A spiral on which neighbours are about one unit apart. */
function spiral(nodes: number): Place[] {
    return Array.from({ length: nodes }, (_, i) => {
        const radius = Math.sqrt(i + 0.5) * 0.9;
        const angle = i * 2.399963229728653;
        return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
    });
}

function step(places: Place[], pulls: Pull[], degree: number[], heat: number): void {
    const moves = places.map((p) => ({ x: -0.09 * p.x, y: -0.09 * p.y }));
    places.forEach((a, i) => pushAll(a, moves[i]!, places, moves, i + 1));
    for (const { from, to, weight } of pulls) {
        const a = places[from]!;
        const b = places[to]!;
        const strength = (0.35 + 0.45 * weight) / Math.sqrt(Math.min(degree[from]!, degree[to]!) || 1);
        shift(moves[from]!, b.x - a.x, b.y - a.y, strength);
        shift(moves[to]!, b.x - a.x, b.y - a.y, -strength);
    }
    places.forEach((p, i) => {
        const { x, y } = moves[i]!;
        const length = Math.hypot(x, y);
        if (length > 0) shift(p, x, y, Math.min(length * 0.25, 0.05 + heat * 0.6) / length);
    });
}

function shift(p: Place, dx: number, dy: number, by: number): void {
    p.x += dx * by;
    p.y += dy * by;
}

/** Repels one node and all nodes after it from each other. */
function pushAll(a: Place, move: Place, places: Place[], moves: Place[], first: number): void {
    for (let j = first; j < places.length; j++) {
        const b = places[j]!;
        const dx = a.x - b.x;
        const dy = a.y - b.y;
        const push = 1.3 / Math.max(0.02, dx * dx + dy * dy);
        shift(move, dx, dy, push);
        shift(moves[j]!, dx, dy, -push);
    }
}

/** Scales the positions to a frame; the factors of both directions differ by at most 1.5. */
function fit(places: Place[], width: number, height: number): Place[] {
    const xs = places.map((p) => p.x),
        ys = places.map((p) => p.y);
    const left = Math.min(...xs),
        right = Math.max(...xs),
        top = Math.min(...ys),
        bottom = Math.max(...ys);
    const wideness = width / Math.max(0.5, right - left);
    const highness = height / Math.max(0.5, bottom - top);
    const sx = Math.min(wideness, highness * 1.5);
    const sy = Math.min(highness, wideness * 1.5);
    return places.map((p) => ({
        x: width / 2 + (p.x - (left + right) / 2) * sx,
        y: height / 2 + (p.y - (top + bottom) / 2) * sy,
    }));
}
