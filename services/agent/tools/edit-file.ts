import { type Static, Type } from '@sinclair/typebox'
import { asError } from '../../ground/errors.js'
import { shownPath, ToolError } from './containment.js'
import { readText, refuseChanged, writeText } from './text-files.js'
import { type Tool } from './tool.js'
import { oneLine } from './wording.js'

const maxFileBytes = 4 * 1024 * 1024
const maxSummaryLines = 80
/** Comparing two texts without common lines takes quadratic time; beyond this many changes, the difference is not shown. */
const maxEditLength = 1000

const Parameters = Type.Object({
  path: Type.String({ minLength: 1, description: 'The file, relative to the workspace. It has to exist.' }),
  old_string: Type.Optional(Type.String({
    description: 'The exact text to replace, with its whitespace and without line numbers. It has to occur exactly once, unless replace_all is true.'
  })),
  new_string: Type.Optional(Type.String({ description: 'What takes its place. Empty removes the text.' })),
  replace_all: Type.Optional(Type.Boolean({ description: 'Replace every occurrence. Default false.' })),
  patch: Type.Optional(Type.String({
    description: 'Instead of old_string and new_string: a unified diff of this one file, with @@ hunk headers.'
  }))
}, { additionalProperties: false })
type Arguments = Static<typeof Parameters>

export function createEditFile (): Tool<typeof Parameters> {
  return {
    name: 'edit_file',
    description: 'Changes a part of a text file: either replaces old_string by new_string, or applies a unified diff (patch). Read the file first. ' +
      'Returns the change as a diff.',
    parameters: Parameters,
    risk: 'write',
    targets: ({ path }) => ({ paths: [{ path, access: 'write' }] }),
    preview: ({ path }) => oneLine(path),

    async rewrite (args, before) {
      if (before === null) throw new ToolError(`${args.path} does not exist.`)
      return await rewritten(args, before)
    },

    async run (args, context) {
      const { path } = args
      const file = await readText(context, path, maxFileBytes)
      refuseChanged(file.seen, path, context.seen)
      if (file.sizeBytes > file.bytes.length) {
        throw new ToolError(`${path} has ${file.sizeBytes} bytes, more than can be edited here. Use the terminal tool (sed, perl, …).`)
      }
      const before = decode(file.bytes, path)
      const after = await rewritten(args, before)
      await writeText(context, file.real, path, after, { expected: file.seen })
      return { text: await summary(shownPath(context.workspace, file.real), before, after) }
    }
  }
}

async function rewritten (args: Arguments, before: string): Promise<string> {
  const after = args.patch !== undefined ? await patched(before, args.patch, args) : replaced(before, args)
  if (after === before) throw new ToolError(`The edit changes nothing in ${args.path}: old and new text are the same.`)
  return after
}

function decode (bytes: Buffer, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new ToolError(
      `${path} is not valid UTF-8, so an edit would damage it. Use the terminal tool with a program that knows its encoding.`
    )
  }
}

/** Returns a text with one part replaced. Throws ToolError when the part is missing, or occurs more than once without `replace_all`. */
export function replaced (
  before: string, { path, old_string: oldString, new_string: newString, replace_all: all }: Omit<Arguments, 'patch'>
): string {
  if (oldString === undefined || newString === undefined) throw new ToolError('Pass old_string and new_string, or patch.')
  if (oldString === '') throw new ToolError('old_string is empty. Pass the text to replace; to write a whole file use write_file.')
  let [from, to] = [oldString, newString]
  if (!before.includes(from) && before.includes('\r\n')) {
    // Models write line feeds; the file keeps its own line ends.
    [from, to] = [from.replace(/\r?\n/g, '\r\n'), to.replace(/\r?\n/g, '\r\n')]
  }
  const pieces = before.split(from)
  const matches = pieces.length - 1
  if (matches === 0) {
    throw new ToolError(
      `old_string was not found in ${path}. Read the file again and copy the text exactly, with its whitespace and without line numbers.`
    )
  }
  if (matches > 1 && all !== true) {
    throw new ToolError(
      `old_string occurs ${matches} times in ${path}. Add lines of context around it until it is unique, or pass replace_all: true to change all of them.`
    )
  }
  return pieces.join(to)
}

async function patched (before: string, patch: string, { path, old_string: oldString, new_string: newString }: Arguments): Promise<string> {
  if (oldString !== undefined || newString !== undefined) throw new ToolError('Pass either old_string and new_string, or patch, not both.')
  const { applyPatch, parsePatch } = await import('diff')
  let files: ReturnType<typeof parsePatch>
  try {
    files = parsePatch(patch)
  } catch (error) {
    throw new ToolError(
      `The patch cannot be read: ${asError(error).message.trim()}. Check the line counts in the @@ headers and that every line starts with a space, + or -.`
    )
  }
  const [file, ...others] = files
  if (file === undefined || file.hunks.length === 0) {
    throw new ToolError('The patch has no hunks. Each one starts with a header such as "@@ -10,4 +10,5 @@".')
  }
  if (others.length > 0) throw new ToolError(`The patch changes ${files.length} files. Call edit_file once for each of them.`)
  if (file.newFileName === '/dev/null') throw new ToolError('A patch cannot delete a file here. Use the terminal tool.')
  const after = applyPatch(before, file)
  if (after === false) {
    throw new ToolError(`The patch does not apply to ${path}: its context lines do not match the file. Read the file again and make a new patch, or use old_string and new_string.`)
  }
  return after
}

async function summary (path: string, before: string, after: string): Promise<string> {
  const { structuredPatch } = await import('diff')
  const found = structuredPatch(path, path, before, after, undefined, undefined, { context: 2, maxEditLength })
  if (found === undefined) return `Changed ${path} (too many changes to show).`
  const lines = found.hunks.flatMap((hunk) => [`@@ line ${hunk.newStart} @@`, ...hunk.lines.map((line) => oneLineOfDiff(line))])
  const added = lines.filter((line) => line.startsWith('+')).length
  const removed = lines.filter((line) => line.startsWith('-')).length
  const shown = lines.slice(0, maxSummaryLines)
  if (lines.length > shown.length) shown.push(`[… ${lines.length - shown.length} more lines of the diff …]`)
  return [`Changed ${path}: ${added} added, ${removed} removed.`, ...shown].join('\n')
}

const oneLineOfDiff = (line: string): string => line.length > 300 ? `${line.slice(0, 300)}…` : line.replace(/\r$/, '')
