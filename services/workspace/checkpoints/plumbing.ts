import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { delimiter, isAbsolute } from 'node:path'
import { SnapshotFailed, type Limits } from './failures.js'

export interface PlumbingOptions {
  /** Finds git (PATH) and the user's own settings (HOME, XDG_CONFIG_HOME). */
  env: Record<string, string>
  limits: Limits
}

export interface GitCall {
  /** The private repository. Of one of the user's only the index is ever read; see tracked.ts. */
  gitDir: string
  args: string[]
  /** Ended when it aborts. */
  signal: AbortSignal
  /** What git is to see as the work tree, and where it starts. Without it, git works in the private repository alone. */
  workTree?: string
  indexFile?: string
  input?: Uint8Array
  maxOutputBytes?: number
  /** Output beyond the limit is cut off instead of being a failure. */
  cut?: boolean
  /** Exit codes that are answers. */
  exitCodes?: readonly number[]
  /** Files with patterns of what is ignored. */
  excludesFile?: string
  /** Reads the user's settings. */
  asUser?: boolean
  /** The command knows paths only as patterns that may have magic. */
  magic?: boolean
  /** Work that nobody waits for. */
  background?: boolean
  /** How long this command may take, whatever the signal does. */
  limitMs?: number
}

export interface GitAnswer { stdout: Buffer, cut: boolean, exitCode: number }

const graceMs = 1_000
const usualLimitMs = 30_000
const maxErrorBytes = 64 * 1024
const usualOutputBytes = 16 * 1024 * 1024

/** Above every other setting. Bytes are stored as they are, and nothing that a repository names is run. */
const settings = [
  'core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.autocrlf=false', 'core.safecrlf=false', 'core.symlinks=true', 'core.fileMode=true',
  'core.ignoreCase=false', 'core.precomposeUnicode=false', 'core.attributesFile=/dev/null', 'core.quotePath=false', 'core.logAllRefUpdates=false',
  // Names that only other systems could not bear.
  'core.protectNTFS=false', 'core.protectHFS=false',
  'core.looseCompression=1', 'core.fsync=loose-object,pack', 'core.fsyncMethod=batch', 'core.splitIndex=false', 'index.sparse=false',
  'submodule.recurse=false', 'gc.auto=0', 'maintenance.auto=false', 'pack.compression=1', 'pack.threads=1', 'pack.windowMemory=64m', 'repack.writeBitmaps=false', 'color.ui=false'
]

/** Runs git on private repositories, each command in a process group of its own and with limits. */
export function createPlumbing ({ env, limits }: PlumbingOptions) {
  const failed = (kind: SnapshotFailed['kind'], detail = ''): SnapshotFailed => new SnapshotFailed(kind, limits, detail)

  /** Rejects with SnapshotFailed. */
  async function git (call: GitCall): Promise<GitAnswer> {
    const { gitDir, args, signal, workTree, exitCodes = [0], excludesFile } = call
    if (signal.aborted) throw interrupted(signal)
    const given = [...settings, `core.excludesFile=${excludesFile ?? '/dev/null'}`].flatMap((setting) => ['-c', setting])
    const argv = ['--no-pager', ...(call.asUser === true ? [] : given), ...args]
    let outcome: Awaited<ReturnType<typeof collect>>
    try {
      outcome = await collect(call, argv, environment(call))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw failed('failed', String(error))
      const isFolder = await stat(workTree ?? gitDir).then((found) => found.isDirectory(), () => false)
      throw failed(isFolder ? 'missing_git' : 'gone')
    }
    const { stdout, stderr, exitCode, why } = outcome
    if (why === 'too long') throw failed('timeout')
    if (why === 'aborted') throw interrupted(signal)
    if (why === 'too much' && call.cut !== true) throw failed('too_many_files')
    if (why !== 'too much' && (exitCode === null || !exitCodes.includes(exitCode))) {
      throw failed(/No space left|Disk quota|File too large/i.test(stderr) ? 'disk_full' : 'failed', `git ${args[0]}: ${stderr.trim().slice(0, 500)}`)
    }
    return { stdout, cut: why === 'too much', exitCode: exitCode ?? 0 }
  }

  /** What an aborted signal means; another failure than a limit's can be its reason. */
  function interrupted ({ reason }: AbortSignal): SnapshotFailed {
    if (reason instanceof SnapshotFailed) return reason
    return failed((reason as Error | undefined)?.name === 'TimeoutError' ? 'timeout' : 'stopped')
  }

  /** Nothing of the service's environment, nor of the user's and the system's settings. */
  function environment ({ gitDir, workTree, indexFile, asUser, magic }: GitCall): Record<string, string> {
    const places = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
    const common = { PATH: places.join(delimiter) || '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', GIT_DIR: gitDir, GIT_TERMINAL_PROMPT: '0' }
    if (asUser === true) return { ...common, HOME: env.HOME ?? '/', ...(env.XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME }) }
    return {
      ...common,
      HOME: gitDir,
      ...(workTree === undefined ? {} : { GIT_WORK_TREE: workTree }),
      ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_OPTIONAL_LOCKS: '0',
      ...(magic === true ? {} : { GIT_LITERAL_PATHSPECS: '1' }),
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: ''
    }
  }

  return { git, failed, interrupted, limits, userHome: env.HOME ?? '/', userConfig: env.XDG_CONFIG_HOME }
}

export type Plumbing = ReturnType<typeof createPlumbing>

type Ending = 'aborted' | 'too long' | 'too much'

/** Resolves when the program has ended, whatever ended it; rejects with the system's error when it cannot be started. */
async function collect (
  { gitDir, workTree, signal, input, maxOutputBytes = usualOutputBytes, background, limitMs = usualLimitMs }: GitCall, argv: string[], env: Record<string, string>
): Promise<{ stdout: Buffer, stderr: string, exitCode: number | null, why: Ending | null }> {
  const child = spawn('git', argv, { cwd: workTree ?? gitDir, env, detached: true, stdio: 'pipe' })
  if (background === true && child.pid !== undefined) lower(child.pid)
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  let sizeBytes = 0
  let errorBytes = 0
  let why: Ending | null = null
  let lastResort: NodeJS.Timeout | undefined
  const stop = (reason: Ending): void => {
    if (why !== null) return
    why = reason
    signalGroup(child.pid, 'SIGTERM')
    lastResort = setTimeout(() => {
      signalGroup(child.pid, 'SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
    }, graceMs)
  }
  const abort = (): void => stop('aborted')
  signal.addEventListener('abort', abort, { once: true })
  const limit = setTimeout(() => stop('too long'), limitMs)
  child.stdout.on('data', (chunk: Buffer) => {
    const rest = maxOutputBytes - sizeBytes
    sizeBytes += chunk.length
    if (rest > 0) stdout.push(chunk.length > rest ? chunk.subarray(0, rest) : chunk)
    if (sizeBytes > maxOutputBytes) stop('too much')
  })
  child.stderr.on('data', (chunk: Buffer) => {
    errorBytes += chunk.length
    if (errorBytes <= maxErrorBytes) stderr.push(chunk)
  })
  child.stdin.on('error', () => {}) // git need not read all of it
  child.stdin.end(input)
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    if (why !== null) signalGroup(child.pid, 'SIGKILL') // what it has started
    return { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString(), exitCode, why }
  } finally {
    clearTimeout(limit)
    signal.removeEventListener('abort', abort)
    clearTimeout(lastResort)
  }
}

function signalGroup (pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {} // it has ended
}

function lower (pid: number): void {
  try {
    setPriority(pid, 10)
  } catch {} // it has ended, or the system does not permit it
}
