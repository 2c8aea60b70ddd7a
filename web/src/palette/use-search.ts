import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../app.js'
import { openChat, showFile } from '../conversation/open-chat.js'
import { ApiError } from '../core/service/api.js'
import { FileText } from '../ui/icons.js'
import { times } from '../words/times.js'
import { chatEntry, type Entry } from './entries.js'

const pauseMs = 120
const mostChats = 6
const mostMessages = 6
const mostFiles = 5

/** Searches chats by title and message, and the files of the open chat's folder. */
export function useSearch (text: string) {
  const found = useSignal<readonly Entry[]>([])
  const isSearching = useSignal(false)
  useEffect(() => {
    const aborter = new AbortController()
    isSearching.value = text !== ''
    if (text === '') found.value = []
    const look = async (): Promise<void> => {
      const [chats, files] = await Promise.all([chatsWith(text, aborter.signal), filesWith(text, aborter.signal)])
      if (aborter.signal.aborted) return
      found.value = [...chats, ...files]
      isSearching.value = false
    }
    const timer = text === '' ? undefined : setTimeout(() => { void look() }, pauseMs)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [text])
  return { found, isSearching }
}

async function chatsWith (text: string, signal: AbortSignal): Promise<Entry[]> {
  const sessions = await orNone(async () => (await api.get('/api/sessions/search', { q: text }, signal)).sessions, signal)
  const titles = sessions.filter(({ match_type: type }) => type !== 'content').slice(0, mostChats)
  const messages = sessions.filter(({ match_type: type }) => type === 'content').slice(0, mostMessages)
  return [
    ...titles.map((row) => chatEntry(row, 'chats')),
    ...messages.map((row) => chatEntry(row, 'messages', withoutFences(row.match_preview ?? '')))
  ]
}

async function filesWith (text: string, signal: AbortSignal): Promise<Entry[]> {
  const id = openChat.peek()?.conversation.sessionId.peek()
  if (id == null) return []
  const entries = await orNone(async () =>
    (await api.get('/api/file/search', { session_id: id, q: text, limit: String(mostFiles) }, signal)).entries, signal)
  return entries.filter(({ is_dir: isFolder }) => !isFolder).map(({ name, path, modified }) => ({
    id: `file ${path}`, group: 'files', icon: FileText, text: name, end: times.short(modified), onPick: () => showFile(path, null),
    ...(path !== name && { note: path.slice(0, -name.length - 1) })
  }))
}

/**
 * Returns the results of a search; none if the service refuses it or another search has replaced it: results from this device are still
 * useful.
 */
async function orNone<Row> (ask: () => Promise<Row[]>, signal: AbortSignal): Promise<Row[]> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) return []
    throw error
  }
}

/** Removes the marks of code blocks, which are meaningless in one line. */
const withoutFences = (excerpt: string): string => excerpt.replaceAll(/\s*```\s*/g, ' ').trim()
