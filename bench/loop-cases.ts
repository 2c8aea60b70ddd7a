import { allHostile } from '../test/support/hostile-texts.js'
import { type Large } from '../test/support/large-sessions.js'
import { type Service } from './processes.js'
import { call, newSession, post, readEvents } from './wire.js'

/** A name, and work that resolves to the status of its answer, if it has one. */
export type Case = [measure: string, work: () => Promise<number | undefined>]

const longestTurnMs = 120_000

/** Sends requests as clients do. */
function client ({ url }: Service) {
  const send = async (path: string, body: unknown, method = 'POST'): Promise<number> => (await call(url + path, method, body)).status
  return {
    async get (path: string, headers: Record<string, string> = {}): Promise<number> {
      const response = await fetch(url + path, { headers })
      await response.arrayBuffer()
      return response.status
    },
    send,
    /** Runs a turn to its end; every approval is granted. */
    async turn (session: string, message: string, beside?: () => Promise<unknown>): Promise<undefined> {
      const { stream_id: id } = await post(`${url}/api/chat/start`, { session_id: session, message })
      const { over, drop } = await readEvents(`${url}/api/chat/stream?stream_id=${id}`, () => {})
      // Writes and commands ask for approval, and no other client answers.
      const answers = setInterval(() => { void send('/api/approval/respond', { session_id: session, choice: 'once' }) }, 500)
      await beside?.()
      const limit = setTimeout(drop, longestTurnMs)
      const isOver = await over
      clearTimeout(limit)
      clearInterval(answers)
      if (!isOver) throw new Error(`a turn did not end: ${message.slice(0, 60)}`)
    },
    bring: async (messages: unknown[]): Promise<number> => await send('/api/session/import', { title: 'Brought', messages })
  }
}

const said = (count: number) => Array.from({ length: count }, (_, index) =>
  ({ role: index % 2 === 0 ? 'user' : 'assistant', content: `Message ${index}. The quick brown fox.` }))
/** As text, because JSON.stringify overflows at this depth. */
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

/** Returns all cases, in order: some depend on what earlier ones have left. */
export function loopCases (service: Service, large: Large, quick: boolean): Case[] {
  return [
    ...listCases(service), ...readCases(service, large), ...changeCases(service, large, quick), ...textCases(service),
    ...hostileCases(service), ...lastCases(service, large)
  ]
}

function listCases (service: Service): Case[] {
  const { get } = client(service)
  return [
    ['nothing', async () => { await new Promise((resolve) => { setTimeout(resolve, 2_000) }); return undefined }],
    ['list of sessions, first time', () => get('/api/sessions')],
    ['list again', () => get('/api/sessions')],
    ['list, gzip', () => get('/api/sessions', { 'accept-encoding': 'gzip' })],
    ['list of all profiles', () => get('/api/sessions?all_profiles=1&include_archived=1')],
    ['list, a page', () => get('/api/sessions?limit=50')],
    ['list searched by title', () => get('/api/sessions/search?q=Listed%20777&content=0')],
    ['list searched by content', () => get('/api/sessions/search?q=quick%20brown&depth=0')],
    ['list searched by two letters', () => get('/api/sessions/search?q=zq&depth=5')],
    ['list searched for everything', () => get('/api/sessions/search?q=')],
    ['list after a change', async () => { await newSession(service.url); return await get('/api/sessions') }]
  ]
}

function readCases (service: Service, { hostile, many, steps }: Large): Case[] {
  const { get, send } = client(service)
  const of = (name: string, id: string): Case[] => [
    [`${name} as JSON`, () => get(`/api/session/export?session_id=${id}`)],
    [`${name} as a page`, () => get(`/api/session/export?session_id=${id}&format=html`)],
    [`${name} shared`, () => send('/api/session/share', { session_id: id })],
    [`${name} read`, () => get(`/api/session?session_id=${id}`)],
    [`${name} read again`, () => get(`/api/session?session_id=${id}`)],
    [`${name} read, gzip`, () => get(`/api/session?session_id=${id}`, { 'accept-encoding': 'gzip' })],
    [`${name}, a window`, () => get(`/api/session?session_id=${id}&msg_limit=50`)],
    [`${name}, a window far up`, () => get(`/api/session?session_id=${id}&msg_limit=500&msg_before=1000`)],
    [`${name}, outline`, () => get(`/api/session/outline?session_id=${id}`)]
  ]
  return [...of('5 MB of hostile text', hostile), ...of('many messages', many), ...of('many calls', steps)]
}

