// columns.ts - the columns of a result: their headings, and their values in a row
//
// SPDX-License-Identifier: Apache-2.0
import type { Column, Job, Measure, MeasureValue } from '../lib/types';
import type { Row } from './rows.svelte';
import { plainColumn } from './names';

/** What the views of one result share. */
export interface Result {
    job: Job;
    path: string; // '/jobs/3'
    columns: Column[];
    measures: Map<string, Measure>;
    complete: boolean; // false: the columns are those that every result of its kind has, their ranges unknown
}

/** What is known of a result before its columns were asked for, so that its first rows need not wait. */
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
    return { job, path: `/jobs/${job.id}`, columns, measures: new Map(), complete: false };
}

const HEADINGS: Record<string, string> = {
    count: 'Count',
    both: 'Count',
    body_count: 'If-part count',
    head_count: 'Then-part count',
    size: 'Size',
};
const SUMMARIES: Record<string, string> = {
    count: 'number of transactions with all items',
    both: 'number of transactions with both parts',
    body_count: 'number of transactions with the if-part',
    head_count: 'number of transactions with the then-part',
    size: 'number of items, or of edges',
};

export function heading(result: Result, name: string): string {
    return HEADINGS[name] ?? result.measures.get(name)?.title ?? plainColumn(name);
}

export function summary(result: Result, name: string): string {
    return SUMMARIES[name] ?? result.measures.get(name)?.summary ?? '';
}

export function numeric(columns: Column[]): Column[] {
    // Of rules, the measure "count" is what is stored as "both".
    const twice = columns.some((c) => c.name === 'both');
    return columns.filter((c) => (c.type === 'count' || c.type === 'real') && !(twice && c.name === 'count'));
}

/** Columns that are shown when nobody has chosen any. */
export function usualColumns(result: Result): string[] {
    const wanted =
        result.job.kind === 'rules' ? ['both', 'support', 'confidence', 'lift'] : ['count', 'support', 'size'];
    return wanted.filter((name) => result.columns.some((c) => c.name === name));
}

/** The value that a row holds for a column: its own field, or one of those that were asked for. */
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
