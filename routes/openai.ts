import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import { explain } from '../plugins/ground/errors.js'
import { ModelEntries, ModelEntry, ModelParams, openAiErrors } from '../schemas/openai.js'
import {
  failureOf, failureOfTurn, modelToOpenAi, NoAnswer, noSuchModel, RequestRefused, type Failure
} from '../services/areas/openai/index.js'
import { beginningOf, redact } from '../services/ground/redaction/index.js'
import { usualModel } from './openai-answering.js'
import { completions } from './openai-completions.js'
import { responses } from './openai-responses.js'
import { tagged } from './shared/tagged.js'

/** The agent for programs that use OpenAI's API, below `/v1`. Errors have the shape of that API too. */
const plugin: FastifyPluginAsyncTypebox = async (app) => await app.register(routes, { prefix: '/v1' })
export default plugin

const routes: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('openai'))
  const { models } = app

  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof NoAnswer) {
      const { status, failure } = failureOfTurn(error)
      if (error.retryAfterS !== undefined) reply.header('Retry-After', String(error.retryAfterS))
      return sendFailure(reply, status, failure)
    }
    if (error instanceof RequestRefused) {
      return sendFailure(reply, 400, failureOf(400, redact(error.message), error.reason, error.param))
    }
    const { status, body, retryAfterS } = explain(error, request)
    if (retryAfterS !== undefined) reply.header('Retry-After', String(retryAfterS))
    return sendFailure(reply, status, failureOf(status, body.error, body.code, paramOf(error)))
  })

  app.setNotFoundHandler((request, reply) =>
    sendFailure(reply, 404, failureOf(404, `There is no ${request.method} ${beginningOf(redact(request.url.replace(/[?#].*$/, '')), 200)} here`)))

  app.get('/models', {
    config: { scope: 'read' },
    schema: {
      summary: 'List models',
      description: 'In the form of OpenAI. `agent` stands for the default model of the profile. Errors here have the form of OpenAI.',
      response: { 200: ModelEntries, ...openAiErrors }
    }
  }, async (request) => ({ object: 'list' as const, data: await modelsOf(request) }))

  app.get('/models/:model', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get a model',
      description: 'In the form of OpenAI. 404: unknown model.',
      params: ModelParams,
      response: { 200: ModelEntry, ...openAiErrors }
    }
  }, async (request) => {
    const found = (await modelsOf(request)).find(({ id }) => id === request.params.model)
    if (found === undefined) throw noSuchModel(request.params.model)
    return found
  })

  await app.register(completions)
  await app.register(responses)

  async function modelsOf (request: FastifyRequest): Promise<Array<Static<typeof ModelEntry>>> {
    const { groups, defaultModel } = await models.catalog.groups(request.activeProfile())
    const listed = groups.flatMap((group) =>
      [...group.models, ...group.extraModels].map((model) => modelToOpenAi(model, group)))
    const usual = listed.find(({ id }) => id === defaultModel)
    return [{ ...usual, id: usualModel, object: 'model', created: 0, owned_by: 'agent-web-service', name: 'Agent' }, ...listed]
  }
}

/** Returns the part of the body that its schema refuses, as OpenAI's API names it. */
function paramOf ({ validation, validationContext }: FastifyError): string | null {
  const [mistake] = validation ?? []
  if (mistake === undefined || validationContext !== 'body') return null
  const { instancePath, params } = mistake
  const missing = typeof params.missingProperty === 'string' ? [params.missingProperty] : []
  return [...instancePath.split('/').filter((part) => part !== ''), ...missing].join('.') || null
}

function sendFailure (reply: FastifyReply, status: number, failure: Failure): FastifyReply {
  // The route's serializer for conflicts is for the shape of this service's own errors.
  return reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send({ error: failure })
}
