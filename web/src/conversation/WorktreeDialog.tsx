import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { readWorktree, removeWorktree, type Refused, type WorktreeStatus } from '../core/sessions/worktree.js'
import { Loaded } from '../ui/Loaded.js'
import { useAction } from '../side/action.js'
import { openSide } from '../side/open.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { Dialog } from '../ui/Dialog.js'
import { toast } from '../ui/toasts.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords, words } from '../words/index.js'
import { chatDialog } from './chat-dialog.js'
import './worktree.css'

const close = (): void => { chatDialog.value = null }

/** Shows the state of the chat's own git worktree, and removes it. */
export function WorktreeDialog ({ conversation, id }: { conversation: Conversation, id: string }) {
  const status = useReading(async () => await readWorktree(api, id), [id])
  const action = useAction()
  const [refused, setRefused] = useState<Refused | null>(null)
  const w = screenWords.value.talk.worktree
  const found = status.value.value
  const remove = (force: boolean): Promise<void> => action.run('remove', async () => {
    const removed = await removeWorktree(api, id, { force })
    if (!removed.isRemoved) {
      setRefused(removed.refused)
      action.tell(removed.message)
      void status.refresh()
      return
    }
    await conversation.reload()
    close()
    toast(removed.isBranchDeleted ? w.removed : w.removedKept(found?.branch ?? ''))
  })
  const actions = found?.has_worktree === true
    ? { actions: <Actions status={found} refused={refused} conversation={conversation} action={action} onRemove={remove} /> }
    : {}
  return (
    <Dialog open onClose={close} title={w.title} class='worktree' {...actions}>
      <Loaded of={status} lines={4}>
        {(current) => <Standing status={current} refused={refused} conversation={conversation} problem={action.problem} />}
      </Loaded>
    </Dialog>
  )
}

interface StandingProps { status: WorktreeStatus, refused: Refused | null, conversation: Conversation }

const canForce = (refused: Refused | null): boolean => refused === 'changes' || refused === 'commits'

function Actions ({ status: { exists, locked }, refused, conversation, action, onRemove }: StandingProps & {
  action: ReturnType<typeof useAction>
  onRemove: (force: boolean) => Promise<void>
}) {
  const w = screenWords.value.talk.worktree
  const isForced = canForce(refused)
  return (
    <>
      {exists ? <Button onClick={() => { close(); openSide('changes') }}>{words.value.conversation.review}</Button> : null}
      {conversation.session.value?.read_only === true || locked
        ? null
        : (
          <Button
            kind={isForced ? 'danger' : 'plain'} busy={action.doing !== null} disabled={conversation.running.value !== null}
            onClick={() => { void onRemove(isForced) }}
          >
            {isForced ? w.removeAnyway : exists ? w.remove : w.goOn}
          </Button>
          )}
    </>
  )
}

function Standing ({ status, refused, conversation, problem }: StandingProps & { problem: string | null }) {
  const w = screenWords.value.talk.worktree
  const { branch, path } = status
  const session = conversation.session.value
  if (!status.has_worktree) return <p>{w.none}</p>
  return (
    <>
      <dl class='worktree-facts'>
        <dt>{w.branch}</dt><dd><code><bdi>{branch}</bdi></code> {branch === null ? null : <CopyButton size='small' text={branch} />}</dd>
        <dt>{w.folder}</dt><dd><code><bdi>{path}</bdi></code> {path === null ? null : <CopyButton size='small' text={path} />}</dd>
        {session?.worktree_repo_root == null
          ? null
          : <><dt>{w.repository}</dt><dd><code><bdi>{session.worktree_repo_root}</bdi></code></dd></>}
      </dl>
      <ul class='worktree-standing'>{sentences(status).map((text) => <li key={text}>{text}</li>)}</ul>
      {problem === null ? null : <p class='exchange-problem' role='alert'>{problem}</p>}
      {canForce(refused) ? <p>{refused === 'changes' ? w.losesChanges : w.keepsCommits(branch ?? '')}</p> : null}
      {conversation.running.value === null ? null : <p class='exchange-event'>{w.whileRunning}</p>}
    </>
  )
}

/** Describes its state in sentences. */
function sentences ({ exists, dirty_files: dirty, untracked_files: untracked, ahead, merged, locked }: WorktreeStatus): string[] {
  const w = screenWords.value.talk.worktree
  return [
    ...exists ? [] : [w.gone],
    ...exists && dirty + untracked === 0 ? [w.clean] : [],
    ...dirty > 0 ? [w.dirty(dirty)] : [],
    ...untracked > 0 ? [w.untracked(untracked)] : [],
    ...ahead > 0 ? [w.ahead(ahead)] : merged ? [w.merged] : exists ? [w.elsewhere] : [],
    ...locked ? [w.locked] : []
  ]
}
