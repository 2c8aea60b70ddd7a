import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, closeSync, constants, fstatSync, openSync, readlinkSync, statfsSync, type Stats } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { tried } from '../../ground/tried.js'
import { within } from '../tools/containment.js'
import { O_PATH } from './open-flags.js'

const specialBits = 0o6000
const limitMs = 30_000
const mostKnown = 10_000
const mostNamed = 20

/** A change of a file may be stamped with the clock's last tick before it, which is at most this long ago. */
const tickMs = 12
/** File systems that stamp changes with this machine's clock: ext, XFS, Btrfs, tmpfs, overlay, F2FS, ZFS. */
const ownTime = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1])

/** Identifies files that existed before a command: `special` lists them; null: they are those that have not changed since `since`. */
export interface FilesBefore { since: number, special: readonly string[] | null }

/**
 * Lists the regular files with a set-user or set-group bit, identified by values that no process can set. Returns null if they are too
 * many. Never rejects.
 */
export async function specialFiles (workspace: string): Promise<string[] | null> {
  const known: string[] = []
  await listed(workspace, (path) => held(workspace, path, (stats) => { if (known.length <= mostKnown) known.push(stampOf(stats)) }))
  return known.length > mostKnown ? null : known
}

/** Returns whether changes there are stamped with this machine's clock. */
export const isOfOwnTime = (workspace: string): boolean => tried(() => ownTime.has(statfsSync(workspace).type), false)

/**
 * Returns a time `since`: earlier changes of files are older, and changes after `passed` has resolved are not. Uses the real clock, because
 * the file system does. `setBackMs` tells how far that clock has been set back meanwhile.
 */
export function momentNow (): { since: number, passed: () => Promise<void>, setBackMs: () => number } {
  const since = Date.now() + 1
  const begunMs = performance.now()
  return {
    since,
    passed: async () => {
      const elapsedMs = performance.now() - begunMs
      if (elapsedMs <= tickMs + 1) await sleep(tickMs + 2 - elapsedMs)
    },
    setBackMs: () => Math.max(0, Math.ceil(performance.now() - begunMs - (Date.now() + 1 - since)) - 2)
  }
}

/**
 * Removes these bits from files that are new or changed. Folders keep theirs, which only decide which group is inherited. A filter of
 * system calls cannot do this, because it cannot tell files from folders. Returns some of the files, and whether all were checked. Never
 * rejects.
 */
export async function takeSpecialBits (workspace: string, { since, special }: FilesBefore): Promise<{ taken: string[], isWhole: boolean }> {
  const taken: string[] = []
  const known = special === null ? null : new Set(special)
  const isWhole = await listed(workspace, (path) => held(workspace, path, (stats, at) => {
    if (known === null ? stats.ctimeMs < since : known.has(stampOf(stats))) return
    chmodSync(at, stats.mode & 0o1777)
    if (taken.length < mostNamed) taken.push(path.toString())
  }))
  return { taken, isWhole }
}

const stampOf = ({ dev, ino, ctimeMs }: Stats): string => `${dev}:${ino}:${ctimeMs}`

/** Finds files with such bits. It takes one lstat per file, so a separate program does it. Resolves to whether it saw everything. */
async function listed (workspace: string, found: (path: Buffer) => void): Promise<boolean> {
  return await new Promise<boolean>((resolve) => {
    const find: ChildProcess = spawn('find', [workspace, '-type', 'f', '-perm', '/6000', '-print0'], {
      stdio: ['ignore', 'pipe', 'ignore'], signal: AbortSignal.timeout(limitMs), killSignal: 'SIGKILL'
    })
    let rest = ''
    find.stdout?.setEncoding('latin1').on('data', (text: string) => {
      const paths = (rest + text).split('\0')
      rest = paths.pop() ?? ''
      for (const path of paths) found(Buffer.from(path, 'latin1'))
    })
    find.on('error', () => resolve(false)).on('close', (code) => resolve(code === 0))
  })
}

/** Holds the file itself while `act` changes it, whatever takes its name meanwhile. Skips files that are gone or belong to another user. */
function held (workspace: string, path: Buffer, act: (stats: Stats, at: string) => void): void {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW)
    const stats = fstatSync(descriptor)
    const at = `/proc/self/fd/${descriptor}`
    if (stats.isFile() && (stats.mode & specialBits) !== 0 && within(workspace, readlinkSync(at))) act(stats, at)
  } catch {
    // Skipped, as said above.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
