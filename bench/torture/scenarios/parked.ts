import Sqlite from 'better-sqlite3'
import { setTimeout as delay } from 'node:timers/promises'
import { startModelEndpoint } from '../../../test/support/model-endpoint.js'
import { checkState } from '../check-ledger.js'
import { replayOf } from '../check-turns.js'
import { createMortal, inTime } from '../mortal.js'
import { type Scenario } from '../scenario.js'

const killsOfRound = { whole: 5, short: 2 } as const
const turnsAtOnce = 5
const words = Array.from({ length: 30 }, (_, index) => `w${index} `)
const text = words.join('')
const wordEveryMs = 10
const refusedTimes = 2
const limitS = 3_600
const endLimitMs = 90_000

interface Parked { streamId: string, sessionId: string, message: string, cancel: 'none' | 'sent' | 'acknowledged' }

export const parked: Scenario = {
  name: 'parked',
  says: 'kill -9 of the service, alone or with its agent process, while turns wait for the limit of their provider, continue by themselves, are resumed and cancelled',
  short: true,
  async run (arena) {
    const { random, tally, short, rounds } = arena
    const endpoint = await startModelEndpoint({ models: ['limited'] })
    arena.later(() => endpoint.close())
    /** How often each message was refused, and how often its answer was begun. */
    const refused = new Map<string, number>()
    const answered = new Map<string, number>()
    endpoint.script(({ stream, messages }) => {
      if (!stream) return [{ text: 'A title' }]
      const message = String(messages.at(-1)?.content)
      const count = refused.get(message) ?? 0
      refused.set(message, count + 1)
      if (count < refusedTimes) return [{ refuse: 429, error: 'Too many requests', headers: { 'retry-after': String(limitS) } }]
      answered.set(message, (answered.get(message) ?? 0) + 1)
      return words.flatMap((text) => [{ text }, { waitMs: wordEveryMs }])
    })
    const mortal = await createMortal(arena, { env: { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: endpoint.url } })
    const all: Parked[] = []
    /** Sessions whose start was not answered: whether they have a turn is not known. */
    const unanswered: string[] = []
    const ends = { whole: 0, cancelled: 0, cut: 0 }
    let counter = 0
    for (let kill = 0; kill < rounds * killsOfRound[short ? 'short' : 'whole']; kill++) {
      const beginning = Promise.all(Array.from({ length: turnsAtOnce }, async () => await begin(`message ${++counter}`)))
      await delay(random.whole(200, 1_500))
      const acting = Promise.all(all.map(async (turn) => await act(turn)))
      await delay(random.whole(0, 500))
      // Some become due while the service is down.
      await mortal.kill({ meanwhile: () => letTimesCome(0.4) })
      await Promise.all([beginning, acting])
    }

    const untilMs = performance.now() + endLimitMs
    for (const turn of all) {
      const ended = await inTime(async () => {
        await mortal.ask('/api/chat/resume', { stream_id: turn.streamId })
        const status = await mortal.ask(`/api/chat/stream/status?stream_id=${turn.streamId}`)
        return status?.status === 200 && status.body.active === false
      }, Math.max(2_000, untilMs - performance.now()))
      tally.checked()
      if (ended === null) tally.lost('turns', `${turn.message} has no end ${endLimitMs / 1_000} s after the last kill`)
      else await check(turn)
    }
    for (const sessionId of unanswered) {
      await inTime(async () => {
        const streamId = (await mortal.ask(`/api/session?session_id=${sessionId}`))?.body.session?.active_stream_id ?? null
        if (streamId === null) return true
        await mortal.ask('/api/chat/resume', { stream_id: streamId })
        return false
      }, endLimitMs)
    }
    const twice = [...answered.values()].filter((count) => count > 1).length
    tally.note(`${all.length} turns: ${ends.whole} whole after ${refusedTimes} waits, ${ends.cancelled} cancelled, ${ends.cut} cut off with their ` +
      `agent process; ${twice} were begun once more as nothing of them had been heard`)
    await mortal.stop()
    checkState({ databaseFile: arena.databaseFile(), tally })

    async function begin (message: string): Promise<void> {
      const made = await mortal.need('/api/session/new', { model: 'limited', model_provider: 'openai' })
      if (made === null) return
      const sessionId = made.session.session_id as string
      tally.tried('sessions')
      const started = await mortal.need('/api/chat/start', { session_id: sessionId, message })
      if (started === null) {
        unanswered.push(sessionId)
        return
      }
      all.push({ streamId: started.stream_id, sessionId, message, cancel: 'none' })
      tally.tried('turns')
    }

    /** Resumes it, stops it, or leaves it alone. */
    async function act (turn: Parked): Promise<void> {
      if (turn.cancel === 'acknowledged' || random.chance(0.5)) return
      await delay(random.whole(0, 400))
      if (random.chance(0.93)) {
        await mortal.need('/api/chat/resume', { stream_id: turn.streamId, ...(random.chance(0.2) && { now: false }) }, [503])
        return
      }
      turn.cancel = 'sent'
      const body = await mortal.need('/api/chat/cancel', { stream_id: turn.streamId })
      if (body !== null) turn.cancel = body.cancelled === true ? 'acknowledged' : 'none'
    }

    function letTimesCome (share: number): void {
      const db = new Sqlite(arena.databaseFile())
      const ids = db.prepare<[], string>('select stream_id from parked_turns').pluck().all().filter(() => random.chance(share))
      for (const id of ids) db.prepare('update parked_turns set resumes_at = ? where stream_id = ?').run(Date.now() / 1_000 + random.whole(-5, 1), id)
      db.close()
    }

    /** Checks that it has its whole answer, unless it was cancelled, or ended with a readable error together with its agent process. */
    async function check ({ streamId, sessionId, message, cancel }: Parked): Promise<void> {
      const frames = await replayOf(mortal.service().url, streamId)
      if (frames === null) return tally.lost('frames', `the replay of ${message} does not end`)
      tally.tried('frames', frames.length)
      tally.checked(frames.length)
      frames.forEach(({ id }, index) => {
        if (id !== `${streamId}:${index + 1}`) tally.lost('frames', `${message} has ${id} as its frame ${index + 1}`)
      })
      const last = frames.at(-1)
      if (last?.event === 'stream_end') ends.whole++
      else if (last?.event === 'cancel') ends.cancelled++
      else ends.cut++
      const said = frames.flatMap(({ event, data }) => event === 'token' ? [(JSON.parse(data) as { text: string }).text] : []).join('')
      if (last?.event === 'stream_end' && said !== text) tally.lost('messages', `${message} is over with ${said.length} of ${text.length} characters`)
      if (cancel === 'acknowledged' && last?.event !== 'cancel') tally.lost('turns', `the cancel of ${message} was acknowledged, and it ended with ${last?.event}`)
      if (last?.event === 'cancel' && cancel === 'none') tally.wrong(`${message} was cancelled, and nobody has`)
      // A turn that did not wait yet was cut off like any other.
      const events = frames.map(({ event }) => event)
      if (last?.event === 'apperror' && said === '' && events.includes('parked')) {
        tally.lost('turns', `${message} waited, and was given up before anything was heard of it: ${events.join(' ')}`)
      }
      const { body } = await mortal.ask(`/api/session?session_id=${sessionId}`) ?? {}
      const users = body?.session.messages.filter(({ role }: { role: string }) => role === 'user') ?? []
      if (users.length !== 1) tally.lost('messages', `${message} is ${users.length} times in its conversation`)
      if (body?.session.resumes_at !== undefined) tally.wrong(`${message} is over, and its session still waits`)
    }
  }
}
