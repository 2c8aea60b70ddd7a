import { navigate } from 'wouter-preact/use-browser-location'
import { api } from '../app.js'
import { ApiError } from '../core/service/api.js'
import { deleteTemporary } from '../core/sessions/session-actions.js'
import { places } from '../shell/places.js'
import { sendLast, unlessTakenBack } from '../shell/taking-back.js'
import { attempt } from '../ui/attempt.js'
import { loadScreenWords, screenWords } from '../words/index.js'

/** Deletes a temporary chat that was left, once the offer to undo is gone. Returns what takes that back, for when it is opened again. */
export async function leaveTemporary (id: string): Promise<() => void> {
  await loadScreenWords()
  return unlessTakenBack(screenWords.value.chat.temporary.left, {
    act: async () => await attempt(async () => {
      try {
        await deleteTemporary(api, id)
      } catch (error) {
        // It was deleted elsewhere.
        if (!(error instanceof ApiError) || error.status !== 404) throw error
      }
    }),
    atLeave: () => sendLast('/api/session/delete', { session_id: id, temporary: true }),
    undone: () => navigate(places.session(id)),
    end: () => {}
  })
}
