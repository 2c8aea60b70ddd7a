import { type ClientWishes } from '../../agent/protocol.js'
import { type Chat, type TurnPlan } from '../chat/index.js'
import { Invalid, NotFound } from '../../ground/errors.js'
import { type EventBroker } from '../../ground/events/index.js'
import { NoAnswer, readAnswer, statusOf, type AnswerEnd, type AnswerPart } from './answer.js'
import { turnOfItem } from './calls.js'
import { failureOfTurn } from './failures.js'
import { responseId, type ResponseTurn, type ResponseTurns } from './response-turns.js'
import { type createResponseRows, type ResponseRow } from './rows.js'

export interface KeptResponsesOptions {
  chat: Pick<Chat, 'cancel'>
  events: Pick<EventBroker, 'subscribe'>
  rows: ReturnType<typeof createResponseRows>
}

/** A response that was begun before, as it is read again. */
export interface KeptResponse extends ResponseTurn {
  id: string
  model: string
  startedAtS: number
  instructions: string | null
  previousId: string | null
  metadata: Record<string, string>
  isBackground: boolean
  wishes: ClientWishes | null
  /** Reads the answer from its beginning. Throws NoAnswer. Whoever stops reading it ends nothing. */
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
export type ReadRow = Pick<ResponseRow, 'streamId' | 'showsTools' | 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'wishes'>

const waitingMs = 15_000
/** A turn that is cancelled has its last frame soon. */
const endingMs = 5_000
const never = new AbortController().signal

const wishesIn = (wishes: object | null): ClientWishes | undefined => wishes as ClientWishes | null ?? undefined

/** Answers that were begun, and how they are read. */
export function createKeptResponses ({ chat, events, rows, turns }: KeptResponsesOptions & { turns: ResponseTurns }) {
  /** Reads an answer from its beginning. Throws NoAnswer, and NotFound when its events are no longer kept. */
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
    const turn = turns.of(id)
    const row = rows.find(turn.streamId)
    if (row === undefined) throw new NotFound(`Response not found: ${id.slice(0, 80)}`)
    const { instructions, previousId, metadata, model, isBackground, wishes, createdAt: startedAtS } = row
    return {
      ...turn, id, instructions, previousId, metadata, model, isBackground, startedAtS, wishes: wishesIn(wishes) ?? null,
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

  return {
    partsOf,
    find,
    standing,

    /** The response that an item belongs to: its message, or a call. Throws NotFound. */
    ofItem (id: string): KeptResponse {
      const streamId = turnOfItem(id)
      if (streamId === null) throw new NotFound(`Item not found: ${id.slice(0, 80)}`)
      return find(responseId(streamId))
    },

    /** Ends a response in the background; one that has ended stays as it is. Throws Invalid for another one, and NotFound. */
    async cancel (kept: KeptResponse): Promise<Standing> {
      if (!kept.isBackground) throw new Invalid('Only a response in the background can be cancelled: close the connection of this one')
      chat.cancel(kept.streamId)
      return await standing(kept, endingMs)
    },

    /** What is special about the turn of a response when it goes on after a stop of the service. */
    planAgain (streamId: string): Pick<TurnPlan, 'client' | 'endsAtLimit'> {
      const row = rows.find(streamId)
      const client = wishesIn(row?.wishes ?? null)
      return row === undefined ? {} : { endsAtLimit: true, ...(client === undefined ? {} : { client }) }
    }
  }
}
