import t from '#test'
import { rowsWithPauses } from '../../services/areas/foreign/adoption.js'
import { createArrivals, type ArrivalsOptions } from '../../services/areas/sessions/arrivals.js'

/** Resolves with how often other work ran before `work` was done. */
async function passesDuring (work: () => Promise<unknown>): Promise<number> {
  let passes = 0
  const over = new AbortController()
  const counting = (async () => {
    for (; !over.signal.aborted; passes++) await new Promise((resolve) => { setImmediate(resolve) })
  })()
  await work().finally(() => over.abort())
  const seen = passes
  await counting
  return seen
}

t.test('a conversation of many messages is divided and read with pauses', async (t) => {
  const text = (at: number): string => JSON.stringify({ role: 'assistant', content: `The engine runs well, ${at}.`, _ts: at })
  const transcript = { messages: Array.from({ length: 20_000 }, (_, at) => text(at)), toolCalls: [], counted: [], replay: [] }
  let rows: Awaited<ReturnType<typeof rowsWithPauses>> = []
  t.ok(await passesDuring(async () => { rows = await rowsWithPauses(transcript) }) > 0, 'read')
  t.match(rows.at(-1), { role: 'assistant', body: { _ts: 19_999 } })

  let pieces = 0
  const make: ArrivalsOptions['make'] = async (_input, _reason, made) => {
    pieces = made.length
    throw new Error('nothing is made here')
  }
  const arrivals = createArrivals({ make } as ArrivalsOptions)
  const conversation = { title: 'Long', workspace: '/w', profile: 'default', rows }
  t.ok(await passesDuring(async () => await t.rejects(arrivals.adopt('parent', conversation, {}))) > 0, 'divided')
  t.equal(pieces, 400)
})
