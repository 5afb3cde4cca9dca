// addition.ts - what each item of an if-part adds to the rest of it
//
// Without one item, the if-part is in n transactions, k of which have the then-part. If the item meant nothing, the
// transactions that also have it would be a random part of these n, and the number of them with the then-part would
// follow a hypergeometric distribution (Fisher's exact test, one-sided).
//
// SPDX-License-Identifier: Apache-2.0
import { get } from '../lib/api';
import type { BasketsAnswer, Job, PatternRow, RuleRow } from '../lib/types';
import { chance } from './chance';

/** Longer if-parts would take too many requests. */
const LONGEST = 6;

/** The rule without one item of the if-part. */
export interface Addition {
    item: string;
    rest: string[];
    /** Transactions with the rest of the if-part, and those of them that have the then-part. */
    body: number;
    both: number;
    /** The same with the item. */
    whole: { body: number; both: number };
    p: number;
}

function counter(job: Job, signal?: AbortSignal): (items: string[]) => Promise<number> {
    return async (items) => (await get<BasketsAnswer>(`/jobs/${job.id}/baskets`, { with: items, limit: 1 }, signal)).count;
}

/** An item of a set: transactions with it, and with all others of the set. */
export interface Share {
    item: string;
    own: number;
    rest: number;
    /** The probability that chance puts it so often with the others. */
    p: number;
}

/** How often the other items of a set have each of them, and all transactions. null: not known, as above. */
export async function shares(job: Job, { items, count }: PatternRow, signal?: AbortSignal): Promise<Share[] | null> {
    if (items.length < 2) return [];
    if (items.length > LONGEST || job.read?.weight) return null;
    const counted = counter(job, signal);
    if ((await counted(items)) !== count) return null; // the data have changed
    const out = items.map(async (item, at) => {
        const [own, rest] = [await counted([item]), await counted(items.filter((_, i) => i !== at))];
        return { item, own, rest, p: chance(count, rest, own, job.total) };
    });
    return (await Promise.all(out)).sort((a, b) => b.p - a.p);
}

/** What each item of the if-part adds in all transactions, searched and held-out ones, the least certain item first.
 *  null: not known, because the if-part is long, or transactions have weights. */
export async function additions(job: Job, rule: RuleRow, signal?: AbortSignal): Promise<Addition[] | null> {
    if (rule.body.length < 2) return [];
    if (rule.body.length > LONGEST || job.read?.weight) return null;
    const counted = counter(job, signal);
    const whole = { body: await counted(rule.body), both: await counted([...rule.body, ...rule.head]) };
    if (job.options.holdout === undefined && (whole.body !== rule.body_count || whole.both !== rule.both)) return null;
    const out: Addition[] = [];
    for (const [at, item] of rule.body.entries()) {
        const rest = rule.body.filter((_, i) => i !== at);
        const body = await counted(rest);
        const both = await counted([...rest, ...rule.head]);
        out.push({ item, rest, body, both, whole, p: chance(whole.both, whole.body, both, body) });
    }
    return out.sort((a, b) => b.p - a.p);
}
