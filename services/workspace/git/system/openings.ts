import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Invalid } from '../../../ground/errors.js'
import { gitVariables } from '../environment.js'
import { stampOf } from '../stamps.js'
import { openRepository, type Repository } from './repository.js'

interface OpenRepository {
  repository: Repository
  /** The state, before opening, of everything that opening depends on; null if it cannot be determined. */
  stamp: string | null
}

const maxOpened = 100

/**
 * Opens repositories for reading, and caches the two answers that opening needs from git: what the work tree is, and which programs its
 * settings name. They are valid as long as no settings file has changed since before git was asked. They are not cached where files alone
 * cannot show a change: settings that include others or are in unusual places, linked work trees, and paths that cannot be a ceiling for
 * git's search (see `look`).
 *
 * As with runGit, a process that changes settings at the moment a command starts is not prevented. New system settings in an unusual place
 * are noticed only with the next change of the others.
 */
export function createOpenings () {
  const opened = new Map<string, OpenRepository>()

  async function open (folder: string): Promise<{ repository: Repository, isRemembered: boolean }> {
    const last = opened.get(folder)
    const stamp = last === undefined ? null : await dependenciesOf(last.repository)
    if (last !== undefined && stamp !== null && stamp === last.stamp) return { repository: last.repository, isRemembered: true }
    opened.delete(folder)
    const repository = await openRepository(folder)
    if (opened.size >= maxOpened) opened.clear()
    // The stamp was taken of the repository opened last time, so it counts only if this is the same one.
    const isSame = last !== undefined && last.repository.top === repository.top
    opened.set(folder, { repository, stamp: isSame && isPlain(repository) ? stamp : null })
    return { repository, isRemembered: false }
  }

  return {
    /** Runs `work`, which must change nothing. Throws what openRepository throws. */
    async looking<T> (folder: string, work: (repository: Repository) => Promise<T>): Promise<T> {
      const { repository, isRemembered } = await open(folder)
      try {
        return await work(repository)
      } catch (error) {
        // It is no longer a repository, but another one may surround it.
        if (!isRemembered || !(error instanceof Invalid && error.code === 'not_a_repo')) throw error
        opened.delete(folder)
        return await work((await open(folder)).repository)
      }
    }
  }
}

/** Returns git's usual settings files, in the order in which git reads them. */
function settingsFiles ({ gitDir }: Repository): string[] {
  const { HOME, XDG_CONFIG_HOME } = gitVariables()
  const own = XDG_CONFIG_HOME === undefined || XDG_CONFIG_HOME === '' ? `${HOME}/.config` : XDG_CONFIG_HOME
  return ['/etc/gitconfig', `${own}/git/config`, `${HOME}/.gitconfig`, join(gitDir, 'config'), join(gitDir, 'config.worktree')]
}

function isPlain (repository: Repository): boolean {
  const { top, gitDir, commonDir, off } = repository
  if (gitDir !== commonDir || gitDir !== join(top, '.git') || top.includes(':') || off.includesOthers) return false
  const places = new Set([
    'command line:', 'file:.git/config', 'file:.git/config.worktree', ...settingsFiles(repository).map((path) => `file:${path}`)
  ])
  return [...off.origins].every((origin) => places.has(origin))
}

/** Returns null if one of the files was written so recently that a further change might not show. */
async function dependenciesOf (repository: Repository): Promise<string | null> {
  const files = settingsFiles(repository)
  const stamps = await Promise.all(files.map(async (path) => await stampOf(path)))
  if (stamps.some(({ isSettled }) => !isSettled)) return null
  const entries = await Promise.all(entriesOf(repository).map(async (path) =>
    await lstat(path).then(({ dev, ino, uid, mode }) => `${dev} ${ino} ${uid} ${mode}`, () => '-')))
  return [...files, ...stamps.map(({ text }) => text), ...entries].join('\n')
}

/** Returns the paths that could be a repository, from the folder up to the one that was found, which is the last. */
function entriesOf ({ folder, top }: Repository): string[] {
  const entries: string[] = []
  for (let place = folder; place.length > top.length; place = dirname(place)) entries.push(join(place, '.git'))
  return [...entries, join(top, '.git')]
}
