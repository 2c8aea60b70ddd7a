import { setTimeout as delay } from 'node:timers/promises'
import { createCrew } from '../crew.js'
import { startFaultyEndpoint } from '../faulty-endpoint.js'
import { type Scenario } from '../scenario.js'

const hanging = ['silence', 'headers-then-silence', 'words-then-silence', 'comments']
const promisedMs = 120_000
/** Allowance for a busy machine, and for the request for a title. */
const moreMs = 20_000

export const hangingModel: Scenario = {
  name: 'hanging-model',
  says: `model endpoints that send nothing, or stop sending, and keep the connection open (${hanging.join(', ')})`,
  short: false,
  async run (arena) {
    const { tally } = arena
    const endpoint = await startFaultyEndpoint()
    arena.later(endpoint.close)
    // Through a proxy, it does not count as a server on this machine, which would get more time.
    const { origin, pathname } = new URL(endpoint.url)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: `http://model.example${pathname}`, HTTP_PROXY: origin }
    const service = await arena.ready({ env })
    const crew = createCrew(arena)
    const client = crew.client(service)
    const took = await Promise.all(hanging.map(async (name) => {
      tally.tried('faults')
      const startMs = performance.now()
      const turn = client.turn(await client.newSession(), `fault ${name}`, { model: `fault-${name}` })
      const ended = await Promise.race([turn, delay(promisedMs + moreMs, null, { ref: false })])
      tally.checked()
      if (ended === null) tally.wrong(`"${name}" was not given up within ${(promisedMs + moreMs) / 1_000} s`)
      else if (ended.received.at(-1)?.event !== 'apperror') tally.wrong(`"${name}" ended with ${ended.received.at(-1)?.event}`)
      return `${name} after ${Math.round((performance.now() - startMs) / 1_000)} s`
    }))
    tally.note(took.join(', '))
    await crew.check(service)
    await arena.stop(service)
  }
}
