import t from '../../test/support/harness.js'
import { createStart, joinBehind, startPath } from '../src/core/service/start.js'
import { type ToWindow, type Wants } from '../src/core/service/hub.js'

const document = {
  cursor: 'epoch.5',
  snapshot: { profile: 'default' },
  session: { session: { session_id: 'one' } },
  projects: { projects: [] },
  models: { default_model: 'gpt', active_provider: 'openai' },
  reasoning: { ok: true },
  home: null,
  transcription: { available: true },
  budgets: { profile: 'default' },
  yolo: { yolo_enabled: true }
}

/** A document that the service answers with, or none. */
function begin (answer: object | null, nowMs = () => 0) {
  const before = globalThis.fetch
  globalThis.fetch = async () => answer === null ? new Response('', { status: 401 }) : Response.json(answer)
  try {
    return createStart({ url: '/api/start', nowMs })
  } finally {
    globalThis.fetch = before
  }
}

t.test('the address is the same as the page has it', (t) => {
  t.equal(startPath('/'), '/api/start')
  t.equal(startPath('/settings/agent'), '/api/start')
  t.equal(startPath('/session/abc'), '/api/start?session_id=abc')
  t.equal(startPath('/session/a%20b'), '/api/start?session_id=a%20b')
})

t.test('it answers for its parts, until something changes or a while has gone by', async (t) => {
  let now = 0
  const start = begin(document, () => now)
  t.strictSame(await start.answer('/api/models'), document.models)
  t.strictSame(await start.answer('/api/models'), document.models, 'also for the next who asks')
  t.strictSame(await start.answer('/api/reasoning'), document.reasoning)
  t.strictSame(await start.answer('/api/reasoning?model=gpt&provider=openai'), document.reasoning)
  t.equal(await start.answer('/api/reasoning?model=other&provider=openai'), null)
  t.equal(await start.answer('/api/models?session_id=one'), null)
  t.equal(await start.answer('/api/home'), null, 'a part that is missing is asked for')
  t.equal(await start.answer('/api/skills'), null)
  t.strictSame(await start.answer('/api/transcribe/capability'), document.transcription)
  for (const [path, part] of [['/api/budgets', document.budgets], ['/api/session/yolo', document.yolo]] as const) {
    t.strictSame(await start.answer(`${path}?session_id=one`), part)
    t.equal(await start.answer(`${path}?session_id=two`), null, 'of another session')
    t.equal(await start.answer(path), null)
  }
  t.strictSame(await start.answer('/api/session?session_id=one&messages=1&msg_limit=50'), document.session)
  t.equal(await start.answer('/api/session?session_id=one&messages=1&msg_limit=50'), null, 'a chat moves on')
  now = 6_000
  t.equal(start.answer('/api/models'), undefined)
  const other = begin(document)
  const asked = other.answer('/api/models')
  other.outdate()
  t.equal(await asked, null)
  t.equal(other.answer('/api/models'), undefined)
})

t.test('a frame behind its snapshot outdates it: a turn that ends meanwhile is read', async (t) => {
  for (const event of ['session', 'cron', 'home', 'snapshot']) {
    const start = begin(document)
    await start.document
    start.hear('snapshot')
    t.strictSame(await start.answer('/api/projects'), document.projects, 'its own snapshot')
    start.hear(event)
    t.equal(start.answer('/api/projects'), undefined, event)
  }
})

t.test('without a document everything is asked for by itself', async (t) => {
  const start = begin(null)
  t.equal(await start.document, null)
  await Promise.resolve()
  t.equal(start.answer('/api/models'), undefined)
})

t.test('the snapshot comes first, and the hub goes on from its cursor with what is wanted by then', async (t) => {
  for (const [found, frames, from] of [[document, ['snapshot'], 'epoch.5'], [null, [], '']] as const) {
    const start = begin(found)
    const told: ToWindow[] = []
    const joined: Array<{ cursor: string, wants: Wants[] }> = []
    const membership = joinBehind(start, (_tell, cursor) => {
      const one = { cursor, wants: [] as Wants[] }
      joined.push(one)
      return { want: (wants) => { one.wants.push(wants) }, retry: () => {}, leave: () => {} }
    })((message) => told.push(message))
    const wants = { sessions: ['one'], turns: [], folders: [] }
    membership.want(wants)
    t.strictSame(joined, [])
    await start.document
    await Promise.resolve()
    t.strictSame(told.flatMap((message) => 'frames' in message ? message.frames.map(({ event }) => event) : [message.state]), frames)
    t.strictSame(joined, [{ cursor: from, wants: [wants] }])
  }
})
