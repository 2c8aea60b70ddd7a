import { type LanguageModelV4FilePart, type LanguageModelV4TextPart } from '@ai-sdk/provider'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { withAttachmentNames } from '../../ground/attachment-names.js'
import { realPath, within } from '../../ground/files/containment.js'
import { type FileReference, type ModelMessage, type Places } from '../protocol.js'
import { type HistoryEntry } from './compression.js'

const imageLimitBytes = 10 * 1024 * 1024

/** Returns the user's message as the model is shown it: the text, the names of attached files, and small images themselves. */
export async function userMessage (
  { text, attachments }: { text: string, attachments: FileReference[] }, places: Places
): Promise<ModelMessage> {
  const here = attachments.map((attachment) => ({ ...attachment, path: pathOf(attachment, places) }))
  const content: Array<LanguageModelV4TextPart | LanguageModelV4FilePart> = [{ type: 'text', text: withAttachmentNames(text, here) }]
  for (const { isImage, mime, place, path } of here) {
    const folder = place === null ? undefined : places[place]
    const image = isImage && mime.startsWith('image/') && folder !== undefined ? await readImage(path, folder) : null
    if (image !== null) content.push({ type: 'file', mediaType: mime, data: { type: 'data', data: image } })
  }
  return { role: 'user', content }
}

function pathOf ({ place, path }: FileReference, places: Places): string {
  const folder = place === null ? undefined : places[place]
  return folder === undefined ? path : join(folder, path)
}

/** Reads an image. Returns null if it cannot be read, is too large, or is outside its folder. */
async function readImage (path: string, folder: string): Promise<Uint8Array | null> {
  try {
    if (!within(realPath(folder), realPath(path))) return null
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const stats = await file.stat()
      return stats.isFile() && stats.size <= imageLimitBytes ? await file.readFile() : null
    } finally {
      await file.close()
    }
  } catch {
    return null
  }
}

/**
 * Repairs a history: providers refuse a conversation in which a tool call has no result, or a result no call. Calls that an
 * interrupted turn left open get a result that says so, unless they are still `awaited`. Results without a call, left by a row
 * that can no longer be read, are dropped.
 */
export function withoutGaps (rows: ModelMessage[], awaited: ReadonlySet<string> = new Set()): HistoryEntry[] {
  const history = withResultsBehindCalls(rows)
  let called = new Set<string>()
  return history.flatMap((message, index): HistoryEntry[] => {
    const entry = { message, isRow: true }
    if (message.role === 'assistant') {
      called = new Set(message.content.flatMap((part) => part.type === 'tool-call' ? [part.toolCallId] : []))
    }
    if (message.role === 'tool') {
      const content = message.content.filter((part) => part.type !== 'tool-result' || called.has(part.toolCallId))
      return content.length === message.content.length
        ? [entry]
        : content.length === 0 ? [] : [{ ...entry, message: { ...message, content } }]
    }
    if (message.role !== 'assistant') return [entry]
    const answered = resultsAfter(history, index)
    const open = message.content.filter((part) => part.type === 'tool-call').filter(({ toolCallId: id }) =>
      !answered.has(id) && !awaited.has(id))
    if (open.length === 0) return [entry]
    return [entry, {
      isRow: false,
      message: {
        role: 'tool',
        content: open.map(({ toolCallId, toolName }) => ({
          type: 'tool-result', toolCallId, toolName,
          output: { type: 'error-text', value: 'This call was interrupted before it had a result.' }
        }))
      }
    }]
  })
}

/**
 * Moves late results behind their calls. An agent's call may run while others are made, so its result can come later; it belongs to
 * the last call of its id that has no result yet.
 */
function withResultsBehindCalls (history: ModelMessage[]): ModelMessage[] {
  const open = new Map<string, number>()
  const late = new Map<number, ModelMessage[]>()
  let last = -1
  const stays = history.map((message, index) => {
    if (message.role === 'assistant') {
      last = index
      for (const part of message.content) if (part.type === 'tool-call') open.set(part.toolCallId, index)
    }
    const [result] = message.role === 'tool' ? message.content : []
    if (result?.type !== 'tool-result') return true
    const called = open.get(result.toolCallId)
    open.delete(result.toolCallId)
    if (called === undefined || called === last) return true
    late.set(called, [...late.get(called) ?? [], message])
    return false
  })
  if (late.size === 0) return history
  return history.flatMap((message, index) => stays[index] === true ? [message, ...late.get(index) ?? []] : [])
}

/** Returns the messages of a request. Adjacent user rows and adjacent tool rows are merged: some providers insist on alternation. */
export function asPrompt (history: HistoryEntry[]): ModelMessage[] {
  const groups: Array<[ModelMessage, ...ModelMessage[]]> = []
  for (const { message } of history) {
    const last = groups.at(-1)
    if (last?.[0].role === message.role && (message.role === 'user' || message.role === 'tool')) last.push(message)
    else groups.push([message])
  }
  return groups.map(merged)
}

/** Returns one message with the contents of all, which have the role of the first. */
function merged (messages: [ModelMessage, ...ModelMessage[]]): ModelMessage {
  const [first, second] = messages
  if (second === undefined) return first
  if (first.role === 'user') return { ...first, content: messages.flatMap(({ role, content }) => role === 'user' ? content : []) }
  if (first.role === 'tool') return { ...first, content: messages.flatMap(({ role, content }) => role === 'tool' ? content : []) }
  return first
}

/** Returns the ids of the results up to the next assistant message only: some servers restart call ids with every step. */
function resultsAfter (history: ModelMessage[], index: number): Set<string> {
  const ids = new Set<string>()
  let next = index + 1
  for (let message = history[next]; message !== undefined && message.role !== 'assistant'; message = history[++next]) {
    if (message.role !== 'tool') continue
    for (const part of message.content) if (part.type === 'tool-result') ids.add(part.toolCallId)
  }
  return ids
}

/** Returns the last request in the history, for a turn that continues after the service was stopped. */
export function lastRequest (history: ModelMessage[]): string {
  const message = history.findLast(({ role }) => role === 'user')
  return message?.role === 'user' ? message.content.map((part) => part.type === 'text' ? part.text : '').join('\n') : ''
}

/** Returns the text of a user or assistant message; empty for other messages. */
export function textOf (message: ModelMessage): string {
  if (message.role !== 'assistant' && message.role !== 'user') return ''
  return message.content.map((part) => part.type === 'text' ? part.text : '').join('')
}
