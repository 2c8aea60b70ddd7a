import { mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Workers } from '../../ground/workers/index.js'
import { type DomainRules, type RuledWalk } from './domain-rules.js'
import { SnapshotFailed } from './failures.js'
import { type Domain, patternsFor } from './ignore-rules.js'
import { digest, nameList, namesOf, readable } from './names.js'
import { type GitCall } from './plumbing.js'
import { type Repository } from './repository.js'
import { trackedFiles } from './tracked-files.js'

/** The contents of one domain of a workspace. */
export interface DomainTree { domain: Domain, tree: string, count: number, leftOut: string[] }

export interface IndexedDomain extends DomainTree {
  /** Repositories in it, each a domain of its own: paths relative to `top`. */
  repositories: string[]
  /** Bytes of new and changed files, which are not stored yet. */
  addedBytes: number
}

/** How much more a snapshot may contain. */
export interface Room { files: number, newBytes: number }

type Run = (args: string[], more?: Partial<GitCall>) => Promise<Buffer>

export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const packedFrom = 100
/** How many single files may be unreadable before the cause must be something else. */
const mostRefusals = 100

/** Keeps an index for each domain, in this process's own folder, so that the next snapshot costs only a walk. */
export class DomainIndexes {
  /** Trees of the current indexes, by the domain's key. */
  readonly #known = new Map<string, Pick<DomainTree, 'tree' | 'count'>>()

  constructor (private readonly options: { repository: Repository, workers: Workers, rules: DomainRules }) {}

  /** Updates the index of a domain and returns its tree. Rejects with SnapshotFailed. */
  async update (walk: RuledWalk, room: Room): Promise<IndexedDomain> {
    const { repository: { plumbing }, workers, rules } = this.options
    const { domain, closed, signal } = walk
    const { top, prefix, at } = domain
    await this.#refuseGone(top)
    const run = this.#runner(walk, await rules.write(walk))
    const skipped = patternsFor(top, closed).flatMap((pattern) => ['--exclude', pattern])
    const listed = [
      'ls-files', '-t', '-z', '--cached', '--others', '--exclude-standard', ...skipped, ...(prefix === '' ? [] : ['--', prefix])
    ]
    const [listing, changes, tracked] = await Promise.all([
      run(listed),
      run(['diff-files', '-z', '--name-status', '--no-renames']),
      trackedFiles(plumbing, domain, signal)
    ])
    const {
      count, removed, added, addedBytes, repositories, leftOut
    } = await workers.run('findIndexChanges', { top, listing, changes, closed, tracked, maxFileBytes: plumbing.limits.fileBytes })
    if (count > room.files) throw plumbing.failed('too_many_files')
    if (addedBytes > room.newBytes) throw plumbing.failed('too_large')
    const key = keyOf(domain)
    let tree = this.#known.get(key)
    if (tree === undefined || removed.length > 0 || added.length > 0) {
      this.#known.delete(key)
      const refused = await apply(run, { removed, added })
      leftOut.push(...refused.map(readable))
      tree = { tree: await treeOf(run, prefix, count), count: count - refused.length }
      // Checked again, because a symlink may have replaced the folder while it was read.
      await this.#refuseGone(top)
      this.#known.set(key, tree)
    }
    return { domain, ...tree, leftOut: leftOut.map((name) => join(at, name.slice(prefix.length))), repositories, addedBytes }
  }

  /** Removes the indexes of repositories that no longer exist, and returns their keys. */
  async forgetOthers (present: readonly Domain[]): Promise<string[]> {
    const { own } = this.options.repository
    const keys = new Set(present.map(keyOf))
    const stale = (await readdir(own)).filter((name) => name.endsWith('.index')).map((name) =>
      name.slice(0, -'.index'.length)).filter((key) => !keys.has(key))
    for (const key of stale) {
      this.#known.delete(key)
      await rm(join(own, `${key}.index`), { force: true })
    }
    return stale
  }

  /** Removes all indexes, for example because one cannot be read any more. */
  async forget (): Promise<void> {
    const { own } = this.options.repository
    this.#known.clear()
    await rm(own, { recursive: true, force: true })
    await mkdir(own, { recursive: true })
  }

  #runner ({ domain, signal }: RuledWalk, excludesFile: string): Run {
    const { repository } = this.options
    const indexFile = join(repository.own, `${keyOf(domain)}.index`)
    return async (args, more = {}) => await repository.git(args, signal, { workTree: domain.top, indexFile, excludesFile, ...more })
  }

  async #refuseGone (top: string): Promise<void> {
    if (await realpath(top).catch(() => null) !== top) throw this.options.repository.plumbing.failed('gone')
  }
}

/** Returns a key for a domain, unique in its workspace. */
export function keyOf ({ top, prefix }: Domain): string {
  return digest(`${top}\0${prefix}`)
}

/** Changes an index. Returns the files that cannot be read, which are not in it. */
async function apply (run: Run, { removed, added }: { removed: Uint8Array, added: readonly Uint8Array[] }): Promise<string[]> {
  if (removed.length > 0) await run(['update-index', '--force-remove', '-z', '--stdin'], { input: removed })
  const refused: string[] = []
  for (const portion of added) await add(run, portion, refused)
  if (refused.length > 0) await run(['update-index', '--force-remove', '-z', '--stdin'], { input: nameList(refused) })
  return refused
}

/** Adds a portion. If it fails, halves it until the unreadable files are isolated, and continues without them. */
async function add (run: Run, portion: Uint8Array, refused: string[]): Promise<void> {
  // Many files are written into one pack, which is several times as fast as one object file for each.
  const packed = portion.filter((byte) => byte === 0).length >= packedFrom ? ['-c', 'core.bigFileThreshold=1'] : []
  try {
    await run([...packed, 'update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input: portion })
  } catch (error) {
    if (!(error instanceof SnapshotFailed) || error.kind !== 'failed' || refused.length >= mostRefusals) throw error
    const names = namesOf(portion)
    if (names.length === 1) {
      refused.push(...names)
      return
    }
    const middle = Math.ceil(names.length / 2)
    for (const half of [names.slice(0, middle), names.slice(middle)]) await add(run, nameList(half), refused)
  }
}

async function treeOf (run: Run, prefix: string, count: number): Promise<string> {
  if (count === 0) return emptyTree
  return (await run(['write-tree', ...(prefix === '' ? [] : [`--prefix=${prefix}`])])).toString().trim()
}
