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

/** Titles of columns and measures that their names do not give. */
const TITLES: Record<string, string> = {
    count: 'Count',
    both: 'Count',
    body_count: 'If-part count',
    head_count: 'Then-part count',
    size: 'Size',
    adjustedP: 'Adjusted p-value',
    heldOutCount: 'Held-out count',
    heldOutSupport: 'Held-out support',
    heldOutConfidence: 'Held-out confidence',
    heldOutLift: 'Held-out lift',
    heldOutP: 'Held-out p-value',
    rhsSupport: 'Then-part support',
    n10: 'Count of the if-part only',
    n01: 'Count of the then-part only',
    n00: 'Count of neither part',
    doc: 'Difference of proportions',
    yuleQ: 'Yule’s Q',
    yuleY: 'Yule’s Y',
    jMeasure: 'J-measure',
    gTest: 'G-test',
    gTestP: 'G-test p-value',
    chiSquaredP: 'Chi-squared p-value',
    yatesP: 'Yates p-value',
    fisher: 'Fisher p-value',
    fisherTwoSided: 'Fisher p-value, two-sided',
    maxconfidence: 'Max confidence',
    stdLift: 'Standardized lift',
};

/** The names of columns in TITLES: how the glossary finds them. */
export const TITLED: readonly string[] = Object.keys(TITLES);

/** Words of the glossary, with commas between them, for columns that are no measures or need more than their own entry. */
const TERMS: Record<string, string> = { count: 'support', both: 'support', body_count: 'body', head_count: 'head', size: 'itemset', adjustedP: 'adjustedP,p-value' };

/** Where the glossary explains a column. */
export function termOf(name: string): string {
    return TERMS[name] ?? (name.startsWith('heldOut') ? `${name},holdout` : name);
}

/** How the page calls a column or a measure, in all views: "Added value" for addedValue. */
export function measureTitle(name: string, title = name): string {
    return TITLES[name] ?? plainColumn(title);
}

/** "rhsSupport" → "Rhs support", "yuleQ" → "Yule q": the heading of a column without a title. */
function plainColumn(name: string): string {
    if (name.toUpperCase() === name) return name;
    const words = name
        .replace(/_/g, ' ')
        .replace(/([a-z])([A-Z])/g, (_all, a: string, b: string) => `${a} ${b.toLowerCase()}`);
    return words.charAt(0).toUpperCase() + words.slice(1);
}
