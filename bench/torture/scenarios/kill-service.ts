import { setTimeout as delay } from 'node:timers/promises'
import { median } from '../../report.js'
import { endsWithin, hostPid } from '../arena.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

/** Half a second on an idle machine. */
const restartLimitMs = 5_000
const hostLimitMs = 5_000

export const killService: Scenario = {
  name: 'kill-service',
  says: 'kill -9 of the service with its agent process at random moments of mixed work',
  short: true,
  async run (arena) {
    const { random, tally, rounds, short } = arena
    const { url: modelUrl } = await arena.endpoint(80)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl }
    const crew = createCrew(arena)
    const restartsMs: number[] = []
    let service = await arena.ready({ env })
    for (let round = 0; round < rounds; round++) {
      const host = await hostPid(service)
      const life = { over: false }
      const working = crew.work(service, life)
      await delay(random.whole(0, short ? 1_200 : 2_500))
      life.over = true
      await service.crash()
      tally.tried('kills')
      await working
      const hostGone = endsWithin(host, hostLimitMs)
      const startMs = performance.now()
      service = await arena.ready({ env })
      restartsMs.push(performance.now() - startMs)
      if (restartsMs.at(-1)! > restartLimitMs && !short) tally.wrong(`the restart took ${Math.round(restartsMs.at(-1)!)} ms`)
      if (!await hostGone) tally.wrong(`the agent process ${host} outlived its service by more than ${hostLimitMs} ms`)
      await crew.check(service)
      await talkAgain()
    }
    await crew.checkReplays(service)
    await arena.stop(service)
    tally.note(`restart p50 ${Math.round(median(restartsMs))} ms, worst ${Math.round(Math.max(...restartsMs))} ms`)

    /**
     * Runs a turn in a session that has seen the kill. It takes none in which permission was asked for: the model reads a message that a
     * kill left without an answer together with the next one, so the new turn would ask too, and no one answers here.
     */
    async function talkAgain (): Promise<void> {
      const { ledger } = crew
      const sessions = [...ledger.sessions].filter((id) => !ledger.asking.has(id))
      if (sessions.length === 0) return
      const turn = await crew.client(service).turn(random.pick(sessions), `words=5 after kill ${random.next()}`)
      if (turn.received.at(-1)?.event !== 'stream_end') {
        tally.wrong(`a new turn ended with ${turn.received.at(-1)?.event}: ${turn.received.at(-1)?.data.slice(-300)}`)
      }
    }
  }
}
