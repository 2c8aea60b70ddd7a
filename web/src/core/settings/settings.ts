import { batch, computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { type Wire } from '../service/api.js'
import { type Link } from '../service/link.js'

export interface Settings {
  /** The values that `POST /api/settings` can change, by key; empty before the first snapshot. */
  readonly values: ReadonlySignal<Readonly<Record<string, unknown>>>
  /** The keys of saved values, without defaults; null before the first snapshot. */
  readonly saved: ReadonlySignal<ReadonlySet<string> | null>
  /** The name of the assistant. */
  readonly botName: ReadonlySignal<string>
  /** The active profile; empty before the first snapshot. */
  readonly profile: ReadonlySignal<string>
  /** Why config.yaml cannot be read; its previous settings stay in use. */
  readonly configError: ReadonlySignal<string | null>
  readonly configProblems: ReadonlySignal<ReadonlyArray<Wire<'ConfigProblem'>>>
}

/** Follows the settings and the profile in the feed. */
export function createSettings ({ link, serviceName }: { link: Link, serviceName: string }): Settings {
  const values = signal<Readonly<Record<string, unknown>>>({})
  const saved = signal<ReadonlySet<string> | null>(null)
  const profile = signal('')
  const configError = signal<string | null>(null)
  const configProblems = signal<ReadonlyArray<Wire<'ConfigProblem'>>>([])
  const hear = (data: { settings: Readonly<Record<string, unknown>>, saved_settings: string[] }): void => batch(() => {
    values.value = data.settings
    saved.value = new Set(data.saved_settings)
  })
  link.onFrame((frame) => {
    switch (frame.event) {
      case 'snapshot':
        hear(frame.data)
        profile.value = frame.data.profile
        configError.value = frame.data.config_error
        configProblems.value = frame.data.config_problems
        return
      case 'settings':
        hear(frame.data)
        return
      case 'profile':
        if (frame.data.profile !== profile.peek()) return
        configError.value = frame.data.config_error
        configProblems.value = frame.data.config_problems
    }
  })
  return {
    values, saved, profile, configError, configProblems,
    botName: computed(() => typeof values.value.bot_name === 'string' ? values.value.bot_name : serviceName)
  }
}
