import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'
import { type Checkpoint, type CheckpointDiff } from '../core/conversation/checkpoints.js'
import { visible } from '../core/files/paths.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { DiffView } from '../ui/DiffView.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { RotateCcwClock } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { offerUndo, sentence, useDeed } from './deed.js'
import { timeText } from './format.js'
import { type SideModel } from './side-model.js'

/** Lists the checkpoints before each turn that wrote to the folder. */
export function CheckpointsTab ({ model }: { model: SideModel }) {
  const { list } = model.checkpoints
  useEffect(() => { void list.refresh() }, [list])
  const w = screenWords.value.files.checkpoints
  const all = list.value.value
  if (all === undefined) {
    return list.error.value === null
      ? <div class='side-padded'><Skeleton lines={6} /></div>
      : <ErrorState error={sentence(list.error.value)} onRetry={() => { void list.refresh() }} />
  }
  if (all.length === 0) return <EmptyState icon={RotateCcwClock} title={w.none}>{w.noneNote}</EmptyState>
  return (
    <ul class='checkpoints side-scroll'>{all.map((checkpoint) => <Point key={checkpoint.id} checkpoint={checkpoint} model={model} />)}</ul>
  )
}

function Point ({ checkpoint: { id, kind, state, reason, title, created_at: atS, files_count: count }, model }: {
  checkpoint: Checkpoint
  model: SideModel
}) {
  const deed = useDeed()
  const [diff, setDiff] = useState<CheckpointDiff | null>(null)
  const [unsafe, setUnsafe] = useState<{ why: string, paths: readonly string[] | undefined } | null>(null)
  const w = screenWords.value.files.checkpoints
  const isReady = state === 'ready'
  const compare = (): Promise<void> => deed.run('compare', async () => setDiff(diff === null ? await model.checkpoints.diff(id) : null))
  const restore = (paths?: readonly string[], force = false): Promise<void> => deed.run('restore', async () => {
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
    <li class={isReady ? 'checkpoint' : 'checkpoint checkpoint-skipped'}>
      <p class='side-lead'>{kind === 'restore' ? w.beforeRestore : title.trim() === '' ? w.beforeMessage : w.before(visible(title))}</p>
      <p class='side-muted'>{[timeText(atS), count !== null && w.files(count)].filter(Boolean).join(' · ')}</p>
      {reason !== null && <p class='side-muted'>{isReady ? visible(reason) : w.notKept(visible(reason))}</p>}
      {isReady && (
        <div class='side-deeds'>
          <Button
            kind='quiet' size='small' aria-expanded={diff !== null} busy={deed.doing === 'compare'}
            onClick={() => { void compare() }}
          >
            {w.compare}
          </Button>
          {model.row?.read_only !== true && (
            <Button
              size='small' busy={deed.doing === 'restore'} disabled={model.isRunning}
              title={model.isRunning ? w.active : undefined}
              onClick={() => { void restore() }}
            >
              {w.restore}
            </Button>
          )}
        </div>
      )}
      {deed.problem !== null && <p class='side-problem' role='alert'>{deed.problem}</p>}
      {diff !== null && (
        <Since
          diff={diff} fixed={model.row?.read_only === true || model.isRunning}
          onRestore={(paths) => { void restore(paths) }}
          onFile={(path, line) => model.open(path, line)}
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

function Since ({ diff: { diff, files_changed: files, total_changes: total, truncated }, fixed, onRestore, onFile }: {
  diff: CheckpointDiff
  fixed: boolean
  onRestore: (paths: readonly string[]) => void
  onFile: (path: string, line: number | null) => void
}) {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set())
  const w = screenWords.value.files.checkpoints
  const pick = (file: string, isPicked: boolean): void => {
    const next = new Set(picked)
    if (isPicked) next.add(file)
    else next.delete(file)
    setPicked(next)
  }
  if (total === 0) return <p class='side-note'>{w.same}</p>
  return (
    <div class='checkpoint-since'>
      <p class='side-muted'>{w.changed(total)}{truncated && ` ${w.cut}`}</p>
      <ul class='side-records'>
        {files.map(({ file, status }) => (
          <li key={file}>
            <label class='checkpoint-file'>
              {!fixed && (
                <input
                  type='checkbox' aria-label={w.pick(visible(file))} checked={picked.has(file)}
                  onChange={({ currentTarget }) => pick(file, currentTarget.checked)}
                />
              )}
              <bdi class='side-grow'>{visible(file)}</bdi><span class='side-muted'>{w.statuses[status] ?? status}</span>
            </label>
          </li>
        ))}
      </ul>
      {picked.size > 0 && (
        <Button size='small' onClick={() => { onRestore([...picked]); setPicked(new Set()) }}>{w.restorePicked(picked.size)}</Button>
      )}
      {diff !== '' && <DiffView diff={diff} truncated={truncated} numbers={false} onFile={onFile} />}
    </div>
  )
}
