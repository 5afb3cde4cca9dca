// What the threshold slider computes: its ends, what a typed threshold means, and the options of the job that mines with
// another one.
// SPDX-License-Identifier: Apache-2.0
import type { Job, JobKind, Options } from '../lib/types';

/** How far below the mined threshold the slider goes: the search may grow by a lot. */
const DEEPER = 10;

/** How many places the slider has, about: one for every whole number where they are few. */
const PLACES = 180;

/** The counts that the slider goes through, rising: from a tenth of the mined threshold to the most frequent pattern, each
 *  larger than the last by about the same share. The mined threshold is one of them, so that it is met exactly. */
export function ladder(job: Job, highest: number | null): number[] {
    const mined = Math.max(1, job.min_count);
    const min = Math.max(1, Math.floor(mined / DEEPER));
    const max = Math.max(highest ?? (job.total > 0 ? job.total : mined), mined + 1);
    const all = new Set([mined]);
    for (let i = 0; i <= PLACES; i++) all.add(Math.round(min * (max / min) ** (i / PLACES)));
    return [...all].sort((a, b) => a - b);
}

/** The place of the count that is nearest to a given one. */
export function placeOn(counts: readonly number[], count: number): number {
    let best = 0;
    for (let i = 1; i < counts.length; i++) {
        if (Math.abs(counts[i]! - count) < Math.abs(counts[best]! - count)) best = i;
    }
    return best;
}

/** "250", "1%" or "0.01" as a count, at least 1; null: it is none of these. Shares are rounded up, as the search does. */
export function typedCount(text: string, total: number): number | null {
    const clean = text.trim().replaceAll(',', '');
    const percent = /^(\d+(?:\.\d+)?|\.\d+)\s*%$/.exec(clean);
    const value = percent ? Number(percent[1]) / 100 : Number(clean);
    if (clean === '' || !Number.isFinite(value) || value <= 0) return null;
    if (!percent && Number.isInteger(value) && !clean.includes('.')) return value;
    if (value > 1 || total <= 0) return null;
    return Math.max(1, Math.ceil(value * total - 1e-9));
}

/** A job on the data of another one, read and cleaned as they were for that, with these options. */
export function jobLike(from: Job, options: Options): { dataset: number; kind: JobKind; options: Options; read?: Options; clean?: Options } {
    return { dataset: from.dataset, kind: from.kind, options, ...(from.read && { read: from.read }), ...(from.clean && { clean: from.clean }) };
}

function withoutTop(options: Options): Options {
    const next = { ...options };
    const target = next.target;
    if (typeof target === 'string' && target.startsWith('top:')) delete next.target;
    delete next.top;
    return next;
}

/** The same search down to another count. A search for the best K becomes one for all. */
export function lowerOptions(job: Job, count: number): Options {
    return { ...withoutTop(job.options), 'min-support': String(count) };
}

/** The same search for the K best: the most frequent ones, or of rules the best by a measure. least: the threshold that
 *  was chosen since; null: the one of the job. */
export function topOptions(job: Job, best: number, measure: string, least: number | null): Options {
    const next: Options = withoutTop(job.options);
    if (least !== null) next['min-support'] = String(least);
    return job.kind === 'rules' ? { ...next, 'sort-by': measure, top: String(best) } : { ...next, target: `top:${best}` };
}

/** How many the job was asked for at most; null: all. */
export function topAsked(job: Job): number | null {
    const { target, top } = job.options;
    const text = typeof target === 'string' && target.startsWith('top:') ? target.slice('top:'.length) : top;
    const asked = typeof text === 'string' ? Number(text) : NaN;
    return Number.isInteger(asked) && asked > 0 ? asked : null;
}

/** The parameters of a view that hold for another result of the same data: row numbers do not. */
export function movableParams(params: URLSearchParams): URLSearchParams {
    const next = new URLSearchParams();
    for (const [name, value] of params) {
        if (name === 'row' || name === 'skip' || name === 'place') continue;
        if (name === 'tab' && value === 'rule') continue;
        if (name === 'min' && /^count=\d+$/.test(value)) continue;
        next.append(name, value);
    }
    return next;
}
