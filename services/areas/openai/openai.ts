import { type Attachment } from '../../agent/protocol.js'
import { type Chat, type StartedTurn } from '../chat/index.js'
import { NotFound } from '../../ground/errors.js'
import { type Sessions } from '../sessions/index.js'
import { type AnswerPart } from './answer.js'
import { withInstructions, type AnswerWanted } from './asked.js'
import { createConversations, type ConversationsOptions, type Place } from './conversations.js'
import { RequestRefused } from './failures.js'
import { type Images } from './images.js'
import { createKeptResponses, type KeptResponsesOptions, type ReadRow } from './kept-responses.js'
import { createResponseTurns, responseId, type ResponseTurnsOptions } from './response-turns.js'
import { createWaitingCalls, type WaitingCallsOptions } from './waiting-calls.js'

export type OpenAiOptions = ConversationsOptions & WaitingCallsOptions & ResponseTurnsOptions & KeptResponsesOptions & {
  chat: Pick<Chat, 'send'>
  sessions: Pick<Sessions, 'remove'>
  images: Images
  log: (message: string, details: Record<string, unknown>) => void
  /** Whether the model that answers there can see images, itself or through another model that describes them. */
  sees: (session: Place['session'], model: string | null) => Promise<boolean>
  /** Whether the machine that has a workspace runs the service's own version; also true for this machine. */
  isCurrent: (workspace: string) => boolean
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
function assertForgettable ({ sessionId, attended, response }: AnswerWanted): void {
  const reason = sessionId !== null
    ? 'this conversation is kept'
    : response?.isBackground === true
      ? 'a response in the background is kept'
      : attended ? 'an approval is shown in the conversation, which has to be kept for it' : null
  if (reason !== null) throw new RequestRefused(`Unsupported value: 'store': ${reason}.`, 'store', 'unsupported_parameter')
}

/** Stands in for the text of a message that has only images. */
const wordless = '(see the image)'

/** Turns for clients of OpenAI's interface: finds or opens a conversation, and reads its turn as one plain answer. */
export function createOpenAi (options: OpenAiOptions) {
  const { chat, rows, sessions, images, sees, isCurrent, log } = options
  const turns = createResponseTurns(options)
  const calls = createWaitingCalls({ ...options, turns })
  const conversations = createConversations({ ...options, turns, calls })
  const { partsOf, ...kept } = createKeptResponses({ ...options, turns })

  /** Stores the images as attachments, and begins the turn. `opened` runs inside the transaction that stores it. */
  async function start (
    { asked, model, effort, wishes, attended, signal, response }: AnswerWanted, { session, results, images: shown, goesOn }: Place,
    opened: (streamId: string, startedAtS: number) => void
  ) {
    const begin = async (attachments: Attachment[]) => {
      const isSaid = asked.message !== '' || attachments.length > 0
      const message = asked.message === '' && isSaid ? wordless : asked.message
      const expanded = withInstructions({ ...asked, message })
      const accepted = ({ streamId, startedAtS }: StartedTurn): void => opened(streamId, startedAtS)
      return await chat.send({
        sessionId: session.id, message, expanded, attachments, effort, ...(model === null ? {} : { model }), explicitModelPick: false,
        accepted
      }, {
        isProgram: true,
        plan: {
          ...(isSaid ? {} : { input: null }), attended, endsAtLimit: true,
          ...(response?.isBackground === true ? {} : { isAwaited: true as const }),
          ...(wishes === undefined ? {} : { client: wishes })
        },
        results, alongside: () => calls.assertWaiting(session.id, results), ...(goesOn ? { goesOn } : {})
      })
    }
    const { maxOutputTokens, sampling } = wishes ?? {}
    const wish = maxOutputTokens !== undefined ? 'a limit of tokens' : sampling !== undefined ? 'sampling' : null
    if (wish !== null && !isCurrent(session.workspace)) {
      throw new RequestRefused(`The machine of this conversation runs another version, which may not know ${wish}`, 'model', 'unsupported_parameter')
    }
    const [first] = shown
    if (first === undefined) return await begin([])
    if (!await sees(session, model)) {
      throw new RequestRefused('The model of this request cannot see images, and no other model is set up to describe them to it', first.path, 'unsupported_parameter')
    }
    const arrivals = await images.receive(shown, signal)
    try {
      return await begin(await images.attach(session.id, arrivals))
    } finally {
      await images.discard(arrivals)
    }
  }

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
    async begin (wanted: AnswerWanted): Promise<Answering> {
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
                if (isStored && part.end.finish !== 'tool_calls') conversations.keep(wanted, part.end.text, sessionId)
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
