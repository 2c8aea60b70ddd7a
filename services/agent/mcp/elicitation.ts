import { shown } from './definitions.js'

type Filled = Record<string, string | number | boolean>

const mostFields = 6
const mostChoices = 8

/**
 * Asks a person what a server wants to know, one field after the other. Null when nobody answers, or what the server wants is
 * no simple form: it is declined then.
 */
export async function fillForm (server: string, message: string, schema: unknown, ask: (question: string, choices: string[]) => Promise<string | null>): Promise<Filled | null> {
  const { properties, required } = (schema ?? {}) as { properties?: unknown, required?: unknown }
  const fields = Object.entries(typeof properties === 'object' && properties !== null ? properties : {}) as Array<[string, Record<string, unknown> | null]>
  const head = `The MCP server "${server}" asks: ${shown(message, 1_000)}`
  if (fields.length === 0) return await ask(head, ['Yes', 'No']) === 'Yes' ? {} : null
  if (fields.length > mostFields) return null
  const needed = new Set(Array.isArray(required) ? required as unknown[] : [])
  const filled: Filled = {}
  for (const [name, field] of fields) {
    const choices = choicesOf(field ?? {})
    if (choices === null) return null
    const label = [shown(String(field?.['title'] ?? name), 200), typeof field?.['description'] === 'string' ? shown(field['description'], 500) : ''].filter((text) => text !== '').join(': ')
    const answer = await ask(`${head}\n\n${label}`, choices)
    if (answer === null) return null
    const value = valueOf(answer.trim(), field ?? {})
    if (value !== undefined) filled[name] = value
    else if (needed.has(name) || answer.trim() !== '') return null
  }
  return filled
}

/** Null for what is no plain field. */
function choicesOf ({ type, enum: choices, oneOf }: Record<string, unknown>): string[] | null {
  if (type === 'boolean') return ['Yes', 'No']
  const named = Array.isArray(choices) ? choices : Array.isArray(oneOf) ? oneOf.map((option: { const?: unknown } | null) => option?.const) : []
  if (named.some((choice) => typeof choice !== 'string' || choice.length > 200)) return null
  return typeof type === 'string' && ['string', 'number', 'integer'].includes(type) ? (named as string[]).slice(0, mostChoices) : null
}

/** Undefined for what does not fit. */
function valueOf (answer: string, { type }: Record<string, unknown>): string | number | boolean | undefined {
  if (answer === '') return undefined
  if (type === 'boolean') return /^(?:yes|true)$/i.test(answer) ? true : /^(?:no|false)$/i.test(answer) ? false : undefined
  if (type === 'string') return answer
  const number = Number(answer)
  return Number.isFinite(number) && (type !== 'integer' || Number.isInteger(number)) ? number : undefined
}
