// widths.ts - the widths of the columns of the table, in pixels
//
// Header and rows are separate grids, so all columns get a width in pixels. Those that the user has not set share what
// the others leave.
//
// SPDX-License-Identifier: Apache-2.0

export const NARROWEST = 60;
const NAMES_LEAST = 140; // a column of names that the user has not made narrower
const KEY = 'lode-widths';

export type Widths = Readonly<Record<string, number>>;

/** The widths that the user has set, from this browser. */
export function keptWidths(): Widths {
    try {
        const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
        const all = Object.entries(value as Record<string, unknown>);
        return Object.fromEntries(all.filter((one): one is [string, number] => typeof one[1] === 'number' && one[1] >= NARROWEST && one[1] < 5000));
    } catch {
        return {};
    }
}

export function keepWidths(widths: Widths): void {
    try {
        localStorage.setItem(KEY, JSON.stringify(widths));
    } catch {
        return; // Browsers may refuse storage; the widths then last until the page is closed.
    }
}

/** The width of a column of numbers: its heading, which breaks between words, and the marks for sorting and, if there is room, for help. */
export function numberWidth(heading: string, help: boolean): number {
    return Math.max(74, ...heading.split(' ').map((word) => Math.round(word.length * 7.4) + (help ? 50 : 30)));
}

/** One width for each column; a column of names has a share of the rest. */
export function widthsOf(columns: readonly { name: string; share: number; least: number }[], set: Widths, room: number): number[] {
    const free = columns.filter((column) => set[column.name] === undefined && column.share > 0);
    const taken = columns.reduce((sum, column) => sum + (set[column.name] ?? (column.share > 0 ? 0 : column.least)), 0);
    const shares = free.reduce((sum, column) => sum + column.share, 0);
    return columns.map((column) => {
        const own = set[column.name];
        if (own !== undefined) return own;
        if (column.share === 0) return column.least;
        return Math.max(column.least || NAMES_LEAST, Math.floor(((room - taken) * column.share) / shares));
    });
}
