import { stat } from 'node:fs/promises'
import { capture, type Captured } from '../../ground/process/capture.js'
import { searchPath } from '../../ground/process/environment.js'
import { SnapshotFailed, type Limits } from './failures.js'

export interface PlumbingOptions {
  /** Locates git (PATH) and the user's own settings (HOME, XDG_CONFIG_HOME). */
  env: Record<string, string>
  limits: Limits
}

export interface GitCall {
  /** The private repository. In one of the user's, only the index is ever read; see tracked-files.ts. */
  gitDir: string
  args: string[]
  /** Git is ended when it aborts. */
  signal: AbortSignal
  /** The work tree for git, and its current folder. Without it, git works in the private repository alone. */
  workTree?: string
  indexFile?: string
  input?: Uint8Array
  maxOutputBytes?: number
  /** Whether output beyond the limit is cut off instead of being an error. */
  cut?: boolean
  /** Exit codes that count as success. Default: 0. */
  exitCodes?: readonly number[]
  /** File with ignore patterns. */
  excludesFile?: string
  /** Whether git reads the user's settings. */
  asUser?: boolean
  /** Whether the command takes paths only as pathspecs that may have magic. */
  magic?: boolean
  /** Whether the command runs at a low priority, because nothing waits for it. */
  background?: boolean
  /** How long this command may take at most, independent of the signal. */
  limitMs?: number
}

export interface GitAnswer { stdout: Buffer, cut: boolean, exitCode: number }

const graceMs = 1_000
const usualLimitMs = 30_000
const usualOutputBytes = 16 * 1024 * 1024
/** Niceness of background work. */
const backgroundNiceness = 10

/** Override every other setting. Bytes are stored unchanged, and no program that a repository names is run. */
const settings = [
  'core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.autocrlf=false', 'core.safecrlf=false', 'core.symlinks=true',
  'core.fileMode=true',
  'core.ignoreCase=false', 'core.precomposeUnicode=false', 'core.attributesFile=/dev/null', 'core.quotePath=false',
  'core.logAllRefUpdates=false',
  // Allow names that are a problem only on other systems.
  'core.protectNTFS=false', 'core.protectHFS=false',
  'core.looseCompression=1', 'core.fsync=loose-object,pack', 'core.fsyncMethod=batch', 'core.splitIndex=false', 'index.sparse=false',
  'submodule.recurse=false', 'gc.auto=0', 'maintenance.auto=false', 'pack.compression=1', 'pack.threads=1', 'pack.windowMemory=64m',
  'repack.writeBitmaps=false', 'color.ui=false'
]

/** Runs git on private repositories, each command in its own process group and with limits. */
export function createPlumbing ({ env, limits }: PlumbingOptions) {
  const failed = (kind: SnapshotFailed['kind'], detail = ''): SnapshotFailed => new SnapshotFailed(kind, limits, detail)

  /** Runs git. Rejects with SnapshotFailed. */
  async function git (call: GitCall): Promise<GitAnswer> {
    const { gitDir, args, signal, workTree, exitCodes = [0], excludesFile } = call
    const given = [...settings, `core.excludesFile=${excludesFile ?? '/dev/null'}`].flatMap((setting) => ['-c', setting])
    const argv = ['--no-pager', ...(call.asUser === true ? [] : given), ...args]
    const { stdout, stderr, exitCode, ended } = await run(call, argv).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw failed('failed', String(error))
      const isFolder = await stat(workTree ?? gitDir).then((found) => found.isDirectory(), () => false)
      throw failed(isFolder ? 'missing_git' : 'gone')
    })
    if (ended === 'timeout') throw failed('timeout')
    if (ended === 'abort') throw interrupted(signal)
    const isCut = ended === 'enough'
    if (isCut && call.cut !== true) throw failed('too_many_files')
    if (!isCut && (exitCode === null || !exitCodes.includes(exitCode))) {
      throw failed(/No space left|Disk quota|File too large/i.test(stderr)
        ? 'disk_full'
        : 'failed', `git ${args[0]}: ${stderr.trim().slice(0, 500)}`)
    }
    return { stdout, cut: isCut, exitCode: exitCode ?? 0 }
  }

  /** Starts git. Rejects with the system's error if that fails. */
  async function run (call: GitCall, argv: string[]): Promise<Captured> {
    const { gitDir, workTree, signal, input, maxOutputBytes = usualOutputBytes, background, limitMs = usualLimitMs } = call
    return await capture('git', argv, {
      cwd: workTree ?? gitDir, env: environment(call), input, signal, timeoutMs: limitMs, graceMs, maxOutputBytes,
      niceness: background === true ? backgroundNiceness : undefined
    })
  }

  /** Returns the failure for an aborted signal. Its reason may already be one. */
  function interrupted ({ reason }: AbortSignal): SnapshotFailed {
    if (reason instanceof SnapshotFailed) return reason
    return failed(reason instanceof Error && reason.name === 'TimeoutError' ? 'timeout' : 'stopped')
  }

  /** Returns an environment without the service's variables, and without the user's and the system's settings unless `asUser`. */
  function environment ({ gitDir, workTree, indexFile, asUser, magic }: GitCall): Record<string, string> {
    const common = { PATH: searchPath(env.PATH), LANG: 'C.UTF-8', GIT_DIR: gitDir, GIT_TERMINAL_PROMPT: '0' }
    if (asUser === true) {
      return { ...common, HOME: env.HOME ?? '/', ...(env.XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME: env.XDG_CONFIG_HOME }) }
    }
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
