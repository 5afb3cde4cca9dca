// The conditions of a view, in the address after #/job/ID?, for the server and for the command line.
// SPDX-License-Identifier: Apache-2.0
import { shellWord } from '../lib/format';
import { FILTER_KEYS } from './view';

export type Condition = readonly [name: string, value: string];

const NAMES: ReadonlySet<string> = new Set(FILTER_KEYS);

/** The parameters of an address that are conditions; the others are about how the view looks. */
export function conditionsOf(params: URLSearchParams): Condition[] {
    return [...params].filter(([name, value]) => NAMES.has(name) && value !== '');
}

/** The bound that the threshold slider sets: `min=count=N`, or null. */
export function leastCount(params: URLSearchParams): number | null {
    let least: number | null = null;
    for (const value of params.getAll('min')) {
        const found = /^count=(\d+)$/.exec(value);
        if (found) least = Math.max(least ?? 0, Number(found[1]));
    }
    return least;
}

/** The same parameters with another bound of the threshold slider; null: without one. */
export function withLeastCount(params: URLSearchParams, count: number | null): URLSearchParams {
    const next = new URLSearchParams();
    for (const [name, value] of params) {
        if (name !== 'min' || !/^count=\d+$/.test(value)) next.append(name, value);
    }
    if (count !== null) next.append('min', `count=${count}`);
    return next;
}

/** Options of `lode query` that have another name in an address. */
const OPTIONS: Readonly<Record<string, string>> = {
    has: 'include',
    lacks: 'exclude',
    'lhs-has': 'include-lhs',
    'lhs-lacks': 'exclude-lhs',
    'rhs-has': 'include-rhs',
    'rhs-lacks': 'exclude-rhs',
};

/** The `lode query` command for a view: its conditions and sorting. */
export function queryCommand(file: string, params: URLSearchParams): string {
    const words = ['lode', 'query', file];
    for (const [name, value] of conditionsOf(params)) words.push(`--${OPTIONS[name] ?? name}`, value);
    const sort = params.get('sort');
    if (sort) words.push('--sort-by', sort);
    if (sort && params.get('reverse')) words.push('--reverse');
    return words.map(shellWord).join(' ');
}

/** The command of a job that keeps its result in a file for `lode query`. */
export function keepingCommand(command: string, file: string): string {
    return `${command} -w arrow -o ${shellWord(file)}`;
}
