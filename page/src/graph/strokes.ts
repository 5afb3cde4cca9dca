// The lines of an edge: one, two or three in parallel, in a ring the second one inside and shorter; and arrow heads.
// SPDX-License-Identifier: Apache-2.0
import type { EdgeStyle } from './bonds';
import type { Edge } from './graph';
import { centreOf, type Point } from './geometry';
import type { Ring } from './rings';

export interface Stroke {
    x1: number;
    y1: number;
    x2: number;
    y2: number;
    dashed?: boolean;
    /** The outline of an arrow head, instead of a line. */
    arrow?: string;
}

interface Picture {
    edges: readonly Edge[];
    points: readonly Point[];
    rings: readonly Ring[];
    look: EdgeStyle;
    directed: boolean;
}

const APART = 3.4;
const RADIUS = 11;

/** A line parallel to that from a to b, `by` to its left, and shorter by `less` at both ends. */
function beside(a: Point, b: Point, by: number, less = 0): Stroke {
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const dx = (b.x - a.x) / length;
    const dy = (b.y - a.y) / length;
    return {
        x1: a.x - dy * by + dx * less,
        y1: a.y + dx * by + dy * less,
        x2: b.x - dy * by - dx * less,
        y2: b.y + dx * by - dy * less,
    };
}

/** The side of an edge on which its smallest ring lies: 1, -1, or 0 if there is none. */
function innerSide(edge: number, a: Point, b: Point, picture: Picture): number {
    const ring = picture.rings.find((r) => r.edges.includes(edge) && r.vertices.length <= 8);
    if (!ring) return 0;
    const centre = centreOf(ring.vertices.map((v) => picture.points[v]!));
    return (b.x - a.x) * (centre.y - a.y) - (b.y - a.y) * (centre.x - a.x) > 0 ? 1 : -1;
}

function arrowHead(a: Point, b: Point): Stroke {
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const dx = (b.x - a.x) / length;
    const dy = (b.y - a.y) / length;
    const tip = { x: b.x - dx * RADIUS, y: b.y - dy * RADIUS };
    const back = { x: tip.x - dx * 8, y: tip.y - dy * 8 };
    const corner = (side: number): string => `${back.x - dy * 4 * side} ${back.y + dx * 4 * side}`;
    return { ...beside(a, b, 0), arrow: `M${tip.x} ${tip.y}L${corner(1)}L${corner(-1)}Z` };
}

function strokesOf(edge: number, picture: Picture): Stroke[] {
    const [from, to, label] = picture.edges[edge]!;
    const a = picture.points[from];
    const b = picture.points[to];
    if (!a || !b || from === to) return [];
    if (picture.directed) return [beside(a, b, 0), arrowHead(a, b)];
    const order = picture.look.order(label);
    if (order === 1) return [beside(a, b, 0)];
    if (order === 3) return [beside(a, b, 0), beside(a, b, APART), beside(a, b, -APART)];
    const side = innerSide(edge, a, b, picture);
    if (order === 4) return [beside(a, b, 0), { ...beside(a, b, (side || 1) * 4.5, 9), dashed: true }];
    if (side !== 0) return [beside(a, b, 0), beside(a, b, side * 4.5, 9)];
    return [beside(a, b, APART / 2), beside(a, b, -APART / 2)];
}

/** The lines of every edge, in the order of the edges. */
export function strokes(picture: Picture): Stroke[][] {
    return picture.edges.map((_, edge) => strokesOf(edge, picture));
}
