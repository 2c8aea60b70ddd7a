import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realAgents } from '../../test/support/acp/real-agents.js'
import { readOptions, refuse } from '../options.js'
import { agentRow } from './agents.js'
import { clientNames, clientRow } from './clients.js'
import { table, type Row } from './steps.js'

const options = readOptions({
  command: 'npm run matrix', does: 'Runs one scenario with agents and clients of other makers, and writes the table in docs/agents.md.'
}, {
  into: { type: 'string', value: 'folder', says: 'where packages are installed and kept, over a gigabyte (default: a temporary folder)' },
  only: { type: 'string', value: 'names', says: 'runs only these rows, separated by commas; the others stay in the table' },
  log: { type: 'string', value: 'folder', says: "writes the requests to each agent's model to a file for each step" },
  print: { type: 'boolean', says: 'prints the table and writes nothing', default: false }
})
const { into } = options
const only = options.only?.split(',')
const names = [...realAgents.map(({ name }) => name), ...clientNames]
const unknown = only?.filter((name) => !names.some((known) => known === name)) ?? []
if (unknown.length > 0) refuse(`There is no row called ${unknown.join(', ')}; there are ${names.join(', ')}.`)
const scratch = into ?? mkdtempSync(join(tmpdir(), 'matrix-'))
mkdirSync(scratch, { recursive: true })
// Rows of earlier runs, so that a single row can be run again.
const kept = join('bench', 'matrix', 'rows.json')
const rows = new Map<string, Row>(existsSync(kept) ? Object.entries(JSON.parse(readFileSync(kept, 'utf8')) as Record<string, Row>) : [])

const runs: Array<{ key: string, run: () => Promise<Row> }> = [
  ...realAgents.map((agent) => ({ key: agent.name, run: async () => await agentRow(agent, scratch, 2, options.log) })),
  ...clientNames.map((name) => ({ key: name, run: async () => await clientRow(name, scratch) }))
]

for (const { key, run } of runs) {
  if (only !== undefined && !only.includes(key)) continue
  console.log(key)
  try {
    rows.set(key, await run())
  } catch (error) {
    console.log(`  not run: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`)
  }
}
if (into === undefined) rmSync(scratch, { recursive: true, force: true })

const text = table(runs.flatMap(({ key }) => rows.get(key) ?? []), new Date().toISOString().slice(0, 10))
console.log(`\n${text}`)
if (!options.print) {
  writeFileSync(kept, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`)
  const [opening, closing] = ['<!-- matrix: written by `npm run matrix` -->', '<!-- matrix: end -->']
  const document = readFileSync('docs/agents.md', 'utf8')
  const [from, to] = [document.indexOf(opening), document.indexOf(closing)]
  if (from === -1 || to === -1) throw new Error('docs/agents.md has no place for the matrix')
  writeFileSync('docs/agents.md', `${document.slice(0, from)}${opening}\n\n${text}\n\n${document.slice(to)}`)
}
