import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import t from '#test'
import { openDatabase } from '../../services/ground/database/index.js'
import { createBroker, createJournal } from '../../services/ground/events/index.js'
import { createAudit } from '../../services/areas/audit/index.js'
import { createSessions } from '../../services/areas/sessions/index.js'
import { createRemasking } from '../../services/areas/sessions/remask.js'

const folder = mkdtempSync(join(tmpdir(), 'cuts-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const all = 1_000

/** Opens the sessions of a database on disk. */
function open (name: string) {
  const db = openDatabase({ file: join(folder, `${name}.db`) })
  const sessions = createSessions({ db, clock: { now: () => 1_000 }, audit: createAudit({ db, clock: { now: () => 1_000 } }), events: createBroker({ db, journal: createJournal(db) }), defaultModel: () => ({ model: null, provider: null }) })
  const stored = (id: string): number => db.sqlite.prepare<[string], number>('select count(*) from messages where session_id = ?').pluck().get(id)!
  const marks = (): number => db.sqlite.prepare<[], number>("select count(*) from settings where key like 'session_cut:%'").pluck().get()!
  const say = (id: string, text: string): { position: number } => {
    const role = text.startsWith('Q') ? 'user' as const : 'assistant' as const
    return db.transaction(() => sessions.transcript.append(id, 1, { role, content: text, streamId: 'a-stream', replay: { role, content: text } }))
  }
  return { db, sessions, stored, marks, say }
}

async function large (name: string) {
  const service = open(name)
  const { id } = await service.sessions.create({ profile: 'default', workspace: folder, title: 'Long' })
  for (let index = 0; index < all; index++) service.say(id, `${index % 2 === 0 ? 'Question' : 'Answer'} ${index} about zebras${index === 991 ? ' at /tmp/990.png' : ''}`)
  return { ...service, id }
}

const search = (profile: string) => ({ profile, allProfiles: false, includeArchived: false, archivedLimit: 0, archivedOffset: 0, source: 'all' as const })

/** Returns what each way of reading it shows. */
async function shown ({ sessions }: ReturnType<typeof open>, id: string) {
  const { transcript } = sessions
  const { session } = JSON.parse(Buffer.concat(await sessions.answer(id)).toString()) as { session: { messages: unknown[], message_count: number } }
  const find = async (query: string): Promise<number> => (JSON.parse(Buffer.concat(await sessions.search(search('default'), { query, content: true, depth: 0 })).toString()) as { count: number }).count
  return {
    counted: [session.message_count, sessions.get(id).userMessageCount],
    whole: session.messages.length,
    parsed: (await Readable.from(transcript.messages(id, 'plain')).toArray()).length,
    asked: [...transcript.requests(id)].length,
    outlined: (await Readable.from(transcript.outlined(id, 'plain')).toArray()).length,
    replayed: transcript.replays(id).length,
    history: (await transcript.history(id)).messages.length,
    said: sessions.get(id).lastSaid,
    asked1st: transcript.question(id),
    answered: transcript.lastAnswer(id),
    bytes: transcript.sizeBytes(id) < 10_000,
    named: sessions.mentions(id, '/tmp/990.png'),
    typed: transcript.typedAt(id, 20),
    found: await find('about zebras'),
    // The index does not help with two letters.
    foundByTwo: await find(' 8'),
    foundGone: await find('99')
  }
}

const ten = {
  counted: [10, 5], whole: 10, parsed: 10, asked: 5, outlined: 5, replayed: 10, history: 10, said: 'Answer 9 about zebras', asked1st: 'Question 0 about zebras', answered: 'Answer 9 about zebras',
  bytes: true, named: false, typed: null, found: 1, foundByTwo: 1, foundGone: 0
}

t.test('the kept messages of a session are those it has: after another title, one more, one that is undone, and a cut', async (t) => {
  const { db, sessions, say, id } = await large('kept')
  t.teardown(() => db.close())
  const read = async () => JSON.parse(Buffer.concat(await sessions.answer(id)).toString()).session as { title: string, messages: Array<{ content: string }> }
  const before = await read()
  await sessions.rename(id, 'Another')
  const renamed = await read()
  t.equal(renamed.title, 'Another')
  t.same(renamed.messages, before.messages)

  t.throws(() => db.transaction(() => {
    say(id, 'Question undone')
    sessions.detail(id, { messages: true })
    throw new Error('undone')
  }))
  t.equal((await read()).messages.length, all)
  say(id, 'Question more')
  sessions.changed('session_rename', id)
  t.equal((await read()).messages.at(-1)?.content, 'Question more')
  await sessions.truncate(id, 400)
  t.same((await read()).messages, before.messages.slice(0, 400))
})

t.test('a cut of many rows is one for whoever reads, and is taken away in portions', async (t) => {
  const service = await large('portions')
  const { db, sessions, stored, marks, id } = service
  t.match(await shown(service, id), { whole: all, named: true, foundGone: 1 })
  db.transaction(() => { sessions.transcript.truncate(id, 10, 1) })
  t.equal(stored(id), all, 'no row is gone yet')
  t.same(await shown(service, id), ten)
  const left: number[] = []
  while (db.transaction(() => sessions.transcript.cuts.trim(id))) left.push(stored(id))
  t.ok(left.length > 10 && left.every((rows, index) => (left[index - 1] ?? all) - rows <= 50), 'few rows at a time')
  t.equal(stored(id), 10)
  t.equal(marks(), 0)
  t.same(await shown(service, id), ten)
  db.close()
})

t.test('what is said meanwhile stands where the cut was made', async (t) => {
  const service = await large('meanwhile')
  const { db, sessions, stored, marks, say, id } = service
  db.transaction(() => { sessions.transcript.truncate(id, 10, 1) })
  t.equal(say(id, 'Question after it').position, 10)
  t.equal(stored(id), all, 'it has taken the place of one row, and has not waited for the others')
  const eleven = { ...ten, counted: [11, 6], whole: 11, parsed: 11, asked: 6, outlined: 6, replayed: 11, history: 11, said: 'Question after it' }
  t.same(await shown(service, id), eleven)
  db.transaction(() => { sessions.transcript.compress(id, { summary: 'So far', keptRows: 2, contextTokens: 1 }) })
  t.equal(sessions.get(id).compressedBefore, 9)
  db.transaction(() => { sessions.transcript.cuts.trim(id) })
  t.equal(say(id, 'Answer after it').position, 11)
  await sessions.sweep()
  t.same([stored(id), marks()], [12, 0])
  t.match(await shown(service, id), { counted: [12, 6], whole: 12, said: 'Answer after it', answered: 'Answer after it' })
  t.equal(say(id, 'Question at last').position, 12)
  db.close()
})

t.test('a cut is taken away even if the search index cannot be merged', async (t) => {
  const { db, sessions, stored, marks, id } = await large('unmerged')
  t.teardown(() => db.close())
  db.transaction(() => { sessions.transcript.truncate(id, 10, 1) })
  Object.assign(sessions.transcript, { mergeWhileAdding: () => { throw new Error('database is locked') } })
  await sessions.sweep().catch(() => {})
  t.same([stored(id), marks()], [10, 0])
})

t.test('a cut again, before the first is over', async (t) => {
  const service = await large('again')
  const { db, sessions, stored, id } = service
  db.transaction(() => { sessions.transcript.truncate(id, 700, 1) })
  db.transaction(() => { sessions.transcript.truncate(id, 10, 1) })
  t.same(await shown(service, id), ten)
  db.transaction(() => { sessions.transcript.truncate(id, 9, 1) })
  t.match(await shown(service, id), { counted: [9, 5], whole: 9 })
  await sessions.sweep()
  t.equal(stored(id), 9)
  db.close()
})

t.test('a stop in the middle leaves nothing behind', async (t) => {
  const first = await large('stopped')
  first.db.transaction(() => { first.sessions.transcript.truncate(first.id, 10, 1) })
  first.db.transaction(() => first.sessions.transcript.cuts.trim(first.id))
  first.db.close()
  const second = open('stopped')
  t.same(await shown(second, first.id), ten)
  await second.sessions.sweep()
  t.equal(second.stored(first.id), 10)
  t.equal(second.marks(), 0)
  second.db.close()
})

t.test('what has gone leaves the search index as well', async (t) => {
  const service = await large('index')
  const { db, sessions, id } = service
  const blocks = (): number => db.sqlite.prepare<[], number>('select sum(length(block)) from message_texts_data').pluck().get()!
  for (let index = 0; index < 20; index++) service.say(id, `Answer ${Array.from({ length: 2_000 }, (_, at) => (at * 7_919 * (index + 1)).toString(36)).join(' ')}`)
  const before = blocks()
  db.transaction(() => { sessions.transcript.truncate(id, 1, 1) })
  await sessions.sweep()
  t.ok(blocks() < before / 2, `${blocks()} of ${before} bytes are left`)
  t.equal(db.sqlite.prepare("select v from message_texts_config where k = 'deletemerge'").pluck().get(), 0, 'deletions themselves merge nothing')
  db.close()
})

t.test('what a person cuts off is gone when the answer comes', async (t) => {
  const service = await large('edits')
  const { db, sessions, stored, marks, id } = service
  t.match(await sessions.undo(id), { text: 'Question 998 about zebras', removed: 2 })
  t.same([stored(id), marks(), sessions.get(id).userMessageCount], [998, 0, 499])
  await sessions.truncate(id, 400)
  t.same([marks(), sessions.get(id).userMessageCount], [1, 200])
  t.ok(stored(id) > 400, 'nobody waits for the rows')
  await sessions.truncate(id, 0, 'session_clear')
  t.same([marks(), sessions.get(id).userMessageCount], [1, 0])
  t.equal(sessions.get(id).lastMessageAt, null)
  for (let turns = 0; marks() > 0 && turns < 10_000; turns++) await new Promise(setImmediate)
  t.same([stored(id), marks()], [0, 0])
  db.close()
})

t.test('what was begun before a cut sees none of what it has hidden', async (t) => {
  const service = await large('begun')
  const { db, sessions, stored, say, id } = service
  const pages = sessions.transcript.messages(id, 'plain')
  await pages.next()
  const branch = t.rejects(sessions.branch(id, { keep: 400 }), { message: /changed while it was being copied/ })
  await new Promise(setImmediate)
  db.transaction(() => { sessions.transcript.truncate(id, 200, 1) })
  say(id, 'Question after it')
  t.equal(sessions.transcript.idAt(id, 399), undefined)
  t.equal(stored(id), all)
  const rest = (await Readable.from(pages).toArray()).map(({ content }) => content)
  t.notOk(rest.includes('Answer 399 about zebras'), 'a page that is being made ends where the session does')
  await branch
  db.close()
})

t.test('texts that are masked anew after a stop show nothing that was cut off', async (t) => {
  const first = await large('remasked')
  first.db.transaction(() => { first.sessions.transcript.truncate(first.id, 10, 1) })
  first.db.sqlite.pragma('user_version = 0')
  const remasking = createRemasking({ db: first.db, clock: { now: () => 1_000 } })
  remasking.prepare()
  t.same(await shown(first, first.id), ten)
  await remasking.work()
  t.equal(first.db.sqlite.pragma('user_version', { simple: true }), 6)
  t.same(await shown(first, first.id), ten)
  first.db.close()
})
