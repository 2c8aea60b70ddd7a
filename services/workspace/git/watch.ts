import { type FSWatcher, watch } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setImmediate as nextRound } from 'node:timers/promises'
import { within } from '../../ground/files/containment.js'
import { codeOf } from '../../ground/errors.js'
import { tellsChanges } from '../place/local-systems.js'
import { gitText } from './run.js'
import { stampOf } from './stamps.js'
import { workTreeOf, type WorkTree } from './work-tree.js'

/** Detects changes of anything that git's view of a folder depends on. */
export interface TreeWatch {
  /** Returns a version that equals an earlier one if nothing has changed in between; null if that can no longer be determined. */
  version (): Promise<string | null>
  close (): void
}

const maxFolders = 2_000
/** How many added or removed names are checked one by one at most. */
const maxPending = 500
/** Git's files that do not matter: locks anywhere, `noise` only at the top of git's own folders, because a branch may have these names. */
const locks = /\.lock$/
const noise = /^(?:COMMIT_EDITMSG|ORIG_HEAD|gc\.log|gc\.pid|objects|logs)$/
const rules = /^\.git(?:ignore|attributes|modules)?$/

/**
 * Watches every folder that is not ignored, and git's own folders. Returns null where that is impossible or would miss changes: with too
 * many folders, on systems other than Linux, on network file systems, with nested repositories. Writes through a hard link in an
 * unwatched folder are not noticed.
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
    // Some folders may not be read, or are more than the system lets a process watch.
    if (error instanceof Error && 'syscall' in error) return null
    throw error
  }
  watched.close()
  return null
}

class WatchedTree implements TreeWatch {
  private readonly watchers = new Map<string, FSWatcher>()
  /** Names in watched folders that were added or removed: a new folder is not watched, so it ends this watch. */
  private pending = new Set<string>()
  private changes = 0
  private isBlind = false
  /** Stamp of the index by which the ignored folders contain no tracked file; null if no folder is ignored. */
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
    // Changes from before this call have been reported once the event loop has polled.
    await nextRound()
    if (this.pending.size > 0) await this.lookAtPending()
    if (this.isBlind) return null
    const { gitDir, commonDir } = this.tree
    const stamps = await Promise.all(
      [join(gitDir, 'index'), join(gitDir, 'HEAD'), join(commonDir, 'packed-refs')].map(async (path) => (await stampOf(path)).text)
    )
    // A file in an ignored folder can be added by force.
    if (this.passedOverBy !== null && this.passedOverBy !== stamps[0]) this.isBlind = true
    return this.isBlind ? null : `${this.changes} ${stamps.join(' ')}`
  }

  close (): void {
    this.isBlind = true
    for (const watcher of this.watchers.values()) watcher.close()
    this.watchers.clear()
  }

  /** Watches a folder and those in it. Each is watched before it is read, so that no change is missed in between. */
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

  /** Watches a folder above, where only git's rule files such as `.gitignore` matter. */
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
      // Git creates some of its folders only when it needs them, which is noticed in the parent folder.
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

/** Returns the folders that a rule ignores as a whole and that contain no tracked file. */
async function ignoredFolders (folder: string, top: string): Promise<Set<string>> {
  const entries = (await gitText(
    folder, ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--ignored=matching', '--', '.']
  )).split('\0')
  return new Set(entries.flatMap((entry) => entry.startsWith('!! ') && entry.endsWith('/') ? [join(top, entry.slice(3, -1))] : []))
}
