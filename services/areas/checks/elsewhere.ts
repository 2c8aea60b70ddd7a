import { setTimeout as delay } from 'node:timers/promises'
import { DomainError } from '../../ground/errors.js'
import { type Asking, type QuestionAnswer } from '../machines/index.js'
import { type CheckSite, type SiteCheck, type SiteResult } from './site.js'

export interface ElsewhereOptions {
  asking: Pick<Asking, 'ask'>
  /** Whether commands of a profile should be confined at all. */
  sandboxRule: (profile: string) => 'auto' | 'off'
  timing?: Partial<ElsewhereTiming>
}

interface ElsewhereTiming {
  /** How long a machine may hold a question about a running check. */
  waitMs: number
  /** How long to wait for a machine that does not answer: less than it continues a check that is no longer asked about. */
  patienceMs: number
  retryMs: number
}

const usualTiming: ElsewhereTiming = { waitMs: 8_000, patienceMs: 40_000, retryMs: 1_000 }
/** How long beyond its own time limit a check may take; a machine that has not ended it then is no longer trusted. */
const graceMs = 60_000
/** Comparing a folder with its checkpoint takes long. */
const comparisonMs = 60_000
/** How much longer than its wait a question may take. */
const onTheWayMs = 5_000

/**
 * Checks in folders of another machine. The machine is told to begin a check, and is asked about it as long as it runs; if the questions
 * stop, the machine ends it. The result is the machine's report about exactly this run: a lost run has none.
 */
export function createSitesElsewhere ({ asking, sandboxRule, timing: wanted = {} }: ElsewhereOptions): (machine: string) => CheckSite {
  const timing = { ...usualTiming, ...wanted }
  /** Identifies this process of the service: checks that an earlier one has begun are ended before its own begin. */
  const owner = crypto.randomUUID()
  return (machine) => ({
    look: async (profile, workspace) => await asking.ask(machine, 'check_look', { profile, workspace, sandbox: sandboxRule(profile) }),
    run: async (check) => await new RunElsewhere({ asking, machine, owner, timing }, check).result(),
    pathsIn: async (workspace, files) => {
      const found = await asking.ask(machine, 'check_paths', { workspace, files: [...files] }).catch(() => null)
      return files.map((_, at) => found?.[at] ?? null)
    },
    hasChanged: async (workspace, streamId) => await asking.ask(machine, 'turn_changed', { workspace, streamId }, { timeoutMs: comparisonMs })
  })
}

interface Way { asking: Pick<Asking, 'ask'>, machine: string, owner: string, timing: ElsewhereTiming }

class RunElsewhere {
  readonly #id = crypto.randomUUID()
  #answeredAtMs = performance.now()
  #isStopped = false

  constructor (private readonly way: Way, private readonly check: SiteCheck) {}

  /** Never rejects. */
  async result (): Promise<SiteResult> {
    const { signal, live } = this.check
    if (signal.aborted) return { passed: false, output: '', ended: 'abort', exitCode: null }
    live(async () => (await this.#look(0, true).catch(() => null))?.output ?? '')
    try {
      await this.#begin()
    } catch (error) {
      if (!isSilence(error)) return { passed: false, output: wordsOf(error), ended: 'unstarted', exitCode: null }
      // The check may have begun anyway.
      void this.#stop()
      return this.#lost('is not reachable, so the check did not run')
    }
    const stop = (): void => { void this.#stop() }
    signal.addEventListener('abort', stop, { once: true })
    try {
      if (signal.aborted) stop()
      return await this.#follow()
    } finally {
      signal.removeEventListener('abort', stop)
      this.way.asking.ask(this.way.machine, 'check_forget', { id: this.#id }).catch(() => {})
    }
  }

  async #begin (): Promise<void> {
    const { asking, machine, owner } = this.way
    const { profile, folder: workspace, command, seconds, outputBytes, isConfined } = this.check
    await asking.ask(machine, 'check_begin', { id: this.#id, owner, profile, workspace, command, seconds, outputBytes, isConfined })
    this.#answeredAtMs = performance.now()
  }

  async #follow (): Promise<SiteResult> {
    const { timing: { waitMs, retryMs, patienceMs } } = this.way
    const { signal, seconds } = this.check
    const untilMs = performance.now() + seconds * 1_000 + graceMs
    while (performance.now() < untilMs) {
      try {
        const told = await this.#look(waitMs, false)
        if (told === null) return this.#lost('was started anew while this ran')
        // This service has not stopped it.
        if (told.result?.ended === 'abort' && !signal.aborted) return this.#lost('was stopped while this ran')
        if (told.result !== null) return told.result
        this.#answeredAtMs = performance.now()
        if (signal.aborted) await this.#stop()
      } catch (error) {
        if (!isSilence(error)) return this.#lost(`refused to tell of it: ${wordsOf(error)}`)
        // A person who has stopped the check is waiting for its end.
        if (signal.aborted || performance.now() - this.#answeredAtMs > patienceMs) {
          return this.#lost('was lost while this ran. What still runs there ends within two minutes')
        }
        await delay(retryMs)
      }
    }
    return this.#lost('does not end it')
  }

  async #look (waitMs: number, withOutput: boolean): Promise<QuestionAnswer<'check_told'>> {
    const { asking, machine } = this.way
    return await asking.ask(machine, 'check_told', { id: this.#id, waitMs, withOutput }, { timeoutMs: waitMs + onTheWayMs })
  }

  /** Repeated until the machine receives it. Never rejects. */
  async #stop (): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    await this.way.asking.ask(this.way.machine, 'check_stop', { id: this.#id }).catch(() => { this.#isStopped = false })
  }

  #lost (how: string): SiteResult {
    return { passed: false, output: `The machine ${this.way.machine} ${how}.`, ended: 'lost', exitCode: null }
  }
}

const isSilence = (error: unknown): boolean => error instanceof DomainError && error.code === 'host_unreachable'
const wordsOf = (error: unknown): string => error instanceof DomainError ? error.message : 'The check could not be run.'
