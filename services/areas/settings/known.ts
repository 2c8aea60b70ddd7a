import { type Static, type TSchema } from '@sinclair/typebox'
import { speechSettings, storedSettings, type StoredSettings } from '../../../schemas/settings.js'
import { isKeyOf } from '../../ground/one-of.js'
import { table } from '../../ground/lookup-table.js'

export type SettingValues = Static<typeof StoredSettings>

export type SpeechKey = keyof typeof speechSettings
export const speechKeys = Object.keys(speechSettings) as SpeechKey[]

/** Former names of settings, which some clients still use. */
const formerNames = table<keyof typeof storedSettings>({ busy_input_mode: 'default_message_mode' })

/** Tabs that cannot be hidden. */
const fixedTabs = new Set(['chat', 'settings'])

/** Translates a change to current names; removes duplicates from lists. */
export function normalised (key: string, value: unknown): [key: string, value: unknown] {
  const known = formerNames[key] ?? key
  if ((known === 'bot_name' || known === 'default_workspace') && typeof value === 'string') return [known, value.trim()]
  if (known === 'auto_title_refresh_every' && typeof value === 'number') return [known, String(value)]
  if (!Array.isArray(value)) return [known, value]
  const names: unknown[] = [...new Set(value)]
  return [known, known === 'hidden_tabs' || known === 'tab_order' ? names.filter((name) => typeof name !== 'string' || !fixedTabs.has(name)) : names]
}

export function schemaOf (key: string): TSchema | undefined {
  return isKeyOf(storedSettings, key) ? storedSettings[key] : undefined
}
