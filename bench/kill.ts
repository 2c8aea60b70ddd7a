import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { checkState, checkTurn, replayOf, type AcceptedTurn } from './kill-checks.js'
import { isAlive, startEndpoint, startService, type Service } from './processes.js'
import { median } from './report.js'
import { call, newSession, readEvents } from './wire.js'

// Kills the service with SIGKILL at random moments while turns stream, and checks after each restart that nothing a
// client had seen or was promised is lost, doubled or changed.

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '100' }, server: { type: 'string' }, keep: { type: 'boolean', default: false } }
})
const rounds = Number(options.rounds)
const turnsAtOnce = 6
const longestLifeMs = 2_500
const tokensPerSecond = 80
const restartLimitMs = 5_000
const hostLimitMs = 5_000
const folder = mkdtempSync(join(tmpdir(), 'bench-kill-'))
const databaseFile = join(folder, 'webui', 'service.db')

const totals = { turns: 0, frames: 0, interrupted: 0, cancelled: 0, steers: 0, violations: 0, sessionOnly: 0 }
const restartsMs: number[] = []
const hostsGoneMs: number[] = []
const digests = new Map<string, string>()
let messages = 0

const endpoint = await startEndpoint(tokensPerSecond)
let service = await start()
for (let round = 1; round <= rounds; round++) {
  const problems = await killOnce(round)
  totals.violations += problems.length
  for (const problem of problems) console.log(`VIOLATION in round ${round}: ${problem}`)
  if (round % 10 === 0) console.log(`${round} rounds, ${totals.turns} turns, ${totals.violations} violations`)
}
await checkOldReplays()
await service.stop()
endpoint.stop()
if (options.keep) console.log(`The state is kept in ${folder}.`)
else rmSync(folder, { recursive: true, force: true })

console.log(`\n${rounds} kills, ${totals.turns} turns (${totals.interrupted} interrupted, ${totals.cancelled} cancelled, ${totals.steers} steers), ${totals.frames} received frames: ` +
  `${totals.violations} violations, ${totals.sessionOnly} frames of which only the session differed. ` +
  `Restart p50 ${Math.round(median(restartsMs))} ms, worst ${Math.round(Math.max(...restartsMs))} ms; host gone within ${Math.round(Math.max(...hostsGoneMs))} ms.`)
process.exitCode = totals.violations > 0 ? 1 : 0

async function start (): Promise<Service> {
  return await startService({ home: folder, modelUrl: endpoint.url, ...(options.server === undefined ? {} : { entry: options.server }) })
}

async function killOnce (round: number): Promise<string[]> {
  const problems: string[] = []
  const hostPid = await service.hostPid()
  const turns: AcceptedTurn[] = []
  const life = { over: false }
  const workers = Array.from({ length: turnsAtOnce }, async () => await keepTalking(service.url, turns, life))
  const lifeMs = Math.random() * longestLifeMs
  await delay(lifeMs)
  life.over = true
  const killedMs = performance.now()
  await service.kill()
  await Promise.all(workers)
  const hostGone = hostEnds(hostPid, killedMs)
  service = await start()
  restartsMs.push(service.startedInMs)
  if (service.startedInMs > restartLimitMs) problems.push(`the restart took ${Math.round(service.startedInMs)} ms`)
  if (!await hostGone) problems.push(`the host outlived its service by more than ${hostLimitMs} ms`)
  problems.push(...await checkState(service.url, databaseFile))
  for (const turn of turns) problems.push(...await examine(turn))
  problems.push(...await talkAgain(turns.at(Math.floor(Math.random() * turns.length))))
  return problems.map((problem) => `killed after ${Math.round(lifeMs)} ms: ${problem} [round ${round}]`)
}

async function examine (turn: AcceptedTurn): Promise<string[]> {
  const { violations, sessionOnly } = await checkTurn(service.url, turn)
  const replay = await replayOf(service.url, turn.streamId) ?? []
  digests.set(turn.streamId, digestOf(replay))
  totals.turns++
  totals.frames += turn.received.length
  if (turn.cancelled) totals.cancelled++
  if (replay.at(-1)?.event === 'apperror') totals.interrupted++
  totals.sessionOnly += sessionOnly.length
  for (const difference of sessionOnly) console.log(`only the session differs: ${difference}`)
  return violations.map((violation) => `${violation}; received ${summary(turn.received)}; replayed ${summary(replay)}`)
}

