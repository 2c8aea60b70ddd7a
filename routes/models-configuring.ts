import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { conflicts, errors } from '../schemas/common.js'
import { AuxiliaryModels, DefaultModelBody, DefaultModelReply, ProviderRef, ProviderRefreshed, SetModelBody, SetModelReply } from '../schemas/models.js'
import { callSettings } from '../services/providers/index.js'
import { fallbacks } from './models-fallbacks.js'
import { reasoning } from './models-reasoning.js'
import { tagged } from './shared/tagged.js'
import { shownAddress } from './shared/shown-address.js'

/** The models of a profile: for its turns, for small tasks, and as fallbacks; and how much they think. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('models'))
  const { catalog, configuration, defaults } = app.models
  await app.register(fallbacks)
  await app.register(reasoning)

  app.post('/api/default-model', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Choose the default model of the profile',
      description: 'Written to config.yaml, and used by the next turn. Without `provider`, the one that has the model; 400 if none is ' +
        'known. `advanced` has request settings: absent keys are not changed. 409 `config_broken`.',
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
      summary: 'Choose the main model, or the model of a small task',
      description: '`scope: main` is as in `POST /api/default-model`. `scope: auxiliary` sets the model of `task`; an empty `model` ' +
        'resets it to the main one, `task: "__reset__"` resets all. 409 `config_broken`.',
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
      summary: 'List the models of small tasks',
      description: 'Kinds of small tasks, such as titles and summaries, with the model of each. `api_key_set` says whether it has a key ' +
        'of its own; keys are never shown.',
      response: { 200: AuxiliaryModels }
    }
  }, async (request) => {
    const profile = request.activeProfile()
    return {
      tasks: configuration.slots(profile).map(({ task, label, description, model, provider, section, hasKey }) => ({
        task, label, description, model: model ?? '', provider: provider ?? 'auto', base_url: shownAddress(String(section['base_url'] ?? '')),
        api_key_set: hasKey, ...callSettingsToWire(section)
      })),
      main: { ...defaults.of(profile), ...callSettingsToWire(configuration.mainSection(profile)) }
    }
  })

  app.post('/api/models/refresh', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Refresh the models of a provider',
      description: 'The list is requested again when it is next needed; this request does not wait for it. 400: unknown provider.',
      body: ProviderRef,
      response: { 200: ProviderRefreshed, ...errors(400) }
    }
  }, async (request) => ({ ok: true as const, provider: await catalog.refresh(request.activeProfile(), request.body.provider) }))
}
export default plugin

function callSettingsToWire (section: Readonly<Record<string, unknown>>) {
  const { timeoutMs, maxConcurrency, serviceTier, extraBody } = callSettings(section)
  const download = section['download_timeout']
  return {
    timeout: timeoutMs === null ? null : timeoutMs / 1_000,
    download_timeout: typeof download === 'number' ? download : null,
    max_concurrency: maxConcurrency,
    service_tier: serviceTier ?? '',
    extra_body: { ...extraBody }
  }
}

/** Returns the fields of the section for experts; an empty one, or one that is switched off, has none. */
function fieldsOf (advanced: Static<typeof DefaultModelBody>['advanced']): Readonly<Record<string, unknown>> {
  return typeof advanced === 'object' && advanced !== null ? advanced : {}
}
