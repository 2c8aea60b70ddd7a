import { Type } from '@sinclair/typebox'
import { Anything, Closed, Maybe, Nullable, OneOf } from './common.js'

const TextOrNull = Nullable(Type.String())

const Dollars = Type.Number({ minimum: 0, description: 'US dollars per million tokens' })
const ModelPrice = Closed({
  input: Dollars,
  output: Dollars,
  tiers: Type.Optional(Type.Array(Closed({ input_tokens_above: Type.Integer(), input: Dollars, output: Dollars }), {
    description: 'prices that apply to the whole request above a number of tokens'
  }))
}, { title: 'ModelPrice', description: 'What a model costs; 0: free of charge' })

export const ModelRow = Closed({
  id: Type.String({ description: 'id of the model, with the prefix `@provider:` unless it belongs to the active provider' }),
  label: Type.String(),
  name: Type.String({ description: 'the same as label' }),
  context_length: Nullable(Type.Integer(), 'context window in tokens; null: unknown'),
  price: Nullable(ModelPrice, 'null: unknown'),
  vision: Nullable(Type.Boolean(), 'accepts images; null: unknown'),
  reasoning: Nullable(Type.Boolean(), 'can reason; null: unknown')
}, { title: 'ModelRow' })

const ModelGroup = Closed({
  provider: Type.String({ description: 'display name; `Name (15 of 40)` if the list was split' }),
  name: Type.String({ description: 'the same as provider' }),
  provider_id: Type.String(),
  models: Type.Array(ModelRow),
  extra_models: Type.Array(ModelRow, { description: 'models that did not fit into `models`' }),
  models_endpoint_error: Type.Optional(Type.String({ description: 'why the provider\'s own list is missing' }))
}, { title: 'ModelGroup' })

export const ModelsQuery = Type.Object({
  freshness: Type.Optional(OneOf(['session_visit'])),
  session_id: Type.Optional(Type.String({
    maxLength: 200, description: 'the session to list models for; if its folder is on another machine, the models of that machine'
  })),
  workspace: Type.Optional(Type.String({
    maxLength: 4_096, description: 'the workspace to list models for, if the session does not exist yet'
  }))
})

const ModelBadge = Closed({
  role: OneOf(['primary', 'fallback', 'auxiliary'], 'the most important use of the model in this profile'),
  label: Type.String({ description: 'Primary, Fallback 1, or the names of small tasks' }),
  provider: Type.String(),
  tasks: Type.Array(Type.String(), { description: 'kinds of small tasks it does, as in `GET /api/model/auxiliary`' })
}, { title: 'ModelBadge' })

export const ModelsReply = Closed({
  active_provider: TextOrNull,
  default_model: TextOrNull,
  configured_model_badges: Type.Record(Type.String(), ModelBadge, { description: 'what models are used for, by model id as in `groups`' }),
  groups: Type.Array(ModelGroup),
  aliases: Type.Record(Type.String(), Type.String())
}, { title: 'ModelsReply' })

export const LiveModelsQuery = Type.Object({ provider: Type.Optional(Type.String({ maxLength: 128 })) })

export const LiveModelsReply = Closed({
  provider: TextOrNull,
  models: Type.Array(ModelRow),
  count: Type.Integer(),
  error: Type.Optional(Type.String({ description: 'why the provider could not be asked; `models` is empty then' }))
}, { title: 'LiveModelsReply' })

export const Provider = Closed({
  id: Type.String(),
  display_name: Type.String(),
  has_key: Type.Boolean(),
  configurable: Type.Boolean({ description: 'clients can set its key' }),
  is_self_hosted: Type.Boolean(),
  base_url: TextOrNull,
  is_oauth: Type.Boolean(),
  key_source: OneOf(['env_file', 'env_var', 'config_yaml', 'oauth', 'token', 'none']),
  auth_error: TextOrNull,
  models: Type.Array(ModelRow),
  models_total: Type.Integer(),
  is_plugin_provider: Type.Boolean({ description: 'an external agent, which is started as a program rather than called over the network' }),
  is_custom: Type.Boolean(),
  reason: TextOrNull
}, { title: 'Provider' })

export const ProvidersReply = Closed({
  active_provider: TextOrNull,
  providers: Type.Array(Provider)
}, { title: 'ProvidersReply' })

