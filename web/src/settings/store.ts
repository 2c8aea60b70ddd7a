import { api, settings } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { attempt } from '../ui/attempt.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'
import { localSettings } from './local-settings.js'
import { type Setting } from './table.js'

/** The current settings, and what prevents changing them. */
export const serviceSettings = createResource(async () => await api.get('/api/settings'))

/** Returns the current value of a setting. A reactive read, which follows changes in other windows. */
export function valueOf ({ key }: Setting): unknown {
  const local = localSettings[key]
  if (local !== undefined) return local.value.value
  const values: Readonly<Record<string, unknown>> = serviceSettings.value.value ?? settings.values.value
  return values[key]
}

const deviceZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Saves a setting at once; one of the service with an undo. Throws ApiError. */
export async function saveSetting ({ key, kind }: Setting, value: unknown): Promise<void> {
  const local = localSettings[key]
  if (local !== undefined) return local.save(value)
  const { [key]: before }: Readonly<Record<string, unknown>> = serviceSettings.value.peek() ?? settings.values.peek()
  // A time of day is in the person's time zone, not in the service's.
  const beside = kind === 'time' && settings.values.peek().push_time_zone === '' ? { push_time_zone: deviceZone() } : {}
  const put = async (wanted: unknown): Promise<void> => serviceSettings.set(await api.post('/api/settings', { ...beside, [key]: wanted }))
  await put(value)
  const w = screenWords.value.settings
  toast(w.saved(w.keys[key]?.[0] ?? key), {
    about: `setting ${key}`,
    action: { text: words.value.common.undo, onPick: () => { void attempt(async () => await put(before ?? null)) } }
  })
}
