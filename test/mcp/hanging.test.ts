import { createServer } from 'node:net'
import t, { type Test } from '#test'
import { mcpServersOf } from '../../services/agent/mcp/configuration.js'
import { McpServer } from '../../services/agent/mcp/server.js'
import { type ServerSurroundings } from '../../services/agent/mcp/surroundings.js'
import { temporaryFolder } from '../support/folder.js'
import { listening } from '../support/listening.js'
import { hostileServer } from '../support/mcp/servers.js'

// Servers that accept requests and never answer: over HTTP, and as programs.

type Told = Parameters<NonNullable<ServerSurroundings['endedBadly']>>[0]

const silent = async (t: Test): Promise<string> => `http://127.0.0.1:${await listening(t, createServer())}/secret-path?key=secret-key`

function serverOf (t: Test, entry: Record<string, unknown>, startPatienceMs: number): { server: McpServer, told: Told[] } {
  const told: Told[] = []
  const [config] = mcpServersOf({ mcp_servers: { h: entry } })
  const server = new McpServer({
    config: config!,
    variables: {},
    changed: () => {},
    surroundings: {
      profileHome: temporaryFolder(t, 'hanging'), childEnv: {}, commandMark: undefined, sandbox: async () => ({ available: false, reason: 'none' }), hidden: [], idleStopMs: 60_000, refreshed: () => {}, startPatienceMs, endedBadly: (ended) => { told.push(ended) }
    }
  })
  t.teardown(async () => await server.close())
  return { server, told }
}

const never = new AbortController().signal
const kinds = async (t: Test): Promise<Array<[entry: Record<string, unknown>, host: string | null]>> => [[{ url: await silent(t) }, '127.0.0.1'], [hostileServer('mute'), null]]

t.test('nobody waits for a start that takes long; it goes on', async (t) => {
  for (const [entry] of await kinds(t)) {
    const { server, told } = serverOf(t, { ...entry, connect_timeout: 3_600 }, 50)
    for (let times = 0; times < 3; times++) await t.rejects(server.resources(never), { message: /has not started within 0.05 s, and is not waited for/ })
    t.equal(server.status, 'starting')
    t.same(told, [])
  }
})

t.test('a cancel frees at once', async (t) => {
  for (const [entry] of await kinds(t)) {
    const { server } = serverOf(t, { ...entry, connect_timeout: 3_600 }, 2 ** 30)
    const cancel = new AbortController()
    const waiting = t.rejects(server.resources(cancel.signal), { message: 'cancelled' })
    cancel.abort(new Error('cancelled'))
    await waiting
  }
})

t.test('a server that never answers has failed in words, is told of once, and is not waited for again', async (t) => {
  for (const [entry, host] of await kinds(t)) {
    const { server, told } = serverOf(t, { ...entry, connect_timeout: 1 }, 2 ** 30)
    await t.rejects(server.resources(never), { message: /It did not answer within 1 s/ })
    t.equal(server.status, 'failed')
    t.equal(server.error, 'It did not answer within 1 s.')
    await t.rejects(server.resources(never), { message: /It did not answer within 1 s/ })
    await server.learn()
    t.match(told, [{ name: 'h', host, attempts: 1, reason: 'It did not answer within 1 s.' }])
    t.equal(told.length, 1)
    t.ok(told[0]?.code)
    t.notMatch(JSON.stringify(told), /secret/)
  }
})
