import { JSONParseError, TypeValidationError, type JSONObject } from '@ai-sdk/provider'

/** What is read of one event of a streamed chat completion. Other fields may be there; they are not looked at. */
export interface Chunk {
  id?: string | null
  created?: number | null
  model?: string | null
  choices: Choice[]
  usage?: Usage | null
}

interface Choice { delta?: Delta | null, finish_reason?: string | null }

export interface Delta {
  content?: string | ContentPart[] | null
  /** Servers have two names for it. */
  reasoning_content?: string | null
  reasoning?: string | null
  /** What a model says that will not answer; texts count. */
  refusal?: unknown
  tool_calls?: CallPiece[] | null
}

type ContentPart = { type: string } & Record<string, unknown>

export interface CallPiece {
  /** Some servers number the calls, some do not. */
  index?: number | null
  id?: string | null
  function: { name?: string | null, arguments?: string | null }
  extra_content?: { google?: { thought_signature?: string | null } | null } | null
}

export type Usage = JSONObject & {
  prompt_tokens?: number | null
  completion_tokens?: number | null
  prompt_tokens_details?: { cached_tokens?: number | null } | null
  completion_tokens_details?: {
    reasoning_tokens?: number | null
    accepted_prediction_tokens?: number | null
    rejected_prediction_tokens?: number | null
  } | null
}

/** An answer in one piece. */
export interface Completion extends Pick<Chunk, 'id' | 'created' | 'model' | 'usage'> {
  choices: Array<{ message: Omit<Delta, 'tool_calls'> & { tool_calls?: WholeCall[] | null }, finish_reason?: string | null }>
}

interface WholeCall extends Pick<CallPiece, 'id' | 'extra_content'> { function: { name: string, arguments: string } }

type Fields = Record<string, unknown>

/**
 * One event as what it is: a piece of an answer, or the error that the server tells of in its place. Throws JSONParseError
 * and TypeValidationError for everything else. Nothing of it is ever copied by name, so its names need no watching.
 */
export function readChunk (text: string): Chunk | { error: unknown } {
  const value = parse(text)
  if (!isObject(value)) throw misshapen()
  // As with other fields, null says that there is none.
  if (isChunk(value)) return value.error != null ? { error: value.error } : value
  const { error } = value
  if (isObject(error) && isError(error)) return { error: pick(error, ['message', 'type', 'param', 'code']) }
  const failure = isObject(error) ? null : failureIn(value)
  if (failure !== null) return { error: failure }
  throw misshapen()
}

/** What a body says that is no stream of events but an error in its place, whatever its status; null where it is none. */
export function failureInBody (text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return null
  try {
    const value: unknown = JSON.parse(text)
    return failureIn(Array.isArray(value) ? value[0] : value)
  } catch {
    return null
  }
}

/** Servers tell of an error in an object or as a text under its name, and some without a name around it. */
function failureIn (value: unknown): unknown {
  if (!isObject(value)) return null
  const { error, object, type, message } = value
  if (isObject(error)) return error
  if (typeof error === 'string' && error !== '') return { error }
  return (object === 'error' || type === 'error') && typeof message === 'string' ? pick(value, ['message', 'type', 'param', 'code']) : null
}

/** An answer in one piece. Throws JSONParseError and TypeValidationError. */
export function readCompletion (text: string): Completion {
  const value = parse(text)
  if (!isObject(value) || !isHead(value) || !Array.isArray(value.choices) || !value.choices.every(isWhole)) throw misshapen()
  return value as Fields & Completion
}

/** What a content says, in its order; servers that think apart do so in parts. */
export function * spokenIn (content: Delta['content']): Generator<{ type: 'text' | 'reasoning', text: string }> {
  if (typeof content === 'string') yield { type: 'text', text: content }
  else {
    for (const part of content ?? []) {
      if (part.type === 'text' && typeof part.text === 'string') yield { type: 'text', text: part.text }
      if (part.type === 'thinking' && Array.isArray(part.thinking)) yield { type: 'reasoning', text: part.thinking.map(textIn).join('') }
    }
  }
}

