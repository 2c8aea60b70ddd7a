import fc from 'fast-check'
import t from '#test'
import { Trail } from '../../../services/agent/host/trail.js'
import { flow } from '../../../services/agent/limits.js'

/** Creates a run with that many tokens, each of which was sent separately. */
function said (count: number, chars: number): Trail {
  const trail = new Trail('run', 1)
  for (let index = 0; index < count; index++) {
    trail.push({ t: 'token', text: 'x'.repeat(chars) })
    Array.from(trail.take())
  }
  return trail
}

t.test('a run whose disk is far behind goes on as soon as that has caught up, also when its events are not kept any more', async (t) => {
  const trail = said(10_000, 100)
  const wait = trail.drained()
  t.ok(wait !== undefined)
  trail.stored(2_000)
  t.ok(trail.drained() !== undefined)
  trail.stored(7_000)
  await wait
  t.equal(trail.drained(), undefined)
  t.ok(10_000 * 100 > flow.windowChars)
})

t.test('what is kept is there once more, what is not is not', async (t) => {
  const trail = said(10_000, 1)
  t.equal(trail.since(0), null)
  t.equal(trail.since(10_001), null)
  t.same([...trail.since(9_998)!], [{ runId: 'run', generation: 1, seq: 9_999, events: [{ t: 'token', text: 'x' }, { t: 'token', text: 'x' }] }])
  t.same([...trail.since(10_000)!], [])
  trail.stored(9_999)
  t.equal(trail.since(9_998), null)
  t.equal([...trail.since(9_999)!].length, 1)
  for (const nonsense of [-1, 0, 5, 20_000, NaN, Infinity]) trail.stored(nonsense)
  t.notOk(trail.isStored)
  trail.stored(10_000)
  t.ok(trail.isStored)
})

t.test('batches have every event once, in order and in bounded portions', (t) => {
  const kinds = fc.array(fc.oneof(fc.record({ t: fc.constantFrom('token' as const, 'reasoning' as const), text: fc.string({ maxLength: 20_000 }) }), fc.constant({ t: 'retracted' as const }), fc.constant('take' as const)), { maxLength: 60 })
  fc.assert(fc.property(kinds, (steps) => {
    const trail = new Trail('run', 1)
    let next = 1
    let [given, got] = ['', '']
    const take = (): void => {
      for (const { seq, events } of trail.take()) {
        t.equal(seq, next)
        next += events.length
        for (const event of events) got += event.t === 'token' || event.t === 'reasoning' ? `${event.t[0]}${event.text}` : '|'
      }
    }
    let last = ''
    for (const step of steps) {
      if (step === 'take') {
        take()
        last = ''
      } else {
        trail.push(step)
        given += step.t === 'retracted' ? '|' : `${last === step.t ? '' : step.t[0]}${step.text}`
        last = step.t
      }
    }
    take()
    return given === got && trail.last === next - 1 && trail.sent === trail.last
  }), { numRuns: 50, seed: 12 })
})
