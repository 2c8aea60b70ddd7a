import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { asset } from '../../../services/ground/assets.js'
import { createQueue } from '../../../services/ground/concurrency/queue.js'
import { type TestLike } from '../app.js'
import { serving } from '../listening.js'

/**
 * The conformance suite of the Model Context Protocol, from the registry: much larger than what the service needs, so it is
 * not a dependency.
 */
const suite = '@modelcontextprotocol/conformance@0.2.0-alpha.12'

/** Why a scenario, or a single check of it (`scenario:check`), does not apply to this service. */
export type Inapplicable = Readonly<Record<string, string>>

export interface Outcome { code: number, output: string }

const run = async (args: string[], cwd: string): Promise<Outcome> => await new Promise((resolve) => {
  execFile('npx', ['--yes', suite, ...args], { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
    resolve({ code: error === null ? 0 : 1, output: `${stdout}\n${stderr}` })
  })
})

/** Returns why the suite cannot run; null if it can. */
export async function suiteMissing (folder: string): Promise<string | null> {
  const { code } = await run(['list'], folder)
  return code === 0 ? null : `${suite} cannot be had from the registry`
}

/**
 * Runs what a version of the protocol requires of a server or a client. Fails if something fails that is not listed, or
 * something listed passes.
 */
export async function runSuite (
  who: 'server' | 'client', target: { url: string } | { command: string }, { revision, inapplicable, folder }: { revision: string, inapplicable: Inapplicable, folder: string }
): Promise<Outcome> {
  const list = join(folder, `${who}-${revision}.yml`)
  writeFileSync(list, stringify({ [who]: Object.keys(inapplicable) }))
  const to = 'url' in target ? ['--url', target.url] : ['--command', target.command, '--timeout', '420000']
  const results = join(folder, `results-${who}-${revision}`)
  const { code, output } = await run([who, ...to, '--requirements', revision, '--expected-failures', list, '-o', results], folder)
  return { code, output: `${output.slice(output.indexOf('=== SUMMARY'))}\n${failuresIn(results).join('\n')}` }
}

/** Returns what failed, by scenario and check, in the form of the list. */
function failuresIn (results: string): string[] {
  return readdirSync(results, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('checks.json')).flatMap((path) => {
    const scenario = path.replace(/-2\d{3}-\d\d-\d\dT.*$/, '')
    const checks = JSON.parse(readFileSync(join(results, path), 'utf8')) as Array<{ id: string, status: string, errorMessage?: string }>
    return checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING').map(({ id, errorMessage = '' }) => `${scenario}:${id} ${errorMessage.slice(0, 300)}`)
  })
}

export interface Scenario { scenario: string, url: string, context: Record<string, unknown> }

/** Returns the command that the suite starts for each scenario; `play` then plays the scenario in this process. */
export async function clientCommand (t: TestLike, play: (scenario: Scenario) => Promise<unknown>): Promise<string> {
  // The suite starts all scenarios at once; one service would then see several servers at the same time.
  const oneByOne = createQueue()
  const origin = await serving(t, (request, response) => {
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      try {
        response.end(JSON.stringify(await oneByOne('', async () => await play(JSON.parse(Buffer.concat(chunks).toString()) as Scenario))))
      } catch (error) {
        response.writeHead(500).end(String(error instanceof Error ? error.stack : error))
      }
    })()
  })
  return `${process.execPath} ${asset('test/support/mcp/conformance-client.js')} ${origin}/`
}
