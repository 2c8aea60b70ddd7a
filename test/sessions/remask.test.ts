import { join } from 'node:path'
import { Readable } from 'node:stream'
import t from '#test'
import { openDatabase } from '../../services/ground/database/index.js'
import { createBroker, createJournal } from '../../services/ground/events/index.js'
import { createAudit } from '../../services/areas/audit/index.js'
import { createRemasking, createSessions } from '../../services/areas/sessions/index.js'
import { createCheckpointRows } from '../../services/workspace/checkpoints/rows.js'
import { knownSecrets } from '../../services/ground/redaction/index.js'
import { temporaryFolder } from '../support/folder.js'
import { allHostile } from '../support/hostile-texts.js'
import { type TestLike } from '../support/app.js'

const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF'
const clock = { now: () => 1_000 }
const flags = { profile: 'default', allProfiles: false, includeArchived: false, archivedLimit: 0, archivedOffset: 0, source: 'all' as const }

function open (file: string) {
  const db = openDatabase({ file })
  const sessions = createSessions({
    db, clock, audit: createAudit({ db, clock }), events: createBroker({ db, journal: createJournal(db) }), defaultModel: () => ({ model: null, provider: null })
  })
  const say = (id: string, content: string): void => {
    db.transaction(() => sessions.transcript.append(id, 1, {
      role: 'assistant', content, card: { name: 'shell', snippet: content, tid: 'c1', assistant_msg_idx: 0, args: {} }, replay: { role: 'assistant', content }
    }))
  }
  const create = async (): Promise<string> => (await sessions.create({ profile: 'default', workspace: '/w', title: 'A session' })).id
  return { db, sessions, say, create, remasking: createRemasking({ db, clock }) }
}

/** Removes the masks, as if the texts had been stored when the rules did not know such a key yet. */
function forgetMasks ({ db }: ReturnType<typeof open>): void {
  db.sqlite.exec('update messages set redacted_body = null, redacted_card = null; update sessions set redacted_last_said = null; pragma user_version = 1')
}

/** Creates a database of that kind: some sessions, each of which ends with the key. */
async function early (t: TestLike, { sessions = 40, messages = 40 } = {}) {
  const file = join(temporaryFolder(t, 'remask'), 'service.db')
  const service = open(file)
  const ids: string[] = []
  for (let index = 0; index < sessions; index++) {
    const id = await service.create()
    service.db.transaction(() => { for (let at = 1; at < messages; at++) service.say(id, `About zebras, number ${at}.`) })
    service.say(id, `The key is ${key} here.`)
    ids.push(id)
  }
  forgetMasks(service)
  return { file, service, ids }
}

/** Returns everything that is shown of a session, in every way. */
async function shown ({ sessions, db }: ReturnType<typeof open>, id: string): Promise<string> {
  const { length } = await Readable.from(sessions.transcript.messages(id, 'plain')).toArray()
  const checkpoints = createCheckpointRows(db)
  db.sqlite.prepare("insert or replace into streams (id, session_id, kind, state, generation, user_message_id, started_at) values ('of-it', ?, 'chat', 'closed', 1, ?, 1)")
    .run(id, sessions.transcript.idAt(id, length - 1))
  return [
    Buffer.concat(await sessions.answer(id)).toString(),
    Buffer.concat(await sessions.answer(id, { messages: true, window: { limit: 5 } })).toString(),
    JSON.stringify(await Readable.from(sessions.transcript.messages(id, 'masked')).toArray()),
    sessions.pages.row(flags, id),
    Buffer.concat(await sessions.search(flags, { query: 'The key is', content: true, depth: 0 })).toString(),
    JSON.stringify(sessions.recall('default', 'another', { query: '"The key is"', limit: 10, since: null, until: null })),
    checkpoints.titleOf('of-it')
  ].join('\n')
}

const found = async ({ sessions }: ReturnType<typeof open>, query: string): Promise<number> =>
  (JSON.parse(Buffer.concat(await sessions.search(flags, { query, content: true, depth: 0 })).toString()) as { count: number }).count

