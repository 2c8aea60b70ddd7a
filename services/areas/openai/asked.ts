import { type ClientWishes, type ModelRef } from '../../agent/protocol.js'
import { type CallOutput, type SaidCall } from './calls.js'
import { Refused } from './failures.js'
import { entriesOf, type Entry, type IncomingMessage } from './entries.js'
import { type AskedImage } from './images.js'

/** What a client of OpenAI's wants answered. */
export interface Asked {
  /** Names the list of what is said, in what is told of mistakes. */
  path: string
  /** How it wants the answer; empty for nothing. */
  instructions: string
  /** What was said until now. */
  before: readonly Entry[]
  /** What came of the calls that the last answer had left to the client; they stand behind `before`. */
  outputs: readonly CallOutput[]
  /** What is said now; empty where the outputs are all there is. */
  message: string
  /** What is shown with it. */
  images: readonly AskedImage[]
}

export interface AnswerWanted {
  asked: Asked
  profile: string
  /** Who asks, to tell clients apart. */
  client: string
  /** The conversation to go on with; null: one that the context belongs to, or a new one. */
  sessionId: string | null
  /** Null: the conversation's, or the profile's. */
  model: string | null
  /** How much it is to think; absent: as the profile says. */
  effort?: ModelRef['effort']
  /** What the client wants beside an answer in words. */
  wishes?: ClientWishes | undefined
  /** What would be asked becomes a card in the app and is waited for; else it is denied. */
  attended: boolean
  showTools: boolean
  /** Aborted when nobody waits for the answer any more: its turn is cancelled then, unless it is a response in the background. */
  signal: AbortSignal
  /** It is a response, which can be read again. */
  response?: ResponseWanted
}

/** What is told again with a response. */
interface ResponseWanted {
  instructions: string | null
  previousId: string | null
  metadata: Record<string, string>
  isBackground: boolean
}

/** Throws Refused. */
export function askedOf (messages: readonly IncomingMessage[], path: string, instructions = ''): Asked {
  const { rules, entries } = entriesOf(messages, path)
  const last = entries.at(-1)
  const message = last?.role === 'user' ? last : undefined
  const rest = message === undefined ? entries : entries.slice(0, -1)
  const start = rest.findLastIndex(({ role }) => role !== 'tool') + 1
  const outputs = rest.slice(start).flatMap((entry) => entry.role === 'tool' ? [entry.output] : [])
  if (message === undefined ? outputs.length === 0 : message.text.trim() === '' && message.images.length === 0) {
    throw new Refused(`${path}: the last message must be from the user, or have results of calls, and must not be empty`, path)
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

/** Each call has its result behind it, as OpenAI wants it. Results at the beginning belong to the response before. */
function assertAnswered (before: readonly Entry[], outputs: readonly CallOutput[], path: string): void {
  let open: SaidCall[] = []
  let isBegun = false
  const missing = (): void => {
    const [call] = open
    if (call !== undefined) throw new Refused(`No tool output found for function call ${call.id.slice(0, 100)}.`, path)
  }
  const take = ({ callId }: CallOutput): void => {
    if (!isBegun) return
    if (!open.some(({ id }) => id === callId)) {
      throw new Refused(`${path}: no call with the id ${JSON.stringify(callId.slice(0, 100))} stands in front of this result`, path)
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

/** What the model reads in the place of the message. */
export function withInstructions ({ instructions, message }: Pick<Asked, 'instructions' | 'message'>): string {
  return instructions === ''
    ? message
    : `The program that sends this message says how it is to be answered:\n${instructions}\n\nThe message:\n${message}`
}
