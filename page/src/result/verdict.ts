// verdict.ts - which p-value decides whether a rule is chance, so that the head, the rule page and the filters agree
//
// If transactions were held out, only these test a rule: the search has chosen the rule in the others. A p-value that the
// job has adjusted for the number of tests takes precedence. Without either, there is no verdict: a single p-value says
// little about a rule that was chosen among many.
//
// SPDX-License-Identifier: Apache-2.0
import type { Job } from '../lib/types';

/** A rule holds if its p-value is at most this, and an item adds something if its own one is. */
export const LEVEL = 0.05;

export interface Tested {
    column: 'adjustedP' | 'heldOutP';
    title: string;
}

function figure(job: Job, name: string): number {
    const value = (job.report?.rules as Record<string, unknown> | undefined)?.[name];
    return Number(value) || 0;
}

/** The number of held-out transactions; 0: none, or not known. */
export const heldOut = (job: Job): number => figure(job, 'held_out');

/** The number of tests for which p-values are adjusted; 0: not known. */
export const testsOf = (job: Job): number => figure(job, 'tests');

/** The p-value that the options ask for; null: no test that could fail. */
export function tested({ options }: Job): Tested | null {
    const held = options.holdout !== undefined;
    if (options.significant !== undefined || (options.adjust !== undefined && options.adjust !== 'none'))
        return { column: 'adjustedP', title: held ? 'held-out p-value, adjusted for the number of rules,' : 'adjusted p-value' };
    return held ? { column: 'heldOutP', title: 'held-out p-value' } : null;
}
