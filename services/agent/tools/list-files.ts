import { type Dirent } from 'node:fs'
import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { codeOf } from '../../ground/errors.js'
import { explain, resolveInside, shownPath, ToolError } from './containment.js'
import { type Tool } from './tool.js'
import { oneLine } from './wording.js'

const maxEntries = 1000
/** How many entries of a folder are read at most. A folder with more is listed in the order of the file system, up to this many. */
const maxFolderEntries = 20_000
/** Folders whose content is listed only if the path names them. */
const folded = new Set(['.git', 'node_modules'])

const Parameters = Type.Object({
  path: Type.Optional(Type.String({ minLength: 1, description: 'The folder, relative to the workspace. Default: the workspace.' })),
  depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 10, description: 'How many levels to show. Default 2.' }))
}, { additionalProperties: false })

export function createListFiles (): Tool<typeof Parameters> {
  return {
    name: 'list_files',
    description: 'Lists a folder. Folders end with "/", symbolic links with "@" (they are not followed). ' +
      'What is inside .git and node_modules is shown only when path names such a folder.',
    parameters: Parameters,
    risk: 'read',
    targets: ({ path = '.' }) => ({ paths: [{ path, access: 'read' }] }),
    preview: ({ path = '.' }) => oneLine(path),

    async run ({ path = '.', depth = 2 }, context) {
      const real = resolveInside(context, path)
      const found = await lstat(real).catch(explain(path))
      if (!found.isDirectory()) throw new ToolError(`${path} is not a folder. Use read_file to see a file.`)
      const listing: Listing = { lines: [], complete: true, signal: context.signal }
      await listFolder(real, '', depth, listing).catch(explain(path))
      const title = `${shownPath(context.workspace, real)}/`
      if (listing.lines.length === 0) return { text: `${title} is empty.` }
      const notes = listing.complete
        ? []
        : [`[more than ${maxEntries.toLocaleString('en-US')} entries; the rest is left out. Pass a deeper path or a smaller depth.]`]
      return { text: [title, ...listing.lines, ...notes].join('\n') }
    }
  }
}

interface Listing { lines: string[], complete: boolean, signal: AbortSignal }

async function listFolder (folder: string, prefix: string, depth: number, listing: Listing): Promise<void> {
  for (const entry of await entriesOf(folder, listing)) {
    listing.signal.throwIfAborted()
    if (listing.lines.length >= maxEntries) {
      listing.complete = false
      return
    }
    const name = prefix + entry.name.replace(/\n/g, '\\n')
    if (!entry.isDirectory()) {
      listing.lines.push(entry.isSymbolicLink() ? `${name}@` : name)
      continue
    }
    const hidden = folded.has(entry.name)
    listing.lines.push(hidden && depth > 1 ? `${name}/ (content not listed)` : `${name}/`)
    if (depth > 1 && !hidden) {
      // A folder that cannot be read is listed by its name, because the rest of the list is still useful.
      await listFolder(join(folder, entry.name), `${name}/`, depth - 1, listing).catch((error: unknown) => {
        listing.signal.throwIfAborted()
        listing.lines.push(`${name}/ (not readable: ${codeOf(error) ?? 'error'})`)
      })
    }
  }
}

async function entriesOf (folder: string, listing: Listing): Promise<Dirent[]> {
  const entries: Dirent[] = []
  for await (const entry of await opendir(folder)) {
    entries.push(entry)
    if (entries.length >= maxFolderEntries) {
      listing.complete = false
      break
    }
  }
  return entries.sort((a, b) => a.name < b.name ? -1 : 1)
}