t.test('a message that is not reached yet is masked by the new rules wherever it is read', async (t) => {
  const { service, ids } = await early(t, { sessions: 2 })
  const { db, sessions, remasking } = service
  const [id = ''] = ids
  t.match(await shown(service, id), key, 'without a look at it, all of that is old')
  remasking.prepare()
  const copy = await sessions.branch(id, { keep: 40 })
  sessions.changed('settings', id)
  t.equal(db.sqlite.prepare('select count(*) from messages where redacted_body is not null').pluck().get(), 1, 'nothing is done yet but what was copied')
  const before = await shown(service, id)
  t.notMatch(before, /abcdefghijklm/)
  t.ok(before.split('\n').every((part) => part.includes('[redacted]')))
  t.equal(await found(service, 'abcdefghijklm'), 0, 'a search does not tell whether a guess was right')
  t.equal(sessions.recall('default', 'another', { query: 'abcdefghijklm', limit: 10, since: null, until: null }).length, 0)
  await remasking.work()
  sessions.changed('settings', id)
  t.equal(await shown(service, id), before, 'and looks the same afterwards')
  t.notMatch(await shown(service, copy.id), /abcdefghijklm/, 'so does what was copied before')
  t.equal(db.sqlite.prepare('select count(*) from messages where redacted_body is not null and redacted_card is not null').pluck().get(), 3)
  t.equal(db.sqlite.prepare('select count(*) from sessions where redacted_last_said is not null').pluck().get(), 3)
  db.close()
})

t.test('the preview of a session is masked though its last message is damaged', async (t) => {
  const { service, ids: [id = ''] } = await early(t, { sessions: 1, messages: 2 })
  const { db, sessions, say, remasking } = service
  say(id, 'Damaged below.')
  db.sqlite.exec(`update messages set body = '{' where id = (select max(id) from messages); update sessions set last_said = 'The key is ${key} here.', redacted_last_said = null`)
  db.sqlite.pragma('user_version = 1')
  remasking.prepare()
  await remasking.work()
  t.notMatch(sessions.pages.row(flags, id), /abcdefghijklm/)
  t.match(sessions.pages.row(flags, id), /redacted/)
  db.close()
})

t.test('a kill in the middle, and messages meanwhile', async (t) => {
  const { file, service, ids } = await early(t)
  const some = ids.filter((_id, index) => index % 8 === 0)
  service.remasking.prepare()
  const masked = (): number => service.db.sqlite.prepare<[], number>('select count(*) from messages where redacted_body is not null').pluck().get() ?? 0
  await t.rejects(service.remasking.work(async () => { if (masked() > 0) throw new Error('killed') }), { message: 'killed' })
  const reached = masked()
  t.ok(reached > 0 && reached < ids.length, `${reached} are reached`)
  t.equal(service.db.sqlite.pragma('user_version', { simple: true }), 0, 'another version would mask all of it anew')
  service.say(ids[0] ?? '', `Another key is ${key} here.`)
  for (const id of some) t.notMatch(await shown(service, id), /abcdefghijklm/)
  service.db.close()

  const next = open(file)
  next.remasking.prepare()
  t.equal(next.db.sqlite.prepare('select count(*) from messages where redacted_body is not null').pluck().get(), reached + 1, 'it goes on from there')
  for (const id of some) t.notMatch(await shown(next, id), /abcdefghijklm/)
  await next.remasking.work()
  for (const id of some) t.notMatch(await shown(next, id), /abcdefghijklm/)
  t.equal(next.db.sqlite.prepare('select count(*) from messages where redacted_body is not null').pluck().get(), ids.length + 1)
  t.equal(next.db.sqlite.prepare("select count(*) from settings where key = 'remasking'").pluck().get(), 0)
  t.equal(next.db.sqlite.pragma('user_version', { simple: true }), 6)
  next.db.close()
})

t.test('other rules in the middle begin anew', async (t) => {
  const { service, ids } = await early(t)
  const { db, remasking } = service
  remasking.prepare()
  await t.rejects(remasking.work(async () => { throw new Error('killed') }), { message: 'killed' })
  db.sqlite.exec("update settings set value = json_set(value, '$.rules', 0) where key = 'remasking'; update messages set redacted_body = null")
  remasking.prepare()
  await remasking.work()
  t.equal(db.sqlite.prepare('select count(*) from messages where redacted_body is not null').pluck().get(), ids.length)
  db.close()
})

t.test('what an older version has said since is masked as well', async (t) => {
  const { service } = await early(t)
  const { db, create, say, remasking } = service
  remasking.prepare()
  await t.rejects(remasking.work(async () => { throw new Error('killed') }), { message: 'killed' })
  const id = await create()
  say(id, `The key is ${key} here.`)
  db.sqlite.prepare('update messages set redacted_body = null, redacted_card = null where session_id = ?').run(id)
  remasking.prepare()
  t.notMatch(Buffer.concat(await service.sessions.answer(id)).toString(), /abcdefghijklm/)
  db.close()
})

t.test('long and damaged rows', async (t) => {
  const { service } = await early(t, { sessions: 3, messages: 3 })
  const { db, sessions, say, create, remasking } = service
  const id = await create()
  say(id, `${'Zebras graze. '.repeat(20_000)}The key is ${key} here.`)
  db.sqlite.prepare("update messages set body = '{' where id = 2").run()
  forgetMasks(service)
  remasking.prepare()
  t.notMatch(Buffer.concat(await sessions.answer(id)).toString(), /abcdefghijklm/)
  await remasking.work()
  t.equal(db.sqlite.prepare('select count(*) from messages where redacted_body is not null').pluck().get(), 4)
  db.close()
})

