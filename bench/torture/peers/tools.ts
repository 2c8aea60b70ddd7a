import { asset } from '../../../services/ground/assets.js'
import { httpFaults } from './http-faults.js'
import { programFaults } from './program-faults.js'
import { configure, eventually, get, inBatches, isInWords, limitedTurn, post, type Site } from './site.js'

const program = asset('bench/torture/peers/program.js')
/** How long a server may take before the service gives up, in seconds. */
const limits = { connect_timeout: 10, timeout: 5 }
const settledLimitMs = 60_000
const turnLimitMs = 60_000

interface Server { name: string, works: 'always' | 'never' | 'either', entry: Record<string, unknown> }
interface ServerState { name: string, status: string, error: string | null }

const servers: Array<Omit<Server, 'entry'> & { entry: (site: Site) => Server['entry'] }> = [
  ...programFaults.map(({ name, works }) =>
    ({ name: `p-${name}`, works, entry: () => ({ command: process.execPath, args: [program, 'mcp', name] }) })),
  ...httpFaults.map(({ name }) => ({ name: `h-${name}`, works: 'never' as const, entry: ({ http }: Site) => ({ url: http.url(name) }) }))
]

/** Tries servers of tools: a turn that calls one succeeds whatever the server does, and the server's fault is reported. */
export async function tryTools (site: Site): Promise<void> {
  await inBatches(servers, async (batch) => await tryBatch(site, batch.map((server) => ({ ...server, entry: server.entry(site) }))))
}

async function tryBatch (site: Site, batch: Server[]): Promise<void> {
  const { arena, arena: { tally } } = site
  configure(arena, {
    mcp_servers: Object.fromEntries(batch.map(({ name, entry }) => [name, { ...entry, ...limits }])),
    approvals: { allow: batch.map(({ name }) => `mcp:${name}:*`) }
  })
  await post(site, '/api/mcp/reload', {})
  await Promise.all(batch.map(async ({ name }) => {
    tally.tried('faults')
    const { how, event, message } = await limitedTurn(site, `words=1 call(mcp__${name.replaceAll('-', '_')}__deed)`, turnLimitMs)
    if (how !== 'itself' || event !== 'stream_end') tally.wrong(`tools of "${name}": the turn ended by ${how} with ${event} ${message}`)
  }))
  const isSettled = async (): Promise<boolean> => (await statesOf(site)).every(({ status }) => status !== 'starting')
  if (!await eventually(isSettled, settledLimitMs)) tally.wrong(`servers of tools are still starting after ${settledLimitMs / 1000} s`)
  const states = new Map((await statesOf(site)).map((state) => [state.name, state]))
  for (const { name, works } of batch) {
    const { status, error } = states.get(name) ?? { status: 'gone', error: null }
    tally.checked()
    if (works === 'always' && !['ready', 'idle'].includes(status)) tally.wrong(`tools of "${name}": it is ${status}: ${error}`)
    if (status === 'failed' && !isInWords(error ?? '')) tally.wrong(`tools of "${name}": it is not said what is wrong: ${error}`)
  }
}

const statesOf = async (site: Site): Promise<ServerState[]> => (await get(site, '/api/mcp/servers')).body.servers as ServerState[]
