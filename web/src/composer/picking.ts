import { api } from '../app.js'
import { updateSession } from '../core/sessions/session-settings.js'
import { nextSession, type OpenChat } from '../conversation/open-chat.js'
import { type ModelChoice } from '../models/catalog.js'
import { attempt } from '../ui/attempt.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { visible } from '../core/files/paths.js'
import { modelOf } from './session-model.js'

/** Changes the model of this chat, or of the chat that begins with the next message. */
export async function pickModel (opened: OpenChat, { model, provider }: ModelChoice): Promise<void> {
  const { conversation } = opened
  const before = modelOf(opened)
  const id = conversation.sessionId.peek()
  const change = { model, ...(provider === null ? {} : { model_provider: provider }) }
  if (id === null) {
    nextSession.value = { ...nextSession.peek(), ...change }
    return
  }
  const isDone = await attempt(async () => {
    const row = await updateSession(api, id, change)
    conversation.syncRow({ session_id: id, model: row.model, model_provider: row.model_provider })
  })
  if (isDone && before !== null && before.model !== model) {
    toast(screenWords.value.commands.modelSet(model), {
      about: 'model', action: { text: words.value.common.undo, onPick: () => { void pickModel(opened, before) } }
    })
  }
}

/** Changes the folder of this chat, or of the chat that begins with the next message. */
export async function pickFolder (opened: OpenChat, workspace: string): Promise<void> {
  const { conversation } = opened
  const id = conversation.sessionId.peek()
  if (id === null) {
    nextSession.value = { ...nextSession.peek(), workspace }
    return
  }
  const before = conversation.session.peek()?.workspace
  const isDone = await attempt(async () => {
    const row = await updateSession(api, id, { workspace })
    conversation.syncRow({ session_id: id, workspace: row.workspace })
  })
  if (isDone && before !== undefined && before !== workspace) {
    toast(screenWords.value.commands.folderSet(visible(workspace)), {
      about: 'folder', action: { text: words.value.common.undo, onPick: () => { void pickFolder(opened, before) } }
    })
  }
}
