// addition.ts - what each item of an if-part adds to the rest of it
//
// Without one item, the if-part is in n transactions, k of which have the then-part. If the item meant nothing, the
// transactions that also have it would be a random part of these n, and the number of them with the then-part would
// follow a hypergeometric distribution (Fisher's exact test, one-sided).
//
// SPDX-License-Identifier: Apache-2.0
import { get } from '../lib/api';
import type { BasketsAnswer, RuleRow } from '../lib/types';
import { chance } from './chance';

/** An item adds something if chance alone gives this much or more with at most this probability. */
export const LEVEL = 0.05;
/** Longer if-parts would take too many requests. */
const LONGEST = 6;

/** The rule without one item of the if-part. */
export interface Addition {
    item: string;
    rest: string[];
    /** Transactions with the rest of the if-part, and those of them that have the then-part. */
    body: number;
    both: number;
    p: number;
}

/** What each item of the if-part adds, the least certain one first. null: not known, because the if-part is long, or the
 *  result does not count all transactions once (held-out transactions, weights). */
export async function additions(job: number, rule: RuleRow, signal?: AbortSignal): Promise<Addition[] | null> {
    if (rule.body.length < 2) return [];
    if (rule.body.length > LONGEST) return null;
    const counted = async (items: string[]): Promise<number> =>
        (await get<BasketsAnswer>(`/jobs/${job}/baskets`, { with: items, limit: 1 }, signal)).count;
    if ((await counted(rule.body)) !== rule.body_count || (await counted([...rule.body, ...rule.head])) !== rule.both) return null;
    const out: Addition[] = [];
    for (const [at, item] of rule.body.entries()) {
        const rest = rule.body.filter((_, i) => i !== at);
        const body = await counted(rest);
        const both = await counted([...rest, ...rule.head]);
        out.push({ item, rest, body, both, p: chance(rule.both, rule.body_count, both, body) });
    }
    return out.sort((a, b) => b.p - a.p);
}
