import { effect } from '@preact/signals'
import { settings } from '../app.js'
import { language, speak, wantedLanguage } from '../words/index.js'

// Until the service reports its language, the last known one is used.
effect(() => {
  if (settings.saved.value === null) return
  const wanted = wantedLanguage(settings.saved.value.has('language') ? settings.values.value.language : null)
  if (wanted !== language.peek()) speak(wanted).catch(() => {})
})
