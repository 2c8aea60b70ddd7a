import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors, Nothing } from '../schemas/common.js'
import {
  CustomProviderBody, CustomProviderReply, DiscoveredServers, ProviderChanged, ProviderKeyBody, ProviderRef, ProviderTestBody,
  ProviderTestReply, SelfHostedBody, SelfHostedReply
} from '../schemas/models.js'
import { modelToWire } from '../services/areas/models/index.js'
import { shownAddress } from './shared/shown-address.js'
import { tagged } from './shared/tagged.js'

/** Each test asks a provider's server, and one of its models for a word. */
const testsPerMinute = 20

/** The providers of a profile: their keys, providers that a person adds, and whether they answer. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('models'))
  await app.register(keys)
  await app.register(adding)
  await app.register(trying)
}
export default plugin

const keys: FastifyPluginAsyncTypebox = async (app) => {
  const { keys } = app.models

  app.post('/api/providers', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Set or remove the key of a provider',
      description: 'The key is stored in the profile\'s .env and used by the next turn. An empty one removes it.',
      body: ProviderKeyBody,
      response: { 200: ProviderChanged, ...errors(400), ...conflicts('config_broken', 'key_in_environment', 'uncoded') }
    }
  }, async (request) => {
    const { provider, api_key: apiKey } = request.body
    const profile = request.activeProfile()
    const isRemoved = apiKey == null || apiKey.trim() === ''
    const { id, displayName } = isRemoved ? await keys.remove(profile, provider) : await keys.set(profile, provider, apiKey)
    return { ok: true as const, provider: id, display_name: displayName, action: isRemoved ? 'removed' as const : 'updated' as const }
  })

  app.post('/api/providers/delete', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Remove the key of a provider',
      description: 'Removes it from the .env and config.yaml of the profile. 409 `key_in_environment`: the key is set in the ' +
        'environment of the service.',
      body: ProviderRef,
      response: { 200: ProviderChanged, ...errors(400), ...conflicts('config_broken', 'key_in_environment', 'uncoded') }
    }
  }, async (request) => {
    const { id, displayName } = await keys.remove(request.activeProfile(), request.body.provider)
    return { ok: true as const, provider: id, display_name: displayName, action: 'removed' as const }
  })
}

const adding: FastifyPluginAsyncTypebox = async (app) => {
  const { configuration } = app.models

  app.post('/api/providers/self-hosted', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Add a self-hosted model server',
      description: 'Ollama, LM Studio, llama.cpp or vLLM at `base_url`. Its model becomes the default unless `activate` is false. 400: ' +
        'not an http or https address. 409 `config_broken`.',
      body: SelfHostedBody,
      response: { 200: SelfHostedReply, ...errors(400), ...conflicts('config_broken', 'key_in_environment', 'uncoded') }
    }
  }, async (request) => {
    const { provider, model, base_url: baseUrl, api_key: apiKey, activate } = request.body
    const used = await configuration.useSelfHosted(request.activeProfile(), {
      provider, model, baseUrl, apiKey: apiKey == null || apiKey === '' ? null : apiKey, activate: activate ?? true
    })
    return { ok: true as const, provider: used.provider, base_url: shownAddress(used.baseUrl), model: used.model }
  })

  app.post('/api/providers/custom', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Add an OpenAI-compatible provider',
      description: 'Any endpoint with the interface of OpenAI, under `name`. Its model becomes the default only with ' +
        '`activate`. 409 `config_broken`.',
      body: CustomProviderBody,
      response: { 200: CustomProviderReply, ...errors(400), ...conflicts('config_broken', 'key_in_environment', 'uncoded') }
    }
  }, async (request) => {
    const { name, base_url: baseUrl, api_key: apiKey, models, activate } = request.body
    const used = await configuration.useCustom(request.activeProfile(), {
      name, baseUrl, apiKey: apiKey == null || apiKey === '' ? null : apiKey, models: models ?? [], activate: activate ?? false
    })
    return { ok: true as const, provider: used.provider, display_name: used.displayName, base_url: shownAddress(used.baseUrl) }
  })
}

const trying: FastifyPluginAsyncTypebox = async (app) => {
  const { models: { discovery }, providerTests } = app

  app.post('/api/providers/discover', {
    config: { scope: 'admin', rateLimit: { max: testsPerMinute, timeWindow: '1 minute' } },
    schema: {
      summary: 'Find model servers that run on this machine',
      description: 'Tries the usual ports of 127.0.0.1 and those of `SVC_WEBUI_PROBE_PORTS`, with GET requests without a key; no other ' +
        'host is contacted. Changes nothing.',
      body: Nothing,
      response: { 200: DiscoveredServers, ...errors(400, 429), ...conflicts('not_supported') }
    }
  }, async (request) => ({
    servers: (await discovery.look(request.activeProfile())).map(({ id, displayName, baseUrl, isKnown, isConfigured, models }) => ({
      provider: isKnown ? id as 'ollama' : null,
      display_name: displayName,
      base_url: baseUrl,
      is_configured: isConfigured,
      models: models.map(modelToWire),
      models_total: models.length
    }))
  }))

  app.post('/api/providers/test', {
    config: { scope: 'admin', rateLimit: { max: testsPerMinute, timeWindow: '1 minute' } },
    schema: {
      summary: 'Test a provider',
      description: 'Requests the list of models, and one word from a model. `ok: false` has a `code` and a `message` with the problem; ' +
        'the status is 200. For a key or address that is not stored, only the list is requested. 409 `budget_used_up`.',
      body: ProviderTestBody,
      response: { 200: ProviderTestReply, ...errors(400, 429), ...conflicts('budget_used_up') }
    }
  }, async (request) => {
    const { provider, model, api_key: apiKey, base_url: baseUrl } = request.body
    const given = (value: string | null | undefined): string | null => value == null || value === '' ? null : value
    const result = await providerTests.run(request.activeProfile(), {
      provider, model: given(model), apiKey: given(apiKey), baseUrl: given(baseUrl)
    })
    return {
      ok: result.problem === null, provider: result.provider, code: result.problem, message: result.message, models: result.models,
      model: result.model, took_ms: result.tookMs
    }
  })
}
