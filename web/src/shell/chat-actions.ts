import { navigate } from 'wouter-preact/use-browser-location'
import { api, sessions } from '../app.js'
import { archiveSession, branchSession, deleteSession, moveSession, pinSession, renameSession } from '../core/sessions/session-actions.js'
import { attempt, attemptEach } from '../ui/attempt.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { places } from './places.js'
import { projects } from './projects.js'
import { chosen, leaving } from './rail-state.js'
import { sendLast, unlessTakenBack } from './taking-back.js'

// Actions on chats from the list: on one, or on all that are selected.

/** Runs an action for each chat, and ends the selection if all succeeded. Failures are shown and do not stop the others. */
async function toEach (ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<boolean> {
  const isDone = await attemptEach(ids, act)
  if (isDone) chosen.value = new Set()
  return isDone
}

export const pinChats = async (ids: readonly string[], isPinned: boolean): Promise<void> => {
  await toEach(ids, async (id) => await pinSession(api, id, isPinned))
}

export const renameChat = async (id: string, title: string): Promise<void> => {
  await attempt(async () => await renameSession(api, id, title))
}

export async function moveChats (ids: readonly string[], projectId: string | null): Promise<void> {
  const before = new Map(ids.map((id) => [id, sessions.row(id)?.project_id ?? null]))
  const w = screenWords.value.rail
  if (!await toEach(ids, async (id) => await moveSession(api, id, projectId))) return
  const name = projects.peek().find(({ project_id: id }) => id === projectId)?.name
  toast(name === undefined ? w.movedOut(ids.length) : w.moved(ids.length, name), undoing(async () => {
    for (const [id, project] of before) await moveSession(api, id, project)
  }))
}

export async function archiveChats (ids: readonly string[]): Promise<void> {
  if (!await toEach(ids, async (id) => await archiveSession(api, id, true))) return
  toast(screenWords.value.rail.archived(ids.length), undoing(async () => {
    for (const id of ids) await archiveSession(api, id, false)
  }))
}

export const branchChat = async (id: string): Promise<void> => {
  await attempt(async () => navigate(places.session((await branchSession(api, id)).session_id)))
}

/** Saves each chat as a file. Browsers drop downloads that begin at the same moment. */
export async function exportChats (ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const link = Object.assign(document.createElement('a'), { href: api.url('/api/session/export', { session_id: id, format: 'json' }), download: '' })
    link.click()
    await new Promise((resolve) => { setTimeout(resolve, betweenDownloadsMs) })
  }
  chosen.value = new Set()
}

const betweenDownloadsMs = 400

/** Hides chats from the list, and deletes them once the offer to undo, or the page, is gone. */
export function deleteChats (ids: readonly string[]): void {
  const left = new Set(ids)
  leaving.value = new Set([...leaving.peek(), ...ids])
  chosen.value = new Set()
  if (ids.some((id) => location.pathname === places.session(id))) navigate(places.start, { replace: true })
  unlessTakenBack(screenWords.value.rail.deleted(ids.length), {
    act: async () => await attemptEach(ids, async (id) => {
      await deleteSession(api, id)
      left.delete(id)
    }),
    atLeave: () => { for (const id of left) sendLast('/api/session/delete', { session_id: id }) },
    end: () => { leaving.value = new Set([...leaving.peek()].filter((id) => !ids.includes(id))) }
  })
}

const undoing = (act: () => Promise<unknown>): { action: { text: string, onPick: () => void } } =>
  ({ action: { text: words.value.common.undo, onPick: () => { void attempt(act) } } })
