import { Type } from '@sinclair/typebox'
import { Closed, Nullable } from './common.js'

export const Settings = Closed({
  bot_name: Type.String(),
  theme: Type.String(),
  check_for_updates: Type.Boolean(),
  show_cli_sessions: Type.Boolean({ description: 'conversations of other front ends are listed' }),
  show_claude_code_sessions: Type.Boolean(),
  api_redact_enabled: Type.Boolean({ description: 'credentials are masked in what is shown' }),
  pinned_sessions_limit: Type.Integer(),
  default_workspace: Type.String(),
  default_model: Nullable(Type.String()),
  default_model_provider: Nullable(Type.String()),
  max_tokens: Nullable(Type.Integer()),
  max_tokens_fallback: Nullable(Type.Integer()),
  max_tokens_effective: Nullable(Type.Integer(), 'null = the provider\'s own limit'),
  password_env_var: Type.Boolean({ description: 'the password is pinned by the environment' }),
  auth_enabled: Type.Boolean(),
  logged_in: Type.Boolean({ description: 'there is a gate and this request passes it' }),
  password_auth_enabled: Type.Boolean(),
  passkeys_enabled: Type.Boolean(),
  passwordless_enabled: Type.Boolean(),
  webui_version: Type.String(),
  agent_version: Type.String()
}, { title: 'Settings' })

/** Unknown keys are ignored; what is known and does not fit, or cannot be changed here yet, is refused by name. */
export const ChangeSettings = Type.Record(Type.String(), Type.Unknown(), { description: 'show_cli_sessions, show_claude_code_sessions, api_redact_enabled, pinned_sessions_limit' })
