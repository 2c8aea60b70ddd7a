import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../app.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { pathThere } from '../core/machines/location.js'
import { type Exchange } from '../core/turn/exchange.js'
import { changeTotals, fileChanges } from '../core/turn/turn-changes.js'
import { countedChanges, readTurnDiff, type TurnDiff } from '../core/turn/turn-diff.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { parseDiff } from '../ui/diff.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { lazy } from '../ui/lazy.js'
import { openSide } from '../side/open.js'
import { ChangedFiles, Numbers } from './ChangedFiles.js'
import { openChat } from './open-chat.js'

const CommitOffer = lazy(async () => (await import('./CommitTurn.js')).CommitOffer, { waiting: null, missing: () => null })
const ChecksChip = lazy(async () => (await import('../checks/ChecksChip.js')).ChecksChip, { waiting: null, missing: () => null })
const AfterCommit = lazy(async () => (await import('./CommitTurn.js')).AfterCommit, { waiting: null, missing: () => null })
const CommitForm = lazy(async () => (await import('./CommitTurn.js')).CommitForm, { waiting: null })

/** Offers to review, commit or undo the changes of a turn. */
export function ChangeCard ({ exchange, conversation, isLast }: { exchange: Exchange, conversation: Conversation, isLast: boolean }) {
  const { filesChanged } = exchange.work.value
  const since = useSignal<TurnDiff | null | undefined>(undefined)
  const isCommitting = useSignal(openChat.peek()?.unfolded.has(`${exchange.key} commit`) === true)
  const isByHand = useRef(false)
  const committed = useSignal<string | null>(null)
  const sessionId = conversation.sessionId.value
  const folder = pathThere(conversation.session.value?.workspace ?? '')
  const isCurrent = filesChanged > 0 && sessionId !== null && isLast
  const read = (): void => {
    if (sessionId === null) return
    readTurnDiff(api, sessionId, exchange.turn, isLast).then((found) => { since.value = found }, () => { since.value = null })
  }
  // The folder's diff also counts changes that tools did not report, such as a file that was written whole.
  useEffect(() => { if (isCurrent) read() }, [isCurrent, exchange.head.value.checkpoint?.id])
  if (filesChanged === 0 || sessionId === null) return null
  const w = words.value.conversation
  const restore = async (id: string, paths?: readonly string[]): Promise<string | null> => {
    const { ok, safety_checkpoint: before } = await api.post('/api/rollback/restore', {
      session_id: sessionId, checkpoint: id, ...(paths !== undefined && { paths: [...paths] })
    })
    if (!ok) toast(w.undoFailed, { kind: 'bad' })
    read()
    return ok ? before : null
  }
  const undo = async (id: string, paths?: readonly string[]): Promise<void> => {
    const before = await restore(id, paths)
    if (before !== null) toast(w.undone, { action: { text: w.redo, onPick: () => { void attempt(() => restore(before, paths)) } } })
  }
  const name = `${exchange.key} commit`
  const open = (isOpen: boolean): void => {
    isCommitting.value = isOpen
    isByHand.current = true
    openChat.peek()?.unfolded[isOpen ? 'add' : 'delete'](name)
  }
  const turned = { exchange, conversation, sessionId }
  const told = fileChanges(exchange.turn.parts, folder)
  const diff = since.value ?? null
  const files = diff === null || diff.truncated ? told : countedChanges(told, parseDiff(diff.diff))
  const present = isLast && diff !== null ? diff.checkpoint : null
  const review = async (): Promise<void> => {
    openSide('changes')
    const [first] = files
    if (first === undefined) return
    const { sideOf } = await import('../side/side-model.js')
    const { unfolded } = sideOf(sessionId)
    unfolded.value = new Set([...unfolded.peek(), `unstaged ${first.path}`, `staged ${first.path}`])
  }
  return (
    <section class='change-card' aria-label={w.changes(files.length)}>
      <header class='change-card-head'>
        <h2>{w.changes(files.length)}</h2>
        {files.length > 1 ? <Numbers {...changeTotals(files)} /> : null}
        {committed.value === null ? null : <span class='change-card-done'>{w.committedAs(committed.value.slice(0, 7))}</span>}
        <span class='change-card-actions'>
          {isLast
            ? (
              // Its place is kept until it is known whether the turn can be undone, so that nothing below moves.
              <Button
                kind='quiet' size='small' class={present === null ? 'change-card-kept' : undefined} disabled={present === null}
                onClick={() => { if (present !== null) void attempt(() => undo(present)) }}
              >{w.undoChanges}
              </Button>)
            : null}
          {isLast ? <ChecksChip sessionId={sessionId} sinceS={exchange.user.value?.atS ?? 0} /> : null}
          {committed.value === null ? null : <AfterCommit sessionId={sessionId} />}
          <CommitOffer {...turned} isOpen={isCommitting.value} onOpen={() => open(true)} />
          <Button size='small' onClick={() => { void review() }}>{w.review}</Button>
        </span>
      </header>
      <ChangedFiles
        {...turned} isLast={isLast} files={files} since={since.value} onRead={read}
        onRestore={(paths) => { if (present !== null) void attempt(() => undo(present, paths)) }}
      />
      {isCommitting.value
        ? <CommitForm
            {...turned} isFocused={isByHand.current}
            onClose={() => open(false)}
            onDone={(sha) => { committed.value = sha; open(false) }}
          />
        : null}
    </section>
  )
}
