// The scales of the charts: seconds and bytes differ by powers of ten, so values are shown on a logarithmic axis.
// SPDX-License-Identifier: Apache-2.0
import type { Inline, TableBlock } from './documents';
import { plain } from './documents';

export interface Series {
    name: string;
    values: (number | null)[];
}

/** The number at the beginning of a cell; null: a gap, or a prediction in parentheses. */
export function numberOf(text: string): number | null {
    const found = /^(-?[\d,]+(?:\.\d+)?(?:e[-+]?\d+)?)(?:$|[\s%(])/.exec(text.trim());
    return found === null ? null : Number(found[1]!.replaceAll(',', ''));
}

/** The columns of a table that have values above 0. */
export function seriesOf(table: TableBlock): Series[] {
    const column = (text: readonly Inline[]): string => plain(text).replace(/ \*$/, '');
    return table.head
        .map((head, i) => ({ name: column(head), values: table.rows.map((row) => numberOf(plain(row[i] ?? []))) }))
        .slice(1)
        .filter(({ name, values }) => name !== 'patterns' && values.some((value) => value !== null && value > 0));
}

/** Powers of ten around the values above 0. */
export function powers(series: readonly Series[]): { low: number; high: number; ticks: number[] } {
    const logs = series.flatMap(({ values }) => values.filter((value): value is number => value !== null && value > 0).map((value) => Math.log10(value)));
    const low = Math.floor(Math.min(...logs) + 1e-9);
    const high = Math.max(low + 1, Math.ceil(Math.max(...logs) - 1e-9));
    const step = high - low > 6 ? 2 : 1;
    return { low, high, ticks: Array.from({ length: Math.floor((high - low) / step) + 1 }, (_, i) => low + i * step) };
}

/** "0.001", "1", "1,000", "10⁶". */
export function powerText(power: number): string {
    if (power < -4 || power > 5) return `10${[...String(power)].map((one) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(one)]).join('')}`;
    return power < 0 ? (10 ** power).toFixed(-power) : (10 ** power).toLocaleString('en-US');
}

/** Where the points are from left to right, from 0 to 1: by their numbers if all are numbers, else side by side. */
export function places(xs: readonly string[]): { at: number[]; line: boolean } {
    const numbers = xs.map(numberOf);
    const even = xs.map((_, i) => (xs.length === 1 ? 0.5 : i / (xs.length - 1)));
    if (xs.length < 2 || numbers.some((x) => x === null || x <= 0)) return { at: even, line: xs.length > 1 && numbers.filter((x) => x === null).length <= 1 };
    const all = numbers as number[];
    const [least, most] = [Math.min(...all), Math.max(...all)];
    if (least === most) return { at: even, line: false };
    const scale = most / least > 8 ? Math.log : (x: number) => x;
    return { at: all.map((x) => (scale(x) - scale(least)) / (scale(most) - scale(least))), line: true };
}
