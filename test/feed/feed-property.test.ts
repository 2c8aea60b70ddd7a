import fc from 'fast-check'
import t from '#test'
import { deepEqual } from 'node:assert/strict'
import { setImmediate as tick } from 'node:timers/promises'
import { createAgentRuntime } from '../../services/agent/index.js'
import { createAudit } from '../../services/areas/audit/index.js'
import { Feed } from '../../services/areas/feed/index.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { createBroker, createJournal, withListeners, type NewFrame, type Subscription } from '../../services/ground/events/index.js'
import { createPrompts } from '../../services/areas/prompts/index.js'
import { createSessions } from '../../services/areas/sessions/index.js'
import { createSettings } from '../../services/areas/settings/index.js'
import { FeedClient, framesIn } from '../support/feed.js'
import { tries } from '../support/tries.js'

const frame = (event: string, data: unknown): NewFrame => ({ event, data: JSON.stringify(data) })

const flags = { profile: 'default', allProfiles: false, includeArchived: false, source: 'all' as const }

/** Creates the parts that the stream is made of, without HTTP. */
function scene () {
  const db = openDatabase({ file: ':memory:' })
  const journal = createJournal(db)
  const events = withListeners(createBroker({ db, journal }))
  let nowMs = 1_000_000
  const clock = { now: () => nowMs++ }
  const audit = createAudit({ db, clock })
  const sessions = createSessions({ db, events, clock, audit, defaultModel: () => ({ model: null, provider: null }) })
  const agent = createAgentRuntime({ clock, transport: () => { throw new Error('nothing runs here') }, onEvents: () => {}, onLost: () => {} } as never)
  const prompts = createPrompts({ db, events, clock, audit, agent, changed: sessions.changed, isMasked: () => false, deniedIn: () => [], allowAlways: async () => {} })
  const settings = { values: createSettings({ db, clock, audit, fallbacks: {}, log: () => {} }).values() }
  const open = (): Feed => new Feed({
    events, sessions, prompts, configState: () => ({ configProblems: [] }), memoryTime: () => null, seenAt: () => null, counts: () => ({ running: 0, silent: 0, waiting: 0, queued: 0, ended: 0, failed: 0 }), settings: () => ({ ...settings.values }), savedSettings: () => [], foreign: () => [], machines: () => [],
    sessionOf: (streamId) => db.sqlite.prepare<[string], string>('select session_id from streams where id = ?').pluck().get(streamId) ?? null,
    conversations: {
      has: sessions.has,
      opening: sessions.opening,
      turns: (id) => db.sqlite.prepare<[string], { streamId: string, isActive: boolean }>("select id as streamId, state = 'active' as isActive from streams where session_id = ? order by rowid desc limit 20").all(id)
    },
    watchFolder: async () => { throw new Error('no folders here') }
  })
  return { db, events, journal, sessions, prompts, settings, open, nowS: () => nowMs / 1000 }
}
type Scene = ReturnType<typeof scene>

/** Turns that readers name to follow them, and sessions whose turns are all followed. */
const named = ['stream0', 'stream1', 'stream2']
const lookedAt = ['s0', 's1']

/** A reader with its own connection: it has what was written until the connection was cut. */
class Line {
  readonly #subscription: Subscription
  #isOpen = true

  /** After `left` frames the rest is lost in transit. */
  constructor (feed: Feed, readonly client: FeedClient, readonly chunkBytes: number, private left = Infinity, isNaming = false) {
    const follow = [...named, ...isNaming ? client.unfinished : []].map((streamId) => ({ streamId, afterSeq: 0 }))
    this.#subscription = feed.open({ flags, limit: 200, follow, folders: [], sessions: lookedAt, reader: { mayDecide: true, mayType: true }, cursor: client.cursor })
    this.#subscription.onReadable(() => this.#pump())
    this.#pump()
  }

