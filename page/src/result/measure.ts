// measure.ts - the width of a text in pixels
//
// SPDX-License-Identifier: Apache-2.0

const LETTER = 6.3; // approximate width of a letter in pixels, if text cannot be measured

/** Measures text as it is drawn. */
export function measureWith(font: string): (text: string) => number {
    const context = globalThis.document?.createElement('canvas').getContext('2d') ?? null;
    if (context !== null) context.font = font;
    const known = new Map<string, number>();
    return (text) => {
        let long = known.get(text);
        if (long === undefined) known.set(text, (long = context?.measureText(text).width ?? Array.from(text).length * LETTER));
        return long;
    };
}
