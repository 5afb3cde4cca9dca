// diff.ts - the words of a comparison of two results
// SPDX-License-Identifier: Apache-2.0
import { count, number, share, when } from '../lib/format';
import { measureTitle } from '../result/names';
import type { DiffAnswer, DiffPart, DiffParts, GraphRow, Job, PatternRow, RuleRow } from '../lib/types';
import { topAsked } from './threshold';
import { byMeasure, foundText, hasResult, ofWhat, optionsText, patternsText, patternsWord } from './words';

export type DiffRow = PatternRow | RuleRow | GraphRow;

/** The results that can be compared with this one, newest first. */
export function comparable(job: Job, jobs: readonly Job[]): Job[] {
    return jobs.filter((other) => other.id !== job.id && other.kind === job.kind && hasResult(other.state));
}

/** "at least 2% of transactions" */
export function supportText(job: Job): string {
    return job.min_count && job.total ? `${share(job.min_count / job.total)} (${count(job.min_count)})` : 'no threshold';
}

/** A result in the menu of another one: "2% (197) · 812 rules · confidence at least 50% · today 14:05". */
export function choiceText(job: Job, here: Job): string {
    const data = job.fingerprint !== here.fingerprint ? 'other rows or cleaning' : '';
    return [job.name, supportText(job), foundText(job), optionsText(job.options), data, when(job.created)].filter((text) => text !== '').join(' · ');
}

/** The parts in the order of the page. */
export const PARTS: readonly DiffPart[] = ['only', 'excluded', 'other-only', 'other-excluded', 'changed', 'same'];

export function both(parts: DiffParts): number {
    return parts.changed + parts.same;
}

export function onlyHere(parts: DiffParts): number {
    return parts.only + parts.excluded;
}

export function onlyThere(parts: DiffParts): number {
    return parts['other-only'] + parts['other-excluded'];
}

/** The part that is shown first: what differs, and if nothing does, what is the same. */
export function firstPart(parts: DiffParts): DiffPart {
    const order: DiffPart[] = ['only', 'other-only', 'changed', 'excluded', 'other-excluded', 'same'];
    return order.find((part) => parts[part] > 0) ?? 'same';
}

export const PART_TITLES: Record<DiffPart, string> = {
    only: 'Only in this result',
    excluded: 'Only here, below the other thresholds',
    'other-only': 'Only in the other result',
    'other-excluded': 'Only there, below these thresholds',
    changed: 'In both, with other counts',
    same: 'In both, with equal counts',
};

/** The thresholds of a search in words: "in at least 2% (197) of the transactions, confidence at least 50%". */
function thresholds(job: Job): string {
    const bounds = optionsText(Object.fromEntries(Object.entries(job.options).filter(([name]) => ['min-confidence', 'min', 'max', 'max-size', 'max-edges'].includes(name))));
    return `in at least ${supportText(job)} of the ${ofWhat(job.kind)}${bounds === '' ? '' : `, ${bounds}`}`;
}

/** Why a search lacks patterns that meet its thresholds: what it kept only, where the search that has them did not. */
function kept(by: Job, has: Job): string {
    const things = patternsWord(by.kind);
    const set = (job: Job, name: string): string => String(job.options[name] ?? '');
    const best = topAsked(by);
    const target = [set(by, 'target')].filter((one) => one === 'closed' || one === 'maximal');
    const only = [
        ...(best !== null && best !== topAsked(has) ? [by.kind === 'rules' ? `the best ${count(best)} by ${byMeasure(by.ranked_by)}` : `the ${count(best)} most frequent`] : []),
        ...(target.length > 0 && target[0] !== set(has, 'target') ? [`${target[0]} ${things}`] : []),
        ...(['productive', 'significant'] as const).filter((name) => set(by, name) !== '' && set(by, name) !== set(has, name)).map((name) => `${name} ${things}`),
    ];
    return only.join(', and of these ');
}

