import { httpFaults } from './http-faults.js'
import { configure, inBatches, isInWords, limitedTurn, type Site } from './site.js'

const turnLimitMs = 90_000
const patienceMs = 3_000

/** Tries model endpoints: a turn ends with a readable error, or, if the service would wait, when it is cancelled. */
export async function tryModels (site: Site): Promise<void> {
  const { arena, arena: { tally } } = site
  configure(arena, {
    custom_providers: httpFaults.map(({ name }) => ({ name: `peer-${name}`, base_url: `${site.http.url(name)}/v1`, models: ['m'] }))
  })
  await inBatches(httpFaults, async (batch) => await Promise.all(batch.map(async ({ name, endless, limited }) => {
    tally.tried('faults')
    const waits = endless === true || limited === true
    const { how, event, message } = await limitedTurn(site, 'Hello', waits ? patienceMs : turnLimitMs, `@peer-${name}:m`)
    tally.checked()
    const isAsExpected = waits ? how === 'cancelled' && event === 'cancel' : how === 'itself' && event === 'apperror' && isInWords(message)
    if (!isAsExpected) tally.wrong(`model "${name}": the turn ended by ${how} with ${event} ${message.slice(0, 300)}`)
  })))
}
