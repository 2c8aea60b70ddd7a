import { type Conversation } from '../core/conversation/conversation.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { toast } from '../ui/toasts.js'
import { screenWords } from '../words/index.js'
import './temporary.css'

/** Says above the box that the chat is temporary, and offers to keep it once it exists. */
export function TemporaryLine ({ conversation }: { conversation: Conversation }) {
  const w = screenWords.value.chat.temporary
  const isNew = conversation.sessionId.value === null
  const keep = async (): Promise<void> => {
    await conversation.keep()
    toast(w.kept, { kind: 'good' })
  }
  return (
    <div class='temporary-line' role='region' aria-label={w.name}>
      <p><strong>{w.name}</strong> <span>{w.note}</span></p>
      {isNew ? null : <Button size='small' onClick={() => { void attempt(keep) }}>{w.keep}</Button>}
    </div>
  )
}
