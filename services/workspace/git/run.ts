import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { Invalid, TooLarge, Unavailable } from '../../ground/errors.js'
import { capture } from '../../ground/process/capture.js'
import { gitVariables } from './environment.js'
import { isLocked, refusal } from './errors.js'
import {
  isContentFree, nothingOff, ownOptions, precautions, programsOff, safeSettings, type GitCommand, type ProgramsOff
} from './safety.js'

export { withoutPaths } from './errors.js'
export type GitArguments = readonly [command: GitCommand, ...rest: string[]]

export interface GitOptions {
  timeoutMs?: number
  maxOutputBytes?: number
  /** Standard input. Default: empty. */
  input?: string | Uint8Array
  /** Receives the output piece by piece; the outcome contains none then. */
  onOutput?: (chunk: Buffer) => void
  /** Whether git is stopped above `maxOutputBytes` and its output so far returned. Default: more output is an error. */
  cut?: boolean
  /** Result of readPrograms for the same folder a moment before, so that an operation with several commands reads it once. */
  off?: ProgramsOff
  /** Further settings that override those of the repository, as `key=value`. */
  settings?: readonly string[]
  /** Additional environment variables. Commands that talk to a remote get them from system/transport.ts. */
  environment?: Readonly<Record<string, string>>
}

export interface GitOutcome {
  stdout: Buffer
  stderr: string
  exitCode: number
  /** See `cut`. */
  isCut: boolean
}

/** How long git may take to remove its lock files after SIGTERM. */
const graceMs = 1_000
const lockPausesMs = [50, 100, 200, 400, 800]

/**
 * Runs git in a folder and returns its outcome, whatever the exit code. The repository is not trusted: the hooks, filters, file monitors,
 * and diff, merge and signing programs of its settings do not run, nor do those of the user's settings (a git-lfs file therefore appears
 * as its pointer), and nothing is fetched. For a repository of another user, the operator must set `safe.directory`. Callers put paths
 * after `--`, and pass names of refs through refName.
 *
 * Filters are overridden according to the settings when the command starts. A process that changes the settings at that very moment is
 * not prevented.
 *
 * Throws Unavailable (`missing_git`, `git_failed`), Invalid (`timeout`, `not_a_repo` for a missing folder, `git_failed`
 * for settings it cannot make safe) and TooLarge (`too_large`).
 */
export async function runGit (folder: string, args: GitArguments, options: GitOptions = {}): Promise<GitOutcome> {
  const [command, ...rest] = args
  const off = isContentFree(command) ? nothingOff : options.off ?? await readPrograms(folder)
  const settings = [...safeSettings, ...off.settings, ...options.settings ?? []].flatMap((setting) => ['-c', setting])
  return await execute(folder, [...ownOptions(command), ...settings, command, ...precautions(command), ...rest], options)
}

/** Enough for some 40,000 settings. They are taken apart in the thread that answers requests. */
const mostSettingsBytes = 4 * 1024 * 1024

/** Reads which programs a folder's settings name, and returns what switches them off. Throws what gitText throws, and TooLarge. */
export async function readPrograms (folder: string): Promise<ProgramsOff> {
  const list = ['config', '--list', '--show-origin', '--null', '--name-only'] as const
  const { stdout } = await succeeding(folder, list, { maxOutputBytes: mostSettingsBytes }).catch((error: unknown) => {
    if (!(error instanceof TooLarge)) throw error
    throw new TooLarge('Git has too many settings for this repository: their names, including those in your own settings, exceed 4 MiB', 'too_large')
  })
  return programsOff(stdout)
}

/**
 * Returns git's output without the final line break. Retries for a while if another git process holds a lock. Throws runGit's errors and,
 * when git refuses, what `refusal` returns: Invalid (`not_a_repo`, `git_failed`, `identity_missing`), Forbidden (`git_failed`: the
 * repository of another user), Unavailable (`disk_full`) or Conflict (`operation_in_progress`, `dirty_worktree`, `conflict`).
 */
export async function gitText (folder: string, args: GitArguments, options?: GitOptions): Promise<string> {
  return (await succeeding(folder, args, options)).stdout.toString().replace(/\n$/, '')
}

