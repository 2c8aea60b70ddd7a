import { readdir, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'

/** What the system reports about the disk and open files; null where it reports nothing. */
export interface Sizes { databaseBytes: number | null, walBytes: number | null, freeBytes: number | null, openFiles: number | null }

const freshMs = 15_000
/** The longest that a hanging disk can delay a scrape; the previous values are shown then. */
const patienceMs = 500

/** Sizes of the database and its surroundings, read asynchronously and at most every 15 s. */
export function createSizes ({ databaseFile, clock }: { databaseFile: string, clock: Clock }) {
  let latest: Sizes = { databaseBytes: null, walBytes: null, freeBytes: null, openFiles: null }
  let readMs = -Infinity
  let reading: Promise<void> | null = null

  async function read (): Promise<void> {
    const [databaseBytes, walBytes, freeBytes, openFiles] = await Promise.all([
      known(async () => (await stat(databaseFile)).size),
      known(async () => (await stat(`${databaseFile}-wal`)).size),
      known(async () => {
        const { bavail, bsize } = await statfs(dirname(databaseFile))
        return bavail * bsize
      }),
      known(async () => (await readdir('/proc/self/fd')).length)
    ])
    latest = { databaseBytes, walBytes, freeBytes, openFiles }
    readMs = monotonicMs(clock)
    reading = null
  }

  return {
    /** Updates the values if they are older than 15 s. Never rejects. */
    async refresh (): Promise<void> {
      if (monotonicMs(clock) - readMs < freshMs) return
      reading ??= read()
      await Promise.race([reading, delay(patienceMs, undefined, { ref: false })])
    },
    latest: (): Sizes => latest
  }
}

/** Returns null for what cannot be read. */
async function known (read: () => Promise<number>): Promise<number | null> {
  return await read().catch(() => null)
}
