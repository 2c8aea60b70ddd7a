import { createHash } from 'node:crypto'
import { lstat, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { within } from '../../ground/containment.js'
import { type Workers } from '../../ground/workers/index.js'
import { type Domain, domainAround, globalRules, patternsFor, repositoryRules } from './ignored.js'
import { SnapshotFailed } from './failures.js'
import { type GitCall, type Plumbing } from './plumbing.js'
import { trackedFiles } from './tracked.js'

export interface DomainsOptions {
  plumbing: Plumbing
  workers: Workers
  gitDir: string
  /** Folder for indexes and rules; this process's alone. */
  own: string
}

/** What is needed to walk: rules of all repositories, places (absolute) to stay out of. */
interface Asking { rules: string, closed: readonly string[], signal: AbortSignal }

/** What one domain of a workspace holds. */
export interface DomainTree { domain: Domain, tree: string, count: number, leftOut: string[] }

export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const packedFrom = 100
/** A walk that takes longer may have come upon a pipe. */
const suspiciousMs = 1_000
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
    const waiting = [await outermost(workspace, { rules, closed, signal })]
    let files = 0
    let newBytes = 0
    for (let domain = waiting.shift(); domain !== undefined; domain = waiting.shift()) {
      if (taken.length >= limits.repositories) throw plumbing.failed('too_many_repositories')
      const { repositories, addedBytes, ...tree } = await walking(domain, { closed, signal }, async (signal) => await takeOne(domain, { rules, closed, signal, files: limits.files - files, newBytes: limits.newBytes - newBytes }))
      files += tree.count
      newBytes += addedBytes
      const inside = repositories.map((path) => path.slice(domain.prefix.length))
      waiting.push(...inside.map((path) => ({ top: join(domain.top, domain.prefix, path), prefix: '', at: join(domain.at, path) })))
      taken.push(tree)
    }
    return taken
  }

  /** A workspace that the repository around it ignores follows its own rules. */
  async function outermost (workspace: string, asking: Asking): Promise<Domain> {
    const around = await domainAround(workspace)
    if (around.prefix === '') return around
    const ignored = await ask(around, asking, [bytesAsText(around.prefix)])
    return ignored.length > 0 ? { top: workspace, prefix: '', at: '' } : around
  }

  async function takeOne (domain: Domain, { rules, closed, signal, files, newBytes }: Asking & { files: number, newBytes: number }) {
    const { top, prefix } = domain
    if (await realpath(top).catch(() => null) !== top) throw plumbing.failed('gone')
    const key = keyOf(domain)
    const indexFile = indexOf(domain)
    const excludesFile = await writeRules(domain, rules)
    const run = async (args: string[], more: Partial<GitCall> = {}): Promise<Buffer> => (await git({ gitDir, args, signal, workTree: top, indexFile, excludesFile, ...more })).stdout
    const skipped = patternsFor(top, closed).flatMap((pattern) => ['--exclude', pattern])
    const listed = ['ls-files', '-t', '-z', '--cached', '--others', '--exclude-standard', ...skipped, ...(prefix === '' ? [] : ['--', prefix])]
    const [listing, changes, tracked] = await Promise.all([
      run(listed),
      run(['diff-files', '-z', '--name-status', '--no-renames']),
      trackedFiles(plumbing, domain, signal)
    ])
    const { count, removed, added, addedBytes, repositories, leftOut } = await workers.run('siftChanges', { top, listing, changes, closed, tracked, maxFileBytes: limits.fileBytes })
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

  /**
   * Lets git walk through a domain, unless it would open a pipe there and wait for ever. The folders on the way to the
   * workspace are looked at before; all the others only when git takes long, as this is a walk too.
   */
  async function walking<T> ({ top, prefix, at }: Domain, { closed, signal: outer }: Omit<Asking, 'rules'>, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const start = join(top, prefix, '.')
    const refused = (path: string): SnapshotFailed => plumbing.failed('blocked', within(start, path) ? join(at, relative(start, path)) : basename(path))
    for (let folder = start; ; folder = dirname(folder)) {
      for (const name of ['.gitignore', '.gitattributes']) {
        const entry = await lstat(join(folder, name)).catch(() => null)
        if (entry !== null && !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink()) throw refused(join(folder, name))
      }
      if (folder.length <= top.length) break
    }
    const blocked = new AbortController()
    const timer = setTimeout(() => {
      workers.run('findSpecial', { top: start, closed }).then((found) => {
        if (found !== null) blocked.abort(refused(found))
      }, () => {}) // then the time limit ends it
    }, suspiciousMs)
    try {
      return await work(AbortSignal.any([outer, blocked.signal]))
    } finally {
      clearTimeout(timer)
    }
  }

  /** Which of these paths (Latin-1) are ignored, whether or not they are in an index. */
  async function ask (domain: Domain, { rules, closed, signal: outer }: Asking, paths: readonly string[]): Promise<string[]> {
    const excludesFile = await writeRules(domain, rules)
    const { stdout } = await walking(domain, { closed, signal: outer }, async (signal) => await git({
      gitDir,
      args: ['check-ignore', '-z', '--no-index', '--stdin'],
      signal,
      workTree: domain.top,
      indexFile: join(own, 'none.index'),
      excludesFile,
      magic: true,
      // What begins with a dot has no magic.
      input: nameList(paths.map((path) => `./${path}`)),
      exitCodes: [0, 1]
    }))
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
    async ignored (workspace: string, paths: readonly string[], closed: readonly string[], signal: AbortSignal): Promise<Set<string>> {
      if (paths.length === 0) return new Set()
      const rules = await globalRules(plumbing, gitDir, signal)
      const domain = await outermost(workspace, { rules, closed, signal })
      const prefix = bytesAsText(domain.prefix)
      const found = await ask(domain, { rules, closed, signal }, paths.map((path) => prefix + path))
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
