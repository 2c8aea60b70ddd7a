import { type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { beyondLimits, mostLevels } from '../../ground/text/json.js'
import { isRecord } from '../../ground/fields.js'
import { type AnswerFormat } from '../protocol.js'

/** Returns the instruction about the format of the final answer. Providers that support formats also receive it in the request. */
export function formatInstruction (format: AnswerFormat): string {
  const what = format.type === 'json_object'
    ? 'a JSON object'
    : `a JSON object that fits this JSON Schema${format.description === undefined ? '' : ` (${format.description})`}:\n${JSON.stringify(format.schema)}`
  return `A program reads your final answer. It has to be nothing but ${what}\n\nNo other word stands before or behind it, and no code fence around it. Use your tools before, as you need them.`
}

export function responseFormat (format: AnswerFormat): NonNullable<LanguageModelV4CallOptions['responseFormat']> {
  if (format.type === 'json_object') return { type: 'json' }
  const { name, description, schema } = format
  // Parsed from JSON that a client sent.
  return { type: 'json', name, schema: schema as object, ...(description === undefined ? {} : { description }) }
}

/** Returns provider options that say whether the schema is strict. Without them clients assume it is, and few schemas are made for that. */
export function strictness (format: AnswerFormat): NonNullable<LanguageModelV4CallOptions['providerOptions']> {
  const strictJsonSchema = format.type === 'json_schema' && format.strict
  return { openai: { strictJsonSchema }, openaiCompatible: { strictJsonSchema } }
}

/** Returns what is wrong with an answer, as the end of "The answer …"; null if it fits. Patterns in schemas are not checked. */
export async function formatProblem (format: AnswerFormat, text: string): Promise<string | null> {
  let value: unknown
  try {
    value = beyondLimits(Buffer.from(text), { levels: mostLevels, values: Infinity }) === null ? JSON.parse(text) : undefined
  } catch {
    return 'is not valid JSON'
  }
  if (!isRecord(value)) return 'is not a JSON object'
  if (format.type === 'json_object') return null
  // Loaded on demand: the schema checker is large, and few turns need it.
  const { createSchemaCheck } = await import('../mcp/schemas.js')
  return createSchemaCheck(format.schema)(value)
}
