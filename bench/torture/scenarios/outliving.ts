import { setTimeout as delay } from 'node:timers/promises'
import { startModelEndpoint } from '../../../test/support/model-endpoint.js'
import { type ServerProcess } from '../../../test/support/server.js'
import { isAlive } from '../../processes.js'
import { median } from '../../report.js'
import { hostPid } from '../arena.js'
import { type Scenario } from '../scenario.js'

/** Per round. */
const kills = { whole: 40, short: 2 } as const
const turnsAtOnce = { whole: 20, short: 4 } as const
const wordEveryMs = 25
const wordsOfTurn = { whole: 800, short: 160 } as const
/** How soon after the service is up half of the turns must continue: many times what it takes, for machines that are busy. */
const takenUpLimitMs = 2_000
const worstLimitMs = 30_000

interface Turn { streamId: string, lastSeq: number }

export const outliving: Scenario = {
  name: 'outliving',
  says: 'repeated kill -9 of the service alone during streaming turns, which continue without it',
  short: true,
  async run (arena) {
    const { random, tally, short, rounds } = arena
    const size = short ? 'short' : 'whole'
    const words = Array.from({ length: wordsOfTurn[size] }, (_, index) => `w${index} `)
    const endpoint = await startModelEndpoint({ models: ['counting'] })
    arena.later(() => endpoint.close())
    endpoint.script(({ stream }) => stream ? words.flatMap((text) => [{ text }, { waitMs: wordEveryMs }]) : [{ text: 'A title' }])
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: endpoint.url }
    const takenUpMs: number[] = []
    let service = await arena.ready({ env })
    let host = await hostPid(service)
    let [ended, turns]: [number, Turn[]] = [0, []]
    for (let kill = 0; kill < rounds * kills[size]; kill++) {
      if (turns.length === 0) turns = await Promise.all(Array.from({ length: turnsAtOnce[size] }, async () => await begin(service)))
      await Promise.all(turns.map(async (turn) => await follow(service, turn, random.whole(0, 700))))
      await service.end('SIGKILL')
      tally.tried('kills')
      service = await arena.ready({ env })
      const upMs = performance.now()
      await Promise.all(turns.map(async (turn) => {
        await firstOf(service, turn)
        takenUpMs.push(performance.now() - upMs)
      }))
      const alive = await hostPid(service)
      const left = await stillAtWork(service, turns)
      // The host ends by itself if its last turn ended before the service was up again; the output is then read from its file.
      if (left.length > 0 && alive !== host && isAlive(host)) tally.wrong('the turns have another host than before the kill')
      host = alive
      for (const turn of turns.filter((turn) => !left.includes(turn))) await check(service, turn)
      turns = left
    }
    for (const turn of turns) await check(service, turn)
    await arena.stop(service)
    const middle = Math.round(median(takenUpMs))
    const worst = Math.round(Math.max(...takenUpMs))
    tally.checked()
    if (middle > takenUpLimitMs && !short) tally.wrong(`half of the turns took more than ${middle} ms to continue after the service was up`)
    if (worst > worstLimitMs) tally.wrong(`a turn took ${worst} ms to continue after the service was up`)
    tally.note(`turns continued ${middle} ms after the service was up (p50; worst ${worst} ms); ${ended} turns complete`)

    async function check (service: ServerProcess, { streamId }: Turn): Promise<void> {
      const reader = await service.events(`/api/chat/stream?stream_id=${streamId}&replay=1&after_seq=0`)
      await reader.ended
      tally.tried('frames', reader.frames.length)
      // Its end, its text, and the number of each frame.
      tally.checked(2 + reader.frames.length)
      const text = reader.frames.map(({ event, data }) => event === 'token' ? data.text as string : '').join('')
      if (reader.frames.at(-1)?.event !== 'stream_end') tally.lost('turns', `${streamId} ended with ${reader.frames.at(-1)?.event}`)
      else if (text !== words.join('')) tally.lost('frames', `${streamId} has another text than its model sent: ${text.slice(0, 200)}`)
      else ended++
      reader.frames.forEach(({ id }, index) => {
        if (seqOf(id) !== index + 1) tally.lost('frames', `${streamId} has ${id} as its frame ${index + 1}`)
      })
    }

    async function begin (service: ServerProcess): Promise<Turn> {
      const { session: { session_id: sessionId } } = await service.json('/api/session/new', { model: 'counting' })
      const { stream_id: streamId } = await service.json('/api/chat/start', { session_id: sessionId, message: 'Count' })
      tally.tried('turns')
      return { streamId, lastSeq: 0 }
    }
  }
}

const seqOf = (id: string | undefined | null): number => Number(id?.split(':')[1])

/** Reads on for a while. */
async function follow (service: ServerProcess, turn: Turn, forMs: number): Promise<void> {
  const reader = await service.events(`/api/chat/stream?stream_id=${turn.streamId}&replay=1&after_seq=${turn.lastSeq}`)
  await Promise.race([reader.ended, delay(forMs)])
  turn.lastSeq = reader.frames.length === 0 ? turn.lastSeq : seqOf(reader.frames.at(-1)?.id)
  reader.drop()
}

/** Waits for the next frame that the client has not seen yet. */
async function firstOf (service: ServerProcess, turn: Turn): Promise<void> {
  const reader = await service.events(`/api/chat/stream?stream_id=${turn.streamId}&replay=1&after_seq=${turn.lastSeq}`)
  await reader.until(() => true).catch(() => {}) // it had ended, and all of it was seen
  reader.drop()
}

async function stillAtWork (service: ServerProcess, turns: Turn[]): Promise<Turn[]> {
  const found = await Promise.all(turns.map(async ({ streamId }) =>
    (await service.json(`/api/chat/stream/status?stream_id=${streamId}`)).active === true))
  return turns.filter((_, index) => found[index])
}
