import fc from 'fast-check'
import { connect, type Socket } from 'node:net'
import t from '#test'
import { openDatabase } from '../../services/ground/database/index.js'
import { createBroker, createJournal, createRetention, StaleGeneration, type Subscription } from '../../services/ground/events/index.js'
import { start } from '../support/app.js'
import { tries } from '../support/tries.js'

const frame = (event: string, data: unknown) => ({ event, data: JSON.stringify(data) })

function broker ({ handingBack = [] }: { handingBack?: string[] } = {}) {
  const db = openDatabase({ file: ':memory:' })
  db.sqlite.exec("insert into sessions (id, profile, workspace, created_at, updated_at) values ('s', 'default', '/w', 1, 1)")
  const journal = createJournal(db, { handingBack })
  const events = createBroker({ db, journal })
  let streams = 0
  return {
    db,
    journal,
    events,
    stream (): string {
      const id = `stream${++streams}`
      db.sqlite.prepare("insert into streams (id, session_id, kind, state, generation, started_at) values (?, 's', 'chat', 'closed', 1, 1)").run(id)
      db.sqlite.prepare("update streams set state = 'cancelling' where id = ?").run(id)
      return id
    },
    end (id: string): void {
      events.commit(id, 1, () => {
        db.sqlite.prepare("update streams set state = 'closed', ended_at = ? where id = ?").run(streams, id)
        return [frame('stream_end', { session_id: 'a' })]
      })
    }
  }
}

/** Reads like a connection: whatever is available, in pieces of `chunk` bytes, until the stream has ended. */
function reader (subscription: Subscription, chunk = 64_000) {
  const texts: string[] = []
  const pull = () => {
    for (let pieces = subscription.read(chunk); pieces.length > 0; pieces = subscription.read(chunk)) texts.push(...pieces.map(String))
  }
  subscription.onReadable(pull)
  pull()
  return { texts, ids: () => texts.map((text) => /^id: (.*)$/m.exec(text)?.[1] ?? '') }
}

t.test('frames are stored before they are sent, numbered without a hole', async (t) => {
  const { db, events, journal, stream } = broker()
  const id = stream()
  const seen: number[] = []
  const subscription = events.subscribe(id, 0)!
  subscription.onReadable(() => {
    for (const piece of subscription.read(1e6)) {
      const seq = Number(/^id: .*:(\d+)$/m.exec(String(piece))![1])
      t.equal(journal.head(id)!.lastSeq >= seq, true, 'the journal has it when it is read')
      seen.push(seq)
    }
  })
  for (let index = 0; index < 10; index++) events.commit(id, 1, () => [frame('token', { text: String(index) })])
  t.same(seen, [], 'nothing is sent before the commit')
  await new Promise((resolve) => setImmediate(resolve))
  t.same(seen, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  subscription.close()
  t.same(events.size(), { topics: 0, subscriptions: 0 })
  db.close()
})

t.test('rows and frames of a write are stored together or not at all', async (t) => {
  const { db, events, journal, stream } = broker()
  const id = stream()
  const refused: Error[] = []
  const remember = () => db.sqlite.exec("insert into settings (key, value, updated_at) values ('x', '1', 1)")
  events.commit(id, 7, () => {
    remember()
    return [frame('token', { text: 'late' })]
  }, (error) => refused.push(error))
  events.commit(id, 7, () => {
    remember()
    return []
  }, (error) => refused.push(error))
  events.commit(id, 1, () => [frame('token', { text: 'in time' })])
  db.flush()
  t.equal(refused.length, 2, 'also a write without frames is refused')
  t.ok(refused[0] instanceof StaleGeneration)
  t.equal(db.sqlite.prepare('select count(*) from settings').pluck().get(), 0)
  t.same(journal.read(id, 0, 1e6), [{ seq: 1, event: 'token', data: '{"text":"in time"}' }])
  db.close()
})

t.test('a reader gets every frame once and in order, wherever and whenever it comes and however slowly it reads', async (t) => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('append' as const), count: fc.integer({ min: 1, max: 40 }), size: fc.integer({ min: 1, max: 4_000 }) }),
    fc.record({ do: fc.constant('read' as const), bytes: fc.integer({ min: 1, max: 20_000 }) }),
    fc.record({ do: fc.constant('tick' as const) }),
    fc.record({ do: fc.constant('reconnect' as const) }),
    fc.record({ do: fc.constant('second' as const) })
  )
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    const { db, events, stream, end } = broker()
    const id = stream()
    const received: number[] = []
    let total = 0
    let subscription = events.subscribe(id, 0)!
    const others: Subscription[] = []
    const take = (bytes: number) => {
      for (const piece of subscription.read(bytes)) received.push(Number(/^id: .*:(\d+)$/m.exec(String(piece))![1]))
    }
    for (const now of steps) {
      if (now.do === 'append') {
        total += now.count
        for (let index = 0; index < now.count; index++) events.commit(id, 1, () => [frame('token', { text: 'x'.repeat(now.size) })])
      } else if (now.do === 'read') take(now.bytes)
      else if (now.do === 'tick') await new Promise((resolve) => setImmediate(resolve))
      else if (now.do === 'reconnect') {
        subscription.close()
        subscription = events.subscribe(id, received.at(-1) ?? 0)!
      } else others.push(events.subscribe(id, 0)!)
    }
    end(id)
    db.flush()
    while (!subscription.ended) take(50_000)
    t.same(received, Array.from({ length: total + 1 }, (_, index) => index + 1))
    for (const other of others) {
      t.equal(reader(other).texts.length, total + 1)
      other.close()
    }
    subscription.close()
    t.same(events.size(), { topics: 0, subscriptions: 0 })
    db.close()
  }), { numRuns: tries(60) })
})

