import { spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { delimiter, isAbsolute } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Conflict, Forbidden, Invalid, TooLarge, Unavailable, type DomainError } from '../errors.js'

/** Commands that neither read nor write the contents of files, so no filter is ever asked; `ls-files` only with `--stage`. */
const contentFree = ['branch', 'config', 'ls-files', 'merge-base', 'rev-list', 'rev-parse', 'worktree'] as const
/** Commands that show differences, for which a repository may name programs. */
const showing = ['diff', 'log', 'show'] as const

/**
 * Git's own commands, whose place no alias can take. `worktree add` needs `--no-checkout`, and `worktree remove` a
 * folder that is gone or `--force`: otherwise they work on contents in a place whose settings were not looked at.
 */
export type GitCommand = typeof contentFree[number] | typeof showing[number] | 'reset' | 'status'
export type GitArguments = readonly [command: GitCommand, ...rest: string[]]

export interface GitOptions {
  timeoutMs?: number
  maxOutputBytes?: number
  /** For standard input, which is empty otherwise. */
  input?: string | Uint8Array
}

export interface GitOutcome { stdout: Buffer, stderr: string, exitCode: number }

/** How long git may take to remove its lock files after SIGTERM. */
const graceMs = 1_000
const maxErrorBytes = 64 * 1024
const lockPausesMs = [50, 100, 200, 400, 800]

/** Above every setting of the repository: nothing it names is run, and nothing is left running. */
const safeSettings = [
  'core.fsmonitor=false', 'core.hooksPath=/dev/null', 'safe.bareRepository=explicit', 'submodule.recurse=false', 'color.ui=false',
  'commit.gpgSign=false', 'tag.gpgSign=false', 'log.showSignature=false', 'gc.auto=0', 'maintenance.auto=false'
]
/** Programs under names that the repository chooses; each must be overridden by its name. */
const namedProgram = /^(?:filter\..*\.(?:clean|smudge|process|required)|merge\..*\.driver)$/s

/**
 * Runs git in a folder and answers whatever its exit code was. The repository is not trusted: hooks, filters, file
 * monitors, diff, merge and signing programs of its settings do not run, nor do those of the user's (a file kept by
 * git-lfs therefore appears as its pointer); nothing is fetched. What a repository of another user would need,
 * `safe.directory`, is the operator's to set. Paths go behind `--`, names of refs through refName.
 *
 * Filters are overridden as the settings are when the command starts: a process that writes them in just that moment
 * is not kept out.
 *
 * Throws Unavailable (`missing_git`, `timeout`, `git_failed`), Invalid (`not_a_repo` for a missing folder, `git_failed`
 * for settings it cannot make safe) and TooLarge (`too_large`).
 */
export async function runGit (folder: string, args: GitArguments, options: GitOptions = {}): Promise<GitOutcome> {
  const [command, ...rest] = args
  const settings = isOneOf(contentFree, command) ? [] : await overrides(folder)
  return await execute(folder, settings, [command, ...precautions(command), ...rest], options)
}

/**
 * What git prints, without the line's end. Waits a little for another git process that holds a lock. Beside runGit's
 * errors throws, when git refuses, Invalid (`not_a_repo`, `git_failed`), Forbidden (`git_failed`: the repository of
 * another user) or Conflict (`operation_in_progress`, `conflict`).
 */
export async function gitText (folder: string, args: GitArguments, options?: GitOptions): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    const outcome = await runGit(folder, args, options)
    if (outcome.exitCode === 0) return outcome.stdout.toString().replace(/\n$/, '')
    const pauseMs = lockPausesMs[attempt]
    if (pauseMs === undefined || !isLocked(outcome)) throw refusal(outcome, folder)
    await delay(pauseMs)
  }
}

/** The name of a branch or tag, unchanged. Throws Invalid (`invalid_ref`) for what git-check-ref-format refuses and for anything that could pass as an option. */
export function refName (name: string): string {
  if (name === '' || name === '@' || /^[-/]|[\p{Cc}\s~^:?*[\\]|\.\.|@\{|(?:^|\/)\.|\/\/|\.lock(?:\/|$)|[/.]$/u.test(name)) {
    throw new Invalid('This is not a valid name of a branch or tag', 'invalid_ref')
  }
  return name
}

/** Submodules are not looked into, as their settings may name programs of their own. */
function precautions (command: GitCommand): string[] {
  if (isOneOf(showing, command)) return ['--no-ext-diff', '--no-textconv', '--no-color', '--submodule=short', '--ignore-submodules=dirty']
  return command === 'status' ? ['--ignore-submodules=dirty'] : []
}

/** Settings that make every filter and merge program of the repository inert. */
async function overrides (folder: string): Promise<string[]> {
  // All of them, as git's own pattern matching passes over bytes that are not UTF-8.
  const outcome = await execute(folder, [], ['config', '--list', '--null', '--name-only'], {})
  if (outcome.exitCode !== 0) throw refusal(outcome, folder)
  const keys = new Set(outcome.stdout.toString('latin1').split('\0').filter((key) => namedProgram.test(key)).map((key) => Buffer.from(key, 'latin1').toString()))
  // `-c` cannot name these, so they could not be overridden.
  if ([...keys].some((key) => key.includes('=') || key.includes('\ufffd'))) {
    throw new Invalid('The settings of this repository name a filter that this service cannot switch off', 'git_failed')
  }
  return [...keys].map((key) => {
    if (key.endsWith('.required')) return `${key}=false`
    return key.startsWith('merge.') ? `${key}=false` : `${key}=` // as a merge program, nothing at all would count as success
  })
}

async function execute (folder: string, settings: string[], args: string[], options: GitOptions): Promise<GitOutcome> {
  const argv = ['--no-pager', ...[...safeSettings, ...settings].flatMap((setting) => ['-c', setting]), ...args]
  try {
    return await collect(folder, argv, options)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && 'syscall' in error)) throw error
    const isFolder = await stat(folder).then((found) => found.isDirectory(), () => false)
    if (!isFolder) throw new Invalid('The folder does not exist or cannot be opened', 'not_a_repo')
    if (error.code === 'ENOENT') throw new Unavailable('git is not installed where this service runs', 'missing_git')
    throw new Unavailable(`git could not be started (${String(error.code)})`, 'git_failed')
  }
}

