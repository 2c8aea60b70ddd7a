import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Invalid } from '../../../ground/errors.js'
import { ownEnvironment } from '../../../ground/process/environment.js'
import { stampOf } from '../stamps.js'
import { openRepository, type Repository } from './repository.js'

interface Opened {
  repository: Repository
  /** Everything that opening depends on, as it was before; null when that cannot be told. */
  stamp: string | null
}

const maxOpened = 100

/**
 * Opens repositories for looking at them. Two questions to git come before every other: what the work tree is, and which
 * programs its settings name. Their answers stand as long as no file of settings has changed since before they were
 * asked, and are asked for anew where that cannot be told from files alone: settings that include others, or stand in
 * places of their own; linked work trees; paths that cannot be a ceiling for git's search (see `look`).
 *
 * As with runGit, a process that writes settings just while a command starts is not kept out. Settings of the system in
 * an unusual place, where there were none before, are noticed with the next change of the others.
 */
export function createOpenings () {
  const opened = new Map<string, Opened>()

  async function open (folder: string): Promise<{ repository: Repository, isRemembered: boolean }> {
    const last = opened.get(folder)
    const stamp = last === undefined ? null : await dependenciesOf(last.repository)
    if (last !== undefined && stamp !== null && stamp === last.stamp) return { repository: last.repository, isRemembered: true }
    opened.delete(folder)
    const repository = await openRepository(folder)
    if (opened.size >= maxOpened) opened.clear()
    // What is looked at before opening follows from the last time, so that has to be the same place.
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
        // No longer a repository: there may be another one around it.
        if (!isRemembered || !(error instanceof Invalid && error.code === 'not_a_repo')) throw error
        opened.delete(folder)
        return await work((await open(folder)).repository)
      }
    }
  }
}

/** Git's own places for settings, in the order in which they are read. */
function settingsFiles ({ gitDir }: Repository): string[] {
  const { HOME = '/', XDG_CONFIG_HOME } = ownEnvironment()
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

/** Null while one of the files has been written so lately that a further change might not show. */
async function dependenciesOf (repository: Repository): Promise<string | null> {
  const files = settingsFiles(repository)
  const stamps = await Promise.all(files.map(async (path) => await stampOf(path)))
  if (stamps.some(({ isSettled }) => !isSettled)) return null
  const entries = await Promise.all(entriesOf(repository).map(async (path) =>
    await lstat(path).then(({ dev, ino, uid, mode }) => `${dev} ${ino} ${uid} ${mode}`, () => '-')))
  return [...files, ...stamps.map(({ text }) => text), ...entries].join('\n')
}

/** What may be a repository on the way up to the one that was found, which is the last. */
function entriesOf ({ folder, top }: Repository): string[] {
  const entries: string[] = []
  for (let place = folder; place.length > top.length; place = dirname(place)) entries.push(join(place, '.git'))
  return [...entries, join(top, '.git')]
}
