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

/** A response that was begun earlier, to be read again. */
export interface KeptResponse extends ResponseTurn {
  id: string
  model: string
  startedAtS: number
  instructions: string | null
  previousId: string | null
  metadata: Record<string, string>
  isBackground: boolean
  wishes: ClientWishes | null
  /** Reads the answer from its beginning. Throws NoAnswer. Stopping early does not end the turn. */
  parts (signal: AbortSignal, waitingMs?: number): AsyncGenerator<AnswerPart, void>
}

/** The state of a response. */
export interface Standing {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed' | 'cancelled'
  text?: string
  end?: AnswerEnd
  error?: { code: string, message: string }
}

/** The part of a response's row that is needed to read its answer. */
export type ReadRow = Pick<ResponseRow, 'streamId' | 'showsTools' | 'inputTokens' | 'cachedTokens' | 'outputTokens' | 'wishes'>

const waitingMs = 15_000
/** How long to wait for the last frame of a cancelled turn. */
const endingMs = 5_000
const never = new AbortController().signal

const wishesIn = (wishes: object | null): ClientWishes | undefined => wishes as ClientWishes | null ?? undefined

/** Responses that were begun earlier, and how their answers are read. */
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

  /** Returns the response with this id. Throws NotFound. */
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

  /**
   * Returns the state of a response once it has ended or has been silent for `patienceMs`. Throws NotFound if its events are no longer
   * kept.
   */
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

    /** Returns the response that an item, a message or a call, belongs to. Throws NotFound. */
    ofItem (id: string): KeptResponse {
      const streamId = turnOfItem(id)
      if (streamId === null) throw new NotFound(`Item not found: ${id.slice(0, 80)}`)
      return find(responseId(streamId))
    },

    /** Cancels a response in the background; one that has ended stays as it is. Throws Invalid for any other response, and NotFound. */
    async cancel (kept: KeptResponse): Promise<Standing> {
      if (!kept.isBackground) throw new Invalid('Only a response in the background can be cancelled: close the connection of this one')
      chat.cancel(kept.streamId)
      return await standing(kept, endingMs)
    },

    /** Returns what is special about a response's turn when it is resumed after a restart of the service. */
    planAgain (streamId: string): Pick<TurnPlan, 'client' | 'endsAtLimit'> {
      const row = rows.find(streamId)
      const client = wishesIn(row?.wishes ?? null)
      return row === undefined ? {} : { endsAtLimit: true, ...(client === undefined ? {} : { client }) }
    }
  }
}
