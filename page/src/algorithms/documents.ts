// The forms in which documents.js hands over the documents of the project. SPDX-License-Identifier: Apache-2.0

/** Text, or text that is code, strong, emphasised or a link. */
export type Inline = string | ['code', string] | ['strong', Inline[]] | ['em', Inline[]] | ['a', string, Inline[]];

export interface TableBlock {
    kind: 'table';
    head: Inline[][];
    rows: Inline[][][];
}

export interface ChartBlock {
    kind: 'chart';
    /** "003", or null for a document that is not about a paper. */
    paper: string | null;
    document: string;
    title: string;
    caption: string;
    x: string;
    xs: string[];
    series: { name: string; values: (number | null)[] }[];
}

export type Block =
    | { kind: 'h'; level: number; text: Inline[] }
    | { kind: 'p'; text: Inline[] }
    | { kind: 'ul'; items: Inline[][] }
    | { kind: 'pre'; text: string }
    | { kind: 'drawing'; name: string }
    | TableBlock
    | ChartBlock;

export type Verdict = 'holds' | 'better' | 'fails' | 'open' | 'none';

export interface AlgorithmEntry {
    key: string;
    title: string;
    names: string[];
    kind: string;
    brief: Inline[];
    paper: string | null;
    tally: Partial<Record<Verdict, number>> | null;
}

export interface AlgorithmPage extends AlgorithmEntry {
    /** Authors, title and place of the paper. */
    citation: Inline[] | null;
    opening: Block[];
    sections: { title: string; blocks: Block[] }[];
}

export interface Figure {
    id: string;
    title: string;
    varied: string;
    answer: string;
    verdict: Verdict;
    about: Block[];
    tables: (TableBlock & { caption: Inline[] })[];
    claim: Inline[] | null;
    repeat: string;
    why: Block[];
    notes: Block[];
}

export interface Paper {
    number: string;
    title: string;
    opening: Block[];
    figures: Figure[];
    measured: Block[];
    made: Block[];
}

export interface Glossary {
    terms: { words: string[]; meaning: Inline[]; part: string }[];
    measures: { name: string; also: string; says: string; formula: string; neutral: string; of: 'rules' | 'itemsets' }[];
}

export function plain(text: readonly Inline[]): string {
    return text.map((one) => (typeof one === 'string' ? one : one[0] === 'code' ? one[1] : plain(one[0] === 'a' ? one[2] : one[1]))).join('');
}
