import { api, settings } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { attempt } from '../ui/attempt.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'
import { localSettings } from './local.js'
import { type Setting } from './table.js'

/** The settings in force, and what pins them. */
export const serviceSettings = createResource(async () => await api.get('/api/settings'))

/** Returns the value of a setting in force. Read while drawing, it follows changes in other windows. */
export function valueOf ({ key }: Setting): unknown {
  const local = localSettings[key]
  if (local !== undefined) return local.value.value
  const values: Readonly<Record<string, unknown>> = serviceSettings.value.value ?? settings.values.value
  return values[key]
}

/** Saves a setting at once; one of the service with an undo. Throws ApiError. */
export async function saveSetting ({ key }: Setting, value: unknown): Promise<void> {
  const local = localSettings[key]
  if (local !== undefined) return local.save(value)
  const { [key]: before }: Readonly<Record<string, unknown>> = serviceSettings.value.peek() ?? settings.values.peek()
  const put = async (wanted: unknown): Promise<void> => serviceSettings.set(await api.post('/api/settings', { [key]: wanted }))
  await put(value)
  const w = screenWords.value.settings
  toast(w.saved(w.keys[key]?.[0] ?? key), {
    about: `setting ${key}`,
    action: { text: words.value.common.undo, onPick: () => { void attempt(async () => await put(before ?? null)) } }
  })
}
