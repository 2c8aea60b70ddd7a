import { randomBytes } from 'node:crypto'
import { epochSeconds } from '../../ground/time/clock.js'
import { createQueue } from '../../ground/concurrency/queue.js'
import { DomainError, NotFound } from '../../ground/errors.js'
import { redact, redactAhead } from '../../ground/redaction/index.js'
import { changedScript, type CheckPlace, type Context } from './context.js'
import { problemsIn } from './problems/index.js'
import { isOpen, type CheckRow, type CheckRunRow, type RunSummary } from './rows.js'

/** The limit for the start and the end of an output together. */
const outputBytes = 256 * 1024
const keptRuns = 20

/** Runs that have begun, and a promise that resolves when all of them are over. */
export interface BegunRuns { ids: string[], over: Promise<void> }

interface Live { sessionId: string, controller: AbortController, read: () => string | Promise<string>, over: Promise<void> }

const states = {
  abort: 'cancelled', timeout: 'timed_out', memory: 'over_limit', processes: 'over_limit', unstarted: 'failed', lost: 'interrupted'
} as const

/** Running checks: one at a time in a folder, in the order in which they were requested. */
export class CheckRuns {
  readonly #live = new Map<string, Live>()
  readonly #inFolder = createQueue()
  #isStopped = false

  constructor (private readonly context: Context) {
    const { chat: { turns }, sessions } = context
    turns.on('stopping', () => {
      this.#isStopped = true
      for (const { controller } of this.#live.values()) controller.abort()
    })
    sessions.on('removing', (ids) => this.#stopIn(ids))
    turns.on('stoppedLate', ({ sessionId }) => this.#stopIn([sessionId]))
  }

  /** Begins runs of these checks; a check that is already waiting or running is not begun twice. `streamId`: the turn that they follow. */
  async begin (
    place: CheckPlace, sessionId: string, checks: readonly CheckRow[],
    { streamId, isConfined }: { streamId: string | null, isConfined: boolean }
  ): Promise<BegunRuns> {
    const { db, clock, rows, sessions, changed } = this.context
    const { folder } = place
    const made: Array<{ check: CheckRow, id: string }> = []
    const ids = await db.durably(() => {
      if (!sessions.has(sessionId)) throw new NotFound('Session not found')
      const running = rows.runs(checks.map(({ id }) => id), folder, keptRuns).filter(isOpen)
      const all = checks.filter(({ id }) => rows.find(id) !== undefined).map((check) => {
        const there = running.find(({ checkId }) => checkId === check.id)
        if (there !== undefined) return there.id
        const { id: checkId, name, command } = check
        const id = randomBytes(8).toString('hex')
        const createdAt = epochSeconds(clock)
        rows.insertRun({ id, sessionId, checkId, name, command, folder, streamId, isConfined, state: 'waiting', createdAt })
        made.push({ check, id })
        return id
      })
      changed(folder, sessionId)
      return all
    })
    for (const { check, id } of made) {
      const live: Live = { sessionId, controller: new AbortController(), read: () => '', over: Promise.resolve() }
      if (this.#isStopped) live.controller.abort()
      this.#live.set(id, live)
      live.over = this.#inFolder(folder, async () => await this.#run(place, { check, id, isConfined }, live))
    }
    return { ids, over: Promise.all(ids.map(async (id) => await this.#live.get(id)?.over)).then(() => {}) }
  }

  /** Stops runs, and resolves when they are over. Returns those that were not yet over. */
  async cancel (ids: readonly string[]): Promise<string[]> {
    const stopped = ids.filter((id) => this.#live.get(id)?.controller.signal.aborted === false)
    const over = stopped.map((id) => this.#live.get(id)?.over)
    for (const id of stopped) this.#live.get(id)?.controller.abort()
    await Promise.all(over)
    return stopped
  }

  /** Returns what a run has printed so far, with credentials masked; null if it is not running. */
  async outputOf (id: string): Promise<string | null> {
    const live = this.#live.get(id)
    return live === undefined ? null : await masked(await live.read())
  }

  /** Called after a start of the service: marks the runs that were interrupted. */
  recover (): void {
    const { db, clock, rows, changed } = this.context
    const left = rows.open().filter(({ id }) => !this.#live.has(id))
    if (left.length === 0) return
    db.soonest(() => {
      for (const { id, folder, sessionId } of left) {
        if (rows.setRun(id, { state: 'interrupted', endedAt: epochSeconds(clock) })) changed(folder, sessionId)
      }
    })
  }

  /** Returns how many runs are waiting or running, for tests and metrics. */
  size (): number {
    return this.#live.size
  }

  #stopIn (sessionIds: readonly string[]): void {
    for (const { sessionId, controller } of this.#live.values()) if (sessionIds.includes(sessionId)) controller.abort()
  }

  /** Never rejects. */
  async #run (
    { profile, site, path }: CheckPlace, { check, id, isConfined }: { check: CheckRow, id: string, isConfined: boolean }, live: Live
  ): Promise<void> {
    const { log, clock } = this.context
    const { signal } = live.controller
    try {
      // The run was deleted, with its check or its session, or is over.
      const nowS = epochSeconds(clock)
      if (!await this.#set(id, signal.aborted ? { state: 'cancelled', endedAt: nowS } : { state: 'running', startedAt: nowS })) return
      if (signal.aborted) return
      const { command, seconds, file } = check
      // While it waited, an earlier check may have changed the file.
      const { proposals } = await site.look(profile, path)
      if (changedScript(check, proposals) !== null) {
        const output = `${file ?? 'Its file'} has changed what this check runs, so it did not run. Look at it and save it again.`
        await this.#set(id, { state: 'failed', output, endedAt: epochSeconds(clock) })
        return
      }
      const result = await site.run({
        profile, folder: path, command, seconds, outputBytes, isConfined, signal, live: (read) => { live.read = read }
      })
      const { ended, passed, exitCode } = result
      const output = await masked(result.output)
      const { problems, counts } = await problemsIn(ended === 'abort' || ended === 'lost' ? '' : output, async (files) =>
        await site.pathsIn(path, files))
      const state = ended === 'exit' || ended === 'enough' ? passed ? 'passed' : 'failed' : states[ended]
      await this.#set(id, {
        state, exitCode, output, problems: JSON.stringify(problems), errors: counts.error, warnings: counts.warning, infos: counts.info,
        endedAt: epochSeconds(clock)
      })
    } catch (error) {
      if (error instanceof DomainError) await this.#cutOff(id, error.message)
      else if (!this.#isStopped) log('the result of a check could not be stored', { run: id, reason: String(error) })
    } finally {
      this.#live.delete(id)
    }
  }

  /** Called if its machine could not be asked. Never rejects. */
  async #cutOff (id: string, output: string): Promise<void> {
    const { clock, log } = this.context
    await this.#set(id, { state: 'interrupted', output, endedAt: epochSeconds(clock) }).catch((error: unknown) =>
      log('the result of a check could not be stored', { run: id, reason: String(error) }))
  }

  /** Returns false if the run no longer exists or is over. What a stop of the service interrupts is left for `recover`. */
  async #set (id: string, values: Partial<CheckRunRow>): Promise<boolean> {
    const { db, rows, changed } = this.context
    if (this.#isStopped) return false
    return await db.durably(() => {
      const run: RunSummary | undefined = rows.summary(id)
      if (run === undefined || !rows.setRun(id, values)) return false
      rows.prune(run.folder, keptRuns)
      changed(run.folder, run.sessionId)
      return true
    })
  }
}

async function masked (output: string): Promise<string> {
  await redactAhead(output)
  return redact(output)
}
