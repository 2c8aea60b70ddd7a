import { readdirSync, readlinkSync, type Stats } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { realPath, within } from '../../ground/files/containment.js'
import { tried } from '../../ground/tried.js'
import { type AgentPresetId } from '../../providers/index.js'
import { hashOfFile, sealOf, stampOf, statsOf, TextCache, type SealedFile } from '../sandbox/index.js'
import { commonFolder } from '../policy/git/common-folder.js'

/**
 * Files that third-party agents read in the folder they work in, and in those above it. They may allow tools for good, choose a mode, name
 * programs and servers to start, and set another provider. An unknown agent may be any of these.
 */
const obeyed: Readonly<Record<AgentPresetId, { files: readonly string[], folders: readonly string[] }>> = {
  'claude-code': { files: ['.mcp.json', 'bunfig.toml'], folders: ['.claude'] },
  codex: { files: [], folders: ['.codex', '.agents'] },
  'gemini-cli': { files: ['.env'], folders: ['.gemini', '.agents'] },
  opencode: { files: ['opencode.json', 'opencode.jsonc', 'bunfig.toml'], folders: ['.opencode', '.claude', '.agents'] },
  goose: { files: ['.goosehints', '.goosehints.local'], folders: ['.goose', '.claude', '.agents'] }
}
const all = Object.values(obeyed)
const anyAgent = { files: all.flatMap(({ files }) => files), folders: all.flatMap(({ folders }) => folders) }

/** More levels of folders than anybody nests. */
const mostFolders = 40
/** How many files are read. Packages that are installed beside plugins are only checked for changes. */
const mostFiles = 500
const mostPackageFiles = 10_000
const packages = 'node_modules'
/** A folder of whole work trees, which an agent does not read from here. */
const workTrees = join('.claude', 'worktrees')

const texts = new TextCache()

/**
 * Returns the files that an agent obeys in a workspace, as they are now: those of the workspace and of the folders above it, up to but
 * without the person's home, whose files are their own. Links are followed only within the work tree. Never throws.
 */
export function ownSettings (preset: AgentPresetId | null, workspace: string, userHome: string): SealedFile[] {
  const { files, folders } = preset === null ? anyAgent : obeyed[preset]
  const tree = treeOf(workspace)
  const look = new Look(tree)
  for (const folder of foldersFrom(workspace, userHome)) {
    for (const name of new Set([...files, ...folders])) look.at(join(folder, name))
  }
  const common = commonFolder(tree)
  return common === null
    ? look.found
    : look.found.map((file) => within(tree, file.path) ? { ...file, twin: `${common}\0${relative(tree, file.path)}` } : file)
}

class Look {
  readonly found: SealedFile[] = []
  readonly #visited = new Set<string>()
  #left = mostFiles

  /** @param tree the folder within which links are followed */
  constructor (readonly tree: string) {}

  at (path: string): void {
    const stats = statsOf(path)
    if (stats === undefined || this.#visited.has(path)) return
    this.#visited.add(path)
    if (stats.isSymbolicLink()) this.#link(path)
    else if (stats.isDirectory()) this.#folder(path)
    else this.#file(path, stats)
  }

  #file (path: string, stats: Stats): void {
    if (this.#left-- === 0) this.#unknown(path, 'not looked at: there are too many files')
    if (this.#left < 0) return
    const read = stats.isFile() ? texts.read(path) : null
    if (read === null) this.#unknown(path, 'not a plain file')
    else if (read.isWhole && !read.text.includes('\0')) {
      this.found.push({ path, seal: sealOf(read.text), text: Buffer.from(read.text, 'latin1').toString('utf8'), note: '' })
    } else {
      const seal = hashOfFile(path, stats)
      this.found.push({
        path, seal, text: null,
        note: seal === null ? 'too long, or it cannot be read' : `${stats.size} bytes, no text or too long to be shown, SHA-256 ${seal}`
      })
    }
  }

  #folder (path: string): void {
    if (path.endsWith(`/${workTrees}`)) return
    if (path.endsWith(`/${packages}`)) return this.#packages(path)
    const names = namesIn(path)
    if (names === null) return this.#unknown(path, 'a folder that cannot be listed')
    for (const name of names) {
      if (name.includes('\ufffd')) this.#unknown(join(path, name), 'its name is not text')
      else if (this.#left >= 0) this.at(join(path, name))
    }
  }

  #link (path: string): void {
    let target: string, real: string
    try {
      [target, real] = [readlinkSync(path), realPath(path)]
    } catch {
      return this.#unknown(path, 'a link that cannot be followed')
    }
    if (!within(this.tree, real)) return this.#unknown(path, `a link to ${target}, which was not looked at`)
    this.found.push({ path, seal: sealOf(`link to ${target}`), text: `a link to ${target}`, note: '' })
    this.at(real)
  }

  /** Detects changes of installed code by the change times of its files (ctime), which no process can set. */
  #packages (root: string): void {
    const stamps: string[] = []
    const pending = [root]
    for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
      const names = namesIn(path)
      if (names === null || stamps.length > mostPackageFiles) {
        return this.#unknown(root, 'installed packages, too many to be looked through')
      }
      for (const name of names) {
        const stats = statsOf(join(path, name))
        if (stats === undefined) continue
        if (stats.isDirectory()) pending.push(join(path, name))
        stamps.push(`${name}:${stampOf(stats)}`)
      }
    }
    this.found.push({
      path: root, seal: sealOf(stamps.join('\n')), text: null, note: `installed packages, ${stamps.length} files and folders`
    })
  }

  #unknown (path: string, note: string): void {
    this.found.push({ path, seal: null, text: null, note })
  }
}

/** Returns the workspace and the folders above it, up to but without the home; none if the workspace is the home. */
function foldersFrom (workspace: string, userHome: string): string[] {
  const folders: string[] = []
  for (let folder = workspace; folder !== userHome && folders.length < mostFolders; folder = dirname(folder)) {
    folders.push(folder)
    if (folder === dirname(folder)) break
  }
  return folders
}

/** Returns the root of the git work tree that contains the workspace, or the workspace itself. */
function treeOf (workspace: string): string {
  for (let folder = workspace, steps = 0; steps < mostFolders && folder !== dirname(folder); folder = dirname(folder), steps++) {
    if (statsOf(join(folder, '.git')) !== undefined) return folder
  }
  return workspace
}

const namesIn = (path: string): string[] | null => tried(() => readdirSync(path).sort(), null)
