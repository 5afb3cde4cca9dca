// names.ts - item names as they are shown: long ones are cut
//
// A name may be anything in a file: empty, ten thousand characters, right to left, emoji that consist of
// several code points. It is cut between graphemes, which are what people see as characters.
//
// SPDX-License-Identifier: Apache-2.0

const segmenter =
    typeof Intl.Segmenter === 'function' ? new Intl.Segmenter(undefined, { granularity: 'grapheme' }) : null;

/** The first `most` characters, and "…" if the name is longer. */
export function shortName(name: string, most = 48): string {
    if (name.trim() === '') return name === '' ? '(empty name)' : '(blank name)';
    if (name.length <= most) return name;
    const head = name.slice(0, most * 12);
    const parts: string[] = [];
    if (segmenter) {
        for (const part of segmenter.segment(head)) {
            if (parts.length === most) break;
            parts.push(part.segment);
        }
    } else parts.push(...Array.from(head).slice(0, most));
    const cut = parts.join('');
    return cut.length < name.length ? cut + '…' : name;
}

/** The name for a tooltip: cut only if it would fill the screen. */
export function hintName(name: string): string {
    return shortName(name, 600);
}

export function listNames(names: string[], most = 24): string {
    return names.map((name) => shortName(name, most)).join(', ');
}

/** "rhsSupport" → "Rhs support", "yuleQ" → "Yule q": the heading of a column without a title. */
export function plainColumn(name: string): string {
    if (name.toUpperCase() === name) return name;
    const words = name
        .replace(/_/g, ' ')
        .replace(/([a-z])([A-Z])/g, (_all, a: string, b: string) => `${a} ${b.toLowerCase()}`);
    return words.charAt(0).toUpperCase() + words.slice(1);
}
