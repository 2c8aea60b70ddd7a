import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from '#test'
import { visit, withBrowser } from '../support/browser.js'
import { temporaryFolder } from '../support/folder.js'
import { called } from '../support/mcp/calls.js'
import { startWith } from '../support/mcp/servers.js'

/** A server of MCP Apps' own examples: its tool, a text that its view shows with our answers, and whether it wants to reach hosts. */
interface Example { server: string, tool: string, shows: string | RegExp, args?: Record<string, unknown>, reaches?: true }

const basic = (server: string): Example => ({ server: `basic-${server}@2.0.3`, tool: 'get-time', shows: /\d{4}-\d\d-\d\dT/ })
const examples: readonly Example[] = [
  ...['vanillajs', 'preact', 'react', 'solid', 'svelte', 'vue'].map(basic),
  { server: 'budget-allocator@2.0.3', tool: 'get-budget-data', shows: /Budget/ },
  { server: 'cohort-heatmap@2.0.3', tool: 'get-cohort-data', shows: /Cohort/ },
  { server: 'customer-segmentation@2.0.3', tool: 'get-customer-data', shows: /Segment/ },
  { server: 'scenario-modeler@2.0.3', tool: 'get-scenario-data', shows: /Scenario/ },
  { server: 'system-monitor@2.0.3', tool: 'get-system-info', shows: /Memory/ },
  { server: 'sheet-music@2.0.3', tool: 'play-sheet-music', args: { abcNotation: 'X:1\nT:Lullaby\nM:4/4\nL:1/4\nK:C\nC C G G | A A G2 |' }, shows: /Lullaby/, reaches: true },
  // It asks for a microphone, which no view has.
  { server: 'transcript@2.0.3', tool: 'transcribe', shows: /Your speech will appear here/ }
]

const registry = temporaryFolder(t, 'mcp-examples')
const installed = await promisify(execFile)(
  'npm', ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', registry, ...examples.map(({ server }) => `@modelcontextprotocol/server-${server}`)]
).then(() => true, () => false)
const skip = installed ? {} : { skip: 'the examples cannot be had from the registry' }

withBrowser(() => {
  for (const { server, tool, shows, args = {}, reaches } of examples) {
    const name = server.replace(/@.*/, '')
    t.test(`the example ${name} of MCP Apps works in its frame`, skip, async (t) => {
      const program = join(registry, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js')
      const service = await startWith(t, { mcp_servers: { example: { command: process.execPath, args: [program, '--stdio'] } }, approvals: { allow: ['mcp:example:*'] } })
      const { session } = await called(service, `mcp__example__${tool}`, args)
      const { page, problems } = await visit(t, `${service.url}/session/${session}`)
      const figure = page.getByRole('figure', { name: `${tool} from example` })
      if (reaches === true) await figure.getByRole('button', { name: 'Show view' }).click()
      await figure.locator('iframe').contentFrame().getByText(shows).filter({ visible: true }).first().waitFor()
      t.same(problems, [], 'it keeps to the policy of its frame')
    })
  }
})
