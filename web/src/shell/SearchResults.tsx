import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { api } from '../app.js'
import { ApiError, type Wire } from '../core/service/api.js'
import { words } from '../words/index.js'
import { ChatRow } from './ChatRow.js'
import { places } from './places.js'

const pauseMs = 120

/** Shows the matches in titles and messages of all chats, in place of the list. */
export function SearchResults ({ text, path }: { text: string, path: string }) {
  const found = useSignal<ReadonlyArray<Wire<'FoundSession'>> | null>(null)
  const failed = useSignal(false)
  useEffect(() => {
    const aborter = new AbortController()
    const timer = setTimeout(() => {
      api.get('/api/sessions/search', { q: text }, aborter.signal).then((answer) => {
        found.value = answer.sessions
        failed.value = false
      }, (error: unknown) => { if (error instanceof ApiError) failed.value = true })
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      aborter.abort()
    }
  }, [text])
  const w = words.value.shell
  if (failed.value) return <p class='rail-note' role='status'>{w.searchFailed}</p>
  if (found.value === null) return <p class='rail-note' role='status'>{words.value.common.loading} …</p>
  if (found.value.length === 0) return <p class='rail-note' role='status'>{w.noMatches(text)}</p>
  return (
    <div class='rail-scroll'>
      {found.value.map((row) => (
        <ChatRow
          key={row.session_id} row={row} isCurrent={path === places.session(row.session_id)}
          preview={row.match_preview ?? undefined}
        />
      ))}
    </div>
  )
}
