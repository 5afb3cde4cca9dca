// The JSON that the server sends; see server/openapi.json.
// SPDX-License-Identifier: Apache-2.0

export type Kind = 'baskets' | 'graphs';
export type JobKind = 'itemsets' | 'rules' | 'graphs';
/** Options by command line name; a list if an option is repeated. */
export type Options = Record<string, string | string[]>;

export interface About {
    version: string;
    protocol: number;
    examples: Example[];
    peers: string[];
    limits: { upload: number; slice: number; rows: number; disk: number; expire_days: number | null };
    threads: number;
    memory: number;
    /** Results can be exported as .xlsx. */
    xlsx: boolean;
}

export interface Example {
    name: string;
    title: string;
    kind: Kind;
    detail: string;
}

export interface Device {
    name: string;
    usable: boolean;
    detail: string;
}

export interface Algorithm {
    name: string;
    summary: string;
    weights: boolean;
    targets: string[];
}

export interface Devices {
    devices: Device[];
    algorithms: { itemsets: Algorithm[]; graphs: Algorithm[] };
    threads: number;
}

export interface Measure {
    name: string;
    title: string;
    summary: string;
    better: 1 | -1 | 0;
    low: number | null;
    high: number | null;
}

export interface MeasuresAnswer {
    measures: Measure[];
    itemset_measures: Measure[];
}

export interface Bin {
    from: number;
    to: number;
    count: number;
}

export interface NamedCount {
    name: string;
    count: number;
}

export interface BasketProfile {
    kind: 'baskets';
    transactions: number;
    items: number;
    occurrences: number;
    empty: number;
    repeated: number;
    skipped: number;
    dropped: number;
    longest: number;
    mean: number;
    density: number;
    weight: number;
    lengths: Bin[];
    top: NamedCount[];
    giants: { from: number; count: number } | null;
    read_seconds: number;
    bytes: number;
}

export interface GraphProfile {
    kind: 'graphs';
    graphs: number;
    vertices: number;
    edges: number;
    empty: number;
    disconnected: number;
    most_vertices: number;
    most_edges: number;
    directed: boolean;
    vertex_labels: NamedCount[];
    edge_labels: NamedCount[];
    sizes: Bin[];
}

export type Profile = BasketProfile | GraphProfile;

export interface Dataset {
    id: number;
    name: string;
    kind: Kind | '';
    bytes: number;
    received: number;
    state: 'uploading' | 'ready' | 'broken';
    read: Options;
    clean: Options;
    profile: Profile | null;
    created: number;
    jobs: number;
    message: string | null;
}

export interface Basket {
    number?: number;
    id: string | null;
    items: string[];
}

/** An edge: the numbers of its two vertices (from 0), and its label. */
export type Edge = [number, number, string];

export interface Graph {
    index: number;
    name: string;
    vertices: string[];
    edges: Edge[];
}

export interface Recognised {
    format?: string;
    separator?: string;
    header?: boolean;
    columns?: string;
    /** The sheet of a workbook. */
    sheet?: string;
    /** Number of items whose names are not UTF-8. */
    latin1?: number;
    [name: string]: string | number | boolean | null | undefined;
}

export interface Preview {
    kind?: Kind;
    lines: string[];
    recognised?: Recognised;
    baskets?: Basket[];
    graphs?: Graph[];
    warnings?: string[];
    error?: { message: string; hint?: string };
}

/** A column of a table; all rows count, also those that are left out. */
export interface TableColumn {
    /** Empty if the table has no header. */
    name: string;
    empty: number;
    numbers: number;
    negative: number;
    zero: number;
    least?: number;
    most?: number;
    dates: number;
    first?: string;
    last?: string;
    /** Cells that begin with a letter, in either case; values: how many distinct ones, null: too many to count. */
    starts: { letter: string; rows: number; values: number | null }[];
    /** null: too many to list. */
    distinct: number | null;
    values: NamedCount[];
}

export interface TableColumns {
    rows: number;
    header?: boolean;
    tid?: number;
    item?: number;
    /** Empty if the file is no table. */
    columns: TableColumn[];
}

export interface SuggestPoint {
    target: string;
    min_count: number;
    support: number;
    patterns: number;
    low: number;
    /** Infinity: `patterns` is a lower bound. */
    high: number;
    exact: boolean;
    answer: boolean;
}

export interface SuggestAnswer {
    total: number;
    points: SuggestPoint[];
}

export interface BasketsAnswer {
    count: number;
    baskets: Basket[];
}

export interface PairsAnswer {
    total: number;
    items: NamedCount[];
    counts: number[][];
}

export interface JobProgress {
    phase: string;
    share: number | null;
    seconds: number;
    patterns: number;
    rate: number | null;
    left: number | null;
    left_least: number | null;
    left_most: number | null;
}

export type JobState = 'queued' | 'running' | 'done' | 'kept' | 'limit' | 'cancelled' | 'failed' | 'lost';

