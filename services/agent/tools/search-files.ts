import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { ignoring } from '../../ground/errors.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { explain, resolveInside, shownPath, ToolError } from './containment.js'
import { runGroup } from '../../ground/process/group.js'
import { findRipgrep } from '../../ground/process/ripgrep.js'
import { readText } from './text-files.js'
import { type Tool, type ToolContext, type ToolResult } from './tool.js'
import { oneLine } from './wording.js'

const defaultResults = 100
const maxResults = 1000
const maxOutputBytes = 200 * 1024
const maxLineChars = 300
const timeoutMs = 30_000
const maxFileBytes = 5 * 1024 * 1024

const Parameters = Type.Object({
  pattern: Type.String({
    minLength: 1, maxLength: 2000,
    description: 'A regular expression (Rust syntax) for one line. Escape (, ), [, {, ., *, +, ? and | to search for them literally.'
  }),
  path: Type.Optional(Type.String({
    minLength: 1, description: 'Folder or file to search, relative to the workspace. Default: the workspace.'
  })),
  glob: Type.Optional(Type.String({
    minLength: 1, maxLength: 500, description: 'Only files whose path matches, for example "*.ts" or "src/**/*.css".'
  })),
  max_results: Type.Optional(Type.Integer({
    minimum: 1, maximum: maxResults, description: `Default ${defaultResults}, at most ${maxResults}.`
  })),
  ignore_case: Type.Optional(Type.Boolean({ description: 'Upper and lower case are the same. Default false.' }))
}, { additionalProperties: false })
type Arguments = Static<typeof Parameters>

/** @param ripgrep the program to use; default: the packaged one, or else `rg` on PATH; null = none */
export function createSearchFiles (ripgrep: string | null | undefined = findRipgrep()): Tool<typeof Parameters> {
  return {
    name: 'search_files',
    description: 'Searches the text of files for a regular expression and returns path:line: text. ' +
      'Hidden files and what .gitignore names are skipped, unless path names a hidden folder or file itself.',
    parameters: Parameters,
    risk: 'read',
    targets: ({ path = '.' }) => ({ paths: [{ path, access: 'read', recursive: true }] }),
    preview: ({ pattern, path }) => oneLine(path === undefined ? pattern : `${oneLine(pattern, 80)} in ${path}`),

    async run (args, context) {
      const { path = '.' } = args
      const real = resolveInside(context, path)
      const found = await stat(real).catch(explain(path))
      if (!found.isDirectory() && !found.isFile()) throw new ToolError(`${path} is neither a folder nor a regular file.`)
      const place: Place = found.isDirectory() ? { folder: real, start: '.' } : { folder: dirname(real), start: basename(real) }
      if (ripgrep === null) return await searchPlainly(place, args, context)
      return await searchWithRipgrep(ripgrep, place, args, context)
    }
  }
}

interface Place { folder: string, start: string }

async function searchWithRipgrep (ripgrep: string, place: Place, args: Arguments, context: ToolContext): Promise<ToolResult> {
  const options = ['--no-config', '--no-ignore-global', '--line-number', '--no-heading', '--with-filename', '--null', '--color=never',
    '--sort=path', `--max-columns=${maxLineChars}`, '--max-columns-preview', `--max-filesize=${maxFileBytes}`]
  if (args.ignore_case === true) options.push('--ignore-case')
  // A glob switches off the rule for hidden files, so that rule follows it as a glob of its own.
  if (args.glob !== undefined) options.push(`--glob=${args.glob}`, '--glob=!.*')
  const output = new Lines(args.max_results ?? defaultResults)
  let complaints = ''
  const outcome = await runGroup(ripgrep, [...options, '--', args.pattern, `./${place.start}`], {
    cwd: place.folder,
    env: context.childEnv,
    signal: context.signal,
    timeoutMs,
    onStdout: (chunk) => output.add(chunk),
    onStderr: (chunk) => { complaints = (complaints + chunk.toString('utf8')).slice(0, 2000) }
  }).catch(ignoring('ENOENT'))
  if (outcome === null) return await searchPlainly(place, args, context)
  if (outcome.ended === 'abort') return { text: 'The search was cancelled.', isError: true }
  if (outcome.ended === 'exit' && (outcome.exitCode ?? 2) > 1 && output.lines.length === 0) {
    throw new ToolError(
      `The search failed: ${complaints.trim() || 'ripgrep ended without saying why'}. If the pattern is at fault, escape its special characters.`
    )
  }
  const notes: string[] = []
  if (outcome.ended === 'timeout') notes.push(`[stopped after ${timeoutMs / 1000} seconds; search a smaller folder or pass a glob]`)
  return report(output, place, context, notes)
}

