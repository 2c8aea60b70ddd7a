import { Type } from '@sinclair/typebox'
import { Bytes, Closed, Count, Flag, Id, Nanoseconds, Nullable, OneOf } from './common.js'

const Path = (description: string) => Type.String({ maxLength: 8_192, description })

export const FolderQuery = Type.Object({
  session_id: Id('session'), path: Type.Optional(Path('folder, relative to the workspace; absent: the workspace itself'))
})
export const FileQuery = Type.Object({
  session_id: Id('session'), path: Type.String({ minLength: 1, maxLength: 8_192, description: 'file, relative to the workspace' })
})
export const DownloadQuery = Type.Object({
  session_id: Id('session'),
  path: Type.String({ minLength: 1, maxLength: 8_192, description: 'folder, relative to the workspace; . for itself' })
})
/** For routes that answer with the bytes of a file. */
export const AsText = Type.Optional(OneOf(
  ['text'], 'text: an office document or the cells of a notebook as plain text, for comparing versions; 400 for other files'
))

export const RawQuery = Type.Object({
  ...FileQuery.properties,
  download: Flag('save it instead of showing it'),
  inline: Flag('show HTML, SVG and other XML, in a sandbox, instead of saving it'),
  as: AsText
})
export const MediaQuery = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 8_192, description: 'absolute path' }),
  session_id: Type.Optional(Type.String({
    maxLength: 200, description: 'the session that shows the file: files of its workspace, and files that it names, can be read'
  })),
  inline: Flag('show audio, video, PDF and HTML instead of saving them')
})

export const Entry = Closed({
  name: Type.String({ description: 'bytes that are not UTF-8 are shown as replacement characters' }),
  path: Type.String({ description: 'relative to the workspace' }),
  type: OneOf(['file', 'dir', 'symlink']),
  is_dir: Type.Boolean({ description: 'a folder, or a symlink to one inside the workspace' }),
  size: Nullable(Count('bytes'), 'bytes; null: not a file'),
  mtime_ns: Nanoseconds('modification time in nanoseconds since the epoch'),
  modified: Type.Number({ description: 'modification time in epoch seconds' }),
  workspace_sort_rank: Type.Integer({ minimum: 0, maximum: 2, description: '0 symlinks, 1 folders, 2 files' }),
  target: Type.Optional(Type.String({ description: 'symlinks: the target as written in the link' })),
  target_outside_workspace: Type.Optional(Type.Boolean({
    description: 'symlinks: the target is outside the workspace and therefore not shown'
  }))
}, { title: 'Entry', description: 'A file, folder or symlink of a workspace' })

export const FolderList = Closed({
  entries: Type.Array(Entry),
  signature: Type.String({ description: 'changes whenever anything in the list changes' }),
  path: Type.String({ description: 'relative to the workspace, . for itself' }),
  workspace: Type.String({ description: 'absolute path of the workspace' }),
  workspace_recovered: Type.Boolean()
}, { title: 'FolderList' })

const Cell = Type.Unsafe<string | number | boolean | null>({ type: ['string', 'number', 'boolean', 'null'] })

const Preview = Closed({
  kind: OneOf(['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp']),
  truncated: Type.Boolean({ description: 'the document has more text than shown' }),
  sheets: Type.Optional(Type.Array(Closed({ name: Type.String(), rows: Type.Array(Type.Array(Cell)) }))),
  slides: Type.Optional(Type.Array(Type.String()))
}, { title: 'Preview', description: 'The parts of an office document; `content` has its whole text' })

export const FileSearchQuery = Type.Object({
  session_id: Id('session'),
  q: Type.Optional(Type.String({
    maxLength: 500, description: 'parts of the path, separated by spaces; all of them must match'
  })),
  limit: Type.Optional(Type.String({ description: 'default 30, 1 to 100' }))
})
export const FileMatches = Closed({
  entries: Type.Array(Entry, { description: 'files and folders, best matches first' }),
  query: Type.String({ description: 'the query as it was sent' }),
  workspace: Type.String({ description: 'absolute path of the workspace' }),
  truncated: Type.Boolean({ description: 'the search stopped before it had seen the whole workspace' })
}, { title: 'FileMatches' })

export const FileText = Closed({
  path: Type.String({ description: 'relative to the workspace' }),
  content: Type.String({ description: 'text as UTF-8; invalid bytes are replacement characters' }),
  size: Count('size of the file in bytes'),
  lines: Type.Integer({ minimum: 1, description: 'newlines in the content, plus one' }),
  mtime_ns: Nanoseconds('modification time in nanoseconds since the epoch'),
  version: Type.String({ description: 'version of the text, for if_match of a save' }),
  mime: Type.String({ description: 'media type by the extension' }),
  is_binary: Type.Boolean(),
  is_lossy: Type.Boolean({ description: 'saving this text would destroy bytes that are not valid UTF-8' }),
  preview: Nullable(Preview)
}, { title: 'FileText' })

export const FileBytes = Bytes('*/*', 'the bytes')
export const PartOfFile = Bytes('*/*', 'the requested bytes')
export const ZipBytes = Bytes('application/zip', 'a zip archive, created while it is sent')
export const Unchanged = Type.Null({ description: 'not changed since the ETag that was sent; no body' })
