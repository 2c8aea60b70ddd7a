import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../services/ground/database/index.js'
import { createBroker, createJournal } from '../services/ground/events/index.js'
import { createSessions } from '../services/sessions/index.js'
import { allHostile } from '../test/support/hostile-texts.js'
import { createLoopWatch, watchedBy } from '../test/support/loop-watch.js'
import { type Bench } from './context.js'
import { startEndpoint, startService, type Service } from './processes.js'
import { workspaceOf } from './seed.js'
import { call, newSession, post, readEvents } from './wire.js'

const most = 50
const manyMessages = 100_000
const manySessions = 20_000

interface Large { hostile: string, many: string }

/** How long one request or answer holds up everybody else: the longest time the event loop took no turn, in processor time of its thread. */
export async function loopRows (bench: Bench): Promise<void> {
  const home = join(bench.home, 'large')
  const large = seedLarge(home)
  const watchFile = join(home, 'watch')
  const endpoint = await startEndpoint(0)
  const service = await startService({ ...bench, home, modelUrl: endpoint.url, variables: watchedBy(watchFile) })
  try {
    const longest = createLoopWatch(service.pid, watchFile)
    await longest()
    for (const [measure, work] of cases(service, large, bench.quick)) {
      if (bench.match !== undefined && !measure.includes(bench.match)) continue
      await longest()
      const startMs = performance.now()
      const status = await work()
      bench.report.add({ measure, value: await longest(), unit: 'ms', promise: { most }, note: `${status === undefined ? '' : `${status}, `}${Math.round(performance.now() - startMs)} ms in all` })
    }
  } finally {
    await service.stop()
    endpoint.stop()
  }
}

type Case = [measure: string, work: () => Promise<number | undefined>]

function cases ({ url }: Service, { hostile, many }: Large, quick: boolean): Case[] {
  const get = async (path: string, headers: Record<string, string> = {}): Promise<number> => {
    const response = await fetch(url + path, { headers })
    await response.arrayBuffer()
    return response.status
  }
  const send = async (path: string, body: unknown): Promise<number> => (await call(url + path, 'POST', body)).status
  const turn = async (session: string, message: string): Promise<undefined> => {
    const { stream_id: id } = await post(`${url}/api/chat/start`, { session_id: session, message })
    const { over } = await readEvents(`${url}/api/chat/stream?stream_id=${id}`, () => {})
    await over
  }
  const bring = async (messages: unknown[]): Promise<number> => await send('/api/session/import', { title: 'Brought', messages })
  const said = (count: number) => Array.from({ length: count }, (_, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content: `Message ${index}. The quick brown fox.` }))
  let copy = ''
  return [
    ['nothing', async () => { await new Promise((resolve) => { setTimeout(resolve, 2_000) }); return undefined }],
    ['list of sessions, first time', () => get('/api/sessions')],
    ['… again', () => get('/api/sessions')],
    ['… gzip', () => get('/api/sessions', { 'accept-encoding': 'gzip' })],
    ['… of all profiles', () => get('/api/sessions?all_profiles=1&include_archived=1')],
    ['… a page', () => get('/api/sessions?limit=50')],
    ['… searched by title', () => get('/api/sessions/search?q=Listed%20777&content=0')],
    ['… searched by content', () => get('/api/sessions/search?q=quick%20brown&depth=0')],
    ['… by two letters', () => get('/api/sessions/search?q=zq&depth=5')],
    ['… everything', () => get('/api/sessions/search?q=')],
    ['list after a change', async () => { await newSession(url); return await get('/api/sessions') }],
    ['5 MB of hostile text as JSON', () => get(`/api/session/export?session_id=${hostile}`)],
    ['… as a page', () => get(`/api/session/export?session_id=${hostile}&format=html`)],
    ['… shared', () => send('/api/session/share', { session_id: hostile })],
    ['… read', () => get(`/api/session?session_id=${hostile}`)],
    ['… outline', () => get(`/api/session/outline?session_id=${hostile}`)],
    ['many messages as JSON', () => get(`/api/session/export?session_id=${many}`)],
    ['… as a page', () => get(`/api/session/export?session_id=${many}&format=html`)],
    ['… read', () => get(`/api/session?session_id=${many}`)],
    ['… read again', () => get(`/api/session?session_id=${many}`)],
    ['… a window', () => get(`/api/session?session_id=${many}&msg_limit=50`)],
    ['… outline', () => get(`/api/session/outline?session_id=${many}`)],
    ['… branch', async () => { const answer = await call(`${url}/api/session/branch`, 'POST', { session_id: many }); copy = answer.body.session_id; return answer.status }],
    ['… duplicate', () => send('/api/session/duplicate', { session_id: many })],
    ['… undo', () => send('/api/session/undo', { session_id: copy })],
    ['… truncate', () => send('/api/session/truncate', { session_id: copy, keep_count: 10 })],
    ['… rename', () => send('/api/session/rename', { session_id: many, title: 'Renamed' })],
    ['… a turn', () => turn(many, 'words=20')],
    ['… compress', () => send('/api/session/compress', { session_id: many })],
    ['import of a message of 1 MB', () => bring([{ role: 'user', content: allHostile(1_000_000) }])],
    ['import of a message of 3 MB', () => bring([{ role: 'user', content: allHostile(3_000_000) }])],
    ['import of many messages', () => bring(said(quick ? 10_000 : 100_000))],
    ['a usual answer', async () => await turn(await newSession(url), 'words=200')],
    ['an answer of 900 KB', async () => await turn(await newSession(url), 'hostile=900000')],
    ['a message of 1 MB', async () => await turn(await newSession(url), `words=5 ${allHostile(1_000_000)}`)],
    ['a file of 900 KB written', async () => await turn(await newSession(url), 'write=900000')],
    ['/v1 with 300 KB', () => send('/v1/chat/completions', { model: 'bench-model', messages: [{ role: 'user', content: allHostile(150_000) }, { role: 'assistant', content: allHostile(150_000) }, { role: 'user', content: 'words=5' }] })],
    ['a title of 900 KB', async () => await send('/api/session/rename', { session_id: await newSession(url), title: allHostile(900_000) })],
    ['a draft of 1 MB', async () => await send('/api/session/draft', { session_id: await newSession(url), text: allHostile(1_000_000) })],
    ['a goal of 900 KB', async () => await send('/api/goal', { session_id: await newSession(url), text: allHostile(900_000) })],
    ['memory of 900 KB', () => send('/api/memory/write', { section: 'memory', content: allHostile(900_000) })],
    ['… read', () => get('/api/memory')],
    ['a skill of 900 KB', () => send('/api/skills/save', { name: 'large', content: `---\nname: large\ndescription: Large\n---\n${allHostile(900_000)}` })],
    ['insights', () => get('/api/insights?days=365')],
    ['list of many removed', () => send('/api/session/delete', { session_id: many })]
  ]
}

