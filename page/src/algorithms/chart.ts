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

/** A logarithmic axis for the values above 0, from one of 1, 2, 5, 10, 20 … to another, and the values that it names. */
export function scaleOf(series: readonly Series[]): { low: number; high: number; ticks: number[] } {
    const values = series.flatMap((one) => one.values.filter((value): value is number => value !== null && value > 0));
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const round: number[] = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) round.push(...[1, 2, 5].map((one) => Number(`${one}e${power}`)));
    const from = round.filter((one) => one <= least * 1.0001).at(-1)!;
    const to = round.find((one) => one >= most * 0.9999 && one > from)!;
    const decades = Math.log10(to / from);
    const every = decades > 6.5 ? 2 : 1;
    const ticks = round.filter((one) => one >= from && one <= to && (decades < 1.8 || Number.isInteger(Math.log10(one)) || (decades < 2.4 && one.toExponential().startsWith('2'))));
    return { low: from, high: to, ticks: ticks.filter((_, i) => i % every === 0) };
}

/** "0.001", "1", "20,000", "2M", "10⁻⁶". */
export function tickText(value: number): string {
    if (value >= 1e6) return value.toLocaleString('en-US', { notation: 'compact' });
    if (value >= 1e-4) return value.toLocaleString('en-US', { maximumFractionDigits: 4 });
    const [digits, power] = value.toExponential().split('e') as [string, string];
    const raised = [...power].map((one) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(one)]).join('');
    return `${digits === '1' ? '' : `${digits}·`}10${raised}`;
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
