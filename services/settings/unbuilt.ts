import { isDeepStrictEqual } from 'node:util'
import { Conflict } from '../ground/errors.js'

/** Keys that clients of this interface know and that nothing here acts on yet. */
const preferences = new Set([
  'default_workspace', 'onboarding_completed', 'send_key', 'theme', 'skin', 'font_size', 'language', 'show_cron_sessions', 'show_webhook_sessions',
  'show_kanban_sessions', 'show_previous_messaging_sessions', 'check_for_updates', 'update_channel', 'ignore_agent_updates', 'whats_new_summary_enabled',
  'sync_to_insights', 'show_thinking', 'show_token_usage', 'show_tps', 'show_quota_chip', 'show_conversation_outline', 'show_busy_placeholder_hint',
  'hide_empty_state_suggestions', 'hide_empty_state_panel', 'new_chat_on_workspace_switch', 'fade_text_effect', 'virtualize_transcript',
  'virtualize_transcript_optin', 'session_jump_buttons', 'render_user_markdown', 'project_quick_create_buttons', 'session_endless_scroll',
  'worklog_details_expanded_default', 'sound_enabled', 'notifications_enabled', 'rtl', 'terminal_auto_expand_on_output', 'workspace_todos_tab',
  'show_titlebar_profile', 'large_text_paste_as_attachment', 'auto_scroll_follow', 'transparent_stream_event_timestamps', 'structured_code_default_view',
  'structured_code_auto_tree_lines', 'chat_activity_display_mode', 'sidebar_density', 'auto_title_refresh_every', 'default_message_mode', 'busy_input_mode',
  'inflight_state_max_sessions', 'inflight_state_max_messages', 'inflight_state_max_tool_calls', 'inflight_state_max_string_chars',
  'inflight_state_max_json_chars', 'hidden_tabs', 'tab_order', 'composer_control_order', 'tts_enabled', 'tts_auto_read', 'voice_mode_button',
  'voice_continuous', 'raw_audio_mode', 'tts_engine', 'tts_voice', 'tts_rate', 'tts_pitch', 'voice_silence_ms', 'dashboard_plugins',
  'provider_cost_budget', 'session_ttl_seconds'
])
const composerControl = /^hide_composer_[a-z_]{1,40}$/

/** Where a person sets today what cannot be set here yet. */
const elsewhere: Record<string, string> = {
  bot_name: 'SVC_WEBUI_BOT_NAME of the environment',
  max_tokens: 'config.yaml of the profile',
  default_model: 'config.yaml of the profile (model.default)',
  default_model_provider: 'config.yaml of the profile (model.provider)',
  default_workspace: 'SVC_WEBUI_DEFAULT_WORKSPACE of the environment',
  session_ttl_seconds: 'SVC_WEBUI_SESSION_TTL of the environment'
}
const code = 'not_supported'

/**
 * Throws Conflict for changes that would be answered as if they had been made: the password, and settings that clients
 * know and nothing acts on. What repeats the value that is `shown` asks for nothing. `isPinned`: the environment holds
 * the password.
 */
export function refuseUnbuilt (changes: Record<string, unknown>, shown: Record<string, unknown>, isPinned: boolean): void {
  const { _set_password: set, _clear_password: clear, _current_password: current, _passwordless: passwordless, _auth_disabled_acknowledged: acknowledged } = changes
  if (isAsked(set) || isAsked(clear) || isAsked(current)) {
    throw isPinned
      ? new Conflict('The password is set by SVC_WEBUI_PASSWORD; change it there and restart the service', 'password_pinned')
      : new Conflict('The password cannot be changed here yet: set SVC_WEBUI_PASSWORD, or SVC_WEBUI_PASSWORD_FILE, and restart the service', code)
  }
  if (isAsked(passwordless)) throw new Conflict('Signing in without a password needs a passkey, and passkeys are not supported yet', code)
  if (isAsked(acknowledged)) throw new Conflict('The notice that there is no password cannot be acknowledged here yet', code)
  const refused = Object.entries(changes).filter(([key, value]) => isUnbuilt(key) && !(Object.hasOwn(shown, key) && isDeepStrictEqual(value, shown[key]))).map(([key]) => key)
  if (refused.length === 0) return
  const hints = refused.flatMap((key) => elsewhere[key] === undefined ? [] : [`${key} is set in ${elsewhere[key]}`])
  throw new Conflict([`These settings cannot be changed here yet: ${refused.join(', ')}`, ...hints].join('; '), code, { keys: refused })
}

const isUnbuilt = (key: string): boolean => preferences.has(key) || Object.hasOwn(elsewhere, key) || composerControl.test(key)
const isAsked = (value: unknown): boolean => value !== undefined && value !== null && value !== false && value !== ''
