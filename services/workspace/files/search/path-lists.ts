import { opendir } from 'node:fs/promises'
import { createLane } from '../../../ground/concurrency/lane.js'
import { codeOf } from '../../../ground/errors.js'
import { runGroup } from '../../../ground/process/group.js'
import { timeLimit } from '../../../ground/time-limit.js'
import { openFolder, type Territory } from '../../place/place.js'
import { trashFolder } from '../listing-task.js'

/** The files below a folder, as they are looked through by a thread. */
export interface PathList {
  /** Paths relative to the workspace, a zero behind each; shared, so that no thread gets a copy. */
  bytes: SharedArrayBuffer
  /** Not all there are: there was no time or no room for more. */
  isPart: boolean
}

export interface PathListsOptions {
  /** The ripgrep program; null = none. */
  ripgrep: string | null
  /** Where programs are looked for. */
  path: string
  limits?: Partial<typeof usualLimits>
}

const usualLimits = { listBytes: 48 * 1024 * 1024, keptBytes: 64 * 1024 * 1024, keptMs: 3_000, timeoutMs: 10_000 }
/** Walks at the same time; each keeps a processor busy. */
const mostWalks = 2
const laneWaitMs = 10_000

interface Kept { list: Promise<PathList>, walk: AbortController, listeners: number, sizeBytes: number, isDone: boolean }

/**
 * Lists of all files below a folder, each kept for the moments in which somebody types on. Two who ask for the same one share
 * its making, which ends when all of them have gone.
 */
export function createPathLists ({ ripgrep, path, limits = {} }: PathListsOptions) {
  const { listBytes, keptBytes, keptMs, timeoutMs } = { ...usualLimits, ...limits }
  const kept = new Map<string, Kept>()
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

  function begin (key: string, territory: Territory, withHidden: boolean): Kept {
    const controller = new AbortController()
    const one: Kept = { list: walk(territory, withHidden, controller.signal), walk: controller, listeners: 0, sizeBytes: 0, isDone: false }
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

  /** The oldest go first; the newest one stays, whatever its size. */
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
     * What .gitignore names is left out, and so are hidden names unless they are asked for, .git and the trash. Rejects when the
     * signal aborts, as openFolder, and with Unavailable (`busy`).
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

    /** Lists that are kept or being made. */
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

  /** False when there is no room for more. */
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

/** False when the program is not there. */
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
      // The signal has a time limit of its own.
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

/** The walk without ripgrep: nobody reads .gitignore, so the usual folder of other people's code is left out by its name. */
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
