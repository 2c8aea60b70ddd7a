import { nextSession, type Opened } from '../conversation/opened.js'
import { type ModelChoice } from '../models/catalog.js'
import { catalog } from '../models/store.js'

/** The model that answers next: of a chat its own, of one that is not there yet what was picked for it, else the usual one. */
export function modelOf ({ conversation }: Opened): ModelChoice | null {
  const session = conversation.session.value
  if (session?.model != null) return { model: session.model, provider: session.model_provider }
  const { model, model_provider: provider } = nextSession.value
  if (conversation.sessionId.value === null && model !== undefined) return { model, provider: provider ?? null }
  const known = catalog.value.value
  return known?.default_model == null ? null : { model: known.default_model, provider: known.active_provider }
}
