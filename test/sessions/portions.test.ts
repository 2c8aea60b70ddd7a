import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from '#test'
import { openDatabase } from '../../services/ground/database/index.js'
import { createBroker, createJournal } from '../../services/ground/events/index.js'
import { createAudit } from '../../services/areas/audit/index.js'
import { createSessions } from '../../services/areas/sessions/index.js'
import { temporaryFolder } from '../support/folder.js'

const clock = { now: () => 1_000 }

t.test('a window that is read in portions is answered though a turn adds a row between any two of them', async (t) => {
  const db = openDatabase({ file: join(temporaryFolder(t, 'portions'), 'service.db') })
  const sessions = createSessions({
    db, clock, audit: createAudit({ db, clock }), events: createBroker({ db, journal: createJournal(db) }), defaultModel: () => ({ model: null, provider: null })
  })
  const { id } = await sessions.create({ profile: 'default', workspace: '/w', title: 'A session' })
  let said = 0
  const say = (role: 'assistant' | 'tool'): void => db.transaction(() => {
    const content = String(++said)
    sessions.transcript.append(id, 1, { role, content, replay: role === 'tool' ? null : { role, content } })
  })
  for (let at = 0; at < 800; at++) say('assistant')

  for (const role of ['tool', 'assistant'] as const) {
    say('assistant')
    const before = said
    const reading = new AbortController()
    const adding = (async () => {
      for (; !reading.signal.aborted; await nextTurn()) say(role)
    })()
    const parts = await sessions.answer(id, { messages: true, window: { limit: 500 } })
    reading.abort()
    await adding
    const { session } = JSON.parse(Buffer.concat(parts).toString()) as { session: { messages: Array<{ content: string }> } }
    const answered = session.messages.map(({ content }) => content)
    const last = Number(answered.at(-1))
    t.ok(last > before, `${role}: with what was added meanwhile, ${last - before} rows`)
    t.same(answered, Array.from({ length: answered.length }, (_, index) => String(last - answered.length + 1 + index)), 'each row once, in order')
    t.ok(answered.length >= 500)
  }
  db.close()
})

t.test('a branch of long messages is written a few of them at a time', async (t) => {
  const db = openDatabase({ file: join(temporaryFolder(t, 'portions'), 'service.db') })
  const sessions = createSessions({
    db, clock, audit: createAudit({ db, clock }), events: createBroker({ db, journal: createJournal(db) }), defaultModel: () => ({ model: null, provider: null })
  })
  const { id } = await sessions.create({ profile: 'default', workspace: '/w', title: 'A session' })
  const content = 'word '.repeat(20_000)
  for (let at = 0; at < 20; at++) db.transaction(() => sessions.transcript.append(id, 1, { role: 'assistant', content, replay: null }))
  const written = db.sqlite.prepare<[string], number>('select coalesce(sum(octet_length(body)), 0) from messages where session_id <> ?').pluck()
  let atOnce = 0
  let before = 0
  const measure = (): void => {
    const now = Number(written.get(id))
    atOnce = Math.max(atOnce, now - before)
    before = now
  }
  const over = new AbortController()
  const measuring = (async () => {
    for (; !over.signal.aborted; await nextTurn()) measure()
  })()
  const branch = await sessions.branch(id, {}).finally(() => over.abort())
  await measuring
  measure()
  t.equal(branch.messageCount, 20)
  t.ok(atOnce < 5 * content.length, `${atOnce} bytes at once`)
  db.close()
})
