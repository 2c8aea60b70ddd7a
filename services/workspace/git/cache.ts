import { DomainError } from '../../ground/errors.js'
import { type GitInfo, type GitStatus } from './engine.js'
import { stampOf } from './stamps.js'
import { type TreeWatch } from './watch.js'

interface Answers { status: GitStatus | null, info: GitInfo | null }
type Kind = keyof Answers

export interface StatusCacheOptions {
  read: { [K in Kind]: (folder: string) => Promise<Answers[K]> }
  /** Resolves to null if changes cannot be noticed; nothing is cached then. */
  watch: (folder: string) => Promise<TreeWatch | null>
}

interface CachedRead<T> { version: string, sinceMs: number, answer: Promise<T> }
/** A read that timed out (one of a named pipe never ends), and the folder's stamp from before it. */
interface Stuck { error: DomainError, untilMs: number, stamp: string }
interface Queue<T> { running: Promise<T>, next: Promise<T> | null }
interface Place {
  watch: TreeWatch | null
  /** Whether a watch is being set up. */
  isArming: boolean
  /** No watch is set up before this time. */
  notBeforeMs: number
  kept: { [K in Kind]?: CachedRead<Answers[K]> }
  queues: { [K in Kind]?: Queue<Answers[K]> }
  stuck: { [K in Kind]?: Stuck }
  idle: NodeJS.Timeout
}

const maxPlaces = 8
const idleMs = 60_000
/** Limits for how long changes that no watch sees go unnoticed: the user's own settings, files changed through a memory map. */
const maxAgeMs = 15_000
const rearmMs = 1_000
const hopelessMs = 60_000
/** How long a timeout is remembered: clients ask every few seconds, and each request would otherwise wait as long again. */
const stuckMs = 30_000

/**
 * Caches the status and counts of folders. A cached answer is used only while a watch confirms that nothing has changed. Otherwise each
 * request gets a read that began after the request; waiting requests share one. After a timeout, the folder is not read for a while,
 * unless entries of the folder itself have been added or removed.
 */
export function createStatusCache (options: StatusCacheOptions) {
  const places = new Map<string, Place>()
  let isClosed = false

  function placeOf (folder: string): Place {
    const known = places.get(folder)
    if (known !== undefined) {
      known.idle.refresh()
      return known
    }
    const [oldest] = places.keys()
    if (places.size >= maxPlaces && oldest !== undefined) forget(oldest)
    const place: Place = {
      watch: null, isArming: false, notBeforeMs: 0, kept: {}, queues: {}, stuck: {}, idle: setTimeout(() => forget(folder), idleMs).unref()
    }
    places.set(folder, place)
    return place
  }

  function forget (folder: string): void {
    const place = places.get(folder)
    places.delete(folder)
    if (place === undefined) return
    clearTimeout(place.idle)
    place.watch?.close()
    place.watch = null
  }

  async function arm (folder: string, place: Place): Promise<void> {
    if (place.isArming || performance.now() < place.notBeforeMs) return
    place.isArming = true
    const opened = await options.watch(folder).catch(() => null)
    place.isArming = false
    place.notBeforeMs = performance.now() + (opened === null ? hopelessMs : rearmMs)
    if (isClosed || places.get(folder) !== place) opened?.close()
    else place.watch = opened
  }

  /** Runs at most one read at a time. All requests that arrive while it runs share the next one. */
  async function fresh<K extends Kind> (folder: string, place: Place, kind: K): Promise<Answers[K]> {
    const queues = place.queues as { [P in K]?: Queue<Answers[P]> }
    const queue = queues[kind]
    if (queue !== undefined) {
      queue.next ??= queue.running.then(() => {}, () => {}).then(async () => await fresh(folder, place, kind))
      return await queue.next
    }
    const mine: Queue<Answers[K]> = { running: look(options, folder, place, kind), next: null }
    queues[kind] = mine
    try {
      return await mine.running
    } finally {
      delete queues[kind]
    }
  }

  async function answer<K extends Kind> (folder: string, kind: K): Promise<Answers[K]> {
    const place = placeOf(folder)
    const version = await place.watch?.version() ?? null
    if (version === null) {
      place.watch?.close()
      place.watch = null
      place.kept = {}
      void arm(folder, place)
      return await fresh(folder, place, kind)
    }
    const all = place.kept as { [P in K]?: CachedRead<Answers[P]> }
    const kept = all[kind]
    if (kept !== undefined && kept.version === version && performance.now() - kept.sinceMs < maxAgeMs) return await kept.answer
    const mine: CachedRead<Answers[K]> = { version, sinceMs: performance.now(), answer: look(options, folder, place, kind) }
    all[kind] = mine
    mine.answer.catch(() => { if (all[kind] === mine) delete all[kind] })
    return await mine.answer
  }

  return {
    status: async (folder: string): Promise<GitStatus | null> => await answer(folder, 'status'),
    info: async (folder: string): Promise<GitInfo | null> => await answer(folder, 'info'),
    /** Returns the number of cached folders. */
    size: (): number => places.size,
    close (): void {
      isClosed = true
      for (const folder of [...places.keys()]) forget(folder)
    }
  }
}

/** Reads a folder. Throws the last timeout again while it is remembered and the folder's stamp is the same. */
async function look<K extends Kind> (
  { read }: Pick<StatusCacheOptions, 'read'>, folder: string, place: Place, kind: K
): Promise<Answers[K]> {
  const { text: stamp } = await stampOf(folder)
  const stuck = place.stuck[kind]
  if (stuck !== undefined && performance.now() < stuck.untilMs && stamp === stuck.stamp) throw stuck.error
  try {
    const found = await read[kind](folder)
    delete place.stuck[kind]
    return found
  } catch (error) {
    if (error instanceof DomainError && error.code === 'timeout') {
      place.stuck[kind] = { error, untilMs: performance.now() + stuckMs, stamp }
    }
    throw error
  }
}
