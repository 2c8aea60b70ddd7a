import { useEffect, useMemo, useState } from 'preact/hooks'
import { sessions } from '../app.js'
import { openChat } from '../conversation/open-chat.js'
import { type Checkpoint, type CheckpointDiff } from '../core/conversation/checkpoints.js'
import { baseName, visible } from '../core/files/paths.js'
import { pathThere } from '../core/machines/location.js'
import { ApiError } from '../core/service/api.js'
import { checkpointOf } from '../core/turn/turn-checkpoint.js'
import { filesWritten } from '../core/turn/turn-files.js'
import { chatTitle } from '../shell/chat-title.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { RotateCcwClock } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { CheckpointChanges } from './CheckpointChanges.js'
import { offerUndo, sentence, useAction } from './action.js'
import { GoBackDialog } from './GoBackDialog.js'
import { ReviewBar } from './Reviewing.js'
import { type SideModel } from './side-model.js'

/** Shows the history of the folder as a timeline: its state before each turn that wrote to it. */
export function CheckpointsTab ({ model }: { model: SideModel }) {
  const { list } = model.checkpoints
  const [openId, setOpenId] = useState<string | null>()
  useEffect(() => { void list.refresh() }, [list])
  const w = screenWords.value.files.checkpoints
  const all = list.value.value
  if (all === undefined) {
    return list.error.value === null
      ? <div class='side-padded'><Skeleton lines={6} /></div>
      : <ErrorState error={sentence(list.error.value)} onRetry={() => { void list.refresh() }} />
  }
  if (all.length === 0) return <EmptyState icon={RotateCcwClock} title={w.none}>{w.noneNote}</EmptyState>
  const latest = all.find(({ state }) => state === 'ready')
  const files = filesByCheckpoint(model.sessionId, all)
  return (
    <div class='side-column'>
      <p class='side-note'>{w.what}</p>
      <ol class='checkpoints side-scroll' reversed>
        {latest !== undefined && <Now model={model} latest={latest} />}
        {all.map((checkpoint) => (
          <Point
            key={checkpoint.id} checkpoint={checkpoint} model={model} files={files.get(checkpoint.id) ?? []}
            // The latest checkpoint is open until another one is opened, or it is closed.
            isOpen={checkpoint.id === (openId === undefined ? latest?.id : openId)}
            onOpen={(isOpen) => setOpenId(isOpen ? checkpoint.id : null)}
          />
        ))}
      </ol>
      <ReviewBar model={model} />
    </div>
  )
}

