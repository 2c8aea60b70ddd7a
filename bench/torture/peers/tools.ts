import { asset } from '../../../services/ground/assets.js'
import { httpFaults } from './http-faults.js'
import { programFaults } from './program-faults.js'
import { configure, eventually, get, inBatches, isInWords, limitedTurn, post, type Site } from './site.js'

const program = asset('bench/torture/peers/program.js')
const [startLimitS, callLimitS] = [20, 5]
const settledLimitMs = 60_000
const turnLimitMs = 60_000

/** Servers of tools: a turn that calls one comes to a good end whatever the server does, and what is wrong with the server is said. */
export async function tryTools (site: Site): Promise<void> {
  const { arena, arena: { tally } } = site
  const limits = { timeout: callLimitS, connect_timeout: startLimitS }
  const servers = [
    ...programFaults.map(({ name, works }) => ({ name: `p-${name}`, works, entry: { command: process.execPath, args: [program, 'mcp', name] } })),
    ...httpFaults.map(({ name }) => ({ name: `h-${name}`, works: 'never' as const, entry: { url: site.http.url(name) } }))
  ]
  configure(arena, {
    mcp_servers: Object.fromEntries(servers.map(({ name, entry }) => [name, { ...entry, ...limits }])),
    approvals: { allow: servers.map(({ name }) => `mcp:${name}:*`) }
  })
  await post(site, '/api/mcp/reload', {})
  await inBatches(servers, async ({ name }) => {
    tally.tried('faults')
    const { how, event, message } = await limitedTurn(site, `words=1 call(mcp__${name.replaceAll('-', '_')}__deed)`, turnLimitMs)
    if (how !== 'itself' || event !== 'stream_end') tally.wrong(`tools of "${name}": the turn ended by ${how} with ${event} ${message}`)
  })
  const isSettled = async (): Promise<boolean> => (await statesOf(site)).every(({ status }) => status !== 'starting')
  if (!await eventually(isSettled, settledLimitMs)) tally.wrong(`servers of tools are still starting after ${settledLimitMs / 1000} s`)
  const states = new Map((await statesOf(site)).map((state) => [state.name, state]))
  for (const { name, works } of servers) {
    const { status, error } = states.get(name) ?? { status: 'gone', error: null }
    tally.checked()
    if (works === 'always' && !['ready', 'idle'].includes(status)) tally.wrong(`tools of "${name}": it is ${status}: ${error}`)
    if (status === 'failed' && !isInWords(error ?? '')) tally.wrong(`tools of "${name}": it is not said what is wrong: ${error}`)
  }
}

interface ServerState { name: string, status: string, error: string | null }

const statesOf = async (site: Site): Promise<ServerState[]> => (await get(site, '/api/mcp/servers')).body.servers as ServerState[]