t.test('cursors beyond the end start over, streams nobody knows are nothing', async (t) => {
  const { db, events, stream, end } = broker()
  const id = stream()
  end(id)
  db.flush()
  t.same(reader(events.subscribe(id, 999)!).ids(), [`${id}:1`])
  t.same(reader(events.subscribe(id, -5)!).ids(), [`${id}:1`])
  t.same(reader(events.subscribe(id, 1)!).ids(), [])
  t.equal(events.subscribe('nobody', 0), null)
  db.close()
})

t.test('a snapshot comes first and what is published after it comes once', async (t) => {
  const { db, events } = broker()
  let state = 0
  const topic = { kind: 'approvals' as const, id: 's' }
  const publish = () => {
    state++
    events.publish(topic, () => frame('approval', { state }))
  }
  publish()
  const subscription = events.watch(topic, () => frame('initial', { state }))
  publish()
  const { texts } = reader(subscription)
  publish()
  publish()
  t.same(texts, ['event: initial\ndata: {"state":2}\n\n', 'event: approval\ndata: {"state":3}\n\n', 'event: approval\ndata: {"state":4}\n\n'])
  const slow = events.watch(topic, () => frame('initial', { state }))
  slow.read(10)
  for (let index = 0; index < 3_000; index++) publish()
  t.same(slow.read(1e9).map(String), [`event: initial\ndata: {"state":${state}}\n\n`], 'who falls far behind gets the state as it is')
  slow.close()
  subscription.close()
  t.same(events.size(), { topics: 0, subscriptions: 0 })
  db.close()
})

t.test('old journals are given up, oldest first, by age and by size, and never a live one', async (t) => {
  const { db, events, journal, stream, end } = broker()
  const ids = [stream(), stream(), stream(), stream()]
  for (const id of ids) events.commit(id, 1, () => [frame('token', { text: 'x'.repeat(1_000) })])
  db.flush()
  for (const [index, id] of ids.slice(0, 3).entries()) {
    end(id)
    db.flush()
    db.sqlite.prepare('update streams set ended_at = ? where id = ?').run(index * 86_400, id)
  }
  const { prune } = createRetention(db)
  t.equal(await prune(2 * 86_400, { days: 1, bytes: 1e9 }), 1)
  t.equal(journal.head(ids[0]!), null)
  t.equal(events.subscribe(ids[0]!, 0), null)
  t.equal(await prune(2 * 86_400, { days: 100, bytes: 1_500 }), 1)
  t.equal(journal.head(ids[1]!), null)
  t.ok(journal.head(ids[2]!))
  t.equal(await prune(1e9, { days: 1, bytes: 0 }), 1)
  t.ok(journal.head(ids[3]!), 'the live one stays')
  db.close()
})

