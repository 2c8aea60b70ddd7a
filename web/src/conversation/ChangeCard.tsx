import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../app.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { type Exchange } from '../core/turn/exchange.js'
import { type Turn } from '../core/turn/turn.js'
import { checkpointOf } from '../core/turn/turn-checkpoint.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { lazy } from '../ui/lazy.js'
import { openSide } from '../side/open.js'
import { opened } from './opened.js'

const CommitOffer = lazy(async () => (await import('./CommitTurn.js')).CommitOffer, { waiting: null, missing: () => null })
const CommitForm = lazy(async () => (await import('./CommitTurn.js')).CommitForm, { waiting: null })

/** Offers to review, commit or undo the changes of a turn. */
export function ChangeCard ({ exchange, conversation, isLast }: { exchange: Exchange, conversation: Conversation, isLast: boolean }) {
  const { filesChanged } = exchange.work.value
  const found = useSignal<Turn['checkpoint']>(null)
  const isCommitting = useSignal(opened.peek()?.unfolded.has(`${exchange.key} commit`) === true)
  const isByHand = useRef(false)
  const committed = useSignal<string | null>(null)
  const checkpoint = exchange.head.value.checkpoint ?? found.value
  const sessionId = conversation.sessionId.value
  const isWanted = isLast && filesChanged > 0 && sessionId !== null && exchange.head.value.checkpoint === null
  // Frames report the checkpoint while a turn runs; after a reload the list does.
  useEffect(() => {
    if (isWanted) {
      void api.get('/api/rollback/list', { session_id: sessionId })
        .then(({ checkpoints }) => { found.value = checkpointOf(checkpoints, sessionId, exchange.turn) }, () => {})
    }
  }, [isWanted])
  if (filesChanged === 0 || sessionId === null) return null
  const w = words.value.conversation
  const restore = async (id: string): Promise<string | null> => {
    const { ok, safety_checkpoint: before } = await api.post('/api/rollback/restore', { session_id: sessionId, checkpoint: id })
    if (!ok) toast(w.undoFailed, { kind: 'bad' })
    return ok ? before : null
  }
  const undo = async (id: string): Promise<void> => {
    const before = await restore(id)
    if (before !== null) toast(w.undone, { action: { text: w.redo, onPick: () => { void attempt(() => restore(before)) } } })
  }
  const name = `${exchange.key} commit`
  const open = (isOpen: boolean): void => {
    isCommitting.value = isOpen
    isByHand.current = true
    opened.peek()?.unfolded[isOpen ? 'add' : 'delete'](name)
  }
  const turned = { exchange, conversation, sessionId }
  return (
    <div class='change-card'>
      <span>
        {w.changes(filesChanged)}
        {committed.value === null ? null : <span class='change-card-done'> · {w.committedAs(committed.value.slice(0, 7))}</span>}
      </span>
      <span class='change-card-actions'>
        <Button size='small' onClick={() => openSide('changes')}>{w.review}</Button>
        <CommitOffer {...turned} isOpen={isCommitting.value} onOpen={() => open(true)} />
        {checkpoint?.state === 'ready'
          ? <Button size='small' onClick={() => { void attempt(() => undo(checkpoint.id)) }}>{w.undoChanges}</Button>
          : null}
      </span>
      {isCommitting.value
        ? <CommitForm
            {...turned} isFocused={isByHand.current}
            onClose={() => open(false)}
            onDone={(sha) => { committed.value = sha; open(false) }}
          />
        : null}
    </div>
  )
}
