// Mining again while somebody moves the threshold: one job at a time, the one before it is cancelled, and what nobody
// has looked at is deleted. It lives outside the components because the page of a job is built anew when another job
// takes its place.
// SPDX-License-Identifier: Apache-2.0
import { del, events, post } from '../lib/api';
import type { Job, Options } from '../lib/types';
import { jobLike } from './threshold';
import { hasResult, isOver } from './words';

interface Live {
    /** The job that runs, or has just ended, in place of the one that is shown. */
    job: Job | null;
    /** The smallest count it was asked for; null: something else, such as the best K. */
    wanted: number | null;
    waiting: boolean;
    message: string | null;
    /** The job that took the place of another one, so that its slider takes the focus. */
    arrived: number | null;
}

export const live: Live = $state({ job: null, wanted: null, waiting: false, message: null, arrived: null });

let turn = 0;
let stop: (() => void) | null = null;
/** The same job as live.job. Not reactive: a component that is taken down would read the value of before. */
let running: Job | null = null;

function set(job: Job | null): void {
    running = job;
    live.job = job;
}

/** Ends a job that nobody wants any more and takes it off the list. Best effort: it may be gone already. */
async function drop(job: Job): Promise<void> {
    try {
        if (!isOver(job.state)) await post<Job>(`/jobs/${job.id}/cancel`);
        await del(`/jobs/${job.id}`);
    } catch {
        return;
    }
}

/** Nothing is mined in the background any more. */
export function forget(): void {
    turn++;
    stop?.();
    stop = null;
    if (running !== null) void drop(running);
    set(null);
    Object.assign(live, { wanted: null, waiting: false, message: null });
}

/** The job that was mined takes the place of the one that was shown: it is kept. */
export function arrive(job: Job): void {
    live.arrived = job.id;
    turn++;
    stop?.();
    stop = null;
    set(null);
    Object.assign(live, { wanted: null, waiting: false, message: null });
}

/** Mines the data of a job with other options; `ended` is told when there is a result. */
export async function mineInstead(from: Job, options: Options, wanted: number | null, ended: (job: Job) => void): Promise<void> {
    forget();
    const mine = turn;
    Object.assign(live, { wanted, waiting: true });
    try {
        const job = await post<Job>('/jobs', jobLike(from, options));
        if (mine !== turn) {
            void drop(job);
            return;
        }
        set(job);
        stop = events(job.id, {
            job: (next) => {
                if (mine !== turn) return;
                set(next);
                if (!isOver(next.state)) return;
                live.waiting = false;
                if (hasResult(next.state)) ended(next);
                else live.message = next.message ?? 'The search ended without a result.';
            },
            progress: (progress) => {
                if (mine === turn && running !== null) set({ ...running, progress });
            },
        });
    } catch (reason) {
        if (mine !== turn) return;
        live.waiting = false;
        live.message = (reason as Error).message;
    }
}
