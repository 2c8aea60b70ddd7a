import { NotFound } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type Sessions } from '../sessions/index.js'
import { type AnswerPart } from './answer.js'
import { type AnswerRequest } from './conversation-input.js'
import { createConversations, type ConversationsOptions } from './conversations.js'
import { RequestRefused } from './failures.js'
import { createKeptResponses, type KeptResponsesOptions, type ReadRow } from './kept-responses.js'
import { createResponseTurns, responseId, type ResponseTurnsOptions } from './response-turns.js'
import { createStarting, type StartingOptions } from './starting.js'
import { createWaitingCalls, type WaitingCallsOptions } from './waiting-calls.js'

export type OpenAiOptions = ConversationsOptions & WaitingCallsOptions & ResponseTurnsOptions & KeptResponsesOptions & StartingOptions & {
  sessions: Pick<Sessions, 'remove'>
  log: Log
}

/** A turn that answers a client. */
export interface Answering {
  sessionId: string
  streamId: string
  startedAtS: number
  model: string
  /** May be read once. Throws NoAnswer; ends without an `end` part when no client waits for the answer any more. */
  parts (): AsyncGenerator<AnswerPart, void>
}

/** Throws RequestRefused if a conversation that is not to be kept is asked for together with something that needs it. */
function assertForgettable ({ sessionId, attended, response }: AnswerRequest): void {
  const reason = sessionId !== null
    ? 'this conversation is kept'
    : response?.isBackground === true
      ? 'a response in the background is kept'
      : attended ? 'an approval is shown in the conversation, which has to be kept for it' : null
  if (reason !== null) throw new RequestRefused(`Unsupported value: 'store': ${reason}.`, 'store', 'unsupported_parameter')
}

/** Turns for clients of OpenAI's interface: finds or opens a conversation, and reads its turn as one plain answer. */
export function createOpenAi (options: OpenAiOptions) {
  const { chat, rows, sessions, log } = options
  const turns = createResponseTurns(options)
  const calls = createWaitingCalls({ ...options, turns })
  const conversations = createConversations({ ...options, turns, calls })
  const start = createStarting({ ...options, calls })
  const { partsOf, ...kept } = createKeptResponses({ ...options, turns })

  /** Removes a conversation that is not to be kept; its turn is cancelled if it still runs. */
  async function forget (sessionId: string): Promise<void> {
    await sessions.remove(sessionId).catch((error: unknown) => {
      if (!(error instanceof NotFound)) log('a conversation could not be removed', { sessionId, reason: String(error) })
    })
  }

  return {
    ...kept,

    /**
     * Begins an answer. Throws NoAnswer for a model that no provider lists, NotFound, Forbidden, Conflict for a conversation in which a
     * turn is running, Invalid, TooLarge, Unavailable.
     */
    async begin (wanted: AnswerRequest): Promise<Answering> {
      const { model, showTools, signal, response, wishes = null, isStored } = wanted
      if (!isStored) assertForgettable(wanted)
      await conversations.assertModel(wanted)
      const place = await conversations.find(wanted)
      const { session, isNew } = place
      const reading: Omit<ReadRow, 'streamId'> = {
        showsTools: showTools, wishes, inputTokens: session.inputTokens, cachedTokens: session.cacheReadTokens,
        outputTokens: session.outputTokens
      }
      const started = await start(wanted, place, (streamId, createdAt) => {
        if (response !== undefined && isStored) rows.insert({ ...reading, ...response, streamId, model: model ?? session.model ?? 'agent', createdAt })
      }).catch(async (error: unknown) => {
        // Nothing has been said in it.
        if (isNew) await sessions.remove(session.id)
        throw error
      })
      const { streamId, sessionId, startedAtS } = started
      const named = model ?? started.model?.ref.id ?? session.model ?? 'agent'
      const read: ReadRow = { ...reading, streamId }
      let isOver = response?.isBackground === true
      const giveUp = (): void => {
        if (!isStored) void forget(sessionId)
        else if (!isOver) chat.cancel(streamId)
      }
      if (signal.aborted) giveUp()
      else signal.addEventListener('abort', giveUp, { once: true })
      return {
        sessionId,
        streamId,
        startedAtS,
        model: named,
        async * parts () {
          try {
            for await (const part of partsOf(read, signal)) {
              if (part.kind === 'end') {
                isOver = true
                if (isStored && part.end.finish !== 'tool_calls') await conversations.keep(wanted, part.end.text, sessionId)
              }
              yield part
            }
          } finally {
            giveUp()
          }
        }
      }
    },

    responseId,
    sessionOfResponse: turns.sessionOf,
    sessionOfCalls: calls.sessionOf
  }
}
export type OpenAi = ReturnType<typeof createOpenAi>
