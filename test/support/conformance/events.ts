import fc from 'fast-check'
import { type Test } from '#test'
import { type FromHost, type ToHost } from '../../../services/agent/protocol.js'
import { flow } from '../../../services/agent/limits.js'
import { eventually, gate, held } from '../chat.js'
import { type ModelStep } from '../model-endpoint.js'
import { arrived, bench, comparing, numbersOf, textOf, type OpenTransport } from './harness.js'

const words = (count: number, from = 0): string => Array.from({ length: count }, (_, index) => `word${from + index} `).join('')
/** Deltas slow enough to be sent separately. */
const slowly = (count: number): ModelStep[] => Array.from({ length: count }, (_, index) => [{ chunk: `word${index} ` }, { waitMs: 6 }]).flat()
const isEvents = (message: { type: string }): boolean => message.type === 'events'

/** Tests that a run's events arrive once, in order and complete, whatever happens to single messages. */
export function eventsConform (t: Test, open: OpenTransport): void {
  t.test('events are numbered from 1 without a gap, and the host hears that they are stored', async (t) => {
    const { run, lines, runtime } = await bench(t, open)
    const followed = run([[{ text: words(20) }, { tool: 'list_files', args: {} }], [{ text: 'Done.' }]])
    t.match(await followed.over, { t: 'end', state: 'done', runId: followed.spec.runId })
    t.equal(textOf(followed), `${words(20)}Done.`)
    const numbers = numbersOf(lines[0]!, followed.spec.runId)
    t.same(numbers, numbers.map((_, index) => index + 1))
    t.equal(followed.events.length, numbers.length)
    await eventually('the host to be told', () => lines[0]!.sent.find((message) => message.type === 'stored' && message.seq === numbers.length))
    t.same(runtime.size(), { hosts: 1, runs: 0, waiting: 0 })
  })

  t.test('two runs side by side have numbers of their own', async (t) => {
    const { run, lines } = await bench(t, open)
    const both = [run([slowly(20)]), run([slowly(20)])]
    for (const followed of both) {
      t.match(await followed.over, { t: 'end', state: 'done' })
      t.equal(textOf(followed), words(20))
      t.equal(numbersOf(lines[0]!, followed.spec.runId)[0], 1)
    }
  })

  t.test('what was dropped, doubled or late arrives once and in order', async (t) => {
    const { run, way, lines, mend } = await bench(t, open)
    const fates = fc.array(fc.constantFrom('pass', 'drop', 'double', 'late'), { minLength: 8, maxLength: 24 })
    await fc.assert(fc.asyncProperty(fates, async (fates) => {
      let late: FromHost[] = []
      way.fromHost = (message) => {
        if (!isEvents(message)) return [message]
        const fate = fates.shift() ?? 'pass'
        const before = late
        late = fate === 'late' ? [message] : []
        return fate === 'double' ? [message, message, ...before] : fate === 'pass' ? [message, ...before] : before
      }
      const followed = run([slowly(20)])
      const last = await comparing(lines[0]!, followed)
      mend()
      t.match(last, { t: 'end', state: 'done' })
      t.equal(textOf(followed), words(20))
    }), { numRuns: 6, seed: 12 })
  })

  t.test('of a turn that goes on with another run, what stands of the one before says nothing of the next', async (t) => {
    const { run, lines } = await bench(t, open)
    const before = run([slowly(20)])
    t.match(await before.over, { t: 'end' })
    const { runId } = before.spec
    const silent = gate()
    const next = run([held(silent, [], [{ text: 'Onwards.' }])], { runId, generation: 2 })
    await lines[0]!.compare()
    lines[0]!.tell({ type: 'observe', runId, generation: 2, after: 0 })
    await lines[0]!.compare()
    silent.open()
    t.match(await comparing(lines[0]!, next), { t: 'end', state: 'done' })
    t.equal(textOf(next), 'Onwards.')
  })

  t.test('after a cut the rest is observed, the end included', async (t) => {
    const { run, way, lines, mend } = await bench(t, open)
    const followed = run([slowly(20)])
    await arrived(followed, 'token')
    way.fromHost = () => []
    await eventually('the end to be said', () => lines[0]!.heard.find((message) => message.type === 'events' && message.batches.some(({ events }) => events.at(-1)?.t === 'end')))
    mend()
    t.notOk(followed.events.some((event) => event.t === 'end'))
    await lines[0]!.compare()
    t.match(await followed.over, { t: 'end', state: 'done' })
    t.equal(textOf(followed), words(20))
  })

  t.test('a run of which something is missing for good is lost, once and in words', async (t) => {
    const { run, way, lines, mend, runtime, forget } = await bench(t, open)
    const wait = gate()
    const followed = run([held(wait, slowly(5), [{ text: 'and on' }])])
    await arrived(followed, 'token')
    way.fromHost = (message) => isEvents(message) ? [] : [message]
    wait.open()
    await eventually('the end to be said', () => lines[0]!.heard.find((message) => message.type === 'events' && message.batches.some(({ events }) => events.at(-1)?.t === 'end')))
    mend()
    const numbers = numbersOf(lines[0]!, followed.spec.runId)
    await forget(followed.spec.runId, numbers.at(-1)!)
    await lines[0]!.compare()
    t.match(await followed.over, { message: /lost on its way/ })
    await lines[0]!.compare()
    t.match((await run([]).over), { t: 'end', state: 'done' }, 'the host goes on')
    t.equal(followed.lost.length, 1)
    t.equal(runtime.size().runs, 0)
  })

  t.test('a run says no more than what is stored and a bit, and goes on when that is', async (t) => {
    const callbacks: Array<() => void> = []
    const { run, keepsWhatIsSaid } = await bench(t, open, { whenStored: (callback) => { callbacks.push(callback) } })
    if (keepsWhatIsSaid) return
    const all = 110 * 8_192
    const followed = run([Array.from({ length: 110 }, () => ({ chunk: 'x'.repeat(8_192) }))])
    await eventually('the window to be full', () => textOf(followed).length >= flow.windowChars)
    await eventually('the run to wait', async () => {
      const before = textOf(followed).length
      await new Promise((resolve) => setTimeout(resolve, 200))
      return textOf(followed).length === before
    })
    t.ok(textOf(followed).length < all)
    const storing = setInterval(() => { for (const callback of callbacks.splice(0)) callback() }, 5)
    t.match(await followed.over, { t: 'end', state: 'done' })
    clearInterval(storing)
    t.equal(textOf(followed).length, all)
  })

  t.test('that something is stored may be told once too little', async (t) => {
    const { run, way, lines, mend } = await bench(t, open)
    let dropped = 0
    way.toHost = (message: ToHost) => message.type === 'stored' && ++dropped > 0 ? [] : [message]
    const followed = run([Array.from({ length: 110 }, () => ({ chunk: 'x'.repeat(8_192) }))])
    await eventually('the window to be full', () => textOf(followed).length >= flow.windowChars)
    mend()
    t.match(await comparing(lines[0]!, followed), { t: 'end', state: 'done' })
    t.ok(dropped > 0)
    t.equal(textOf(followed).length, 110 * 8_192)
  })

  t.test('large messages pass in both directions', async (t) => {
    const { run, requests } = await bench(t, open)
    const large = `${'ä€😀'.repeat(250_000)}`
    const followed = run([[{ chunk: large }]], { history: [{ role: 'user', content: [{ type: 'text', text: large }] }, { role: 'assistant', content: [{ type: 'text', text: 'Read.' }] }] })
    t.match(await followed.over, { t: 'end', state: 'done' })
    t.ok(textOf(followed) === large)
    t.ok(JSON.stringify(requests(followed.spec.runId)[0]!.messages).includes(large))
  })
}