function changeCases (service: Service, { many, steps }: Large, quick: boolean): Case[] {
  const { url } = service
  const { send, turn, bring } = client(service)
  let copy = ''
  return [
    ['many messages, branch', async () => {
      const answer = await call(`${url}/api/session/branch`, 'POST', {
        session_id: many
      }); copy = answer.body.session_id; return answer.status
    }],
    ['many messages, duplicate', () => send('/api/session/duplicate', { session_id: many })],
    ['many messages, undo', () => send('/api/session/undo', { session_id: copy })],
    ['many messages, truncate', () => send('/api/session/truncate', { session_id: copy, keep_count: 10 })],
    ['many messages, rename', () => send('/api/session/rename', { session_id: many, title: 'Renamed' })],
    ['many messages, a turn', () => turn(many, 'words=20')],
    ['many messages, compress', () => send('/api/session/compress', { session_id: many })],
    ['many calls, a turn', () => turn(steps, 'words=20')],
    ['import of a message of 1 MB', () => bring([{ role: 'user', content: allHostile(1_000_000) }])],
    ['import of a message of 3 MB', () => bring([{ role: 'user', content: allHostile(3_000_000) }])],
    ['import of many messages', () => bring(said(quick ? 10_000 : 100_000))]
  ]
}

function textCases (service: Service): Case[] {
  const { url } = service
  const { get, send, turn } = client(service)
  const session = async (): Promise<string> => await newSession(url)
  return [
    ['a usual answer', async () => await turn(await session(), 'words=200')],
    ['an answer of 900 KB', async () => await turn(await session(), 'hostile=900000')],
    ['a message of 1 MB', async () => await turn(await session(), `words=5 ${allHostile(1_000_000)}`)],
    ['a message of 3 MB', async () => await turn(await session(), `words=5 ${allHostile(3_000_000)}`)],
    ['a file of 900 KB written', async () => await turn(await session(), 'write=900000')],
    ['an output of 2 MB', async () => await turn(await session(), 'run(head -c 1500000 /dev/urandom | base64)')],
    ['/v1 with 300 KB', () => send('/v1/chat/completions', {
      model: 'bench-model', messages: [{
        role: 'user', content: allHostile(150_000)
      }, { role: 'assistant', content: allHostile(150_000) }, { role: 'user', content: 'words=5' }]
    })],
    ['/v1 with 3 MB', () => send('/v1/chat/completions', {
      model: 'bench-model', messages: [{
        role: 'user', content: allHostile(1_500_000)
      }, { role: 'assistant', content: allHostile(1_500_000) }, { role: 'user', content: 'words=5' }]
    })],
    ['/v1/responses with 3 MB', () => send('/v1/responses', { model: 'bench-model', input: `words=5 ${allHostile(3_000_000)}` })],
    ['a title of 9 KB', async () => await send('/api/session/rename', { session_id: await session(), title: allHostile(9_000) })],
    ['a draft of 1 MB', async () => await send('/api/session/draft', { session_id: await session(), text: allHostile(1_000_000) })],
    ['a goal of 900 KB', async () => await send('/api/goal', { session_id: await session(), text: `words=5 ${allHostile(900_000)}` })],
    ['a steer of 900 KB', async () => {
      const id = await session(); await turn(id, 'words=5 tools=1 run(sleep 2)', async () => {
        await send('/api/chat/steer', { session_id: id, text: `steer ${allHostile(900_000)}` })
      }); return undefined
    }],
    ['a question aside of 900 KB', async () =>
      await send('/api/btw', { session_id: await session(), question: `words=5 ${allHostile(900_000)}` })],
    ['a background task of 900 KB', async () =>
      await send('/api/background', { session_id: await session(), prompt: `words=5 ${allHostile(900_000)}` })],
    ['a job with 90 KB', () => send('/api/crons/create', { prompt: allHostile(90_000), schedule: '0 3 1 1 *' })],
    ['list of jobs', () => get('/api/crons')],
    ['memory of 900 KB', () => send('/api/memory/write', { section: 'memory', content: allHostile(900_000) })],
    ['memory, read', () => get('/api/memory')],
    ['a skill of 900 KB', () =>
      send('/api/skills/save', { name: 'large', content: `---\nname: large\ndescription: Large\n---\n${allHostile(900_000)}` })],
    ['a skill, read', () => get('/api/skills/content?name=large')],
    ['skills, list', () => get('/api/skills')],
    ['a file of 15 MB saved', async () =>
      await send('/api/file/save', { session_id: await session(), path: 'saved.txt', content: allHostile(15_000_000) })],
    ['a file of 15 MB created', async () =>
      await send('/api/file/create', { session_id: await session(), path: `created-${Date.now()}.txt`, content: allHostile(15_000_000) })],
    ['a file, read', async () => await get(`/api/file?session_id=${await session()}&path=saved.txt`)],
    ['a file, raw', async () => await get(`/api/file/raw?session_id=${await session()}&path=saved.txt`)],
    ['personality of 20 KB', () => send('/api/personality/save', { name: 'large', prompt: allHostile(19_000) })],
    ['reading aloud 900 KB', () => send('/api/tts', { text: allHostile(900_000) })],
    ['a command of 99 KB', () => send('/api/commands/exec', { command: `/title ${allHostile(99_000)}` })],
    ['git, a message of 60 KB', async () => await send('/api/git/commit', { session_id: await session(), message: allHostile(60_000) })],
    ['settings of 900 KB', () => send('/api/settings', { bot_name: allHostile(900_000) })],
    ['an MCP server of 900 KB', () => send('/api/mcp/servers/large', { command: 'true', args: [allHostile(900_000)] }, 'PUT')]
  ]
}

