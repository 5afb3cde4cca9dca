// force.ts - a force-directed layout: nodes repel each other, edges attract, and nothing overlaps
//
// Each connected part is laid out on its own. Then its nodes are moved apart until neither they nor their names
// overlap, and the parts are packed next to each other into a given width. The networks here have at most a few
// hundred nodes, so these simple methods are fast enough. The layout is deterministic: nodes start on a spiral in
// the order of their numbers, and nothing is random. So a link always shows the same picture.
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

/** Positions of connected nodes; neighbours are about one unit apart. */
function simulate(nodes: number, pulls: readonly Pull[]): Place[] {
    const places = spiral(nodes);
    const degree = new Array<number>(nodes).fill(0);
    for (const pull of pulls) {
        degree[pull.from]! += 1;
        degree[pull.to]! += 1;
    }
    for (let round = 0; round < ROUNDS; round++) step(places, pulls, degree, 1 - round / ROUNDS);
    return level(places);
}

/** A spiral on which neighbours are about one unit apart. */
function spiral(nodes: number): Place[] {
    return Array.from({ length: nodes }, (_, i) => {
        const radius = Math.sqrt(i + 0.5) * 0.9;
        const angle = i * 2.399963229728653;
        return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
    });
}

function step(places: Place[], pulls: readonly Pull[], degree: number[], heat: number): void {
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

/** Turns the positions so that they are wide and low, as names are. */
function level(places: Place[]): Place[] {
    const n = places.length;
    const mx = places.reduce((sum, p) => sum + p.x, 0) / n;
    const my = places.reduce((sum, p) => sum + p.y, 0) / n;
    let xx = 0,
        yy = 0,
        xy = 0;
    for (const p of places) {
        xx += (p.x - mx) ** 2;
        yy += (p.y - my) ** 2;
        xy += (p.x - mx) * (p.y - my);
    }
    const angle = 0.5 * Math.atan2(2 * xy, xx - yy);
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    return places.map((p) => ({ x: (p.x - mx) * cos + (p.y - my) * sin, y: (p.y - my) * cos - (p.x - mx) * sin }));
}

/** How far a node and its name reach from its centre, with the space that stays free around them. */
export interface Reach {
    across: number; // to the left and to the right
    up: number;
    down: number;
}

/** A connected part: its nodes, and their positions in units. */
export interface Part {
    nodes: number[];
    places: Place[];
}

/** The connected parts, the largest first. */
export function parts(nodes: number, pulls: readonly Pull[]): Part[] {
    const root = Array.from({ length: nodes }, (_, i) => i);
    const find = (i: number): number => (root[i] === i ? i : (root[i] = find(root[i]!)));
    for (const { from, to } of pulls) root[find(from)] = find(to);
    const groups = new Map<number, number[]>();
    for (let i = 0; i < nodes; i++) groups.set(find(i), [...(groups.get(find(i)) ?? []), i]);
    return [...groups.values()]
        .sort((a, b) => b.length - a.length || a[0]! - b[0]!)
        .map((group) => {
            const at = new Map(group.map((node, k) => [node, k]));
            const own = pulls.filter((p) => at.has(p.from)).map((p) => ({ ...p, from: at.get(p.from)!, to: at.get(p.to)! }));
            return { nodes: group, places: simulate(group.length, own) };
        });
}

/** Positions in pixels without overlaps, in a drawing of this width; it is wider only if a single name is. */
export function arrange(all: readonly Part[], reach: readonly Reach[], width: number): { places: Place[]; width: number; height: number } {
    const out: Place[] = reach.map(() => ({ x: 0, y: 0 }));
    const blocks = all.map((part) => {
        const own = part.nodes.map((i) => reach[i]!);
        return { part, ...block(part.places, own, width) };
    });
    blocks.sort((a, b) => b.height * b.width - a.height * a.width);
    const STEP = 6;
    const columns = new Array<number>(Math.ceil(Math.max(width, ...blocks.map((b) => b.width)) / STEP)).fill(0);
    let right = 0;
    for (const { part, places, width: w, height: h } of blocks) {
        const span = Math.min(columns.length, Math.ceil(w / STEP));
        let best = 0,
            top = Infinity;
        for (let c = 0; c + span <= columns.length; c++) {
            let y = 0;
            for (let k = c; k < c + span; k++) y = Math.max(y, columns[k]!);
            if (y < top) [best, top] = [c, y];
        }
        for (let k = best; k < best + span; k++) columns[k] = top + h;
        right = Math.max(right, best * STEP + w);
        part.nodes.forEach((i, k) => (out[i] = { x: places[k]!.x + best * STEP, y: places[k]!.y + top }));
    }
    return { places: out, width: right, height: Math.max(0, ...columns) };
}

/** How much larger the drawing of a part is than its nodes and names, and how much wider than high. */
const SPARSE = 2.3;
const ASPECT = 1.6;

/** One part in pixels, from (0, 0). */
function block(units: readonly Place[], reach: readonly Reach[], most: number): { places: Place[]; width: number; height: number } {
    const extent = (of: (p: Place) => number) => Math.max(...units.map(of)) - Math.min(...units.map(of)) || 1;
    const across = 2 * Math.max(...reach.map((r) => r.across));
    const area = SPARSE * reach.reduce((sum, r) => sum + 2 * r.across * (r.up + r.down), 0);
    const wide = Math.max(across, Math.min(most, Math.sqrt(area * ASPECT)));
    const sx = Math.max(wide - across, across) / extent((p) => p.x);
    const sy = Math.max(area / wide - reach[0]!.up - reach[0]!.down, 20) / extent((p) => p.y);
    const places = units.map((p) => ({ x: p.x * sx, y: p.y * sy }));
    const middle = (Math.max(...places.map((p) => p.x)) + Math.min(...places.map((p) => p.x))) / 2;
    for (let round = 0; round < 400 && separate(places, reach); round++)
        places.forEach((p, i) => {
            const half = Math.max(0, most / 2 - reach[i]!.across);
            p.x = middle + Math.max(-half, Math.min(half, p.x - middle));
        });
    const left = Math.min(...places.map((p, i) => p.x - reach[i]!.across));
    const top = Math.min(...places.map((p, i) => p.y - reach[i]!.up));
    for (const p of places) shift(p, -left, -top, 1);
    return {
        places,
        width: Math.max(...places.map((p, i) => p.x + reach[i]!.across)),
        height: Math.max(...places.map((p, i) => p.y + reach[i]!.down)),
    };
}

/** Moves overlapping nodes apart, along the direction with less overlap; false: there were none. */
function separate(places: Place[], reach: readonly Reach[]): boolean {
    let any = false;
    for (let i = 0; i < places.length; i++)
        for (let j = i + 1; j < places.length; j++) {
            const a = places[i]!,
                b = places[j]!,
                ra = reach[i]!,
                rb = reach[j]!;
            const x = ra.across + rb.across - Math.abs(a.x - b.x);
            const y = a.y < b.y ? ra.down + rb.up - (b.y - a.y) : rb.down + ra.up - (a.y - b.y);
            if (x <= 0.01 || y <= 0.01) continue;
            any = true;
            // A third of the way: nodes in between move, too. Vertical moves are cheaper, as drawings may grow downward.
            const by = y <= x ? { x: 0, y: (a.y < b.y ? -1 : 1) * y } : { x: (a.x < b.x ? -1 : 1) * x, y: 0 };
            shift(a, by.x, by.y, 0.36);
            shift(b, by.x, by.y, -0.36);
        }
    return any;
}
