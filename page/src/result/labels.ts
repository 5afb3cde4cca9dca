// labels.ts - places the names of nodes so that they do not overlap
//
// The most important nodes come first and take the best position: above, below, right, left. A name that
// does not fit is left out; it is shown when its node is highlighted.
//
// SPDX-License-Identifier: Apache-2.0

export interface Labelled {
    id: number;
    x: number;
    y: number;
    radius: number;
    text: string;
}
export interface Label {
    dx: number;
    dy: number;
    anchor: 'start' | 'middle' | 'end';
}
interface Box {
    left: number;
    top: number;
    right: number;
    bottom: number;
}

const LETTER = 6.3; // approximate width of a letter in pixels, if text cannot be measured
const LINE = 13;

/** Measures text as it is drawn. */
export function measureWith(font: string): (text: string) => number {
    const context = globalThis.document?.createElement('canvas').getContext('2d') ?? null;
    if (context !== null) context.font = font;
    const known = new Map<string, number>();
    return (text) => {
        let long = known.get(text);
        if (long === undefined) known.set(text, (long = context?.measureText(text).width ?? Array.from(text).length * LETTER));
        return long;
    };
}

/** The possible positions of a name, and the box that it takes up in each. */
function choices(node: Labelled, long: number): { label: Label; box: Box }[] {
    const { x, y, radius: r } = node;
    const around = (label: Label, left: number, bottom: number) => ({
        label,
        box: { left: x + left, right: x + left + long, top: y + bottom - LINE, bottom: y + bottom },
    });
    return [
        around({ dx: 0, dy: -r - 4, anchor: 'middle' }, -long / 2, -r - 2),
        around({ dx: 0, dy: r + 12, anchor: 'middle' }, -long / 2, r + 14),
        around({ dx: r + 4, dy: 4, anchor: 'start' }, r + 4, 6),
        around({ dx: -r - 4, dy: 4, anchor: 'end' }, -r - 4 - long, 6),
    ];
}

const meet = (a: Box, b: Box) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** nodes: most important first. wide: returns the width of a text in pixels. */
export function placeLabels(
    nodes: Labelled[],
    width: number,
    height: number,
    wide: (text: string) => number = (text) => Array.from(text).length * LETTER,
): Map<number, Label> {
    const taken: Box[] = nodes.map(({ x, y, radius: r }) => ({ left: x - r, right: x + r, top: y - r, bottom: y + r }));
    const out = new Map<number, Label>();
    nodes.forEach((node, own) => {
        const inside = (box: Box) => box.left >= 0 && box.right <= width && box.top >= 0 && box.bottom <= height;
        const free = choices(node, wide(node.text) + 2).find(
            ({ box }) => inside(box) && taken.every((other, k) => k === own || !meet(box, other)),
        );
        if (free === undefined) return;
        out.set(node.id, free.label);
        taken.push(free.box);
    });
    return out;
}