function hostileCases (service: Service): Case[] {
  const { get, send, bring } = client(service)
  const routes = [
    '/api/session/import', '/api/chat/start', '/v1/chat/completions', '/api/goal', '/api/memory/write', '/api/settings',
    '/api/session/draft', '/mcp'
  ]
  const raw = async (route: string, body: string): Promise<number> =>
    (await fetch(service.url + route, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status
  const bodies: Array<[string, () => unknown]> = [
    ['a million small strings', () => ({ messages: Array.from({ length: 1_000_000 }, () => 'a') })],
    ['a million keys', () => ({ messages: [Object.fromEntries(Array.from({ length: 1_000_000 }, (_, index) => [`k${index}`, 1]))] })],
    ['a line of 19 MB', () => ({ session_id: 'x', text: 'a'.repeat(19_000_000) })]
  ]
  const unicode = ['\u200b', 'e\u0301', '\ufeff\u2060', '\u{1f468}\u200d\u{1f469}\u200d', '\ufb01', '\u0130']
  return [
    ...routes.map((route): Case =>
      [`19 MB of deep JSON to ${route}`, () => raw(route, `{"messages":[${Array.from({ length: 350 }, () => deep(9_000)).join(',')}]}`)]),
    ...bodies.flatMap(([name, body]) => routes.map((route): Case => [`${name} to ${route}`, () => send(route, body())])),
    ...unicode.map((sign): Case =>
      [`import of 1 MB of ${escape(sign)}`, () => bring([{ role: 'user', content: sign.repeat(1_000_000 / sign.length) }])]),
    ['import of 100,000 calls', () => bring([{
      role: 'assistant', content: '', tool_calls: Array.from({ length: 100_000 }, (_, index) =>
        ({ id: `c${index}`, type: 'function', function: { name: 'terminal', arguments: '{"command":"ls"}' } }))
    }])],
    ['import of parts', () =>
      bring([{ role: 'user', content: Array.from({ length: 100_000 }, (_, index) => ({ type: 'text', text: `token ${index}` })) }])],
    ['search for regular expressions', () => get(`/api/sessions/search?q=${encodeURIComponent('(a+)+$'.repeat(300))}`)],
    ['search for many words', () => get(`/api/sessions/search?q=${encodeURIComponent('ab '.repeat(2_000))}`)],
    ['search for one long word', () => get(`/api/sessions/search?q=${'fox'.repeat(2_000)}`)]
  ]
}

function lastCases (service: Service, { many, steps }: Large): Case[] {
  const { get, send } = client(service)
  return [
    ['insights over a year', () => get('/api/insights?days=365')],
    ['health', () => get('/api/system/health')],
    ['delete of many messages', () => send('/api/session/delete', { session_id: many })],
    ['delete of many frames', () => send('/api/session/delete', { session_id: steps })]
  ]
}
