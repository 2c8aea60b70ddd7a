import { expected, formValues, type Form, type FormField, type FormValue, type FormValues } from '../../ground/form.js'
import { declined, type ClarifyAsk } from '../protocol.js'
import { type ToolContext } from '../tools/tool.js'
import { oneLine } from '../tools/wording.js'
import { readForm } from './form-schema.js'
import { type PausableLimit } from './pausable-limit.js'

const longestDoubtMs = 30_000

/** A call or another request that a server is working on. */
export class Use {
  readonly ended: Promise<'answered' | 'failed'>
  /** How often the server has asked the model for it, and why it no longer may. */
  samples = 0
  sampleRefusal: string | null = null
  /** The task with which the server may continue on its own if this request fails. */
  task: string | null = null
  #tell: (how: 'answered' | 'failed') => void = () => {}

  /**
   * `clarify` asks its user, `sample` asks the model; null if that is not possible. `warn` tells its user something, `output` shows
   * something while it runs. `workspace`: folder of its chat.
   */
  constructor (
    readonly clarify: ToolContext['clarify'] | null, readonly limit: PausableLimit | null,
    readonly sample: ToolContext['sample'] | null = null, readonly warn: ToolContext['warn'] | null = null,
    private readonly output: ToolContext['output'] | null = null, readonly workspace: string | null = null
  ) {
    this.ended = new Promise((resolve) => { this.#tell = resolve })
  }

  /** Shows a line beside the call. */
  tell (line: string): void {
    this.output?.(Buffer.from(`${line}\n`))
  }

  /** Ends it. Only the first call counts. */
  end (how: 'answered' | 'failed'): void {
    this.#tell(how)
  }
}

/**
 * Finds the call for which a server asks a question while it works on several. The protocol does not say, and a question must not
 * reach the user of another call. The call that asks cannot end before it has its answer, so the end of the others is awaited. Null
 * if that decides nothing: one of them failed, and may be the one that asked, or they take too long.
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

/** How a form ended, in the protocol's words; `_meta` says why it was not filled in. */
export type FormEnd =
  | { action: 'accept', content?: FormValues }
  | { action: 'decline' }
  | { action: 'cancel', _meta: { reason: string } }

/**
 * Asks a person what a server or an agent (`who`, as the beginning of a sentence) wants to know, on one card for the whole form. Only a
 * person's own answer counts as a decline. Throws NotShown for a form that no card can show.
 */
export async function fillForm (
  who: string, message: string, schema: unknown,
  ask: (question: Pick<ClarifyAsk, 'question' | 'choices' | 'form'>) => Promise<string | null>
): Promise<FormEnd> {
  const form = readForm(`${who} asks: ${message}`, schema)
  const answer = await ask(form.fields.length === 0
    ? { question: form.message, choices: ['Yes', 'No'] }
    : { question: questionOf(form), choices: choicesOf(form), form })
  if (answer === null) return { action: 'cancel', _meta: { reason: 'Nobody answered: no person was there, or the time was over.' } }
  if (form.fields.length === 0) return /^\s*(?:yes|true|是)\s*$/i.test(answer) ? { action: 'accept', content: {} } : { action: 'decline' }
  const values: FormValues | null = answer === declined ? null : JSON.parse(answer)
  return values === null ? { action: 'decline' } : { action: 'accept', content: formValues(form, values) }
}

/** Returns the form in words, for clients that show only the question: one line for each field, even if its texts contain line breaks. */
function questionOf ({ message, fields }: Form): string {
  const [only, ...others] = fields
  const told = ({ name, title, description, required, default: usual, ...field }: FormField, label: string): string => {
    const remarks = [required ? '' : 'optional', usual === undefined ? '' : `default: ${saidValue(usual)}`].filter((text) => text !== '')
    return `${label}${description === '' ? '' : `: ${oneLine(description, Infinity)}`} (${[expected({ name, title, description, required, ...field }), ...remarks].join('; ')})`
  }
  if (only !== undefined && others.length === 0) return `${message}\n\n${told(only, only.title)}\n\nAnswer "decline" to decline.`
  const lines = fields.map((field) => `- ${told(field, field.title === field.name ? field.name : `${field.name}, ${field.title}`)}`)
  return `${message}\n\n${lines.join('\n')}\n\nAnswer with a line "name: value" for each, where the default is not meant, or "decline".`
}

const saidValue = (value: FormValue): string =>
  Array.isArray(value) ? value.join(', ') : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)

/** Returns the choices for clients that do not support forms, if the form has a single field to choose or to agree to. */
function choicesOf ({ fields: [only, ...others] }: Form): string[] {
  if (only === undefined || others.length > 0) return []
  if (only.type === 'boolean') return ['Yes', 'No', 'Decline']
  return only.type === 'string' && only.options !== undefined ? [...only.options.map(({ value }) => value), 'Decline'] : []
}