  #pump (): void {
    if (!this.#isOpen) return
    for (let chunks = this.#subscription.read(this.chunkBytes); chunks.length > 0; chunks = this.#subscription.read(this.chunkBytes)) {
      for (const found of framesIn(chunks.map(String).join(''))) {
        if (this.left-- <= 0) continue
        this.client.apply(found)
        if (found.event === 'turn' && !named.includes(found.data.stream_id) && !this.client.announced.has(found.data.stream_id)) throw new Error('frames of a turn of which nobody has said that it has begun')
      }
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
  { weight: 3, arbitrary: fc.record({ do: fc.constant('begin' as const), which: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('token' as const), which: fc.nat(8), texts: fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 5 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('finish' as const), which: fc.nat(8) }) },
  fc.record({ do: fc.constantFrom('setting' as const, 'notice' as const, 'everything' as const) }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cut' as const), after: fc.nat(6), chunk: fc.constantFrom(1, 200, 64_000), offline: fc.nat(5) }) },
  fc.record({ do: fc.constantFrom('restart' as const, 'overrun' as const) }),
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pass' as const) }) }
)

/** The state of one run, and the events that can happen in it, by name. */
class World {
  readonly made: string[] = []
  readonly asked: string[] = []
  readonly streams: string[] = []
  /** The latest turn of each session. */
  readonly latest = new Map<string, string>()
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
      this.latest.set(id, `stream${n}`)
    }
  }

  async happens (what: { do: string, which?: number, texts?: string[] }): Promise<void> {
    const { sessions, prompts, db, events, settings, nowS } = this.s
    const id = this.made[(what.which ?? 0) % this.made.length]!
    const which = what.which ?? 0
    const streamId = which < named.length ? named[which]! : this.latest.get(`s${which % 3}`)!
    switch (what.do) {
      case 'create': {
        const made = await sessions.create({ profile: 'default', workspace: '/w', title: `Title ${this.made.length}` })
        this.made.push(made.id)
        break
      }
      case 'rename': await sessions.rename(id, `Title ${nowS()}`).catch(() => {}); break
      case 'archive': await sessions.archive(id, true).catch(() => {}); break
      case 'restore': await sessions.archive(id, false).catch(() => {}); break
      case 'remove': if (id.length > 2) await this.#remove(id); break
      case 'touch': await db.durably(() => {
        db.sqlite.prepare('update sessions set message_count = message_count + 1, last_message_at = ? where id = ?').run(nowS(), id)
        sessions.changed('session_updated', id)
      }); break
      case 'ask':
      case 'question': if (sessions.has(id)) await db.durably(() => prompts.opened(id, this.#ask(what.do === 'ask'))); break
      case 'settle': if (this.asked.length > 0) await db.durably(() => prompts.settled(this.asked[(what.which ?? 0) % this.asked.length]!, 'answered')); break
      case 'token': if (!this.ended.has(streamId)) events.commit(streamId, 1, () => what.texts!.map((text) => frame('token', { text }))); break
      case 'begin': await this.#begin(`s${what.which}`); break
      case 'finish': if (!this.ended.has(streamId)) this.#finish(streamId); break
      case 'setting':
        settings.values = { ...settings.values, pinned_sessions_limit: settings.values.pinned_sessions_limit + 1 }
        events.publish({ kind: 'settings', id: 'all' }, () => frame('settings_changed', { keys: ['pinned_sessions_limit'] }))
        break
      case 'notice':
        this.notices++
        events.publish({ kind: 'notice', id: 'all' }, () => frame('notice', { kind: 'background_task', session_id: 's0', ref: String(this.notices), at: 1 }))
        break
      case 'everything': sessions.changed('settings'); break
    }
  }

  async #remove (id: string): Promise<void> {
    const { sessions, prompts, db } = this.s
    // As the end of its turn does, which comes first.
    const open = prompts.allOpen().filter((prompt) => prompt.session_id === id)
    if (open.length > 0) await db.durably(() => { for (const prompt of open) prompts.settled('approval_id' in prompt ? prompt.approval_id : prompt.clarify_id, 'cancelled') })
    await sessions.remove(id).catch(() => {})
  }

  #ask (isApproval: boolean) {
    const askId = `ask${this.asked.length}`
    this.asked.push(askId)
    const origin = { t: 'ask' as const, runId: 'stream0', askId, callId: askId, beside: false, expiresAtMs: null }
    return isApproval
      ? { ...origin, kind: 'approval' as const, body: { command: 'make', description: 'Run make', patternKey: 'cmd:make', patternKeys: ['cmd:make'], maxScope: 'always' as const, timeoutS: 0 } }
      : { ...origin, kind: 'clarify' as const, body: { question: 'Which?', choices: [], timeoutS: 0 } }
  }

  async #begin (id: string): Promise<void> {
    const before = this.latest.get(id)!
    if (!this.ended.has(before)) this.#finish(before)
    const streamId = `${id}-turn${this.streams.length}`
    this.streams.push(streamId)
    this.latest.set(id, streamId)
    await this.s.db.durably(() => {
      this.s.db.sqlite.prepare("insert into streams (id, session_id, kind, state, generation, started_at) values (?, ?, 'chat', 'active', 1, 1)").run(streamId, id)
      this.s.sessions.changed('turn_started', id)
    })
  }