/** Collects complete output lines of the form path NUL line:text, until there are enough. */
class Lines {
  readonly lines: string[] = []
  private rest: Buffer = Buffer.alloc(0)
  private bytes = 0
  full = false

  constructor (private readonly max: number) {}

  add (chunk: Buffer): boolean {
    const text = Buffer.concat([this.rest, chunk])
    const end = text.lastIndexOf(10)
    this.rest = text.subarray(end + 1)
    for (const line of text.subarray(0, Math.max(end, 0)).toString('utf8').split('\n')) {
      if (line !== '' && !this.push(line)) return false
    }
    return true
  }

  push (line: string): boolean {
    this.full = this.lines.length >= this.max || this.bytes > maxOutputBytes
    if (this.full) return false
    this.lines.push(line)
    this.bytes += line.length
    return true
  }
}

function report (output: Lines, place: Place, context: ToolContext, notes: string[]): ToolResult {
  if (output.full) {
    notes.push(`[more than ${output.lines.length} matches; the rest is left out. Make the pattern more precise, or pass path or glob.]`)
  }
  if (output.lines.length === 0) {
    return {
      text: ['No matches. Hidden and ignored files were not searched; name such a folder in path to search it.', ...notes].join('\n')
    }
  }
  const lines = output.lines.map((line) => {
    const [path = '', match = ''] = line.split('\0', 2)
    return `${shownPath(context.workspace, join(place.folder, path))}:${match.replace(/\r$/, '').replace(':', ': ')}`
  })
  return { text: [...lines, ...notes].join('\n') }
}

/**
 * Searches without ripgrep. The pattern is taken literally, because a regular expression from the model could block the process for minutes
 * in JavaScript.
 */
async function searchPlainly (place: Place, args: Arguments, context: ToolContext): Promise<ToolResult> {
  const output = new Lines(args.max_results ?? defaultResults)
  const fold = (text: string): string => args.ignore_case === true ? text.toLowerCase() : text
  const pattern = fold(args.pattern)
  const suffix = args.glob?.startsWith('*.') === true ? args.glob.slice(1) : null
  const deadline = timeLimit(timeoutMs, [context.signal]).signal
  const root = join(place.folder, place.start)
  for await (const real of filesBelow(root, deadline)) {
    if (suffix !== null && !real.endsWith(suffix)) continue
    const file = await readText(context, real, maxFileBytes).catch(() => null)
    if (file === null) continue
    const name = real.slice(place.folder.length + 1)
    const lines = file.bytes.toString('utf8').split('\n')
    if (!lines.every((line, index) =>
      !fold(line).includes(pattern) || output.push(`${name}\0${index + 1}:${line.slice(0, maxLineChars)}`))) break
  }
  if (context.signal.aborted) return { text: 'The search was cancelled.', isError: true }
  const notes = ['[ripgrep is not installed: the pattern was searched literally, not as a regular expression]']
  if (args.glob !== undefined && suffix === null) {
    notes.push('[the glob was ignored: without ripgrep only globs such as "*.ts" are understood]')
  }
  if (deadline.aborted) notes.push('[stopped: time limit; search a smaller folder]')
  return report(output, place, context, notes)
}

async function * filesBelow (root: string, signal: AbortSignal): AsyncGenerator<string> {
  const found = await stat(root)
  if (found.isFile()) {
    yield root
    return
  }
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined && !signal.aborted; folder = folders.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    entries.sort((a, b) => a.name < b.name ? -1 : 1)
    for (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
      if (entry.isDirectory()) folders.push(join(folder, entry.name))
      else if (entry.isFile()) yield join(folder, entry.name)
    }
  }
}
