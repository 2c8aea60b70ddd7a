import { type LanguageModelV4FilePart, type LanguageModelV4TextPart } from '@ai-sdk/provider'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { withAttachmentNames } from '../../ground/attached.js'
import { realPath, within } from '../../ground/containment.js'
import { type FileReference, type ModelMessage, type Places } from '../protocol.js'
import { type HistoryEntry } from './compression.js'

const imageLimitBytes = 10 * 1024 * 1024

/** The user's message as the model is shown it: text, the names of attached files, and small images themselves. */
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

/** Null for what cannot be read, is too large, or lies outside of its folder. */
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
 * Providers refuse a conversation in which a tool call has no result, or a result no call. A turn that was cut off can
 * leave such calls behind; they get a result that says so, unless they are still `awaited`. Results without a call are
 * what a row that cannot be read any more leaves behind; they stay away.
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
 * An agent's call may run while others are made, so that its result comes later: it is put behind the call that it belongs to,
 * the last one of its id that has none yet.
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

/** The messages of a request. Neighbours of a kind, rows of their own here, are one message there: some providers insist on turns. */
export function asPrompt (history: HistoryEntry[]): ModelMessage[] {
  const prompt: ModelMessage[] = []
  for (const { message } of history) {
    const last = prompt.at(-1)
    if (message.role === 'tool' && last?.role === 'tool') {
      prompt[prompt.length - 1] = {
        ...last, content: [...last.content, ...message.content]
      }
    } else if (message.role === 'user' && last?.role === 'user') {
      prompt[prompt.length - 1] = {
        ...last, content: [...last.content, ...message.content]
      }
    } else prompt.push(message)
  }
  return prompt
}

/** Ids of the results between a message and the next of its kind; some servers number calls anew with every step. */
function resultsAfter (history: ModelMessage[], index: number): Set<string> {
  const ids = new Set<string>()
  let next = index + 1
  for (let message = history[next]; message !== undefined && message.role !== 'assistant'; message = history[++next]) {
    if (message.role !== 'tool') continue
    for (const part of message.content) if (part.type === 'tool-result') ids.add(part.toolCallId)
  }
  return ids
}

/** What was asked of a turn that goes on where a stop of the service had interrupted it. */
export function lastRequest (history: ModelMessage[]): string {
  const message = history.findLast(({ role }) => role === 'user')
  return message?.role === 'user' ? message.content.map((part) => part.type === 'text' ? part.text : '').join('\n') : ''
}

/** The text of a message of the user or the model. */
export function textOf (message: ModelMessage): string {
  if (message.role !== 'assistant' && message.role !== 'user') return ''
  return message.content.map((part) => part.type === 'text' ? part.text : '').join('')
}
