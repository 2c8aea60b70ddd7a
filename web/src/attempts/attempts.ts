import { useEffect } from 'preact/hooks'
import { api, link } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { createResource, type Resource } from '../core/service/resource.js'
import { attempt as attempted } from '../ui/attempt.js'
import { toast } from '../ui/toasts.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords } from '../words/index.js'

export type AttemptsView = Wire<'Attempts'>
export type Attempt = Wire<'Attempt'>
export interface Part { path: string, hunks?: number[] }

/** The attempts of the profile, the latest first. */
export const list = createResource(async () => (await api.get('/api/attempts/list')).attempts)

/** Returns one set of attempts, which is read again whenever a part of it changes. */
export function useAttempts (id: string): Resource<AttemptsView> {
  const resource = useReading(async () => await api.get('/api/attempts', { attempts_id: id }), [id])
  useEffect(() => link.onFrame(({ event, data }) => {
    // Events of its chats may mean other costs, or prompts that wait.
    const isOurs = event === 'attempts_changed'
      ? data.attempts_id === id
      : event === 'session' &&
      resource.value.peek()?.sessions.some(({ session_id: session }) => session === data.session_id) === true
    if (isOurs) void resource.refresh()
  }), [resource])
  return resource
}

export const isAtWork = ({ state }: Pick<Attempt, 'state'>): boolean =>
  state === 'waiting' || state === 'running' || state === 'checking' || state === 'reviewing'

/** Applies an attempt, or parts of it, to the folder, and offers to undo that. */
export async function take (
  { attempts_id: id }: AttemptsView, { session_id: sessionId }: Attempt, { files, version }: { files?: Part[], version?: string } = {}
): Promise<void> {
  await attempted(async () => {
    const { files: changed } = await api.post('/api/attempts/take', {
      attempts_id: id, session_id: sessionId, ...(files !== undefined && { files }), ...(version !== undefined && { version })
    })
    const w = screenWords.value.attempts
    toast(w.took(changed.length), { about: 'attempts', action: { text: w.undo, onPick: () => { void undo(id) } } })
  })
}

/** Undoes what was taken last. */
export async function undo (id: string): Promise<void> {
  await attempted(async () => {
    const { files } = await api.post('/api/attempts/undo', { attempts_id: id })
    toast(screenWords.value.attempts.undone(files.length), { about: 'attempts' })
  })
}

export const stop = async (id: string): Promise<void> => {
  await attempted(async () => await api.post('/api/attempts/stop', { attempts_id: id }))
}

export async function removeWorktrees (id: string): Promise<void> {
  await attempted(async () => {
    await api.post('/api/attempts/remove', { attempts_id: id })
    toast(screenWords.value.attempts.removed)
  })
}
