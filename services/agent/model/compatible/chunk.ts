import { JSONParseError, TypeValidationError, type JSONObject } from '@ai-sdk/provider'
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Value } from '@sinclair/typebox/value'
import { fieldsOf } from '../../../ground/fields.js'
import { parseJson } from '../../../ground/text/parse-json.js'
import { text } from '../../forms.js'

/** A field that servers may omit or set to null. */
const perhaps = <Form extends TSchema>(form: Form) => Type.Optional(Type.Union([form, Type.Null()]))
const maybeText = perhaps(text)
const maybeNumber = perhaps(Type.Number())

// The fields of a chat completion that are read. It may have others, which are ignored.

const usageForm = Type.Object({
  prompt_tokens: maybeNumber,
  completion_tokens: maybeNumber,
  total_tokens: maybeNumber,
  prompt_tokens_details: perhaps(Type.Object({ cached_tokens: maybeNumber })),
  completion_tokens_details: perhaps(Type.Object({
    reasoning_tokens: maybeNumber, accepted_prediction_tokens: maybeNumber, rejected_prediction_tokens: maybeNumber
  }))
})
export type Usage = JSONObject & Static<typeof usageForm>

const callPieceForm = Type.Object({
  /** Some servers number the calls, some do not. */
  index: maybeNumber,
  id: maybeText,
  function: Type.Object({ name: maybeText, arguments: maybeText }),
  extra_content: perhaps(Type.Object({ google: perhaps(Type.Object({ thought_signature: maybeText })) }))
})
export type CallPiece = Static<typeof callPieceForm>

const contentForm = perhaps(Type.Union([text, Type.Array(Type.Intersect([
  Type.Object({ type: text }), Type.Record(text, Type.Unknown())
]))]))

const deltaForm = Type.Object({
  role: perhaps(Type.Union([Type.Literal('assistant'), Type.Literal('')])),
  content: contentForm,
  /** Servers use two names for reasoning. */
  reasoning_content: maybeText,
  reasoning: maybeText,
  /** The words of a model that refuses to answer; only texts count. */
  refusal: Type.Optional(Type.Unknown()),
  tool_calls: perhaps(Type.Array(callPieceForm))
})
export type Delta = Static<typeof deltaForm>

const headForms = { id: maybeText, created: maybeNumber, model: maybeText, usage: perhaps(Type.Unsafe<Usage>(usageForm)) }

const chunkForm = Type.Object({
  ...headForms,
  choices: Type.Array(Type.Object({ delta: perhaps(deltaForm), finish_reason: maybeText })),
  error: Type.Optional(Type.Unknown())
})
/** One event of a streamed chat completion. */
export type Chunk = Static<typeof chunkForm>
/** Each token is checked against it: compiled, that costs a fifth. */
const chunkCheck = TypeCompiler.Compile(chunkForm)

const completionForm = Type.Object({ ...headForms, choices: Type.Array(Type.Object({ message: deltaForm, finish_reason: maybeText })) })
const errorForm = Type.Object({ message: text, type: maybeText, code: perhaps(Type.Union([text, Type.Number()])) })
const refusalForm = Type.Object({ error: errorForm })
const refusalTextForm = Type.Object({ error: Type.String({ minLength: 1 }) })
const thoughtForm = Type.Object({ type: Type.Literal('text'), text })

/**
 * Reads one event: a piece of an answer, or the error that the server sends in its place. Throws JSONParseError and TypeValidationError
 * for anything else. No property is copied by its name, so names such as `__proto__` need no check.
 */
export function readChunk (data: string): Chunk | { error: unknown } {
  const value = parse(data)
  // As with other fields, null means that there is none.
  if (chunkCheck.Check(value)) return value.error != null ? { error: value.error } : value
  const error = failureIn(value)
  if (error === null) throw misshapen()
  return { error }
}

/** Returns the error in a body that is not a stream of events, whatever its status; null if it contains no error. */
export function failureInBody (body: string): unknown {
  if (!/^\s*[{[]/.test(body)) return null
  try {
    const value: unknown = JSON.parse(body)
    return failureIn(Array.isArray(value) ? value[0] : value)
  } catch {
    return null
  }
}

/** Returns the error in a value; null if there is none. Servers send an object or a text under `error`, and some the bare object. */
function failureIn (value: unknown): unknown {
  if (Value.Check(refusalForm, value)) return value.error
  if (Value.Check(refusalTextForm, value)) return value
  const isBare = Value.Check(errorForm, value) && (value.type === 'error' || fieldsOf(value)['object'] === 'error')
  return isBare ? value : null
}

/** Reads a whole answer as the only piece of a stream. Throws JSONParseError and TypeValidationError. */
export function readCompletion (body: string): Chunk {
  const value = parse(body)
  if (!Value.Check(completionForm, value)) throw misshapen()
  return {
    ...value,
    choices: value.choices.map(({ message, finish_reason: reason }) => ({
      delta: { ...message, tool_calls: message.tool_calls?.map((call, index) => ({ ...call, index })) },
      finish_reason: reason ?? ''
    }))
  }
}

/** Yields the texts of a content in order; some servers send reasoning as separate parts of it. */
export function * spokenIn (content: Delta['content']): Generator<{ type: 'text' | 'reasoning', text: string }> {
  if (typeof content === 'string') yield { type: 'text', text: content }
  else {
    for (const part of content ?? []) {
      if (part.type === 'text' && typeof part['text'] === 'string') yield { type: 'text', text: part['text'] }
      if (part.type !== 'thinking' || !Array.isArray(part['thinking'])) continue
      yield { type: 'reasoning', text: part['thinking'].map((thought) => Value.Check(thoughtForm, thought) ? thought.text : '').join('') }
    }
  }
}

/** Returns the message in the body of a refusal; null if it has another shape. */
export function refusalIn (responseBody: string): { message: string, body: unknown } | null {
  const body = parseJson(responseBody)
  return Value.Check(refusalForm, body) ? { message: body.error.message, body } : null
}

function parse (json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new JSONParseError({ text: json, cause })
  }
}

/** Returns an error without the value, which would be written into the message, however deep and large. */
function misshapen (): TypeValidationError {
  return new TypeValidationError({ value: null, cause: new Error('this is no piece of a chat completion') })
}
