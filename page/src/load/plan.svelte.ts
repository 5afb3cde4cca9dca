// What to mine: the choices of steps 4 and 5, stored in the address and turned into options of a job.
// SPDX-License-Identifier: Apache-2.0
import type { Params } from '../lib/api';
import type { JobKind, Measure, Options } from '../lib/types';
import { hasMeasure, measureChoices } from '../result/columns';
import type { Estimate } from './curve';

/** The fields stored in the address, with their defaults. */
const FALLBACK = {
    kind: '', support: '', target: 'all', top: '100', confidence: '50%', 'max-size': '', best: '', by: 'lift',
    induced: '', device: 'auto', consumers: '', epsilon: '', threads: '', algorithm: 'auto', 'limit-time': '',
};
type Name = keyof typeof FALLBACK;

/** What was mined last in each data set, since the page was loaded: its steps begin with it. */
export const minedKinds = new Map<number, JobKind>();

export class Plan {
    values: Record<Name, string> = $state({ ...FALLBACK });
    /** Minimum values of measures: ["lift=1.5"]. */
    minima: string[] = $state([]);
    /** The target that the address does not name: molecules have another one. */
    private usual = $state('all');
    private readonly given: boolean;
    /** The target was changed from all to closed. */
    preset = $state(false);
    /** How many patterns the threshold gives; null: not known. */
    about: Estimate | null = $state.raw(null);

    constructor(params: URLSearchParams) {
        for (const name of Object.keys(FALLBACK) as Name[]) this.values[name] = params.get(name) ?? FALLBACK[name];
        // An address may ask for what step 4 does not offer.
        this.minima = params.getAll('min').filter((bound) => hasMeasure({}, bound.split('=')[0]!));
        if (!hasMeasure({}, this.values.by)) this.values.by = FALLBACK.by;
        this.given = params.has('target');
    }

    /** Molecules: closed subgraphs, unless the address says otherwise. */
    preferClosed(): void {
        if (this.usual === 'closed') return;
        this.usual = 'closed';
        if (this.given || this.values.target !== 'all') return;
        this.values.target = 'closed';
        this.preset = true;
    }

    get kind(): JobKind {
        return this.values.kind as JobKind;
    }

    /** The fields that differ from their defaults, for the address. */
    params(): Params {
        const out: Record<string, string | string[]> = {};
        for (const name of Object.keys(FALLBACK) as Name[])
            if (this.values[name] !== (name === 'target' ? this.usual : FALLBACK[name])) out[name] = this.values[name];
        if (this.minima.length > 0) out.min = [...this.minima];
        return out;
    }

    /** Whether the threshold is a number of patterns instead of a support. */
    get byNumber(): boolean {
        return this.kind !== 'rules' && this.values.target === 'top';
    }

    private device(): string {
        const { device, consumers } = this.values;
        return consumers !== '' && device !== 'auto' ? `${device}*${consumers}` : device;
    }

    /** Options by command line name, without those at their defaults. */
    options(): Options {
        const v = this.values;
        const out: Options = {};
        const put = (name: string, value: string): void => {
            if (value.trim() !== '') out[name] = value.trim();
        };
        if (this.byNumber) put('target', `top:${v.top}`);
        else put('min-support', v.support);
        if (this.kind === 'rules') {
            put('min-confidence', v.confidence);
            if (this.minima.length > 0) out.min = [...this.minima];
            if (v.best !== '') {
                put('sort-by', v.by);
                put('top', v.best);
            }
        } else if (!this.byNumber && v.target !== 'all') put('target', v.target);
        put(this.kind === 'graphs' ? 'max-edges' : 'max-size', v['max-size']);
        if (this.kind === 'graphs' && v.induced === '1') out.induced = 'true';
        if (v.algorithm !== 'auto') put('algorithm', v.algorithm);
        if (v.device !== 'auto') put('device', this.device());
        if (this.takesEpsilon) put('epsilon', v.epsilon);
        put('threads', v.threads);
        put('limit-time', v['limit-time']);
        return out;
    }

    /** Only Frontier Expansion over itemsets has a number of candidates per batch. */
    get takesEpsilon(): boolean {
        return this.kind === 'itemsets' && this.values.algorithm === 'frontier';
    }
}

/** The measures for a field: in step 4, no transactions are held out, and no p-values are adjusted. */
export function measureFields(measures: readonly Measure[]): { label: string; choices: { value: string; label: string }[] }[] {
    return measureChoices(measures, {}).map(({ label, all }) => ({ label, choices: all.map((one) => ({ value: one.name, label: one.title })) }));
}

/** The lines of a field, trimmed and without empty ones. */
export function linesOf(text: string): string[] {
    return text.split('\n').map((line) => line.trim()).filter((line) => line !== '');
}

/** The values of an option that may be given several times. */
export function listOf(value: string | string[] | undefined): string[] {
    return value === undefined ? [] : Array.isArray(value) ? value : linesOf(value);
}

/** How many changes a cleaning makes: each item that is dropped and each name that is replaced is one. */
export function changesIn(clean: Options): number {
    const of = ([name, value]: [string, string | string[]]): number =>
        name === 'drop' || name === 'map-text' ? listOf(value).length : name === 'keep-blanks' && value === 'true' ? 0 : 1;
    return Object.entries(clean).reduce((sum, one) => sum + of(one), 0);
}

/** Options for reading a file that leave out the rows of these conditions. */
export function readWith({ 'drop-rows': _, ...read }: Options, rows: readonly string[]): Options {
    return rows.length === 0 ? read : { ...read, 'drop-rows': [...rows] };
}

/** Choices of earlier steps that are not applied yet. */
export interface Pending {
    /** Step 1 has options with which the file was not read yet. */
    reading: boolean;
    /** The conditions of step 3 that leave rows out, if they are not applied yet. */
    rows: string[] | null;
    /** The cleaning that step 3 shows, if it is not applied yet. */
    clean: Options | null;
    /** Transactions that would remain; null: not known yet. */
    baskets: number | null;
    /** Why the cleaning cannot be applied. */
    error: string | null;
}

export const NOTHING_PENDING: Pending = { reading: false, rows: null, clean: null, baskets: null, error: null };

/** A threshold as a count of transactions or graphs; null if the text is not a threshold. */
export function supportCount(text: string, total: number): number | null {
    const match = /^\s*([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)\s*(%?)\s*$/i.exec(text);
    if (match === null) return null;
    const value = Number(match[1]);
    const isShare = match[2] === '%' || match[1]!.includes('.');
    const part = match[2] === '%' ? value / 100 : value;
    const n = isShare ? Math.ceil(part * total - 1e-9) : value;
    return n >= 1 && n <= total ? n : null;
}

/** A count as a threshold: a percentage if a short one means exactly this count. */
export function supportText(n: number, total: number): string {
    const part = (n / total) * 100;
    const text = `${Number(part.toPrecision(3))}%`;
    return part >= 0.001 && supportCount(text, total) === n ? text : String(n);
}
