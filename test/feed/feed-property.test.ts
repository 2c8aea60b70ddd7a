import fc from 'fast-check'
import t from 'tap'
import { deepEqual } from 'node:assert/strict'
import { setImmediate as tick } from 'node:timers/promises'
import { createAgentRuntime } from '../../services/agent/index.js'
import { Feed } from '../../services/feed/index.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { createBroker, createJournal, heard, type NewFrame, type Subscription } from '../../services/ground/events/index.js'
import { createPrompts } from '../../services/prompts/index.js'
import { createSessions } from '../../services/sessions/index.js'
import { FeedClient, framesIn } from '../support/feed.js'

const frame = (event: string, data: unknown): NewFrame => ({ event, data: JSON.stringify(data) })

const flags = { profile: 'default', allProfiles: false, includeArchived: false, source: 'all' as const }

/** The parts that the stream is made of, without HTTP. */
function scene () {
  const db = openDatabase({ file: ':memory:' })
  const journal = createJournal(db)
  const events = heard(createBroker({ db, journal }))
  let nowMs = 1_000_000
  const clock = { now: () => nowMs++ }
  const sessions = createSessions({ db, events, clock, defaultModel: () => ({ model: null, provider: null }) })
  const agent = createAgentRuntime({ clock, transport: () => { throw new Error('nothing runs here') }, onEvents: () => {}, onLost: () => {} } as never)
  const prompts = createPrompts({ db, events, clock, agent, changed: sessions.changed, shown: (value) => value, allowAlways: async () => {} })
  const settings = { values: { theme: 0 } }
  const open = (): Feed => new Feed({
    events, sessions, prompts, configState: () => ({ configProblems: [] }), memoryTime: () => null, settings: () => ({ ...settings.values }), foreign: () => [],
    sessionOf: (streamId) => db.sqlite.prepare<[string], string>('select session_id from streams where id = ?').pluck().get(streamId) ?? null,
    watchFolder: async () => { throw new Error('no folders here') }
  })
  return { db, events, journal, sessions, prompts, settings, open, nowS: () => nowMs / 1000 }
}
type Scene = ReturnType<typeof scene>

/** A reader on the other end of a socket of its own: it has what was written until the connection was cut. */
class Line {
  readonly #subscription: Subscription
  #isOpen = true

  /** After `left` frames the rest is lost on its way. */
  constructor (feed: Feed, readonly client: FeedClient, follow: string[], readonly chunkBytes: number, private left = Infinity) {
    this.#subscription = feed.open({ flags, limit: 200, follow: follow.map((streamId) => ({ streamId, afterSeq: 0 })), folders: [], cursor: client.cursor })
    this.#subscription.onReadable(() => this.#pump())
    this.#pump()
  }

  #pump (): void {
    if (!this.#isOpen) return
    for (let chunks = this.#subscription.read(this.chunkBytes); chunks.length > 0; chunks = this.#subscription.read(this.chunkBytes)) {
      for (const found of framesIn(chunks.map(String).join(''))) if (this.left-- > 0) this.client.apply(found)
    }
  }

  cut (): void {
    this.#isOpen = false
    this.#subscription.close()
  }
}

const change = fc.oneof(
  fc.record({ do: fc.constant('create' as const) }),
  fc.record({ do: fc.constantFrom('rename' as const, 'archive' as const, 'restore' as const, 'remove' as const, 'touch' as const, 'hide' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constantFrom('ask' as const, 'question' as const, 'settle' as const), which: fc.nat(20) }),
  fc.record({ do: fc.constant('token' as const), which: fc.nat(3), texts: fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 5 }) }),
  fc.record({ do: fc.constant('finish' as const), which: fc.nat(3) }),
  fc.record({ do: fc.constantFrom('setting' as const, 'notice' as const, 'everything' as const) }),
  fc.record({ do: fc.constant('cut' as const), after: fc.nat(6), chunk: fc.constantFrom(1, 200, 64_000), offline: fc.nat(5) }),
  fc.record({ do: fc.constantFrom('restart' as const, 'overrun' as const) }),
  fc.record({ do: fc.constant('pass' as const) })
)

/** The world of one run: what can happen in it, by name. */
class World {
  readonly made: string[] = []
  readonly asked: string[] = []
  readonly streams: string[] = []
  readonly ended = new Set<string>()
  notices = 0

  constructor (readonly s: Scene) {
    const { db } = s
    for (let n = 0; n < 3; n++) {
      const id = `s${n}`
      db.sqlite.prepare("insert into sessions (id, profile, workspace, created_at, updated_at, message_count) values (?, 'default', '/w', 1, 1, 1)").run(id)
      db.sqlite.prepare("insert into streams (id, session_id, kind, state, generation, started_at) values (?, ?, 'chat', 'active', 1, 1)").run(`stream${n}`, id)
      this.made.push(id)
      this.streams.push(`stream${n}`)
    }
  }

