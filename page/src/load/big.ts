// big.ts - what a large search will take, before it starts: patterns, time, space on disk
//
// Time and space come from earlier results of the same data, or else from what is usual.
//
// SPDX-License-Identifier: Apache-2.0
import { bytes, rough, seconds } from '../lib/format';
import type { Job, JobKind } from '../lib/types';
import { patternsWord } from '../run/words';
import type { Estimate } from './curve';

/** From here on a search is announced. */
const LARGE = 1e6;
/** From here on the user is asked first. */
const HUGE = 3e7;
/** Patterns of a result that tells how long and how large others will be. */
const TELLING = 50_000;
const USUAL: Record<JobKind, { bytes: number; rate: number }> = {
    itemsets: { bytes: 56, rate: 3e6 },
    rules: { bytes: 100, rate: 1e6 },
    graphs: { bytes: 200, rate: 1e5 },
};

export interface Announcement {
    /** "about 8.5 million itemsets, which take about 3 s and 450 MiB on disk" */
    text: string;
    /** Ask before it starts. */
    ask: boolean;
}

/** What to say before a search; null: it is small. kept: how many patterns are kept, if not all. */
export function announce(about: Estimate | null, kind: JobKind, earlier: readonly Job[], kept: number | null = null): Announcement | null {
    if (about === null || !(about.patterns >= LARGE)) return null;
    const unsure = !Number.isFinite(about.high);
    const n = unsure ? about.low : about.patterns;
    const like = earlier.find((job) => job.kind === kind && job.state === 'done' && job.ranked === 0 && job.patterns >= TELLING && (job.times?.total ?? 0) > 0);
    const each = like === undefined ? USUAL[kind].bytes : like.bytes / like.patterns;
    const rate = like === undefined ? USUAL[kind].rate : like.patterns / like.times!.total!;
    const time = seconds(Math.max(1, Math.round(n / rate)));
    const space = kept === null ? ` and ${bytes(Math.round(Number((n * each).toPrecision(2))))} on disk` : '';
    const number = about.exact ? rough(n) : unsure ? `at least ${rough(n, Math.floor)}` : `about ${rough(n)}`;
    const more = unsure ? '. There may be far more' : !about.exact && about.high > 2 * about.patterns ? `. There may be up to ${rough(about.high, Math.ceil)}` : '';
    return { text: `${number} ${patternsWord(kind)}, which take roughly ${time}${space}${more}`, ask: unsure || n >= HUGE };
}
