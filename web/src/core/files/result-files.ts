import { isOffice, kindOf } from './file-kinds.js'
import { baseName } from './paths.js'
import { below } from '../turn/turn-files.js'
import { type Part } from '../turn/turn.js'

/** A file that an answer refers to and that can be shown with it. */
export interface ResultFile {
  kind: 'picture' | 'audio' | 'video' | 'pdf' | 'document' | 'page'
  /** Relative to the workspace, or absolute if the file is outside of it. */
  path: string
  isElsewhere: boolean
  name: string
}

const mostFiles = 8
const mostNamed = 200
// The text comes from a model and may be anything, so each pattern runs in linear time.
const codeBlocks = /^ {0,3}(`{3,20}|~{3,20})[^\n]*\n[\s\S]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![\s\S]))/gm
/** A line by which agents name a file to show, in any service. */
const mediaLine = /^[ \t>*-]*MEDIA:([^\n]*)/gm
const linked = /!?\[[^\][\n]{0,500}\]\((?:<([^<>\n]{1,1000})>|((?:[^()\s]|\([^()\s]*\)){1,1000}))(?:[ \t]+(?:"[^"\n]*"|'[^'\n]*'))?\)/g
const inCode = /(?<!`)`([^`\n]+)`(?!`)/g
const writing: ReadonlySet<string> = new Set(['write_file', 'edit_file'])

/** Returns the files of an answer: those linked, shown or named as code in its texts, named by a `MEDIA:` line, or written by it. */
export function resultFiles (parts: readonly Part[], workspace: string): ResultFile[] {
  const files = new Map<string, ResultFile>()
  for (const named of parts.flatMap(namedIn)) {
    const file = fileOf(named, workspace)
    if (file !== null && !files.has(file.path)) files.set(file.path, file)
    if (files.size === mostFiles) break
  }
  return [...files.values()]
}

function namedIn (part: Part): string[] {
  if (part.kind === 'text') {
    const text = part.text.replaceAll(codeBlocks, '\n')
    return [...firsts(text, linked).map(decoded), ...firsts(text, mediaLine), ...firsts(text, inCode)]
  }
  if (part.kind !== 'call' || part.state !== 'done') return []
  const { path } = part.args
  return [...writing.has(part.name) && typeof path === 'string' ? [path] : [], ...firsts(part.result ?? '', mediaLine)]
}

/** Returns what the pattern's groups matched, for at most `mostNamed` matches. */
function firsts (text: string, pattern: RegExp): string[] {
  const found: string[] = []
  for (const [, one, other] of text.matchAll(pattern)) if (found.push(one ?? other ?? '') === mostNamed) break
  return found
}

function fileOf (named: string, workspace: string): ResultFile | null {
  const given = named.trim().replace(/^[`"']|[`"']$/g, '').trim().replace(/^file:\/\/(?=\/)/i, '')
  const kind = isOffice(given) ? 'document' : kindOf(given)
  if (kind === 'text' || kind === 'markdown' || kind === 'table' || kind === 'notebook') return null
  // Addresses of the web and of the service are already shown in the text.
  if (/^[a-z][\w+.-]*:|^\/\/|^\/api\/|^[~$]|[*?\n\0]/i.test(given) || given.length > 1_000) return null
  const own = below(given, workspace)
  if (own === null && !given.startsWith('/')) return null
  // Only the app runs a page's scripts, and only for pages in the folder.
  if (kind === 'page' && own === null) return null
  const path = own ?? given
  return { kind, path, isElsewhere: own === null, name: baseName(path) }
}

function decoded (href: string): string {
  try {
    return decodeURI(href)
  } catch {
    return href
  }
}
