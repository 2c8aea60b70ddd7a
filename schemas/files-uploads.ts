import { Type, type TSchema } from '@sinclair/typebox'
import { ClientId, Closed, Id, Maybe } from './common.js'

/** Only for the document: a form is checked while it is read. */
const form = (fields: Record<string, TSchema>) => Type.Object({
  session_id: Type.Optional(Type.String({ description: 'session; required' })),
  file: Type.Optional(Type.String({ contentMediaType: 'application/octet-stream', description: 'the file with its name; required' })),
  client_id: ClientId(),
  ...fields
}, { description: 'multipart/form-data, with the fields in any order' })
const folder = Type.Optional(Type.String({ description: 'folder of the workspace; default: the workspace itself' }))

export const AttachForm = form({})
export const PlaceForm = form({ path: folder })

const uploaded = {
  filename: Type.String({ description: 'the sanitised name, unique in the folder' }),
  size: Type.Integer(),
  mime: Type.String({ description: 'media type, detected from the content' }),
  is_image: Type.Boolean()
}
export const AttachedFile = Closed({ ...uploaded, path: Type.String({ description: 'absolute path' }) }, { title: 'AttachedFile' })
export const PlacedFile = Closed({
  ok: Type.Boolean(), ...uploaded, path: Type.String({ description: 'relative to the workspace' })
}, { title: 'PlacedFile' })

export const ExtractBody = Type.Object({
  session_id: Id('session'),
  path: Type.String({ minLength: 1, maxLength: 4096, description: 'a zip, tar or tar.gz file of the workspace' }),
  dest_dir: Maybe(Type.String({ maxLength: 4096, description: 'where to create the new folder; default: the folder of the archive' }))
})
export const ExtractedFiles = Closed({
  ok: Type.Boolean(),
  extracted: Type.Integer({ description: 'files that were unpacked' }),
  files: Type.Array(Type.String(), { description: 'relative to the workspace; the first 1,000' }),
  truncated: Type.Boolean({ description: 'more files exist than are listed' }),
  skipped: Type.Integer({ description: 'entries that were left out: .git, and names that the service reserves' }),
  dest: Type.String({ description: 'the new folder, relative to the workspace' })
}, { title: 'ExtractedFiles' })
