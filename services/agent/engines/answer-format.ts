import { type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { beyondLimits, mostLevels } from '../../ground/json.js'
import { isRecord } from '../../ground/fields.js'
import { type AnswerFormat } from '../protocol.js'

/** What the model is told of the form that its last answer is to have; providers that know of formats are told by the request as well. */
export function formatInstruction (format: AnswerFormat): string {
  const what = format.type === 'json_object'
    ? 'a JSON object'
    : `a JSON object that fits this JSON Schema${format.description === undefined ? '' : ` (${format.description})`}:\n${JSON.stringify(format.schema)}`
  return `A program reads your final answer. It has to be nothing but ${what}\n\nNo other word stands before or behind it, and no code fence around it. Use your tools before, as you need them.`
}

export function responseFormat (format: AnswerFormat): NonNullable<LanguageModelV4CallOptions['responseFormat']> {
  if (format.type === 'json_object') return { type: 'json' }
  const { name, description, schema } = format
  // Made of what a client has sent as JSON.
  return { type: 'json', name, schema: schema as object, ...(description === undefined ? {} : { description }) }
}

/** Without it, clients hold any schema to be one that is followed to the letter, which few are made for. */
export function strictness (format: AnswerFormat): NonNullable<LanguageModelV4CallOptions['providerOptions']> {
  const strictJsonSchema = format.type === 'json_schema' && format.strict
  return { openai: { strictJsonSchema }, openaiCompatible: { strictJsonSchema } }
}

/** What is wrong with an answer, as the end of "The answer …"; null: it fits. Patterns in schemas are not looked at. */
export async function formatProblem (format: AnswerFormat, text: string): Promise<string | null> {
  let value: unknown
  try {
    value = beyondLimits(Buffer.from(text), { levels: mostLevels, values: Infinity }) === null ? JSON.parse(text) : undefined
  } catch {
    return 'is not valid JSON'
  }
  if (!isRecord(value)) return 'is not a JSON object'
  if (format.type === 'json_object') return null
  // What checks schemas is large, and few turns need it.
  const { createSchemaCheck } = await import('../mcp/schemas.js')
  return createSchemaCheck(format.schema)(value)
}
