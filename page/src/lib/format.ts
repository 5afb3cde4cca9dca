// Formats numbers, shares, times and sizes for people, as plain text.
// SPDX-License-Identifier: Apache-2.0

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** 1234567 → "1,234,567" */
export function count(n: number | null | undefined): string {
    return n === null || n === undefined || !Number.isFinite(n) ? '–' : whole.format(n);
}

/** One decimal: 12.34 → "12.3"; very small numbers keep one significant digit instead of becoming 0.0. */
export function tenths(n: number): string {
    return n > 0 && n < 0.05 ? number(n, 1) : n.toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/**
 * Two significant digits: 1318 → "1,300", 2.4e9 → "2.4 billion". To round the ends of an interval
 * outward, pass Math.floor or Math.ceil.
 */
export function rough(n: number | null | undefined, round: (x: number) => number = Math.round): string {
    if (n === null || n === undefined || !Number.isFinite(n)) return '–';
    if (n < 10) return whole.format(round(n));
    const unit = 10 ** (Math.floor(Math.log10(n)) - 1);
    const rounded = round(Number((n / unit).toPrecision(12))) * unit;
    if (rounded >= 1e12) return rounded.toExponential(1).replace('e+', ' × 10^');
    for (const [size, name] of [[1e9, 'billion'], [1e6, 'million']] as const)
        if (rounded >= size) return `${+(rounded / size).toPrecision(2)} ${name}`;
    return whole.format(rounded);
}

/** "1 itemset", "2 itemsets"; pass irregular plurals as `many`. */
export function plural(n: number, word: string, many: string = `${word}s`): string {
    return `${count(n)} ${n === 1 ? word : many}`;
}

/** Up to `digits` significant digits; "∞" for infinity, "–" for a missing value. */
export function number(x: number | string | null | undefined, digits = 4): string {
    if (x === null || x === undefined) return '–';
    const value = typeof x === 'number' ? x : x === 'inf' ? Infinity : x === '-inf' ? -Infinity : Number(x);
    if (value === Infinity) return '∞';
    if (value === -Infinity) return '−∞';
    if (!Number.isFinite(value)) return '–';
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size >= 1e15 || size < 1e-5) return value.toExponential(digits - 1);
    return value.toLocaleString('en-US', { maximumSignificantDigits: Math.max(digits, Math.ceil(Math.log10(size + 1))) });
}

/** 0.01234 → "1.23%", as the command line accepts it. */
export function share(x: number | null | undefined, digits = 3): string {
    return x === null || x === undefined || !Number.isFinite(x) ? '–' : `${number(x * 100, digits)}%`;
}

/** 0.00123 → "1.2 ms", 75 → "1 min 15 s" */
export function seconds(s: number | null | undefined): string {
    if (s === null || s === undefined || !Number.isFinite(s)) return '–';
    if (s < 0.0009995) return `${number(s * 1e6, 2)} µs`;
    if (s < 0.9995) return `${number(s * 1000, s < 0.01 ? 2 : 3)} ms`;
    if (s < 60) return `${number(s, 3)} s`;
    const whole = Math.round(s);
    if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
    return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** 1536 → "1.5 KiB" */
export function bytes(n: number | null | undefined): string {
    if (n === null || n === undefined || !Number.isFinite(n)) return '–';
    const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
    let i = 0;
    let size = n;
    for (; size >= 1024 && i < units.length - 1; i++) size /= 1024;
    return i === 0 ? plural(n, 'byte') : `${number(size, 3)} ${units[i]}`;
}

/** UNIX seconds → "today 16:04", "14 Nov, 09:30" */
export function when(time: number | null | undefined): string {
    if (time === null || time === undefined) return '–';
    const date = new Date(time * 1000);
    const clock = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
    if (date.toDateString() === new Date().toDateString()) return `today ${clock}`;
    const day: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
    if (date.getFullYear() !== new Date().getFullYear()) day.year = 'numeric';
    return `${date.toLocaleDateString('en-GB', day)}, ${clock}`;
}

/** The items of a set on one line; long names are cut (show the whole name in a title). */
export function items(names: readonly string[], longest = 200): string {
    return names.map((name) => cut(name, longest)).join(', ');
}

/** Shows invisible characters and those that change the text direction, as symbols or codes; spaces and tabs stay. */
export function visible(text: string): string {
    return text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u200b\u2028-\u202e\u2060\u2066-\u2069]/g, (sign) => {
        const code = sign.charCodeAt(0);
        if (code < 0x20) return String.fromCharCode(0x2400 + code);
        return code === 0x7f ? '␡' : `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
    });
}

/** Cuts a text between code points, so that no emoji is split. */
export function cut(text: string, longest = 200): string {
    if (text.length <= longest) return text;
    return `${Array.from(text.slice(0, longest)).slice(0, -1).join('')}…`;
}

/** Quotes a word for the shell if necessary. */
export function shellWord(word: string): string {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
