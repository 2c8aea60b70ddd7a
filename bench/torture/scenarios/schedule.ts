import Sqlite from 'better-sqlite3'
import { setTimeout as delay } from 'node:timers/promises'
import { createCrew } from '../crew.js'
import { type Scenario } from '../scenario.js'

const jobs = 4
const everyS = 3
const slotsBetweenKills = 3
const settleLimitMs = 30_000

interface Run { job_id: string, slot_at: number, state: string, session_id: string | null, messages: number }

export const schedule: Scenario = {
  name: 'schedule',
  says: `${jobs} jobs due every ${everyS} s, while the service is killed and started again around their slots`,
  short: false,
  async run (arena) {
    const { random, tally, rounds } = arena
    const { url: modelUrl } = await arena.endpoint(80)
    const env = { OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl }
    let service = await arena.ready({ env })
    const client = createCrew(arena).client(service)
    const ids: string[] = []
    for (let job = 0; job < jobs; job++) {
      const { body } = await client.post('/api/crons/create', { prompt: `words=5 job ${job}`, schedule: `*/${everyS} * * * * *` })
      ids.push(body.job.id as string)
    }
    for (let round = 0; round < rounds * 2; round++) {
      await delay(slotsBetweenKills * everyS * 1_000)
      // Also exactly when slots are due, not only between them.
      await delay(everyS * 1_000 - Date.now() % (everyS * 1_000) + random.whole(-50, 150))
      if (random.chance(0.5)) await service.crash()
      else await service.end('SIGKILL')
      tally.tried('kills')
      service = await arena.ready({ env })
    }
    await delay(everyS * 1_000)
    const last = createCrew(arena).client(service)
    for (const id of ids) {
      const { status } = await last.post('/api/crons/pause', { job_id: id })
      if (status !== 200) tally.wrong(`a job is answered ${status} when it is paused`)
    }
    const runs = await settledRuns()
    check(runs)
    await arena.stop(service)

    async function settledRuns (): Promise<Run[]> {
      const untilMs = performance.now() + settleLimitMs
      for (;;) {
        const runs = readRuns(arena.databaseFile())
        const open = runs.filter(({ state }) => state === 'queued' || state === 'running')
        if (open.length === 0) return runs
        if (performance.now() > untilMs) {
          tally.wrong(`${open.length} runs are ${open[0]?.state} ${settleLimitMs / 1000} s after their jobs were paused`)
          return runs
        }
        await delay(100)
      }
    }

    /**
     * Checks that each slot between the first and the last has one run, which is one message in its own session, or is reported as skipped.
     */
    function check (runs: Run[]): void {
      for (const id of ids) {
        const own = runs.filter(({ job_id: jobId }) => jobId === id).sort((one, other) => one.slot_at - other.slot_at)
        const slots = own.map(({ slot_at: slot }) => Math.round(slot))
        tally.tried('slots', slots.length)
        tally.checked(slots.length)
        slots.forEach((slot, index) => {
          const next = slots[index + 1] ?? slot + everyS
          if (next !== slot + everyS) tally.lost('slots', `job ${id} has its slot ${next} after ${slot}`)
        })
      }
      const done = runs.filter(({ state }) => state === 'done')
      const sessions = done.map(({ session_id: session }) => session)
      if (new Set(sessions).size !== sessions.length) tally.wrong('two runs share a session')
      for (const { job_id: job, slot_at: slot, messages } of done) {
        tally.checked()
        if (messages !== 1) tally.lost('slots', `the run of job ${job} at ${slot} has ${messages} messages`)
      }
      tally.note(`${done.length} runs, ${runs.length - done.length} slots skipped or not over`)
    }
  }
}

function readRuns (file: string): Run[] {
  const db = new Sqlite(file, { readonly: true })
  try {
    return db.prepare<[], Run>(`select job_id, slot_at, state, session_id,
      (select count(*) from messages where messages.session_id = cron_runs.session_id and role = 'user') as messages from cron_runs`).all()
  } finally {
    db.close()
  }
}
