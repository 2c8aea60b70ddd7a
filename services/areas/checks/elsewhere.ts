import { setTimeout as delay } from 'node:timers/promises'
import { DomainError } from '../../ground/errors.js'
import { type Asking, type QuestionAnswer } from '../machines/index.js'
import { type CheckSite, type SiteCheck, type SiteResult } from './site.js'

export interface ElsewhereOptions {
  asking: Pick<Asking, 'ask'>
  /** Whether commands of a profile are to be confined at all. */
  sandboxRule: (profile: string) => 'auto' | 'off'
  timing?: Partial<ElsewhereTiming>
}

interface ElsewhereTiming {
  /** How long a machine may keep a question about a check that goes on. */
  waitMs: number
  /** How long one that does not answer is waited for: not as long as it goes on with a check that nobody asks about. */
  patienceMs: number
  retryMs: number
}

const usualTiming: ElsewhereTiming = { waitMs: 8_000, patienceMs: 40_000, retryMs: 1_000 }
/** Beyond its own time: a machine that does not end it in that is not believed any more. */
const graceMs = 60_000
/** A folder is compared with its checkpoint. */
const comparisonMs = 60_000
/** A question takes longer than its wait. */
const onTheWayMs = 5_000

/**
 * Checks of folders of another machine. It is told to begin one, and asked about it for as long as it goes on; a machine that is asked no
 * more ends it. The result is what the machine says of exactly this run: one that is lost has none.
 */
export function createSitesElsewhere ({ asking, sandboxRule, timing: wanted = {} }: ElsewhereOptions): (host: string) => CheckSite {
  const timing = { ...usualTiming, ...wanted }
  /** Names this process of the service: what an earlier one has begun ends before its own checks begin. */
  const owner = crypto.randomUUID()
  return (host) => ({
    look: async (profile, workspace) => await asking.ask(host, 'check_look', { profile, workspace, sandbox: sandboxRule(profile) }),
    run: async (check) => await new RunElsewhere({ asking, host, owner, timing }, check).result(),
    pathsIn: async (workspace, files) => {
      const found = await asking.ask(host, 'check_paths', { workspace, files: [...files] }).catch(() => null)
      return files.map((_, at) => found?.[at] ?? null)
    },
    hasChanged: async (workspace, streamId) => await asking.ask(host, 'turn_changed', { workspace, streamId }, { timeoutMs: comparisonMs })
  })
}

interface Way { asking: Pick<Asking, 'ask'>, host: string, owner: string, timing: ElsewhereTiming }

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
      // It may have begun all the same.
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
      this.way.asking.ask(this.way.host, 'check_forget', { id: this.#id }).catch(() => {})
    }
  }

  async #begin (): Promise<void> {
    const { asking, host, owner } = this.way
    const { profile, folder: workspace, command, seconds, outputBytes, isConfined } = this.check
    await asking.ask(host, 'check_begin', { id: this.#id, owner, profile, workspace, command, seconds, outputBytes, isConfined })
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
        // Nobody here has stopped it.
        if (told.result?.ended === 'abort' && !signal.aborted) return this.#lost('was stopped while this ran')
        if (told.result !== null) return told.result
        this.#answeredAtMs = performance.now()
        if (signal.aborted) await this.#stop()
      } catch (error) {
        if (!isSilence(error)) return this.#lost(`refused to tell of it: ${wordsOf(error)}`)
        // Whoever has stopped it waits for its end.
        if (signal.aborted || performance.now() - this.#answeredAtMs > patienceMs) {
          return this.#lost('was lost while this ran. What still runs there ends within two minutes')
        }
        await delay(retryMs)
      }
    }
    return this.#lost('does not end it')
  }

  async #look (waitMs: number, withOutput: boolean): Promise<QuestionAnswer<'check_told'>> {
    const { asking, host } = this.way
    return await asking.ask(host, 'check_told', { id: this.#id, waitMs, withOutput }, { timeoutMs: waitMs + onTheWayMs })
  }

  /** Until it is heard. Never rejects. */
  async #stop (): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    await this.way.asking.ask(this.way.host, 'check_stop', { id: this.#id }).catch(() => { this.#isStopped = false })
  }

  #lost (how: string): SiteResult {
    return { passed: false, output: `The machine ${this.way.host} ${how}.`, ended: 'lost', exitCode: null }
  }
}

const isSilence = (error: unknown): boolean => error instanceof DomainError && error.code === 'host_unreachable'
const wordsOf = (error: unknown): string => error instanceof DomainError ? error.message : 'The check could not be run.'