/** States in which there is a result to show. */
export const RESULT_STATES: readonly JobState[] = ['done', 'kept', 'limit'];

export interface Times {
    total?: number;
    read?: number;
    prepare?: number;
    candidate?: number;
    counting?: number;
    transfer?: number;
    output?: number;
    utilisation?: number | null;
}

export interface Job {
    id: number;
    dataset: number;
    dataset_name: string;
    kind: JobKind;
    options: Options;
    command: string;
    state: JobState;
    message: string | null;
    hint: string | null;
    created: number;
    started: number | null;
    ended: number | null;
    position: number;
    progress: JobProgress | null;
    patterns: number;
    min_count: number;
    total: number;
    bytes: number;
    times: Times | null;
    algorithm: string | null;
    device: string | null;
    /** Fingerprint of the data that were mined; null: unknown (results of older servers). */
    fingerprint: string | null;
    /** If only the best rules were requested: the number of all rules, and the measure. 0: the result has all rules. */
    ranked: number;
    ranked_by: string | null;
    /** What a user has written about the result; empty: nothing. */
    name: string;
    note: string;
    /** The first job of a series in which each job changes options of an earlier one. */
    family: number;
    /** How many older jobs of its family this result replaces in lists. */
    folded: number;
    /** How the file was read and cleaned for this job; not sent in lists. */
    read?: Options;
    clean?: Options;
    report?: Record<string, unknown> | null;
}

export type DiffPart = 'only' | 'excluded' | 'other-only' | 'other-excluded' | 'changed' | 'same';
export type DiffParts = Record<DiffPart, number>;

/** A pattern with its row in this and in the other result; null: it is not there. */
export interface DiffPair {
    here: PatternRow | RuleRow | GraphRow | null;
    there: PatternRow | RuleRow | GraphRow | null;
}

export interface DiffAnswer {
    /** Both searches counted in the same data. */
    same_data: boolean;
    rows: number;
    other_rows: number;
    total: number;
    other_total: number;
    min_count: number;
    other_min_count: number;
    parts: DiffParts;
    part: DiffPart;
    skip: number;
    patterns: DiffPair[];
}

export interface CompareRow {
    name: string;
    kind: 'lode' | 'peer';
    device: string | null;
    state: 'waiting' | 'running' | 'done' | 'failed' | 'limit' | 'stopped';
    /** Number of runs; the times are those of the median run. Older servers do not send it. */
    runs?: number;
    seconds: number | null;
    parts: Partial<Record<'read' | 'prepare' | 'transfer' | 'candidate' | 'counting' | 'output', number>>;
    utilisation: number | null;
    patterns: number | null;
    message: string | null;
}

export interface CompareAnswer {
    state: 'none' | 'running' | 'done';
    rows: CompareRow[];
}

export interface Column {
    name: string;
    type: 'items' | 'text' | 'count' | 'real';
    stored: boolean;
    better: number;
    low: number | null;
    high: number | null;
}

export interface ColumnsAnswer {
    rows: number;
    /** How the rows of the file are sorted: support, confidence, size, given, search, or empty. */
    order?: string;
    columns: Column[];
}

/** A value of a measure; null: undefined. */
export type MeasureValue = number | null | 'inf' | '-inf';

export interface PatternRow {
    row: number;
    items: string[];
    count: number;
    support: number;
    values?: Record<string, MeasureValue>;
}

export interface RuleRow {
    row: number;
    body: string[];
    head: string[];
    both: number;
    body_count: number;
    head_count: number;
    support: number;
    confidence: number;
    lift: MeasureValue;
    values?: Record<string, MeasureValue>;
}

export interface GraphRow {
    row: number;
    code: string;
    vertices: string[];
    edges: Edge[];
    count: number;
    support: number;
}

export interface Page<Row> {
    total: number;
    found: number | null;
    skip: number;
    rows: Row[];
    seconds: number;
}

export interface Axis {
    name: string;
    edges: number[];
}

export interface Histogram {
    x: Axis;
    y: Axis | null;
    counts: number[];
    inside: number;
    outside: number;
    undefined: number;
}

export interface Network {
    by: string;
    nodes: { name: string; count: number | null; rules: number }[];
    edges: { from: number; to: number; value: number; rules: number; row: number }[];
    /** The number of all edges, of which these are the strongest; null: too many to count. */
    edges_found: number | null;
    used: number;
    found: number;
}

export interface RulePageAnswer {
    row: RuleRow | PatternRow | GraphRow;
    table: { both: number; body_only: number; head_only: number; neither: number; total: number } | null;
    measures: {
        name: string;
        title: string;
        value: MeasureValue;
        low: MeasureValue;
        high: MeasureValue;
        summary: string;
    }[];
    /** Confidence level of the intervals, such as 0.95. */
    level: number;
    sentence: string;
}

export interface OccurrencesAnswer {
    count: number;
    graphs: (Graph & { places: number[][] })[];
}
