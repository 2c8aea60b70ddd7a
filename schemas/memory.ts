import { Type } from '@sinclair/typebox'
import { Closed, Flag, Maybe, Nullable, OneOf, Seconds } from './common.js'

const Section = OneOf(
  ['memory', 'user', 'soul'],
  'memory: working notes (MEMORY.md); user: facts about the user (USER.md); soul: the character of the agent (SOUL.md)'
)
const Path = Type.String({ description: 'absolute path; empty: the profile does not use the document' })
const Time = Nullable(Seconds('epoch seconds'), 'epoch seconds; null: the file does not exist')
const Version = Type.String({ description: 'version to send as if_match of a write' })
const VersionId = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })

export const MemoryQuery = Type.Object({
  session_id: Type.Optional(Type.String({
    maxLength: 200, description: 'the session whose workspace the project context is read from; default: the last used workspace'
  })),
  plain: Flag('return texts unmasked; for people, and tokens with the scope `admin`')
})

export const MemoryDocuments = Closed({
  memory: Type.String(),
  user: Type.String(),
  soul: Type.String(),
  memory_path: Path,
  user_path: Path,
  soul_path: Path,
  memory_mtime: Time,
  user_mtime: Time,
  soul_mtime: Time,
  memory_version: Version,
  user_version: Version,
  soul_version: Version,
  problems: Type.Array(Closed({ section: Section, problem: Type.String({ description: 'the reason, as the end of a sentence' }) }), {
    description: 'documents that exist but cannot be read'
  }),
  max_bytes: Type.Integer({ description: 'largest size of a document in bytes' }),
  project_context: Type.String({ description: 'the rules file of the workspace (AGENTS.md and similar); empty: none' }),
  project_context_path: Type.String(),
  project_context_name: Type.String(),
  project_context_workspace: Type.String(),
  project_context_mtime: Time,
  project_context_shadowed: Type.Array(Type.String(), { description: 'rules files that a file nearer to the workspace replaces' }),
  external_notes_enabled: Type.Boolean()
}, { title: 'MemoryDocuments' })

export const WriteMemory = Type.Object({
  section: Section,
  content: Type.String({ description: 'the whole document; an empty one is allowed' }),
  if_match: Maybe(Type.String({
    maxLength: 200, description: 'the version that was read; if the document has changed since, nothing is written'
  }))
})

export const WrittenMemory = Closed({
  ok: Type.Literal(true), section: Section, path: Type.String({ description: 'absolute path' }), mtime: Time, version: Version
}, { title: 'WrittenMemory' })

export const MemorySectionQuery = Type.Object({ section: Section })

export const MemoryHistory = Closed({
  section: Section,
  versions: Type.Array(Closed({
    id: Type.Integer(),
    author: OneOf(['person', 'agent', 'disk'], 'who made the version; disk: a change from outside this service'),
    created_at: Seconds(),
    bytes: Type.Integer(),
    missing: Type.Boolean({ description: 'the file did not exist' })
  }), { description: 'newest first' })
}, { title: 'MemoryHistory' })

export const CompareMemoryQuery = Type.Object({
  section: Section,
  from: Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'id of a version' }),
  to: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'id of another version; default: the present text' }))
})
export const MemoryDifference = Closed({
  section: Section,
  diff: Type.String({ description: 'unified diff, credentials masked' }),
  text: Type.String({ description: 'the text of the version `from`' })
}, { title: 'MemoryDifference' })

export const CurateMemory = Type.Object({ section: Section })
export const CuratedMemory = Closed({
  section: Section,
  text: Type.String({ description: 'the whole document, tidied; masked credentials stay masked' }),
  diff: Type.String({ description: 'unified diff against the present text; empty: nothing to tidy' }),
  version: Version
}, { title: 'CuratedMemory' })

export const RestoreMemory = Type.Object({ section: Section, id: VersionId })
