import { type Api, type Wire } from '../service/api.js'

// Actions on a session as a whole, or on the end of its transcript. All throw ApiError; an edit while a turn runs is a 409 with
// `active_stream_id`.

export async function renameSession (api: Api, sessionId: string, title: string): Promise<Wire<'SessionRow'>> {
  return (await api.post('/api/session/rename', { session_id: sessionId, title })).session
}

export async function pinSession (api: Api, sessionId: string, isPinned: boolean): Promise<Wire<'SessionRow'>> {
  return (await api.post('/api/session/pin', { session_id: sessionId, pinned: isPinned })).session
}

export async function archiveSession (api: Api, sessionId: string, isArchived: boolean): Promise<Wire<'SessionRow'>> {
  return (await api.post('/api/session/archive', { session_id: sessionId, archived: isArchived })).session
}

/** Moves a session into a project; null: out of its project. Waits a few seconds for a running turn. */
export async function moveSession (api: Api, sessionId: string, projectId: string | null): Promise<Wire<'SessionRow'>> {
  return (await api.post('/api/session/move', { session_id: sessionId, ...(projectId === null ? {} : { project_id: projectId }) })).session
}

/** Deletes a session permanently. Its worktree stays, and the answer names it. */
export async function deleteSession (api: Api, sessionId: string): Promise<Wire<'DeleteAnswer'>> {
  return await api.post('/api/session/delete', { session_id: sessionId })
}

/** Deletes a temporary chat, unless it has been kept meanwhile, here or in another window. */
export async function deleteTemporary (api: Api, sessionId: string): Promise<void> {
  await api.post('/api/session/delete', { session_id: sessionId, temporary: true })
}

export async function duplicateSession (api: Api, sessionId: string): Promise<string> {
  return (await api.post('/api/session/duplicate', { session_id: sessionId })).session.session_id
}

/** Creates a session with the first `keepCount` messages of this one, or all of them. Possible at any time. */
export async function branchSession (api: Api, sessionId: string, keepCount?: number, title?: string): Promise<Wire<'BranchAnswer'>> {
  return await api.post('/api/session/branch', {
    session_id: sessionId, ...(keepCount === undefined ? {} : { keep_count: keepCount }), ...(title === undefined ? {} : { title })
  })
}

/**
 * Creates a branch of a session in which a message is about to be replaced. It keeps the present version of the message at `index`; null:
 * its index is unknown, and the branch is an ordinary one.
 */
export async function keepVersion (api: Api, sessionId: string, index: number | null, title: string | undefined): Promise<Wire<'BranchAnswer'>> {
  return await api.post('/api/session/branch', {
    session_id: sessionId, ...(index === null ? {} : { version_index: index }), ...(title === undefined ? {} : { title })
  })
}

/** Returns whether a session of another front end can be continued in place. */
export async function attachable (api: Api, sessionId: string): Promise<Wire<'AttachAnswer'>> {
  return await api.get('/api/session/attach', { session_id: sessionId })
}

/** Makes a session of another front end continuable in place, under the same id. */
export async function attachSession (api: Api, sessionId: string): Promise<void> {
  await api.post('/api/session/attach', { session_id: sessionId })
}

/** Removes a message and everything after it. */
export async function truncateSession (api: Api, sessionId: string, keepCount: number): Promise<void> {
  await api.post('/api/session/truncate', { session_id: sessionId, keep_count: keepCount })
}

export async function clearSession (api: Api, sessionId: string): Promise<void> {
  await api.post('/api/session/clear', { session_id: sessionId })
}

/** Removes the last exchange. Returns how it began; null if there was none. */
export async function undoLast (api: Api, sessionId: string): Promise<{ preview: string } | null> {
  const answer = await api.post('/api/session/undo', { session_id: sessionId })
  return 'error' in answer ? null : { preview: answer.removed_preview }
}

/** Removes the last answer and its message and returns the text, to be sent again; null if there is none. */
export async function takeLastBack (api: Api, sessionId: string): Promise<{ text: string } | null> {
  const answer = await api.post('/api/session/retry', { session_id: sessionId })
  return 'error' in answer ? null : { text: answer.last_user_text }
}

/** Returns a message as it was typed; credentials are masked only where it is shown. */
export async function readTyped (api: Api, sessionId: string, index: number): Promise<string> {
  return (await api.get('/api/session/typed', { session_id: sessionId, index: String(index) })).text
}

/** Summarises earlier messages for the model now, focused on a topic if given. Takes as long as a model's answer. */
export async function compressSession (api: Api, sessionId: string, focusTopic?: string): Promise<Wire<'CompressAnswer'>> {
  return await api.post('/api/session/compress', {
    session_id: sessionId, ...(focusTopic === undefined ? {} : { focus_topic: focusTopic })
  })
}
