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
const SPACE = 4.5;
const MORE = 62; // pixels of "+12 more"

let measure: (text: string) => number = (text) => text.length * 7.5;

/** The font of the names, as `font` of CSS. */
export function useFont(font: string): void {
    measure = measureWith(font);
}

/** The lines that the names take at this width, and how much of the last one. A name is one box: it starts a line if the
 *  rest of the line is too short for it, and only a name that is longer than a line has several lines, between words. */
function laid(names: readonly string[], width: number): { lines: number; used: number; broken: number } {
    let lines = 1;
    let broken = 0;
    let used = 0;
    for (const name of names) {
        const text = shortName(name, LONGEST);
        const whole = AROUND + measure(text);
        if (used > 0 && used + SPACE + whole <= width) used += SPACE + whole;
        else {
            if (used > 0) lines++;
            used = whole;
            if (whole > width) {
                lines += wrapped(text, width - AROUND) - 1;
                used = width;
                broken++;
            }
        }
    }
    return { lines, used, broken };
}

/** The lines of one text that breaks between words, and within those that are longer than a line. */
function wrapped(text: string, width: number): number {
    let lines = 1;
    let used = 0;
    for (const word of text.split(/(?<= )/)) {
        const own = measure(word);
        if (used > 0 && used + measure(word.trimEnd()) > width) {
            lines++;
            used = 0;
        }
        if (own > width) lines += Math.ceil(own / width) - 1;
        used = own > width ? own % width : used + own;
    }
    return lines;
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

/** The number of lines, at most `most`, in which most of these lists fit; all of them, if two lines are enough. */
export function usualLines(lists: readonly (readonly string[])[], width: number, most: number): number {
    const all = lists.map((names) => laid(names, width).lines).sort((a, b) => a - b);
    return Math.max(Math.min(most, all[Math.ceil(all.length * 0.85) - 1] ?? 1), Math.min(2, all.at(-1) ?? 1));
}

/** The pixels in which most of these lists take one line. */
export function lineWidth(lists: readonly (readonly string[])[]): number {
    const all = lists.map((names) => names.reduce((sum, name) => sum + AROUND + measure(shortName(name, LONGEST)) + SPACE, 0)).sort((a, b) => a - b);
    return Math.ceil(all[Math.ceil(all.length * 0.9) - 1] ?? 0);
}

/** Which of `room` pixels the first of two columns of names gets, so that the rows need few lines and few names are broken; as
 *  close to 5 : 4 as they allow. */
export function evenShare(rows: readonly (readonly (readonly string[])[])[], room: number, padding: number, most: number): number {
    // Where one line is enough for the second column, the first one gets the rest.
    const second = lineWidth(rows.map(([, names = []]) => names)) + padding;
    if (second <= room * 0.45) return 1 - second / room;
    const shares = [5 / 9, 0.5, 0.6, 0.45, 0.65, 0.4, 0.7, 0.35];
    const lines = (share: number) => {
        return rows.reduce((sum, [first = [], second = []]) => {
            const [a, b] = [laid(first, room * share - padding), laid(second, room * (1 - share) - padding)];
            return sum + Math.min(Math.max(a.lines, b.lines), most + 1) + (a.broken + b.broken) / 2;
        }, 0);
    };
    let best = shares[0]!;
    let least = lines(best);
    for (const share of shares.slice(1)) {
        const own = lines(share);
        if (own < least * 0.95) [best, least] = [share, own];
    }
    return best;
}
