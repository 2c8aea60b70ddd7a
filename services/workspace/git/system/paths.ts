import { lstat } from 'node:fs/promises'
import { isAbsolute, join, posix, relative } from 'node:path'
import { within } from '../../../ground/files/containment.js'
import { Invalid } from '../../../ground/errors.js'
import { type Repository } from './repository.js'

/** Paths of chosen files and folders in the work tree. The work tree itself is the empty path. */
export type ChosenPaths = ReadonlySet<string>

/**
 * Converts a client's paths, which are absolute or relative to the folder, into paths in the work tree. They need not exist. Throws Invalid
 * for an empty list, and for paths outside of the folder or behind a symlink (`path_outside_workspace`).
 */
export async function chosenOf (repository: Repository, paths: readonly string[]): Promise<ChosenPaths> {
  if (paths.length === 0) throw new Invalid('Name at least one file')
  const chosen = new Set(paths.map((path) => treePath(repository, path)))
  await refuseLinks(repository, chosen)
  return chosen
}

/** Like chosenOf, for one file. */
export async function fileOf (repository: Repository, path: string): Promise<string> {
  const file = treePath(repository, path)
  await refuseLinks(repository, [file])
  return file
}

/** Whether a file is chosen, itself or with a folder that contains it. */
export function isChosen (chosen: ChosenPaths, file: string): boolean {
  if (chosen.has('') || chosen.has(file)) return true
  for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) if (chosen.has(file.slice(0, end))) return true
  return false
}

/**
 * Throws Invalid (`path_outside_workspace`) if one of the folders that contain the files is a symlink, because its contents
 * are somewhere else.
 */
export async function refuseLinks ({ top, folder }: Repository, files: Iterable<string>): Promise<void> {
  const seen = new Set<string>()
  for (const file of files) {
    for (let end = file.indexOf('/'); end !== -1; end = file.indexOf('/', end + 1)) {
      const parent = join(top, file.slice(0, end))
      if (seen.has(parent) || !within(folder, parent) || parent === folder) continue
      seen.add(parent)
      if ((await lstat(parent).catch(() => null))?.isSymbolicLink() === true) throw outside('The path leads through a symbolic link')
    }
  }
}

/** Whether refuseLinks would refuse the file. */
export async function isBehindLink (repository: Repository, file: string): Promise<boolean> {
  return await refuseLinks(repository, [file]).then(() => false, () => true)
}

/** Formats paths for standard input, each ended by a null character. The work tree itself is `.`. */
export function pathList (files: Iterable<string>): string {
  return [...files].map((file) => `${file === '' ? '.' : file}\0`).join('')
}

/** Options that make a command read its paths from standard input, for many paths. */
export const fromInput = ['--pathspec-from-file=-', '--pathspec-file-nul'] as const

function treePath (repository: Repository, path: string): string {
  if (path === '') throw new Invalid('A path must not be empty')
  if (path.includes('\0')) throw new Invalid('A path must not contain a null character')
  const plain = posix.normalize(isAbsolute(path) ? relative(repository.folder, path) || '.' : path).replace(/\/+$/, '')
  if (plain === '..' || plain.startsWith('../') || isAbsolute(plain)) throw outside('The path is not in the workspace')
  if (plain.split('/').some((part) => part.toLowerCase() === '.git')) throw outside('The path belongs to git')
  return plain === '.' || plain === '' ? repository.prefix.slice(0, -1) : repository.prefix + plain
}

function outside (message: string): Invalid {
  return new Invalid(message, 'path_outside_workspace')
}