/** One client: turn after turn, each read to its end, until the service is killed. */
async function keepTalking (url: string, turns: AcceptedTurn[], life: { over: boolean }): Promise<void> {
  let sessionId: string | null = null
  while (!life.over) {
    try {
      if (sessionId === null || Math.random() < 0.6) sessionId = await newSession(url)
      await oneTurn(url, sessionId, turns)
    } catch {
      // Not answered before the kill: nothing was promised.
      return
    }
  }
}

async function oneTurn (url: string, sessionId: string, turns: AcceptedTurn[]): Promise<void> {
  const message = `${wish()} #${++messages}`
  const { status, body } = await call(`${url}/api/chat/start`, 'POST', { session_id: sessionId, message })
  if (status !== 200) throw new Error(`start answered ${status}: ${JSON.stringify(body)}`)
  const turn: AcceptedTurn = { sessionId, streamId: (body as { stream_id: string }).stream_id, message, received: [], cancelled: false, steers: [] }
  turns.push(turn)
  const stream = await readEvents(`${url}/api/chat/stream?stream_id=${turn.streamId}&after_seq=0`, (frame) => turn.received.push(frame))
  if (Math.random() < 0.2) await steer(url, turn)
  if (Math.random() < 0.15) {
    await delay(Math.random() * 600)
    const answer = await call(`${url}/api/chat/cancel`, 'POST', { stream_id: turn.streamId })
    turn.cancelled = answer.status === 200 && (answer.body as { cancelled: boolean }).cancelled
  }
  if (!await stream.over) throw new Error('broken off')
}

async function steer (url: string, turn: AcceptedTurn): Promise<void> {
  await delay(Math.random() * 400)
  const text = `steer #${++messages}`
  const { status, body } = await call(`${url}/api/chat/steer`, 'POST', { session_id: turn.sessionId, text })
  if (status !== 200 || !(body as { accepted: boolean }).accepted) return
  turn.steers.push(text)
  totals.steers++
}

function wish (): string {
  const words = `words=${5 + Math.floor(Math.random() * 60)}`
  const chance = Math.random()
  if (chance < 0.3) return `${words} tools=${1 + Math.floor(Math.random() * 3)}`
  if (chance < 0.35) return `${words} ask`
  return chance < 0.5 ? `reasoning=10 ${words}` : words
}

/** A turn after the restart, in a session that has seen a kill where there is one. */
async function talkAgain (before: AcceptedTurn | undefined): Promise<string[]> {
  const sessionId = before?.sessionId ?? await newSession(service.url)
  const turns: AcceptedTurn[] = []
  const message = `words=5 #${++messages}`
  const { status, body } = await call(`${service.url}/api/chat/start`, 'POST', { session_id: sessionId, message })
  if (status !== 200) return [`a new turn in session ${sessionId} is answered ${status}: ${JSON.stringify(body)}`]
  const turn: AcceptedTurn = { sessionId, streamId: (body as { stream_id: string }).stream_id, message, received: [], cancelled: false, steers: [] }
  turns.push(turn)
  const stream = await readEvents(`${service.url}/api/chat/stream?stream_id=${turn.streamId}`, (frame) => turn.received.push(frame))
  await Promise.race([stream.over, delay(10_000, null, { ref: false })])
  const problems = await examine(turn)
  return turn.received.at(-1)?.event === 'stream_end' ? problems : [...problems, `a new turn ended with ${turn.received.at(-1)?.event}: ${turn.received.at(-1)?.data.slice(-300)}`]
}

async function hostEnds (pid: number, killedMs: number): Promise<boolean> {
  while (isAlive(pid)) {
    if (performance.now() - killedMs > hostLimitMs) return false
    await delay(10)
  }
  hostsGoneMs.push(performance.now() - killedMs)
  return true
}

/** What was replayed once is replayed the same for as long as it is kept, however often the service is killed. */
async function checkOldReplays (): Promise<void> {
  for (const [streamId, digest] of digests) {
    const replay = await replayOf(service.url, streamId)
    if (replay !== null && digestOf(replay) === digest) continue
    totals.violations++
    console.log(`VIOLATION: the replay of ${streamId} has changed since it was first read`)
  }
}

function digestOf (frames: unknown): string {
  return createHash('sha256').update(JSON.stringify(frames)).digest('hex')
}

/** `token×12 tool tool_complete token×3 apperror` */
function summary (frames: Array<{ event: string }>): string {
  const runs: Array<{ event: string, count: number }> = []
  for (const { event } of frames) {
    if (runs.at(-1)?.event === event) runs.at(-1)!.count++
    else runs.push({ event, count: 1 })
  }
  return `${frames.length} [${runs.map(({ event, count }) => count === 1 ? event : `${event}×${count}`).join(' ')}]`
}
