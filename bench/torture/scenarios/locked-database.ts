import Sqlite from 'better-sqlite3'
import { setTimeout as delay } from 'node:timers/promises'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

const heldMs = 4_000
/** A few milliseconds on an idle machine. Waiting for the lock, which takes seconds, must delay no other request. */
const stallLimitMs = 1_000

export const lockedDatabase: Scenario = {
  name: 'locked-database',
  says: 'another process holds the database while people work',
  short: false,
  async run (arena) {
    const { tally, rounds } = arena
    const { url: modelUrl } = await arena.endpoint(80)
    const service = await arena.ready({ env: { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl } })
    // Refusals are allowed, with the right words.
    const crew = createCrew(arena, {
      mayRefuse ({ status, body }) {
        if (/full/i.test(JSON.stringify(body))) tally.wrong(`a lock is called a full disk: ${JSON.stringify(body)}`)
        return status === 503
      }
    })
    let slowestMs = 0
    for (let round = 0; round < rounds; round++) {
      const life = { over: false }
      const working = crew.work(service, life, 2)
      await delay(300)
      const other = new Sqlite(arena.databaseFile())
      other.exec('begin immediate')
      const untilMs = performance.now() + heldMs
      while (performance.now() < untilMs) {
        const beganMs = performance.now()
        await fetch(`${service.url}/livez`).then(async (response) => await response.text())
        slowestMs = Math.max(slowestMs, performance.now() - beganMs)
        await delay(50)
      }
      other.exec('rollback')
      other.close()
      await delay(300)
      life.over = true
      await working
      await crew.check(service)
    }
    tally.note(`slowest /livez beside the lock ${Math.round(slowestMs)} ms`)
    if (slowestMs > stallLimitMs) tally.wrong(`/livez took ${Math.round(slowestMs)} ms while another process held the database`)
    await arena.stop(service)
  }
}
