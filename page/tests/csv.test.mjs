// Cells of the CSV that plots and comparisons save: no text is a formula to a spreadsheet.
// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const { module: { csvText } } = await runnerImport(fileURLToPath(new URL('../src/lib/svg.ts', import.meta.url)), { configFile: false, logLevel: 'error' });

test('names that begin like a formula are text, numbers stay numbers, quotes are doubled', () => {
    const rows = [['=cmd|x', -1.5], ['+1', 2], ['-1', 0], ['@a', 1], ['\tb', 1], ['\uff1dc', 1], ["'d", 1], ['e, "f"', 1]];
    assert.equal(csvText(['item', 'lift'], rows), "item,lift\r\n'=cmd|x,-1.5\r\n'+1,2\r\n'-1,0\r\n'@a,1\r\n'\tb,1\r\n'\uff1dc,1\r\n'd,1\r\n\"e, \"\"f\"\"\",1\r\n");
});
