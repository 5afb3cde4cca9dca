// Scales of plots: the position of a value, and the values with a tick.
// SPDX-License-Identifier: Apache-2.0

export interface Scale {
    (value: number): number;
    invert: (at: number) => number;
    ticks: number[];
}

/** A logarithmic scale from low > 0 to high, drawn from `from` to `to`. */
export function logScale(low: number, high: number, from: number, to: number): Scale {
    const span = Math.log(high / low) || 1;
    const scale = (value: number): number => from + (Math.log(Math.max(value, low) / low) / span) * (to - from);
    const invert = (at: number): number => low * Math.exp(((at - from) / (to - from)) * span);
    const decades = Math.log10(high / low);
    const steps = decades > 4 ? [1] : decades > 1.2 ? [1, 3] : [1, 2, 5];
    const ticks: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
        for (const step of steps) {
            const value = Number(`${step}e${power}`);
            if (value >= low * 0.999 && value <= high * 1.001) ticks.push(value);
        }
    return Object.assign(scale, { invert, ticks });
}

/** A linear scale with round ticks, about `wanted` of them. */
export function linearScale(low: number, high: number, from: number, to: number, wanted = 5): Scale {
    const span = high - low || 1;
    const raw = span / wanted;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = power * (raw / power > 5 ? 10 : raw / power > 2 ? 5 : raw / power > 1 ? 2 : 1);
    const ticks: number[] = [];
    for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i++) ticks.push(Number((i * step).toPrecision(12)));
    return Object.assign((value: number) => from + ((value - low) / span) * (to - from), {
        invert: (at: number) => low + ((at - from) / (to - from)) * span,
        ticks,
    });
}
