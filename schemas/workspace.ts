import { Type } from '@sinclair/typebox'
import { Closed, Host, Id, Maybe, Nullable } from './common.js'

const path = (description: string) => Type.String({ minLength: 1, maxLength: 4096, description })

const Workspace = Closed({
  path: Type.String({ description: 'absolute; of another machine: name:/path' }),
  host: Host(),
  name: Type.String()
}, { title: 'Workspace' })
export const WorkspaceList = Closed({
  workspaces: Type.Array(Workspace),
  last: Type.String({ description: 'the folder of the conversation that was active last' }),
  terminal_remote_backend: Type.Boolean({ description: 'commands run on another machine' })
}, { title: 'WorkspaceList' })
export const SuggestQuery = Type.Object({
  prefix: Type.Optional(Type.String({
    maxLength: 4096, description: 'what has been typed of a path, or of the name of a machine; ~ is the home folder'
  }))
})
export const Suggestions = Closed({ suggestions: Type.Array(Type.String()), prefix: Type.String() }, { title: 'Suggestions' })

export const AddWorkspaceBody = Type.Object({
  path: path('absolute, or below ~; name:/path is a folder of another machine'),
  name: Maybe(Type.String({ maxLength: 1000, description: 'default: the name of the folder' })),
  create: Maybe(Type.Boolean({ description: 'make the folder where there is none' }))
})
export const WorkspaceRef = Type.Object({ path: path('as the list shows it') })
export const RenameWorkspaceBody = Type.Object({
  path: path('as the list shows it'), name: Type.String({ maxLength: 1000, description: 'empty: the name of the folder' })
})
export const ReorderBody = Type.Object({
  paths: Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 1000, description: 'what is not named comes after' })
})
export const ChangedWorkspaces = Closed({ ok: Type.Boolean(), workspaces: Type.Array(Workspace) }, { title: 'ChangedWorkspaces' })

export const FolderEventsQuery = Type.Object({
  session_id: Id('session'),
  path: Type.Optional(Type.String({ maxLength: 4096, description: 'folder, default: the workspace' }))
})

const FolderState = Closed({
  workspace: Type.String(),
  path: Type.String(),
  signature: Nullable(Type.String(), 'as the list of the folder has it; null when the folder is gone')
}, { title: 'FolderState', description: 'how the folder is: first, and whenever something in it has changed' })
/** On the stream of a folder that is shown. */
export const folderFrames = {
  initial: FolderState,
  workspace_changed: FolderState,
  workspace_unreachable: Closed({
    workspace: Type.String(),
    path: Type.String(),
    error: Type.String({ description: 'why nobody knows how it is' })
  }, { title: 'FolderUnreachable', description: 'the machine of the folder is away; `initial` follows when it is there again' })
}