/** What a part means, in a sentence. */
export function partText(part: DiffPart, job: Job, other: Job, answer: DiffAnswer): string {
    const n = answer.parts[part];
    if (n === 0) return `There are no such ${patternsWord(job.kind)}.`;
    const these = `${patternsText(job.kind, n)} ${n === 1 ? 'is' : 'are'}`;
    const it = n === 1 ? 'it' : 'them';
    /** Why patterns are missing: what the search kept only, or else that its thresholds are no reason. */
    const why = (by: Job, has: Job, name: string): string => {
        const only = kept(by, has);
        if (only !== '') return answer.same_data ? `: ${n === 1 ? 'it meets' : 'they meet'} the thresholds of ${name}, but that kept only ${only}` : `: ${name} kept only ${only}`;
        return answer.same_data ? `, although ${n === 1 ? 'it meets' : 'they meet'} the thresholds of ${name}` : '';
    };
    switch (part) {
        case 'only':
            return `${these} only in this result${why(other, job, 'the other search')}.`;
        case 'other-only':
            return `${these} only in the other result${why(job, other, 'this search')}.`;
        case 'excluded':
            return `The other search could not find ${it}: it looked only for ${patternsWord(job.kind)} ${thresholds(other)}. That ${n === 1 ? 'it is' : 'they are'} missing there says nothing about the data.`;
        case 'other-excluded':
            return `This search could not find ${it}: it looked only for ${patternsWord(job.kind)} ${thresholds(job)}. That ${n === 1 ? 'it is' : 'they are'} missing here says nothing about the data.`;
        case 'changed':
            return `${these} in both results, with other counts.${n > 1 && n <= 100_000 ? ' The largest change is first.' : ''}`;
        case 'same':
            return `${these} in both results, with the same counts.`;
    }
}

/** A setting that is not the same in both searches. */
export interface Difference {
    what: string;
    here: string;
    there: string;
}

/** Options that do not change what a search finds, and those that `settings` words in its own way. */
const WORDED = new Set([
    'threads', 'device', 'algorithm', 'measure', 'interval', 'min-support', 'min-confidence', 'min', 'max', 'target', 'top', 'sort-by',
    'productive', 'significant', 'adjust', 'holdout',
]);
const METHODS: Record<string, string> = { bh: 'Benjamini-Hochberg', by: 'Benjamini-Yekutieli', holm: 'Holm', bonferroni: 'Bonferroni' };

/** The settings of a search by their names on the page; what is not set is missing. */
function settings(job: Job): Map<string, string> {
    const out = new Map<string, string>();
    const texts = (name: string): string[] => [job.options[name] ?? []].flat();
    const put = (what: string, value: string | undefined): unknown => value !== undefined && out.set(what, value);
    put('Threshold', supportText(job));
    put('Confidence, at least', texts('min-confidence')[0]);
    for (const side of ['min', 'max'])
        for (const bound of texts(side)) {
            const at = bound.indexOf('=');
            put(`${measureTitle(bound.slice(0, at))}, at ${side === 'min' ? 'least' : 'most'}`, bound.slice(at + 1));
        }
    const best = topAsked(job);
    put('Kept', best === null ? 'all' : job.kind === 'rules' ? `the best ${count(best)} by ${byMeasure(job.ranked_by)}` : `the ${count(best)} most frequent`);
    put('Patterns', texts('target').filter((one) => !one.startsWith('top:') && one !== 'all').join(', ') || 'all');
    if (texts('productive')[0] === 'true') put('Only productive rules', 'yes');
    put('Only rules with a p-value of at most', texts('significant')[0]);
    put('p-values adjusted by', METHODS[texts('adjust')[0] ?? '']);
    put('Held out for tests', texts('holdout')[0]);
    for (const name of Object.keys(job.options))
        if (!WORDED.has(name)) put(name.replaceAll('-', ' ').replace(/^./, (letter) => letter.toUpperCase()), texts(name).join(', ').replace(/^true$/, 'yes').replace(/^false$/, 'no'));
    return out;
}

/** All settings that differ, thresholds first. */
export function differences(job: Job, other: Job): Difference[] {
    const [here, there] = [settings(job), settings(other)];
    const none = (what: string): string => (what.startsWith('Only ') ? 'no' : 'none');
    return [...new Set([...here.keys(), ...there.keys()])]
        .map((what) => ({ what, here: here.get(what) ?? none(what), there: there.get(what) ?? none(what) }))
        .filter((one) => one.here !== one.there);
}

/** The measures of a row that the comparison shows. */
export function measuresOf(kind: Job['kind']): { name: string; title: string }[] {
    const support = { name: 'support', title: 'Support' };
    return kind === 'rules' ? [support, { name: 'confidence', title: 'Confidence' }, { name: 'lift', title: 'Lift' }] : [support];
}

export function valueOf(row: DiffRow, name: string): number {
    const value: unknown = name === 'count' && 'both' in row ? row.both : (row as unknown as Record<string, unknown>)[name];
    return typeof value === 'number' ? value : value === 'inf' ? Infinity : NaN;
}

export function valueText(name: string, value: number): string {
    return name === 'lift' ? number(value, 3) : share(value);
}

/** "+1.2 points", "−0.3": how much a value changed. */
export function changeText(name: string, here: number, there: number): string {
    const by = there - here;
    if (!Number.isFinite(by)) return '';
    const text = name === 'lift' ? number(Math.abs(by), 2) : `${number(Math.abs(by) * 100, 2)} points`;
    return by === 0 ? 'no change' : `${by > 0 ? '+' : '−'}${text}`;
}
