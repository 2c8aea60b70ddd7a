import t from '#test'
import { start } from '../support/app.js'

const largeChars = 4_000_000

/** Counts the turns of the event loop when a large body was concatenated, when it became text, and when it was parsed. */
async function stepsOf (work: () => Promise<void>): Promise<Record<string, number>> {
  const { concat, prototype: { toString } } = Buffer
  const { parse } = JSON
  const steps: Record<string, number> = {}
  let turns = 0
  let isOver = false
  const turn = (): void => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  Buffer.concat = (list, length) => {
    if ((length ?? 0) > largeChars) steps.whole = turns
    return concat(list, length)
  }
  Buffer.prototype.toString = function (...options: Parameters<typeof toString>) {
    if (this.length > largeChars) steps.text = turns
    return toString.apply(this, options)
  }
  JSON.parse = (text: string, reviver) => {
    if (text.length > largeChars) steps.parsed = turns
    return parse(text, reviver) as unknown
  }
  try {
    await work()
  } finally {
    isOver = true
    Object.assign(Buffer, { concat })
    Buffer.prototype.toString = toString
    JSON.parse = parse
  }
  return steps
}

t.test('between the steps in which a large body is read everyone else gets a turn', async (t) => {
  const service = await start(t)
  const sessionId = await service.newSession()
  for (const [route, body] of [['/api/file/create', { path: 'large.txt', content: 'x'.repeat(largeChars + 1) }], ['/api/session/draft', { text: 'x'.repeat(largeChars + 1) }], ['/api/chat/start', { message: 'x'.repeat(largeChars + 1) }]] as const) {
    const steps = await stepsOf(async () => { t.ok((await service.post(route, { session_id: sessionId, ...body })).status < 500) })
    const { whole = 0, text = 0, parsed = 0 } = steps
    t.ok(whole > 0 && text - whole >= 2 && parsed > text, `${route}: ${JSON.stringify(steps)}`)
  }
})
