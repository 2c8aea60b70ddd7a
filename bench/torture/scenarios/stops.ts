import { setTimeout as delay } from 'node:timers/promises'
import { openEvents } from '../../../test/support/events.js'
import { endsWithin, hostPid } from '../arena.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

/** Promised in docs/operations.md. */
const stopLimitMs = 5_000

export const orderlyStops: Scenario = {
  name: 'stops',
  says: 'SIGTERM and SIGINT at random moments of mixed work, with streams open that nobody reads',
  short: false,
  async run (arena) {
    const { random, tally, rounds } = arena
    const { url: modelUrl } = await arena.endpoint(80)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl }
    const crew = createCrew(arena)
    let worstMs = 0
    let service = await arena.ready({ env })
    for (let round = 0; round < rounds * 2; round++) {
      const host = await hostPid(service)
      const life = { over: false }
      const working = crew.work(service, life)
      const idle = await openEvents(`${service.url}/api/sessions/events`)
      idle.pause()
      await delay(random.whole(0, 2_500))
      life.over = true
      const beganMs = performance.now()
      const signal = random.pick(['SIGTERM', 'SIGINT'] as const)
      const code = await Promise.race([service.end(signal), delay(3 * stopLimitMs, null, { ref: false })])
      const tookMs = performance.now() - beganMs
      worstMs = Math.max(worstMs, tookMs)
      tally.tried('stops')
      if (code !== 0) tally.wrong(`${signal} ended the service with ${code ?? 'nothing'}: ${service.output().slice(-300)}`)
      if (tookMs > stopLimitMs) tally.wrong(`${signal} took ${Math.round(tookMs)} ms`)
      if (!await endsWithin(host, 500)) tally.wrong(`the agent process ${host} outlived an orderly stop`)
      await service.crash()
      await working
      idle.drop()
      service = await arena.ready({ env })
      await crew.check(service)
    }
    await crew.checkReplays(service)
    await arena.stop(service)
    tally.note(`slowest stop ${Math.round(worstMs)} ms`)
  }
}
