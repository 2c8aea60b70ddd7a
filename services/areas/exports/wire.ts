import { stripVTControlCharacters } from 'node:util'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { isTextKind } from '../../ground/text/text-parts.js'
import { isDeeperThan } from '../../providers/index.js'
import { parseJson } from '../../ground/text/parse-json.js'
import { createAllowance, type Allowance } from './allowance.js'

export type Piece =
  | { kind: 'text', text: string }
  | { kind: 'image', address: string }
  | { kind: 'note', label: string, name: string }

/** `args`: by name if the arguments are an object, otherwise as text. */
export interface Call { id: string, name: string, args: Array<[name: string, value: string]> | string }
export interface Result { callId: string, name: string, pieces: Piece[], isError: boolean, durationS: number | null }

/** What a page shows of one message. All texts together fit the message's allowance; none is escaped. */
export interface Row {
  kind: 'user' | 'assistant' | 'tool' | 'other'
  /** Shown only for `other` rows, whose role is not a usual one. */
  role: string
  timestampS: number | null
  pieces: Piece[]
  reasoning: string
  calls: Call[]
  results: Result[]
  attachments: string[]
  model: string
  durationS: number | null
  source: string
  isError: boolean
  isPartial: boolean
  details: { label: string, text: string } | null
  isShortened: boolean
}

type Fields = Record<string, unknown>

const nameChars = 300
const maxItems = 500

/**
 * Reads a message of the interface as leniently as its clients do: leaves out whatever is missing or of an unexpected kind. Returns null
 * for system messages. `maxChars`: how much text may be shown.
 */
export function readRow (message: unknown, maxChars: number): Row | null {
  const fields = fieldsOf(message)
  const role = textOf(fields.role)
  if (role === 'system') return null
  const allowance = createAllowance(maxChars)
  const kind = role === 'user' || role === 'assistant' ? role : role === 'tool' || role === 'function' ? 'tool' : 'other'
  const parts = partsOf(fields.content)
  const isTool = kind === 'tool'
  const details = allowance.take(textOf(fields.provider_details))
  const row: Row = {
    kind,
    role: role.slice(0, nameChars),
    timestampS: numberOf(fields._ts) ?? numberOf(fields.timestamp),
    pieces: isTool ? [] : piecesOf(parts, allowance),
    reasoning: allowance.take(reasoningOf(fields, parts)),
    calls: callsOf(fields, parts, allowance),
    results: isTool ? [resultOf(fields, parts, allowance)] : resultsOf(fields, parts, allowance),
    attachments: listOf(fields.attachments).map((entry) => attachmentName(entry, allowance)),
    model: textOf(fields._usedModel).slice(0, nameChars),
    durationS: numberOf(fields._turnDuration),
    source: textOf(fields._source),
    isError: fields._error === true,
    isPartial: fields._partial === true,
    details: details === '' ? null : { label: textOf(fields.provider_details_label).slice(0, nameChars) || 'Details', text: details },
    isShortened: false
  }
  if (kind === 'user') row.pieces = row.pieces.map(withoutWorkspaceTag)
  return { ...row, isShortened: allowance.wasExceeded() }
}

/** Whether the message counts for `compression_anchor_visible_idx`. */
export function isCounted (message: unknown): boolean {
  const { role, content, _partial: isPartial } = fieldsOf(message)
  return textOf(role) !== '' && role !== 'tool' && !(isPartial === true && partsOf(content).every((part) => textOfPart(part).trim() === ''))
}

/** Removes the line that tells the model where it works: the person did not write it. */
function withoutWorkspaceTag (piece: Piece, index: number): Piece {
  return index === 0 && piece.kind === 'text' ? { ...piece, text: piece.text.replace(/^\[Workspace::v1: [^\]\n]*\]\s*/, '') } : piece
}

/** Returns a message's content as a list of parts; a text becomes a part as it is. */
function partsOf (content: unknown): unknown[] {
  if (Array.isArray(content)) return content
  return content === null || content === undefined ? [] : [typeof content === 'object' ? content : String(content)]
}

const reasoningKinds = new Set(['thinking', 'reasoning'])
const callKinds = new Set(['tool_use', 'tool-call', 'tool_call'])
const resultKinds = new Set(['tool_result', 'tool-result'])
const imageKinds = new Set(['image_url', 'input_image', 'image'])

function textOfPart (part: unknown): string {
  if (typeof part === 'string') return part
  const { type, text } = fieldsOf(part)
  return isTextKind(type) ? textOf(text) : ''
}

function piecesOf (parts: unknown[], allowance: Allowance): Piece[] {
  const pieces: Piece[] = []
  for (const part of parts) {
    if (pieces.length === maxItems) {
      pieces.push({ kind: 'note', label: 'Further parts, not shown', name: '' })
      break
    }
    const { type, ...fields } = fieldsOf(part)
    const kind = textOf(type)
    const text = textOfPart(part)
    const last = pieces.at(-1)
    if (text !== '') {
      const taken = allowance.take(text)
      if (last?.kind === 'text') last.text = [last.text, taken].join('\n')
      else pieces.push({ kind: 'text', text: taken })
    } else if (imageKinds.has(kind)) {
      pieces.push(imageOf(fields, allowance))
    } else if (kind !== '' && !isTextKind(kind) && !reasoningKinds.has(kind) && !callKinds.has(kind) && !resultKinds.has(kind)) {
      pieces.push({
        kind: 'note', label: `Not shown here: ${kind.slice(0, nameChars)}`,
        name: attachmentName({ ...fieldsOf(fields.file), ...fields }, allowance, '')
      })
    }
  }
  return pieces
}

