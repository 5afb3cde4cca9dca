// verdict.ts - which p-value decides whether a rule is chance, so that the head, the rule page and the filters agree
//
// If transactions were held out, only these test a rule: the search has chosen the rule in the others. A p-value that the
// job has adjusted for the number of tests takes precedence. Without either, there is no verdict: a single p-value says
// little about a rule that was chosen among many.
//
// SPDX-License-Identifier: Apache-2.0
import type { Job, Options } from '../lib/types';

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

/** A rule of this result holds if its p-value is at most this: the level of the job, if it has one. */
export function levelOf({ options }: Job): number {
    const text = String([options.significant ?? ''].flat()[0]);
    const level = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text);
    return text !== '' && level > 0 && level <= 1 ? level : LEVEL;
}

const boundsOf = ({ min = [], max = [] }: Options): string[] => [min, max].flat().map((bound) => bound.split('=')[0]!);
const held = (name: string): boolean => name.startsWith('heldOut') || name === 'adjustedP';

/** Whether the search kept only rules that pass a test on the held-out transactions, so that the other tested rules are not
 *  in the result. */
export function onlyHeld({ options }: Job): boolean {
    return options.holdout !== undefined && (options.significant !== undefined || boundsOf(options).some(held));
}

/** Whether the held-out transactions have also chosen the best rules: then they are no independent test of these. */
export function chosenByHeld(job: Job): boolean {
    return job.options.holdout !== undefined && job.ranked > job.patterns && held(job.ranked_by ?? '');
}

/** All rules that were tested on the held-out transactions, whether they are in the result or not; null: not known. */
export function testedRules(job: Job): number | null {
    if (job.options.holdout === undefined) return null;
    if (testsOf(job) > 0) return testsOf(job);
    const kept = Math.max(job.ranked, job.patterns);
    if (!onlyHeld(job)) return kept;
    // Without adjustment, no tests are counted: they are the rules kept and dropped, if nothing else dropped rules.
    const others = job.options.productive === 'true' || boundsOf(job.options).some((name) => !held(name));
    return others ? null : kept + figure(job, 'filtered');
}

/** The p-value that the options ask for; null: no test that could fail. */
export function tested({ options }: Job): Tested | null {
    const held = options.holdout !== undefined;
    if (options.significant !== undefined || (options.adjust !== undefined && options.adjust !== 'none'))
        return { column: 'adjustedP', title: held ? 'held-out p-value, adjusted for the number of rules,' : 'adjusted p-value' };
    return held ? { column: 'heldOutP', title: 'held-out p-value' } : null;
}