function textIn (part: unknown): string {
  return isObject(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : ''
}

/** The sentence in the body of a refusal, null where it has another shape. */
export function refusalIn (text: string): { message: string, body: unknown } | null {
  try {
    const body: unknown = JSON.parse(text)
    return isObject(body) && isObject(body.error) && isError(body.error) ? { message: body.error.message as string, body } : null
  } catch {
    return null
  }
}

function parse (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new JSONParseError({ text, cause })
  }
}

/** The value itself would be written into the message, however deep and large. */
function misshapen (): TypeValidationError {
  return new TypeValidationError({ value: null, cause: new Error('this is no piece of a chat completion') })
}

function isChunk (value: Fields): value is Fields & Chunk {
  return isHead(value) && Array.isArray(value.choices) &&
    value.choices.every((choice) => isObject(choice) && isText(choice.finish_reason) && isDelta(choice.delta))
}

function isHead ({ id, created, model, usage }: Fields): boolean {
  return isText(id) && isNumber(created) && isText(model) && isUsage(usage)
}

function isWhole (choice: unknown): boolean {
  if (!isObject(choice) || !isObject(choice.message) || !isText(choice.finish_reason)) return false
  const { role, tool_calls: calls, ...message } = choice.message
  return (role == null || role === 'assistant') && isDelta(message) && (calls == null || (Array.isArray(calls) && calls.every(isWholeCall)))
}

function isWholeCall (call: unknown): boolean {
  if (!isObject(call) || !isObject(call.function)) return false
  const { name, arguments: args } = call.function
  return typeof name === 'string' && typeof args === 'string' && isCallPiece({ ...call, index: null })
}

function isDelta (delta: unknown): boolean {
  if (delta == null) return true
  if (!isObject(delta)) return false
  const { role, content, reasoning_content: reasoningContent, reasoning, tool_calls: calls } = delta
  return (role == null || role === 'assistant' || role === '') && isContent(content) && isText(reasoningContent) && isText(reasoning) &&
    (calls == null || (Array.isArray(calls) && calls.every(isCallPiece)))
}

function isContent (content: unknown): boolean {
  return isText(content) || (Array.isArray(content) && content.every((part) => isObject(part) && typeof part.type === 'string'))
}

function isCallPiece (piece: unknown): boolean {
  if (!isObject(piece) || !isObject(piece.function)) return false
  const { index, id, function: { name, arguments: args }, extra_content: extra } = piece
  return isNumber(index) && isText(id) && isText(name) && isText(args) &&
    isPart(extra, (inner) => isPart(inner.google, (google) => isText(google.thought_signature)))
}

function isUsage (usage: unknown): boolean {
  return isPart(usage, (numbers) => ['prompt_tokens', 'completion_tokens', 'total_tokens'].every((name) => isNumber(numbers[name])) &&
    isPart(numbers.prompt_tokens_details, (details) => isNumber(details.cached_tokens)) &&
    isPart(numbers.completion_tokens_details, (details) =>
      ['reasoning_tokens', 'accepted_prediction_tokens', 'rejected_prediction_tokens'].every((name) => isNumber(details[name]))))
}

function isError ({ message, type, code }: Fields): boolean {
  return typeof message === 'string' && isText(type) && (code == null || typeof code === 'string' || Number.isFinite(code))
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
/** As servers leave a field out: not at all, or with null. */
const isText = (value: unknown): boolean => value == null || typeof value === 'string'
const isNumber = (value: unknown): boolean => value == null || Number.isFinite(value)
const isPart = (value: unknown, isWell: (part: Fields) => boolean): boolean => value == null || (isObject(value) && isWell(value))

function pick (fields: Fields, names: string[]): Fields {
  return Object.fromEntries(names.filter((name) => name in fields).map((name) => [name, fields[name]]))
}
