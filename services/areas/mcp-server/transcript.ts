import { type Static } from '@sinclair/typebox'
import { type Message } from '../../../schemas/sessions-messages.js'
import { type SessionDetail } from '../../../schemas/sessions.js'

export type Detail = Static<typeof SessionDetail>

/** A message as a model reads it. `index` is its position in the whole session. */
export interface ReadMessage {
  index: number
  role: string
  text: string
  at: string | null
  calls?: string[]
  is_error?: true
  is_partial?: true
}

const longestText = 20_000

/** Returns the messages, without the results of tools unless they are wanted: those are long and seldom useful to another program. */
export function readMessages ({ messages, _messages_offset: offset }: Detail, { withResults }: { withResults: boolean }): ReadMessage[] {
  return messages.map((message, place) => readMessage(message, offset + place)).filter(({ role }) => withResults || role !== 'tool')
}

/** Returns the answer of the last turn: the last text of the assistant after the last message of a person. */
export function lastAnswer (detail: Detail): string {
  const begins = detail.messages.findLastIndex(({ role, _source: source }) => role === 'user' && source !== 'steer')
  const said = detail.messages.slice(begins + 1).filter(({ role }) => role === 'assistant').map(textOf).filter((text) => text !== '')
  return shortened(said.at(-1) ?? '')
}

function readMessage (message: Static<typeof Message>, index: number): ReadMessage {
  const calls = message.tool_calls?.map((call) => call.function?.name ?? '').filter((name) => name !== '') ?? []
  return {
    index,
    role: message.role,
    text: shortened(textOf(message)),
    // Imported messages may have no time.
    at: Number.isFinite(message.timestamp) ? new Date(message.timestamp * 1_000).toISOString() : null,
    ...(calls.length > 0 && { calls }),
    ...((message.is_error === true || message._error === true) && { is_error: true as const }),
    ...(message._partial === true && { is_partial: true as const })
  }
}

function textOf ({ content }: Static<typeof Message>): string {
  if (typeof content === 'string') return content
  return Array.isArray(content)
    ? content.map((part) => typeof part.text === 'string' ? part.text : `[${String(part.type)}]`).join('\n')
    : ''
}

const shortened = (text: string): string =>
  text.length <= longestText ? text : `${text.slice(0, longestText)}\n[${text.length - longestText} more characters]`
