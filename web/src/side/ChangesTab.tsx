import { useEffect } from 'preact/hooks'
import { chatDialog } from '../conversation/chat-dialog.js'
import { Button } from '../ui/Button.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { lazy } from '../ui/lazy.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { BranchBar } from './BranchBar.js'
import { ChangeList } from './ChangeList.js'
import { CommitBox } from './CommitBox.js'
import { CommitLog } from './CommitLog.js'
import { sentence, useAction } from './action.js'
import { ReviewBar } from './Reviewing.js'
import { type SideModel } from './side-model.js'
import { UnversionedChanges } from './UnversionedChanges.js'

const PullCard = lazy(async () => (await import('./pulls/PullCard.js')).PullCard, { waiting: null, missing: () => null })

/** Shows the git state of a session's folder, and operations on it. */
export function ChangesTab ({ model }: { model: SideModel }) {
  const { repository } = model
  const action = useAction()
  useEffect(() => { void repository.look() }, [repository])
  const w = screenWords.value.files.changes
  const status = repository.status.value
  if (repository.presence.value === 'unknown') {
    const error = repository.error.value
    return error === null
      ? <div class='side-padded'><Skeleton lines={6} /></div>
      : <ErrorState error={sentence(error)} onRetry={() => { void repository.look() }} />
  }
  if (status === null) return <UnversionedChanges model={model} />
  const fixed = model.isReadOnly ? w.readOnly : model.isRunning ? w.whileRunning : null
  const worktree = model.row?.worktree_branch ?? null
  return (
    <div class='changes side-column'>
      <BranchBar model={model} status={status} action={action} fixed={fixed !== null} />
      {action.problem !== null && <p class='side-problem' role='alert'>{action.problem}</p>}
      {fixed !== null && <p class='side-note'>{fixed}</p>}
      {worktree !== null && (
        <p class='side-note'>
          {w.worktree(worktree)}{' '}
          <Button size='small' onClick={() => { chatDialog.value = 'worktree' }}>{screenWords.value.chat.worktree}</Button>
        </p>
      )}
      <div class='side-scroll'>
        <PullCard model={model} status={status} fixed={fixed !== null} />
        {status.files.length === 0
          ? <EmptyState title={w.clean}>{w.cleanNote}</EmptyState>
          : <ChangeList model={model} action={action} fixed={fixed !== null} />}
        {status.truncated && <p class='side-note'>{w.truncated(status.files.length)}</p>}
        <CommitLog model={model} />
      </div>
      <ReviewBar model={model} />
      {!model.isReadOnly && (status.files.length > 0 || model.commitMessage.value !== '') && (
        <CommitBox model={model} action={action} fixed={fixed !== null} />
      )}
    </div>
  )
}