/** Returns git's output without white space around it; null if git refuses, for whatever reason. Throws runGit's errors. */
export async function gitAnswer (folder: string, args: GitArguments, options?: GitOptions): Promise<string | null> {
  const { stdout, exitCode } = await runGit(folder, args, options)
  return exitCode === 0 ? stdout.toString().trim() : null
}

/** Returns the entries of git's output with `-z`, which a null character ends or separates. Throws what gitText throws. */
export async function gitEntries (folder: string, args: GitArguments, options?: GitOptions): Promise<string[]> {
  return (await gitText(folder, args, options)).split('\0').filter((entry) => entry !== '')
}

/** Returns the sha of the commit that a name stands for; null if there is none. */
export async function commitNamed (folder: string, name: string, options?: GitOptions): Promise<string | null> {
  return await gitAnswer(folder, ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], options)
}

/** Whether the history of `commit` contains `ancestor`. */
export async function isAncestor (folder: string, ancestor: string, commit: string, options?: GitOptions): Promise<boolean> {
  return (await runGit(folder, ['merge-base', '--is-ancestor', ancestor, commit], options)).exitCode === 0
}

/** Like gitText, but returns the whole outcome with the output as bytes. */
export async function succeeding (folder: string, args: GitArguments, options?: GitOptions): Promise<GitOutcome> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await runGit(folder, args, options)
    if (outcome.exitCode === 0) return outcome
    const pauseMs = lockPausesMs[attempt]
    if (pauseMs === undefined || !isLocked(outcome)) throw refusal(outcome, folder)
    await delay(pauseMs)
  }
}

/**
 * Returns the name of a branch or tag, unchanged. Throws Invalid (`invalid_ref`) for what git-check-ref-format refuses and
 * for anything that git could take for an option.
 */
export function refName (name: string): string {
  if (name === '' || name === '@' || /^[-/]|[\p{Cc}\s~^:?*[\\]|\.\.|@\{|(?:^|\/)\.|\/\/|\.lock(?:\/|$)|[/.]$/u.test(name)) {
    throw new Invalid('This is not a valid branch or tag name', 'invalid_ref')
  }
  return name
}

/** Runs git. Throws an error of the service unless git exited by itself. */
async function execute (folder: string, argv: string[], options: GitOptions): Promise<GitOutcome> {
  const { timeoutMs = 5_000, maxOutputBytes = 8 * 1024 * 1024, input, onOutput, environment: more, cut = false } = options
  if (argv.some((arg) => arg.includes('\0'))) throw new Invalid('A name or path must not contain a null character', 'git_failed')
  const { stdout, stderr, exitCode, ended } = await capture('git', argv, {
    cwd: folder, env: { ...environment(), ...more }, timeoutMs, graceMs, maxOutputBytes, input, onOutput
  }).catch(async (error: unknown) => await notStarted(folder, error))
  if (ended === 'timeout') throw new Invalid(`git took longer than ${timeoutMs / 1_000} s`, 'timeout')
  if (ended === 'enough') {
    if (!cut) throw new TooLarge('git\'s output is too large', 'too_large')
    return { stdout, stderr: '', exitCode: 0, isCut: true }
  }
  if (exitCode === null) throw new Unavailable('git was killed', 'git_failed')
  return { stdout, stderr, exitCode, isCut: false }
}

async function notStarted (folder: string, error: unknown): Promise<never> {
  if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
  const isFolder = await stat(folder).then((found) => found.isDirectory(), () => false)
  if (!isFolder) throw new Invalid('The folder does not exist or cannot be opened', 'not_a_repo')
  if (error.code === 'ENOENT') throw new Unavailable('git is not installed where this service runs', 'missing_git')
  throw new Unavailable(`git could not be started (${String(error.code)})`, 'git_failed')
}

function environment (): Record<string, string> {
  return {
    ...gitVariables(),
    LANG: 'C.UTF-8', // refusal reads what git says
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '', // overrides core.askPass with no program
    GIT_EDITOR: ':', // git knows it and runs nothing
    GIT_SEQUENCE_EDITOR: ':',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes', // overrides core.sshCommand
    // No transport at all: programs named in the repository's settings would fetch objects that a partial clone lacks.
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1'
  }
}
