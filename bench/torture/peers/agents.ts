import { asset } from '../../../services/ground/assets.js'
import { programFaults } from './program-faults.js'
import { configure, inBatches, isInWords, limitedTurn, type Site } from './site.js'

const program = asset('bench/torture/peers/program.js')
/** How long an agent may take before the person gives up; the service itself waits longer. */
const patienceMs = 15_000

/** Tries agents of other makers: a turn succeeds, ends with a readable error, or ends when it is cancelled. */
export async function tryAgents (site: Site): Promise<void> {
  const { arena, arena: { tally } } = site
  configure(arena, {
    agents: Object.fromEntries(programFaults.map(({ name }) => [`peer-${name}`, {
      command: [process.execPath, program, 'acp', name], name: `Peer ${name}`, allow_unasked_modes: ['ask']
    }]))
  })
  await inBatches(programFaults, async (batch) => await Promise.all(batch.map(async ({ name, works }) => {
    tally.tried('faults')
    const { how, event, message } = await limitedTurn(site, 'Do it', patienceMs, `@peer-${name}:default`)
    tally.checked()
    const told = `the turn ended by ${how} with ${event} ${message.slice(0, 300)}`
    if (how === 'never') tally.wrong(`agent "${name}": ${told}`)
    else if (works === 'always' && event !== 'stream_end') tally.wrong(`agent "${name}": ${told}`)
    else if (event === 'apperror' && !isInWords(message)) tally.wrong(`agent "${name}": ${told}`)
    else if (works === 'never' && how === 'itself' && event !== 'apperror') tally.wrong(`agent "${name}": ${told}`)
  })))
}
