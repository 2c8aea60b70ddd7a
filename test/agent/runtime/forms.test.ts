import fc from 'fast-check'
import { Value } from '@sinclair/typebox/value'
import t from '#test'
import { readControl, readSaid, readStart } from '../../../machine/forms.js'
import { readFromMachine, readStartAnswer } from '../../../services/agent/machine-messages.js'
import { runBatchForm } from '../../../services/agent/protocol.js'
import { isBatch, readMessage } from '../../../services/agent/runtime/incoming.js'
import { tries } from '../../support/tries.js'

/** A message without one of its fields, or with something else in its place. */
const damaged = (message: Record<string, unknown>): fc.Arbitrary<unknown> => fc.tuple(fc.constantFrom(...Object.keys(message)), fc.boolean(), fc.anything())
  .map(([field, isMissing, other]) => Object.fromEntries(Object.entries(message).flatMap(([name, value]) => name !== field ? [[name, value]] : isMissing ? [] : [[name, other]])))

t.test('batches are checked by hand as their form says', async (t) => {
  const batch = { runId: 'r', generation: 1, seq: 1, events: [{ t: 'token', text: 'a' }, null] }
  const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(2 ** 53, -(2 ** 53), 0, 0.5, NaN, Infinity))
  for (const value of [batch, [batch], null, 'x']) t.equal(isBatch(value), Value.Check(runBatchForm, value))
  fc.assert(fc.property(fc.oneof(damaged(batch), fc.record({ runId: fc.constant('r'), generation: number, seq: number, events: fc.array(fc.anything()) })), (value) =>
    isBatch(value) === Value.Check(runBatchForm, value)), { numRuns: tries(2_000), seed: 7 })
})

t.test('what a machine says itself is read, whatever it gives as its reasons, and as nothing else than it is', async (t) => {
  const why = 'it does not say why'
  for (const [said, read] of [
    [{ taken: true, process: 'p' }, { taken: true, process: 'p' }],
    [{ taken: false, reason: 'r', message: 'm'.repeat(10_000) }, { taken: false, reason: 'r', message: 'm'.repeat(500) }],
    [{ taken: false, reason: { toString: 1 } }, { taken: false, reason: why, message: why }],
    [{ taken: true }, null], [{ taken: 'true', process: 'p' }, null], [null, null], [[], null]
  ]) t.strictSame(readStartAnswer(said), read)
  for (const [said, read] of [
    [{ type: 'exited', process: 'p', reason: 'r' }, { type: 'exited', process: 'p', reason: 'r' }],
    [{ type: 'exited' }, { type: 'exited', process: why, reason: why }],
    [{ type: 'lost', runId: 'r', reason: 7, message: null }, { type: 'lost', runId: 'r', reason: why, message: why }],
    [{ type: 'lost', reason: 'r', message: 'm' }, null], [{ type: 'constructor' }, null], [{ type: 'pong' }, null], ['exited', null]
  ]) t.strictSame(readFromMachine(said), read)
})

t.test('a machine takes no message that has not the form of its type', async (t) => {
  const aux = { type: 'aux', request: { requestId: '1', task: 'title', model: { provider: 'p', id: 'm' }, input: {} } }
  const reply = { type: 'reply', reply: { requestId: '1', runId: 'r', answer: null } }
  const refused = { type: 'reply', reply: { requestId: '1', runId: 'r', error: { code: 'a code of another release', message: 'No' } } }
  const mcp = { type: 'mcp', query: { requestId: '1', what: 'a question of another release', body: {} } }
  for (const message of [aux, reply, refused, mcp, { type: 'ping', beat: 1 }, { type: 'kill' }]) t.strictSame(readSaid(message), message)
  for (const message of [
    { type: 'start', spec: {} }, { type: 'stored', runId: 'r', seq: 1 }, { type: 'end' }, { type: 'ping', beat: 'x' }, { type: '__proto__' }, null,
    { type: 'aux', request: { ...aux.request, model: { provider: 'p' } } }, { type: 'reply', reply: { requestId: '1', runId: 'r' } },
    { type: 'reply', reply: { requestId: '1', runId: 'r', error: 'No' } }, { type: 'mcp', query: { requestId: '1' } }
  ]) t.equal(readSaid(message), null, JSON.stringify(message))
  const control = { controlId: 'c', runId: 'r', op: 'answer', askId: 'a', value: 'once' }
  t.strictSame(readControl({ control }), control)
  t.strictSame(readControl({ control: { ...control, op: 'an operation of another release' } }), { ...control, op: 'an operation of another release' })
  t.equal(readControl({ control: { ...control, askId: 7 } }), null)
  t.equal(readControl({ control: { ...control, runId: undefined } }), null)
  t.strictSame(readStart({ spec: { v: 9, runId: '../..' } }), { v: 9, runId: '../..' })
  t.equal(readStart({ spec: { v: 'x' } }), null)
  fc.assert(fc.property(fc.oneof(...[aux, reply, mcp].map(damaged), damaged(control).map((control) => ({ control })), fc.anything()), (said) => {
    for (const read of [readSaid, readControl, readStart, readStartAnswer, readFromMachine, readMessage]) read(said)
  }), { numRuns: tries(2_000), seed: 8 })
})
