import { Invalid } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'

export interface Said { role: 'user' | 'assistant', text: string }

/** What a client of OpenAI's wants answered. */
export interface Asked {
  /** How it wants the answer; empty for nothing. */
  instructions: string
  /** What was said until now. */
  before: readonly Said[]
  /** What is said now. */
  message: string
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
  /** What would be asked becomes a card in the app and is waited for; else it is denied. */
  attended: boolean
  showTools: boolean
  /** Aborted when nobody waits for the answer any more: its turn is cancelled then, unless it is a response in the background. */
  signal: AbortSignal
  /** It is a response, which can be read again. */
  response?: ResponseWanted
}

/** What is told again with a response. */
export interface ResponseWanted {
  instructions: string | null
  previousId: string | null
  metadata: Record<string, string>
  isBackground: boolean
}

/** A message as it comes in; what it may hold has been checked no further than this. */
export interface IncomingMessage { type?: string, role?: string, content?: unknown }

const textParts = new Set(['text', 'input_text', 'output_text', 'refusal'])

/** `path` names the list in what is said of mistakes. Throws Invalid. */
export function askedOf (messages: readonly IncomingMessage[], path: string, instructions = ''): Asked {
  const rules = instructions === '' ? [] : [instructions]
  const said: Said[] = []
  for (const [position, { type = 'message', role, content }] of messages.entries()) {
    const at = `${path}.${position}`
    if (type !== 'message' || role === 'tool' || role === 'function') {
      throw new Invalid(`${at}: results of tools are not accepted, because the agent runs its own`)
    }
    const text = textOf(content, `${at}.content`)
    if (role === 'system' || role === 'developer') rules.push(text)
    else if (role === 'user' || role === 'assistant') said.push({ role, text })
    else throw new Invalid(`${at}.role must be one of system, developer, user, assistant`)
  }
  const last = said.pop()
  if (last?.role !== 'user' || last.text.trim() === '') {
    throw new Invalid(`${path}: the last message must be from the user and must not be empty`)
  }
  return {
    instructions: rules.filter((rule) => rule.trim() !== '').join('\n\n'), before: said.filter(({ text }) => text.trim() !== ''),
    message: last.text
  }
}

function textOf (content: unknown, at: string): string {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw new Invalid(`${at} must be a text or a list of parts`)
  return content.map((part: unknown, position) => {
    const { type, text } = fieldsOf(part)
    if (typeof type === 'string' && !textParts.has(type)) {
      throw new Invalid(`${at}.${position}: only text is accepted, not ${JSON.stringify(type.slice(0, 40))}`)
    }
    if (typeof text !== 'string') throw new Invalid(`${at}.${position} must be a part of the type text with a text`)
    return text
  }).join('\n')
}

/** What would make the answer another one and cannot be had is refused, not passed over. Throws Invalid. */
export function refuseUnable (body: Record<string, unknown>): void {
  const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0
  const { type: format = 'text' } = fieldsOf(body.response_format ?? fieldsOf(body.text).format)
  const reasons: Array<[boolean, string]> = [
    [isList(body.tools) || isList(body.functions), 'tools: the agent has its own tools and runs them itself; leave this out'],
    [typeof body.n === 'number' && body.n !== 1, 'n: there is one answer'],
    [format !== 'text', 'response_format: answers are text'],
    [body.logprobs === true, 'logprobs: there are none'],
    [isList(body.modalities) && body.modalities.some((modality) => modality !== 'text'), 'modalities: answers are text'],
    [body.conversation !== undefined, 'conversation: use previous_response_id, or the header X-Session-Id']
  ]
  const reason = reasons.find(([isAsked]) => isAsked)?.[1]
  if (reason !== undefined) throw new Invalid(reason)
}

/** What the model reads in the place of the message. */
export function withInstructions ({ instructions, message }: Asked): string {
  return instructions === ''
    ? message
    : `The program that sends this message says how it is to be answered:\n${instructions}\n\nThe message:\n${message}`
}
