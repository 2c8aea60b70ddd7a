import { useEffect, useState } from 'preact/hooks'
import { type CheckpointDiff } from '../core/conversation/checkpoints.js'
import { ApiError } from '../core/service/api.js'
import { EmptyState } from '../ui/EmptyState.js'
import { GitBranch } from '../ui/icons.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { CheckpointChanges } from './CheckpointChanges.js'
import { ReviewBar } from './Reviewing.js'
import { type SideModel } from './side-model.js'

/** Shows the changes since the latest checkpoint, in a folder without version control. */
export function UnversionedChanges ({ model }: { model: SideModel }) {
  const { checkpoints, isRunning } = model
  const { list } = checkpoints
  const [diff, setDiff] = useState<CheckpointDiff | null>(null)
  useEffect(() => { void list.refresh() }, [list, isRunning])
  const latest = list.value.value?.find(({ state }) => state === 'ready')
  useEffect(() => {
    let isGone = false
    if (latest !== undefined) {
      checkpoints.diff(latest.id).then((found) => { if (!isGone) setDiff(found) }, (error: unknown) => {
        // Without the diff, the note shows less; the tab of checkpoints shows the error.
        if (!(error instanceof ApiError)) throw error
      })
    }
    return () => { isGone = true }
  }, [latest?.id, isRunning])
  const w = screenWords.value.files.changes
  if (latest === undefined || diff === null) return <EmptyState icon={GitBranch} title={w.none}>{w.noneNote}</EmptyState>
  return (
    <div class='side-column'>
      <p class='side-note'>{w.unversioned(times.at(latest.created_at))}</p>
      <div class='side-scroll'>
        <CheckpointChanges model={model} diff={diff} fixed onRestore={() => {}} onFile={(path, line) => model.open(path, line)} />
      </div>
      <ReviewBar model={model} />
    </div>
  )
}
