// Saves a plot as SVG or PNG, or its numbers as CSV. A file has no style sheet, so the computed styles are written into a
// copy of the drawing. The copy also gets the background of the page, and its title.
// SPDX-License-Identifier: Apache-2.0

import { cut } from './format';

/** Inherited properties: written where they differ from those of the parent. */
const INHERITED = [
    'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap', 'stroke-linejoin',
    'paint-order', 'font-family', 'font-size', 'font-weight', 'font-style', 'text-anchor', 'dominant-baseline', 'visibility',
] as const;
const COLOURS = new Set<string>(['fill', 'stroke', 'stop-color']);
/** Attributes that only the page needs. */
const LIVE = /^(class|style|tabindex|role|aria-.*|data-.*)$/;

/** Characters that XML does not allow; item names may contain them. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const MARGIN = 16;
const TITLE = 30;
const FOOT = 20;
const LINE = 15;
const LINES = 4; // of a caption, at most

/** What the plots of the view show: data set, filters and threshold, in parts between which a line may end. It stands below
 *  every saved picture. */
let caption: readonly string[] = [];
export function setCaption(parts: readonly string[]): void {
    caption = parts.filter((part) => part !== '');
}

/** The parts of a caption in lines of at most `most` letters. */
function captionLines(parts: readonly string[], most: number): string[] {
    const out: string[] = [];
    for (const part of parts) {
        const last = out.at(-1);
        if (last !== undefined && last.length + part.length + 3 <= most) out[out.length - 1] = `${last} · ${part}`;
        else out.push(cut(part, most));
    }
    return out.length <= LINES ? out : [...out.slice(0, LINES - 1), cut(out.slice(LINES - 1).join(' · '), most)];
}

let pixel: CanvasRenderingContext2D | null | undefined;
const known = new Map<string, string>();

/** A colour as #rrggbb or rgba(): programs that draw SVG do not know color-mix() and oklab(). */
function plainColour(text: string): string {
    if (!/^(color|oklab|oklch|lab|lch)/.test(text)) return text;
    let out = known.get(text);
    if (out !== undefined) return out;
    pixel ??= Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
    if (pixel === null) return text;
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = text;
    pixel.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
    out = a === 255 ? `rgb(${r}, ${g}, ${b})` : `rgba(${r}, ${g}, ${b}, ${(a! / 255).toFixed(3)})`;
    known.set(text, out);
    return out;
}

function settle(from: Element, to: Element, above: CSSStyleDeclaration | null): void {
    const style = getComputedStyle(from);
    for (const { name } of [...to.attributes]) if (LIVE.test(name)) to.removeAttribute(name);
    for (const name of INHERITED) {
        const value = style.getPropertyValue(name);
        if (value === '' || (above !== null && above.getPropertyValue(name) === value && !to.hasAttribute(name))) continue;
        to.setAttribute(name, COLOURS.has(name) ? plainColour(value) : value);
    }
    if (style.opacity !== '1') to.setAttribute('opacity', style.opacity);
    if (from.tagName === 'stop') to.setAttribute('stop-color', plainColour(style.getPropertyValue('stop-color')));
    for (let i = 0; i < from.children.length; i++) settle(from.children[i]!, to.children[i]!, style);
}

const NS = 'http://www.w3.org/2000/svg';

function element(name: string, values: Record<string, string | number>): Element {
    const out = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(values)) out.setAttribute(key, String(value));
    return out;
}

/** The drawing with its styles, a background, a margin and a title; and its size in pixels. Parts of class `cursor` are left out. */
export function svgFile(svg: SVGSVGElement, title = ''): { text: string; width: number; height: number } {
    const box = svg.viewBox.baseVal;
    const shown = svg.getBoundingClientRect();
    const [x, y, width, height] = box && box.width > 0 ? [box.x, box.y, box.width, box.height] : [0, 0, shown.width, shown.height];
    const scale = shown.width > 0 ? width / shown.width : 1;
    const copy = svg.cloneNode(true) as SVGSVGElement;
    settle(svg, copy, null);
    const marks = [...svg.querySelectorAll('*')];
    [...copy.querySelectorAll('*')].forEach((one, i) => marks[i]!.classList.contains('cursor') && one.remove());

    const margin = MARGIN * scale;
    const above = title === '' ? 0 : TITLE * scale;
    const lines = captionLines(caption, Math.max(20, Math.floor(width / scale / 6))); // a letter is about 6 pixels wide
    const below = lines.length === 0 ? 0 : (FOOT + (lines.length - 1) * LINE) * scale;
    const full = { x: x - margin, y: y - margin - above, width: width + 2 * margin, height: height + 2 * margin + above + below };
    const page = getComputedStyle(document.documentElement);
    const start: Element[] = [element('rect', { ...full, fill: page.getPropertyValue('--surface').trim(), stroke: 'none' })];
    if (title !== '') {
        const head = element('text', {
            x, y: y - margin, fill: page.getPropertyValue('--ink').trim(), stroke: 'none', 'font-family': page.fontFamily,
            'font-size': 15 * scale, 'font-weight': 650, 'text-anchor': 'start',
        });
        head.textContent = title;
        start.push(head);
    }
    for (const [i, line] of lines.entries()) {
        const foot = element('text', {
            x, y: y + height + margin + (FOOT / 4 + i * LINE) * scale, fill: page.getPropertyValue('--ink-soft').trim(), stroke: 'none', 'font-family': page.fontFamily,
            'font-size': 11 * scale, 'font-weight': 400, 'text-anchor': 'start',
        });
        foot.textContent = line;
        start.push(foot);
    }
    copy.prepend(...start);
    const size = { width: Math.round(full.width / scale), height: Math.round(full.height / scale) };
    copy.setAttribute('viewBox', `${full.x} ${full.y} ${full.width} ${full.height}`);
    copy.setAttribute('width', String(size.width));
    copy.setAttribute('height', String(size.height));
    copy.setAttribute('xmlns', NS);
    const text = new XMLSerializer().serializeToString(copy).replaceAll(FORBIDDEN, '\ufffd');
    return { text, ...size };
}

function save(file: Blob, name: string): void {
    const url = URL.createObjectURL(file);
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Downloads a text as a file. */
export function saveText(text: string, type: string, name: string): void {
    save(new Blob([text], { type }), name);
}

export function saveSvg(svg: SVGSVGElement, name: string, title = ''): void {
    saveText(svgFile(svg, title).text, 'image/svg+xml', name);
}

/** About as wide as a slide or a printed page, and at least as sharp as the screen. */
const PNG_WIDTH = 2000;

/** Downloads the drawing as PNG, at two to four times its size on the screen. */
export async function savePng(svg: SVGSVGElement, name: string, title = ''): Promise<void> {
    const { text, width, height } = svgFile(svg, title);
    const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    try {
        const image = new Image();
        image.src = url;
        await image.decode();
        const scale = Math.max(2, Math.min(4, PNG_WIDTH / width));
        const canvas = Object.assign(document.createElement('canvas'), { width: Math.round(width * scale), height: Math.round(height * scale) });
        canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
        const file = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
        if (file === null) throw new Error('The browser could not draw the picture. Save it as SVG.');
        save(file, name);
    } finally {
        URL.revokeObjectURL(url);
    }
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