const ModelId = Type.String({ maxLength: 300, description: 'may carry the prefix `@provider:`' })
const ProviderId = Type.String({ minLength: 1, maxLength: 128, description: 'id of a provider' })
const ProviderOrAuto = Maybe(Type.String({
  maxLength: 128, description: 'id of a provider; auto, empty or absent: any provider that has the model'
}))
const BaseUrl = Type.String({ minLength: 1, maxLength: 2_000, description: 'http or https address; without a path, /v1 is added' })
const ApiKey = Type.String({ maxLength: 4_000, description: 'one word, 8 characters at least; never returned' })
// A form whose section for experts is closed sends an empty value.
const Advanced = Type.Optional(Type.Unsafe<Record<string, unknown> | string | boolean | null>({
  type: ['object', 'string', 'boolean', 'null'],
  maxLength: 0,
  not: { const: true },
  additionalProperties: true,
  description: 'request settings: base_url, api_key, api_key_clear, extra_body, service_tier, timeout, max_concurrency, ' +
    'download_timeout (only effective in the slot web_extract). Other keys are refused; empty or false values are not ' +
    'set, nor is an empty object'
}))

export const DefaultModelBody = Type.Object({ model: ModelId, provider: ProviderOrAuto, advanced: Advanced })
export const DefaultModelReply = Closed({
  ok: Type.Literal(true), model: Type.String(), provider: Type.String()
}, { title: 'DefaultModelReply' })

export const SetModelBody = Type.Object({
  scope: OneOf(['main', 'auxiliary']),
  task: Maybe(Type.String({ maxLength: 64, description: 'with scope auxiliary: the slot, or __reset__ for all slots' })),
  model: Maybe(ModelId),
  provider: ProviderOrAuto,
  advanced: Advanced
})
export const SetModelReply = Closed({
  ok: Type.Literal(true), scope: OneOf(['main', 'auxiliary']), task: TextOrNull, model: Type.String(), provider: Type.String()
}, { title: 'SetModelReply' })

const callSettings = {
  timeout: Nullable(Type.Number(), 'timeout in seconds; null: the default'),
  download_timeout: Nullable(
    Type.Number(),
    'seconds that fetching a web page may take, for the slot web_extract; other slots download nothing, so it has no effect there'
  ),
  max_concurrency: Nullable(Type.Integer(), 'how many calls may run at once; null: unlimited'),
  service_tier: Type.String(),
  extra_body: Anything('keys that are added to the body of each request; open, because each provider defines its own')
}

export const AuxiliaryModels = Closed({
  tasks: Type.Array(Closed({
    task: Type.String(),
    label: Type.String(),
    description: Type.String(),
    model: Type.String({ description: 'id of the model; empty: the main model' }),
    provider: Type.String({ description: 'id of the provider; auto: that of the main model' }),
    base_url: Type.String({ description: 'base URL; empty: that of the provider' }),
    api_key_set: Type.Boolean({ description: 'false: the key of the provider is used' }),
    ...callSettings
  })),
  main: Closed({ model: TextOrNull, provider: TextOrNull, ...callSettings })
}, { title: 'AuxiliaryModels' })

export const ModelFallbacks = Closed({
  fallbacks: Type.Array(Closed({
    provider: Nullable(Type.String(), 'as config.yaml names it; null: any provider that has the model'),
    model: Nullable(Type.String(), 'null: the default model of the provider'),
    means: Nullable(Closed({
      provider: Type.String(), provider_name: Type.String(), model: Type.String(), label: Type.String()
    }), 'the model that the entry stands for at present'),
    problem: Nullable(Type.String(), 'why it cannot take over, as a sentence; null: it can')
  }), { description: 'in the order in which they take over' }),
  version: Type.String({ description: 'changes with the list in config.yaml; send it back when setting the list' })
}, { title: 'ModelFallbacks' })
export const ModelFallbacksBody = Type.Object({
  fallbacks: Type.Array(Type.Object({ provider: Maybe(Type.String({ maxLength: 128 })), model: Maybe(ModelId) }), {
    maxItems: 100, description: 'each names a model, a provider, or both'
  }),
  version: Maybe(Type.String({ maxLength: 64, description: 'the version that was read; if the list has changed since, nothing is written' }))
})

