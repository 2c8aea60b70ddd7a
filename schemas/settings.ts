import { Type } from '@sinclair/typebox'
import { Nullable } from './common.js'

export const Settings = Type.Object({
  bot_name: Type.String(),
  theme: Type.String(),
  check_for_updates: Type.Boolean(),
  show_cli_sessions: Type.Boolean(),
  default_workspace: Type.String(),
  default_model: Nullable(Type.String()),
  default_model_provider: Nullable(Type.String()),
  max_tokens: Nullable(Type.Integer()),
  max_tokens_fallback: Nullable(Type.Integer()),
  max_tokens_effective: Nullable(Type.Integer(), 'null = the provider\'s own limit'),
  password_env_var: Type.Boolean({ description: 'the password is pinned by the environment' }),
  auth_enabled: Type.Boolean(),
  password_auth_enabled: Type.Boolean(),
  passkeys_enabled: Type.Boolean(),
  passwordless_enabled: Type.Boolean(),
  webui_version: Type.String(),
  agent_version: Type.String()
}, { additionalProperties: true })
