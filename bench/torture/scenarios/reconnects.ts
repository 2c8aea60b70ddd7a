import { setTimeout as delay } from 'node:timers/promises'
import { openEvents, type ReceivedFrame } from '../../../test/support/events.js'
import { type Arena } from '../arena.js'
import { createCrew } from '../crew.js'
import { type Random } from '../random.js'
import { type Scenario } from '../scenario.js'

const nonsense = ['-1', '1e9', 'abc', '999999', '0x10', '1.5', '%00', 'other-stream:3', ':', '٣', '18446744073709551616']

export const reconnects: Scenario = {
  name: 'reconnects',
  says: 'readers that disconnect and resume at random cursors, during and after turns',
  short: true,
  async run (arena) {
    const { random, tally, short } = arena
    const { url: modelUrl } = await arena.endpoint(200)
    const service = await arena.ready({ env: { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl } })
    const client = createCrew(arena).client(service)
    const read: ReceivedFrame[][] = []
    const turn = await client.turn(await client.newSession(), `words=${short ? 200 : 1_500} reasoning=20 tools=1`, {
      async meanwhile ({ streamId }) {
        const readers = Array.from({ length: short ? 6 : 20 }, async (_, index) =>
          await readInPieces(arena, service.url, streamId, random.branch(`reader ${index}`)))
        read.push(...await Promise.all(readers))
      }
    })
    const whole = turn.received.map(({ id, event, data }) => `${id} ${event} ${data}`)
    for (const frames of read) {
      tally.tried('readers')
      tally.tried('frames', frames.length)
      compare(arena, 'a reader that came back again and again', frames, whole)
    }
    await readAgain(arena, service.url, turn.streamId, whole)
    await arena.stop(service)
  }
}

const wireOf = ({ id, event, data }: ReceivedFrame): string => `${id} ${event} ${JSON.stringify(data)}`

function compare ({ tally }: Arena, who: string, frames: ReceivedFrame[], expected: string[]): void {
  const read = frames.map(wireOf)
  tally.checked(expected.length)
  const at = expected.findIndex((line, index) => line !== read[index])
  if (at === -1 && read.length === expected.length) return
  tally.lost(
    'frames',
    `${who} has ${read.length} frames of ${expected.length}, another one at ${at}: ${read[at]?.slice(0, 120)} instead of ${expected[at]?.slice(0, 120)}`
  )
}

/** Returns one of the ways in which a client can say what it has seen. */
function resume (random: Random, streamId: string, seq: number): { query: string, headers: Record<string, string> } {
  switch (random.whole(0, 3)) {
    case 0: return { query: `&after_seq=${seq}`, headers: {} }
    case 1: return { query: `&after_event_id=${streamId}:${seq}`, headers: {} }
    case 2: return { query: '', headers: { 'last-event-id': `${streamId}:${seq}` } }
    // The first one counts, the others must be ignored.
    default: return { query: `&after_event_id=${seq}&after_seq=0`, headers: { 'last-event-id': `${streamId}:1` } }
  }
}

async function readInPieces ({ tally }: Arena, url: string, streamId: string, random: Random): Promise<ReceivedFrame[]> {
  const frames: ReceivedFrame[] = []
  for (let tries = 0; tries < 2_000; tries++) {
    const { query, headers } = resume(random, streamId, frames.length)
    const reader = await openEvents(`${url}/api/chat/stream?stream_id=${streamId}${query}`, {
      'user-agent': `reader ${random.next()}`, ...headers
    })
    tally.tried('requests')
    await Promise.race([reader.ended, delay(random.whole(1, 120))])
    reader.drop()
    // What had arrived when the connection was dropped counts, and nothing after it.
    frames.push(...reader.frames)
    if (['stream_end', 'apperror', 'cancel'].includes(frames.at(-1)?.event ?? '')) break
  }
  return frames
}

/** Checks that any cursor of an ended stream returns what comes after it; an invalid one returns everything. */
async function readAgain (arena: Arena, url: string, streamId: string, whole: string[]): Promise<void> {
  const read = async (query: string, headers = {}): Promise<ReceivedFrame[]> => {
    const reader = await openEvents(`${url}/api/chat/stream?stream_id=${streamId}${query}`, headers)
    arena.tally.tried('requests')
    await reader.ended
    return reader.frames
  }
  for (let tries = 0; tries < (arena.short ? 10 : 100); tries++) {
    const seq = arena.random.whole(0, whole.length)
    const { query, headers } = resume(arena.random, streamId, seq)
    compare(arena, `a reader that resumes at ${seq} (${query} ${JSON.stringify(headers)})`, await read(query === '' || seq > 0
      ? query
      : '&after_seq=0', headers), whole.slice(seq))
  }
  for (const value of nonsense) compare(arena, `a reader with the cursor "${value}"`, await read(`&after_seq=${value}`), whole)
}
