import { computed, type ReadonlySignal } from '@preact/signals'
import { density, isDensity, isTheme, theme } from '../shell/appearance.js'
import { singleKeys } from '../shell/keys.js'
import { toast } from '../ui/Toast.js'
import { chooseLanguage, languageCodes, ownLanguage, words } from '../words/index.js'

interface Local { readonly value: ReadonlySignal<unknown>, readonly save: (value: unknown) => void }

/** The settings that are stored in this browser, by their keys in the table. */
export const localSettings: Readonly<Record<string, Local>> = {
  theme: { value: theme, save: (value) => { if (isTheme(value)) theme.value = value } },
  density: { value: density, save: (value) => { if (isDensity(value)) density.value = value } },
  single_keys: { value: singleKeys, save: (value) => { singleKeys.value = value === true } },
  own_language: {
    value: computed(() => ownLanguage.value ?? ''),
    save: (value) => {
      const chosen = languageCodes.find((code) => code === value) ?? null
      chooseLanguage(chosen).catch(() => toast(words.value.ui.partMissing, { kind: 'bad' }))
    }
  }
}
