// What the page takes from the documents of the project when it is built, so that no sentence and no number is written twice:
//   virtual:glossary       the words of docs/glossary.md and the measures of docs/measures.md
//   virtual:papers/NNN     docs/papers/NNN.md with its further pages: figures, tables, claims and verdicts
//   virtual:algorithms     the list of src/algorithms/pages/*.md, and how many claims of each paper hold
//   src/algorithms/pages/NAME.md   a text in Markdown, in which
//       {{DOCUMENT > SECTION > ROW > COLUMN}}   is a cell of a table; ROW `*` is the range over all rows, COLUMN `A / B` a ratio,
//                                               `SECTION #2` takes the second table, and `as %` shows a share as a percentage
//       @chart DOCUMENT > SECTION > A; B        is a chart of columns A and B; without columns, of all. `| TITLE | CAPTION` at the
//                                               end replaces the title of the section and what is above the table
//       @drawing NAME                           is a drawing of drawings.ts
// A cell, a column or a section that does not exist stops the build. The parser knows the Markdown that these documents use.
// SPDX-License-Identifier: Apache-2.0
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCS = fileURLToPath(new URL('../docs/', import.meta.url));
const PAGES = fileURLToPath(new URL('src/algorithms/pages/', import.meta.url));

// ---- Markdown ----

const INLINE = /`([^`]+)`|\*\*(.+?)\*\*|\*([^*\s](?:[^*]*[^*\s])?)\*|\[\^[^\]]+\]|!?\[([^\]]*)\]\(([^)\s]+)\)|\\([\\|*_`])|<br>/;

/** Where a link to a document leads on the page; null: the document is not part of the page. */
function address(target) {
    const paper = /(?:^|\/)(\d{3})(?:-\d)?\.md/.exec(target)?.[1];
    if (paper !== undefined) return `#/papers/${paper}`;
    return /^#\//.test(target) ? target : null;
}

/** Text as a list of strings and [kind, ...]: code, strong, em, a. */
export function inline(text) {
    const out = [];
    let rest = text.replace(/\s+/g, ' ');
    for (let found = INLINE.exec(rest); found !== null; found = INLINE.exec(rest)) {
        if (found.index > 0) out.push(rest.slice(0, found.index));
        const [whole, code, strong, em, words, target, escaped] = found;
        if (code !== undefined) out.push(['code', code.replaceAll('\\|', '|')]);
        else if (strong !== undefined) out.push(['strong', inline(strong)]);
        else if (em !== undefined) out.push(['em', inline(em)]);
        else if (words !== undefined) {
            const to = address(target);
            if (to === null) out.push(...inline(words));
            else out.push(['a', to, inline(words)]);
        } else if (escaped !== undefined) out.push(escaped);
        else if (whole === '<br>') out.push(' ');
        rest = rest.slice(found.index + whole.length);
    }
    if (rest !== '') out.push(rest);
    return out;
}

/** The text without its marks. */
export function plain(tokens) {
    return tokens.map((token) => (typeof token === 'string' ? token : token[0] === 'code' ? token[1] : plain(token.at(-1)))).join('');
}

