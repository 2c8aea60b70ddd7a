import { spawn } from 'node:child_process'
import { chmodSync, closeSync, constants, fstatSync, openSync, readlinkSync, type Stats } from 'node:fs'
import { within } from '../tools/containment.js'

/** Opens nothing, only holds what has the name; Node.js does not name it. */
const O_PATH = 0o10000000
const specialBits = 0o6000
const limitMs = 30_000
const mostKnown = 10_000
const mostNamed = 20

/** Regular files with a set-user or set-group bit: whoever starts them does so as this user, or as one of its group. */
export type SpecialFiles = ReadonlySet<string>

/** Those of a folder, told apart by what no process can set. Null when there are too many to be told. Never rejects. */
export async function specialFiles (workspace: string): Promise<SpecialFiles | null> {
  const known = new Set<string>()
  await listed(workspace, (path) => held(workspace, path, (stats) => known.size <= mostKnown && known.add(stampOf(stats))))
  return known.size > mostKnown ? null : known
}

/**
 * Takes these bits from the files that have not been there as they are. Folders keep theirs, which only say whose group is inherited: so
 * a filter of system calls, which sees no difference between the two, cannot do it. Returns some of the files. Never rejects.
 */
export async function takeSpecialBits (workspace: string, before: SpecialFiles): Promise<string[]> {
  const taken: string[] = []
  await listed(workspace, (path) => held(workspace, path, (stats, at) => {
    if (before.has(stampOf(stats))) return
    chmodSync(at, stats.mode & 0o1777)
    if (taken.length < mostNamed) taken.push(path.toString())
  }))
  return taken
}

const stampOf = ({ dev, ino, ctimeMs }: Stats): string => `${dev}:${ino}:${ctimeMs}`

/** One lstat per file: a program of its own does it, beside whatever else there is to do. */
async function listed (workspace: string, found: (path: Buffer) => void): Promise<void> {
  await new Promise<void>((resolve) => {
    const find = spawn('find', [workspace, '-type', 'f', '-perm', '/6000', '-print0'], { stdio: ['ignore', 'pipe', 'ignore'], timeout: limitMs, killSignal: 'SIGKILL' })
    let rest = ''
    find.stdout.setEncoding('latin1').on('data', (text: string) => {
      const paths = (rest + text).split('\0')
      rest = paths.pop() ?? ''
      for (const path of paths) found(Buffer.from(path, 'latin1'))
    })
    find.on('error', () => resolve()).on('close', () => resolve())
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