/** Returns the files that the loaded turns of the chat have written, by the id of the checkpoint before the turn. */
function filesByCheckpoint (sessionId: string, all: readonly Checkpoint[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>()
  const conversation = openChat.value?.conversation
  if (conversation === undefined || conversation.sessionId.value !== sessionId) return found
  const workspace = pathThere(conversation.session.value?.workspace ?? '')
  for (const exchange of conversation.transcript.exchanges.value) {
    void exchange.work.value
    const files = filesWritten(exchange.turn.parts, workspace)
    if (files.length === 0) continue
    // Turns may follow each other within the tolerance for their clocks, but each has its own checkpoint.
    const id = exchange.head.value.checkpoint?.id ?? checkpointOf(all.filter((one) => !found.has(one.id)), sessionId, exchange.turn)?.id
    if (id !== undefined) found.set(id, files)
  }
  return found
}

/** The end of the timeline: how the folder differs from the latest checkpoint. */
function Now ({ model, latest: { id, created_at: atS } }: { model: SideModel, latest: Checkpoint }) {
  const [total, setTotal] = useState<number | null>(null)
  const { isRunning } = model
  useEffect(() => {
    let gone = false
    model.checkpoints.diff(id).then(({ total_changes: count }) => { if (!gone) setTotal(count) }, (error: unknown) => {
      // Without the number, the line shows less; comparing shows the error.
      if (!(error instanceof ApiError)) throw error
    })
    return () => { gone = true }
  }, [id, isRunning, model.repository.status.value])
  const w = screenWords.value.files.checkpoints
  return (
    <li class='checkpoint checkpoint-now'>
      <p class='checkpoint-name'>{w.now}</p>
      <p class='checkpoint-about'>{total === null ? '' : total === 0 ? w.sameSince(times.at(atS)) : w.changedSince(total, times.at(atS))}</p>
    </li>
  )
}

function Point ({ checkpoint, model, files, isOpen, onOpen }: {
  checkpoint: Checkpoint
  model: SideModel
  files: readonly string[]
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
}) {
  const { id, state, created_at: atS } = checkpoint
  const action = useAction()
  const [diff, setDiff] = useState<CheckpointDiff | null>(null)
  const [isGoingBack, setGoingBack] = useState(false)
  const [unsafe, setUnsafe] = useState<{ why: string, paths: readonly string[] | undefined } | null>(null)
  const w = screenWords.value.files.checkpoints
  const about = useMemo(() => aboutOf(checkpoint, model.sessionId, files), [checkpoint, files.join('\n')])
  const fixed = model.row?.read_only === true
  const compare = (): Promise<void> => action.run('compare', async () => setDiff(diff === null ? await model.checkpoints.diff(id) : null))
  const restore = (paths?: readonly string[], force = false): Promise<void> => action.run('restore', async () => {
    try {
      await putBack(model, id, { force, ...(paths !== undefined && { paths }) })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'no_safety_checkpoint') return setUnsafe({ why: error.message, paths })
      throw error.code === 'active_stream' ? new ApiError(w.active, error.status) : error
    }
    if (diff !== null) setDiff(await model.checkpoints.diff(id))
  })
  return (
    <li class={state !== 'ready' ? 'checkpoint checkpoint-skipped' : isOpen ? 'checkpoint checkpoint-open' : 'checkpoint'}>
      {state === 'ready'
        ? (
          <button type='button' class='checkpoint-name' aria-expanded={isOpen} onClick={() => onOpen(!isOpen)}>
            {nameOf(checkpoint)}
          </button>
          )
        : <p class='checkpoint-name'>{nameOf(checkpoint)}</p>}
      <time class='checkpoint-time' dateTime={new Date(atS * 1000).toISOString()}>{times.at(atS)}</time>
      {about !== '' && <p class='checkpoint-about'>{about}</p>}
      {state === 'ready' && isOpen && (
        <div class='checkpoint-actions'>
          <Button size='small' aria-expanded={diff !== null} busy={action.doing === 'compare'} onClick={() => { void compare() }}>
            {w.compare}
          </Button>
          {!fixed && (
            <Button
              size='small' busy={action.doing === 'restore'} disabled={model.isRunning} title={model.isRunning ? w.active : undefined}
              onClick={() => setGoingBack(true)}
            >
              {w.goBack}
            </Button>
          )}
        </div>
      )}
      {action.problem !== null && <p class='side-problem' role='alert'>{action.problem}</p>}
      {diff !== null && isOpen && (
        <CheckpointChanges
          model={model} diff={diff} fixed={fixed || model.isRunning} onChanged={() => { void action.run('compare', async () => setDiff(await model.checkpoints.diff(id))) }} onRestore={(paths) => { void restore(paths) }}
          onFile={(path, line) => model.open(path, line)}
        />
      )}
      {isGoingBack && (
        <GoBackDialog
          name={nameOf(checkpoint)} read={async () => diff ?? await model.checkpoints.diff(id)} onClose={() => setGoingBack(false)}
          onGo={() => { setGoingBack(false); void restore() }}
        />
      )}
      {unsafe !== null && (
        <Dialog
          open size='small' title={w.unsafeTitle} onClose={() => setUnsafe(null)}
          actions={(
            <>
              <Button onClick={() => setUnsafe(null)}>{words.value.common.cancel}</Button>
              <Button kind='danger' onClick={() => { setUnsafe(null); void restore(unsafe.paths, true) }}>{w.unsafeAnyway}</Button>
            </>
          )}
        >
          <p>{visible(unsafe.why)}</p>
        </Dialog>
      )}
    </li>
  )
}

function nameOf ({ kind, title }: Checkpoint): string {
  const w = screenWords.value.files.checkpoints
  return kind === 'restore' ? w.beforeRestore : title.trim() === '' ? w.beforeMessage : w.before(visible(title))
}

/** Describes a checkpoint by what followed it: the files that its turn wrote, or the other chat that it belongs to. */
function aboutOf ({ session_id: session, state, reason }: Checkpoint, sessionId: string, files: readonly string[]): string {
  const w = screenWords.value.files.checkpoints
  const title = session === sessionId || session === '' ? undefined : sessions.row(session)?.title
  return [
    title !== undefined && w.ofChat(chatTitle(title)),
    files.length > 0 && w.files(files.map((path) => visible(baseName(path)))),
    reason !== null && (state === 'ready' ? visible(reason) : w.notKept(visible(reason)))
  ].filter((part) => part !== false).join(' · ')
}

/** Restores a checkpoint, reports the result, and offers to undo it. */
async function putBack (model: SideModel, id: string, options: { paths?: readonly string[], force: boolean }): Promise<void> {
  const w = screenWords.value.files.checkpoints
  const { files_restored_count: count, errors, safety_checkpoint: safety } = await model.checkpoints.restore(id, options)
  const text = [
    count === 0 ? w.nothing : w.restored(count),
    ...errors.map(({ file, error }) => `${visible(file)}: ${visible(error)}`)
  ].join(' ')
  if (safety === null || count === 0) toast(text, errors.length > 0 ? { kind: 'bad' } : {})
  else {
    offerUndo(text, async () => {
      await model.checkpoints.restore(safety)
      toast(w.restored(count))
      await model.changed()
    })
  }
  await model.changed()
}