  async happens (what: { do: string, which?: number, texts?: string[] }): Promise<void> {
    const { sessions, prompts, db, events, settings, nowS } = this.s
    const id = this.made[(what.which ?? 0) % this.made.length]!
    const streamId = this.streams[(what.which ?? 0) % this.streams.length]!
    switch (what.do) {
      case 'create': {
        const made = await sessions.create({ profile: 'default', workspace: '/w', title: `Title ${this.made.length}` })
        this.made.push(made.id)
        break
      }
      case 'rename': await sessions.rename(id, `Title ${nowS()}`).catch(() => {}); break
      case 'archive': await sessions.archive(id, true).catch(() => {}); break
      case 'restore': await sessions.archive(id, false).catch(() => {}); break
      case 'remove': if (id.length > 2) await sessions.remove(id).catch(() => {}); break
      case 'touch': await db.durably(() => {
        db.sqlite.prepare('update sessions set message_count = message_count + 1, last_message_at = ? where id = ?').run(nowS(), id)
        sessions.changed('session_updated', id)
      }); break
      case 'ask':
      case 'question': if (sessions.has(id)) await db.durably(() => prompts.opened(id, this.#ask(what.do === 'ask'))); break
      case 'settle': if (this.asked.length > 0) await db.durably(() => prompts.settled(this.asked[(what.which ?? 0) % this.asked.length]!, 'answered')); break
      case 'token': if (!this.ended.has(streamId)) events.commit(streamId, 1, () => what.texts!.map((text) => frame('token', { text }))); break
      case 'finish': if (!this.ended.has(streamId)) this.#finish(streamId); break
      case 'setting':
        settings.values = { theme: settings.values.theme + 1 }
        events.publish({ kind: 'settings', id: 'all' }, () => frame('settings_changed', { keys: ['theme'] }))
        break
      case 'notice':
        this.notices++
        events.publish({ kind: 'notice', id: 'all' }, () => frame('notice', { kind: 'background_task', session_id: 's0', ref: String(this.notices), at: 1 }))
        break
      case 'everything': sessions.changed('settings'); break
    }
  }

  #ask (isApproval: boolean) {
    const askId = `ask${this.asked.length}`
    this.asked.push(askId)
    const origin = { t: 'ask' as const, runId: 'stream0', askId, callId: askId, beside: false, expiresAtMs: null }
    return isApproval
      ? { ...origin, kind: 'approval' as const, body: { command: 'make', description: 'Run make', patternKey: 'cmd:make', patternKeys: ['cmd:make'], maxScope: 'always' as const, timeoutS: 0 } }
      : { ...origin, kind: 'clarify' as const, body: { question: 'Which?', choices: [], timeoutS: 0 } }
  }

  #finish (streamId: string): void {
    this.ended.add(streamId)
    this.s.events.commit(streamId, 1, () => {
      this.s.db.sqlite.prepare("update streams set state = 'closed', ended_at = 1 where id = ?").run(streamId)
      return [frame('stream_end', {})]
    })
  }
}

t.test('whoever was cut off, anywhere and as often as one likes, knows what somebody knows who never was', async () => {
  await fc.assert(fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 60 }), async (changes) => {
    const s = scene()
    const world = new World(s)
    let feed = s.open()
    const [steady, shaken] = [new FeedClient(), new FeedClient()]
    let steadyLine = new Line(feed, steady, world.streams, 64_000)
    let line: Line | null = new Line(feed, shaken, world.streams, 64_000)
    let offline = 0
    let isWhole = true
    for (const what of changes) {
      if (what.do === 'cut') {
        line?.cut()
        // The last connection may lose its end without anybody noticing.
        new Line(feed, shaken, world.streams, what.chunk, what.after).cut()
        line = null
        offline = what.offline
      } else if (what.do === 'restart') {
        steadyLine.cut()
        line?.cut()
        feed.close()
        feed = s.open()
        isWhole = false
        steadyLine = new Line(feed, steady, world.streams, 64_000)
        line = new Line(feed, shaken, world.streams, 200)
      } else if (what.do === 'overrun') {
        line?.cut()
        for (let n = 0; n < 9_000; n++) s.events.publish({ kind: 'settings', id: 'all' }, () => frame('settings_changed', { keys: [] }))
        isWhole = false
        await tick()
        line = new Line(feed, shaken, world.streams, 200)
      } else await world.happens(what)
      if (what.do === 'pass') await tick()
      if (line === null && offline-- <= 0) line = new Line(feed, shaken, world.streams, 64_000)
    }
    line ??= new Line(feed, shaken, world.streams, 64_000)
    s.db.flush()
    await tick()
    await tick()
    const page = JSON.parse(s.sessions.pages.page(flags, 200).body.toString())
    for (const client of [steady, shaken]) {
      deepEqual(client.list, page.sessions)
      deepEqual(client.settings, s.settings.values)
      deepEqual([...client.prompts.values()].flat().length, s.prompts.allOpen().length)
      for (const streamId of world.streams) {
        const { last } = s.db.sqlite.prepare('select last_seq as last from streams where id = ?').get(streamId) as { last: number }
        const got = client.turns.get(streamId) ?? []
        deepEqual(got.map(({ id }) => id), Array.from({ length: last }, (_, index) => `${streamId}:${index + 1}`), 'each frame of each turn once, in order')
      }
    }
    deepEqual([...shaken.prompts].sort(), [...steady.prompts].sort())
    deepEqual([...shaken.turns].sort(), [...steady.turns].sort())
    if (isWhole) deepEqual(shaken.notices, steady.notices, 'also what is said only once')
    if (isWhole) deepEqual(steady.snapshots, 1)
    steadyLine.cut()
    line.cut()
    feed.close()
    deepEqual(s.events.size(), { topics: 0, subscriptions: 0 })
    s.db.close()
  }), { numRuns: 80 })
})
