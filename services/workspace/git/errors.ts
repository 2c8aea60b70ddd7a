import { Conflict, Forbidden, Invalid, toldFailure, type DomainError } from '../../ground/errors.js'

/** The output and exit code of a git that ended with an error. */
export interface GitFailure { stderr: string, exitCode: number }

export const notARepository = (): Invalid => new Invalid('The folder is not in a git work tree', 'not_a_repo')

export const othersRepository = (): Forbidden =>
  new Forbidden('The repository belongs to another user; git opens it only if safe.directory names it', 'git_failed')

export const otherOperation = (): Conflict => new Conflict('Another git operation is running in this repository', 'operation_in_progress')

/** Returns null if `work` fails because the folder is in no repository. */
export async function unlessNoRepository<T> (work: Promise<T>): Promise<T | null> {
  return await work.catch((error: unknown) => {
    if (error instanceof Invalid && error.code === 'not_a_repo') return null
    throw error
  })
}

/** Whether another git process is working on the same files, so that a retry may succeed. */
export function isLocked ({ stderr }: Pick<GitFailure, 'stderr'>): boolean {
  // The last one: a branch moved between being read and being written, and git has done nothing.
  return /\.lock': File exists|could not lock|Another git process|cannot lock ref '[^']*': is at [0-9a-f]+ but expected/.test(stderr)
}

/** Converts git's error into one of the interface's errors, without absolute paths. */
export function refusal ({ stderr, exitCode }: GitFailure, folder: string): DomainError {
  const full = noRoomIn(stderr)
  if (full !== null) return full
  if (/not a git repository|must be run in a work tree|cannot use bare repository/.test(stderr)) {
    return notARepository()
  }
  if (stderr.includes('dubious ownership')) return othersRepository()
  if (isLocked({ stderr })) return otherOperation()
  if (/Please tell me who you are|empty ident name|auto-detection is disabled/.test(stderr)) {
    return new Invalid(
      'git does not know the author of commits. Set user.name and user.email, as with `git config --global user.email you@example.com`',
      'identity_missing'
    )
  }
  if (/would be overwritten by (?:checkout|merge)|would be removed by checkout|would lose untracked files/.test(stderr)) {
    return new Conflict('Uncommitted changes are in the way. Commit, stash or discard them first', 'dirty_worktree')
  }
  const reason = /^(?:fatal|error): (.*)/m.exec(stderr.replaceAll(folder, '.'))?.[1] ?? (firstLine(stderr) || `exit code ${exitCode}`)
  const message = `git refused: ${withoutPaths(reason)}`
  return reason.includes('already exists') ? new Conflict(message, 'conflict') : new Invalid(message, 'git_failed')
}

/** Returns Unavailable (`disk_full`) if git found no room on this machine; null for anything else. */
export function noRoomIn (stderr: string): DomainError | null {
  // Git gives no reason when it cannot write a file, and there is hardly another. Lines of the remote are about the remote's disk.
  return toldFailure(stderr.replaceAll(/^remote: .*$/gm, '').replaceAll(/^error: unable to write file .*$/gm, 'ENOSPC'))
}

function firstLine (text: string): string {
  return text.slice(0, 200).split('\n', 1)[0]?.trim() ?? ''
}

/** Shortens absolute paths to their last part: clients must not see paths of the server. */
export function withoutPaths (text: string): string {
  return text
    .replace(/'\/([^']*)'/g, (_, path: string) => `'${lastPart(path)}'`)
    .replace(/(?<![\w.'"/-])\/(\S*)/g, (_, path: string) => `${lastPart(path)}${path.endsWith('/') ? '/' : ''}`)
}

function lastPart (path: string): string {
  const whole = path.endsWith('/') ? path.slice(0, -1) : path
  return whole.slice(whole.lastIndexOf('/') + 1)
}
