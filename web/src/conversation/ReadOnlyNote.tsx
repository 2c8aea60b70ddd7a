import { Link, useLocation } from 'wouter-preact'
import { api } from '../app.js'
import { type SessionFacts } from '../core/conversation/conversation-state.js'
import { branchSession } from '../core/sessions/session-actions.js'
import { places } from '../shell/places.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { screenWords } from '../words/index.js'

/** Takes the place of the box in a read-only chat: says why, and how to continue. */
export function ReadOnlyNote ({ session }: { session: SessionFacts }) {
  const [, go] = useLocation()
  const w = screenWords.value.chat.readOnly
  const { parent_session_id: parent, relationship_type: relation } = session
  if (relation === 'child_session' && parent !== null) {
    return <p class='read-only'>{w.subAgent} <Link href={places.session(parent)}>{w.toParent}</Link></p>
  }
  const branch = async (): Promise<void> => {
    const { session_id: id } = await branchSession(api, session.session_id, undefined, session.title)
    go(places.session(id))
  }
  return <p class='read-only'>{w.why} <Button size='small' onClick={() => { void attempt(branch) }}>{w.branch}</Button></p>
}
