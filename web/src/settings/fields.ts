/** A setting: what values it takes, within which bounds. Its words are in `words.settings.keys`. */
export interface Setting {
  readonly key: string
  readonly kind: 'switch' | 'choice' | 'number' | 'text' | 'names' | 'folder'
  readonly choices?: readonly string[]
  readonly min?: number
  readonly max?: number
  readonly step?: number
}

const sections = [
  'appearance', 'assistant', 'chats', 'notifications', 'speech', 'privacy', 'grants', 'personalities', 'security', 'devices', 'audit', 'machines',
  'profiles', 'mcp', 'agents', 'plugins', 'updates', 'transfer', 'shares', 'archive', 'network', 'budgets', 'shortcuts', 'advanced', 'diagnostics',
  'about'
] as const
export type SectionName = typeof sections[number]
export const isSection = (name: string): name is SectionName => sections.some((section) => section === name)

const onOff = (...keys: string[]): Setting[] => keys.map((key) => ({ key, kind: 'switch' }))
const one = (key: string, ...choices: string[]): Setting => ({ key, kind: 'choice', choices })
const number = (key: string, min: number, max: number, step = 1): Setting => ({ key, kind: 'number', min, max, step })
const text = (key: string): Setting => ({ key, kind: 'text' })

/** The keys of `POST /api/settings`, by the section that shows them. */
export const settingsOf: Partial<Record<SectionName, readonly Setting[]>> = {
  appearance: [one('language', 'en', 'zh'), one('font_size', 'small', 'default', 'large', 'xlarge'), ...onOff('rtl', 'fade_text_effect')],
  assistant: [
    text('bot_name'), { key: 'default_workspace', kind: 'folder' }, { key: 'max_tokens', kind: 'number', min: 1, max: 100_000_000 },
    ...onOff('show_thinking', 'onboarding_completed')
  ],
  chats: [
    one('send_key', 'enter', 'ctrl+enter', 'shift+enter'), one('default_message_mode', 'steer', 'queue', 'interrupt'),
    one('chat_activity_display_mode', 'compact_worklog', 'transparent_stream', 'hide_all_activity'),
    ...onOff(
      'worklog_details_expanded_default', 'auto_scroll_follow', 'render_user_markdown', 'large_text_paste_as_attachment',
      'hide_empty_state_suggestions', 'new_chat_on_workspace_switch'
    ),
    one('auto_title_refresh_every', '0', '5', '10', '20'), number('pinned_sessions_limit', 1, 99),
    ...onOff('show_cli_sessions', 'show_claude_code_sessions', 'show_cron_sessions', 'show_token_usage', 'show_tps')
  ],
  notifications: onOff('notifications_enabled', 'sound_enabled'),
  speech: [...onOff('tts_enabled', 'tts_auto_read', 'voice_mode_button', 'voice_continuous', 'raw_audio_mode'), one(
    'tts_engine', 'browser', 'engine_default', 'engine_keyed_a', 'engine_keyed_b'
  ), text('tts_voice'), number('tts_rate', 0.5, 2, 0.1), number('tts_pitch', 0, 2, 0.1), number('voice_silence_ms', 200, 60_000, 100)],
  privacy: onOff('api_redact_enabled'),
  updates: [...onOff('check_for_updates'), one('update_channel', 'stable', 'experimental')],
  advanced: [
    ...onOff('virtualize_transcript', 'virtualize_transcript_optin', 'session_jump_buttons', 'session_endless_scroll', 'show_quota_chip', 'show_conversation_outline', 'show_busy_placeholder_hint', 'hide_empty_state_panel',
      'project_quick_create_buttons', 'terminal_auto_expand_on_output', 'workspace_todos_tab', 'show_titlebar_profile', 'transparent_stream_event_timestamps', 'hide_composer_attach', 'hide_composer_saved_prompts', 'hide_composer_mic',
      'hide_composer_voice_mode', 'hide_composer_yolo', 'hide_composer_profile', 'hide_composer_workspace', 'hide_composer_mobile_config', 'hide_composer_model', 'hide_composer_quota_chip', 'hide_composer_reasoning', 'hide_composer_toolsets',
      'hide_composer_status', 'hide_composer_context', 'hide_composer_bg_badge'),
    one('theme', 'light', 'dark', 'system'), text('skin'), one('sidebar_density', 'compact', 'detailed'),
    one('structured_code_default_view', 'auto', 'on', 'off'), number('structured_code_auto_tree_lines', 1, 1_000),
    number('inflight_state_max_sessions', 1, 25), number('inflight_state_max_messages', 1, 100),
    number('inflight_state_max_tool_calls', 1, 200), number('inflight_state_max_string_chars', 1_000, 500_000),
    number('inflight_state_max_json_chars', 100_000, 4_000_000),
    { key: 'hidden_tabs', kind: 'names' }, { key: 'tab_order', kind: 'names' }, { key: 'composer_control_order', kind: 'names' }
  ],
  security: [number('session_ttl_seconds', 60, 31_536_000)]
}

/** Parses a typed value of a setting, or returns the word for what is wrong with it. An empty limit removes it. */
export function parseTyped (setting: Setting, typed: string): { value: unknown } | { wrong: 'number' } {
  const trimmed = typed.trim()
  if (setting.kind === 'names') return { value: trimmed.split(/[\s,]+/).filter((name) => name !== '') }
  if (setting.kind !== 'number') return { value: trimmed }
  if (trimmed === '' && setting.key === 'max_tokens') return { value: null }
  const value = Number(trimmed)
  const isWhole = (setting.step ?? 1) % 1 !== 0 || Number.isInteger(value)
  if (trimmed === '' || !Number.isFinite(value) || !isWhole || value < (setting.min ?? -Infinity) || value > (setting.max ?? Infinity)) {
    return { wrong: 'number' }
  }
  return { value }
}

/** Returns the sections that contain every word of `search`, in their own words or those of their settings. */
export function findSections (search: string, wordsOf: (section: SectionName) => string): SectionName[] {
  const sought = search.trim().toLocaleLowerCase().split(/\s+/).filter((word) => word !== '')
  return sections.filter((section) => {
    const said = wordsOf(section).toLocaleLowerCase()
    return sought.every((word) => said.includes(word))
  })
}
