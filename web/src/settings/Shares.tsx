import { useMemo, useState } from 'preact/hooks'
import { api } from '../app.js'
import { createResource } from '../core/resource.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { toast } from '../ui/Toast.js'
import { screenWords } from '../words/index.js'
import { ChatSelect } from './ChatSelect.js'
import { Loaded } from './Loaded.js'
import { when } from './when.js'

/** Pages of chats that are read without signing in. */
export function Shares () {
  const [sessionId, setSessionId] = useState('')
  const w = screenWords.value.settings.shares
  return (
    <>
      <p class='settings-note'>{w.note}</p>
      <ChatSelect label={w.chat} value={sessionId} onValue={setSessionId} />
      {sessionId === '' ? null : <OfChat key={sessionId} sessionId={sessionId} />}
    </>
  )
}

function OfChat ({ sessionId }: { sessionId: string }) {
  const shares = useMemo(() => createResource(async () => await api.get('/api/session/shares', { session_id: sessionId })), [sessionId])
  const [address, setAddress] = useState<string | null>(null)
  const w = screenWords.value.settings.shares
  const share = async (): Promise<void> => {
    await attempt(async () => setAddress(new URL((await api.post('/api/session/share', { session_id: sessionId })).path, location.href).href))
    await shares.refresh()
  }
  const revoke = async (shareId: string): Promise<void> => {
    if (await attempt(async () => await api.post('/api/session/share/revoke', { session_id: sessionId, share_id: shareId }))) toast(w.revoked)
    setAddress(null)
    await shares.refresh()
  }
  return (
    <>
      <Loaded of={shares}>
        {({ shares: list }) => list.length === 0
          ? <p class='settings-note'>{w.none}</p>
          : (
            <ul class='settings-list'>
              {list.map(({ share_id: id, title, created_at: madeAt }) => (
                <li key={id} class='settings-row'>
                  <div class='settings-row-text'><p>{title}</p><p class='settings-note'>{w.made(when(madeAt))}</p></div>
                  <Button kind='danger' label={`${w.revoke}: ${title}, ${when(madeAt)}`} onClick={() => { void revoke(id) }}>{w.revoke}</Button>
                </li>
              ))}
            </ul>
            )}
      </Loaded>
      {address === null ? null : <p class='settings-row' role='status'><span class='settings-row-text'>{w.created} <a href={address} target='_blank' rel='noreferrer'>{address}</a></span><CopyButton text={address} label={w.copy} /></p>}
      <div><Button onClick={() => { void share() }}>{w.create}</Button></div>
    </>
  )
}
