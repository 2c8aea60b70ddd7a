import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { conflicts, errors } from '../schemas/common.js'
import {
  AuxiliaryModels, DefaultModelBody, DefaultModelReply, ModelFallbacks, ModelFallbacksBody, ProviderRef, ProviderRefreshed, ReasoningBody,
  ReasoningQuery, ReasoningReply, SetModelBody, SetModelReply
} from '../schemas/models.js'
import { Invalid } from '../services/ground/errors.js'
import { askedWith } from '../services/providers/index.js'
import { reasoningToWire, type FallbackList } from '../services/areas/models/index.js'

const tags = ['models']

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { catalog, configuration, defaults, reasoning } = app.models

  app.post('/api/default-model', {
    config: { scope: 'admin' },
    schema: {
      tags,
      summary: 'Choose the default model of the profile',
      description: 'Written into config.yaml, and used by the next turn. Without `provider`, the one that has the model; 400 where none ' +
        'is known. `advanced` says how it is asked: what is absent stays. 409 `config_broken`.',
      body: DefaultModelBody,
      response: { 200: DefaultModelReply, ...errors(400), ...conflicts('config_broken', 'not_supported') }
    }
  }, async (request) => {
    const { model, provider, advanced } = request.body
    return {
      ok: true as const,
      ...await configuration.setDefault(request.activeProfile(), { model, provider: provider ?? null, advanced: fieldsOf(advanced) })
    }
  })

  app.post('/api/model/set', {
    config: { scope: 'admin' },
    schema: {
      tags,
      summary: 'Choose the main model, or the model of a small task',
      description: '`scope: main` is as `POST /api/default-model`. `scope: auxiliary` sets the model of `task`; an empty `model` gives ' +
        'it back to the main one, `task: "__reset__"` does so for all. 409 `config_broken`.',
      body: SetModelBody,
      response: { 200: SetModelReply, ...errors(400), ...conflicts('config_broken', 'not_supported') }
    }
  }, async (request) => {
    const { scope, task, model, provider, advanced } = request.body
    const profile = request.activeProfile()
    const wanted = { model: model ?? '', provider: provider ?? null, advanced: fieldsOf(advanced) }
    if (scope === 'main') return { ok: true as const, scope, task: null, ...await configuration.setDefault(profile, wanted) }
    if (task === '__reset__') {
      await configuration.resetSlots(profile)
      return { ok: true as const, scope, task, model: '', provider: 'auto' }
    }
    return { ok: true as const, scope, ...await configuration.setSlot(profile, task ?? '', wanted) }
  })

  app.get('/api/model/auxiliary', {
    config: { scope: 'read' },
    schema: {
      tags,
      summary: 'List the models of small tasks',
      description: 'Kinds of small tasks, such as titles and summaries, and what each is set to. `api_key_set` says whether there is a ' +
        'key; keys are never shown.',
      response: { 200: AuxiliaryModels }
    }
  }, async (request) => {
    const profile = request.activeProfile()
    return {
      tasks: configuration.slots(profile).map(({ task, label, description, model, provider, section, hasKey }) => ({
        task, label, description, model: model ?? '', provider: provider ?? 'auto', base_url: String(section['base_url'] ?? ''),
        api_key_set: hasKey, ...askedWithToWire(section)
      })),
      main: { ...defaults.of(profile), ...askedWithToWire(configuration.mainSection(profile)) }
    }
  })

  app.get('/api/model/fallbacks', {
    config: { scope: 'read' },
    schema: {
      tags,
      summary: 'List the fallback models',
      description: 'In order. `means` is the model that an entry stands for now; `problem` says why it cannot take over. Pass `version` ' +
        'when setting them.',
      response: { 200: ModelFallbacks }
    }
  }, async (request) => fallbacksToWire(await configuration.fallbacks.list(request.activeProfile())))

  app.post('/api/model/fallbacks', {
    config: { scope: 'admin' },
    schema: {
      tags,
      summary: 'Set the fallback models and their order',
      description: 'Replaces the whole list; used by the next turn. 400 for an unknown provider or model, one twice, or more than 20. ' +
        'An uncoded 409: the list is not that of `version` any more.',
      body: ModelFallbacksBody,
      response: { 200: ModelFallbacks, ...errors(400), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => {
    const { fallbacks, version } = request.body
    return fallbacksToWire(await configuration.fallbacks.set(request.activeProfile(), fallbacks, version ?? null))
  })

  app.post('/api/models/refresh', {
    config: { scope: 'chat' },
    schema: {
      tags,
      summary: 'Ask a provider for its models again',
      description: 'Its list is asked for anew when it is next needed; this does not wait for it. 400: unknown provider.',
      body: ProviderRef,
      response: { 200: ProviderRefreshed, ...errors(400) }
    }
  }, async (request) => ({ ok: true as const, provider: await catalog.refresh(request.activeProfile(), request.body.provider) }))

  app.get('/api/reasoning', {
    config: { scope: 'read' },
    schema: {
      tags,
      summary: 'Get the reasoning effort',
      description: '`reasoning_effort` is the one in use, lowered to what the model takes; `supported_efforts` are the choices. Without ' +
        '`model`, of the default model.',
      querystring: ReasoningQuery,
      response: { 200: ReasoningReply, ...errors(400) }
    }
  }, async (request) => reasoningToWire(await reasoning.state(request.activeProfile(), request.query)))

  app.post('/api/reasoning', {
    config: { scope: 'admin' },
    schema: {
      tags,
      summary: 'Set the reasoning effort, or whether reasoning is shown: exactly one of the two',
      description: '`display` shows or hides reasoning; `effort` sets how hard the model thinks, empty: as the model likes. Written ' +
        'into config.yaml. 400 if both or neither is sent.',
      body: ReasoningBody,
      response: { 200: ReasoningReply, ...errors(400), ...conflicts('config_broken', 'not_supported') }
    }
  }, async (request) => {
    const { display, effort, model, provider } = request.body
    const profile = request.activeProfile()
    if ((display == null) === (effort == null)) throw new Invalid('Set either display or effort')
    if (display != null) await reasoning.show(profile, String(display))
    else if (effort != null) await reasoning.setEffort(profile, effort)
    return reasoningToWire(await reasoning.state(profile, { model: model ?? null, provider: provider ?? null }))
  })
}
export default plugin

function askedWithToWire (section: Readonly<Record<string, unknown>>) {
  const { timeoutMs, maxConcurrency, serviceTier, extraBody } = askedWith(section)
  const download = section['download_timeout']
  return {
    timeout: timeoutMs === null ? null : timeoutMs / 1_000,
    download_timeout: typeof download === 'number' ? download : null,
    max_concurrency: maxConcurrency,
    service_tier: serviceTier ?? '',
    extra_body: { ...extraBody }
  }
}

function fallbacksToWire ({ fallbacks, version }: FallbackList): Static<typeof ModelFallbacks> {
  return {
    fallbacks: fallbacks.map(({ means, ...rest }) => ({
      ...rest,
      means: means === null ? null : { provider: means.provider, provider_name: means.providerName, model: means.model, label: means.label }
    })),
    version
  }
}

/** What is set in the section for experts; an empty or switched-off one sets nothing. */
function fieldsOf (advanced: Static<typeof DefaultModelBody>['advanced']): Readonly<Record<string, unknown>> {
  return typeof advanced === 'object' && advanced !== null ? advanced : {}
}
