import { fieldsOf } from '../../ground/fields.js'
import { type CallOutput, type SaidCall } from './calls.js'
import { RequestRefused } from './failures.js'
import { imageOf, type InputImage } from './images.js'

/** A piece of a conversation. */
export type Entry =
  | { role: 'user', text: string, images: InputImage[] }
  | { role: 'assistant', text: string, calls: SaidCall[] }
  | { role: 'tool', output: CallOutput }

type Assistant = Extract<Entry, { role: 'assistant' }>
/** An entry that is still being read; the texts of an assistant are joined at the end. */
type Draft = Exclude<Entry, Assistant> | Omit<Assistant, 'text'> & { texts: string[] }

/** A message or item as it arrives; nothing beyond this shape has been checked. */
export interface IncomingMessage { type?: string, role?: string, content?: unknown, [key: string]: unknown }

const textParts = new Set(['text', 'input_text', 'output_text', 'refusal'])
const imageParts = new Set(['image_url', 'input_image'])
const mostIdChars = 300
const mostOutputChars = 1_000_000

/**
 * Reads the messages of completions, or the items of a response, as one conversation. `rules` are the instructions for all of it. Throws
 * RequestRefused.
 */
export function entriesOf (messages: readonly IncomingMessage[], path: string): { rules: string[], entries: Entry[] } {
  const rules: string[] = []
  const entries: Draft[] = []
  for (const [position, message] of messages.entries()) {
    const at = `${path}.${position}`
    const { type = 'message', role, content } = message
    switch (type === 'message' ? role : type) {
      case 'system':
      case 'developer':
        rules.push(textOf(content, `${at}.content`))
        break
      case 'user':
        entries.push({ role: 'user', ...partsOf(content, `${at}.content`) })
        break
      case 'assistant':
        said(entries, textOf(content, `${at}.content`), callsOf(message.tool_calls, `${at}.tool_calls`))
        break
      case 'tool':
        entries.push({ role: 'tool', output: outputOf(message.tool_call_id, `${at}.tool_call_id`, content, `${at}.content`) })
        break
      case 'function_call':
        said(entries, '', [callOf(message.call_id, message, at)])
        break
      case 'function_call_output':
        entries.push({ role: 'tool', output: outputOf(message.call_id, `${at}.call_id`, message.output, `${at}.output`) })
        break
      // The model's thoughts, which the service keeps itself.
      case 'reasoning': break
      default:
        if (type !== 'message') throw new RequestRefused(`${at}.type: ${JSON.stringify(String(type).slice(0, 60))} is not supported`, `${at}.type`, 'unsupported_parameter')
        throw new RequestRefused(`${at}.role must be one of system, developer, user, assistant, tool`, `${at}.role`)
    }
  }
  return { rules, entries: entries.map((entry) => entry.role === 'assistant' ? joined(entry) : entry) }
}

/** In responses, calls are items of their own; they belong to the preceding text. */
function said (entries: Draft[], text: string, calls: SaidCall[]): void {
  const last = entries.at(-1)
  if (last?.role !== 'assistant') {
    entries.push({ role: 'assistant', texts: [text], calls })
    return
  }
  last.texts.push(text)
  for (const call of calls) last.calls.push(call)
}

const joined = ({ role, texts, calls }: Extract<Draft, { role: 'assistant' }>): Entry =>
  ({ role, text: texts.filter((part) => part !== '').join('\n\n'), calls })

function callsOf (calls: unknown, at: string): SaidCall[] {
  if (calls === undefined || calls === null) return []
  if (!Array.isArray(calls)) throw new RequestRefused(`${at} must be a list`, at)
  return calls.map(fieldsOf).map((call, index) => callOf(call.id, fieldsOf(call.function), `${at}.${index}`))
}

function callOf (id: unknown, { name, arguments: args = '{}' }: Record<string, unknown>, at: string): SaidCall {
  if (typeof name !== 'string' || typeof args !== 'string') throw new RequestRefused(`${at} must name a function, and have its arguments as a text`, at)
  return { id: idIn(id, `${at}.id`), name, args }
}

function outputOf (id: unknown, idPath: string, content: unknown, path: string): CallOutput {
  const text = textOf(content, path)
  if (text.length > mostOutputChars) throw new RequestRefused(`${path}: at most ${mostOutputChars} characters`, path)
  return { callId: idIn(id, idPath), text }
}

function idIn (id: unknown, at: string): string {
  if (typeof id !== 'string' || id === '' || id.length > mostIdChars) throw new RequestRefused(`${at} must be the id of a call`, at)
  return id
}

function textOf (content: unknown, at: string): string {
  const { text, images } = partsOf(content, at)
  if (images.length > 0) throw new RequestRefused(`${at}: images are accepted in messages of the user only`, at, 'unsupported_parameter')
  return text
}

function partsOf (content: unknown, at: string): { text: string, images: InputImage[] } {
  if (content === undefined || content === null) return { text: '', images: [] }
  if (typeof content === 'string') return { text: content, images: [] }
  if (!Array.isArray(content)) throw new RequestRefused(`${at} must be a text or a list of parts`, at)
  const texts: string[] = []
  const images: InputImage[] = []
  for (const [position, part] of content.entries()) {
    const path = `${at}.${position}`
    const { type, text, refusal, ...fields } = fieldsOf(part)
    if (typeof type === 'string' && imageParts.has(type)) images.push(imageOf(fields, path))
    else if (typeof type === 'string' && !textParts.has(type)) {
      throw new RequestRefused(`${path}: only texts and images are accepted, not ${JSON.stringify(type.slice(0, 40))}`, path, 'unsupported_parameter')
    } else {
      const words = type === 'refusal' ? refusal ?? text : text
      if (typeof words !== 'string') throw new RequestRefused(`${path} must be a part of the type text with a text`, path)
      texts.push(words)
    }
  }
  return { text: texts.join('\n'), images }
}
