import { isDeepStrictEqual } from 'node:util'
import { type Answer } from '../wire.js'

type Fields = Record<string, Answer['body']>

export interface ReadBack {
  path: string
  /** Whether the acknowledged value is there. */
  holds (text: string): boolean
}

const query = (fields: Record<string, unknown>): string =>
  new URLSearchParams(Object.entries(fields).map(([key, value]): [string, string] => [key, String(value)])).toString()
const json = (text: string): Fields => JSON.parse(text) as Fields
const listed = (list: unknown, matches: (entry: Fields) => boolean): boolean => Array.isArray(list) && list.some(matches)

/** For each operation that was acknowledged: where to read it again, and what must be there. `sent` is the body, `got` the answer. */
const readBacks: Record<string, (sent: Fields, got: Fields) => ReadBack | null> = {
  'POST /api/session/new': (_sent, { session }) => ({
    path: `/api/session?${query({ session_id: session.session_id, messages: 0 })}`, holds: (text) => json(text).session.title === session.title
  }),
  'POST /api/session/rename': ({ session_id: id }, { session }) => ({
    path: `/api/session?${query({ session_id: id, messages: 0 })}`, holds: (text) => json(text).session.title === session.title
  }),
  'POST /api/session/pin': ({ session_id: id }, { session }) => session === undefined
    ? null
    : {
        path: `/api/session?${query({ session_id: id, messages: 0 })}`, holds: (text) => json(text).session.pinned === session.pinned
      },
  'POST /api/session/draft': ({ session_id: id }, { draft }) => ({
    path: `/api/session/draft?${query({ session_id: id })}`, holds: (text) => isDeepStrictEqual(json(text).draft, draft)
  }),
  'POST /api/session/duplicate': (_sent, { session }) => session === undefined
    ? null
    : {
        path: `/api/session?${query({ session_id: session.session_id, messages: 0 })}`, holds: (text) => json(text).session.message_count === session.message_count
      },
  'POST /api/session/import': (_sent, { session }) => ({
    path: `/api/session?${query({ session_id: session.session_id, messages: 0 })}`, holds: (text) => json(text).session.message_count === session.message_count
  }),
  'POST /api/projects/create': (_sent, { project }) => ({
    path: '/api/projects?all_profiles=1', holds: (text) => listed(json(text).projects, ({ project_id: id, name }) => id === project.project_id && name === project.name)
  }),
  'POST /api/file/save': ({ session_id: id, path, content }) => ({
    path: `/api/file/raw?${query({ session_id: id, path })}`, holds: (text) => text === content
  }),
  'POST /api/file/create': ({ session_id: id, path, content = '' }) => ({
    path: `/api/file/raw?${query({ session_id: id, path })}`, holds: (text) => text === (content ?? '')
  }),
  'POST /api/crons/create': (_sent, { job }) => ({
    path: '/api/crons?all_profiles=1', holds: (text) => listed(json(text).jobs, ({ id }) => id === job.id)
  }),
  'POST /api/auth/tokens/create': (_sent, { device }) => ({
    path: '/api/auth/tokens', holds: (text) => listed(json(text).tokens, ({ id }) => id === device.id)
  }),
  // The name in its front matter counts; another skill may have the name of its folder.
  'POST /api/skills/save': ({ content }, { name }) => /^\s*---/.test(content)
    ? null
    : {
        path: `/api/skills/content?${query({ name })}`, holds: (text) => json(text).content === content
      },
  'POST /api/personality/save': ({ name, prompt = '' }) => ({
    path: `/api/personality?${query({ name })}`, holds: (text) => json(text).prompt === prompt
  }),
  'POST /api/workspaces/add': (_sent, { workspaces }) => ({
    path: '/api/workspaces', holds: (text) => isDeepStrictEqual(json(text).workspaces, workspaces)
  })
}

/** Returns where to check that the acknowledged value is there; null if it cannot be checked. */
export function readBackOf (operation: string, sent: Record<string, unknown> | null, got: unknown): ReadBack | null {
  // What is created in another profile is not visible from this one.
  if (sent === null || typeof sent.profile === 'string' || typeof got !== 'object' || got === null) return null
  return readBacks[operation]?.(sent, got as Fields) ?? null
}
