// python.ts - a job as a script for the Python package of lode (docs/python.md)
// SPDX-License-Identifier: Apache-2.0
import type { Job, Options } from '../lib/types';

/** A text as a Python literal: JSON escapes characters as Python does. */
const text = (value: string): string => JSON.stringify(value);
const list = (values: readonly string[]): string => `[${values.map(text).join(', ')}]`;
const whole = (value: string): string => (/^\d+$/.test(value) ? String(Number(value)) : 'None');
const real = (value: string): string => (value.endsWith('%') ? `${Number(value.slice(0, -1))} / 100` : String(Number(value)));
const all = (value: string | string[]): string[] => [value].flat();
const last = (value: string | string[]): string => all(value).at(-1) ?? '';

/** "lift=1.5" → {"lift": 1.5} */
function bounds(values: readonly string[]): string {
    const pairs = values.map((one) => {
        const at = one.indexOf('=');
        return `${text(one.slice(0, at).trim())}: ${real(one.slice(at + 1).trim())}`;
    });
    return `{${pairs.join(', ')}}`;
}

type Writer = (value: string | string[]) => string;
const asText: Writer = (value) => text(last(value));
const asWhole: Writer = (value) => whole(last(value));
const asReal: Writer = (value) => real(last(value));
const asSwitch: Writer = (value) => (last(value) === 'false' ? 'False' : 'True');
const asList: Writer = (value) => list(all(value));
const asBounds: Writer = (value) => bounds(all(value));

/** How an option is written, and the name of the argument if it is not the same with underscores. */
type Argument = readonly [Writer, string?];

const SEARCH: Record<string, Argument> = {
    target: [asText],
    algorithm: [asText],
    'limit-time': [asText],
    'limit-patterns': [asWhole],
};
const ITEMS: Record<string, Argument> = {
    'min-size': [asWhole],
    'max-size': [asWhole],
    include: [asList],
    exclude: [asList],
    min: [asBounds, 'minima'],
    max: [asBounds, 'maxima'],
};
const ARGUMENTS: Record<Job['kind'], Record<string, Argument>> = {
    itemsets: { ...SEARCH, ...ITEMS, 'max-support': [asText] },
    rules: {
        ...SEARCH,
        ...ITEMS,
        'max-rhs': [asWhole],
        'max-lhs': [asWhole],
        lhs: [asList],
        rhs: [asList],
        'include-lhs': [asList],
        'include-rhs': [asList],
        'exclude-lhs': [asList],
        'exclude-rhs': [asList],
        'sort-by': [asText],
        top: [asWhole],
        productive: [asSwitch],
        holdout: [asText],
        seed: [asWhole],
        adjust: [asText],
        significant: [asReal],
        measure: [(value) => list(all(value).flatMap((one) => one.split(','))), 'measures'],
    },
    graphs: {
        ...SEARCH,
        'min-edges': [asWhole],
        'max-edges': [asWhole],
        'min-vertices': [asWhole],
        'max-vertices': [asWhole],
        vertices: [asSwitch],
        induced: [asSwitch],
    },
};
const READ: Record<string, Argument> = {
    format: [asText],
    separator: [asText],
    header: [asText],
    tid: [asText],
    item: [asText],
    weight: [asText, 'weights'],
    'drop-rows': [asList],
    'skip-bad-lines': [asSwitch],
    sheet: [asText],
    ignore: [asList],
    split: [asText],
    bins: [asList],
    'keep-missing': [asSwitch],
};
const READ_GRAPHS: Record<string, Argument> = { directed: [asSwitch], 'skip-bad-graphs': [asSwitch], labels: [asList] };

/** Options that do not change what is found. */
const NEUTRAL = new Set(['threads', 'device', 'interval', 'min-support', 'min-confidence']);

function written(options: Options, known: Record<string, Argument>, missing: string[]): string[] {
    const out: string[] = [];
    for (const [name, value] of Object.entries(options)) {
        const argument = known[name];
        if (argument !== undefined) out.push(`${argument[1] ?? name.replaceAll('-', '_')}=${argument[0](value)}`);
        else if (!NEUTRAL.has(name)) missing.push(name);
    }
    return out;
}

/** The command that cleans the file, as a list of words. */
function cleaning(name: string, read: Options, clean: Options): string {
    const words = ['lode', 'clean', name.startsWith('-') ? `./${name}` : name];
    for (const [option, values] of [...Object.entries(read), ...Object.entries(clean)])
        for (const value of all(values)) {
            if (option === 'map-text') words.push('--map', 'mapping.csv');
            else if (value === 'true') words.push(`--${option}`);
            else if (value !== 'false') words.push(`--${option}=${value}`);
        }
    return list([...words, '-o', 'cleaned.csv']);
}

export interface Script {
    code: string;
    /** Options that the Python package does not have. */
    missing: string[];
}

/** A script that finds what the job has found. */
export function pythonScript(job: Job): Script {
    const missing: string[] = [];
    const { read = {}, clean = {}, options } = job;
    const cleaned = Object.keys(clean).length > 0 && job.kind !== 'graphs';
    const lines = cleaned ? ['import subprocess', '', 'import lode', '', `subprocess.run(${cleaning(job.dataset_name, read, clean)}, check=True)`] : ['import lode', ''];
    const call = { itemsets: 'data.itemsets', rules: 'data.rules', graphs: 'data.subgraphs' }[job.kind];
    if (job.kind === 'graphs') {
        lines.push(`data = lode.graphs(${[text(job.dataset_name), ...written(read, READ_GRAPHS, missing)].join(', ')})`);
    } else if (cleaned) {
        const weights = read.weight === undefined ? '' : ', weights=1';
        lines.push(`data = lode.Data("cleaned.csv", format="basket", separator=","${weights})`);
    } else {
        lines.push(`data = lode.Data(${[text(job.dataset_name), ...written(read, READ, missing)].join(', ')})`);
    }
    const named = written(options, ARGUMENTS[job.kind], missing);
    const thresholds = ['min-support', 'min-confidence'].flatMap((name) => (options[name] === undefined ? [] : [asText(options[name])]));
    lines.push(`found = ${call}(${[...thresholds, ...named].join(', ')})`, 'print(len(found))');
    return { code: lines.join('\n'), missing };
}
