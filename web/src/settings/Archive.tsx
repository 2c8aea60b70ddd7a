import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { chatTitle } from '../shell/chat-title.js'
import { places } from '../shell/places.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { toast } from '../ui/Toast.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { Loaded } from '../ui/Loaded.js'

const step = 50
const archived = createResource(async () => (await api.get('/api/sessions', {
  include_archived: '1', archived_limit: '2000'
})).sessions.filter((
  row
) => row.archived))

/** Lists archived chats. */
export function Archive () {
  const [shown, setShown] = useState(step)
  const w = screenWords.value.settings.archive
  const put = async (sessionId: string, isArchived: boolean): Promise<boolean> => {
    const isDone = await attempt(async () => await api.post('/api/session/archive', { session_id: sessionId, archived: isArchived }))
    await archived.refresh()
    return isDone
  }
  const bring = async (sessionId: string, title: string): Promise<void> => {
    if (await put(sessionId, false)) {
      toast(w.brought(chatTitle(title)), { action: { text: words.value.common.undo, onPick: () => { void put(sessionId, true) } } })
    }
  }
  return (
    <Loaded of={archived}>
      {(rows) => rows.length === 0
        ? <p class='settings-note'>{w.none}</p>
        : (
          <>
            <ul class='settings-list'>
              {rows.slice(0, shown).map(({ session_id: id, title, last_message_at: said, updated_at: changed }) => (
                <li key={id} class='settings-row'>
                  <Link class='settings-row-text' href={places.session(id)}>{chatTitle(title)}</Link>
                  <span class='settings-note'>{times.at(said ?? changed)}</span>
                  <Button label={`${w.back}: ${chatTitle(title)}`} onClick={() => { void bring(id, title) }}>{w.back}</Button>
                </li>
              ))}
            </ul>
            {rows.length > shown ? <div><Button onClick={() => setShown(shown + step)}>{w.more}</Button></div> : null}
          </>
          )}
    </Loaded>
  )
}
