// Writes a table with Arrow JS: node arrow_tables.mjs FOLDER-OF-THE-PACKAGE FILE file|stream|dictionary
// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const [folder, path, how] = process.argv.slice(2)
const arrow = createRequire(folder + '/')('apache-arrow')
const order = Int32Array.from([17, 18, 17, 17, 19])
const items = ['milk', 'beer', 'bread', 'milk', null]
const type = how === 'dictionary' ? new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()) : new arrow.Utf8()
const table = new arrow.Table({ order: arrow.makeVector(order), item: arrow.vectorFromArray(items, type) })
writeFileSync(path, arrow.tableToIPC(table, how === 'stream' ? 'stream' : 'file'))