  #finish (streamId: string): void {
    this.ended.add(streamId)
    const { db, sessions, events } = this.s
    events.commit(streamId, 1, () => {
      const id = db.sqlite.prepare<[string], string>("update streams set state = 'closed', ended_at = 1 where id = ? returning session_id").pluck().get(streamId)!
      sessions.changed('session_updated', id)
      return [frame('stream_end', { session_id: id })]
    })
  }
}

t.test('whoever was cut off, anywhere and as often as one likes, knows what somebody knows who never was', async () => {
  await fc.assert(fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 60 }), fc.boolean(), async (changes, isNaming) => {
    const s = scene()
    const world = new World(s)
    let feed = s.open()
    const [steady, shaken] = [new FeedClient(), new FeedClient()]
    let steadyLine = new Line(feed, steady, 64_000, Infinity, isNaming)
    let line: Line | null = new Line(feed, shaken, 64_000, Infinity, isNaming)
    let offline = 0
    let isWhole = true
    for (const what of changes) {
      if (what.do === 'cut') {
        line?.cut()
        // The last connection may lose its end without anyone noticing.
        new Line(feed, shaken, what.chunk, what.after, isNaming).cut()
        line = null
        offline = what.offline
      } else if (what.do === 'restart') {
        steadyLine.cut()
        line?.cut()
        feed.close()
        feed = s.open()
        isWhole = false
        steadyLine = new Line(feed, steady, 64_000, Infinity, isNaming)
        line = new Line(feed, shaken, 200, Infinity, isNaming)
      } else if (what.do === 'overrun') {
        line?.cut()
        for (let n = 0; n < 9_000; n++) s.events.publish({ kind: 'settings', id: 'all' }, () => frame('settings_changed', { keys: [] }))
        isWhole = false
        await tick()
        line = new Line(feed, shaken, 200, Infinity, isNaming)
      } else await world.happens(what)
      if (what.do === 'pass') await tick()
      if (line === null && offline-- <= 0) line = new Line(feed, shaken, 64_000, Infinity, isNaming)
    }
    line ??= new Line(feed, shaken, 64_000, Infinity, isNaming)
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
        const isLookedAt = lookedAt.some((id) => streamId.startsWith(`${id}-`))
        if (!named.includes(streamId) && !isLookedAt) deepEqual(got, [], 'of a session that it does not look at')
        // The conversation reports a turn that began and ended while the client was away.
        else if (isLookedAt && got.length === 0 && world.ended.has(streamId) && (client === shaken || !isWhole)) continue
        else deepEqual(got.map(({ id }) => id), Array.from({ length: last }, (_, index) => `${streamId}:${index + 1}`), 'each frame of each turn once, in order')
      }
      for (const id of lookedAt) {
        const { reason: _, ...told } = client.conversations.get(id)
        deepEqual(told, JSON.parse(s.sessions.opening(id).data))
      }
    }
    deepEqual([...shaken.prompts].sort(), [...steady.prompts].sort())
    for (const [streamId, frames] of shaken.turns) if (isWhole || named.includes(streamId)) deepEqual(frames, steady.turns.get(streamId))
    if (isWhole) deepEqual(shaken.notices, steady.notices, 'also what is said only once')
    if (isWhole) deepEqual(steady.snapshots, 1)
    steadyLine.cut()
    line.cut()
    feed.close()
    deepEqual(s.events.size(), { topics: 0, subscriptions: 0 })
    s.db.close()
  }), {
    numRuns: tries(100),
    // Cut off with the first frame of a turn's cursor, but before it was told of the turn.
    examples: [[[
      { do: 'cut', after: 0, chunk: 1, offline: 2 }, { do: 'begin', which: 1 }, { do: 'cut', after: 1, chunk: 1, offline: 1 },
      { do: 'finish', which: 4 }, { do: 'cut', after: 0, chunk: 1, offline: 0 }
    ], false]]
  })
})
