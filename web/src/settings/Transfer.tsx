import { useRef, useState } from 'preact/hooks'
import { navigate } from 'wouter-preact/use-browser-location'
import { api, sessions } from '../app.js'
import { createResource } from '../core/service/resource.js'
import { places } from '../shell/places.js'
import { Button } from '../ui/Button.js'
import { toast } from '../ui/Toast.js'
import { useRequest } from '../ui/use-request.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { ChatSelect } from './ChatSelect.js'
import { parseExport } from './exported.js'
import { Loaded } from '../ui/Loaded.js'
import { Part } from './Part.js'

/** The largest body that the service accepts. */
const mostBytes = 20 * 1_048_576
const health = createResource(async () => await api.get('/api/system/health'))

/** Imports and exports chats, and shows the state of backups. */
export function Transfer () {
  const w = screenWords.value.settings.transfer
  return (
    <>
      <Import />
      <Export />
      <Part name='backups'>
        <Loaded of={health}>
          {({ backup }) => (
            <>
              <p class='settings-note'>
                {[
                  w.every(backup.every_hours),
                  ...backup.last_at === null ? [w.noBackup] : [w.lastBackup(times.at(backup.last_at)), w.kept(backup.kept)]
                ].join(' ')}
              </p>
              {backup.warning === null ? null : <p class='provider-bad'>{backup.warning}</p>}
            </>
          )}
        </Loaded>
      </Part>
    </>
  )
}

function Import () {
  const { isBusy, problem, setProblem, run } = useRequest()
  const input = useRef<HTMLInputElement>(null)
  const w = screenWords.value.settings.transfer
  const take = async (file: File): Promise<void> => {
    setProblem(null)
    if (file.size > mostBytes) return setProblem(w.tooLarge(mostBytes / 1_048_576))
    await run(async () => {
      const text = await file.text().catch(() => null)
      const chat = text === null ? null : parseExport(text)
      if (chat === null) return setProblem(text === null ? w.unreadable : w.notJson)
      const { session, dropped } = await api.post('/api/session/import', chat)
      toast(w.imported(session.display_title), { kind: 'good' })
      if (dropped !== undefined) toast(w.leftOut(dropped.system, dropped.context))
      navigate(places.session(session.session_id))
    })
  }
  return (
    <Part name='import'>
      <input
        ref={input} type='file' accept='.json,application/json' class='visually-hidden' tabIndex={-1} aria-label={w.choose}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          currentTarget.value = ''
          if (file !== undefined) void take(file)
        }}
      />
      <div><Button busy={isBusy} onClick={() => input.current?.click()}>{w.choose}</Button></div>
      {problem === null ? null : <p class='field-error' role='alert'>{problem}</p>}
    </Part>
  )
}

function Export () {
  const [sessionId, setSessionId] = useState('')
  const w = screenWords.value.settings.transfer
  const address = (format: 'json' | 'html'): string => api.url('/api/session/export', { session_id: sessionId, format })
  return (
    <Part name='export'>
      {sessions.rows.value.length === 0
        ? <p class='settings-note'>{w.noChats}</p>
        : <ChatSelect label={w.chat} value={sessionId} onValue={setSessionId} />}
      {sessionId === ''
        ? null
        : <p class='settings-actions'><a href={address('json')} download>{w.json}</a><a href={address('html')} download>{w.html}</a></p>}
    </Part>
  )
}
