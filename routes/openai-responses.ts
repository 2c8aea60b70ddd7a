import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { isOn } from '../schemas/common.js'
import {
  openAiErrors, OpenAiHeaders, ResponseAnswer, ResponseBody, ResponseParams, ResponseQuery, ResponseWhole
} from '../schemas/openai.js'
import {
  failureOfTurn, inputOf, NoAnswer, refuseUnable, RequestRefused, responseEvents, responseToWire, samplingOf, statusOf,
  verbosityInWords, wishesOf, type AnswerPart, type IncomingMessage, type KeptResponse, type ResponseAbout
} from '../services/areas/openai/index.js'
import { NotFound } from '../services/ground/errors.js'
import { begin, keepalive, sessionHeader, wholeAnswer, writing } from './openai-answering.js'
import { sendChunks, whileAdmitted } from './openai-stream.js'

/** How many earlier responses a request may refer to: each is read from its beginning. */
const mostReferred = 200

/** Responses, the newer of the two interfaces: they are stored, and can be read again. */
export const responses: FastifyPluginAsyncTypebox = async (app) => {
  const { openai } = app

  app.post('/responses', {
    config: writing,
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Have the agent respond',
      description: 'In the form of OpenAI; `stream: true` returns an event stream. `previous_response_id` continues the session of that ' +
        'response. `background: true` returns at once, and the response continues without its client. The agent uses its own tools.',
      headers: OpenAiHeaders,
      body: ResponseBody,
      response: { 200: ResponseAnswer, ...openAiErrors }
    }
  }, async (request, reply) => {
    const { body } = request
    refuseUnable(body, 'responses')
    const {
      input: given, instructions = null, previous_response_id: previousId = null, metadata = {}, background: isBackground = false,
      text, reasoning, store: isStored = true
    } = body
    const { tools, tool_choice: toolChoice, parallel_tool_calls: parallel } = body
    const wishes = wishesOf({
      tools, toolChoice, parallel, format: text?.format, formatPath: 'text.format', limits: [body.max_output_tokens], sampling: samplingOf(body)
    })
    const items = typeof given === 'string' ? [{ role: 'user', content: given }] : await referred(request, given)
    const input = inputOf(items, 'input', [instructions ?? '', verbosityInWords(text?.verbosity)].filter((part) => part !== '').join('\n\n'))
    const sessionId = previousId === null ? request.headers[sessionHeader] : openai.sessionOfResponse(previousId)
    return await whileAdmitted(request, reply, async (signal) => {
      const response = { instructions, previousId, metadata, isBackground }
      const answering = await begin(app, request, reply, {
        input, model: body.model, sessionId, signal, response, wishes, effort: reasoning?.effort ?? undefined, isStored
      })
      const about = { ...answering, ...response, isStored, wishes: wishes ?? null, id: openai.responseId(answering.streamId) }
      if (body.stream === true) return await sendChunks(reply, signal, responseText(answering.parts(), about))
      if (isBackground) return responseToWire(about, { status: 'in_progress' })
      const end = await wholeAnswer(answering)
      return responseToWire(about, { status: statusOf(end), text: end.text, end })
    })
  })

  app.get('/responses/:response', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get a response',
      description: 'In the form of OpenAI, as far as it exists so far. `stream: true` returns its events, from the first or after ' +
        '`starting_after`, and continues with new ones. 404: unknown, or its events are no longer stored.',
      params: ResponseParams,
      querystring: ResponseQuery,
      response: { 200: ResponseAnswer, ...openAiErrors }
    }
  }, async (request, reply) => {
    const { stream, starting_after: after = -1 } = request.query
    const kept = keptFor(app, request)
    if (!isOn(stream)) return responseToWire(kept, await openai.standing(kept))
    await whileAdmitted(request, reply, async (signal) => {
      await sendChunks(reply, signal, responseText(kept.parts(signal), kept, Number(after)))
    })
  })

  app.post('/responses/:response/cancel', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Cancel a background response',
      description: 'In the form of OpenAI; returns the response. A finished one is not changed. 400: it does not run in the background.',
      params: ResponseParams,
      response: { 200: ResponseWhole, ...openAiErrors }
    }
  }, async (request) => {
    const kept = keptFor(app, request)
    return responseToWire(kept, await openai.cancel(kept))
  })

  /** Replaces references to parts of earlier responses by their content. Throws NotFound, also for responses of another user. */
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
      if (known.size >= mostReferred) throw new RequestRefused(`input: items of more than ${mostReferred} responses`, 'input')
      const said = known.get(kept.id) ?? responseToWire(kept, await openai.standing(kept)).output
      known.set(kept.id, said)
      const found = said.find(({ id }) => id === item.id)
      if (found === undefined) throw new NotFound(`input.${position}: there is no item ${String(item.id).slice(0, 80)}`)
      resolved.push(found)
    }
    return resolved
  }
}

/** Returns a stored response. Throws NotFound, also for one in a conversation of another user. */
function keptFor ({ openai }: FastifyInstance, request: FastifyRequest<{ Params: Static<typeof ResponseParams> }>): KeptResponse {
  const kept = openai.find(request.params.response)
  request.assertOwnSession(kept.sessionId)
  return kept
}

/** @param after the number of the last event that is left out; events get the same numbers each time */
async function * responseText (parts: AsyncIterable<AnswerPart>, about: ResponseAbout, after = -1): AsyncGenerator<string> {
  const events = responseEvents(about)
  const line = (event: { type: string, sequence_number: number }): string =>
    event.sequence_number <= after ? '' : `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
  yield events.begun().map(line).join('')
  try {
    for await (const part of parts) {
      if (part.kind === 'waiting') yield keepalive
      else if (part.kind === 'text') yield events.text(part.text).map(line).join('')
      else yield events.ended(part.end).map(line).join('')
    }
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    const { failure: { code, message } } = failureOfTurn(error)
    yield line(events.failed({ code: code ?? 'server_error', message }))
  }
}
