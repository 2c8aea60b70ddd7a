import { type Attachment, type ClientWishes } from '../../agent/protocol.js'
import { chatPlan, type Chat } from '../chat/index.js'
import { Invalid, NotFound } from '../../ground/errors.js'
import { type EventBroker } from '../../ground/events/index.js'
import { NoAnswer, readAnswer, statusOf, type AnswerEnd, type AnswerPart } from './answer.js'
import { withInstructions, type AnswerWanted } from './asked.js'
import { createConversations, responseId, type ConversationsOptions, type Place } from './conversations.js'
import { failureOfTurn, Refused } from './failures.js'
import { type Images } from './images.js'
import { type createResponseRows, type ResponseRow } from './rows.js'

export interface OpenAiOptions extends ConversationsOptions {
  chat: ConversationsOptions['chat'] & Pick<Chat, 'start' | 'cancel'>
  events: Pick<EventBroker, 'subscribe'>
  rows: ReturnType<typeof createResponseRows>
  images: Images
  /** Whether what answers there can be shown images, itself or by another model that describes them. */
  sees: (session: Place['session'], model: string | null) => Promise<boolean>
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

/** A response that was begun before, as it is read again. */
export interface KeptResponse extends Pick<Answering, 'sessionId' | 'streamId' | 'model' | 'startedAtS'> {
  id: string
  instructions: string | null
  previousId: string | null
  metadata: Record<string, string>
  isBackground: boolean
  wishes: ClientWishes | null
  /** From its beginning; as of `Answering`, but who stops to read it ends nothing. */
  parts (signal: AbortSignal, waitingMs?: number): AsyncGenerator<AnswerPart, void>
}

/** How far a response has come. */
export interface Standing {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'
  text?: string
  end?: AnswerEnd
  error?: { code: string, message: string }
}

/** The part of a response's row that reading its answer takes. */
type ReadRow = Pick<ResponseRow, 'streamId' | 'showsTools' | 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'wishes'>

const waitingMs = 15_000
/** A turn that is cancelled has its last frame soon. */
const endingMs = 5_000
const never = new AbortController().signal
/** Stands for a message that is nothing but images. */
const wordless = '(see the image)'

const wishesIn = (wishes: object | null): ClientWishes | undefined => wishes as ClientWishes | null ?? undefined

/** Turns for clients that speak OpenAI's interface: a conversation is found or opened, and its turn read as one plain answer. */
export function createOpenAi ({ chat, events, rows, models, sessions, clock, defaultWorkspace, workers, images, sees }: OpenAiOptions) {
  const conversations = createConversations({ chat, models, sessions, clock, defaultWorkspace, workers })

  function partsOf (
    { streamId, showsTools, wishes, ...before }: ReadRow, signal: AbortSignal, patienceMs = waitingMs
  ): AsyncGenerator<AnswerPart, void> {
    const subscription = events.subscribe(streamId, 0)
    if (subscription === null) throw new NotFound('The events of this response are no longer kept. Its conversation has the answer')
    return readAnswer({
      subscription, streamId, isFormatted: wishesIn(wishes)?.format !== undefined, showTools: showsTools,
      before: { input: before.inputTokens, cached: before.cachedTokens, output: before.outputTokens },
      waitingMs: patienceMs, signal
    })
  }

  /** A response of this id. Throws NotFound. */
  function find (id: string): KeptResponse {
    const { streamId, sessionId } = conversations.turnOf(id)
    const row = rows.find(streamId)
    if (row === undefined) throw new NotFound(`Response not found: ${id.slice(0, 80)}`)
    const { instructions, previousId, metadata, model, isBackground, wishes, createdAt: startedAtS } = row
    return {
      id, sessionId, streamId, instructions, previousId, metadata, model, isBackground, startedAtS, wishes: wishesIn(wishes) ?? null,
      parts: (signal, patienceMs) => partsOf(row, signal, patienceMs)
    }
  }

  /** How far a response has come, when nothing more has come of it for so long. Throws NotFound where its events are no longer kept. */
  async function standing ({ parts }: KeptResponse, patienceMs = 0): Promise<Standing> {
    let text = ''
    try {
      for await (const part of parts(never, patienceMs)) {
        if (part.kind === 'end') return { status: statusOf(part.end), text: part.end.text, end: part.end }
        if (part.kind === 'waiting') break
        text += part.text
      }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      const { failure: { code, message } } = failureOfTurn(error)
      if (code === 'cancelled') return { status: 'cancelled', text }
      return { status: 'failed', text, error: { code: code ?? 'server_error', message } }
    }
    return { status: 'in_progress', text }
  }

  /** Puts the images where the app has its attachments, and begins the turn. */
  async function start (
    { asked, model, effort, wishes, attended, signal }: AnswerWanted, { session, results, images: shown, goesOn }: Place
  ) {
    const begin = async (attachments: Attachment[]) => {
      const isSaid = asked.message !== '' || attachments.length > 0
      const message = asked.message === '' && isSaid ? wordless : asked.message
      const expanded = withInstructions({ ...asked, message })
      const input = { message, expanded, attachments, effort, ...(model === null ? {} : { model }) }
      return await chat.start({ ...input, sessionId: session.id, explicitModelPick: false }, {
        plan: ({ id }) => ({
          ...chatPlan(id, input), ...(isSaid ? {} : { input: null }), attended, endsAtLimit: true,
          ...(wishes === undefined ? {} : { client: wishes })
        }),
        results, alongside: () => conversations.assertWaiting(session.id, results), ...(goesOn ? { goesOn } : {})
      })
    }
    const [first] = shown
    if (first === undefined) return await begin([])
    if (!await sees(session, model)) {
      throw new Refused('The model of this request cannot see images, and no other model is set up to describe them to it', first.path, 'unsupported_parameter')
    }
    const arrivals = await images.receive(shown, signal)
    try {
      return await begin(await images.attach(session.id, arrivals))
    } finally {
      await images.discard(arrivals)
    }
  }

  return {
    find,

    /** The response that an item belongs to: its message, or a call. Throws NotFound. */
    ofItem (id: string): KeptResponse {
      const [, streamId] = /^(?:msg|fc)_([0-9a-f]{32})(?:_\d+)?$/.exec(id) ?? []
      if (streamId === undefined) throw new NotFound(`Item not found: ${id.slice(0, 80)}`)
      return find(responseId(streamId))
    },

    standing,

    /** Ends a response in the background; one that has ended stays as it is. Throws Invalid for another one, and NotFound. */
    async cancel (kept: KeptResponse): Promise<Standing> {
      if (!kept.isBackground) throw new Invalid('Only a response in the background can be cancelled: close the connection of this one')
      chat.cancel(kept.streamId)
      return await standing(kept, endingMs)
    },

    /**
     * Begins to answer. Throws NoAnswer for a model that nobody lists, NotFound, Forbidden, Conflict for a conversation in which a turn is
     * running, Invalid, TooLarge, Unavailable.
     */
    async begin (wanted: AnswerWanted): Promise<Answering> {
      const { model, showTools, signal, response, wishes = null } = wanted
      await conversations.assertModel(wanted)
      const place = await conversations.find(wanted)
      const { session, isNew } = place
      const started = await start(wanted, place).catch(async (error: unknown) => {
        // Nobody has said anything in it.
        if (isNew) await sessions.remove(session.id)
        throw error
      })
      const { streamId, sessionId, startedAtS } = started
      const named = model ?? started.model?.ref.id ?? session.model ?? 'agent'
      const read = {
        streamId, showsTools: showTools, wishes, inputTokens: session.inputTokens, cachedTokens: session.cacheReadTokens,
        outputTokens: session.outputTokens
      }
      if (response !== undefined) rows.insert({ ...read, ...response, model: named, createdAt: startedAtS })
      let isOver = response?.isBackground === true
      const giveUp = (): void => { if (!isOver) chat.cancel(streamId) }
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
                if (part.end.finish !== 'tool_calls') conversations.keep(wanted, part.end.text, sessionId)
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

    /** What the client of a response wants beside an answer in words. */
    wishesOf: (streamId: string): ClientWishes | undefined => wishesIn(rows.find(streamId)?.wishes ?? null),

    sessionOfResponse: conversations.ofResponse,

    sessionOfCalls: conversations.ofCalls
  }
}
export type OpenAi = ReturnType<typeof createOpenAi>
