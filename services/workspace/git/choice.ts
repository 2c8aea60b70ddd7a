import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { once } from '../../ground/concurrency/once.js'
import { DomainError, systemFailure } from '../../ground/errors.js'
import { type GitEngine } from './engine.js'
import { gitVariables } from './environment.js'

export type EngineName = GitEngine['name']
export interface ChosenEngine { engine: GitEngine, version: string }

const run = promisify(execFile)
/** Git may be installed while the service runs. */
const lookAgainMs = 60_000

export interface EngineChoiceOptions {
  system: GitEngine
  embedded: GitEngine
  embeddedVersion: string
  clock: Clock
  /** The engine to use in any case. Default: the system's git if it is installed. */
  force?: EngineName
  /** Returns the version of the system's git, null if it is not installed. */
  look?: () => Promise<string | null>
}

/** Chooses the system's git if it is installed, otherwise the embedded engine, which can do less. */
export function createEngineChoice ({ system, embedded, embeddedVersion, clock, force, look = systemVersion }: EngineChoiceOptions) {
  let lookedAtMs = 0

  async function choose (): Promise<ChosenEngine> {
    lookedAtMs = monotonicMs(clock)
    const version = force === 'isomorphic-git' ? null : await look()
    return version === null && force !== 'git'
      ? { engine: embedded, version: embeddedVersion }
      : { engine: system, version: version ?? 'unknown' }
  }

  const chosen = once(choose)

  async function current (): Promise<ChosenEngine> {
    const found = await chosen()
    if (found.engine === system || force !== undefined || monotonicMs(clock) - lookedAtMs < lookAgainMs) return found
    chosen.forget()
    return await chosen()
  }

  return {
    current,
    /** Runs `work` with the engine. If the system's git has been removed meanwhile, runs it again with the embedded engine. */
    async use<T> (work: (engine: GitEngine) => Promise<T>): Promise<T> {
      const { engine } = await current()
      try {
        return await work(engine)
      } catch (error) {
        if (engine !== system || !(error instanceof DomainError) || error.code !== 'missing_git') throw error
        chosen.forget()
        const next = await current()
        if (next.engine === system) throw error
        return await work(next.engine)
      }
    }
  }
}

export type EngineChoice = ReturnType<typeof createEngineChoice>

async function systemVersion (): Promise<string | null> {
  try {
    const { stdout } = await run('git', ['version'], { cwd: '/', env: { PATH: gitVariables().PATH }, timeout: 10_000 })
    return /(\d+(?:\.\w+)*)/.exec(stdout)?.[1] ?? 'unknown'
  } catch (error) {
    // Without free handles git cannot be started, although it may be installed.
    if (systemFailure(error)?.code === 'no_handles') throw error
    return null
  }
}
