import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { conflicts, errors } from '../schemas/common.js'
import { ReasoningBody, ReasoningQuery, ReasoningReply } from '../schemas/models.js'
import { reasoningToWire } from '../services/areas/models/index.js'
import { Invalid } from '../services/ground/errors.js'

/** How much the models of a profile think, and whether their reasoning is shown. */
export const reasoning: FastifyPluginAsyncTypebox = async (app) => {
  const { reasoning } = app.models

  app.get('/api/reasoning', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the reasoning effort',
      description: '`reasoning_effort` is the effort in use, lowered to what the model supports; `supported_efforts` are the choices. ' +
        'Without `model`, for the default model.',
      querystring: ReasoningQuery,
      response: { 200: ReasoningReply, ...errors(400) }
    }
  }, async (request) => reasoningToWire(await reasoning.state(request.activeProfile(), request.query)))

  app.post('/api/reasoning', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Set the reasoning effort, or whether reasoning is shown',
      description: 'Send exactly one of the two, else 400: `display` shows or hides reasoning; `effort` sets the reasoning effort, ' +
        'empty: the default of the model. Written to config.yaml.',
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
