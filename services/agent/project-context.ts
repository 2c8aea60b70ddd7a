import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tried } from '../ground/tried.js'
import { visibleProse } from '../ground/visible.js'
import { ruleFile, ruleFiles, ruleFolder } from './instructions.js'

/** Of each document that is given to the model so much of its beginning is used. */
export const documentLimitBytes = 20_000

/** Where the rules of a workspace stand, and what they say. */
interface ProjectContext {
  /** The file, or the folder of rules: absolute. */
  path: string
  /** As a person calls it: `AGENTS.md`, `.cursor/rules`. */
  name: string
  text: string
  /** Milliseconds since the epoch; the latest one of a folder. */
  mtimeMs: number
  /** The files that the text is made of. */
  files: string[]
}

export interface ProjectContexts {
  /** What the model is told; null where there is nothing. */
  inForce: ProjectContext | null
  /** The others that were found, which something nearer or earlier covers: absolute paths. */
  shadowed: string[]
}

const mostRuleFiles = 50
/** Nobody nests projects deeper. */
const mostFolders = 40

/**
 * The rules that a workspace brings along: of AGENTS.md, CLAUDE.md, .cursorrules and .cursor/rules/*.mdc the first that says something, in
 * the workspace and then in each folder above it up to the root of its git work tree. Links are not followed, as a repository may
 * come from anywhere. Never throws.
 */
export function projectContexts (workspace: string): ProjectContexts {
  const found = foldersOf(workspace).flatMap((folder) => [
    ...ruleFiles.flatMap((name) => {
      const read = readText(join(folder, name))
      return read === null ? [] : [{ path: join(folder, name), name, files: [join(folder, name)], ...read }]
    }),
    ...rulesIn(folder)
  ])
  const [inForce = null, ...others] = found
  return { inForce, shadowed: others.map(({ path }) => path) }
}

/** Only what the model is told; see projectContexts. */
export const rulesOf = (workspace: string): string | null => projectContexts(workspace).inForce?.text ?? null

/**
 * The workspace and what is above it in its work tree, the nearest first. A work tree of somebody else's is
 * not gone up, as git would not work in it.
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

/** The files of a folder of rules are one text, in the order of their names. */
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

/** The beginning of a plain file without its front matter; null when there is nothing in it. */
function readText (path: string): { text: string, mtimeMs: number } | null {
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return null
    const buffer = Buffer.alloc(documentLimitBytes)
    const text = withoutFrontMatter(beginning(buffer.subarray(0, readSync(descriptor, buffer, 0, documentLimitBytes, 0)))).trim()
    // What nobody who looks at the file can see, a model would read.
    return text === '' ? null : { text: visibleProse(text.replaceAll('\r\n', '\n')), mtimeMs: stats.mtimeMs }
  } catch {
    return null
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Cut between characters. */
export function beginning (bytes: Buffer): string {
  const text = bytes.subarray(0, documentLimitBytes).toString()
  return bytes.length >= documentLimitBytes ? text.replace(/\ufffd+$/, '') : text
}

function withoutFrontMatter (text: string): string {
  return text.replace(/^\ufeff?---[ \t]*\r?\n(?:[^]*?\r?\n)?---[ \t]*(?:\r?\n|$)/, '')
}

const lstatOf = (path: string) => tried(() => lstatSync(path, { throwIfNoEntry: false }) ?? null, null)

const namesIn = (path: string): string[] => tried(() => readdirSync(path).sort(), [])
