// fit.ts - how item names are broken into lines: how many lines they need, and how many names fit
//
// The table gives all rows the same height, so it must know before it draws them how many lines names take.
//
// SPDX-License-Identifier: Apache-2.0
import { measureWith } from './measure';
import { shortName } from './names';

/** The longest name in a cell, in characters; tooltips and the selected row have it in full. */
export const LONGEST = 80;
/** Pixels from line to line. */
export const LINE = 26;

const AROUND = 14; // pixels of a name besides its text
const SPACE = 4;
const MORE = 44; // pixels of "+12", which stands for the names that do not fit

let measure: (text: string) => number = (text) => text.length * 7.5;

/** The font of the names, as `font` of CSS. */
export function useFont(font: string): void {
    measure = measureWith(font);
}

/** The lines that the names take at this width, and how much of the last one. Names break between words. */
function laid(names: readonly string[], width: number): { lines: number; used: number } {
    let lines = 1;
    let used = 0;
    for (const name of names) {
        const words = shortName(name, LONGEST).split(' ');
        words.forEach((word, i) => {
            const own = measure(word);
            const more = (used > 0 ? SPACE : 0) + (i === 0 ? AROUND : 0) + own;
            if (used === 0 || used + more <= width) used += more;
            else {
                lines++;
                used = AROUND + own; // each part of a name is a box of its own
            }
            const long = used - AROUND; // of a word that is longer than a line
            if (used > width) {
                lines += Math.ceil(long / (width - AROUND)) - 1;
                used = AROUND + (long % (width - AROUND));
            }
        });
    }
    return { lines, used };
}

/** Number of names that fit into `lines` lines; if not all do, there is room for "+12" behind them. */
export function fitting(names: readonly string[], width: number, lines: number): number {
    if (laid(names, width).lines <= lines) return names.length;
    for (let n = names.length - 1; n > 1; n--) {
        const part = laid(names.slice(0, n), width);
        if (part.lines < lines || (part.lines === lines && part.used + SPACE + MORE <= width)) return n;
    }
    return 1;
}

/** The number of lines, at most `most`, in which most of these lists fit. */
export function usualLines(lists: readonly (readonly string[])[], width: number, most: number): number {
    const all = lists.map((names) => laid(names, width).lines).sort((a, b) => a - b);
    return Math.min(most, all[Math.ceil(all.length * 0.85) - 1] ?? 1);
}
