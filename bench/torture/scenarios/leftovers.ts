import { setTimeout as delay } from 'node:timers/promises'
import { scratchFiles } from '../arena.js'
import { type Client } from '../client.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

const sweepLimitMs = 5_000

export const leftovers: Scenario = {
  name: 'leftovers',
  says: 'half-written files when the service was killed are gone after the next start',
  short: false,
  async run (arena) {
    const { tally, rounds, random, folder } = arena
    const crew = createCrew(arena)
    const env = { OFFLINE_DEMO_WORDS_PER_SECOND: '0' }
    let service = await arena.ready({ env })
    let seen = 0
    for (let round = 0; round < rounds; round++) {
      const savers = Array.from({ length: 4 }, async (_, index) =>
        await saveOn(crew.client(service), `${folder}/workspace`, `large-${round}-${index}.txt`))
      await delay(random.whole(50, 500))
      await service.crash()
      tally.tried('kills')
      await Promise.all(savers)
      seen += scratchFiles(folder).length
      service = await arena.ready({ env })
      const untilMs = performance.now() + sweepLimitMs
      while (scratchFiles(folder).length > 0 && performance.now() < untilMs) await delay(100)
      for (const file of scratchFiles(folder)) tally.wrong(`left lying after a kill and a start: ${file}`)
      await crew.check(service)
    }
    await arena.stop(service)
    for (const file of scratchFiles(folder)) tally.wrong(`left lying after an orderly stop: ${file}`)
    tally.note(`${seen} files were half written when the service was killed`)
  }
}

/** Saves a large file repeatedly until the service does not answer. */
async function saveOn (client: Client, workspace: string, name: string): Promise<void> {
  try {
    const sessionId = await client.newSession()
    await client.post('/api/file/create', { session_id: sessionId, path: name, content: '' })
    for (let turn = 0; ; turn++) {
      await client.save(
        sessionId, name, `${workspace}/${name}`, `${turn}\n${'a line of a large file\n'.repeat(15_000)}`
      )
    }
  } catch {
    // The service is gone.
  }
}
