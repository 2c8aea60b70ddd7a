import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../app.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { baseName, folderOf, visible, workspaceTop } from '../core/files/paths.js'
import { pathThere } from '../core/machines/location.js'
import { type Wire } from '../core/service/api.js'
import { type Exchange } from '../core/turn/exchange.js'
import { changeTotals, fileChanges, type FileChange } from '../core/turn/turn-changes.js'
import { type Turn } from '../core/turn/turn.js'
import { checkpointOf } from '../core/turn/turn-checkpoint.js'
import { attempt } from '../ui/attempt.js'
import { Button } from '../ui/Button.js'
import { parseDiff } from '../ui/diff.js'
import { Icon } from '../ui/Icon.js'
import { FileDiff } from '../ui/icons.js'
import { toast } from '../ui/toasts.js'
import { words } from '../words/index.js'
import { lazy } from '../ui/lazy.js'
import { openSide } from '../side/open.js'
import { opened, showFile } from './opened.js'

const CommitOffer = lazy(async () => (await import('./CommitTurn.js')).CommitOffer, { waiting: null, missing: () => null })
const ChecksChip = lazy(async () => (await import('../checks/ChecksChip.js')).ChecksChip, { waiting: null, missing: () => null })
const CommitForm = lazy(async () => (await import('./CommitTurn.js')).CommitForm, { waiting: null })

const filesAtFirst = 6

/** Returns the files of a turn with the numbers of the folder's diff, where that is whole. */
function changesSince ({ diff, truncated }: Wire<'CheckpointDiff'>, files: readonly FileChange[]): FileChange[] {
  const counted = new Map(truncated ? [] : parseDiff(diff).map((file) => [file.path, file]))
  return files.map((file) => {
    const now = counted.get(file.path)
    return now === undefined ? file : { ...file, added: now.added, removed: now.removed }
  })
}

/** Offers to review, commit or undo the changes of a turn. */
export function ChangeCard ({ exchange, conversation, isLast }: { exchange: Exchange, conversation: Conversation, isLast: boolean }) {
  const { filesChanged } = exchange.work.value
  const found = useSignal<Turn['checkpoint']>(null)
  const changes = useSignal<readonly FileChange[] | null>(null)
  const isWhole = useSignal(false)
  const isCommitting = useSignal(opened.peek()?.unfolded.has(`${exchange.key} commit`) === true)
  const isByHand = useRef(false)
  const committed = useSignal<string | null>(null)
  const checkpoint = exchange.head.value.checkpoint ?? found.value
  const sessionId = conversation.sessionId.value
  const folder = pathThere(conversation.session.value?.workspace ?? '')
  const isWanted = isLast && filesChanged > 0 && sessionId !== null && exchange.head.value.checkpoint === null
  // Frames report the checkpoint while a turn runs; after a reload the list does.
  useEffect(() => {
    if (isWanted) {
      void api.get('/api/rollback/list', { session_id: sessionId })
        .then(({ checkpoints }) => { found.value = checkpointOf(checkpoints, sessionId, exchange.turn) }, () => {})
    }
  }, [isWanted])
  const readyId = isLast && checkpoint?.state === 'ready' ? checkpoint.id : null
  // What the folder says counts what tools have not told, such as a file that was written whole.
  useEffect(() => {
    if (readyId !== null && sessionId !== null) {
      void api.get('/api/rollback/diff', { session_id: sessionId, checkpoint: readyId })
        .then((since) => { changes.value = changesSince(since, fileChanges(exchange.turn.parts, folder)) }, () => {})
    }
  }, [readyId])
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
  const files = changes.value ?? fileChanges(exchange.turn.parts, folder)
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
          {checkpoint?.state === 'ready'
            ? <Button kind='quiet' size='small' onClick={() => { void attempt(() => undo(checkpoint.id)) }}>{w.undoChanges}</Button>
            : null}
          {isLast ? <ChecksChip sessionId={sessionId} sinceS={exchange.user.value?.atS ?? 0} /> : null}
          <CommitOffer {...turned} isOpen={isCommitting.value} onOpen={() => open(true)} />
          <Button size='small' onClick={() => { void review() }}>{w.review}</Button>
        </span>
      </header>
      <ul class='change-card-files'>
        {files.slice(0, isWhole.value ? Infinity : filesAtFirst).map((file) => (
          <li key={file.path}>
            <Icon of={FileDiff} size={14} />
            <button type='button' class='change-card-file' title={visible(file.path)} onClick={() => showFile(file.path, null)}>
              <bdi class='change-card-name'>{visible(baseName(file.path))}</bdi>
              {folderOf(file.path) === workspaceTop ? null : <bdi class='change-card-folder'>{visible(folderOf(file.path))}</bdi>}
            </button>
            <Numbers {...file} />
          </li>
        ))}
      </ul>
      {isWhole.value || files.length <= filesAtFirst
        ? null
        : (
          <Button kind='quiet' size='small' class='change-card-more' onClick={() => { isWhole.value = true }}>
            {w.moreFiles(files.length - filesAtFirst)}
          </Button>)}
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

function Numbers ({ added, removed }: { added: number | null, removed: number | null }) {
  if (added === null || removed === null || added + removed === 0) return null
  return (
    <span class='change-card-numbers'>
      {added === 0 ? null : <span class='change-card-added'>+{added}</span>}
      {removed === 0 ? null : <span class='change-card-removed'>−{removed}</span>}
    </span>
  )
}
