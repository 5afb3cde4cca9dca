// Conditions that leave rows out (--drop-rows): as a form shows them, as lode reads them, and proposals from
// what the columns hold. SPDX-License-Identifier: Apache-2.0
import { plural } from '../lib/format';
import type { TableColumn, TableColumns } from '../lib/types';

export type Test = 'is' | 'isnot' | 'begins' | 'contains' | 'like' | 'unlike' | 'empty' | 'filled' | '<' | '<=' | '>' | '>=';

export interface Condition {
    /** A name, or a number from 1. */
    column: string;
    test: Test;
    value: string;
}

const escaped = (value: string): string => value.replace(/[*?[\\]/g, '\\$&');
const plain = (pattern: string): string => pattern.replace(/\\(.)/gs, '$1');
const hasWildcard = (pattern: string): boolean => /[*?[]/.test(pattern.replace(/\\./gs, ''));

/** lode takes off quotes around a value. They protect a text that has quotes itself, or looks like two conditions. */
const quoted = (value: string): string =>
    /^(["']).*\1$/s.test(value) || /(,| (and|or|&&|\|\|) ).*[=<>]/is.test(value) ? `"${value}"` : value;
const unquoted = (value: string): string => /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;

/** The condition as lode reads it. */
export function textOf({ column, test, value }: Condition): string {
    switch (test) {
        case 'is': return `${column}=${quoted(escaped(value))}`;
        case 'isnot': return `${column}!=${quoted(escaped(value))}`;
        case 'begins': return `${column}=${quoted(`${escaped(value)}*`)}`;
        case 'contains': return `${column}=${quoted(`*${escaped(value)}*`)}`;
        case 'like': return `${column}=${quoted(value)}`;
        case 'unlike': return `${column}!=${quoted(value)}`;
        case 'empty': return `${column}=`;
        case 'filled': return `${column}!=`;
        default: return `${column}${test}${value}`;
    }
}

/** The condition of a text that lode accepts; null for any other text. */
export function conditionOf(text: string): Condition | null {
    const match = /^([^=!<>]+)(!=|<=|>=|=|<|>)(.*)$/s.exec(text);
    if (match === null) return null;
    const [column, sign, value] = [match[1]!.trim(), match[2]!, unquoted(match[3]!.trim())];
    if (column === '') return null;
    if (sign !== '=' && sign !== '!=') return { column, test: sign as Test, value };
    const not = sign === '!=';
    if (value === '') return { column, test: not ? 'filled' : 'empty', value };
    if (!hasWildcard(value)) return { column, test: not ? 'isnot' : 'is', value: plain(value) };
    if (!not) {
        const middle = /^(\*?)(.+)\*$/s.exec(value);
        if (middle !== null && !hasWildcard(middle[2]!) && !/(^|[^\\])(\\\\)*\\$/.test(middle[2]!))
            return { column, test: middle[1] === '' ? 'begins' : 'contains', value: plain(middle[2]!) };
    }
    return { column, test: not ? 'unlike' : 'like', value };
}

/** What a condition calls a column: its name, or its number if the name cannot be written or is not the only one. */
export function columnName(columns: readonly TableColumn[], at: number): string {
    const { name } = columns[at]!;
    const odd = name !== name.trim() || name.length > 100 || /[=!<>\n]|^[0-9]*$/.test(name);
    const same = columns.some((one, i) => i !== at && one.name.toLowerCase() === name.toLowerCase());
    return odd || same ? String(at + 1) : name;
}

/** The column that a condition names. */
export function columnOf(columns: readonly TableColumn[], name: string): TableColumn | null {
    if (/^[1-9][0-9]*$/.test(name)) return columns[Number(name) - 1] ?? null;
    return columns.find((one) => one.name === name) ?? columns.find((one) => one.name.toLowerCase() === name.toLowerCase()) ?? null;
}

const MOST = 0.9; // a column is one of numbers if at least this share of its cells are

export type Kind = 'number' | 'date' | 'text';
export function kindOf(column: TableColumn, rows: number): Kind {
    const filled = rows - column.empty;
    if (filled > 0 && column.dates >= MOST * filled) return 'date';
    return filled > 0 && column.numbers >= MOST * filled ? 'number' : 'text';
}

export interface Proposal {
    /** The conditions that leave these rows out. */
    text: string;
    sentence: string;
}

/** Rows that an analyst usually leaves out: cancelled orders, returns, free goods, rows without a name. */
export function proposals({ rows, columns, tid, item }: TableColumns): Proposal[] {
    const out: Proposal[] = [];
    columns.forEach((column, at) => {
        const name = columnName(columns, at);
        const title = column.name || `column ${at + 1}`;
        const filled = rows - column.empty;
        const used = at === tid || at === item;
        if (at === tid)
            for (const { letter, rows: n, values } of column.starts)
                if (n < filled / 2)
                    out.push({
                        text: `${name}=${letter}*`,
                        sentence:
                            values === null
                                ? `${title} begins with ${letter} in ${plural(n, 'row')}`
                                : `${plural(values, `${title} value`)} begin${values === 1 ? 's' : ''} with ${letter}, in ${plural(n, 'row')}`,
                    });
        if (!used && kindOf(column, rows) === 'number') {
            const low = column.negative + column.zero;
            if (column.negative > 0 && column.zero > 0 && low < filled / 2)
                out.push({ text: `${name}<=0`, sentence: `${title} is zero or negative in ${plural(low, 'row')}` });
            else if (column.negative > 0 && low < filled / 2)
                out.push({ text: `${name}<0`, sentence: `${title} is negative in ${plural(column.negative, 'row')}` });
            else if (column.zero > 0 && column.zero < filled / 20)
                out.push({ text: `${name}<=0`, sentence: `${title} is zero in ${plural(column.zero, 'row')}` });
        }
        if (column.empty > 0 && column.empty < rows && (used || column.empty <= rows / 20))
            out.push({ text: `${name}=`, sentence: `${title} is empty in ${plural(column.empty, 'row')}` });
    });
    return out;
}

/** The day after a date such as 2011-12-09. */
export function dayAfter(date: string): string {
    const day = new Date(`${date}T00:00:00Z`);
    day.setUTCDate(day.getUTCDate() + 1);
    return day.toISOString().slice(0, 10);
}
export function dayBefore(date: string): string {
    const day = new Date(`${date}T00:00:00Z`);
    day.setUTCDate(day.getUTCDate() - 1);
    return day.toISOString().slice(0, 10);
}