function cells(line) {
    return line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/** The blocks of a document: { kind: 'h', level, text } | p | ul | table | pre | at. */
export function blocks(text) {
    const out = [];
    const lines = text.replace(/<!--[^]*?-->/g, '').split('\n');
    for (let i = 0; i < lines.length; ) {
        const line = lines[i];
        const head = /^(#+) (.*)/.exec(line);
        if (line.trim() === '' || /^\[\^/.test(line)) i++;
        else if (head !== null) {
            out.push({ kind: 'h', level: head[1].length, text: inline(head[2]) });
            i++;
        } else if (line.startsWith('```')) {
            const end = lines.indexOf('```', i + 1);
            out.push({ kind: 'pre', text: lines.slice(i + 1, end).join('\n') });
            i = end + 1;
        } else if (line.startsWith('@')) {
            out.push({ kind: 'at', text: line.slice(1) });
            i++;
        } else if (line.startsWith('|')) {
            const rows = [];
            for (; i < lines.length && lines[i].startsWith('|'); i++) rows.push(cells(lines[i]));
            out.push({ kind: 'table', head: rows[0].map(inline), rows: rows.slice(2).map((row) => row.map(inline)) });
        } else if (line.startsWith('- ')) {
            const items = [];
            for (; i < lines.length && /^(- |  )/.test(lines[i]); i++) {
                if (lines[i].startsWith('- ')) items.push(lines[i].slice(2));
                else items.push(`${items.pop()} ${lines[i].trim()}`);
            }
            out.push({ kind: 'ul', items: items.map(inline) });
        } else {
            const words = [];
            for (; i < lines.length && lines[i].trim() !== '' && !/^([#|@]|```|- )/.test(lines[i]); i++) words.push(lines[i]);
            if (!/^!\[/.test(words[0])) out.push({ kind: 'p', text: inline(words.join(' ')) });
        }
    }
    return out;
}

/** The sections below the headings of level 2, and what is above the first of them. */
function sections(all) {
    const out = [{ title: '', blocks: [] }];
    for (const block of all)
        if (block.kind === 'h' && block.level === 2) out.push({ title: plain(block.text), blocks: [] });
        else if (block.kind !== 'h' || block.level > 2) out.at(-1).blocks.push(block);
    return out;
}

// ---- documents ----

/** A document of docs/, or a paper with all of its pages. */
function load(name) {
    const files = [`${name}.md`];
    while (existsSync(join(DOCS, `${name}-${files.length + 1}.md`))) files.push(`${name}-${files.length + 1}.md`);
    const paths = files.map((file) => join(DOCS, file));
    return { name, paths, texts: paths.map((path) => readFileSync(path, 'utf8')) };
}

function sectionsOf(document) {
    return document.texts.flatMap((text) => sections(blocks(text)));
}

const VERDICTS = { Holds: 'holds', 'Better than claimed': 'better', 'Does not hold': 'fails', 'Cannot be answered here': 'open', 'Nothing is claimed': 'none' };

/** Text in parts, without what is between them. */
function split(tokens, between) {
    const out = [[]];
    for (const token of tokens) {
        const parts = typeof token === 'string' ? token.split(between) : [token];
        for (const [i, part] of parts.entries()) {
            if (i > 0) out.push([]);
            if (part !== '') out.at(-1).push(part);
        }
    }
    return out;
}

/** The text of a verdict: sentences, and those that only list numbers as lists. */
function reasons(tokens) {
    const out = [];
    for (const sentence of split(tokens, /(?<=[.)]) (?=[A-Z])/)) {
        const items = split(sentence, /; /);
        if (items.length < 3) {
            if (out.at(-1)?.kind === 'p') out.at(-1).text.push(' ', ...sentence);
            else out.push({ kind: 'p', text: [...sentence] });
            continue;
        }
        const [first, ...rest] = split(items[0], /: /);
        if (rest.length > 0) {
            out.push({ kind: 'p', text: [...first, ':'] });
            items[0] = rest.flatMap((part, i) => (i === 0 ? part : [': ', ...part]));
        }
        out.push({ kind: 'ul', items });
    }
    return out;
}

/** A paper of docs/papers: its opening, its figures, and how the numbers were made. */
function paper(number) {
    const document = load(`papers/${number}`);
    const [first, ...others] = sectionsOf(document);
    const title = /^# \d+: (.*)/.exec(document.texts[0])[1];
    const short = others.find((one) => one.title === 'In short');
    const summary = short.blocks.find((one) => one.kind === 'table').rows.map((row) => row.map(plain));
    const made = others.find((one) => one.title === 'Commands and data');
    const parts = others.filter((one) => one !== short && one !== made && one.title !== '');
    if (parts.length !== summary.length) throw new Error(`docs/papers/${number}.md: ${summary.length} answers for ${parts.length} figures`);
    const figures = parts.map(({ title: heading, blocks: all }, i) => {
        const [id, varied, answer] = summary[i];
        if (!heading.endsWith(varied)) throw new Error(`docs/papers/${number}.md: ${heading} is not about ${varied}`);
        const figure = { id: id.replace(/[^a-z0-9]+/gi, '-').replace(/^-|-$/g, '').toLowerCase(), title: heading, varied, answer, verdict: '', about: [], tables: [], claim: null, repeat: '', why: [], notes: [] };
        let caption = [];
        for (const block of all) {
            const text = block.kind === 'p' ? plain(block.text) : '';
            const word = block.kind === 'p' && Array.isArray(block.text[0]) && block.text[0][0] === 'strong' ? plain(block.text[0][1]).replace(/\.$/, '') : '';
            if (block.kind === 'table') {
                figure.tables.push({ caption, ...block });
                caption = [];
            } else if (word === 'Claim') figure.claim = block.text.slice(1);
            else if (word in VERDICTS) {
                figure.verdict ||= VERDICTS[word];
                figure.why.push(...reasons(block.text));
            } else if (/^Repeat it:/.test(text)) figure.repeat = block.text[1][1];
            else if (/^At paper\.$|^At small\.$/.test(text)) continue;
            else if (text.endsWith(':') && block.kind === 'p') caption = block.text;
            else if (figure.tables.length === 0) figure.about.push(block);
            else figure.notes.push(block);
        }
        if (figure.verdict === '') throw new Error(`docs/papers/${number}.md: ${heading} has no verdict`);
        return figure;
    });
    const measured = short.blocks.filter((one) => one.kind === 'p');
    return { number, title: title.charAt(0).toUpperCase() + title.slice(1), opening: first.blocks, figures, measured, made: made?.blocks ?? [], paths: document.paths };
}

/** How many figures of a paper have each verdict. */
function tally(figures) {
    const out = {};
    for (const { verdict } of figures) out[verdict] = (out[verdict] ?? 0) + 1;
    return out;
}

// ---- numbers ----

function number(text) {
    const found = /^~?(-?[\d,]+(?:\.\d+)?(?:e[-+]?\d+)?)(?:$|[\s%(])/.exec(text.trim());
    return found === null ? null : Number(found[1].replaceAll(',', ''));
}

function table(reference, where) {
    const [name, place] = reference;
    const [, title, nth] = /^(.*?)(?: #(\d+))?$/.exec(place);
    const document = load(name);
    const section = sectionsOf(document).find((one) => one.title === title);
    if (section === undefined) throw new Error(`${where}: docs/${name}.md has no section "${title}"`);
    const all = section.blocks;
    const at = all.filter((one) => one.kind === 'table')[Number(nth ?? 1) - 1];
    if (at === undefined) throw new Error(`${where}: docs/${name}.md, "${title}": no table ${nth ?? 1}`);
    const before = all[all.indexOf(at) - 1];
    const caption = before?.kind === 'p' ? plain(before.text).replace(/:$/, '') : '';
    const head = at.head.map((cell) => plain(cell).replace(/ \*$/, ''));
    return { name, title, caption, head, rows: at.rows.map((row) => row.map(plain)), paths: document.paths };
}

const short = (value) => (value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(2))));

/** The text of {{DOCUMENT > SECTION > ROW > COLUMN}}. */
export function cell(reference, where) {
    const parts = reference.split(' > ').map((part) => part.trim());
    if (parts.length !== 4) throw new Error(`${where}: {{${reference}}} is not DOCUMENT > SECTION > ROW > COLUMN`);
    const [, , row, wanted] = parts;
    const column = wanted.replace(/ as %$/, '');
    const from = table(parts, where);
    const columnOf = (name) => {
        const at = from.head.indexOf(name);
        if (at < 0) throw new Error(`${where}: docs/${from.name}.md, "${from.title}": no column "${name}"; there are: ${from.head.join('; ')}`);
        return at;
    };
    const rows = row === '*' ? from.rows : from.rows.filter((one) => one[0] === row);
    if (rows.length === 0) throw new Error(`${where}: docs/${from.name}.md, "${from.title}": no row "${row}"; there are: ${from.rows.map((one) => one[0]).join('; ')}`);
    const ratio = from.head.includes(column) ? null : column.split(' / ');
    if (ratio !== null && ratio.length !== 2) columnOf(column);
    if (ratio === null && row !== '*') {
        const text = rows[0][columnOf(column)];
        return column === wanted ? text : `${Math.round(100 * number(text))}%`;
    }
    const [a, b] = ratio === null ? [columnOf(column), null] : ratio.map(columnOf);
    const values = rows.map((one) => [number(one[a]), b === null ? 1 : number(one[b])]).filter(([x, y]) => x > 0 && y > 0).map(([x, y]) => x / y);
    if (values.length === 0) throw new Error(`${where}: {{${reference}}}: no number`);
    const [low, high] = [short(Math.min(...values)), short(Math.max(...values))];
    return low === high ? low : `${low} to ${high}`;
}

/** The numbers of @chart DOCUMENT > SECTION > A; B. */
function chart(reference, where) {
    const [source, title, caption] = reference.split(' | ').map((part) => part.trim());
    const [name, place, columns] = source.split(' > ').map((part) => part.trim());
    const from = table([name, place], where);
    const wanted = columns === undefined ? from.head.slice(1).filter((one) => one !== 'patterns') : columns.split(';').map((one) => one.trim());
    const series = wanted.map((own) => {
        const at = from.head.indexOf(own);
        if (at < 0) throw new Error(`${where}: docs/${from.name}.md, "${from.title}": no column "${own}"; there are: ${from.head.join('; ')}`);
        return { name: own, values: from.rows.map((row) => number(row[at])) };
    });
    const document = /^papers\/(\d{3})$/.exec(name)?.[1] ?? null;
    return { kind: 'chart', paper: document, document: `docs/${name}.md`, title: title ?? from.title, caption: caption ?? from.caption, x: from.head[0], xs: from.rows.map((row) => row[0]), series };
}

// ---- the texts about algorithms ----

function filled(text, where) {
    return text.replace(/\{\{([^}]+)\}\}/g, (_, reference) => cell(reference.replace(/\s+/g, ' '), where));
}

/** The page of an algorithm: the lines `key: value` below its title, its opening, its sections. */
function algorithm(path) {
    const where = `src/algorithms/pages/${basename(path)}`;
    const text = filled(readFileSync(path, 'utf8'), where);
    const keys = Object.fromEntries([...text.split('\n\n')[0].matchAll(/^(\w+): (.*)$/gm)].map(([, key, value]) => [key, value]));
    for (const key of ['algorithms', 'kind', 'brief']) if (keys[key] === undefined) throw new Error(`${where}: no line "${key}: …" below the title`);
    const body = text.slice(text.indexOf('\n\n') + 2);
    const all = blocks(body).map((block) => {
        if (block.kind !== 'at') return block;
        const [, word, rest] = /^(\w+) (.*)$/.exec(block.text);
        if (word === 'chart') return chart(rest, where);
        if (word === 'drawing') return { kind: 'drawing', name: rest };
        throw new Error(`${where}: @${word} is not known`);
    });
    const [opening, ...others] = sections(all);
    const number = keys.paper ?? null;
    return {
        key: basename(path, '.md'),
        title: /^# (.*)/.exec(text)[1],
        names: keys.algorithms.split(', '),
        kind: keys.kind,
        brief: inline(keys.brief),
        paper: number,
        tally: number === null ? null : tally(paper(number).figures),
        citation: number === null ? null : paper(number).opening[0].text,
        opening: opening.blocks,
        sections: others,
    };
}

const ORDER = ['adaptive', 'tensor', 'graft', 'frontier', 'eqclass', 'gspan', 'pbi', 'gpu-apriori', 'baselines'];

function index() {
    const keys = readdirSync(PAGES).filter((name) => name.endsWith('.md')).map((name) => basename(name, '.md'));
    const lost = [...ORDER.filter((key) => !keys.includes(key)), ...keys.filter((key) => !ORDER.includes(key))];
    if (lost.length > 0) throw new Error(`documents.js, ORDER: ${lost.join(', ')}`);
    return ORDER.map((key) => {
        const { opening: _, sections: __, citation: ___, ...rest } = algorithm(join(PAGES, `${key}.md`));
        return rest;
    });
}

/** All algorithms that have a page. */
export function algorithmNames() {
    return index().flatMap((one) => one.names);
}

// ---- the glossary ----

const SKIPPED = ['Programs and runs'];

/** A description as the page words it: the parts of a rule as everywhere on the page, a capital, and a full stop. */
const sentence = (text) =>
    `${text[0].toUpperCase()}${text.slice(1)}`.replace(/antecedent and consequent/gi, 'both parts').replace(/antecedent/g, 'if-part').replace(/consequent/g, 'then-part').replace(/\.?$/, '.');

/** The words of the glossary, and the measures with their formulas. */
export function glossary() {
    // References to other documents have no place here, and rules have if-parts and then-parts, as everywhere on the page.
    const source = readFileSync(join(DOCS, 'glossary.md'), 'utf8').replaceAll(/ \(\[[a-z-]+\.md\]\([^)]*\)\)/g, '');
    const parted = (text) => text.replaceAll(/ \((body|head)\)/g, '').replaceAll(/\ba body\b/g, 'an if-part').replaceAll(/\bbody\b/g, 'if-part').replaceAll(/\bhead\b/g, 'then-part');
    const parts = (spans) => spans.map((span) => (typeof span === 'string' ? parted(span) : span));
    const terms = sections(blocks(source)).filter((one) => one.title !== '' && !SKIPPED.includes(one.title)).flatMap(({ title, blocks: all }) =>
        all.filter((one) => one.kind === 'table').flatMap((one) => one.rows.map(([words, meaning]) => ({ words: plain(words).split(/, /), meaning: words.some((span) => /\bbody\b/.test(plain([span]))) ? meaning : parts(meaning), part: title }))),
    );
    const tables = blocks(readFileSync(join(DOCS, 'measures.md'), 'utf8')).filter((one) => one.kind === 'table' && plain(one.head[0]).startsWith('name'));
    const measures = tables.flatMap((one, i) => {
        const titles = one.head.map(plain);
        const at = (row, title) => row[titles.indexOf(title)];
        return one.rows.map((row) => ({
            name: plain(row[0][0][1]),
            also: plain(row[0].slice(1)).trim(),
            says: sentence(plain(at(row, 'what it says'))),
            formula: plain(at(row, 'formula')),
            neutral: plain(at(row, 'neutral') ?? []).replace('–', ''),
            of: i === 0 ? 'rules' : 'itemsets',
        }));
    });
    if (terms.length < 20 || measures.length < 50) throw new Error('docs/glossary.md or docs/measures.md: tables were not found');
    return { terms, measures };
}

// ---- the plugin ----

export function documents() {
    const VIRTUAL = /^virtual:(glossary|algorithms|papers\/\d{3})$/;
    return {
        name: 'documents',
        resolveId: (id) => (VIRTUAL.test(id) ? `\0${id}` : null),
        load(id) {
            if (!id.startsWith('\0virtual:')) return null;
            const name = id.slice('\0virtual:'.length);
            const watch = (paths) => paths.forEach((path) => this.addWatchFile(path));
            if (name === 'glossary') {
                watch([join(DOCS, 'glossary.md'), join(DOCS, 'measures.md')]);
                return `export default ${JSON.stringify(glossary())};`;
            }
            if (name === 'algorithms') return `export default ${JSON.stringify(index())};`;
            if (!name.startsWith('papers/')) return null;
            const { paths, ...rest } = paper(name.slice('papers/'.length));
            watch(paths);
            return `export default ${JSON.stringify(rest)};`;
        },
        transform(_, id) {
            return id.startsWith(PAGES) && id.endsWith('.md') ? { code: `export default ${JSON.stringify(algorithm(id))};`, map: null } : null;
        },
    };
}
