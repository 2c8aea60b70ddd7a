import { Type } from '@sinclair/typebox'
import { Anything, Closed, Nullable, OneOf } from './common.js'

const TextOrNull = Nullable(Type.String())

export const ModelRow = Closed({
  id: Type.String({ description: 'Carries the prefix `@provider:` unless it belongs to the active provider.' }),
  label: Type.String(),
  name: Type.String({ description: 'Same as `label`.' })
}, { title: 'ModelRow' })

export const ModelGroup = Closed({
  provider: Type.String({ description: 'Display name; reads `Name (15 of 40)` when the list was split.' }),
  name: Type.String({ description: 'Same as `provider`.' }),
  provider_id: Type.String(),
  models: Type.Array(ModelRow),
  extra_models: Type.Array(ModelRow, { description: 'What did not fit into `models`.' }),
  models_endpoint_error: Type.Optional(Type.String({ description: 'Why the list of the provider itself is missing.' }))
}, { title: 'ModelGroup' })

export const ModelsQuery = Type.Object({
  freshness: Type.Optional(OneOf(['session_visit']))
})

export const ModelsReply = Closed({
  active_provider: TextOrNull,
  default_model: TextOrNull,
  configured_model_badges: Anything('always empty'),
  groups: Type.Array(ModelGroup),
  aliases: Type.Record(Type.String(), Type.String())
}, { title: 'ModelsReply' })

export const LiveModelsQuery = Type.Object({
  provider: Type.Optional(Type.String({ maxLength: 128 }))
})

export const LiveModelsReply = Closed({
  provider: TextOrNull,
  models: Type.Array(ModelRow),
  count: Type.Integer(),
  error: Type.Optional(Type.String({ description: 'Set when the provider could not be asked; `models` is then empty.' }))
}, { title: 'LiveModelsReply' })

export const Provider = Closed({
  id: Type.String(),
  display_name: Type.String(),
  has_key: Type.Boolean(),
  configurable: Type.Boolean({ description: 'A client can set its key.' }),
  is_self_hosted: Type.Boolean(),
  base_url: TextOrNull,
  is_oauth: Type.Boolean(),
  key_source: OneOf(['env_file', 'env_var', 'config_yaml', 'oauth', 'token', 'none']),
  auth_error: TextOrNull,
  models: Type.Array(ModelRow),
  models_total: Type.Integer(),
  is_plugin_provider: Type.Boolean(),
  is_custom: Type.Boolean(),
  reason: TextOrNull
}, { title: 'Provider' })

export const ProvidersReply = Closed({
  active_provider: TextOrNull,
  providers: Type.Array(Provider)
}, { title: 'ProvidersReply' })
