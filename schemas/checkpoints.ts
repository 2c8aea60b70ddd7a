import { Type } from '@sinclair/typebox'
import { Closed, Id, Nullable, Seconds } from './common.js'
import { AsText } from './files.js'

const place = {
  session_id: Type.Optional(Nullable(Type.String({ maxLength: 200 }), 'a session that works in the folder')),
  workspace: Type.Optional(Nullable(Type.String({ maxLength: 4_096 }), 'instead of session_id: the folder'))
}

export const CheckpointsQuery = Type.Object(place)
export const CheckpointQuery = Type.Object({
  ...place,
  checkpoint: Id('checkpoint'),
  to: Type.Optional(Type.String({ maxLength: 200, description: 'a later checkpoint to compare with; default: the present files' })),
  renames: Type.Optional(Type.String({
    maxLength: 1, description: '1: shows a renamed file as one file instead of one deleted and one added'
  }))
})
export const CheckpointFileQuery = Type.Object({
  ...place,
  checkpoint: Id('checkpoint'),
  path: Type.String({ minLength: 1, maxLength: 4_096, description: 'relative to the workspace' }),
  as: AsText
})
export const RestoreBody = Type.Object({
  ...place,
  checkpoint: Id('checkpoint'),
  paths: Type.Optional(Nullable(Type.Array(Type.String({ maxLength: 4_096 }), {
    minItems: 1, maxItems: 1_000
  }), 'files and folders, relative to the workspace; absent: everything')),
  force: Type.Optional(
    Nullable(
      Type.Boolean(), 'restore even if the present state cannot be saved first, and remove files of repositories that were added since'
    )
  )
})

export const CheckpointEntry = Closed({
  id: Type.String(),
  checkpoint: Type.String({ description: 'the same as id' }),
  kind: Type.String({ description: 'turn: made before a turn first wrote; restore: made before a checkpoint was restored' }),
  state: Type.String({ description: 'ready; skipped: no checkpoint was made' }),
  reason: Nullable(Type.String(), 'why no checkpoint was made, or what it leaves out'),
  session_id: Type.String(),
  stream_id: Nullable(Type.String(), 'stream_id of the turn'),
  title: Type.String({ description: 'the beginning of the message of the turn' }),
  files_count: Nullable(Type.Integer()),
  created_at: Seconds()
}, { title: 'CheckpointEntry' })
export const CheckpointList = Closed({
  checkpoints: Type.Array(CheckpointEntry, { description: 'checkpoints of all sessions that work in the folder, newest first' }),
  workspace: Type.String(),
  checkpoint_dir: Type.String({ description: 'always empty' })
}, { title: 'CheckpointList' })

export const CheckpointDiff = Closed({
  checkpoint: Type.String(),
  diff: Type.String({ description: 'unified diff of the folder since the checkpoint, at most 512 KiB' }),
  truncated: Type.Boolean({ description: 'the text was cut' }),
  files_changed: Type.Array(Closed({
    file: Type.String(),
    status: Type.String({ description: 'added, modified or deleted since the checkpoint; with `renames` also renamed' }),
    old_file: Type.Optional(Type.String({ description: 'the former path of a renamed file' }))
  }), { description: 'at most 5,000' }),
  total_changes: Type.Integer()
}, { title: 'CheckpointDiff' })

export const Restored = Closed({
  ok: Type.Boolean({ description: 'everything was restored' }),
  files_restored: Type.Array(Type.String(), { description: 'files that were restored, or removed because they were added later' }),
  files_restored_count: Type.Integer(),
  errors: Type.Array(Closed({ file: Type.String(), error: Type.String() }), {
    description: 'files that could not be restored, and repositories whose history no checkpoint has'
  }),
  safety_checkpoint: Nullable(
    Type.String(), 'the checkpoint of the former state; restoring it undoes this restore; null: nothing had to be changed'
  )
}, { title: 'Restored' })
