import { chatPlan, type Chat } from '../chat/index.js'
import { NotFound } from '../../ground/errors.js'
import { type EventBroker } from '../../ground/events/index.js'
import { readAnswer, type AnswerPart } from './answer.js'
import { withInstructions, type AnswerWanted } from './asked.js'
import { createConversations, responseId, type ConversationsOptions } from './conversations.js'

export interface OpenAiOptions extends ConversationsOptions {
  chat: ConversationsOptions['chat'] & Pick<Chat, 'start' | 'cancel'>
  events: Pick<EventBroker, 'subscribe'>
}

/** A turn that answers a client. */
export interface Answering {
  sessionId: string
  streamId: string
  startedAtS: number
  model: string
  /** Read once. Throws NoAnswer; ends without an end when nobody waits for it any more. */
  parts (): AsyncGenerator<AnswerPart, void>
}

const waitingMs = 15_000

/** Turns for clients that speak OpenAI's interface: a conversation is found or opened, and its turn read as one plain answer. */
export function createOpenAi ({ chat, events, models, sessions, clock, defaultWorkspace, workers }: OpenAiOptions) {
  const conversations = createConversations({ chat, models, sessions, clock, defaultWorkspace, workers })

  return {
    /**
     * Begins to answer. Throws NoAnswer for a model that nobody lists, NotFound, Forbidden, Conflict for a conversation in which a turn is
     * running, Invalid, Unavailable.
     */
    async begin (wanted: AnswerWanted): Promise<Answering> {
      const { asked, model, attended, showTools, signal } = wanted
      await conversations.assertModel(wanted)
      const { session, isNew } = await conversations.find(wanted)
      const before = { input: session.inputTokens, cached: session.cacheReadTokens, output: session.outputTokens }
      const input = { message: asked.message, expanded: withInstructions(asked), attachments: [], ...(model === null ? {} : { model }) }
      const started = await chat.start({
        ...input, sessionId: session.id, explicitModelPick: false
      }, { plan: ({ id }) => ({ ...chatPlan(id, input), attended, endsAtLimit: true }) }).catch(async (error: unknown) => {
        // Nobody has said anything in it.
        if (isNew) await sessions.remove(session.id)
        throw error
      })
      const { streamId, sessionId, startedAtS } = started
      let isOver = false
      const giveUp = (): void => { if (!isOver) chat.cancel(streamId) }
      if (signal.aborted) giveUp()
      else signal.addEventListener('abort', giveUp, { once: true })
      return {
        sessionId,
        streamId,
        startedAtS,
        model: model ?? started.model?.ref.id ?? session.model ?? 'agent',
        async * parts () {
          const subscription = events.subscribe(streamId, 0)
          if (subscription === null) throw new NotFound('stream not found')
          try {
            for await (const part of readAnswer({ subscription, before, showTools, waitingMs, signal })) {
              if (part.kind === 'end') {
                isOver = true
                conversations.keep(wanted, part.end.text, sessionId)
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

    sessionOfResponse: conversations.ofResponse
  }
}
export type OpenAi = ReturnType<typeof createOpenAi>