function imageOf ({ image_url: link, source, image }: Fields, allowance: Allowance): Piece {
  const { media_type: mediaType, data } = fieldsOf(source)
  const inline = textOf(data) === '' ? '' : `data:${textOf(mediaType)};base64,${textOf(data)}`
  const address = textOf(link) || textOf(fieldsOf(link).url) || inline || textOf(fieldsOf(source).url) || textOf(image)
  // Data in the address itself does not count as text; an address that leads elsewhere does.
  return { kind: 'image', address: address.startsWith('data:') ? address : allowance.take(address.slice(0, 2_000)) }
}

function reasoningOf (fields: Fields, parts: unknown[]): string {
  const own = ['reasoning', 'reasoning_content', 'thinking', '_reasoning'].map((key) => textOf(fields[key])).find((text) => text !== '')
  if (own !== undefined) return own
  return parts.map(fieldsOf).filter(({ type }) => reasoningKinds.has(textOf(type)))
    .map(({ thinking, text }) => textOf(thinking) || textOf(text)).filter((text) => text !== '').join('\n\n')
}

function callsOf (fields: Fields, parts: unknown[], allowance: Allowance): Call[] {
  const listed = listOf(fields.tool_calls).map(fieldsOf).map((call) => {
    const { name = call.name, arguments: args = call.args } = fieldsOf(call.function)
    return { id: textOf(call.id) || textOf(call.call_id), name, args }
  })
  const inContent = parts.slice(0, maxItems).map(fieldsOf).filter(({ type }) => callKinds.has(textOf(type)))
    .map((call) => ({ id: textOf(call.id) || textOf(call.toolCallId), name: call.name ?? call.toolName, args: call.input ?? call.args }))
  const known = new Set(listed.map(({ id }) => id))
  return [...listed, ...inContent.filter(({ id }) => id === '' || !known.has(id)), ...partialCallsOf(fields)]
    .map(({ id, name, args }) => ({ id, name: nameOf(name), args: argsOf(args, allowance) }))
}

/** Calls of an answer that broke off, which never got rows of their own. */
function partialCallsOf (fields: Fields): Array<{ id: string, name: unknown, args: unknown }> {
  return listOf(fields._partial_tool_calls).map(fieldsOf).map(({ name, args, tid }, index) => ({ id: partialId(tid, index), name, args }))
}

function resultsOf (fields: Fields, parts: unknown[], allowance: Allowance): Result[] {
  const inContent = parts.slice(0, maxItems).map(fieldsOf).filter(({ type }) => resultKinds.has(textOf(type)))
    .map((part) => resultOf(part, partsOf(part.content ?? part.output ?? part.result), allowance))
  const partial = listOf(fields._partial_tool_calls).map(fieldsOf).flatMap((
    { name, tid, done, is_error: isError, snippet, duration }, index
  ) => done !== true
    ? []
    : [resultOf({ name, tool_call_id: partialId(tid, index), is_error: isError, duration }, partsOf(snippet), allowance)])
  return [...inContent, ...partial]
}

const partialId = (tid: unknown, index: number): string => textOf(tid) || `partial ${index}`

function resultOf (fields: Fields, parts: unknown[], allowance: Allowance): Result {
  const pieces = piecesOf(
    parts.map((part) => typeof part === 'object' && part !== null && fieldsOf(part).type === undefined ? readable(part) : part), allowance
  )
  return {
    callId: textOf(fields.tool_call_id) || textOf(fields.tool_use_id) || textOf(fields.toolCallId),
    name: nameOf(fields.name ?? fields.toolName),
    pieces: pieces.map((piece) =>
      piece.kind === 'text' && piece.text.includes('\u001B') ? { ...piece, text: stripVTControlCharacters(piece.text) } : piece),
    isError: fields.is_error === true || fields.isError === true,
    durationS: numberOf(fields.duration)
  }
}

function argsOf (given: unknown, allowance: Allowance): Call['args'] {
  const args = typeof given === 'string' ? parseJson(given.slice(0, allowance.leftChars())) ?? given : given
  if (!isRecord(args)) return allowance.take(readable(args))
  return Object.entries(args).slice(0, maxItems).map(([name, value]) => [allowance.take(name), allowance.take(readable(value))])
}

const deepestIndented = 50

/** Writes a JSON value as text: strings as they are, anything else indented over several lines. */
function readable (value: unknown): string {
  if (typeof value === 'string') return value
  try {
    // The length of indentation is quadratic in the depth.
    return JSON.stringify(value, null, isDeeperThan(value, deepestIndented) ? 0 : 2) ?? ''
  } catch {
    return '(nested too deeply to be shown)'
  }
}

function attachmentName (entry: unknown, allowance: Allowance, unnamed = 'unnamed'): string {
  const { name, filename, path } = fieldsOf(entry)
  return allowance.take(
    [entry, name, filename, textOf(path).split(/[\\/]/).at(-1)].map(textOf).find((text) => text !== '')?.slice(0, nameChars) ?? unnamed
  )
}

const nameOf = (value: unknown): string => textOf(value).slice(0, nameChars) || 'tool'
const textOf = (value: unknown): string => typeof value === 'string' ? value : ''
const numberOf = (value: unknown): number | null => typeof value === 'number' && Number.isFinite(value) ? value : null
const listOf = (value: unknown): unknown[] => Array.isArray(value) ? value.slice(0, maxItems) : []
