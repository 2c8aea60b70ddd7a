import { type FSWatcher, watch } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as nextRound } from 'node:timers/promises'
import { within } from '../../ground/containment.js'
import { codeOf } from '../../ground/errors.js'
import { tellsChanges } from '../place/local-systems.js'
import { gitText } from './run.js'
import { stampOf } from './stamps.js'
import { workTreeOf, type WorkTree } from './work-tree.js'

/** Tells whether anything has changed that git's view of a folder depends on. */
export interface TreeWatch {
  /** Equal to an earlier one when nothing has changed in between; null when that can no longer be told. */
  version (): Promise<string | null>
  close (): void
}

const maxFolders = 2_000
/** Of names that came or went, so many are looked at one by one. */
const maxPending = 500
/** What git writes beside what counts: anywhere, and at the top of its own folders, as a branch may have any of these names. */
const locks = /\.lock$/
const noise = /^(?:COMMIT_EDITMSG|ORIG_HEAD|gc\.log|gc\.pid|objects|logs)$/
const rules = /^\.git(?:ignore|attributes|modules)?$/

/**
 * Watches every folder that is not ignored, and git's own ones. Null where that is not possible or would not show
 * everything: too many folders, other systems than Linux, network file systems, repositories inside of the repository.
 * What is written to a file under another of its names (a hard link) in an unwatched folder does not show.
 */
export async function watchTree (folder: string): Promise<TreeWatch | null> {
  if (process.platform !== 'linux') return null
  const tree = await workTreeOf(folder)
  for (const place of [folder, tree.commonDir]) if (!await tellsChanges(place)) return null
  const watched = new WatchedTree(folder, tree)
  try {
    if (await watched.open()) return watched
  } catch (error) {
    watched.close()
    // Folders that may not be read, or more than the system lets one process watch.
    if (error instanceof Error && 'syscall' in error) return null
    throw error
  }
  watched.close()
  return null
}

class WatchedTree implements TreeWatch {
  private readonly watchers = new Map<string, FSWatcher>()
  /** Names in watched folders that came or went: new folders have to be watched as well. */
  private pending = new Set<string>()
  private changes = 0
  private isBlind = false
  /** Stamp of the index by which folders were found to hold nothing that is tracked; null when there are none. */
  private passedOverBy: string | null = null

  constructor (private readonly folder: string, private readonly tree: WorkTree) {}

  async open (): Promise<boolean> {
    const { top, gitDir, commonDir } = this.tree
    for (const place of new Set([gitDir, commonDir, join(commonDir, 'info')])) this.watchGit(place)
    for (const place of ['refs/heads', 'refs/remotes', 'reftable']) if (!await this.walkRefs(join(commonDir, place))) return false
    if ((await readdir(top)).includes('.gitmodules')) return false
    for (let place = this.folder; within(top, dirname(place)); place = dirname(place)) this.watchRules(dirname(place))
    const index = (await stampOf(join(gitDir, 'index'))).text
    const ignored = await ignoredFolders(this.folder, top)
    if (ignored.size > 0) this.passedOverBy = index
    return await this.walk(this.folder, ignored) && !this.isBlind
  }

  async version (): Promise<string | null> {
    // What had happened before the question was asked has been reported once the event loop has polled.
    await nextRound()
    if (this.pending.size > 0) await this.lookAtPending()
    if (this.isBlind) return null
    const { gitDir, commonDir } = this.tree
    const stamps = await Promise.all(
      [join(gitDir, 'index'), join(gitDir, 'HEAD'), join(commonDir, 'packed-refs')].map(async (path) => (await stampOf(path)).text)
    )
    // A file in a folder that is ignored can be added by force.
    if (this.passedOverBy !== null && this.passedOverBy !== stamps[0]) this.isBlind = true
    return this.isBlind ? null : `${this.changes} ${stamps.join(' ')}`
  }

  close (): void {
    this.isBlind = true
    for (const watcher of this.watchers.values()) watcher.close()
    this.watchers.clear()
  }

  /** A folder is watched before it is read, so that nothing gets in between. */
  private async walk (place: string, ignored: ReadonlySet<string>): Promise<boolean> {
    const places = [place]
    for (let next = places.pop(); next !== undefined; next = places.pop()) {
      if (this.watchers.size >= maxFolders) return false
      const here = next
      this.observe(here, (event, name) => {
        this.changes++
        if (name === null || rules.test(name)) this.isBlind = true
        else if (event === 'rename') this.noticed(join(here, name))
      })
      for (const entry of await readdir(here, { withFileTypes: true })) {
        if (entry.name === '.git') {
          if (here !== this.tree.top) return false
        } else if (entry.isDirectory() && !ignored.has(join(here, entry.name))) places.push(join(here, entry.name))
      }
    }
    return true
  }

  private async walkRefs (place: string): Promise<boolean> {
    const entries = await readdir(place, { withFileTypes: true }).catch(() => null)
    if (entries === null) return true
    this.watchGit(place)
    for (const entry of await readdir(place, { withFileTypes: true })) {
      if (this.watchers.size >= maxFolders) return false
      if (entry.isDirectory() && !await this.walkRefs(join(place, entry.name))) return false
    }
    return true
  }

  private watchGit (place: string): void {
    const isTop = place === this.tree.gitDir || place === this.tree.commonDir
    this.observe(place, (event, name) => {
      if (name !== null && (locks.test(name) || (isTop && noise.test(name)))) return
      this.changes++
      if (name === null || name === 'config' || name === 'config.worktree' || name === 'exclude') this.isBlind = true
      else if (event === 'rename') this.noticed(join(place, name))
    })
  }

  /** Folders above, where only the files count that say what is ignored. */
  private watchRules (place: string): void {
    this.observe(place, (event, name) => {
      if (name === null || rules.test(name)) this.isBlind = true
    })
  }

  private observe (place: string, listener: (event: string, name: string | null) => void): void {
    if (this.watchers.has(place)) return
    try {
      const watcher = watch(place, { persistent: false }, listener)
      watcher.on('error', () => { this.isBlind = true })
      this.watchers.set(place, watcher)
    } catch (error) {
      // Git makes some of its folders only when it needs them, and that is noticed in the one above.
      if (codeOf(error) !== 'ENOENT' || !within(this.tree.commonDir, place)) throw error
    }
  }

  private noticed (path: string): void {
    if (this.watchers.has(path) || this.pending.size >= maxPending) this.isBlind = true
    else this.pending.add(path)
  }

  private async lookAtPending (): Promise<void> {
    const paths = this.pending
    this.pending = new Set()
    const found = await Promise.all([...paths].map(async (path) => await lstat(path).then((stats) => stats.isDirectory(), () => false)))
    if (found.includes(true)) this.isBlind = true
  }
}

/** Folders that match a rule as a whole and hold nothing that is tracked. */
async function ignoredFolders (folder: string, top: string): Promise<Set<string>> {
  const entries = (await gitText(
    folder, ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--ignored=matching', '--', '.']
  )).split('\0')
  return new Set(entries.flatMap((entry) => entry.startsWith('!! ') && entry.endsWith('/') ? [join(top, entry.slice(3, -1))] : []))
}
