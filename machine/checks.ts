import { type CheckResult } from '../services/agent/index.js'
import { type CheckSite, type SiteCheck } from '../services/areas/checks/index.js'
import { inTime } from '../services/ground/concurrency/in-time.js'
import { Invalid, TooMany } from '../services/ground/errors.js'
import { type Log } from '../services/ground/log.js'
import { redact, redactAhead } from '../services/ground/redaction/index.js'
import { type Answers } from './questions.js'

export interface MachineChecksOptions {
  /** The name of this machine. */
  machine: string
  site: CheckSite
  /** Returns the real path of a workspace that this machine opens. Throws Invalid. */
  opened: (workspace: string) => string
  hasProfile: (profile: string) => boolean
  /** How long a check runs on while the service does not ask about it. Then it is ended: the service is gone, or cannot be reached. */
  lapseMs?: number
  log: Log
}

export type CheckAnswers = Pick<
  Answers, 'check_look' | 'check_begin' | 'check_told' | 'check_stop' | 'check_forget' | 'check_paths' | 'turn_changed'
>

interface Running {
  owner: string
  folder: string
  controller: AbortController
  read: () => string | Promise<string>
  over: Promise<void>
  result: CheckResult | null
  askedAtMs: number
}

const mostChecks = 100

/** Runs checks in folders of this machine for the service, as long as the service asks about them. */
export function createMachineChecks ({ machine, site, opened, hasProfile, lapseMs = 60_000, log }: MachineChecksOptions) {
  const all = new Map<string, Running>()
  /** Checks that have not ended yet, including those that the service no longer wants. */
  const pending = new Set<Running>()

  function end (id: string): void {
    all.get(id)?.controller.abort()
    all.delete(id)
  }

  const sweep = setInterval(() => {
    const nowMs = performance.now()
    const lapsed = [...all].filter(([, { askedAtMs }]) => nowMs - askedAtMs > lapseMs)
    for (const [id] of lapsed) end(id)
    if (lapsed.length > 0) log('stopped checks that nobody asks about', { count: lapsed.length })
  }, Math.min(lapseMs, 5_000))
  sweep.unref()

  /** Runs a check. Never rejects. */
  async function run (running: Running, check: Omit<SiteCheck, 'signal' | 'live'>, left: readonly Running[]): Promise<void> {
    try {
      await Promise.all(left.map(({ over }) => over))
      const { controller: { signal } } = running
      const { ended, ...result } = await site.run({ ...check, signal, live: (read) => { running.read = read } })
      running.result = { ...result, ended: ended === 'lost' ? 'unstarted' : ended, output: await masked(result.output) }
    } catch (error) {
      log('a check could not be run', { reason: String(error) })
      running.result = { passed: false, ended: 'unstarted', exitCode: null, output: 'The check could not be run.' }
    } finally {
      pending.delete(running)
    }
  }

  const answers: CheckAnswers = {
    async check_look ({ profile, workspace, sandbox }) {
      const { proposals, isConfined } = await site.look(profile, opened(workspace))
      return { proposals, isConfined: isConfined && sandbox !== 'off' }
    },

    async check_begin ({ id, owner, profile, workspace, ...check }) {
      if (all.has(id)) return null
      if (!hasProfile(profile)) throw new Invalid(`The machine ${machine} has no profile called ${profile}`)
      const folder = opened(workspace)
      // The service runs one check at a time in a folder. Checks that are left there, or from an earlier service process, are ended first.
      const left = [...pending].filter((other) => other.owner !== owner || other.folder === folder)
      for (const [other, running] of all) if (left.includes(running)) end(other)
      if (all.size >= mostChecks) throw new TooMany(`Too many checks run on the machine ${machine}`)
      const running: Running = {
        owner, folder, controller: new AbortController(), read: () => '', over: Promise.resolve(), result: null,
        askedAtMs: performance.now()
      }
      all.set(id, running)
      pending.add(running)
      running.over = run(running, { ...check, profile, folder }, left)
      return null
    },

    async check_told ({ id, waitMs, withOutput }) {
      const running = all.get(id)
      if (running === undefined) return null
      running.askedAtMs = performance.now()
      await inTime(waitMs, running.over)
      running.askedAtMs = performance.now()
      const { result } = running
      return { result, output: withOutput && result === null ? await masked(await running.read()) : null }
    },

    async check_stop ({ id }) {
      all.get(id)?.controller.abort()
      return null
    },

    async check_forget ({ id }) {
      end(id)
      return null
    },

    check_paths: async ({ workspace, files }) => await site.pathsIn(opened(workspace), files),
    turn_changed: async ({ workspace, streamId }) => await site.hasChanged(opened(workspace), streamId)
  }

  return {
    answers,
    /** Returns the number of checks that run or have a result that the service has not discarded. */
    size: (): number => all.size,
    async close (): Promise<void> {
      clearInterval(sweep)
      for (const id of [...all.keys()]) end(id)
      await Promise.all([...pending].map(({ over }) => over))
    }
  }
}

async function masked (output: string): Promise<string> {
  await redactAhead(output)
  return redact(output)
}
