import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Wire } from '../core/service/api.js'
import { type SessionFacts } from '../core/conversation/conversation-state.js'
import { places } from '../shell/places.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { Dialog } from '../ui/Dialog.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import '../settings/settings.css'

/** Asks before a chat is shared, with a preview; then shows the link and how to stop sharing. */
export function ShareDialog ({ session, onClose }: {
  session: Pick<SessionFacts, 'session_id' | 'title' | 'message_count'>
  onClose: () => void
}) {
  const [shared, setShared] = useState<Wire<'ShareAnswer'> | null>(null)
  const [isBusy, setBusy] = useState(false)
  const w = screenWords.value.chat.sharing
  const { session_id: id, title, message_count: count } = session
  const during = async (act: () => Promise<unknown>): Promise<boolean> => {
    setBusy(true)
    const isDone = await attempt(act)
    setBusy(false)
    return isDone
  }
  const revoke = async (shareId: string): Promise<void> => {
    if (!await during(async () => await api.post('/api/shares/revoke', { share_id: shareId }))) return
    toast(w.revoked)
    onClose()
  }
  if (shared !== null) {
    const address = new URL(shared.path, location.href).href
    return (
      <Dialog
        open onClose={onClose} title={w.doneTitle} size='small'
        actions={(
          <>
            <Button kind='danger' busy={isBusy} onClick={() => { void revoke(shared.share_id) }}>{w.revoke}</Button>
            <CopyButton kind='primary' text={address} label={w.copy} isNamed />
          </>
        )}
      >
        <div class='settings-form'>
          <p role='status'><a class='share-address' href={address} target='_blank' rel='noreferrer' dir='ltr'>{address}</a></p>
          <p class='settings-note'>{w.kept} <Link href={`${places.settings}/shares`} onClick={onClose}>{w.all}</Link></p>
        </div>
      </Dialog>
    )
  }
  return (
    <Dialog
      open onClose={onClose} title={w.title} size='small'
      actions={(
        <>
          <Button onClick={onClose}>{words.value.common.cancel}</Button>
          <Button
            kind='primary' busy={isBusy}
            onClick={() => { void during(async () => setShared(await api.post('/api/session/share', { session_id: id }))) }}
          >
            {w.share}
          </Button>
        </>
      )}
    >
      <div class='settings-form'>
        <p>{w.what(title, count)}</p>
        <p class='settings-note'>{w.note}</p>
        <p><a href={api.url('/api/session/share/preview', { session_id: id })} target='_blank' rel='noreferrer'>{w.preview}</a></p>
      </div>
    </Dialog>
  )
}
