import { Type } from '@sinclair/typebox'
import { ToolError } from './containment.js'
import { readText } from './text-files.js'
import { type Tool } from './tool.js'
import { oneLine, plural } from './wording.js'

const maxLines = 2000
const maxTextBytes = 200 * 1024
const maxLineChars = 2000
/** Larger files are left to other programs, because finding a line means reading everything before it. */
const maxFileBytes = 32 * 1024 * 1024

const Parameters = Type.Object({
  path: Type.String({ minLength: 1, description: 'The file, relative to the workspace.' }),
  offset: Type.Optional(Type.Integer({ minimum: 1, description: 'First line to show, counted from 1. Default 1.' })),
  limit: Type.Optional(Type.Integer({
    minimum: 1, maximum: maxLines, description: `How many lines to show. Default and maximum ${maxLines}.`
  }))
}, { additionalProperties: false })

export function createReadFile (): Tool<typeof Parameters> {
  return {
    name: 'read_file',
    description: 'Shows a text file with line numbers. Long files come in parts: pass offset and limit to see the next one. ' +
      'The number and the tab in front of each line are not part of the file.',
    parameters: Parameters,
    risk: 'read',
    targets: ({ path }) => ({ paths: [{ path, access: 'read' }] }),
    preview: ({ path }) => oneLine(path),

    async run ({ path, offset = 1, limit = maxLines }, context) {
      const file = await readText(context, path, maxFileBytes)
      const cut = file.sizeBytes > file.bytes.length
      const whole = file.bytes.toString('utf8').replace(/^\uFEFF/, '')
      if (whole === '') return { text: `${path} is empty.` }
      const lines = whole.split('\n')
      if (lines.at(-1) === '') lines.pop()
      if (offset > lines.length) {
        throw new ToolError(
          `${path} has ${plural(lines.length, 'line')}${cut ? ' in the part that can be read' : ''}; offset ${offset} is past its end.`
        )
      }
      const { shown, next } = numbered(lines, offset, limit)
      const notes: string[] = []
      if (next <= lines.length) notes.push(`[lines ${offset}–${next - 1} of ${lines.length}; continue with offset ${next}]`)
      else if (offset > 1) notes.push(`[lines ${offset}–${lines.length} of ${lines.length}; end of the file]`)
      if (cut) {
        notes.push(`[only the first ${plural(maxFileBytes, 'byte')} of ${plural(file.sizeBytes, 'byte')} can be read this way; use the terminal tool for the rest]`)
      }
      if (whole.includes('\uFFFD')) notes.push('[the file is not valid UTF-8 in places; \uFFFD stands for what could not be read]')
      return { text: [shown, ...notes].join('\n') }
    }
  }
}

function numbered (lines: string[], offset: number, limit: number): { shown: string, next: number } {
  const shown: string[] = []
  let bytes = 0
  let next = offset
  for (const raw of lines.slice(offset - 1, offset - 1 + limit)) {
    const full = raw.replace(/\r$/, '')
    const line = full.length > maxLineChars ? `${full.slice(0, maxLineChars)}… [line of ${plural(full.length, 'character')}, cut]` : full
    const entry = `${String(next).padStart(6)}\t${line}`
    bytes += Buffer.byteLength(entry) + 1
    if (bytes > maxTextBytes && shown.length > 0) break
    shown.push(entry)
    next++
  }
  return { shown: shown.join('\n'), next }
}
