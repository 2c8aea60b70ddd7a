import { useEffect, useState } from 'preact/hooks'
import { navigate } from 'wouter-preact/use-browser-location'
import { api } from '../app.js'
import { type SessionFacts } from '../core/conversation/conversation-state.js'
import { type Wire } from '../core/service/api.js'
import { attachable, attachSession, branchSession } from '../core/sessions/session-actions.js'
import { places } from '../shell/places.js'
import { Link } from '../ui/Link.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { screenWords } from '../words/index.js'

/** Replaces the message box in a read-only chat: says why, and how to continue. */
export function ReadOnlyNote ({ session, onAttached }: { session: SessionFacts, onAttached: () => void }) {
  const [found, setFound] = useState<Wire<'AttachAnswer'> | null>(null)
  const [isBusy, setBusy] = useState(false)
  const w = screenWords.value.chat.readOnly
  const { session_id: id, parent_session_id: parent, relationship_type: relation, is_cli_session: isForeign } = session
  useEffect(() => {
    setFound(null)
    let isLeft = false
    if (isForeign) attachable(api, id).then((answer) => { if (!isLeft) setFound(answer) }, () => {})
    return () => { isLeft = true }
  }, [id, isForeign])
  if (relation === 'child_session' && parent !== null) {
    return <p class='read-only'>{w.subAgent} <Link href={places.session(parent)}>{w.toParent}</Link></p>
  }
  const branch = async (): Promise<void> => {
    const { session_id: made } = await branchSession(api, id, undefined, session.title)
    navigate(places.session(made))
  }
  const attach = async (): Promise<void> => {
    setBusy(true)
    try {
      await attachSession(api, id)
      onAttached()
    } finally {
      setBusy(false)
    }
  }
  return (
    <p class='read-only'>
      {found?.can_attach === true
        ? <>{w.inPlace(found.maker)} <Button size='small' disabled={isBusy} onClick={() => { void attempt(attach) }}>{w.goOn}</Button></>
        : <>{w.why} {found?.why != null && w.notInPlace(`${found.why}.`)}</>}
      {' '}<Button size='small' onClick={() => { void attempt(branch) }}>{w.branch}</Button>
    </p>
  )
}
