// groups.ts - rules by the items of their two parts: a matrix of if-part items against then-part items
//
// SPDX-License-Identifier: Apache-2.0
import { numberOf } from './patterns';
import type { Row } from './rows.svelte';

/** The rules whose if-part includes one item and whose then-part includes another, alone or with others. */
export interface Cell {
    column: number;
    line: number;
    rules: number;
    /** The rule with the highest value, this value, and the lowest one. */
    best: Row;
    value: number;
    low: number;
}
export interface Matrix {
    /** Items of if-parts and of then-parts; similar ones are next to each other. */
    columns: { name: string; rules: number }[];
    lines: { name: string; rules: number }[];
    cells: Cell[];
    /** Number of items with neither a column nor a line. */
    left: number;
}

/** The items with the most rules. */
function frequent(lists: readonly (readonly string[])[], most: number) {
    const counts = new Map<string, number>();
    for (const names of lists) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const all = [...counts].map(([name, rules]) => ({ name, rules })).sort((a, b) => b.rules - a.rules || (a.name < b.name ? -1 : 1));
    return { kept: all.slice(0, most), names: all.map((one) => one.name) };
}

/** rows: the best rules first. */
export function matrixOf(rows: readonly Row[], by: string, most: { columns: number; lines: number }): Matrix {
    const rules = rows.filter((row) => 'body' in row);
    const columns = frequent(rules.map((rule) => rule.body), most.columns);
    const lines = frequent(rules.map((rule) => rule.head), most.lines);
    const columnAt = new Map(columns.kept.map((one, i) => [one.name, i]));
    const lineAt = new Map(lines.kept.map((one, i) => [one.name, i]));
    const cells = new Map<string, Cell>();
    for (const rule of rules)
        for (const from of rule.body)
            for (const to of rule.head) {
                const [column, line] = [columnAt.get(from), lineAt.get(to)];
                if (column === undefined || line === undefined) continue;
                const key = `${column} ${line}`;
                const cell = cells.get(key);
                const value = numberOf(rule, by);
                if (!cell) cells.set(key, { column, line, rules: 1, best: rule, value, low: value });
                else {
                    cell.rules++;
                    if (value < cell.low) cell.low = value;
                }
            }
    // An item whose partners are all left out has no cell.
    const used = (own: 'column' | 'line') => [...new Set([...cells.values()].map((cell) => cell[own]))].sort((a, b) => a - b);
    const [across, down] = [used('column'), used('line')];
    const shown = { columns: across.map((i) => columns.kept[i]!), lines: down.map((i) => lines.kept[i]!) };
    const names = (list: readonly { name: string }[]) => list.map((one) => one.name);
    return ordered({
        ...shown,
        cells: [...cells.values()].map((cell) => ({ ...cell, column: across.indexOf(cell.column), line: down.indexOf(cell.line) })),
        left: new Set([...columns.names, ...lines.names]).size - new Set([...names(shown.columns), ...names(shown.lines)]).size,
    });
}

/** Moves items with similar cells together: each goes to the mean place of its partners, a few times. */
function ordered(matrix: Matrix): Matrix {
    const { cells } = matrix;
    let places = { column: matrix.columns.map((_, i) => i), line: matrix.lines.map((_, i) => i) };
    const settle = (own: 'column' | 'line', other: 'column' | 'line') => {
        const sums = places[own].map(() => ({ at: 0, weight: 0 }));
        for (const cell of cells) {
            const weight = Math.sqrt(cell.rules);
            sums[cell[own]]!.at += weight * places[other][cell[other]]!;
            sums[cell[own]]!.weight += weight;
        }
        const mean = sums.map(({ at, weight }) => (weight > 0 ? at / weight : Infinity));
        const order = mean.map((_, i) => i).sort((a, b) => (mean[a]! === mean[b]! ? a - b : mean[a]! - mean[b]!));
        const next: number[] = [];
        order.forEach((i, place) => (next[i] = place));
        places = { ...places, [own]: next };
    };
    for (let round = 0; round < 6; round++) {
        settle('column', 'line');
        settle('line', 'column');
    }
    const sorted = <T>(list: readonly T[], to: readonly number[]) => {
        const out: T[] = [];
        list.forEach((one, i) => (out[to[i]!] = one));
        return out;
    };
    return {
        columns: sorted(matrix.columns, places.column),
        lines: sorted(matrix.lines, places.line),
        cells: cells.map((cell) => ({ ...cell, column: places.column[cell.column]!, line: places.line[cell.line]! })),
        left: matrix.left,
    };
}
