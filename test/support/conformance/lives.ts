import fc from 'fast-check'
import { type Test } from '#test'
import { type FromHost } from '../../../services/agent/protocol.js'
import { eventually, gate, held } from '../chat.js'
import { arrived, bench, textOf, type OpenTransport } from './harness.js'

const done = { t: 'end', state: 'done' }

/** Tests that the service survives hosts that come, go and misbehave. */
export function livesConform (t: Test, open: OpenTransport): void {
  t.test('when a host dies each of its runs is lost once, and the next one gets a new host', async (t) => {
    const { run, lines, runtime, crash } = await bench(t, open)
    const never = gate()
    const runs = [run([held(never, [{ text: 'a ' }], [])]), run([held(never, [{ text: 'b ' }], [])])]
    for (const followed of runs) await arrived(followed, 'token')
    crash()
    for (const followed of runs) t.match(await followed.over, { message: /stopped unexpectedly/ })
    t.same(runtime.size(), { hosts: 0, runs: 0, waiting: 0 })
    t.match(await run([]).over, done)
    t.equal(lines.length, 2)
    for (const { lost } of runs) t.equal(lost.length, 1)
  })

  t.test('an idle host is stopped, a busy one is not, and the next run gets a new one', async (t) => {
    const { run, lines } = await bench(t, open, { idleStopMs: 60 })
    const wait = gate()
    const busy = run([held(wait, [{ text: 'a ' }], [{ text: 'b' }])])
    await arrived(busy, 'token')
    await new Promise((resolve) => setTimeout(resolve, 150))
    t.notOk(lines[0]!.isStopped)
    wait.open()
    t.match(await busy.over, done)
    await eventually('the idle stop', () => lines[0]!.isStopped)
    t.match(await run([]).over, done)
    t.equal(lines.length, 2)
  })

  t.test('messages of unknown types are left by either side', async (t) => {
    const { run, lines, way } = await bench(t, open)
    const wait = gate()
    const followed = run([held(wait, [{ text: 'a ' }], [{ text: 'b' }])])
    await arrived(followed, 'token')
    lines[0]!.tell({ type: 'novelty', with: ['something'] })
    lines[0]!.say({ type: 'novelty', with: ['something'] })
    // An event of an unknown type has a number too, and is skipped.
    let isAdded = false
    way.fromHost = (message) => message.type !== 'events'
      ? [message]
      : [{
          ...message,
          batches: message.batches.map((batch) => {
            const more = isAdded ? [] : [{ t: 'novelty' } as never]
            const seq = isAdded ? batch.seq + 1 : batch.seq
            isAdded = true
            return { ...batch, seq, events: [...more, ...batch.events] }
          })
        }]
    wait.open()
    t.match(await followed.over, done)
    t.equal(textOf(followed), 'a b')
    t.ok(isAdded)
  })

  t.test('a host of another version is not used, and its turns end in words', async (t) => {
    const { run, lines, way } = await bench(t, open)
    way.fromHost = (message) => message.type === 'ready' ? [{ ...message, v: 99 }] : [message]
    const followed = run([held(gate(), [{ text: 'a ' }], [])])
    t.match(await followed.over, { message: /version 99 .*different releases/ })
    t.ok(lines[0]!.isStopped)
  })

  t.test('what is no message harms nobody', async (t) => {
    const { run, lines, logs } = await bench(t, open)
    const wait = gate()
    const followed = run([held(wait, [{ text: 'a ' }], [{ text: 'b' }])])
    await arrived(followed, 'token')
    const { runId, generation } = followed.spec
    const batch = { runId, generation, seq: 1, events: [{ t: 'token', text: 'again' }] }
    const garbage: unknown[] = [
      null, undefined, 0, '', 'x', [], {}, { type: null }, { type: 'constructor' }, { type: '__proto__' }, { type: 'toString' },
      { type: 'events' }, { type: 'events', batches: 7 }, { type: 'events', batches: [null] }, { type: 'events', batches: [{ ...batch, seq: 0 }] },
      { type: 'events', batches: [{ ...batch, seq: -3 }] }, { type: 'events', batches: [{ ...batch, seq: 1e300 }] }, { type: 'events', batches: [{ ...batch, seq: '1' }] },
      { type: 'events', batches: [{ ...batch, events: 'x' }] }, { type: 'events', batches: [{ ...batch, events: [] }] },
      { type: 'events', batches: [{ ...batch, runId: 'nobody' }] }, { type: 'events', batches: [{ ...batch, generation: 7 }] }, { type: 'events', batches: [batch] },
      { type: 'ack' }, { type: 'ack', ack: { controlId: 'nobody', result: 'applied' } }, { type: 'ack', ack: { controlId: 7 } }, { type: 'aux', reply: { requestId: 'nobody', result: {} } },
      { type: 'request', request: { ...batch, requestId: 'x', what: '__proto__', body: {}, deadlineMs: null } }, { type: 'request', request: { ...batch, requestId: 'y', what: 'delegate', body: null, deadlineMs: -1 } },
      { type: 'missing', runId: 'nobody', generation: 1 }, { type: 'missing', runId, generation: 7 }, { type: 'missing' },
      { type: 'pong' }, { type: 'pong', beat: 0, runs: [] }, { type: 'pong', beat: 0, runs: [{ runId }] }, { type: 'pong', beat: 'x', runs: {} },
      { type: 'ready' }, { type: 'ready', v: 'x', pid: 1 }, { type: 'sandbox', status: null }, { type: 'sandbox' }
    ]
    for (const message of garbage) lines[0]!.say(message)
    fc.assert(fc.property(fc.record({ type: fc.constantFrom('events', 'ack', 'aux', 'request', 'missing', 'sandbox', 'stored') }, { noNullPrototype: false }), fc.anything(), (message, more) => {
      lines[0]!.say({ ...message, batches: more, ack: more, reply: more, request: more, status: more, runId: more, generation: more })
    }), { numRuns: 300, seed: 12 })
    wait.open()
    t.match(await followed.over, done)
    t.equal(textOf(followed), 'a b')
    t.equal(logs.filter((line) => line.includes('form of the protocol')).length, 1, 'it is said once')
  })

  t.test('a run whose events are garbled is lost in words, and stopped; so is one whose events nobody can take', async (t) => {
    const { run, lines, runtime, requests } = await bench(t, open)
    for (const garbled of [{ t: 'token' }, { t: 'step', message: null }, { t: 'ask', kind: 'approval' }, { t: 'tool_complete', result: 7 }, { t: 'end' },
      { t: 'side_usage', provider: 'openai', id: 'gpt', usage: { inputTokens: -1_000_000, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false } }, null, 'x']) {
      const followed = run([held(gate(), [{ text: 'a ' }], [])])
      await arrived(followed, 'token')
      const { runId, generation } = followed.spec
      lines[0]!.say({ type: 'events', batches: [{ runId, generation, seq: 1_000, events: [garbled] }] } as FromHost)
      t.match(await followed.over, { message: /could not be understood/ }, JSON.stringify(garbled))
      await eventually('the provider to be let go', () => requests(runId)[0]!.isClosed)
    }
    const { spec } = run([])
    const lost: unknown[] = []
    const over = new Promise<void>((resolve) => {
      runtime.start({ ...spec, runId: 'untaken' }, {
        events () { throw new Error('no room') },
        lost (loss) {
          lost.push(loss)
          resolve()
        }
      })
    })
    await over
    t.match(lost, [{ message: /could not be stored/, reason: /no room/ }], 'the line of its end says why')
    t.match(await run([]).over, done)
  })
}
