import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { explain } from '../plugins/ground/errors.js'
import { isOn } from '../schemas/common.js'
import {
  CompletionAnswer, CompletionBody, ModelEntries, ModelEntry, ModelParams, openAiErrors, OpenAiHeaders, ResponseAnswer, ResponseBody,
  ResponseParams, ResponseQuery, ResponseWhole
} from '../schemas/openai.js'
import { isEffort } from '../services/providers/index.js'
import { NotFound } from '../services/ground/errors.js'
import { beginningOf, redact } from '../services/ground/redaction/index.js'
import {
  askedOf, chunksOf, completionToWire, failureOf, failureOfTurn, modelToOpenAi, NoAnswer, noSuchModel, refuseUnable, Refused,
  responseEvents, responseToWire, statusOf, wishesOf, type AnswerEnd, type AnswerPart, type Answering, type AnswerWanted, type Failure,
  type IncomingMessage, type KeptResponse, type ResponseAbout
} from '../services/areas/openai/index.js'
import { sendChunks, whileAdmitted } from './openai-stream.js'

const tags = ['openai']
/** The profile's own model, whatever that is. */
const usualModel = 'agent'
const sessionHeader = 'x-session-id'
/** Each is read from its beginning. */
const mostReferred = 200
const writing = { scope: 'chat', bodyHalves: 'mended', bodyValues: 200_000 } as const

/** The agent for programs that speak OpenAI's interface, below `/v1`. What goes wrong there is said in its shape as well. */
const plugin: FastifyPluginAsyncTypebox = async (app) => await app.register(routes, { prefix: '/v1' })
export default plugin

