import { Type, type TSchema } from '@sinclair/typebox'
import { Id, Nullable } from './common.js'

const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema))
const path = (description: string) => Type.String({ minLength: 1, maxLength: 4096, description })

export const Workspace = Type.Object({
  path: Type.String({ description: 'absolute' }),
  name: Type.String()
})
export const WorkspaceList = Type.Object({
  workspaces: Type.Array(Workspace),
  last: Type.String({ description: 'the folder of the conversation that was active last' }),
  terminal_remote_backend: Type.Boolean({ description: 'commands run on another machine' })
})
export const SuggestQuery = Type.Object({ prefix: Type.Optional(Type.String({ maxLength: 4096, description: 'what has been typed of a path; ~ is the home folder' })) })
export const Suggestions = Type.Object({ suggestions: Type.Array(Type.String()), prefix: Type.String() })

export const AddWorkspaceBody = Type.Object({
  path: path('absolute, or below ~'),
  name: Maybe(Type.String({ maxLength: 1000, description: 'default: the name of the folder' })),
  create: Maybe(Type.Boolean({ description: 'make the folder where there is none' }))
})
export const WorkspaceRef = Type.Object({ path: path('as the list shows it') })
export const RenameWorkspaceBody = Type.Object({ path: path('as the list shows it'), name: Type.String({ maxLength: 1000, description: 'empty: the name of the folder' }) })
export const ReorderBody = Type.Object({ paths: Type.Array(Type.String({ maxLength: 4096 }), { maxItems: 1000, description: 'what is not named comes after' }) })
export const ChangedWorkspaces = Type.Object({ ok: Type.Boolean(), workspaces: Type.Array(Workspace) })

export const FolderEventsQuery = Type.Object({
  session_id: Id('session'),
  path: Type.Optional(Type.String({ maxLength: 4096, description: 'folder, default: the workspace' }))
})
