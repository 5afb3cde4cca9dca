// Prints the rows of Arrow files as lines of JSON, by the library of the Arrow project:
//     node arrow_rows.mjs PACKAGE FILE…
// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [, , folder, ...paths] = process.argv;
const { tableFromIPC } = createRequire(folder + '/')('apache-arrow');

function plain(value) {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  return value && typeof value === 'object' ? [...value].map(plain) : value;
}

for (const path of paths) {
  const table = tableFromIPC(readFileSync(path));
  const columns = table.schema.fields.map((field, i) => [field.name, table.getChildAt(i)]);
  const out = [JSON.stringify(Object.fromEntries(table.schema.metadata))];
  for (let row = 0; row < table.numRows; row++) {
    out.push(JSON.stringify(Object.fromEntries(
      columns.map(([name, column]) => [name, plain(column.get(row))]))));
  }
  console.log(out.join('\n') + '\n');
}
