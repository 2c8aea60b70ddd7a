import { languageCodes } from '../words/languages.js'

/** The pages of the settings, by group, in the order of the navigation. */
export const groups = {
  you: ['appearance', 'writing', 'shortcuts', 'notifications', 'voice'],
  agent: ['behaviour', 'models', 'permissions', 'budgets', 'profiles'],
  access: ['sign-in', 'devices', 'shares'],
  connections: ['tool-servers', 'machines', 'plugins'],
  data: ['privacy', 'transfer', 'archive', 'audit', 'diagnostics', 'about']
} as const
export type GroupName = keyof typeof groups
export type PageName = typeof groups[GroupName][number]

export const groupNames: readonly GroupName[] = ['you', 'agent', 'access', 'connections', 'data']
const pages: readonly PageName[] = groupNames.flatMap((group) => groups[group])

/** Pages by their earlier names. */
const formerNames: Readonly<Record<string, PageName>> = {
  assistant: 'behaviour', personalities: 'behaviour', chats: 'writing', speech: 'voice', grants: 'permissions', agents: 'permissions',
  security: 'sign-in', mcp: 'tool-servers', updates: 'about', network: 'about', advanced: 'appearance'
}

/** Returns the page of an address, which may be an earlier one; null if there is none. */
export const pageOf = (name: string): PageName | null => pages.find((page) => page === name) ?? formerNames[name] ?? null

/**
 * A setting: its page, and its values. Its texts are in `words.settings.keys`, its other names in `synonyms/`. `part`: a part of its page
 * with controls of its own, such as the passkeys; elsewhere it is a link.
 */
export interface Setting {
  readonly key: string
  readonly page: PageName
  readonly kind: 'switch' | 'choice' | 'number' | 'text' | 'time' | 'folder' | 'part'
  readonly choices?: readonly string[]
  /** Bounds and step of the shown number. */
  readonly min?: number
  readonly max?: number
  readonly step?: number
  /** How many stored units one shown unit has, such as 86,400 for seconds that are shown as days. */
  readonly per?: number
  /** Whether it may be empty, which means no limit. */
  readonly isOptional?: true
}

type More = Omit<Setting, 'key' | 'page' | 'kind'>
const on = (page: PageName) => ({
  switches: (...keys: string[]): Setting[] => keys.map((key) => ({ key, page, kind: 'switch' })),
  choice: (key: string, choices: readonly string[]): Setting => ({ key, page, kind: 'choice', choices }),
  number: (key: string, min: number, max: number, more: More = {}): Setting => ({ key, page, kind: 'number', min, max, ...more }),
  text: (key: string): Setting => ({ key, page, kind: 'text' }),
  times: (...keys: string[]): Setting[] => keys.map((key) => ({ key, page, kind: 'time' })),
  folder: (key: string): Setting => ({ key, page, kind: 'folder' }),
  parts: (...keys: string[]): Setting[] => keys.map((key) => ({ key, page, kind: 'part' }))
})

const appearance = on('appearance')
const writing = on('writing')
const notifications = on('notifications')
const voice = on('voice')
const behaviour = on('behaviour')
const about = on('about')

/** Every setting that the app or the service acts on. Pages, the search and the palette read this table. */
export const settingsTable: readonly Setting[] = [
  appearance.choice('theme', ['system', 'light', 'dark']),
  appearance.choice('density', ['comfortable', 'compact']),
  appearance.choice('own_language', ['', ...languageCodes]),
  appearance.choice('language', [...languageCodes]),
  appearance.choice('font_size', ['small', 'default', 'large', 'xlarge']),
  ...appearance.switches('rtl'),
  appearance.number('pinned_sessions_limit', 1, 99),
  ...appearance.switches('show_cron_sessions', 'show_cli_sessions', 'show_claude_code_sessions'),

  writing.choice('send_key', ['enter', 'ctrl+enter', 'shift+enter']),
  ...writing.switches('hide_empty_state_suggestions', 'onboarding_completed'),

  ...on('shortcuts').switches('single_keys'),
  ...on('shortcuts').parts('shortcuts'),
  ...notifications.parts('push'),
  ...notifications.times('push_quiet_from', 'push_quiet_until'),
  ...notifications.switches('push_quiet_waiting'),
  ...notifications.times('push_digest_at'),
  notifications.text('push_time_zone'),

  ...voice.switches('tts_enabled', 'tts_auto_read', 'voice_mode_button', 'voice_continuous'),
  voice.choice('tts_engine', ['browser', 'engine_default', 'engine_keyed_a', 'engine_keyed_b']),
  voice.number('tts_rate', 0.5, 2, { step: 0.1 }),
  voice.number('tts_pitch', 0, 2, { step: 0.1 }),
  voice.number('voice_silence_ms', 0.2, 60, { step: 0.1, per: 1_000 }),

  behaviour.text('bot_name'),
  behaviour.folder('default_workspace'),
  behaviour.number('max_tokens', 1, 100_000_000, { isOptional: true }),
  behaviour.choice('auto_title_refresh_every', ['0', '5', '10', '20']),
  ...behaviour.parts('personalities'),
  ...on('models').parts('default_model', 'provider_keys'),
  ...on('permissions').parts('rules', 'agents'),
  ...on('budgets').parts('budget_turn', 'budget_session', 'budget_attempts', 'budget_job', 'budget_day'),
  ...on('profiles').parts('profiles'),

  ...on('sign-in').parts('password', 'passkeys', 'oidc'),
  on('sign-in').number('session_ttl_seconds', 1, 365, { per: 86_400 }),
  ...on('sign-in').parts('sign_out'),
  ...on('devices').parts('pairing', 'tokens'),
  ...on('shares').parts('shares'),

  ...on('tool-servers').parts('tool_servers'),
  ...on('machines').parts('machines'),
  ...on('plugins').parts('plugins'),

  ...on('privacy').switches('api_redact_enabled'),
  ...on('transfer').parts('import', 'export', 'backups'),
  ...on('archive').parts('archive'),
  ...on('audit').parts('audit'),
  ...on('diagnostics').parts('diagnostics'),
  ...about.parts('version'),
  ...about.switches('check_for_updates'),
  about.choice('update_channel', ['stable', 'experimental']),
  ...about.parts('network')
]

/** Returns the text shown for a stored value. */
export function shownText ({ per = 1 }: Setting, value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'number' ? String(Math.round(value / per * 10) / 10) : String(value)
}

/** Parses a typed value of a setting, or returns the code of what is wrong with it. */
export function parseTyped (setting: Setting, typed: string): { value: unknown } | { wrong: 'number' } {
  const trimmed = typed.trim()
  if (setting.kind !== 'number') return { value: trimmed }
  if (trimmed === '' && setting.isOptional === true) return { value: null }
  const { min = -Infinity, max = Infinity, step = 1, per = 1 } = setting
  const value = Number(trimmed)
  const isFit = Number.isFinite(value) && value >= min && value <= max && (step % 1 !== 0 || Number.isInteger(value))
  return trimmed === '' || !isFit ? { wrong: 'number' } : { value: per === 1 ? value : Math.round(value * per) }
}

/** Returns the value after the current one, for a setting that a key press can change. */
export function nextValue ({ kind, choices = [] }: Setting, value: unknown): unknown {
  if (kind === 'switch') return value !== true
  return choices[(choices.indexOf(String(value)) + 1) % choices.length]
}
