import { api } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { attempt } from '../ui/attempt.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'

/** The settings in force, and what pins them. */
export const serviceSettings = createResource(async () => await api.get('/api/settings'))

/** Saves a setting at once, with an undo. Throws ApiError. */
export async function saveSetting (key: string, value: unknown, name: string): Promise<void> {
  const { [key]: before }: Readonly<Record<string, unknown>> = serviceSettings.value.peek() ?? {}
  const put = async (wanted: unknown): Promise<void> => serviceSettings.set(await api.post('/api/settings', { [key]: wanted }))
  await put(value)
  toast(screenWords.value.settings.saved(name), {
    about: `setting ${key}`,
    action: { text: words.value.common.undo, onPick: () => { void attempt(async () => await put(before ?? null)) } }
  })
}
