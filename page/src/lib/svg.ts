// Saves a plot as SVG, or its numbers as CSV. An SVG file has no style sheet, so the computed styles are written into a
// copy of the drawing.
// SPDX-License-Identifier: Apache-2.0

const PROPERTIES = [
    'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap',
    'stroke-linejoin', 'opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline',
] as const;

function settle(from: Element, to: Element): void {
    const style = getComputedStyle(from);
    for (const name of PROPERTIES) {
        const value = style.getPropertyValue(name);
        if (value !== '') to.setAttribute(name, value);
    }
    to.removeAttribute('class');
    for (let i = 0; i < from.children.length; i++) settle(from.children[i]!, to.children[i]!);
}

/** The SVG as text, styles included. */
export function svgText(svg: SVGSVGElement): string {
    const copy = svg.cloneNode(true) as SVGSVGElement;
    settle(svg, copy);
    const { width, height } = svg.getBoundingClientRect();
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('width', String(Math.round(width)));
    copy.setAttribute('height', String(Math.round(height)));
    return new XMLSerializer().serializeToString(copy);
}

/** Downloads a text as a file. */
export function saveText(text: string, type: string, name: string): void {
    const url = URL.createObjectURL(new Blob([text], { type }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function saveSvg(svg: SVGSVGElement, name: string): void {
    saveText(svgText(svg), 'image/svg+xml', name);
}

/** A CSV cell (RFC 4180). Text that a spreadsheet would read as a formula gets a leading apostrophe. */
export function csvCell(value: string | number | null): string {
    const formula = typeof value === 'string' && /^[=+\-@\u0000-\u001f\uff1d\uff0b\uff0d\uff20]/.test(value);
    const text = (formula ? "'" : '') + String(value ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Rows as CSV (RFC 4180). */
export function csvText(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
    return [columns, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';
}
