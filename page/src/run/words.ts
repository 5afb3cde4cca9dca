// Words that several parts of a job's page share, such as the names of patterns and phases.
// SPDX-License-Identifier: Apache-2.0
import { count, plural, rough, seconds } from '../lib/format';
import type { Job, JobKind, JobProgress, JobState, Options } from '../lib/types';
import { measureTitle } from '../result/names';
import { topAsked } from './threshold';

const NOUNS: Record<JobKind, readonly [one: string, many: string]> = {
    itemsets: ['itemset', 'itemsets'],
    rules: ['rule', 'rules'],
    graphs: ['subgraph', 'subgraphs'],
};

/** "1 itemset", "1,234 rules", "2 subgraphs" */
export function patternsText(kind: JobKind, n: number): string {
    return `${count(n)} ${NOUNS[kind][n === 1 ? 0 : 1]}`;
}

/** What a search found, as a heading; for the best K, such as "The best 10 of 88 rules by lift". */
export function foundText(job: Job): string {
    const asked = topAsked(job);
    const ties = asked !== null && job.patterns > asked ? ` (${count(job.patterns)} with ties)` : '';
    if (asked === null || job.state !== 'done' || job.patterns === 0) return patternsText(job.kind, job.patterns);
    if (job.kind !== 'rules') return `The ${count(Math.min(asked, job.patterns))} most frequent ${NOUNS[job.kind][asked === 1 ? 0 : 1]}${ties}`;
    if (job.ranked <= job.patterns) return patternsText(job.kind, job.patterns);
    return `The best ${count(asked)} of ${patternsText(job.kind, job.ranked)} by ${byMeasure(job.ranked_by)}${ties}`;
}

const PEOPLE = /^(Fisher|Gini|Jaccard|Klosgen|Kulczynski|Laplace|Lerman|Ralambondrainy|Sebag|Yates|Yule|Zhang)\b/;

/** A measure within a sentence: "held-out lift"; names of people and abbreviations stay as they are. */
export function byMeasure(name: string | null, given?: string): string {
    const title = measureTitle(name ?? 'confidence', given);
    return /^[A-Z][a-z]/.test(title) && !PEOPLE.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
}

export function patternsWord(kind: JobKind): string {
    return NOUNS[kind][1];
}

/** What the algorithms of a comparison count: for rules, the itemsets from which rules are made afterwards. */
export function comparedText(kind: JobKind, n: number): string {
    return kind === 'rules' ? `${patternsText('itemsets', n)} behind the rules` : patternsText(kind, n);
}

export function comparedWord(kind: JobKind): string {
    return patternsWord(kind === 'rules' ? 'itemsets' : kind);
}

/** What the threshold counts. */
export function ofWhat(kind: JobKind): string {
    return kind === 'graphs' ? 'graphs' : 'transactions';
}

export function isOver(state: JobState): boolean {
    return state !== 'queued' && state !== 'running';
}

export function hasResult(state: JobState): boolean {
    return state === 'done' || state === 'kept' || state === 'limit';
}

const PHASES: Record<string, string> = {
    wait: 'Waiting for threads and memory',
    read: 'Reading the file',
    mine: 'Searching',
    write: 'Writing the result',
    query: 'Querying the result',
};

export function phaseText(phase: string | undefined): string {
    return PHASES[phase ?? ''] ?? 'Starting';
}

/** "about 12 s (8 s to 20 s)"; null: not known yet. */
export function leftText(progress: JobProgress | null): string | null {
    if (progress === null || progress.left === null || progress.left < 0) return null;
    const about = progress.left < 1 ? 'less than 1 s' : `about ${seconds(Math.round(progress.left))}`;
    const { left_least: least, left_most: most } = progress;
    if (least === null || most === null || least < 0 || most < 1 || Math.round(most) <= Math.round(least)) return about;
    return `${about} (${seconds(Math.max(0, Math.round(least)))} to ${seconds(Math.round(most))})`;
}

export function rateText(progress: JobProgress | null): string | null {
    return progress === null || progress.rate === null || progress.rate <= 0 ? null : `${rough(progress.rate)} per second`;
}

/** An option as text; lists are joined by commas. */
function optionText(options: Options, name: string): string | null {
    const value = options[name];
    return value === undefined ? null : Array.isArray(value) ? value.join(', ') : value;
}

export function thresholdText(job: Job): string | null {
    return optionText(job.options, 'min-support') ?? (job.min_count > 0 ? count(job.min_count) : null);
}

const SIGNS: Record<string, string> = { min: 'at least', max: 'at most' };

function boundText(bound: string, sign: string): string {
    const at = bound.indexOf('=');
    return `${byMeasure(bound.slice(0, at))} ${sign} ${bound.slice(at + 1)}`;
}

/** What a job looks for besides its threshold: "confidence at least 50%, productive". */
export function optionsText(options: Options): string {
    const out: string[] = [];
    const texts = (name: string): string[] => [options[name] ?? []].flat();
    for (const target of texts('target')) if (!target.startsWith('top:') && target !== 'all') out.push(target);
    for (const value of texts('min-confidence')) out.push(`confidence at least ${value}`);
    for (const side of ['min', 'max'])
        for (const bound of texts(side)) out.push(boundText(bound, SIGNS[side]!));
    if (options.productive === 'true') out.push('productive');
    for (const level of texts('significant')) out.push(`significant at ${level}`);
    for (const part of texts('holdout')) out.push(`${part} held out`);
    for (const size of texts('max-size')) out.push(`at most ${size} items`);
    for (const size of texts('max-edges')) out.push(`at most ${size} edges`);
    return out.join(', ');
}

/** How the data were cleaned before the search: "3 conditions leave rows out, case ignored"; empty: not at all. */
export function cleaningText({ read = {}, clean = {} }: Pick<Job, 'read' | 'clean'>): string {
    const rows = [read['drop-rows'] ?? []].flat().length;
    const has = (...names: string[]): boolean => names.some((name) => clean[name] !== undefined && clean[name] !== 'false');
    return [
        rows > 0 ? `${plural(rows, 'condition leaves', 'conditions leave')} rows out` : '',
        has('fold-case') ? 'case ignored' : '',
        has('fold-accents') ? 'accents ignored' : '',
        has('map-text') ? 'names mapped' : '',
        has('drop', 'min-item-support', 'max-item-support') ? 'some items dropped' : '',
        has('min-basket', 'max-basket', 'unique-baskets') ? 'some transactions dropped' : '',
        Object.keys(clean).length > 0 && clean['keep-blanks'] !== 'true' ? 'extra spaces removed' : '',
    ]
        .filter((text) => text !== '')
        .join(', ');
}

/** The device of a job: "cpu*2 (avx2)" → "2 cores"; others as they are. */
export function deviceText(device: string): string {
    const cores = /^cpu\*(\d+)(?: \([^)]*\))?$/.exec(device);
    return cores === null ? device : plural(Number(cores[1]), 'core');
}