t.test('the frames of a long turn go in portions, which the next call finishes if the service stops', async (t) => {
  const { db, events, journal, stream, end } = broker()
  const [short, long] = [stream(), stream()]
  for (let part = 0; part < 20; part++) {
    events.commit(long, 1, () => Array.from({ length: 2_000 }, () => frame('token', { text: 'x'.repeat(200) })))
  }
  events.commit(short, 1, () => [frame('token', { text: 'short' })])
  for (const id of [long, short]) end(id)
  db.flush()
  const left = (): number => db.sqlite.prepare<[], number>('select count(*) from frames').pluck().get() ?? 0
  const before = left()
  const subscription = events.subscribe(long, 0)
  const numbers = (pieces: Buffer[] = []): number[] => [...Buffer.concat(pieces).toString().matchAll(/^id: \w+:(\d+)$/gm)].map(([, seq]) => Number(seq))
  const stopping = new AbortController()
  const pruning = createRetention(db).prune(1e9, { days: 1, bytes: 0 }, stopping.signal)
  stopping.abort()
  await t.rejects(pruning, { name: 'AbortError' })
  t.ok(left() < before && left() > 1, `${left()} of ${before} are left after the first portion`)
  t.same([journal.head(long), events.subscribe(long, 0)], [null, null], 'nobody reads a stream with a gap')
  const reading = numbers(subscription?.read(100_000))
  t.equal(await createRetention(db).prune(0, { days: 1, bytes: 1e9 }), 0, 'nothing else has become too old')
  reading.push(...numbers(subscription?.read(1e9)))
  t.same(reading, reading.map((_, index) => index + 1), 'whoever was reading gets no gap')
  t.equal(left(), db.sqlite.prepare<[string], number>('select count(*) from frames where stream_id = ?').pluck().get(short))
  t.same(db.sqlite.prepare('select key from settings').all(), [])
  db.close()
})

t.test('a portion removes something on a machine that is too busy for it, too', async (t) => {
  const { db, events, stream, end } = broker()
  const id = stream()
  events.commit(id, 1, () => Array.from({ length: 200 }, () => frame('token', { text: 'x' })))
  end(id)
  db.flush()
  const { now } = performance
  let ms = 0
  performance.now = () => (ms += 1_000)
  t.teardown(() => { performance.now = now })
  const stopping = new AbortController()
  const pruning = createRetention(db).prune(1e9, { days: 1, bytes: 0 }, stopping.signal)
  stopping.abort()
  await t.rejects(pruning, { name: 'AbortError' })
  t.equal(db.sqlite.prepare('select count(*) from frames').pluck().get(), 200 + 1 - 64)
  db.close()
})

t.test('a reader that takes nothing holds no memory, and whoever else listens gets everything', async (t) => {
  const service = await start(t)
  const { db, events } = service.app
  const sockets: Socket[] = []
  service.app.server.on('connection', (socket: Socket) => sockets.push(socket))
  const sessionId = await service.newSession()
  db.sqlite.prepare("insert into streams (id, session_id, kind, state, generation, started_at) values ('big', ?, 'chat', 'active', 1, 1)").run(sessionId)
  const stuck = connect(Number(new URL(service.url).port), '127.0.0.1')
  stuck.pause()
  stuck.write('GET /api/chat/stream?stream_id=big HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  const fast = await service.events('/api/chat/stream?stream_id=big&replay=1')
  const frames = 60
  for (let index = 0; index < frames; index++) {
    events.commit('big', 1, () => [frame('token', { text: 'x'.repeat(512 * 1024) })])
    await new Promise((resolve) => setImmediate(resolve))
  }
  events.commit('big', 1, () => {
    db.sqlite.exec("update streams set state = 'closed', ended_at = 1 where id = 'big'")
    return [frame('stream_end', { session_id: 'a' })]
  })
  await fast.ended
  t.equal(fast.frames.length, frames + 1)
  const pending = sockets.map((socket) => socket.writableLength)
  t.ok(Math.max(...pending) < 2 * 1024 * 1024, `at most two frames wait for a socket, not ${frames}: ${Math.max(...pending)}`)
  stuck.destroy()
  while (service.app.eventStreams.open() > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  t.same(events.size(), { topics: 0, subscriptions: 0 })
})

t.test('the frames of a tail keep no memory of what was made between them', (t) => {
  const { db, events, stream } = broker({ handingBack: ['token'] })
  const id = stream()
  const [masked, typed] = [events.subscribe(id, 0)!, events.subscribe(id, 0, { mayType: true })!]
  const published = events.watch({ kind: 'session', id: 's' }, () => frame('session_snapshot', {}))
  published.read(1)
  for (let index = 0; index < 100; index++) {
    events.commit(id, 1, () => [{ ...frame('token', { text: '***' }), plain: '{"text":"typed"}' }])
    db.flush()
    events.publish({ kind: 'session', id: 's' }, () => frame('changed', { index }))
    // Takes the rest of the block from which Node makes small buffers.
    for (let bytes = 0; bytes < Buffer.poolSize; bytes += 4_000) Buffer.from('x'.repeat(4_000))
  }
  for (const subscription of [masked, typed, published]) {
    const read = subscription.read(1e6)
    t.equal(read.length, 100)
    t.equal(read.filter((bytes) => String(bytes).includes('typed')).length, subscription === typed ? 100 : 0)
    t.equal(new Set(read.map(({ buffer }) => buffer)).size < 10, true, 'a few blocks, not one for each frame')
    subscription.close()
  }
  db.close()
})
