import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Static } from '@sinclair/typebox'
import { type OpenAiHeaders } from '../schemas/openai.js'
import { NoAnswer, type AnswerEnd, type Answering, type AnswerRequest } from '../services/areas/openai/index.js'
import { isEffort } from '../services/providers/index.js'

/** The name of the profile's default model. */
export const usualModel = 'agent'
export const sessionHeader = 'x-session-id'
export const writing = { scope: 'chat', bodyHalves: 'mended', bodyValues: 200_000 } as const
/** A comment that is sent while there are no events. */
export const keepalive = ': keepalive\n\n'

/** The parts of a request that are the same in both interfaces. */
type ClientRequest = Pick<AnswerRequest, 'input' | 'signal' | 'response' | 'wishes' | 'isStored'> & {
  model: string | undefined, sessionId: string | undefined, effort: string | undefined
}

/** Starts the turn that answers a request, and names its session in a header. Throws what `openai.begin` throws. */
export async function begin (
  { openai }: FastifyInstance, request: FastifyRequest<{ Headers: Static<typeof OpenAiHeaders> }>, reply: FastifyReply,
  { model, sessionId: named, effort, ...wanted }: ClientRequest
): Promise<Answering> {
  const sessionId = named ?? openai.sessionOfCalls(wanted.input)
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

/** Resolves with the complete answer. Throws NoAnswer when it has no end, because the connection is gone. */
export async function wholeAnswer (answering: Answering): Promise<AnswerEnd> {
  for await (const part of answering.parts()) if (part.kind === 'end') return part.end
  throw new NoAnswer('The turn was cancelled because its client disconnected', 'cancelled')
}
