import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static } from '@sinclair/typebox'
import {
  LiveModelsQuery, LiveModelsReply, ModelsQuery, ModelsReply, ProvidersReply, type ModelRow, type Provider
} from '../schemas/models.js'
import { type ListedModel, type ListedProvider } from '../services/models/index.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/api/models', {
    schema: {
      tags: ['models'],
      summary: 'The models to choose from, by provider',
      querystring: ModelsQuery,
      response: { 200: ModelsReply }
    }
  }, async (request) => {
    const { activeProvider, defaultModel, groups, aliases } = await app.models.catalog.groups(request.activeProfile())
    return {
      active_provider: activeProvider,
      default_model: defaultModel,
      configured_model_badges: {},
      groups: groups.map(({ providerId, displayName, models, extraModels, endpointError }) => ({
        provider: displayName,
        name: displayName,
        provider_id: providerId,
        models: models.map(toModelRow),
        extra_models: extraModels.map(toModelRow),
        ...(endpointError !== null && { models_endpoint_error: endpointError })
      })),
      aliases
    }
  })

  app.get('/api/models/live', {
    schema: {
      tags: ['models'],
      summary: 'The list of one provider, asked now',
      querystring: LiveModelsQuery,
      response: { 200: LiveModelsReply }
    }
  }, async (request) => {
    const { provider, models, error } = await app.models.catalog.live(request.activeProfile(), request.query.provider)
    return { provider, models: models.map(toModelRow), count: models.length, ...(error !== undefined && { error }) }
  })

  app.get('/api/providers', {
    schema: {
      tags: ['models'],
      summary: 'Model providers and where their keys come from',
      response: { 200: ProvidersReply }
    }
  }, async (request) => {
    const { active, providers } = await app.models.catalog.providers(request.activeProfile())
    return { active_provider: active, providers: providers.map(toProvider) }
  })
}
export default plugin

function toModelRow ({ id, label }: ListedModel): Static<typeof ModelRow> {
  return { id, label, name: label }
}

function toProvider ({ entry, id, displayName, problem, models }: ListedProvider): Static<typeof Provider> {
  return {
    id,
    display_name: displayName,
    has_key: entry !== null && entry.apiKey !== null,
    configurable: true,
    is_self_hosted: entry?.isSelfHosted ?? false,
    base_url: entry === null ? null : withoutUserInfo(entry.baseUrl),
    is_oauth: false,
    key_source: entry?.keySource ?? 'none',
    auth_error: problem,
    models: models.map(toModelRow),
    models_total: models.length,
    is_plugin_provider: false,
    is_custom: entry?.isCustom ?? false,
    reason: entry?.reason ?? null
  }
}

/** An address may hold a name and a password. */
function withoutUserInfo (address: string | null): string | null {
  return address === null ? null : address.replace(/^(https?:\/\/)[^/@]*@/, '$1')
}
