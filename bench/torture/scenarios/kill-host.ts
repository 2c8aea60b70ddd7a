import { setTimeout as delay } from 'node:timers/promises'
import { hostPid } from '../arena.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

export const killHost: Scenario = {
  name: 'kill-host',
  says: 'kill -9 and stop of the agent process while the service continues',
  short: true,
  async run (arena) {
    const { random, tally, rounds, short } = arena
    const { url: modelUrl } = await arena.endpoint(80)
    const service = await arena.ready({ env: { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl } })
    // A request may arrive while there is no agent process: the answer says so, and nothing is lost.
    const crew = createCrew(arena, {
      cardsMayEnd: true, mayRefuse: ({ status, body }) => status === 502 || (status === 409 && body.code === 'gateway_run_unavailable')
    })
    for (let round = 0; round < rounds; round++) {
      const life = { over: false }
      const working = crew.work(service, life)
      for (let kill = 0; kill < 2; kill++) {
        await delay(random.whole(100, short ? 600 : 1_500))
        const host = await hostPid(service)
        // It may have ended since its id was read.
        try { process.kill(host, 'SIGKILL') } catch (error) { if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error }
        tally.tried('kills')
      }
      await delay(200)
      life.over = true
      await working
      await crew.check(service)
    }
    await crew.checkReplays(service)
    await arena.stop(service)
  }
}
