import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tried } from '../ground/tried.js'
import { visibleProse } from '../ground/text/visible.js'
import { ruleFile, ruleFiles, ruleFolder } from './instructions.js'

/** How much of the beginning of each document is given to the model. */
export const documentLimitBytes = 20_000

/** Rules of a workspace, and where they are. */
interface ProjectContext {
  /** The file, or the folder of rules: absolute. */
  path: string
  /** The name for a person: `AGENTS.md`, `.cursor/rules`. */
  name: string
  text: string
  /** Milliseconds since the epoch; for a folder, the time of its newest file. */
  mtimeMs: number
  /** The files that make up the text. */
  files: string[]
}

export interface ProjectContexts {
  /** The rules that the model gets; null if there are none. */
  inForce: ProjectContext | null
  /** Absolute paths of the other rules that were found, which nearer or earlier ones override. */
  shadowed: string[]
}

const mostRuleFiles = 50
/** Deeper than any real project. */
const mostFolders = 40

/**
 * Finds the rules of a workspace: the first of AGENTS.md, CLAUDE.md, .cursorrules and .cursor/rules/*.mdc that is not empty, in the
 * workspace and then in each folder above it up to the root of its git work tree. Links are not followed, because a repository may come
 * from anywhere. Never throws.
 */
export function projectContexts (workspace: string): ProjectContexts {
  const [inForce = null, ...others] = foldersOf(workspace).flatMap(contextsIn)
  return { inForce, shadowed: others.map(({ path }) => path) }
}

/** Returns the rules that lie in a folder itself, in their order of precedence. Never throws. */
export function contextsIn (folder: string): ProjectContext[] {
  return [
    ...ruleFiles.flatMap((name) => {
      const read = readText(join(folder, name))
      return read === null ? [] : [{ path: join(folder, name), name, files: [join(folder, name)], ...read }]
    }),
    ...rulesIn(folder)
  ]
}

/** Returns only the rules that the model gets; null if there are none. See projectContexts. */
export const rulesOf = (workspace: string): string | null => projectContexts(workspace).inForce?.text ?? null

/**
 * Returns the workspace and the folders above it in its work tree, the nearest first. In a work tree of another user, in which git would
 * refuse to work, returns only the workspace.
 */
function foldersOf (workspace: string): string[] {
  const folders: string[] = []
  for (let folder = workspace; folders.length < mostFolders; folder = dirname(folder)) {
    folders.push(folder)
    const git = lstatOf(join(folder, '.git'))
    if (git !== null) {
      return folder === workspace || [lstatOf(folder), git].every((found) => found?.uid === process.getuid?.()) ? folders : [workspace]
    }
    if (dirname(folder) === folder) break
  }
  return [workspace]
}

/** Reads a folder of rules: its files are joined to one text, in the order of their names. */
function rulesIn (folder: string): ProjectContext[] {
  const path = join(folder, ruleFolder)
  if ([dirname(path), path].some((part) => lstatOf(part)?.isDirectory() !== true)) return []
  const found = namesIn(path).filter((name) => ruleFile.test(name)).slice(0, mostRuleFiles).flatMap((name) => {
    const file = join(path, name)
    const read = readText(file)
    return read === null ? [] : [{ file, ...read }]
  })
  if (found.length === 0) return []
  const text = beginning(Buffer.from(found.map(({ text }) => text).join('\n\n')))
  return [{ path, name: ruleFolder, text, mtimeMs: Math.max(...found.map(({ mtimeMs }) => mtimeMs)), files: found.map(({ file }) => file) }]
}

/** Returns the beginning of a regular file without its front matter; null if it is empty, or cannot be read. */
function readText (path: string): { text: string, mtimeMs: number } | null {
  // Most of these files do not exist, and opening them would throw, which takes three times as long as to ask.
  if (lstatOf(path) === null) return null
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return null
    const buffer = Buffer.alloc(documentLimitBytes)
    const text = withoutFrontMatter(beginning(buffer.subarray(0, readSync(descriptor, buffer, 0, documentLimitBytes, 0)))).trim()
    // Invisible characters are removed, because a model would read what a person cannot see.
    return text === '' ? null : { text: visibleProse(text.replaceAll('\r\n', '\n')), mtimeMs: stats.mtimeMs }
  } catch {
    return null
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Returns the beginning of a text, cut between characters. */
export function beginning (bytes: Buffer): string {
  const text = bytes.subarray(0, documentLimitBytes).toString()
  return bytes.length >= documentLimitBytes ? text.replace(/\ufffd+$/, '') : text
}

function withoutFrontMatter (text: string): string {
  return text.replace(/^\ufeff?---[ \t]*\r?\n(?:[^]*?\r?\n)?---[ \t]*(?:\r?\n|$)/, '')
}

const lstatOf = (path: string) => tried(() => lstatSync(path, { throwIfNoEntry: false }) ?? null, null)

const namesIn = (path: string): string[] => tried(() => readdirSync(path).sort(), [])
