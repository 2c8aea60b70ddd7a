import { opendir } from 'node:fs/promises'
import { createLane } from '../../../ground/concurrency/lane.js'
import { codeOf } from '../../../ground/errors.js'
import { runGroup } from '../../../ground/process/group.js'
import { timeLimit } from '../../../ground/time/time-limit.js'
import { openFolder, type Territory } from '../../place/place.js'
import { trashFolder } from '../listing-task.js'

/** The files below a folder, in the form that a worker thread searches. */
export interface PathList {
  /** Paths relative to the workspace, each ended by a null byte; shared, so that it is not copied for a thread. */
  bytes: SharedArrayBuffer
  /** Whether files are missing, because time or memory was too short. */
  isPart: boolean
}

export interface PathListsOptions {
  /** The ripgrep program; null = none. */
  ripgrep: string | null
  /** Search path for programs (PATH). */
  path: string
  limits?: Partial<typeof usualLimits>
}

const usualLimits = { listBytes: 48 * 1024 * 1024, keptBytes: 64 * 1024 * 1024, keptMs: 3_000, timeoutMs: 10_000 }
/** How many walks may run at the same time; each keeps a processor busy. */
const mostWalks = 2
const laneWaitMs = 10_000

interface CachedList { list: Promise<PathList>, walk: AbortController, listeners: number, sizeBytes: number, isDone: boolean }

/**
 * Lists all files below a folder. Each list is cached for a few seconds, while a person continues to type. Requests for the same list share
 * one walk, which is aborted when all of them have been cancelled.
 */
export function createPathLists ({ ripgrep, path, limits = {} }: PathListsOptions) {
  const { listBytes, keptBytes, keptMs, timeoutMs } = { ...usualLimits, ...limits }
  const kept = new Map<string, CachedList>()
  const enter = createLane(mostWalks, laneWaitMs, 'other searches')

  async function walk (territory: Territory, withHidden: boolean, signal: AbortSignal): Promise<PathList> {
    const leave = await enter()
    try {
      signal.throwIfAborted()
      const folder = await openFolder(territory, '.')
      const limit = timeLimit(timeoutMs, [signal])
      try {
        const paths = new Paths(listBytes)
        const way: Walk = { base: folder.base, withHidden, paths, signal: limit.signal }
        if (ripgrep === null || !await withRipgrep(ripgrep, path, way)) await plainly(way)
        signal.throwIfAborted()
        return { bytes: paths.joined(), isPart: paths.isFull || limit.signal.aborted }
      } finally {
        limit.clear()
        await folder.handle.close()
      }
    } finally {
      leave()
    }
  }

  function begin (key: string, territory: Territory, withHidden: boolean): CachedList {
    const controller = new AbortController()
    const list = walk(territory, withHidden, controller.signal)
    const one: CachedList = { list, walk: controller, listeners: 0, sizeBytes: 0, isDone: false }
    kept.set(key, one)
    const drop = (): void => { if (kept.get(key) === one) kept.delete(key) }
    one.list.then(({ bytes }) => {
      one.isDone = true
      one.sizeBytes = bytes.byteLength
      makeRoom()
      setTimeout(drop, keptMs).unref()
    }, drop)
    return one
  }

  /** Drops the oldest lists above the limit. The newest one stays, whatever its size. */
  function makeRoom (): void {
    const done = [...kept].filter(([, { isDone }]) => isDone)
    let total = done.reduce((sum, [, { sizeBytes }]) => sum + sizeBytes, 0)
    for (const [key, { sizeBytes }] of done.slice(0, -1)) {
      if (total <= keptBytes) return
      kept.delete(key)
      total -= sizeBytes
    }
  }

  return {
    /**
     * Returns the list without ignored files (.gitignore), .git, the trash and, unless `withHidden`, hidden names. Rejects when the signal
     * aborts, with what openFolder throws, and with Unavailable (`busy`).
     */
    async of (territory: Territory, { withHidden }: { withHidden: boolean }, signal: AbortSignal): Promise<PathList> {
      signal.throwIfAborted()
      const key = JSON.stringify([territory.root, withHidden])
      const before = kept.get(key)
      const one = before === undefined || before.walk.signal.aborted ? begin(key, territory, withHidden) : before
      one.listeners++
      let leave = (): void => {}
      try {
        return await Promise.race([one.list, new Promise<never>((_resolve, reject) => {
          leave = () => reject(new Error('Nobody waits for the list'))
          signal.addEventListener('abort', leave, { once: true })
        })])
      } finally {
        signal.removeEventListener('abort', leave)
        if (--one.listeners === 0 && !one.isDone) one.walk.abort()
      }
    },

    /** Returns the number of lists that are cached or being created. */
    size: (): number => kept.size,

    close (): void {
      for (const { walk } of kept.values()) walk.abort()
      kept.clear()
    }
  }
}

class Paths {
  private readonly chunks: Buffer[] = []
  private sizeBytes = 0
  isFull = false

  constructor (private readonly mostBytes: number) {}

  /** Adds paths. Returns false if there is no room for more. */
  add (chunk: Buffer): boolean {
    if (this.sizeBytes + chunk.length > this.mostBytes) {
      this.isFull = true
      return false
    }
    this.chunks.push(chunk)
    this.sizeBytes += chunk.length
    return true
  }

  joined (): SharedArrayBuffer {
    const shared = new SharedArrayBuffer(this.sizeBytes)
    const bytes = Buffer.from(shared)
    let at = 0
    for (const chunk of this.chunks) at += chunk.copy(bytes, at)
    return shared
  }
}

interface Walk { base: string, withHidden: boolean, paths: Paths, signal: AbortSignal }

/** Lists files with ripgrep. Returns false if the program is missing or cannot run. */
async function withRipgrep (ripgrep: string, path: string, { base, withHidden, paths, signal }: Walk): Promise<boolean> {
  const options = [
    '--files', '--null', '--no-config', '--no-ignore-global', '--no-messages', '--color=never', '--threads=2', '--iglob=!.git',
    `--iglob=!${trashFolder}`
  ]
  try {
    await runGroup(ripgrep, [...options, ...(withHidden ? ['--hidden'] : [])], {
      cwd: base,
      env: { PATH: path },
      signal,
      // The signal has a shorter time limit of its own.
      timeoutMs: 60_000,
      abruptly: true,
      onStdout: (chunk) => paths.add(chunk)
    })
    return true
  } catch (error) {
    if (['ENOENT', 'EACCES', 'ENOEXEC'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}

/** Lists files without ripgrep. It does not read .gitignore, so it skips node_modules by name. */
async function plainly ({ base, withHidden, paths, signal }: Walk): Promise<void> {
  const pending = ['']
  for (let folder = pending.shift(); folder !== undefined && !signal.aborted; folder = pending.shift()) {
    const opened = await opendir(`${base}/${folder}`).catch(() => null)
    if (opened === null) continue
    for await (const entry of opened) {
      if (signal.aborted) return
      const { name } = entry
      if (name === 'node_modules' || ['.git', trashFolder].includes(name.toLowerCase()) || (!withHidden && name.startsWith('.'))) continue
      if (entry.isDirectory()) pending.push(`${folder}${name}/`)
      else if (entry.isFile() && !paths.add(Buffer.from(`${folder}${name}\0`))) return
    }
  }
}
