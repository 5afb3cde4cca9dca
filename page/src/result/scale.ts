// scale.ts - maps values to positions and colours, and formats numbers for axes
//
// SPDX-License-Identifier: Apache-2.0

export interface Scale {
    low: number;
    high: number;
    log: boolean;
}

/** Whether a range is so wide that it needs a logarithmic scale. */
export function wide(low: number, high: number): boolean {
    return low > 0 && high / low > 300;
}

/** The position of a value, from 0 to 1. */
export function place(scale: Scale, value: number): number {
    if (scale.high <= scale.low) return 0;
    if (!scale.log) return (value - scale.low) / (scale.high - scale.low);
    return Math.log(value / scale.low) / Math.log(scale.high / scale.low);
}

export function valueAt(scale: Scale, share: number): number {
    if (share <= 0) return scale.low;
    if (share >= 1) return scale.high;
    if (!scale.log) return scale.low + share * (scale.high - scale.low);
    return scale.low * Math.pow(scale.high / scale.low, share);
}

/** Rounds to three significant digits, as sliders and axes do. */
export function rounded(value: number, digits = 3): number {
    return Number.isFinite(value) ? Number(value.toPrecision(digits)) : value;
}

/** A share as a percentage that can be typed again: 0.015 is "1.5%". */
export function percentNumber(value: number, digits = 6): string {
    return `${rounded(value * 100, digits)}%`;
}

/** Round values within a range, about `about` of them. */
export function ticks(scale: Scale, about: number): number[] {
    if (!(scale.high > scale.low)) return [scale.low];
    return scale.log ? logTicks(scale, about) : linearTicks(scale, about);
}

function linearTicks(scale: Scale, about: number): number[] {
    const raw = (scale.high - scale.low) / about;
    const power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? raw;
    const out: number[] = [];
    for (let k = Math.ceil(scale.low / step - 1e-9); k * step <= scale.high * (1 + 1e-12) + step * 1e-9; k++)
        out.push(rounded(k * step, 12));
    return out;
}

function logTicks(scale: Scale, about: number): number[] {
    const decades = Math.log10(scale.high / scale.low);
    const steps = decades > about ? [1] : decades * 3 > about ? [1, 3] : [1, 2, 5];
    const every = Math.max(1, Math.ceil(decades / about));
    const out: number[] = [];
    for (let e = Math.floor(Math.log10(scale.low)); e <= Math.ceil(Math.log10(scale.high)); e++) {
        if (e % every !== 0) continue;
        for (const step of steps) {
            const value = rounded(step * Math.pow(10, e), 6);
            if (value >= scale.low && value <= scale.high) out.push(value);
        }
    }
    return out.length >= 2 ? out : linearTicks({ ...scale, log: false }, about);
}

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** A short number for an axis. */
export function axisNumber(value: number): string {
    const size = Math.abs(value);
    if (size >= 10_000) return compact.format(value);
    if (size !== 0 && size < 0.001) return value.toExponential(Number.isInteger(Math.log10(size)) ? 0 : 1);
    return plain.format(value);
}

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const three = new Intl.NumberFormat('en', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 });

/** A value of a column: counts in full, others with three significant digits. */
export function cellNumber(value: number | string | null | undefined, type: string): string {
    if (value === null || value === undefined) return '–';
    if (value === 'inf') return '∞';
    if (value === '-inf') return '−∞';
    if (typeof value === 'string') return value;
    if (type === 'count') return whole.format(value);
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (size < 0.0005 || size >= 1e7) return value.toExponential(2);
    return size >= 1000 ? whole.format(value) : three.format(value);
}

/** A mix of two colours with this share of the strong one, for a fill. */
export function tint(share: number, strong = '--series-1', weak = '--surface'): string {
    const percent = Math.round(Math.max(0, Math.min(1, share)) * 100);
    return `color-mix(in oklab, var(${strong}) ${percent}%, var(${weak}))`;
}

/** A colour of the scale from low (0) to high (1): high values differ most from the background, in both themes. */
export function ramp(share: number): string {
    const at = Math.max(0, Math.min(1, share)) * 2;
    return at <= 1 ? tint(at, '--ramp-middle', '--ramp-low') : tint(at - 1, '--ramp-high', '--ramp-middle');
}
