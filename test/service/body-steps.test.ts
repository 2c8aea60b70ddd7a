import t from '#test'
import { start } from '../support/app.js'

const largeChars = 4_000_000
/** What is decoded or parsed at once of a long text. */
const largestPiece = 100_000
const long = 'x'.repeat(largeChars + 1)
const routes = [['/api/file/create', { path: 'large.txt', content: long }], ['/api/session/draft', { text: long }], ['/api/chat/start', { message: long }]] as const

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
    const [, start = 0, end = this.length] = options as [string?, number?, number?]
    if (end - start > largestPiece) steps.text = turns
    return toString.apply(this, options)
  }
  JSON.parse = (text: string, reviver) => {
    if (text.length > largestPiece) steps.parsed = turns
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
  const others = Array.from({ length: 9_000 }, () => 'x'.repeat(500))
  for (const [route] of routes) {
    const steps = await stepsOf(async () => { t.ok((await service.post(route, { session_id: sessionId, others })).status < 500) })
    const { whole = 0, text = 0, parsed = 0 } = steps
    t.ok(whole > 0 && text - whole >= 2 && parsed > text, `${route}: ${JSON.stringify(steps)}`)
  }
})

t.test('a long text in a body is decoded and parsed in pieces', async (t) => {
  const service = await start(t)
  const sessionId = await service.newSession()
  for (const [route, body] of routes) {
    const steps = await stepsOf(async () => { t.ok((await service.post(route, { session_id: sessionId, ...body })).status < 500) })
    t.ok((steps.whole ?? 0) > 0 && steps.parsed === undefined, `${route}: ${JSON.stringify(steps)}`)
  }
})
