import { JSONParseError, TypeValidationError, type JSONObject } from '@ai-sdk/provider'
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Value } from '@sinclair/typebox/value'
import { fieldsOf } from '../../../ground/fields.js'
import { text } from '../../forms.js'

/** As servers leave a field out: not at all, or with null. */
const perhaps = <Form extends TSchema>(form: Form) => Type.Optional(Type.Union([form, Type.Null()]))
const maybeText = perhaps(text)
const maybeNumber = perhaps(Type.Number())

// What is read of a chat completion. Other fields may be there; they are not looked at.

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
  /** Servers have two names for it. */
  reasoning_content: maybeText,
  reasoning: maybeText,
  /** What a model says that will not answer; texts count. */
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
/** Each token is held against it: compiled, that costs a fifth. */
const chunkCheck = TypeCompiler.Compile(chunkForm)

const completionForm = Type.Object({ ...headForms, choices: Type.Array(Type.Object({ message: deltaForm, finish_reason: maybeText })) })
const errorForm = Type.Object({ message: text, type: maybeText, code: perhaps(Type.Union([text, Type.Number()])) })
const refusalForm = Type.Object({ error: errorForm })
const refusalTextForm = Type.Object({ error: Type.String({ minLength: 1 }) })
const thoughtForm = Type.Object({ type: Type.Literal('text'), text })

/**
 * One event as what it is: a piece of an answer, or the error that the server tells of in its place. Throws JSONParseError
 * and TypeValidationError for everything else. Nothing of it is ever copied by name, so its names need no watching.
 */
export function readChunk (data: string): Chunk | { error: unknown } {
  const value = parse(data)
  // As with other fields, null says that there is none.
  if (chunkCheck.Check(value)) return value.error != null ? { error: value.error } : value
  const error = failureIn(value)
  if (error === null) throw misshapen()
  return { error }
}

/** What a body says that is no stream of events but an error in its place, whatever its status; null where it is none. */
export function failureInBody (body: string): unknown {
  if (!/^\s*[{[]/.test(body)) return null
  try {
    const value: unknown = JSON.parse(body)
    return failureIn(Array.isArray(value) ? value[0] : value)
  } catch {
    return null
  }
}

/** Servers tell of an error in an object or as a text under its name, and some without a name around it. */
function failureIn (value: unknown): unknown {
  if (Value.Check(refusalForm, value)) return value.error
  if (Value.Check(refusalTextForm, value)) return value
  const isBare = Value.Check(errorForm, value) && (value.type === 'error' || fieldsOf(value)['object'] === 'error')
  return isBare ? value : null
}

/** An answer in one piece, as the only piece of a stream. Throws JSONParseError and TypeValidationError. */
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

/** What a content says, in its order; servers that think apart do so in parts. */
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

/** The sentence in the body of a refusal, null where it has another shape. */
export function refusalIn (responseBody: string): { message: string, body: unknown } | null {
  try {
    const body: unknown = JSON.parse(responseBody)
    return Value.Check(refusalForm, body) ? { message: body.error.message, body } : null
  } catch {
    return null
  }
}

function parse (json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new JSONParseError({ text: json, cause })
  }
}

/** The value itself would be written into the message, however deep and large. */
function misshapen (): TypeValidationError {
  return new TypeValidationError({ value: null, cause: new Error('this is no piece of a chat completion') })
}