/** Rejects with the system's error when the program cannot be started. */
async function collect (folder: string, argv: string[], { timeoutMs = 5_000, maxOutputBytes = 8 * 1024 * 1024, input }: GitOptions): Promise<GitOutcome> {
  if (argv.some((arg) => arg.includes('\0'))) throw new Invalid('A name or path must not contain a zero character', 'git_failed')
  const child = spawn('git', argv, { cwd: folder, env: environment(), detached: true, stdio: 'pipe' })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  const failures: DomainError[] = []
  let lastResort: NodeJS.Timeout | undefined
  const stop = (why: DomainError): void => {
    if (failures.push(why) > 1) return
    signalGroup(child.pid, 'SIGTERM')
    lastResort = setTimeout(() => {
      signalGroup(child.pid, 'SIGKILL')
      // Whoever has left the group may hold them open for ever.
      child.stdout.destroy()
      child.stderr.destroy()
    }, graceMs)
  }
  const limit = setTimeout(() => { stop(new Unavailable(`git took longer than ${timeoutMs / 1_000} s`, 'timeout')) }, timeoutMs)
  collectUpTo(child.stdout, stdout, maxOutputBytes, () => { stop(new TooLarge('git has more to say than this service takes', 'too_large')) })
  collectUpTo(child.stderr, stderr, maxErrorBytes, () => {})
  child.stdin.on('error', () => {}) // git need not read all of it
  child.stdin.end(input)

  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    const [failure] = failures
    if (failure !== undefined) {
      signalGroup(child.pid, 'SIGKILL')
      throw failure
    }
    if (exitCode === null) throw new Unavailable('git was stopped from outside', 'git_failed')
    return { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr).toString(), exitCode }
  } finally {
    clearTimeout(limit)
    clearTimeout(lastResort)
  }
}

function collectUpTo (stream: NodeJS.ReadableStream, chunks: Buffer[], maxBytes: number, onMore: () => void): void {
  let sizeBytes = 0
  stream.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes <= maxBytes) chunks.push(chunk)
    else onMore()
  })
}

function signalGroup (pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {} // it has ended
}

/** Nothing of the service's own environment but what finds the programs and the user's settings. */
function environment (): Record<string, string> {
  const { PATH = '', HOME = '/', XDG_CONFIG_HOME } = process.env
  // A relative entry would look for git in the repository.
  const places = PATH.split(delimiter).filter(isAbsolute)
  return {
    PATH: places.length === 0 ? '/usr/local/bin:/usr/bin:/bin' : places.join(delimiter),
    HOME,
    ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
    LANG: 'C.UTF-8', // refusal reads what git says
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '', // none, whatever core.askPass says
    GIT_EDITOR: ':', // git knows it and runs nothing
    GIT_SEQUENCE_EDITOR: ':',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes', // whatever core.sshCommand says
    // No transport at all: an object that a partial clone lacks would be fetched by programs that its settings name.
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1'
  }
}

function isLocked ({ stderr }: Pick<GitOutcome, 'stderr'>): boolean {
  return /\.lock': File exists|could not lock|Another git process/.test(stderr)
}

function refusal ({ stderr, exitCode }: GitOutcome, folder: string): DomainError {
  if (/not a git repository|must be run in a work tree|cannot use bare repository/.test(stderr)) return new Invalid('The folder is not in a git work tree', 'not_a_repo')
  if (stderr.includes('dubious ownership')) return new Forbidden('The repository belongs to another user; git opens it only when its setting safe.directory names it', 'git_failed')
  if (isLocked({ stderr })) return new Conflict('Another git operation is going on in this repository', 'operation_in_progress')
  const reason = /^(?:fatal|error): (.*)/m.exec(stderr.replaceAll(folder, '.'))?.[1] ?? `exit code ${exitCode}`
  const message = `git refused: ${withoutPaths(reason)}`
  return reason.includes('already exists') ? new Conflict(message, 'conflict') : new Invalid(message, 'git_failed')
}

/** Absolute paths are nobody's business; their last part tells enough. */
function withoutPaths (text: string): string {
  return text
    .replace(/'\/[^']*?([^/']*)\/?'/g, "'$1'")
    .replace(/(?<![\w.'"/-])\/\S*?([^\s/]*)(?=\/?(?:\s|$))/g, '$1')
}

function isOneOf (list: readonly string[], command: string): boolean {
  return list.includes(command)
}
