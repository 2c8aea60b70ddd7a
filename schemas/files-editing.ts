import { Type } from '@sinclair/typebox'
import { Closed, Id, Maybe, Nanoseconds, Nullable, Seconds } from './common.js'

const path = (description = 'relative to the workspace') => Type.String({ minLength: 1, maxLength: 4096, description })
const parents = Maybe(Type.Boolean({ description: 'make the folders above it that are missing' }))

export const CreateFileBody = Type.Object({ session_id: Id('session'), path: path(), content: Maybe(Type.String()), parents })
export const SaveFileBody = Type.Object({
  session_id: Id('session'),
  path: path(),
  content: Type.String(),
  if_match: Maybe(Type.String({
    maxLength: 200, description: 'the version that was read; a file that is not this one any more is left alone'
  })),
  force: Maybe(Type.Boolean({ description: 'with if_match: replace the file also when it is not text' }))
})
export const WrittenFile = Closed({
  ok: Type.Boolean(),
  path: Type.String(),
  size: Type.Integer(),
  version: Type.String({ description: 'for if_match of the next save' }),
  mtime_ns: Nanoseconds('modification time in nanoseconds since the epoch')
}, { title: 'WrittenFile' })

export const RenameEntryBody = Type.Object({
  session_id: Id('session'), path: path(), new_name: Type.String({ minLength: 1, maxLength: 1000 })
})
export const MoveEntryBody = Type.Object({
  session_id: Id('session'), path: path(), dest_dir: Type.String({ maxLength: 4096, description: 'folder; empty or . is the workspace' })
})
export const MovedEntry = Closed({ ok: Type.Boolean(), old_path: Type.String(), new_path: Type.String() }, { title: 'MovedEntry' })

export const CreateFolderBody = Type.Object({ session_id: Id('session'), path: path(), parents })
export const EntryBody = Type.Object({ session_id: Id('session'), path: path() })
export const EntryAnswer = Closed({ ok: Type.Boolean(), path: Type.String() }, { title: 'EntryAnswer' })
export const AbsolutePath = Closed({ ok: Type.Boolean(), path: Type.String({ description: 'absolute' }) }, { title: 'AbsolutePath' })

export const DeleteEntryBody = Type.Object({
  session_id: Id('session'), path: path(), recursive: Maybe(Type.Boolean({ description: 'needed for folders' })),
  permanent: Maybe(Type.Boolean({ description: 'remove it for good, not into the trash' }))
})
export const DeletedEntry = Closed({
  ok: Type.Boolean(), path: Type.String(), trash_id: Nullable(Type.String(), 'null when it was removed for good')
}, { title: 'DeletedEntry' })
export const TrashList = Closed({
  items: Type.Array(Closed({
    id: Type.String(),
    path: Type.String({ description: 'where it was' }),
    name: Type.String(),
    is_dir: Type.Boolean(),
    size: Nullable(Type.Integer(), 'null for folders'),
    deleted_at: Seconds()
  }), { description: 'newest first' })
}, { title: 'TrashList' })
export const RestoreBody = Type.Object({
  session_id: Id('session'), id: Id('as the list shows it'), dest_dir: Maybe(Type.String({
    maxLength: 4096, description: 'folder that it comes into, default: where it was; empty or . is the workspace'
  }))
})
export const TrashRef = Type.Object({ session_id: Id('session'), id: Id('as the list shows it') })
export const RestoredEntry = Closed({
  ok: Type.Boolean(), path: Type.String({ description: 'where it is now: under another name where its own was taken' })
}, { title: 'RestoredEntry' })
export const RemovedCount = Closed({ ok: Type.Boolean(), removed: Type.Integer() }, { title: 'RemovedCount' })
