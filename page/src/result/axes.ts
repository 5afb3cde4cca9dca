// axes.ts - the frame of a plot with two numeric axes: margins that fit the labels, ticks, positions
//
// SPDX-License-Identifier: Apache-2.0
import { SHARES } from './columns';
import { shortName } from './names';
import { axisNumber, place, rounded, ticks } from './scale';
import type { Scale } from './scale';

export interface AxisOf {
    scale: Scale;
    title: string;
    /** Values are shares of transactions and are written as percentages. */
    share: boolean;
}
export interface Tick {
    at: number;
    /** Where its text stands; it may differ from `at` at the ends of an axis. */
    textAt: number;
    text: string;
}
export interface Frame {
    left: number;
    top: number;
    width: number;
    height: number;
    x: (value: number) => number;
    y: (value: number) => number;
    xTicks: Tick[];
    yTicks: Tick[];
    xTitle: string;
    yTitle: string;
}
type Wide = (text: string) => number;

const BOTTOM = 46;
const RIGHT = 14;
const TITLE = 24;

export const isShare = (name: string): boolean => SHARES.has(name);

/** A value as axes and tooltips show it. */
export function valueText(value: number, share: boolean): string {
    if (value === Infinity) return '∞';
    if (value === -Infinity) return '−∞';
    if (!Number.isFinite(value)) return '–';
    if (share) return `${axisNumber(rounded(value * 100))}%`;
    return axisNumber(Number.isInteger(value) ? value : rounded(value));
}

/** Cuts a text so that it fits into this width, in pixels. */
export function fitText(text: string, room: number, wide: Wide): string {
    if (text.length < 500 && wide(shortName(text, text.length)) <= room) return shortName(text, text.length);
    let low = 1,
        high = Math.min(text.length, 200);
    while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (wide(shortName(text, middle)) <= room) low = middle;
        else high = middle - 1;
    }
    return shortName(text, low);
}

/** A text in one line, or in two if it is wider than `room`; the second one is cut if necessary. */
export function twoLines(text: string, room: number, wide: Wide): string[] {
    const whole = shortName(text, 80);
    if (wide(whole) <= room) return [whole];
    let end = 0;
    for (const { index, 0: sign } of whole.matchAll(/[ /]/g)) {
        const next = index + Number(sign === '/');
        if (next > 0 && wide(whole.slice(0, next)) <= room) end = next;
    }
    if (end === 0) return [fitText(whole, room, wide)];
    return [whole.slice(0, end), fitText(whole.slice(end).trimStart(), room, wide)];
}

/** The frame of a plot of this size. above: room for a legend; inset: distance of the least and greatest values from the edges. */
export function frameOf(width: number, height: number, above: number, inset: number, x: AxisOf, y: AxisOf, wide: Wide): Frame {
    const top = above + 10;
    const inner = Math.max(80, height - top - BOTTOM);
    const yValues = ticks(y.scale, Math.max(3, Math.floor(inner / 48)));
    const yTexts = yValues.map((value) => valueText(value, y.share));
    const left = TITLE + Math.ceil(Math.max(0, ...yTexts.map(wide))) + 10;
    const across = Math.max(80, width - left - RIGHT);
    const at = (scale: Scale, value: number) => (scale.high > scale.low ? place(scale, value) : 0.5);
    const px = (value: number) => left + inset + at(x.scale, value) * (across - 2 * inset);
    const py = (value: number) => top + inset + (1 - at(y.scale, value)) * (inner - 2 * inset);

    const xTicks: Tick[] = [];
    let end = -Infinity;
    for (const value of ticks(x.scale, Math.max(2, Math.floor(across / 84)))) {
        const text = valueText(value, x.share);
        const half = wide(text) / 2;
        const textAt = Math.min(px(value), width - half - 1);
        const free = textAt - half > end + 8;
        xTicks.push({ at: px(value), textAt, text: free ? text : '' });
        if (free) end = textAt + half;
    }
    return {
        left, top, width: across, height: inner, x: px, y: py, xTicks,
        yTicks: yValues.map((value, i) => ({ at: py(value), textAt: py(value), text: yTexts[i]! })),
        xTitle: fitText(x.title, across * 0.85, wide),
        yTitle: fitText(y.title, inner * 0.85, wide),
    };
}
