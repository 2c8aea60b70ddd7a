import { Type } from '@sinclair/typebox'
import { Closed, MachineName, Id, Maybe, Nullable } from './common.js'

const path = (description: string) => Type.String({ minLength: 1, maxLength: 4096, description })

const Workspace = Closed({
  path: Type.String({ description: 'absolute path; on another machine name:/path' }),
  host: MachineName(),
  name: Type.String()
}, { title: 'Workspace' })
export const WorkspaceList = Closed({
  workspaces: Type.Array(Workspace),
  last: Type.String({ description: 'the folder of the last active session' }),
  terminal_remote_backend: Type.Boolean({ description: 'commands run on another machine' })
}, { title: 'WorkspaceList' })
export const SuggestQuery = Type.Object({
  prefix: Type.Optional(Type.String({
    maxLength: 4096, description: 'beginning of a path, or of the name of a machine; ~ stands for the home folder'
  }))
})
export const Suggestions = Closed({ suggestions: Type.Array(Type.String()), prefix: Type.String() }, { title: 'Suggestions' })

export const AddWorkspaceBody = Type.Object({
  path: path('absolute path, or below ~; name:/path on another machine'),
  name: Maybe(Type.String({ maxLength: 1000, description: 'default: the name of the folder' })),
  create: Maybe(Type.Boolean({ description: 'create the folder if it does not exist' }))
})
export const WorkspaceRef = Type.Object({ path: path('path in the list') })
export const RenameWorkspaceBody = Type.Object({
  path: path('path in the list'), name: Type.String({ maxLength: 1000, description: 'empty: the name of the folder' })
})
export const ReorderBody = Type.Object({
  paths: Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 1000, description: 'paths in their new order; those not named follow' })
})
export const ChangedWorkspaces = Closed({ ok: Type.Boolean(), workspaces: Type.Array(Workspace) }, { title: 'ChangedWorkspaces' })

export const FolderEventsQuery = Type.Object({
  session_id: Id('session'),
  path: Type.Optional(Type.String({ maxLength: 4096, description: 'folder; default: the workspace' }))
})

const FolderState = Closed({
  workspace: Type.String(),
  path: Type.String(),
  signature: Nullable(Type.String(), 'signature of the listing; null: the folder does not exist')
}, { title: 'FolderState', description: 'the state of the folder: once at the start, then whenever something in it has changed' })
/** Frames on the stream of a folder that is shown. */
export const folderFrames = {
  initial: FolderState,
  workspace_changed: FolderState,
  workspace_unreachable: Closed({
    workspace: Type.String(),
    path: Type.String(),
    error: Type.String({ description: 'why the state of the folder is unknown' })
  }, { title: 'FolderUnreachable', description: 'the machine of the folder is not connected; `initial` follows when it is back' })
}
