// patterns.ts - one pattern in a plot: its text, its address, the values of its measures
//
// SPDX-License-Identifier: Apache-2.0
import { href, route } from '../lib/router.svelte';
import { valueOf } from './columns';
import type { Result } from './columns';
import { shortName } from './names';
import type { Row } from './rows.svelte';
import { withoutFilter, withValue } from './view';

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** A name, cut if it is long. One that is written from right to left does not turn the text around it. */
export function nameText(name: string, most = 24): string {
    const text = shortName(name, most);
    return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

const namesText = (names: readonly string[], most: number): string => names.map((name) => nameText(name, most)).join(' + ');

/** "butter + jam → bread"; long names are cut. */
export function patternText(row: Row, most = 60): string {
    if ('body' in row) return `${row.body.length ? namesText(row.body, most) : '(anything)'} → ${namesText(row.head, most)}`;
    return 'items' in row ? namesText(row.items, most) : nameText(row.code, most * 2);
}

/** The address of the page of one pattern. */
export function patternHref(result: Result, row: Row): string {
    const next = withValue(route.params, 'row', String(row.row));
    if (result.job.kind === 'graphs') next.delete('tab');
    else next.set('tab', 'rule');
    return href(route.path, next);
}

/** The address of the table with these conditions and no others. */
export function tableHref(conditions: readonly (readonly [string, string])[], keep = false): string {
    const next = keep ? new URLSearchParams(route.params) : withoutFilter(route.params);
    for (const name of ['tab', 'at', 'row']) next.delete(name);
    for (const [name, value] of conditions) next.append(name, value);
    return href(route.path, next);
}

/** The value of a measure; NaN if it is undefined. */
export function numberOf(row: Row, name: string): number {
    const value = valueOf(row, name);
    if (value === 'inf') return Infinity;
    if (value === '-inf') return -Infinity;
    return typeof value === 'number' ? value : NaN;
}

/** Fields of every row; other measures must be requested. */
const FIELDS = new Set(['count', 'both', 'body_count', 'head_count', 'support', 'confidence', 'size']);
export const asked = (names: readonly string[]): string[] => [...new Set(names)].filter((name) => !FIELDS.has(name));

export const thingOf = (result: Result): string =>
    result.job.kind === 'rules' ? 'rule' : result.job.kind === 'graphs' ? 'subgraph' : 'itemset';
