import { setTimeout as delay } from 'node:timers/promises'
import { startModelEndpoint } from '../../../test/support/model-endpoint.js'
import { readEvents } from '../../wire.js'
import { checkState } from '../check-ledger.js'
import { createMortal, inTime, type Mortal } from '../mortal.js'
import { type Scenario } from '../scenario.js'
import { type Tally } from '../tally.js'

const killsOfRound = { whole: 6, short: 2 } as const
const begunAtOnce = 6
const words = Array.from({ length: 60 }, (_, index) => `w${index} `)
const text = words.join('')
const wordEveryMs = 15
const endLimitMs = 60_000

/** An acknowledged response. `cancel`: whether its cancel was acknowledged too, or in flight when the service ended. */
interface Begun { id: string, events: string[], mayBeCut: boolean, cancel: 'none' | 'sent' | 'acknowledged', end: string | null }

export const responses: Scenario = {
  name: 'responses',
  says: 'kill -9 of the service, alone or with its agent process, while responses of /v1 are in the background, read, cancelled and continued',
  short: true,
  async run (arena) {
    const { random, tally, short, rounds } = arena
    const endpoint = await startModelEndpoint({ models: ['counting'] })
    arena.later(() => endpoint.close())
    endpoint.script(({ stream }) => stream ? words.flatMap((text) => [{ text }, { waitMs: wordEveryMs }]) : [{ text: 'A title' }])
    const mortal = await createMortal(arena, { env: { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: endpoint.url } })
    const all: Begun[] = []
    for (let kill = 0; kill < rounds * killsOfRound[short ? 'short' : 'whole']; kill++) {
      const before = all.filter(({ end }) => end === 'completed')
      const beginning = Promise.all(Array.from({ length: begunAtOnce }, async () => {
        const previous = before.length > 0 && random.chance(0.3) ? before.splice(random.whole(0, before.length - 1), 1)[0] : undefined
        await begin(previous)
      }))
      await delay(random.whole(0, 1_200))
      const open = all.filter(({ end }) => end === null)
      const cancelling = Promise.all(open.filter(() => random.chance(0.15)).map(async (one) => await cancel(mortal, one)))
      const reading = Promise.all(open.map(async (one) => await read(mortal, one)))
      await delay(random.whole(0, 200))
      const whole = random.chance(0.3)
      if (whole) for (const one of open) one.mayBeCut = true
      await mortal.kill({ whole })
      await Promise.all([beginning, cancelling, reading])
      // Responses that were acknowledged at the last moment had no reader yet.
      if (whole) for (const one of all.filter(({ end }) => end === null)) one.mayBeCut = true
      if (kill % 2 === 1) for (const one of all.filter(({ end }) => end === null)) await checkEnd(mortal, one, tally)
    }
    for (const one of all.filter(({ end }) => end === null)) await checkEnd(mortal, one, tally)
    for (const one of all) await checkAgain(mortal, one, tally)
    const cut = all.filter(({ end }) => end === 'failed').length
    tally.note(`${all.length} responses, of which ${cut} were cut off with their agent process and say so`)
    await mortal.stop()
    checkState({ databaseFile: arena.databaseFile(), tally })

    async function begin (previous?: Begun): Promise<void> {
      const body = await mortal.need('/v1/responses', {
        model: 'counting', input: 'Count', background: true, ...(previous === undefined ? {} : { previous_response_id: previous.id })
      }, [409])
      if (body === null) return
      all.push({ id: body.id, events: [], mayBeCut: false, cancel: 'none', end: null })
      tally.tried('responses')
    }
  }
}

async function cancel (mortal: Mortal, one: Begun): Promise<void> {
  one.cancel = 'sent'
  const body = await mortal.need(`/v1/responses/${one.id}/cancel`, {})
  // A response that had already ended stayed as it was.
  if (body?.status === 'cancelled') one.cancel = 'acknowledged'
  else if (body !== null) one.cancel = 'none'
}

/** Reads its events until they end or break off, starting after those that were already read. */
async function read (mortal: Mortal, one: Begun): Promise<void> {
  const after = one.events.length === 0 ? '' : `&starting_after=${one.events.length - 1}`
  try {
    const stream = await readEvents(`${mortal.service().url}/v1/responses/${one.id}?stream=true${after}`, ({ data }) => { one.events.push(data) })
    await stream.over
  } catch {} // it has gone
}

/** Checks that an acknowledged response ends: complete, unless its agent process was killed or it was cancelled. */
async function checkEnd (mortal: Mortal, one: Begun, tally: Tally): Promise<void> {
  const found = await inTime(async () => {
    const { status, body } = await mortal.ask(`/v1/responses/${one.id}`) ?? {}
    return status === 200 && body.status === 'in_progress' ? null : { status, body }
  }, endLimitMs)
  tally.checked()
  if (found === null) return tally.lost('responses', `${one.id} is in progress ${endLimitMs / 1_000} s after its service was killed`)
  if (found.status !== 200) return tally.lost('responses', `${one.id} is answered ${found.status}`)
  one.end = found.body.status as string
  const said = saidIn(found.body)
  if (one.end === 'completed' && said !== text) tally.lost('responses', `${one.id} is completed with ${said.length} of ${text.length} characters`)
  if (!text.startsWith(said)) tally.lost('frames', `${one.id} says other words than its model: ${said.slice(0, 200)}`)
  if (one.cancel === 'acknowledged' && one.end !== 'cancelled') tally.lost('responses', `the cancel of ${one.id} was acknowledged, and it is ${one.end}`)
  if (one.end === 'cancelled' && one.cancel === 'none') tally.wrong(`${one.id} is cancelled, and nobody has`)
  if (!['completed', 'cancelled'].includes(one.end) && !one.mayBeCut) {
    tally.lost('responses', `${one.id} is ${one.end} though its agent process lived, after ${said.length} characters: ${JSON.stringify(found.body.error)}`)
  }
  await read(mortal, one)
  const numbers = one.events.map((data) => (JSON.parse(data) as { sequence_number: number }).sequence_number)
  tally.tried('frames', numbers.length)
  tally.checked(numbers.length)
  if (numbers.some((number, index) => number !== index)) tally.lost('frames', `the events of ${one.id} have the numbers ${numbers.join(' ')}`)
}

/** Checks that, read from its beginning, it has the same events as when it was read piece by piece. */
async function checkAgain (mortal: Mortal, one: Begun, tally: Tally): Promise<void> {
  if (one.end === null) return
  const again: Begun = { ...one, events: [] }
  await read(mortal, again)
  tally.checked(again.events.length)
  const other = one.events.findIndex((data, index) => data !== again.events[index])
  if (other !== -1 || again.events.length !== one.events.length) {
    tally.lost('frames', `event ${other} of ${one.id} is another one when it is read again: ${one.events[other]?.slice(0, 200)} and ${again.events[other]?.slice(0, 200)}`)
  }
}

const saidIn = ({ output }: { output: Array<{ content?: Array<{ text: string }> }> }): string =>
  output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join('')
