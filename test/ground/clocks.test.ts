import t from '#test'
import { createAges } from '../../services/ground/time/clock.js'
import { gate, held, startChat } from '../support/chat.js'
import { tokenText } from '../support/events.js'

const dayMs = 86_400_000
let offMs = 0
/** A wall clock that a person sets; monotonic time goes on. */
const clock = { now: () => Date.now() + offMs }

for (const [where, jumpMs] of [['forth', dayMs], ['back', -dayMs]] as const) {
  t.test(`a clock that is set a day ${where}`, async (t) => {
    const service = await startChat(t, { clock })
    t.teardown(() => { offMs = 0 })
    const [jump, go] = [gate(), gate()]
    const model = service.model(held(jump, [{ text: 'Before ' }], [{ text: 'and after.' }]))
    const sessionId = await service.newSession()
    const streamId = await service.send(sessionId, 'Hello', { model })
    const reader = await service.watch(streamId)
    await reader.until('token')
    const asking = await service.newSession()
    const question = await service.watch(await service.send(asking, 'Ask', { model: service.model([{ tool: 'clarify', args: { question: 'Which one?' } }], held(go, [{ text: 'Good.' }], [])) }))
    const card = await service.pending(asking, 'clarify')
    const cards = await service.events(`/api/clarify/stream?session_id=${asking}`)
    await cards.until(({ data }) => typeof data.pending?.expires_at === 'number')
    const aside = (await service.post('/api/btw', { session_id: asking, question: 'By the way?' })).body
    const answered = await service.watch(aside.stream_id)
    await answered.ended
    await service.app.sideTurns.btw.sweep()

    offMs = jumpMs
    await service.app.sideTurns.btw.sweep()
    t.equal((await service.get(`/api/chat/stream/status?stream_id=${aside.stream_id}`)).status, 200, 'an answer that is read is not thrown away')

    const now = (await service.get(`/api/clarify/pending?session_id=${asking}`)).body.pending
    t.equal(now.clarify_id, card.clarify_id)
    const left = now.expires_at - clock.now() / 1000
    t.ok(left > 60 && left <= now.timeout_seconds, 'the question has the time left that it had')
    await service.app.prompts.followClock()
    const told = await cards.until((frame) => frame.event === 'clarify')
    t.ok(Math.abs(told.data.pending.expires_at - now.expires_at) < 2, 'who looks at it is told')
    const stored = service.app.db.sqlite.prepare<[string], number>('select expires_at from prompts where id = ?').pluck().get(now.clarify_id)!
    t.ok(Math.abs(stored - now.expires_at) < 2, 'and so is the next start')

    t.equal((await service.post('/api/clarify/respond', { session_id: asking, response: 'this one', clarify_id: card.clarify_id })).status, 200, 'and it can be answered')
    jump.open()
    await reader.until(() => tokenText(reader.frames) === 'Before and after.')
    await reader.until('done')
    const [done] = reader.frames.filter((frame) => frame.event === 'done')
    const { duration_seconds: duration, ttft_ms: firstTokenMs, tps } = done!.data.usage
    t.ok(duration >= 0 && duration < 600, `a duration of ${duration} s`)
    t.ok(firstTokenMs >= 0 && firstTokenMs < 600_000)
    t.ok(tps === null || tps > 0)
    const [usage] = service.app.db.sqlite.prepare('select duration_s as durationS, first_token_ms as firstTokenMs from usage where stream_id = ?').all(streamId) as Array<{ durationS: number, firstTokenMs: number }>
    t.ok(usage!.durationS >= 0 && usage!.durationS < 600)
    t.ok(usage!.firstTokenMs >= 0 && usage!.firstTokenMs < 600_000)
    go.open()
    await question.ended
    t.equal(question.frames.at(-1)?.event, 'stream_end')
  })
}

t.test('ages count what has passed', async (t) => {
  let [wallMs, passedMs] = [1_000_000_000, 0]
  const ages = createAges({ now: () => wallMs, monotonic: () => passedMs })
  const all = [{ id: 'old', atS: 999_000 }, { id: 'new', atS: 1_000_000 }, { id: 'from the future', atS: 1_090_000 }]
  t.same(ages.old(all, 600), ['old'], 'before the first look the wall clock counts')
  wallMs += dayMs
  t.same(ages.old(all, 600), ['old'], 'a clock that is set makes nothing older')
  wallMs -= 2 * dayMs
  t.same(ages.old(all, 600), ['old'], 'nor younger')
  passedMs += 600_000
  t.same(ages.old(all, 600), ['old', 'new', 'from the future'])
  t.same(ages.old([], 600), [])
  passedMs += 1
  t.same(ages.old([{ id: 'new', atS: wallMs / 1000 }], 600), [], 'what has gone is forgotten')
})