t.test('a service that is up masks in the background and stops at once', async (t) => {
  const { service, ids } = await early(t, { sessions: 10, messages: 50 })
  const { db, remasking } = service
  remasking.prepare()
  remasking.begin()
  await remasking.stop()
  const reached = db.sqlite.prepare<[], number>('select count(*) from messages where redacted_body is not null').pluck().get() ?? 0
  t.ok(reached < ids.length)
  const again = createRemasking({ db, clock })
  again.prepare()
  again.begin()
  for (let looks = 0; looks < 2_000 && db.sqlite.prepare("select 1 from settings where key = 'remasking'").get() !== undefined; looks++) await new Promise((resolve) => setTimeout(resolve, 10))
  t.equal(db.sqlite.prepare('select count(*) from messages where redacted_body is not null').pluck().get(), ids.length)
  await again.stop()
  db.close()
})

t.test('what was masked by its value stays masked when nobody knows that value any more, with what the new rules add', async (t) => {
  const service = open(join(temporaryFolder(t, 'remask'), 'service.db'))
  const { db, say, create, remasking } = service
  const id = await create()
  say(id, `The horse is battery-staple-1 and the key ${key}.`)
  say(id, 'One battery-staple-1 and one more: battery-staple-1, one.')
  db.sqlite.exec("update messages set redacted_body = replace(body, 'battery-staple-1', '[redacted]'), redacted_card = replace(card, 'battery-staple-1', '[redacted]'); pragma user_version = 1")
  const look = async (): Promise<void> => {
    const text = Buffer.concat(await service.sessions.answer(id, { messages: true, window: { limit: 5 } })).toString()
    t.notMatch(text, /battery|abcdefghijklm/)
    t.match(text, /"The horse is \[redacted\] and the key \[redacted\]\."/)
    t.match(text, /"One \[redacted\] and one more: \[redacted\], one\."/)
  }
  remasking.prepare()
  await look()
  await remasking.work()
  service.sessions.changed('settings', id)
  await look()
  db.close()
})

t.test('long messages that are not reached yet hold up nothing while they are read', async (t) => {
  const service = open(join(temporaryFolder(t, 'remask'), 'service.db'))
  const { db, sessions, say, create, remasking } = service
  const { transcript } = sessions
  const id = await create()
  // Masked by its value, which nobody knows any more.
  const texts = ['battery-staple-1', 'battery-staple-2', 'battery-staple-3'].map((known) => `# One\n${allHostile(100_000)}\n# Two: ${known}, and the key ${key}.`)
  for (const text of texts) say(id, text)
  const hidden = (column: string): string => `replace(replace(replace(${column}, 'battery-staple-1', '[redacted]'), 'battery-staple-2', '[redacted]'), 'battery-staple-3', '[redacted]')`
  db.sqlite.exec(`update messages set redacted_body = ${hidden('body')}, redacted_card = ${hidden('card')}; pragma user_version = 1`)
  remasking.prepare()
  const whole = JSON.parse(sessions.detail(id, { messages: true }).toString())
  t.notOk(/battery|abcdefghijklm/.test(JSON.stringify(whole)))
  const window = { limit: 2 }
  const ways: Array<[string, () => Promise<unknown>, unknown?]> = [
    ['a window', async () => JSON.parse(Buffer.concat(await sessions.answer(id, { messages: true, window })).toString()).session.messages, whole.messages.slice(-2)],
    ['all of it', async () => JSON.parse(Buffer.concat(await sessions.answer(id)).toString()).session.messages, whole.messages],
    ['its messages', () => Readable.from(transcript.messages(id, 'masked')).toArray(), whole.messages],
    ['its outline', async () => (await sessions.outline(id)).entries.length, 6],
    ['a copy', async () => { await sessions.duplicate(id) }],
    ['masking the rest', () => remasking.work()]
  ]
  for (const [way, read, expected] of ways) {
    // Forgets what the way before has masked.
    knownSecrets.keep([`${way} of this test`])
    sessions.changed('settings', id)
    let passes = 0
    let isOver = false
    const pass = (): void => { passes++; if (!isOver) setImmediate(pass) }
    setImmediate(pass)
    t.same(await read(), expected, way)
    isOver = true
    t.ok(passes >= 10, `${way}: other work ran ${passes} times meanwhile`)
  }
  sessions.changed('settings', id)
  t.same(JSON.parse(sessions.detail(id, { messages: true }).toString()).messages, whole.messages, 'the same is shown once masks of the new rules are stored')
  db.close()
})
