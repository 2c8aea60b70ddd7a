import { api } from '../app.js'
import { attempt } from '../ui/attempt.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'
import { type ModelChoice } from './catalog.js'
import { refreshModels } from './store.js'

/** Sets the default model, and offers to undo this. */
export async function setDefault ({ model, provider }: ModelChoice, before: ModelChoice | null = null): Promise<boolean> {
  const isDone = await attempt(async () => await api.post('/api/default-model', { model, ...(provider !== null && { provider }) }))
  await refreshModels()
  if (isDone) {
    toast(screenWords.value.models.setTo(model), {
      about: 'default-model', ...(before !== null &&
        { action: { text: words.value.common.undo, onPick: () => { void setDefault(before) } } })
    })
  }
  return isDone
}