/** How much a model thinks in one turn. */
export const EffortWish = (description: string) => OneOf(['', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'], description)

export const ReasoningQuery = Type.Object({
  model: Type.Optional(Type.String({ maxLength: 300 })),
  provider: Type.Optional(Type.String({ maxLength: 128 })),
  base_url: Type.Optional(Type.String({ maxLength: 2_000, description: 'ignored, because a provider has a single address' }))
})
export const ReasoningBody = Type.Object({
  display: Maybe(Type.Union([Type.String({ maxLength: 16 }), Type.Boolean(), Type.Integer()], {
    description: 'show, on, true or 1; hide, off, false or 0'
  })),
  effort: Maybe(Type.String({
    maxLength: 16, description: 'none, minimal, low, medium, high, xhigh or max; empty: the default of the model'
  })),
  model: Maybe(Type.String({ maxLength: 300 })),
  provider: Maybe(Type.String({ maxLength: 128 }))
})
export const ReasoningReply = Closed({
  ok: Type.Literal(true),
  show_reasoning: Type.Boolean(),
  reasoning_effort: Type.String({ description: 'the effort in use, lowered to what the model supports; empty: the default of the model' }),
  supported_efforts: Type.Array(Type.String()),
  supports_reasoning_effort: Type.Boolean(),
  supports_thinking_toggle: Type.Boolean({ description: 'reasoning can be switched off' })
}, { title: 'ReasoningReply' })

export const ProviderKeyBody = Type.Object({ provider: ProviderId, api_key: Maybe(ApiKey) })
export const ProviderRef = Type.Object({ provider: ProviderId })
export const ProviderChanged = Closed({
  ok: Type.Literal(true), provider: Type.String(), display_name: Type.String(), action: OneOf(['updated', 'removed'])
}, { title: 'ProviderChanged' })

export const SelfHostedBody = Type.Object({
  provider: ProviderId,
  model: Type.String({ minLength: 1, maxLength: 300 }),
  base_url: BaseUrl,
  api_key: Maybe(ApiKey),
  activate: Maybe(Type.Boolean({ description: 'make the model the default; default: true' }))
})
export const SelfHostedReply = Closed({
  ok: Type.Literal(true), provider: Type.String(), base_url: Type.String(), model: Type.String()
}, { title: 'SelfHostedReply' })

export const CustomProviderBody = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 64 }),
  base_url: BaseUrl,
  api_key: Maybe(ApiKey),
  models: Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 300 }), {
    maxItems: 500, description: 'model ids, for servers that do not list their models'
  })),
  activate: Maybe(Type.Boolean({ description: 'make the model the default; default: false' }))
})
export const CustomProviderReply = Closed({
  ok: Type.Literal(true), provider: Type.String(), display_name: Type.String(), base_url: Type.String()
}, { title: 'CustomProviderReply' })

export const ProviderRefreshed = Closed({ ok: Type.Literal(true), provider: Type.String() }, { title: 'ProviderRefreshed' })

export const ProviderTestBody = Type.Object({
  provider: ProviderId,
  model: Maybe(Type.String({ maxLength: 300, description: 'the model to test with a short request' })),
  api_key: Maybe(ApiKey),
  base_url: Maybe(Type.String({ maxLength: 2_000 }))
})
export const ProviderTestReply = Closed({
  ok: Type.Boolean({ description: 'the provider can be used' }),
  provider: Type.String(),
  code: Nullable(OneOf([
    'not_set_up', 'invalid_key', 'no_quota', 'rate_limited', 'unknown_model', 'tls', 'name_not_found', 'refused', 'timed_out', 'no_answer',
    'wrong_address', 'proxy', 'provider_failed', 'not_understood'
  ], 'what is wrong; proxy: a proxy prevents the connection')),
  message: Type.String(),
  models: Type.Integer({ description: 'how many models the provider lists' }),
  model: Nullable(Type.String(), 'the model that was tested'),
  took_ms: Type.Integer()
}, { title: 'ProviderTestReply' })

export const DiscoveredServers = Closed({
  servers: Type.Array(Closed({
    provider: Nullable(OneOf([
      'ollama', 'lmstudio', 'llamacpp', 'vllm'
    ]), 'value for `POST /api/providers/self-hosted`; null: use `POST /api/providers/custom`'),
    display_name: Type.String(),
    base_url: Type.String(),
    is_configured: Type.Boolean({ description: 'the profile already has this address' }),
    models: Type.Array(ModelRow),
    models_total: Type.Integer()
  }))
}, { title: 'DiscoveredServers' })
