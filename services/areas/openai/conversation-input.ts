import { type ClientWishes, type ModelRef } from '../../agent/protocol.js'
import { type CallOutput, type SaidCall } from './calls.js'
import { RequestRefused } from './failures.js'
import { entriesOf, type Entry, type IncomingMessage } from './entries.js'
import { type InputImage } from './images.js'

/** A client's request for an answer, in OpenAI's interface. */
export interface ConversationInput {
  /** The list of messages, as errors name it. */
  path: string
  /** How the client wants the answer; empty if it does not say. */
  instructions: string
  /** The conversation so far. */
  before: readonly Entry[]
  /** Results of the calls that the last answer left to the client; they follow `before`. */
  outputs: readonly CallOutput[]
  /** The new message; empty if the request has only outputs. */
  message: string
  /** Images shown with the message. */
  images: readonly InputImage[]
}

export interface AnswerRequest {
  input: ConversationInput
  profile: string
  /** Who asks; tells clients apart. */
  client: string
  /** The conversation to continue; null for the one that the context belongs to, or a new one. */
  sessionId: string | null
  /** null: the conversation's, or the profile's. */
  model: string | null
  /** How much the model is to think; absent: as the profile says. */
  effort?: ModelRef['effort']
  /** What the client wants besides a text answer. */
  wishes?: ClientWishes | undefined
  /** Permission that would be asked for becomes a card in the app, and the turn waits for it; otherwise it is denied. */
  attended: boolean
  showTools: boolean
  /** Whether the conversation is kept. If not, it is in no list, and is removed with the end of the answer. */
  isStored: boolean
  /** Aborted when no client waits for the answer any more: its turn is then cancelled, unless it is a response in the background. */
  signal: AbortSignal
  /** Set for a response, which can be read again. */
  response?: ResponseRequest
}

/** What is returned again with a response. */
interface ResponseRequest {
  instructions: string | null
  previousId: string | null
  metadata: Record<string, string>
  isBackground: boolean
}

/** Throws RequestRefused. */
export function inputOf (messages: readonly IncomingMessage[], path: string, instructions = ''): ConversationInput {
  const { rules, entries } = entriesOf(messages, path)
  const last = entries.at(-1)
  const message = last?.role === 'user' ? last : undefined
  const rest = message === undefined ? entries : entries.slice(0, -1)
  const start = rest.findLastIndex(({ role }) => role !== 'tool') + 1
  const outputs = rest.slice(start).flatMap((entry) => entry.role === 'tool' ? [entry.output] : [])
  if (message === undefined ? outputs.length === 0 : message.text.trim() === '' && message.images.length === 0) {
    throw new RequestRefused(`${path}: the last message must be from the user, or have results of calls, and must not be empty`, path)
  }
  const before = rest.slice(0, start)
  assertAnswered(before, outputs, path)
  return {
    path,
    instructions: [instructions, ...rules].filter((rule) => rule.trim() !== '').join('\n\n'),
    before: before.filter((entry) => entry.role !== 'user' || entry.text.trim() !== '' || entry.images.length > 0),
    outputs, message: message?.text ?? '', images: message?.images ?? []
  }
}

/**
 * Throws RequestRefused unless each call is followed by its result, as OpenAI requires. Results at the beginning belong to the previous
 * response.
 */
function assertAnswered (before: readonly Entry[], outputs: readonly CallOutput[], path: string): void {
  let open: SaidCall[] = []
  let isBegun = false
  const missing = (): void => {
    const [call] = open
    if (call !== undefined) throw new RequestRefused(`No tool output found for function call ${call.id.slice(0, 100)}.`, path)
  }
  const take = ({ callId }: CallOutput): void => {
    if (!isBegun) return
    if (!open.some(({ id }) => id === callId)) {
      throw new RequestRefused(`${path}: no call with the id ${JSON.stringify(callId.slice(0, 100))} stands in front of this result`, path)
    }
    open = open.filter(({ id }) => id !== callId)
  }
  for (const entry of before) {
    if (entry.role === 'tool') {
      take(entry.output)
      continue
    }
    missing()
    isBegun = true
    open = entry.role === 'assistant' ? [...entry.calls] : []
  }
  outputs.forEach(take)
  missing()
}

/** Returns the text that the model reads instead of the message. */
export function withInstructions ({ instructions, message }: Pick<ConversationInput, 'instructions' | 'message'>): string {
  return instructions === ''
    ? message
    : `The program that sends this message says how it is to be answered:\n${instructions}\n\nThe message:\n${message}`
}
