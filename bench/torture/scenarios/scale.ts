import { setTimeout as delay } from 'node:timers/promises'
import { residentMib } from '../../processes.js'
import { seed, seedSessions, type Seeded } from '../../seed.js'
import { call } from '../../wire.js'
import { type Arena } from '../arena.js'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

const sessionCount = 20_000
/** How much memory the process may take for a list of this size. */
const memoryLimitMib = 300

export const scale: Scenario = {
  name: 'scale',
  says: `kill -9 of the service with ${sessionCount.toLocaleString('en')} sessions in its database, while people work`,
  short: false,
  async run (arena) {
    const { random, tally, rounds } = arena
    const { url: modelUrl } = await arena.endpoint(80)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl }
    const home = `${arena.folder}/home`
    const seeded = await seed(home)
    await seedSessions(home, sessionCount - seeded.short.length - 1, 2)
    tally.tried('sessions', sessionCount)
    const crew = createCrew(arena)
    const startsMs: number[] = []
    let mostMib = 0
    let service = await arena.ready({ env })
    for (let round = 0; round < rounds; round++) {
      const life = { over: false }
      const working = crew.work(service, life)
      const listing = listOn(service.url, life)
      await delay(random.whole(1_500, 5_000))
      mostMib = Math.max(mostMib, residentMib(service.pid))
      life.over = true
      await service.crash()
      tally.tried('kills')
      await Promise.all([working, listing])
      const startMs = performance.now()
      service = await arena.ready({ env })
      startsMs.push(performance.now() - startMs)
      await crew.check(service)
      await checkSeeded(arena, service.url, seeded)
    }
    await crew.checkReplays(service)
    await arena.stop(service)
    if (mostMib > memoryLimitMib) tally.wrong(`the service grew to ${Math.round(mostMib)} MiB`)
    tally.note(`slowest start ${Math.round(Math.max(...startsMs))} ms, most memory ${Math.round(mostMib)} MiB`)
  }
}

/** Lists and searches repeatedly until the service is gone. */
async function listOn (url: string, life: { over: boolean }): Promise<void> {
  try {
    while (!life.over) {
      await call(`${url}/api/sessions`)
      await call(`${url}/api/sessions/search?q=conversation&depth=0`)
    }
  } catch {
    // The service is gone.
  }
}

/** Checks that everything from before the first kill is listed, and a sample of it complete. */
async function checkSeeded ({ tally, random }: Arena, url: string, { short, long }: Seeded): Promise<void> {
  const { sessions } = (await call(`${url}/api/sessions`)).body as { sessions: Array<{ session_id: string, title: string }> }
  const seededTitles = sessions.filter(({ title }) => /^(?:Listed|Conversation) \d+$|^A long conversation$/.test(title))
  tally.checked(sessionCount)
  if (seededTitles.length < sessionCount) tally.lost('sessions', `${seededTitles.length} of ${sessionCount} sessions are listed`)
  for (const [id, count] of [[random.pick(short), 10], [random.pick(short), 10], [long, 2_000]] as const) {
    const { status, body } = await call(`${url}/api/session?session_id=${id}&messages=0`)
    tally.checked()
    if (status !== 200 || body.session.message_count !== count) {
      tally.lost('messages', `session ${id} answers ${status} with ${body.session?.message_count} of ${count} messages`)
    }
  }
}
