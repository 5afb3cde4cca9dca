// columns.ts - the columns of a result: headings, and values of a row
//
// SPDX-License-Identifier: Apache-2.0
import type { Column, Job, Measure, MeasureValue, Options } from '../lib/types';
import type { Row } from './rows.svelte';
import { measureTitle } from './names';
import { cellNumber } from './scale';

/** What all views of a result share. */
export interface Result {
    job: Job;
    path: string; // '/jobs/3'
    columns: Column[];
    measures: Map<string, Measure>;
    order: string; // how the rows of the file are sorted; '': not known
    complete: boolean; // false: only the columns that every result of its kind has, without ranges
}

/** What is known about a result before its columns are loaded, so that the first rows need not wait. */
export function earlyResult(job: Job): Result {
    const counts = job.kind === 'rules' ? ['both', 'body_count', 'head_count', 'size'] : ['count', 'size'];
    const reals = job.kind === 'rules' ? ['support', 'confidence', 'lift'] : ['support'];
    const column =
        (type: 'count' | 'real') =>
        (name: string): Column => ({
            name,
            type,
            stored: true,
            better: name === 'size' ? 0 : 1,
            low: null,
            high: null,
        });
    const columns = [...counts.map(column('count')), ...reals.map(column('real'))];
    return { job, path: `/jobs/${job.id}`, columns, measures: new Map(), order: '', complete: false };
}

const SUMMARIES: Record<string, string> = {
    count: 'number of transactions with all items',
    both: 'number of transactions with both parts',
    body_count: 'number of transactions with the if-part',
    head_count: 'number of transactions with the then-part',
    size: 'number of items, or of edges',
};

export function heading(result: Result, name: string): string {
    return measureTitle(name, result.measures.get(name)?.title);
}

export function summary(result: Result, name: string): string {
    return SUMMARIES[name] ?? result.measures.get(name)?.summary ?? '';
}


export function numeric(columns: Column[]): Column[] {
    // For rules, the measure "count" is the stored column "both".
    const twice = columns.some((c) => c.name === 'both');
    return columns.filter((c) => (c.type === 'count' || c.type === 'real') && !(twice && c.name === 'count'));
}

const COMMON = ['support', 'confidence', 'lift', 'leverage', 'conviction', 'zhang', 'jaccard', 'cosine', 'kulczynski', 'oddsRatio', 'chiSquared', 'fisher', 'count', 'size'];

/** Columns or measures in groups for a list: the common ones first, in their usual order; the others by their titles. */
export function grouped<T extends { name: string }>(all: readonly T[], title: (one: T) => string): { label: string; all: T[] }[] {
    const common = COMMON.flatMap((name) => all.find((one) => one.name === name) ?? []);
    const others = all.filter((one) => !common.includes(one)).sort((a, b) => title(a).localeCompare(title(b), 'en'));
    return [
        { label: 'Common', all: common },
        { label: 'Other measures', all: others },
    ].filter((group) => group.all.length > 0);
}

/** Whether a search with these options has a measure: some need held-out transactions or adjusted p-values. */
export function hasMeasure(options: Options, name: string): boolean {
    if (name.startsWith('heldOut')) return options.holdout !== undefined;
    return name !== 'adjustedP' || (options.adjust !== undefined && options.adjust !== 'none');
}

/** The measures that a search with these options has, under the names of the page, in groups for a list. */
export function measureChoices(measures: readonly Measure[], options: Options): { label: string; all: Measure[] }[] {
    const all = measures.filter((one) => hasMeasure(options, one.name)).map((one) => ({ ...one, title: measureTitle(one.name, one.title) }));
    return grouped(all, (one) => one.title);
}

/** The default columns. */
export function usualColumns(result: Result): string[] {
    // With held-out figures there is no room for the support, which says the same as the count. An adjusted p-value is
    // that of the held-out transactions.
    const held = result.columns.some((c) => c.name === 'heldOutP');
    const wanted =
        result.job.kind === 'rules' && held
            ? ['both', 'confidence', 'lift', 'heldOutConfidence', result.columns.some((c) => c.name === 'adjustedP') ? 'adjustedP' : 'heldOutP']
            : result.job.kind === 'rules' ? ['both', 'support', 'confidence', 'lift', 'adjustedP'] : ['count', 'support', 'size'];
    return wanted.filter((name) => result.columns.some((c) => c.name === name));
}

/** The value of a column in a row: a field of the row, or a requested measure. */
export function valueOf(row: Row, name: string): MeasureValue | undefined {
    const values = (row as { values?: Record<string, MeasureValue> }).values;
    if (values && name in values) return values[name];
    if (name === 'size') return sizeOf(row);
    return (row as unknown as Record<string, number | undefined>)[name];
}

export function sizeOf(row: Row): number {
    if ('items' in row) return row.items.length;
    return 'body' in row ? row.body.length + row.head.length : row.edges.length;
}

/** Measures that are shares, shown as percentages. */
export const SHARES: ReadonlySet<string> = new Set([
    'support', 'confidence', 'coverage', 'rhsSupport', 'reverseConfidence', 'heldOutSupport', 'heldOutConfidence',
    'casualSupport', 'ralambondrainy', 'jaccard', 'maxconfidence', 'allConfidence',
]);

/** "0.781%", "90.5%": three significant digits; only 1 itself is "100%". */
export function percentage(value: number): string {
    const percent = value * 100;
    if (value === 0 || value === 1) return `${percent}%`;
    if (percent > 0 && percent < 0.01) return `${percent.toPrecision(2)}%`;
    return percent >= 99.95 && percent < 100 ? '>99.9%' : `${percent.toPrecision(3)}%`;
}

/** A p-value too small for a number is not 0. */
export function pValueText(name: string, value: MeasureValue | undefined): string | null {
    return typeof value === 'number' && value < 1e-300 && /^fisher|P$/.test(name) ? 'below 1e-300' : null;
}

/** The value of a column in a cell. */
export function cellText(column: Column, value: MeasureValue | undefined): string {
    if (typeof value === 'number' && SHARES.has(column.name)) return percentage(value);
    const tiny = pValueText(column.name, value);
    if (tiny !== null) return tiny;
    return cellNumber(value, column.type);
}

/** The column by which the rows of the file are sorted, best first; null: they are not, or it is not known. */
export function fileOrder(result: Result): string | null {
    const { order, job } = result;
    const by = order === 'given' ? job.options['sort-by'] : order;
    return typeof by === 'string' && result.columns.some((column) => column.name === by) ? by : null;
}
