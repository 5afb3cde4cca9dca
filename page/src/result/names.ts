// names.ts - names of items as they are shown: as text, cut where they are long
//
// A name may be anything that a file held: empty, ten thousand characters, right to left, emoji that
// are made of several characters. It is cut between whole characters as people see them.
//
// SPDX-License-Identifier: Apache-2.0

const segmenter =
    typeof Intl.Segmenter === 'function' ? new Intl.Segmenter(undefined, { granularity: 'grapheme' }) : null;

/** The first `most` characters, with "…" where some are missing. */
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

/** What a tooltip shows: long, but not so long that it fills the screen. */
export function hintName(name: string): string {
    return shortName(name, 600);
}

export function listNames(names: string[], most = 24): string {
    return names.map((name) => shortName(name, most)).join(', ');
}

/** "rhsSupport" → "Rhs support", "yuleQ" → "Yule q": what a heading shows where there is no title. */
export function plainColumn(name: string): string {
    if (name.toUpperCase() === name) return name;
    const words = name
        .replace(/_/g, ' ')
        .replace(/([a-z])([A-Z])/g, (_all, a: string, b: string) => `${a} ${b.toLowerCase()}`);
    return words.charAt(0).toUpperCase() + words.slice(1);
}
