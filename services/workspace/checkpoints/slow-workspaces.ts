import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { tried } from '../../ground/tried.js'

const pauseMs = 10 * 60_000
const mostTimes = 2

/**
 * Remembers which workspaces took too long recently. After the second time, a workspace is not tried with every turn: the first
 * attempt may have done half of the work, which is kept. Workspaces with too many files are not counted with every turn either.
 */
export class SlowWorkspaces {
  readonly #slow = new Map<string, { times: number, untilMs: number }>()

  /** Workspaces with more files than allowed. One is enough, because counting takes as long as a snapshot. `limit`: the limit applied. */
  readonly #crowded = new Map<string, { limit: number, untilMs: number, folders: number, ignored: number }>()

  constructor (private readonly clock: Clock) {}

  /** Whether the workspace had more than `limit` files a moment ago, and has since neither lost a folder nor changed its ignore rules. */
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

  /** Called when a workspace was fast enough, or is gone. */
  forget (workspace: string): void {
    this.#slow.delete(workspace)
    this.#crowded.delete(workspace)
  }

  #of (workspace: string): { times: number, untilMs: number } {
    return this.#slow.get(workspace) ?? { times: 0, untilMs: 0 }
  }
}

/**
 * Returns cheap signs that a folder may contain fewer files: the number of folders in it, if its file system counts
 * them, and the time of the last change of .gitignore.
 */
function outlineOf (workspace: string): { folders: number, ignored: number } {
  return { folders: statsOf(workspace)?.nlink ?? 0, ignored: statsOf(join(workspace, '.gitignore'))?.ctimeMs ?? 0 }
}

const statsOf = (path: string) => tried(() => lstatSync(path, { throwIfNoEntry: false }), undefined)
