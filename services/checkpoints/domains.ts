import { createHash } from 'node:crypto'
import { readdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Workers } from '../workers/index.js'
import { type Domain, domainAround, globalRules, patternsFor, repositoryRules } from './ignored.js'
import { SnapshotFailed } from './failures.js'
import { type GitCall, type Plumbing } from './plumbing.js'

export interface DomainsOptions {
  plumbing: Plumbing
  workers: Workers
  gitDir: string
  /** Folder for indexes and rules; this process's alone. */
  own: string
}

/** What one domain of a workspace holds. */
export interface DomainTree { domain: Domain, tree: string, count: number, leftOut: string[] }

export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const packedFrom = 100
/** So many files may fail to be read one by one before something else must be wrong. */
const mostRefusals = 100

/** Takes the trees of a workspace and of each repository in it. An index per domain makes the next time cost a walk and no more. */
export function createDomains ({ plumbing, workers, gitDir, own }: DomainsOptions) {
  const { git, limits } = plumbing
  /** Trees of the indexes as they stand, by the domain's key. */
  const known = new Map<string, { tree: string, count: number }>()

  /** The trees of a workspace, its own first. */
  async function take (workspace: string, closed: readonly string[], signal: AbortSignal): Promise<DomainTree[]> {
    const rules = await globalRules(plumbing, gitDir, signal)
    const taken: DomainTree[] = []
    const waiting = [await outermost(workspace, rules, signal)]
    let files = 0
    let newBytes = 0
    for (let domain = waiting.shift(); domain !== undefined; domain = waiting.shift()) {
      if (taken.length >= limits.repositories) throw plumbing.failed('too_many_repositories')
      const { repositories, addedBytes, ...tree } = await takeOne(domain, { rules, closed, signal, files: limits.files - files, newBytes: limits.newBytes - newBytes })
      files += tree.count
      newBytes += addedBytes
      const inside = repositories.map((path) => path.slice(domain.prefix.length))
      waiting.push(...inside.map((path) => ({ top: join(domain.top, domain.prefix, path), prefix: '', at: join(domain.at, path) })))
      taken.push(tree)
    }
    return taken
  }

  /** A workspace that the repository around it ignores follows its own rules. */
  async function outermost (workspace: string, rules: string, signal: AbortSignal): Promise<Domain> {
    const around = await domainAround(workspace)
    if (around.prefix === '') return around
    const ignored = await ask(around, { rules, signal }, [bytesAsText(around.prefix)])
    return ignored.length > 0 ? { top: workspace, prefix: '', at: '' } : around
  }

  async function takeOne (domain: Domain, { rules, closed, signal, files, newBytes }: { rules: string, closed: readonly string[], signal: AbortSignal, files: number, newBytes: number }) {
    const { top, prefix } = domain
    if (await realpath(top).catch(() => null) !== top) throw plumbing.failed('gone')
    const key = keyOf(domain)
    const indexFile = indexOf(domain)
    const excludesFile = await writeRules(domain, rules)
    const run = async (args: string[], more: Partial<GitCall> = {}): Promise<Buffer> => (await git({ gitDir, args, signal, workTree: top, indexFile, excludesFile, ...more })).stdout
    const skipped = patternsFor(top, closed).flatMap((pattern) => ['--exclude', pattern])
    const [listing, changes] = await Promise.all([
      run(['ls-files', '-t', '-z', '--cached', '--others', '--exclude-standard', ...skipped, ...(prefix === '' ? [] : ['--', prefix])]),
      run(['diff-files', '-z', '--name-status', '--no-renames'])
    ])
    const { count, removed, added, addedBytes, repositories, leftOut } = await workers.run('siftChanges', { top, listing, changes, closed, maxFileBytes: limits.fileBytes })
    if (count > files) throw plumbing.failed('too_many_files')
    if (addedBytes > newBytes) throw plumbing.failed('too_large')
    let tree = known.get(key)
    if (tree === undefined || removed.length > 0 || added.length > 0) {
      known.delete(key)
      if (removed.length > 0) await run(['update-index', '--force-remove', '-z', '--stdin'], { input: removed })
      const refused: string[] = []
      for (const portion of added) await add(run, portion, refused)
      if (refused.length > 0) await run(['update-index', '--force-remove', '-z', '--stdin'], { input: nameList(refused) })
      leftOut.push(...refused.map((name) => Buffer.from(name, 'latin1').toString()))
      tree = { tree: await treeOf(run, prefix, count), count: count - refused.length }
      // What was read must have been this folder's: it may have been swapped for a symlink.
      if (await realpath(top).catch(() => null) !== top) throw plumbing.failed('gone')
      known.set(key, tree)
    }
    return { domain, ...tree, leftOut: leftOut.map((name) => join(domain.at, name.slice(prefix.length))), repositories, addedBytes }
  }

  /** Adds a portion; halves it until the files that cannot be read stand alone, and goes on without them. */
  async function add (run: (args: string[], more: Partial<GitCall>) => Promise<Buffer>, portion: Uint8Array, refused: string[]): Promise<void> {
    // Many files go into one pack, which is several times as fast as a file for each.
    const packed = portion.filter((byte) => byte === 0).length >= packedFrom ? ['-c', 'core.bigFileThreshold=1'] : []
    try {
      await run([...packed, 'update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { input: portion })
    } catch (error) {
      if (!(error instanceof SnapshotFailed) || error.kind !== 'failed' || refused.length >= mostRefusals) throw error
      const names = Buffer.from(portion).toString('latin1').split('\0').slice(0, -1)
      if (names.length === 1) {
        refused.push(...names)
        return
      }
      const middle = Math.ceil(names.length / 2)
      for (const half of [names.slice(0, middle), names.slice(middle)]) await add(run, nameList(half), refused)
    }
  }

  async function treeOf (run: (args: string[]) => Promise<Buffer>, prefix: string, count: number): Promise<string> {
    if (count === 0) return emptyTree
    return (await run(['write-tree', ...(prefix === '' ? [] : [`--prefix=${prefix}`])])).toString().trim()
  }

  /** Which of these paths (Latin-1) are ignored, whether or not they are in an index. */
  async function ask (domain: Domain, { rules, signal }: { rules: string, signal: AbortSignal }, paths: readonly string[]): Promise<string[]> {
    const { stdout } = await git({
      gitDir,
      args: ['check-ignore', '-z', '--no-index', '--stdin'],
      signal,
      workTree: domain.top,
      indexFile: join(own, 'none.index'),
      excludesFile: await writeRules(domain, rules),
      magic: true,
      // What begins with a dot has no magic.
      input: nameList(paths.map((path) => `./${path}`)),
      exitCodes: [0, 1]
    })
    return stdout.toString('latin1').split('\0').slice(0, -1).map((path) => path.slice(2))
  }

  /** The rules that stand in no folder of the domain, in a file of ours. */
  async function writeRules ({ top }: Domain, rules: string): Promise<string> {
    const file = join(own, `${digest(top)}.rules`)
    await writeFile(`${file}.new`, `${rules}\n${await repositoryRules(top)}\n`, 'latin1')
    await rename(`${file}.new`, file)
    return file
  }

  return {
    take,

    /** Those of a workspace's paths (Latin-1, relative to it) that its rules ignore as they are now. */
    async ignored (workspace: string, paths: readonly string[], signal: AbortSignal): Promise<Set<string>> {
      if (paths.length === 0) return new Set()
      const rules = await globalRules(plumbing, gitDir, signal)
      const domain = await outermost(workspace, rules, signal)
      const prefix = bytesAsText(domain.prefix)
      const found = await ask(domain, { rules, signal }, paths.map((path) => prefix + path))
      return new Set(found.map((path) => path.slice(prefix.length)))
    },

    keyOf,

    /** Removes the indexes of repositories that are not there any more; answers their keys. */
    async forgetOthers (present: readonly Domain[]): Promise<string[]> {
      const keys = new Set(present.map(keyOf))
      const stale = (await readdir(own)).filter((name) => name.endsWith('.index')).map((name) => name.slice(0, -'.index'.length)).filter((key) => !keys.has(key))
      for (const key of stale) {
        known.delete(key)
        await rm(join(own, `${key}.index`), { force: true })
      }
      return stale
    },

    /** Forgets an index, as after one that cannot be read any more. */
    async forget (): Promise<void> {
      known.clear()
      await rm(own, { recursive: true, force: true })
    }
  }

  function indexOf (domain: Domain): string {
    return join(own, `${keyOf(domain)}.index`)
  }
}

export type Domains = ReturnType<typeof createDomains>

function keyOf ({ top, prefix }: Domain): string {
  return digest(`${top}\0${prefix}`)
}

/** Names as they are held here: a character for each byte. */
const bytesAsText = (text: string): string => Buffer.from(text).toString('latin1')
export const nameList = (names: readonly string[]): Uint8Array => Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1')
const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24)
