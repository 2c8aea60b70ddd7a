import { Type, type TProperties } from '@sinclair/typebox'
import { accessFields } from './auth.js'
import { Closed, Nullable } from './common.js'
import { ConfigError, ConfigProblems } from './profiles-config.js'

const Off = () => Type.Boolean({ default: false })
const On = () => Type.Boolean({ default: true })
const Choice = <const Values extends readonly string[]>(values: Values, fallback: Values[number], description?: string) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], default: fallback, ...(description !== undefined && { description }) })
const Whole = (fallback: number, minimum: number, maximum: number) => Type.Integer({ minimum, maximum, default: fallback })
/** A time of day, HH:MM; empty = none. */
const TimeOfDay = (description: string) => Type.String({ pattern: '^(?:(?:[01]\\d|2[0-3]):[0-5]\\d)?$', default: '', description })
const Names = () => Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 64, default: [] as string[] })

/** Settings that the service itself uses. */
const serviceSettings = {
  /** Whether credentials are masked wherever texts leave the service. */
  api_redact_enabled: On(),
  pinned_sessions_limit: Whole(3, 1, 99),
  /** How long a sign-in lasts; existing ones that are older end. */
  session_ttl_seconds: Whole(2_592_000, 60, 31_536_000),
  bot_name: Type.String({
    maxLength: 64, pattern: '^[^\\u0000-\\u001f\\u007f]*$', default: '', description: 'name of the agent; an empty text restores the value from the environment'
  }),
  default_workspace: Type.String({
    maxLength: 4_096, default: '',
    description: 'an existing folder on this machine, or on another one (name:/path); an empty text restores the value from the environment'
  }),
  /** Whether conversations of other front ends on this machine are listed. */
  show_cli_sessions: On(),
  show_claude_code_sessions: On(),
  /** Whether conversations of scheduled jobs are listed. */
  show_cron_sessions: Off(),
  /** If off, POST /api/updates/check contacts no server unless it is forced. */
  check_for_updates: On(),
  update_channel: Choice(['stable', 'experimental'], 'stable'),
  /** Whether GET and POST /api/updates/check report the agent, which is part of this service, as ignored. */
  ignore_agent_updates: Off(),
  push_quiet_from: TimeOfDay('HH:MM: start of the quiet hours, in which notifications are held back; empty: no quiet hours'),
  push_quiet_until: TimeOfDay('HH:MM: end of the quiet hours, when held notifications are sent; empty: no quiet hours'),
  push_quiet_waiting: Type.Boolean({ default: false, description: 'approvals and questions notify even in quiet hours' }),
  push_time_zone: Type.String({
    maxLength: 64, default: '', description: 'time zone of these times, such as Europe/Berlin; empty: that of the service'
  }),
  push_digest_at: TimeOfDay(
    'HH:MM: time of one daily notification about everything that ended well, instead of one for each; empty: no digest'
  ),
  auto_title_refresh_every: Choice(['0', '5', '10', '20'], '0', 'number of turns after which an automatic title is generated again; 0: never')
} satisfies TProperties

