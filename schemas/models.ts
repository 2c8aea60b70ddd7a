import { Type } from '@sinclair/typebox'

const TextOrNull = Type.Union([Type.String(), Type.Null()])

export const ModelRow = Type.Object({
  id: Type.String({ description: 'Carries the prefix `@provider:` unless it belongs to the active provider.' }),
  label: Type.String(),
  name: Type.String({ description: 'Same as `label`.' })
})

export const ModelGroup = Type.Object({
  provider: Type.String({ description: 'Display name; reads `Name (15 of 40)` when the list was split.' }),
  name: Type.String({ description: 'Same as `provider`.' }),
  provider_id: Type.String(),
  models: Type.Array(ModelRow),
  extra_models: Type.Array(ModelRow, { description: 'What did not fit into `models`.' }),
  models_endpoint_error: Type.Optional(Type.String({ description: 'Why the list of the provider itself is missing.' }))
})

export const ModelsQuery = Type.Object({
  freshness: Type.Optional(Type.Literal('session_visit'))
})

export const ModelsReply = Type.Object({
  active_provider: TextOrNull,
  default_model: TextOrNull,
  configured_model_badges: Type.Record(Type.String(), Type.Unknown()),
  groups: Type.Array(ModelGroup),
  aliases: Type.Record(Type.String(), Type.String())
})

export const LiveModelsQuery = Type.Object({
  provider: Type.Optional(Type.String({ maxLength: 128 }))
})

export const LiveModelsReply = Type.Object({
  provider: TextOrNull,
  models: Type.Array(ModelRow),
  count: Type.Integer(),
  error: Type.Optional(Type.String({ description: 'Set when the provider could not be asked; `models` is then empty.' }))
})

export const Provider = Type.Object({
  id: Type.String(),
  display_name: Type.String(),
  has_key: Type.Boolean(),
  configurable: Type.Boolean({ description: 'A client can set its key.' }),
  is_self_hosted: Type.Boolean(),
  base_url: TextOrNull,
  is_oauth: Type.Boolean(),
  key_source: Type.Union((['env_file', 'env_var', 'config_yaml', 'oauth', 'token', 'none'] as const).map((source) => Type.Literal(source))),
  auth_error: TextOrNull,
  models: Type.Array(ModelRow),
  models_total: Type.Integer(),
  is_plugin_provider: Type.Boolean(),
  is_custom: Type.Boolean(),
  reason: TextOrNull
})

export const ProvidersReply = Type.Object({
  active_provider: TextOrNull,
  providers: Type.Array(Provider)
})
