import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { CompletionAnswer, CompletionBody, openAiErrors, OpenAiHeaders } from '../schemas/openai.js'
import {
  chunksOf, completionToWire, failureOfTurn, inputOf, NoAnswer, refuseUnable, samplingOf, verbosityInWords, wishesOf,
  type Answering
} from '../services/areas/openai/index.js'
import { begin, keepalive, sessionHeader, wholeAnswer, writing } from './openai-answering.js'
import { sendChunks, whileAdmitted } from './openai-stream.js'

/** Chat completions, the older of the two interfaces. */
export const completions: FastifyPluginAsyncTypebox = async (app) => {
  app.post('/chat/completions', {
    config: writing,
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Have the agent answer a conversation',
      description: 'In the form of OpenAI; `stream: true` returns an event stream. The agent uses its own tools. The header ' +
        '`X-Session-Id` of the answer names the session: send it back to continue there. `X-Agent-Ask: wait` waits for approvals of a ' +
        'person, which are otherwise refused.',
      headers: OpenAiHeaders,
      body: CompletionBody,
      response: { 200: CompletionAnswer, ...openAiErrors }
    }
  }, async (request, reply) => {
    const { body } = request
    refuseUnable(body, 'completions')
    const input = inputOf(body.messages, 'messages', verbosityInWords(body.verbosity))
    const { tools, tool_choice: toolChoice, parallel_tool_calls: parallel, response_format: format } = body
    const wishes = wishesOf({
      tools, toolChoice, parallel, format, formatPath: 'response_format', limits: [body.max_tokens, body.max_completion_tokens],
      sampling: samplingOf(body)
    })
    return await whileAdmitted(request, reply, async (signal) => {
      const answering = await begin(app, request, reply, {
        input, model: body.model, sessionId: request.headers[sessionHeader], signal, wishes, effort: body.reasoning_effort,
        isStored: body.store !== false
      })
      if (body.stream !== true) return completionToWire(answering, await wholeAnswer(answering))
      await sendChunks(reply, signal, completionText(answering, body.stream_options?.include_usage === true))
    })
  })
}

async function * completionText (answering: Answering, withUsage: boolean): AsyncGenerator<string> {
  const chunks = chunksOf(answering)
  const line = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`
  yield line(chunks.first())
  try {
    for await (const part of answering.parts()) {
      if (part.kind === 'waiting') yield keepalive
      else if (part.kind === 'text') yield line(chunks.text(part.text))
      else yield `${part.end.calls.flatMap(chunks.call).map(line).join('')}${line(chunks.last(part.end))}${withUsage ? line(chunks.usage(part.end)) : ''}data: [DONE]\n\n`
    }
  } catch (error) {
    // Clients throw an event with this key; without [DONE], they do not treat the answer as complete.
    if (!(error instanceof NoAnswer)) throw error
    yield line({ error: failureOfTurn(error).failure })
  }
}
