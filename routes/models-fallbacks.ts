import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { conflicts, errors } from '../schemas/common.js'
import { ModelFallbacks, ModelFallbacksBody } from '../schemas/models.js'
import { type FallbackList } from '../services/areas/models/index.js'

/** The fallbacks: models that take over when one fails. */
export const fallbacks: FastifyPluginAsyncTypebox = async (app) => {
  const { configuration } = app.models

  app.get('/api/model/fallbacks', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the fallback models',
      description: 'In order. `means` is the model that an entry stands for now; `problem` says why it cannot take over. Send ' +
        '`version` when setting them.',
      response: { 200: ModelFallbacks }
    }
  }, async (request) => fallbacksToWire(await configuration.fallbacks.list(request.activeProfile())))

  app.post('/api/model/fallbacks', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Set the fallback models and their order',
      description: 'Replaces the whole list; used by the next turn. 400 for an unknown provider or model, a duplicate, or more than 20. ' +
        '409 without a code: the list has changed since `version`.',
      body: ModelFallbacksBody,
      response: { 200: ModelFallbacks, ...errors(400), ...conflicts('config_broken', 'uncoded') }
    }
  }, async (request) => {
    const { fallbacks, version } = request.body
    return fallbacksToWire(await configuration.fallbacks.set(request.activeProfile(), fallbacks, version ?? null))
  })
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