const routes: FastifyPluginAsyncTypebox = async (app) => {
  const { openai, models } = app

  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof NoAnswer) {
      const { status, failure } = failureOfTurn(error)
      if (error.retryAfterS !== undefined) reply.header('Retry-After', String(error.retryAfterS))
      return sendFailure(reply, status, failure)
    }
    if (error instanceof Refused) {
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
      tags,
      summary: 'List models',
      description: 'In the form of OpenAI. `agent` stands for the default model of the profile. Errors here have the form of OpenAI.',
      response: { 200: ModelEntries, ...openAiErrors }
    }
  }, async (request) => ({ object: 'list' as const, data: await modelsOf(request) }))

  app.get('/models/:model', {
    config: { scope: 'read' },
    schema: {
      tags,
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

  app.post('/chat/completions', {
    config: writing,
    bodyLimit: bodyLimits.text,
    schema: {
      tags,
      summary: 'Have the agent answer a conversation',
      description: 'In the form of OpenAI; `stream: true` answers with an event stream. The agent uses its own tools. `X-Session-Id` of ' +
        'the answer names the session: send it back to continue there. `X-Agent-Ask: wait` waits for approvals of a person, which are ' +
        'refused otherwise.',
      headers: OpenAiHeaders,
      body: CompletionBody,
      response: { 200: CompletionAnswer, ...openAiErrors }
    }
  }, async (request, reply) => {
    const { body } = request
    refuseUnable(body, 'completions')
    const asked = askedOf(body.messages, 'messages')
    const { tools, tool_choice: toolChoice, parallel_tool_calls: parallel, response_format: format } = body
    const wishes = wishesOf({ tools, toolChoice, parallel, format, formatPath: 'response_format' })
    return await whileAdmitted(request, reply, async (signal) => {
      const answering = await begin(request, reply, {
        asked, model: body.model, sessionId: request.headers[sessionHeader], signal, wishes, effort: body.reasoning_effort
      })
      if (body.stream !== true) return completionToWire(answering, await whole(answering))
      await sendChunks(reply, signal, completionText(answering, body.stream_options?.include_usage === true))
    })
  })

  app.post('/responses', {
    config: writing,
    bodyLimit: bodyLimits.text,
    schema: {
      tags,
      summary: 'Have the agent respond',
      description: 'In the form of OpenAI; `stream: true` answers with an event stream. `previous_response_id` continues the session of ' +
        'that response. `background: true` answers at once: the response goes on without its client. The agent uses its own ' +
        'tools.',
      headers: OpenAiHeaders,
      body: ResponseBody,
      response: { 200: ResponseAnswer, ...openAiErrors }
    }
  }, async (request, reply) => {
    const { body } = request
    refuseUnable(body, 'responses')
    const {
      input, instructions = null, previous_response_id: previousId = null, metadata = {}, background: isBackground = false, text, reasoning
    } = body
    const { tools, tool_choice: toolChoice, parallel_tool_calls: parallel } = body
    const wishes = wishesOf({ tools, toolChoice, parallel, format: text?.format, formatPath: 'text.format' })
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : await referred(request, input)
    const asked = askedOf(items, 'input', instructions ?? '')
    const sessionId = previousId === null ? request.headers[sessionHeader] : openai.sessionOfResponse(previousId)
    return await whileAdmitted(request, reply, async (signal) => {
      const response = { instructions, previousId, metadata, isBackground }
      const answering = await begin(request, reply, {
        asked, model: body.model, sessionId, signal, response, wishes, effort: reasoning?.effort
      })
      const about = { ...answering, ...response, wishes: wishes ?? null, id: openai.responseId(answering.streamId) }
      if (body.stream === true) return await sendChunks(reply, signal, responseText(answering.parts(), about))
      if (isBackground) return responseToWire(about, { status: 'in_progress' })
      const end = await whole(answering)
      return responseToWire(about, { status: statusOf(end), text: end.text, end })
    })
  })

  app.get('/responses/:response', {
    config: { scope: 'read' },
    schema: {
      tags,
      summary: 'Get a response',
      description: 'In the form of OpenAI, as far as it has come. `stream: true` answers with its events, from the first or after ' +
        '`starting_after`, and goes on with those that come. 404: unknown, or its events are no longer kept.',
      params: ResponseParams,
      querystring: ResponseQuery,
      response: { 200: ResponseAnswer, ...openAiErrors }
    }
  }, async (request, reply) => {
    const { stream, starting_after: after = -1 } = request.query
    const kept = keptFor(request)
    if (!isOn(stream)) return responseToWire(kept, await openai.standing(kept))
    await whileAdmitted(request, reply, async (signal) => {
      await sendChunks(reply, signal, responseText(kept.parts(signal), kept, Number(after)))
    })
  })

  app.post('/responses/:response/cancel', {
    config: { scope: 'chat' },
    schema: {
      tags,
      summary: 'Cancel a response in the background',
      description: 'In the form of OpenAI; answers with the response. One that has ended stays as it is. 400: it is not in the background.',
      params: ResponseParams,
      response: { 200: ResponseWhole, ...openAiErrors }
    }
  }, async (request) => {
    const kept = keptFor(request)
    return responseToWire(kept, await openai.cancel(kept))
  })

  /** Throws NotFound, also for a response in a conversation of somebody else. */
  function keptFor (request: FastifyRequest<{ Params: Static<typeof ResponseParams> }>): KeptResponse {
    const kept = openai.find(request.params.response)
    request.assertOwnSession(kept.sessionId)
    return kept
  }

  /** Items with references to parts of earlier responses as what those said. Throws NotFound, also for those of somebody else. */
  async function referred (request: FastifyRequest, items: readonly IncomingMessage[]): Promise<IncomingMessage[]> {
    const known = new Map<string, IncomingMessage[]>()
    const resolved: IncomingMessage[] = []
    for (const [position, item] of items.entries()) {
      if (item.type !== 'item_reference') {
        resolved.push(item)
        continue
      }
      const kept = openai.ofItem(String(item.id))
      request.assertOwnSession(kept.sessionId)
      if (known.size >= mostReferred) throw new Refused(`input: items of more than ${mostReferred} responses`, 'input')
      const said = known.get(kept.id) ?? responseToWire(kept, await openai.standing(kept)).output
      known.set(kept.id, said)
      const found = said.find(({ id }) => id === item.id)
      if (found === undefined) throw new NotFound(`input.${position}: there is no item ${String(item.id).slice(0, 80)}`)
      resolved.push(found)
    }
    return resolved
  }

  async function begin (
    request: FastifyRequest, reply: FastifyReply,
    { model, sessionId: named, effort, ...wanted }: Pick<AnswerWanted, 'asked' | 'signal' | 'response' | 'wishes'> & {
      model: string | undefined, sessionId: string | undefined, effort: string | undefined
    }
  ): Promise<Answering> {
    const sessionId = named ?? openai.sessionOfCalls(wanted.asked)
    if (sessionId !== undefined) request.assertOwnSession(sessionId)
    const { 'x-agent-ask': ask, 'x-agent-tools': tools } = request.headers
    const answering = await openai.begin({
      ...wanted,
      ...(isEffort(effort) ? { effort } : {}),
      profile: request.activeProfile(),
      client: request.operator?.tokenHash ?? request.ip,
      sessionId: sessionId ?? null,
      model: model === undefined || model === usualModel ? null : model,
      attended: ask === 'wait',
      showTools: tools === 'text'
    })
    reply.header(sessionHeader, answering.sessionId)
    return answering
  }

  async function modelsOf (request: FastifyRequest): Promise<Array<Static<typeof ModelEntry>>> {
    const { groups, defaultModel } = await models.catalog.groups(request.activeProfile())
    const listed = groups.flatMap(({ providerId, models, extraModels }) =>
      [...models, ...extraModels].map((model) => modelToOpenAi(model, providerId)))
    const usual = listed.find(({ id }) => id === defaultModel)
    return [{ ...usual, id: usualModel, object: 'model', created: 0, owned_by: 'agent-web-service', name: 'Agent' }, ...listed]
  }
}

/** The answer once it stands. Throws NoAnswer; the connection is gone where there is none. */
async function whole (answering: Answering): Promise<AnswerEnd> {
  for await (const part of answering.parts()) if (part.kind === 'end') return part.end
  throw new NoAnswer('The turn was cancelled because its client disconnected', 'cancelled')
}

/** The part of the body that a form refuses, as clients of OpenAI name it. */
function paramOf ({ validation, validationContext }: FastifyError): string | null {
  const [mistake] = validation ?? []
  if (mistake === undefined || validationContext !== 'body') return null
  const { instancePath, params } = mistake
  const missing = typeof params.missingProperty === 'string' ? [params.missingProperty] : []
  return [...instancePath.split('/').filter((part) => part !== ''), ...missing].join('.') || null
}

const waiting = ': keepalive\n\n'

async function * completionText (answering: Answering, withUsage: boolean): AsyncGenerator<string> {
  const chunks = chunksOf(answering)
  const line = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
  yield line(chunks.first())
  try {
    for await (const part of answering.parts()) {
      if (part.kind === 'waiting') yield waiting
      else if (part.kind === 'text') yield line(chunks.text(part.text))
      else yield `${part.end.calls.flatMap(chunks.call).map(line).join('')}${line(chunks.last(part.end))}${withUsage ? line(chunks.usage(part.end)) : ''}data: [DONE]\n\n`
    }
  } catch (error) {
    // Clients throw what has this key; without [DONE] nobody takes what there is for all of it.
    if (!(error instanceof NoAnswer)) throw error
    yield line({ error: failureOfTurn(error).failure })
  }
}

/** @param after the number of the last event that is not sent: their numbers are the same whenever they are made */
async function * responseText (parts: AsyncIterable<AnswerPart>, about: ResponseAbout, after = -1): AsyncGenerator<string> {
  const events = responseEvents(about)
  const line = (event: { type: string, sequence_number: number }): string =>
    event.sequence_number <= after ? '' : `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
  yield events.begun().map(line).join('')
  try {
    for await (const part of parts) {
      if (part.kind === 'waiting') yield waiting
      else if (part.kind === 'text') yield events.text(part.text).map(line).join('')
      else yield events.ended(part.end).map(line).join('')
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    const { failure: { code, message } } = failureOfTurn(error)
    yield line(events.failed({ code: code ?? 'server_error', message }))
  }
}

function sendFailure (reply: FastifyReply, status: number, failure: Failure): FastifyReply {
  // The serializer of conflicts is the one of this service's own errors.
  return reply.code(status).type('application/json; charset=utf-8').serializer(JSON.stringify).send({ error: failure })
}
