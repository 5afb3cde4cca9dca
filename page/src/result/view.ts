// view.ts - the state of a view of a result, as stored in the hash of the address
//
// The names in the hash are those of the server's API (min=lift=1.5, lhs-has=milk, …), so a filter is
// passed on without translation. All functions return new parameters and do not change the old ones.
//
// SPDX-License-Identifier: Apache-2.0

/** The parameters that select rows. The others (tab, sort, columns, …) say how they are shown. */
export const FILTER_KEYS = [
    'min',
    'max',
    'has',
    'lacks',
    'lhs-has',
    'lhs-lacks',
    'rhs-has',
    'rhs-lacks',
    'match',
    'lhs-match',
    'rhs-match',
    'min-size',
    'max-size',
    'pick',
] as const;

export type FilterKey = (typeof FILTER_KEYS)[number];
export interface Term {
    key: FilterKey;
    value: string;
}
export interface Bounds {
    low: number | null;
    high: number | null;
}

/** Only the filter, in a fixed order, so that equal filters are equal texts. */
export function filterOf(params: URLSearchParams): URLSearchParams {
    const out = new URLSearchParams();
    for (const key of FILTER_KEYS) for (const value of params.getAll(key)) out.append(key, value);
    return out;
}

export function hasFilter(params: URLSearchParams): boolean {
    return FILTER_KEYS.some((key) => params.has(key));
}

export function withoutFilter(params: URLSearchParams): URLSearchParams {
    const out = new URLSearchParams(params);
    for (const key of FILTER_KEYS) out.delete(key);
    return out;
}

/** A value of `min` or `max` is "lift=1.5"; names of columns have no "=". */
function boundParts(text: string): [string, number] {
    const at = text.indexOf('=');
    const number = text.slice(at + 1);
    const value = number.endsWith('%') ? Number(number.slice(0, -1)) / 100 : Number(number);
    return [text.slice(0, at), value];
}

export function boundsOf(params: URLSearchParams, column: string): Bounds {
    const find = (key: 'min' | 'max') => {
        for (const text of params.getAll(key)) {
            const [name, value] = boundParts(text);
            if (name === column && Number.isFinite(value)) return value;
        }
        return null;
    };
    return { low: find('min'), high: find('max') };
}

export function withBounds(params: URLSearchParams, column: string, bounds: Bounds): URLSearchParams {
    const out = new URLSearchParams(params);
    for (const [key, value] of [
        ['min', bounds.low],
        ['max', bounds.high],
    ] as const) {
        const kept = out.getAll(key).filter((text) => boundParts(text)[0] !== column);
        out.delete(key);
        for (const text of kept) out.append(key, text);
        if (value !== null) out.append(key, `${column}=${value}`);
    }
    return out;
}

/** The columns with a bound, without duplicates. */
export function boundedColumns(params: URLSearchParams): string[] {
    const texts = [...params.getAll('min'), ...params.getAll('max')];
    return [...new Set(texts.map((text) => boundParts(text)[0]))];
}

export function terms(params: URLSearchParams): Term[] {
    const out: Term[] = [];
    for (const key of FILTER_KEYS) {
        if (key === 'min' || key === 'max' || key === 'min-size' || key === 'max-size') continue;
        for (const value of params.getAll(key)) out.push({ key, value });
    }
    return out;
}

export function withTerm(params: URLSearchParams, term: Term): URLSearchParams {
    const out = new URLSearchParams(params);
    if (!out.getAll(term.key).includes(term.value)) out.append(term.key, term.value);
    return out;
}

export function withoutTerm(params: URLSearchParams, term: Term): URLSearchParams {
    const out = new URLSearchParams(params);
    const kept = out.getAll(term.key).filter((value) => value !== term.value);
    out.delete(term.key);
    for (const value of kept) out.append(term.key, value);
    return out;
}

/** Sets one parameter; null removes it. */
export function withValue(params: URLSearchParams, key: string, value: string | number | null): URLSearchParams {
    const out = new URLSearchParams(params);
    if (value === null || value === '') out.delete(key);
    else out.set(key, String(value));
    return out;
}

export function listOf(params: URLSearchParams, key: string): string[] {
    return (params.get(key) ?? '').split(',').filter((name) => name !== '');
}

/** The group that selects exactly the item of this name. Names are looked up literally before they are
 *  read as a pattern; only a leading "@" would mean a file, and needs a backslash. */
export function groupOf(name: string): string {
    return name.startsWith('@') ? '\\' + name.replace(/[*?[\\]/g, (c) => '\\' + c) : name;
}

const WORDS: Record<string, string> = {
    has: 'includes',
    lacks: 'excludes',
    'lhs-has': 'if-part includes',
    'lhs-lacks': 'if-part excludes',
    'rhs-has': 'then-part includes',
    'rhs-lacks': 'then-part excludes',
    pick: 'selected rows',
    match: 'a name matches',
    'lhs-match': 'if-part matches',
    'rhs-match': 'then-part matches',
};

export function termWords(term: Term): string {
    return WORDS[term.key] ?? term.key;
}

/** What a condition asks for, as text: selected rows are counted. */
export function termValue(term: Term): string {
    return term.key === 'pick' ? String(term.value.split(',').length) : readable(term.value);
}

/** A pattern for every name that contains this text, in upper or lower case: "tea" is *[tT][eE][aA]*. */
export function anyCase(text: string): string {
    const inside = text.replace(/[[\\]/g, (c) => '\\' + c).replace(/\p{L}/gu, (c) => {
        const [low, high] = [c.toLowerCase(), c.toUpperCase()];
        return low !== high && Array.from(low + high).length === 2 ? `[${low}${high}]` : c;
    });
    return `*${inside.replace(/^\*+|\*+$/g, '')}*`;
}

/** A pattern of anyCase as people read it: *tea*. */
export function readable(text: string): string {
    return text.replace(/\[(\p{L})(\p{L})\]/gu, (all, low: string, high: string) => (low.toUpperCase() === high ? low : all));
}

/** A message of the server about items, in the words of the page. */
export function itemMessage(text: string): string {
    const plain = text.replace(/^--(include|exclude)(-[a-z]+)?: /, '');
    const unknown = /^unknown item '(.*?)'(?:; did you mean '(.*)'\?)?$/s.exec(plain);
    if (unknown) return `No item is called “${unknown[1]!}”.${unknown[2] ? ` Did you mean “${unknown[2]}”?` : ''}`;
    const none = /^no item name matches '(.*)'$/s.exec(plain);
    return none ? `No item name matches “${readable(none[1]!)}”.` : plain;
}

/** All filters in words, for what leaves the page: "if-part includes milk", "lift at least 2". title: how a column is called;
 *  value: a bound as text. */
export function filterWords(params: URLSearchParams, title: (name: string) => string, value: (name: string, bound: number) => string): string[] {
    const bounds = (['min', 'max'] as const).flatMap((key) =>
        params.getAll(key).map((text) => {
            const [name, bound] = boundParts(text);
            return `${title(name)} ${key === 'min' ? 'at least' : 'at most'} ${value(name, bound)}`;
        }),
    );
    const [least, most] = [params.get('min-size'), params.get('max-size')];
    const size = least !== null && most !== null ? `${least} to ${most}` : least !== null ? `at least ${least}` : most !== null ? `at most ${most}` : '';
    const names = terms(params).map((term) => (term.key === 'pick' ? `${termValue(term)} selected rows` : `${termWords(term)} ${termValue(term)}`));
    return [...names, ...bounds, ...(size === '' ? [] : [`size ${size}`])];
}
