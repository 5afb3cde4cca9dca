// Computes the positions of the threshold slider, reads a typed threshold, and makes the options of the next job.
// SPDX-License-Identifier: Apache-2.0
import type { Job, JobKind, Options } from '../lib/types';
import { hasMeasure } from '../result/columns';

/** The slider goes down to the mined threshold divided by this; below that, searches may grow a lot. */
const DEEPER = 10;

/** Approximate number of slider positions; small ranges have one for every whole number. */
const PLACES = 180;

/** The counts at the positions of the slider, in ascending order and with about equal ratios: from a tenth of the mined
 *  threshold to the most frequent pattern. The mined threshold is one of them. */
export function ladder(job: Job, highest: number | null): number[] {
    const mined = Math.max(1, job.min_count);
    const min = Math.max(1, Math.floor(mined / DEEPER));
    const max = Math.max(highest ?? (job.total > 0 ? job.total : mined), mined + 1);
    const all = new Set([mined]);
    for (let i = 0; i <= PLACES; i++) all.add(Math.round(min * (max / min) ** (i / PLACES)));
    return [...all].sort((a, b) => a - b);
}

/** The position whose count is nearest to a given one. */
export function placeOn(counts: readonly number[], count: number): number {
    let best = 0;
    for (let i = 1; i < counts.length; i++) {
        if (Math.abs(counts[i]! - count) < Math.abs(counts[best]! - count)) best = i;
    }
    return best;
}

/** "250", "1%" or "0.01" as a count of at least 1; null: not a threshold. Shares are rounded up, as in the search. */
export function typedCount(text: string, total: number): number | null {
    const clean = text.trim().replaceAll(',', '');
    const percent = /^(\d+(?:\.\d+)?|\.\d+)\s*%$/.exec(clean);
    const value = percent ? Number(percent[1]) / 100 : Number(clean);
    if (clean === '' || !Number.isFinite(value) || value <= 0) return null;
    if (!percent && Number.isInteger(value) && !clean.includes('.')) return value;
    if (value > 1 || total <= 0) return null;
    return Math.max(1, Math.ceil(value * total - 1e-9));
}

/** A job with these options on the data of another job, read and cleaned in the same way, and of the same family. */
export function jobLike(from: Job, options: Options): { dataset: number; kind: JobKind; options: Options; from: number; read?: Options; clean?: Options } {
    return { dataset: from.dataset, kind: from.kind, options, from: from.id, ...(from.read && { read: from.read }), ...(from.clean && { clean: from.clean }) };
}

/** A minimum count as the shortest share that gives this count: "0.59%" for 23 of 3,893. A search of a part of the data is
 *  then as strict. */
export function shareKept(count: number, total: number): string {
    for (let digits = 1; ; digits++) {
        // Cut, not rounded: the search rounds a count up.
        const text = (Math.floor((count / total) * 100 * 10 ** digits) / 10 ** digits).toFixed(digits);
        if (digits === 12 || typedCount(`${text}%`, total) === count) return `${text.replace(/\.?0+$/, '')}%`;
    }
}

/** The same search for all patterns instead of the best K. */
export function withoutTop(options: Options): Options {
    const next = { ...options };
    const target = next.target;
    if (typeof target === 'string' && target.startsWith('top:')) delete next.target;
    delete next.top;
    return next;
}

/** The same search with another minimum count. The best rules are chosen anew; the most frequent itemsets or subgraphs do not
 *  depend on a threshold, so a search for them becomes one for all. */
export function lowerOptions(job: Job, count: number): Options {
    return { ...(job.kind === 'rules' ? job.options : withoutTop(job.options)), 'min-support': String(count) };
}

/** The same search for the best K: the most frequent patterns, or the best rules by a measure. least: a threshold chosen
 *  since; null: that of the job. */
export function topOptions(job: Job, best: number, measure: string, least: number | null): Options {
    const next: Options = withoutTop(job.options);
    if (least !== null) next['min-support'] = String(least);
    return job.kind === 'rules' ? { ...next, 'sort-by': measure, top: String(best) } : { ...next, target: `top:${best}` };
}

/** The K of a job that was asked for the best K; null: all. */
export function topAsked(job: Job): number | null {
    const { target, top } = job.options;
    const text = typeof target === 'string' && target.startsWith('top:') ? target.slice('top:'.length) : top;
    const asked = typeof text === 'string' ? Number(text) : NaN;
    return Number.isInteger(asked) && asked > 0 ? asked : null;
}

/** Options without what they can no longer have, such as a ranking by held-out lift without held-out transactions. */
export function withoutLost(options: Options): Options {
    const next = { ...options };
    if (typeof next['sort-by'] === 'string' && !hasMeasure(next, next['sort-by'])) next['sort-by'] = 'lift';
    for (const side of ['min', 'max'] as const) {
        const kept = [next[side] ?? []].flat().filter((bound) => hasMeasure(next, bound.split('=')[0]!));
        if (kept.length > 0) next[side] = kept;
        else delete next[side];
    }
    return next;
}

/** The parameters of a view that also make sense for another result of the same data; row numbers do not. */
export function movableParams(params: URLSearchParams, { options }: Pick<Job, 'options'>): URLSearchParams {
    const next = new URLSearchParams();
    for (const [name, value] of params) {
        if (name === 'row' || name === 'at' || name === 'pick' || name === 'skip' || name === 'place') continue;
        if (name === 'tab' && value === 'rule') continue;
        if (name === 'min' && /^count=\d+$/.test(value)) continue;
        if ((name === 'min' || name === 'max' || name === 'sort') && !hasMeasure(options, value.split('=')[0]!)) continue;
        const kept = name === 'columns' || name === 'sliders' ? value.split(',').filter((one) => hasMeasure(options, one)).join(',') : value;
        if (kept !== '') next.append(name, kept);
    }
    return next;
}

/** What the estimate of the number of patterns is asked about: the target of the job, or all itemsets. */
export function suggestTarget(job: Job): string {
    const { target } = job.options;
    if (job.kind === 'rules') return 'rules';
    return target === 'closed' || target === 'maximal' ? target : 'all';
}

/** The request for this estimate. */
export function suggestBody(job: Job): { targets: string[]; 'min-confidence'?: string } {
    const confidence = job.options['min-confidence'];
    return { targets: [suggestTarget(job)], ...(job.kind === 'rules' && typeof confidence === 'string' ? { 'min-confidence': confidence } : {}) };
}