/** Settings that clients use, stored here so that a person has them on every device. */
const clientSettings = {
  onboarding_completed: Off(),
  send_key: Choice(['enter', 'ctrl+enter', 'shift+enter'], 'enter'),
  theme: Choice(['light', 'dark', 'system'], 'dark'),
  skin: Type.String({ pattern: '^[a-z0-9][a-z0-9_-]{0,31}$', default: 'default' }),
  font_size: Choice(['small', 'default', 'large', 'xlarge'], 'default'),
  language: Type.String({ pattern: '^[a-zA-Z]{2,10}(-[a-zA-Z0-9]{2,8})?$', default: 'en' }),
  /** For kinds of sessions that only other servers of this API have. */
  show_webhook_sessions: Off(),
  show_kanban_sessions: Off(),
  show_previous_messaging_sessions: Off(),
  whats_new_summary_enabled: Off(),
  sync_to_insights: Off(),
  // A length limit is not enforced for keys here, but a pattern is.
  dashboard_plugins: Type.Record(Type.String({ pattern: '^[\\s\\S]{1,64}$' }), Type.Boolean(), {
    default: {} as Record<string, boolean>, additionalProperties: false, maxProperties: 100,
    description: 'plugins by name: on or off; a change only affects the plugins that it names'
  }),
  show_thinking: On(),
  show_token_usage: Off(),
  show_tps: Off(),
  show_quota_chip: Off(),
  show_conversation_outline: Off(),
  show_busy_placeholder_hint: Off(),
  hide_empty_state_suggestions: Off(),
  hide_empty_state_panel: Off(),
  new_chat_on_workspace_switch: Off(),
  fade_text_effect: Off(),
  virtualize_transcript: Off(),
  virtualize_transcript_optin: Off(),
  session_jump_buttons: Off(),
  render_user_markdown: Off(),
  project_quick_create_buttons: Off(),
  session_endless_scroll: Off(),
  worklog_details_expanded_default: Off(),
  sound_enabled: Off(),
  notifications_enabled: Off(),
  rtl: Off(),
  terminal_auto_expand_on_output: Off(),
  workspace_todos_tab: Off(),
  show_titlebar_profile: Off(),
  large_text_paste_as_attachment: On(),
  auto_scroll_follow: On(),
  transparent_stream_event_timestamps: On(),
  hide_composer_attach: Off(),
  hide_composer_saved_prompts: Off(),
  hide_composer_mic: Off(),
  hide_composer_voice_mode: Off(),
  hide_composer_yolo: Off(),
  hide_composer_profile: Off(),
  hide_composer_workspace: Off(),
  hide_composer_mobile_config: Off(),
  hide_composer_model: Off(),
  hide_composer_quota_chip: Off(),
  hide_composer_reasoning: Off(),
  hide_composer_toolsets: Off(),
  hide_composer_status: Off(),
  hide_composer_context: Off(),
  hide_composer_bg_badge: Off(),
  structured_code_default_view: Choice(['auto', 'on', 'off'], 'auto'),
  structured_code_auto_tree_lines: Whole(10, 1, 1_000),
  chat_activity_display_mode: Choice(['compact_worklog', 'transparent_stream', 'hide_all_activity'], 'compact_worklog'),
  sidebar_density: Choice(['compact', 'detailed'], 'compact'),
  default_message_mode: Choice(['queue', 'interrupt', 'steer'], 'steer'),
  inflight_state_max_sessions: Whole(8, 1, 25),
  inflight_state_max_messages: Whole(24, 1, 100),
  inflight_state_max_tool_calls: Whole(48, 1, 200),
  inflight_state_max_string_chars: Whole(60_000, 1_000, 500_000),
  inflight_state_max_json_chars: Whole(1_500_000, 100_000, 4_000_000),
  hidden_tabs: Names(),
  tab_order: Names(),
  composer_control_order: Type.Array(Type.String({ pattern: '^hide_composer_[a-z_]{1,40}$' }), { maxItems: 64, default: [] as string[] })
} satisfies TProperties

/** How texts are read aloud. Each device decides settings that were never saved, so it is recorded which of these were. */
export const speechSettings = {
  tts_enabled: Off(),
  tts_auto_read: Off(),
  voice_mode_button: Off(),
  voice_continuous: Off(),
  raw_audio_mode: Off(),
  tts_engine: Type.String({ pattern: '^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$', default: 'browser' }),
  tts_voice: Type.String({ maxLength: 200, pattern: '^[^\\u0000]*$', default: '' }),
  tts_rate: Type.Number({ minimum: 0.5, maximum: 2, default: 1 }),
  tts_pitch: Type.Number({ minimum: 0, maximum: 2, default: 1 }),
  voice_silence_ms: Whole(1_800, 200, 60_000)
} satisfies TProperties

/** All stored settings. */
export const storedSettings = { ...serviceSettings, ...clientSettings, ...speechSettings }
export const StoredSettings = Closed(storedSettings, { title: 'StoredSettings', description: 'Settings that POST /api/settings can change' })

export const Settings = Closed({
  update_channel_version: Type.String({ description: 'the same as webui_version' }),
  ...storedSettings,
  persisted_speech_keys: Type.Array(Type.String(), {
    description: 'speech settings (tts_*, voice_*, raw_audio_mode) that were saved; for the others, each device decides'
  }),
  default_model: Nullable(Type.String()),
  default_model_provider: Nullable(Type.String()),
  max_tokens: Nullable(Type.Integer()),
  max_tokens_fallback: Nullable(Type.Integer()),
  max_tokens_effective: Nullable(Type.Integer(), 'null: the limit of the provider'),
  provider_cost_budget: Nullable(
    Type.Number(), 'US dollars that the profile may use in a day before a warning: budgets.day.soft_usd of its config.yaml'
  ),
  config_error: ConfigError,
  config_problems: ConfigProblems,
  password_env_var: Type.Boolean({ description: 'the password is set by the environment' }),
  ...accessFields,
  auth_just_enabled: Type.Optional(Type.Boolean({ description: 'in the answer to a change: the change turned on sign-in' })),
  webui_version: Type.String(),
  agent_version: Type.String()
}, { title: 'Settings' })

/** Unknown and read-only keys are ignored; an invalid value of a known key is refused by name. */
export const ChangeSettings = Type.Record(Type.String(), Type.Unknown(), {
  description: 'settings of GET /api/settings that can be changed, including max_tokens and provider_cost_budget. Executed but not ' +
    'stored: _set_password, _current_password, _clear_password, _passwordless, _auth_disabled_acknowledged'
})
