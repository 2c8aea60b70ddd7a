import { type ToolContext } from '../tools/tool.js'
import { shown } from './definitions.js'
import { type PausableLimit } from './pausable-limit.js'

type Filled = Record<string, string | number | boolean>

const mostFields = 6
const mostChoices = 8
const longestDoubtMs = 30_000

/** Something at work on a server. */
export class Use {
  readonly ended: Promise<'answered' | 'failed'>
  /** How often it has asked the model, and why it may not any more. */
  samples = 0
  sampleRefusal: string | null = null
  #tell: (how: 'answered' | 'failed') => void = () => {}

  /** `clarify`: a way to ask its user, `sample`: the model; null = there is none. */
  constructor (readonly clarify: ToolContext['clarify'] | null, readonly limit: PausableLimit | null, readonly sample: ToolContext['sample'] | null = null) {
    this.ended = new Promise((resolve) => { this.#tell = resolve })
  }

  /** The first word counts. */
  end (how: 'answered' | 'failed'): void {
    this.#tell(how)
  }
}

/**
 * Whose question a server asks that works on several calls: the protocol does not tell, and nobody is to answer for another
 * one's. The call that asks cannot end before it has its answer, so the others are waited for. Null where that is not
 * found out: one of them was given up, which may be the one, or they take too long.
 */
export async function ownerOf (uses: Iterable<Use>, longestMs = longestDoubtMs): Promise<Use | null> {
  const left = new Set([...uses].filter(({ clarify }) => clarify !== null))
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => { timer = setTimeout(() => resolve(null), longestMs) })
  try {
    while (left.size > 1) {
      const over = await Promise.race([late, ...[...left].map(async (use) => ({ use, how: await use.ended }))])
      if (over?.how !== 'answered') return null
      left.delete(over.use)
    }
    return [...left][0] ?? null
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Asks a person what somebody (`who`, as the beginning of a sentence) wants to know, one field after the other. Null when nobody answers, or what is wanted is
 * no simple form: it is declined then.
 */
export async function fillForm (who: string, message: string, schema: unknown, ask: (question: string, choices: string[]) => Promise<string | null>): Promise<Filled | null> {
  const { properties, required } = (schema ?? {}) as { properties?: unknown, required?: unknown }
  const fields = Object.entries(typeof properties === 'object' && properties !== null ? properties : {}) as Array<[string, Record<string, unknown> | null]>
  const head = `${who} asks: ${shown(message, 1_000)}`
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
  // A choice is answered as it is, so one that cannot be shown is none.
  if (named.some((choice) => typeof choice !== 'string' || choice.length > 200 || shown(choice, 200) !== choice)) return null
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
