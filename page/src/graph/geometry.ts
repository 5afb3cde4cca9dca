// Geometry of points and angles for the layout of graphs. A bond has length 1.
// SPDX-License-Identifier: Apache-2.0

export interface Point {
    x: number;
    y: number;
}

export type Placement = Map<number, Point>;

export const TURN = 2 * Math.PI;

/** Not Math.hypot, which is several times slower; most of the time of a layout is spent here. */
export function distance(a: Point, b: Point): number {
    const dx = a.x - b.x;
    const dy = a.y - b.y;
    return Math.sqrt(dx * dx + dy * dy);
}

export function angleTo(from: Point, to: Point): number {
    return Math.atan2(to.y - from.y, to.x - from.x);
}

export function step(from: Point, angle: number, length = 1): Point {
    return { x: from.x + length * Math.cos(angle), y: from.y + length * Math.sin(angle) };
}

export function centreOf(points: Iterable<Point>): Point {
    let x = 0;
    let y = 0;
    let n = 0;
    for (const p of points) {
        x += p.x;
        y += p.y;
        n++;
    }
    return n ? { x: x / n, y: y / n } : { x: 0, y: 0 };
}

/** The radius of a regular polygon with `corners` corners and sides of length 1. */
export function polygonRadius(corners: number): number {
    return 0.5 / Math.sin(Math.PI / corners);
}

/** The distance between two corners of such a polygon that are `apart` sides apart. */
export function polygonChord(corners: number, apart: number): number {
    return 2 * polygonRadius(corners) * Math.sin((Math.PI * apart) / corners);
}

/** The start and width of the largest gap between some directions. */
export function largestGap(angles: readonly number[]): { start: number; width: number } {
    if (angles.length === 0) return { start: 0, width: TURN };
    const sorted = angles.map((a) => ((a % TURN) + TURN) % TURN).sort((a, b) => a - b);
    let best = { start: sorted[sorted.length - 1]!, width: sorted[0]! + TURN - sorted[sorted.length - 1]! };
    for (let i = 1; i < sorted.length; i++) {
        const width = sorted[i]! - sorted[i - 1]!;
        if (width > best.width + 1e-9) best = { start: sorted[i - 1]!, width };
    }
    return best;
}

export function rotate(p: Point, about: Point, angle: number): Point {
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    const x = p.x - about.x;
    const y = p.y - about.y;
    return { x: about.x + c * x - s * y, y: about.y + s * x + c * y };
}

/** The mirror image across the line through a and b. */
export function mirror(p: Point, a: Point, b: Point): Point {
    const angle = 2 * angleTo(a, b);
    const x = p.x - a.x;
    const y = p.y - a.y;
    return { x: a.x + x * Math.cos(angle) + y * Math.sin(angle), y: a.y + x * Math.sin(angle) - y * Math.cos(angle) };
}

/** `between` points on an arc from a to b with sides of about 1, bulging away from `inside`. */
export function arc(a: Point, b: Point, between: number, inside: Point): Point[] {
    const chord = distance(a, b);
    const sides = between + 1;
    const side = (b.x - a.x) * (inside.y - a.y) - (b.y - a.y) * (inside.x - a.x) > 0 ? 1 : -1;
    if (chord >= sides - 1e-6 || chord < 1e-6) {
        const out = { x: ((b.y - a.y) / (chord || 1)) * side, y: (-(b.x - a.x) / (chord || 1)) * side };
        return Array.from({ length: between }, (_, i) => {
            const t = (i + 1) / sides;
            const bulge = 0.3 * Math.sin(Math.PI * t);
            return { x: a.x + (b.x - a.x) * t + out.x * bulge, y: a.y + (b.y - a.y) * t + out.y * bulge };
        });
    }
    let low = 1e-6;
    let high = TURN / sides - 1e-6;
    for (let i = 0; i < 50; i++) {
        const middle = (low + high) / 2;
        if (Math.sin((sides * middle) / 2) / Math.sin(middle / 2) > chord) low = middle;
        else high = middle;
    }
    const radius = 0.5 / Math.sin(low / 2);
    const half = (sides * low) / 2;
    const towards = angleTo(a, b) + (side > 0 ? Math.PI / 2 : -Math.PI / 2);
    const centre = step({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }, towards, radius * Math.cos(half));
    const first = angleTo(centre, a);
    const turn = side > 0 ? low : -low;
    return Array.from({ length: between }, (_, i) => step(centre, first + turn * (i + 1), radius));
}
