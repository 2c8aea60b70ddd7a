import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, closeSync, constants, fstatSync, openSync, readlinkSync, statfsSync, type Stats } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { tried } from '../../ground/tried.js'
import { within } from '../tools/containment.js'

/** Opens nothing, only holds what has the name; Node.js does not name it. */
const O_PATH = 0o10000000
const specialBits = 0o6000
const limitMs = 30_000
const mostKnown = 10_000
const mostNamed = 20

/** A command's changes of files may be stamped with the last tick of the clock before it: none is longer ago than this. */
const tickMs = 12
/** Their changes bear the time of this machine: ext, XFS, Btrfs, tmpfs, overlay, F2FS, ZFS. */
const ownTime = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1])

/** What tells the files that were there before a command: all are listed, or (null) they have not changed since then. */
export interface FilesBefore { since: number, special: readonly string[] | null }

/**
 * Regular files with a set-user or set-group bit, told apart by what no process can set. Null when
 * there are too many to be told. Never rejects.
 */
export async function specialFiles (workspace: string): Promise<string[] | null> {
  const known: string[] = []
  await listed(workspace, (path) => held(workspace, path, (stats) => { if (known.length <= mostKnown) known.push(stampOf(stats)) }))
  return known.length > mostKnown ? null : known
}

/** Whether the time of a change there is one of this machine's clock. */
export const isOfOwnTime = (workspace: string): boolean => tried(() => ownTime.has(statfsSync(workspace).type), false)

/**
 * A time that what has changed before is older than; what changes after `passed` is not. The clock of the
 * file system is meant, so it is the real one.
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
 * Takes these bits from the files that have not been there as they are. Folders keep theirs, which only say whose group is inherited: so
 * a filter of system calls, which sees no difference between the two, cannot do it. Returns some of the files, and whether all were looked
 * at. Never rejects.
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

/** One lstat per file: a program of its own does it, beside whatever else there is to do. Whether nothing was out of its sight. */
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

/** The very file is held while something is done to it, whatever takes its name meanwhile. What is gone, or somebody else's, is left. */
function held (workspace: string, path: Buffer, act: (stats: Stats, at: string) => void): void {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, O_PATH | constants.O_NOFOLLOW)
    const stats = fstatSync(descriptor)
    const at = `/proc/self/fd/${descriptor}`
    if (stats.isFile() && (stats.mode & specialBits) !== 0 && within(workspace, readlinkSync(at))) act(stats, at)
  } catch {
    // As above.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
