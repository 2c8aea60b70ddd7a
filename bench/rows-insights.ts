import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openDatabase, type Database } from '../services/ground/database/index.js'
import { dateOf } from '../services/ground/time/day.js'
import { createInsights } from '../services/areas/insights/index.js'
import { type Bench } from './context.js'
import { median } from './report.js'

const days = 365
const sessions = 10_000
const turns = 200_000
const projects = 50
const tools = 50
const jobs = 20
const prompts = 20_000
/** One day with much more activity than any other. */
const busyTurns = 20_000

/** Measures what reports about a year of use cost in the process itself: CPU time, and how long nothing else runs. */
export async function insightRows ({ home, report, quick }: Bench): Promise<void> {
  const folder = join(home, 'year')
  mkdirSync(folder, { recursive: true })
  const db = openDatabase({ file: join(folder, 'service.db') })
  try {
    seedYear(db)
    for (const what of ['read', 'breakdown'] as const) {
      const insights = createInsights({ db, clock: { now: Date.now } })
      const ask = async () => { await insights[what]({ days, profile: null }) }
      const cold = await watched(ask)
      const warm: number[] = []
      for (let round = 0; round < (quick ? 10 : 30); round++) {
        oneMore(db, round)
        warm.push((await watched(ask)).cpuMs)
      }
      const name = what === 'read' ? 'insights' : 'breakdown'
      report.add({
        measure: `${name} of a year, warm: processor time`, value: median(warm), unit: 'ms', promise: { most: 50 },
        note: `${sessions} sessions, ${turns} turns; worst ${Math.max(...warm).toFixed(1)} ms`
      })
      report.add({
        measure: '… cold: longest time in which nothing else runs', value: cold.gapMs, unit: 'ms', promise: { most: 50 },
        note: `processor time in all ${Math.round(cold.cpuMs)} ms`
      })
    }
  } finally {
    db.close()
  }
}

function cpuMs (): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Measures CPU time of this process, in total and at most between two passes of the event loop: other processes do not affect it. */
async function watched (work: () => Promise<void>): Promise<{ cpuMs: number, gapMs: number }> {
  await delay(20)
  let [last, gapMs] = [cpuMs(), 0]
  const look = () => {
    const now = cpuMs()
    gapMs = Math.max(gapMs, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  const before = cpuMs()
  await work()
  const spent = cpuMs() - before
  await delay(5)
  look()
  clearInterval(timer)
  return { cpuMs: spent, gapMs }
}

function seedYear (db: Database): void {
  const nowS = Date.now() / 1000
  const { sqlite } = db
  const insert = (table: string, columns: string) =>
    sqlite.prepare(`insert into ${table} (${columns}) values (${columns.split(',').map(() => '?').join(', ')})`)
  const addProject = insert('projects', 'id, profile, name, color, created_at')
  const addSession = insert('sessions', 'id, profile, workspace, project_id, message_count, created_at, updated_at, last_message_at')
  const addStream = insert('streams', 'id, session_id, kind, state, generation, started_at, ended_at, journal_pruned')
  const addUse = insert('usage', 'stream_id, kind, session_id, profile, job_id, provider, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost, estimated, duration_s, created_at')
  const addTool = insert('tool_use', 'profile, date, tool, calls, failures, duration_s')
  const addRun = insert('job_use', 'profile, date, job_id, name, runs, failures')
  const addPrompt = insert('prompts', 'id, arrival, session_id, stream_id, kind, body, state, answer, created_at')
  const ago = (index: number, of: number): number => nowS - (index * 7919 % of) / of * (days - 1) * 86_400
  db.transaction(() => {
    for (let index = 0; index < projects; index++) addProject.run(`project-${index}`, 'default', `Project ${index}`, null, nowS)
    for (let index = 0; index < sessions; index++) {
      addSession.run(
        `session-of-the-year-${index}`, 'default', '/', `project-${index % projects}`, 20, nowS, nowS, ago(index, sessions)
      )
    }
    for (let index = 0; index < turns; index++) {
      const [id, session, kind] = [`turn-${index}`, `session-of-the-year-${index * 31 % sessions}`, index % 10 === 0 ? 'cron' : 'chat']
      const atS = index < busyTurns ? nowS - 40 * 86_400 + index / 10 : ago(index, turns)
      addStream.run(id, session, kind, 'closed', 1, atS, atS, 1)
      addUse.run(id, kind, session, 'default', kind === 'cron'
        ? `job-${index % jobs}`
        : null, 'p', `model-${index % 5}`, 1_000, 100, 500, 0, 0.01, 0, 3, atS)
    }
    for (let index = 0; index < prompts; index++) {
      addPrompt.run(
        `prompt-${index}`, index, `session-of-the-year-${index % sessions}`, `turn-${index}`, 'approval', '{}', 'answered', 'once',
        ago(index, prompts)
      )
    }
    for (let back = 0; back < days; back++) {
      const date = dateOf(new Date((nowS - back * 86_400) * 1000))
      for (let index = 0; index < tools; index++) addTool.run('default', date, `tool-${index}`, 20, 1, 30)
      for (let index = 0; index < jobs; index++) addRun.run('default', date, `job-${index}`, `Job ${index}`, 3, 1)
    }
  })
}

/** Writes one more row, because a finished report is cached until something is written. */
function oneMore ({ sqlite }: Database, round: number): void {
  sqlite.prepare(`insert or replace into usage (stream_id, kind, session_id, profile, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, estimated, duration_s, created_at)
    values (?, 'chat', 'session-of-the-year-1', 'default', 'model-1', 10, 10, 0, 0, 0, 1, ?)`).run(`one-more-${round}`, Date.now() / 1000)
}
