import { Type } from '@sinclair/typebox'
import { resolveInside, shownPath } from './containment.js'
import { writeText } from './text-files.js'
import { type Tool } from './tool.js'
import { oneLine, plural } from './wording.js'

const Parameters = Type.Object({
  path: Type.String({ minLength: 1, description: 'The file, relative to the workspace. Missing folders are created.' }),
  content: Type.String({ description: 'The complete new text of the file.' })
}, { additionalProperties: false })

export function createWriteFile (): Tool<typeof Parameters> {
  return {
    name: 'write_file',
    description: 'Creates a file, or replaces the whole text of one. For a change of a part use edit_file.',
    parameters: Parameters,
    risk: 'write',
    targets: ({ path }) => ({ paths: [{ path, access: 'write' }] }),
    preview: ({ path, content }) => oneLine(`${oneLine(path, 80)} (${plural(Buffer.byteLength(content), 'byte')})`),

    content: ({ content }) => content,

    rewrite: ({ content }) => content,

    async run ({ path, content }, context) {
      const real = resolveInside(context, path)
      const { created } = await writeText(context, real, path, content, { ...(context.seen === undefined ? {} : { shown: context.seen }) })
      const lines = content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0)
      return { text: `${created ? 'Created' : 'Replaced'} ${shownPath(context.workspace, real)}: ${plural(lines, 'line')}, ${plural(Buffer.byteLength(content), 'byte')}.` }
    }
  }
}
