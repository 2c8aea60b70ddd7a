import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { monotonicMs, type Clock } from '../../ground/clock.js'
import { tried } from '../../ground/tried.js'

const pauseMs = 10 * 60_000
const mostTimes = 2

/**
 * Which workspaces took too long lately: what did so twice is not tried at every turn. A first time may have been half of
 * the work, which is kept. What holds too many files is not counted again at every turn either.
 */
export class Patience {
  readonly #slow = new Map<string, { times: number, untilMs: number }>()

  /** Which hold more than a snapshot may, at once: to count them takes as long as a snapshot. `limit`: what they were counted against. */
  readonly #crowded = new Map<string, { limit: number, untilMs: number, folders: number, ignored: number }>()

  constructor (private readonly clock: Clock) {}

  /** Whether it held more files than so many a moment ago, and has lost no folder and ignores nothing else since. */
  isCrowded (workspace: string, limit: number): boolean {
    const known = this.#crowded.get(workspace)
    if (known?.limit !== limit || known.untilMs <= monotonicMs(this.clock)) return false
    const { folders, ignored } = outlineOf(workspace)
    return folders >= known.folders && ignored === known.ignored
  }

  wasCrowded (workspace: string, limit: number): void {
    if (!this.isCrowded(workspace, limit)) {
      this.#crowded.set(workspace, { limit, untilMs: monotonicMs(this.clock) + pauseMs, ...outlineOf(workspace) })
    }
  }

  isLost (workspace: string): boolean {
    const { times, untilMs } = this.#of(workspace)
    return times >= mostTimes && untilMs > monotonicMs(this.clock)
  }

  wasSlow (workspace: string): void {
    const { times, untilMs } = this.#of(workspace)
    const nowMs = monotonicMs(this.clock)
    if (times < mostTimes || untilMs <= nowMs) this.#slow.set(workspace, { times: times + 1, untilMs: nowMs + pauseMs })
  }

  /** It was fast enough, or is gone. */
  forget (workspace: string): void {
    this.#slow.delete(workspace)
    this.#crowded.delete(workspace)
  }

  #of (workspace: string): { times: number, untilMs: number } {
    return this.#slow.get(workspace) ?? { times: 0, untilMs: 0 }
  }
}

/**
 * What tells cheaply that a folder may hold less: how many folders are in it, where its file system counts them,
 * and when it was last said what is ignored.
 */
function outlineOf (workspace: string): { folders: number, ignored: number } {
  return { folders: statsOf(workspace)?.nlink ?? 0, ignored: statsOf(join(workspace, '.gitignore'))?.ctimeMs ?? 0 }
}

const statsOf = (path: string) => tried(() => lstatSync(path, { throwIfNoEntry: false }), undefined)
