import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import t from '#test'
import { client, server } from '../support/mcp/inapplicable.js'
import { conformanceTable } from '../support/mcp/conformance-table.js'

t.test('the documentation names every check of MCP\'s suite that does not apply', (t) => {
  const text = readFileSync(resolve('docs/development.md'), 'utf8')
  const table = conformanceTable({ server, client })
  t.ok(text.includes(`\n\n${table}\n`), `docs/development.md must have this table:\n${table}`)
})
