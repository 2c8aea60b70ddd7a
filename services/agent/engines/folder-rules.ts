import { statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { reason } from '../../../reasons/index.js'
import { realPath, within } from '../../ground/files/containment.js'
import { tried } from '../../ground/tried.js'
import { contextsIn } from '../project-context.js'
import { type RunEventBody } from '../protocol.js'
import { warned } from '../run-events.js'
import { type Boundary } from '../sandbox/index.js'
import { type ToolTargets } from '../tools/tool.js'

interface FolderRule {
  /** What a person is shown. */
  warning: RunEventBody
  /** What the model is told; null for rules that were changed without asking. */
  text: string | null
}

/** The most that a turn is told about folders, besides the rules of its workspace. */
const mostBytes = 40_000
const mostFolders = 500
/** Folders with the work of others, whose rules nobody here has chosen. */
const foreign: ReadonlySet<string> = new Set(['node_modules', 'vendor', 'site-packages', 'third_party'])

/**
 * The rules (AGENTS.md and the like) of folders below a workspace. A turn is told those of a folder once, when one of its calls first works
 * there. Rules that a command has changed without asking are not told. Links, hidden folders, repositories inside the workspace, and
 * folders of packages are left out.
 */
export class FolderRules {
  readonly #seen = new Set<string>()
  #bytes = 0

  /** @param workspace absolute, without symlinks */
  constructor (readonly workspace: string, readonly boundary: Pick<Boundary, 'isUnaccepted'> | undefined) {}

  /** Returns the rules of the folders that calls have worked in, those of upper folders first, without those told before. Never throws. */
  of (targets: readonly ToolTargets[]): FolderRule[] {
    const folders = targets.flatMap(({ paths = [], cwd }) => [...paths.map(({ path }) => path), ...cwd === undefined ? [] : [cwd]])
      .flatMap((path) => this.#above(path))
    return [...new Set(folders)].flatMap((folder) => this.#rulesIn(folder))
  }

  /** Returns the folders from the workspace (left out) to a path, which is a file or a folder. */
  #above (path: string): string[] {
    const real = tried(() => realPath(resolve(this.workspace, path)), this.workspace)
    if (!within(this.workspace, real)) return []
    const isFolder = tried(() => statSync(real).isDirectory(), false)
    const folders: string[] = []
    let folder = isFolder ? real : dirname(real)
    for (; within(this.workspace, folder) && folder !== this.workspace; folder = dirname(folder)) folders.unshift(folder)
    const end = folders.findIndex(isForeign)
    return end === -1 ? folders : folders.slice(0, end)
  }

  #rulesIn (folder: string): FolderRule[] {
    if (this.#seen.has(folder) || this.#seen.size >= mostFolders) return []
    this.#seen.add(folder)
    const [rules] = contextsIn(folder)
    if (rules === undefined) return []
    const file = relative(this.workspace, rules.path)
    if (rules.files.some((path) => this.boundary?.isUnaccepted(path) === true)) {
      return [{ warning: warned('folder_rules', reason('folder_rules_unaccepted', { path: file })), text: null }]
    }
    this.#bytes += Buffer.byteLength(rules.text)
    if (this.#bytes > mostBytes) return []
    const text = `Rules of the folder ${relative(this.workspace, folder)} (from ${file}). They apply to the files below it. Where they differ ` +
      `from rules of folders above it, these apply; what the user says precedes all rules:\n${rules.text}`
    return [{ warning: warned('folder_rules', reason('folder_rules', { path: file })), text }]
  }
}

function isForeign (folder: string): boolean {
  const name = basename(folder)
  return name.startsWith('.') || foreign.has(name) || tried(() => statSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined, true)
}
