import { useState } from 'preact/hooks'
import { api } from '../app.js'
import { type Conversation } from '../core/conversation/conversation.js'
import { readWorktree, removeWorktree, type Refused, type WorktreeStatus } from '../core/sessions/worktree.js'
import { Loaded } from '../ui/Loaded.js'
import { useDeed } from '../side/deed.js'
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
  return (
    <Dialog open onClose={close} title={screenWords.value.talk.worktree.title} class='worktree'>
      <Loaded of={status} lines={4}>
        {(found) => <Standing status={found} conversation={conversation} onAgain={() => { void status.refresh() }} />}
      </Loaded>
    </Dialog>
  )
}

function Standing ({ status, conversation, onAgain }: { status: WorktreeStatus, conversation: Conversation, onAgain: () => void }) {
  const deed = useDeed()
  const [refused, setRefused] = useState<Refused | null>(null)
  const w = screenWords.value.talk.worktree
  const { exists, branch, path, locked } = status
  const session = conversation.session.value
  const isRunning = conversation.running.value !== null
  if (!status.has_worktree) return <p>{w.none}</p>
  const remove = (force: boolean): Promise<void> => deed.run('remove', async () => {
    const removed = await removeWorktree(api, status.session_id, { force })
    if (!removed.isRemoved) {
      setRefused(removed.refused)
      deed.tell(removed.message)
      onAgain()
      return
    }
    await conversation.reload()
    close()
    toast(removed.isBranchDeleted ? w.removed : w.removedKept(branch ?? ''))
  })
  const canForce = refused === 'changes' || refused === 'commits'
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
      {deed.problem === null ? null : <p class='exchange-problem' role='alert'>{deed.problem}</p>}
      {canForce ? <p>{refused === 'changes' ? w.losesChanges : w.keepsCommits(branch ?? '')}</p> : null}
      {isRunning ? <p class='exchange-event'>{w.whileRunning}</p> : null}
      <div class='worktree-deeds'>
        {exists ? <Button onClick={() => { close(); openSide('changes') }}>{words.value.conversation.review}</Button> : null}
        {session?.read_only === true || locked
          ? null
          : canForce
            ? (
              <Button kind='danger' busy={deed.doing !== null} disabled={isRunning} onClick={() => { void remove(true) }}>
                {w.removeAnyway}
              </Button>
              )
            : (
              <Button busy={deed.doing !== null} disabled={isRunning} onClick={() => { void remove(false) }}>
                {exists ? w.remove : w.goOn}
              </Button>
              )}
      </div>
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
