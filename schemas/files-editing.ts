import { Type } from '@sinclair/typebox'
import { Closed, Id, Maybe, Nanoseconds, Nullable, Seconds } from './common.js'

const path = Type.String({ minLength: 1, maxLength: 4096, description: 'relative to the workspace' })
const parents = Maybe(Type.Boolean({ description: 'create missing parent folders' }))

export const CreateFileBody = Type.Object({ session_id: Id('session'), path, content: Maybe(Type.String()), parents })
export const SaveFileBody = Type.Object({
  session_id: Id('session'),
  path,
  content: Type.String(),
  if_match: Maybe(Type.String({
    maxLength: 200, description: 'the version that was read; if the file has changed since, nothing is written'
  })),
  force: Maybe(Type.Boolean({ description: 'with if_match: replace the file even if it is not text' }))
})
export const WrittenFile = Closed({
  ok: Type.Boolean(),
  path: Type.String(),
  size: Type.Integer(),
  version: Type.String({ description: 'version to send as if_match with the next save' }),
  mtime_ns: Nanoseconds('modification time in nanoseconds since the epoch')
}, { title: 'WrittenFile' })

export const RenameEntryBody = Type.Object({ session_id: Id('session'), path, new_name: Type.String({ minLength: 1, maxLength: 1000 }) })
export const MoveEntryBody = Type.Object({
  session_id: Id('session'), path, dest_dir: Type.String({ maxLength: 4096, description: 'folder; empty or . stands for the workspace' })
})
export const MovedEntry = Closed({ ok: Type.Boolean(), old_path: Type.String(), new_path: Type.String() }, { title: 'MovedEntry' })

export const CreateFolderBody = Type.Object({ session_id: Id('session'), path, parents })
export const EntryBody = Type.Object({ session_id: Id('session'), path })
export const EntryAnswer = Closed({ ok: Type.Boolean(), path: Type.String() }, { title: 'EntryAnswer' })
export const AbsolutePath = Closed({ ok: Type.Boolean(), path: Type.String({ description: 'absolute path' }) }, { title: 'AbsolutePath' })

export const DeleteEntryBody = Type.Object({
  session_id: Id('session'), path, recursive: Maybe(Type.Boolean({ description: 'required for folders' })),
  permanent: Maybe(Type.Boolean({ description: 'delete it permanently instead of moving it to the trash' }))
})
export const DeletedEntry = Closed({
  ok: Type.Boolean(), path: Type.String(), trash_id: Nullable(Type.String(), 'null: it was deleted permanently')
}, { title: 'DeletedEntry' })
export const TrashList = Closed({
  items: Type.Array(Closed({
    id: Type.String(),
    path: Type.String({ description: 'its path before it was deleted' }),
    name: Type.String(),
    is_dir: Type.Boolean(),
    size: Nullable(Type.Integer(), 'null for folders'),
    deleted_at: Seconds()
  }), { description: 'newest first' })
}, { title: 'TrashList' })
export const RestoreBody = Type.Object({
  session_id: Id('session'), id: Id('id in the list'), dest_dir: Maybe(Type.String({
    maxLength: 4096, description: 'the folder to restore it to; default: its former one; empty or . stands for the workspace'
  }))
})
export const TrashRef = Type.Object({ session_id: Id('session'), id: Id('id in the list') })
export const RestoredEntry = Closed({
  ok: Type.Boolean(), path: Type.String({ description: 'its new path, under another name if its own was taken' })
}, { title: 'RestoredEntry' })
export const RemovedCount = Closed({ ok: Type.Boolean(), removed: Type.Integer() }, { title: 'RemovedCount' })
