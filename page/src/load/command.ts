// The command line for what the page is about to request, written as the server writes it for a job.
// Cleaning is a command of its own, joined with &&. SPDX-License-Identifier: Apache-2.0
import { shellWord } from '../lib/format';
import type { Dataset, JobKind, Options } from '../lib/types';

/** A name that looks like an option is written as a path. */
const file = (name: string): string => shellWord(name.startsWith('-') ? `./${name}` : name);

function option(name: string, value: string): string[] {
    if (value === 'false') return [];
    if (value === 'true') return [`--${name}`];
    if (name === 'map-text') return ['--map mapping.csv'];
    if (value.startsWith('-')) return [`--${name}=${shellWord(value)}`]; // Otherwise it would be read as the next option.
    return [`${name === 'min-support' ? '-s' : `--${name}`} ${shellWord(value)}`];
}

/** The threshold comes first: it is what people change. */
function words(options: Options): string[] {
    const first = (name: string): number => (name === 'min-support' ? 0 : 1);
    return Object.entries(options)
        .sort(([a], [b]) => first(a) - first(b))
        .flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).flatMap((one) => option(name, one)));
}

export function commandOf(dataset: Pick<Dataset, 'name' | 'read' | 'clean'>, kind: JobKind, options: Options): string {
    const source = [file(dataset.name), ...words(dataset.read)];
    if (Object.keys(dataset.clean).length === 0) return ['lode', kind, ...source, ...words(options)].join(' ');
    const clean = ['lode clean', ...source, ...words(dataset.clean), '-o cleaned.csv'];
    const read = ['--format basket --separator ,', ...('weight' in dataset.read ? ['--weight 1'] : [])]; // It may look like another format.
    return `${clean.join(' ')} && ${['lode', kind, 'cleaned.csv', ...read, ...words(options)].join(' ')}`;
}
