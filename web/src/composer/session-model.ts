import { settings } from '../app.js'
import { nextSession, type OpenChat } from '../conversation/open-chat.js'
import { type ModelChoice } from '../models/catalog.js'
import { catalogIn, type ModelPlace } from '../models/store.js'

/** Returns the folder of a chat, or the one chosen for a new chat. */
export function placeOf ({ conversation }: OpenChat): ModelPlace {
  const usual = settings.values.value.default_workspace
  const workspace = conversation.session.value?.workspace ?? nextSession.value.workspace ?? (typeof usual === 'string' ? usual : null)
  return { sessionId: conversation.sessionId.value, workspace }
}

/** Returns the model that answers next: the chat's own, the one chosen for a new chat, or the default. */
export function modelOf (opened: OpenChat): ModelChoice | null {
  const { conversation } = opened
  const session = conversation.session.value
  if (session?.model != null) return { model: session.model, provider: session.model_provider }
  const { model, model_provider: provider } = nextSession.value
  if (conversation.sessionId.value === null && model !== undefined) return { model, provider: provider ?? null }
  const known = catalogIn(placeOf(opened)).value.value
  return known?.default_model == null ? null : { model: known.default_model, provider: known.active_provider }
}