/** A session of 5 MB of hostile text, one of very many messages, and many sessions. */
function seedLarge (home: string): Large {
  const large = { hostile: '20260101_000000_aaaaaa', many: '20260101_000000_bbbbbb' }
  const file = join(home, 'webui', 'service.db')
  if (existsSync(file)) return large
  mkdirSync(join(home, 'webui'), { recursive: true })
  const db = openDatabase({ file })
  const clock = { now: () => Date.now() - 86_400_000 }
  const sessions = createSessions({ db, clock, events: createBroker({ db, journal: createJournal(db) }), defaultModel: () => ({ model: null, provider: null }) })
  const insert = (id: string, title: string): void => { sessions.insert({ id, profile: 'default', workspace: workspaceOf(home), title }) }
  const fill = (id: string, count: number, text: (index: number) => string): void => {
    db.transaction(() => { insert(id, 'Large') })
    for (let from = 0; from < count; from += 1_000) {
      db.transaction(() => {
        for (let index = from; index < Math.min(count, from + 1_000); index++) {
          const role = index % 2 === 0 ? 'user' : 'assistant'
          const content = text(index)
          sessions.transcript.append(id, clock.now() / 1000, { role, content, replay: { role, content: [{ type: 'text', text: content }] } })
        }
      })
    }
  }
  fill(large.hostile, 10, () => allHostile(500_000))
  fill(large.many, manyMessages, (index) => `Message ${index}. The quick brown fox jumps over the lazy dog, and then another one.`)
  for (let from = 0; from < manySessions; from += 1_000) {
    db.transaction(() => {
      for (let index = from; index < from + 1_000; index++) {
        const id = `20250101_000000_${index.toString(16).padStart(6, '0')}`
        insert(id, `Listed ${index}`)
        sessions.transcript.append(id, clock.now() / 1000, { role: 'user', content: `Message ${index}` })
      }
    })
  }
  // Nothing is to be masked anew when the service starts (services/sessions/remask.ts).
  db.sqlite.pragma('user_version = 2')
  db.close()
  return large
}
