import { useEffect } from 'preact/hooks'
import { visible } from '../core/files/paths.js'
import { openSide } from '../side/open.js'
import { sideOf } from '../side/side-model.js'
import { Button } from '../ui/Button.js'
import { GitBranch } from '../ui/icons.js'
import { words } from '../words/index.js'

/** The branch that a chat works on; a click opens its changes. `ownTree`: the branch of the chat's own worktree. */
export function BranchLink ({ sessionId, isIdle, ownTree }: { sessionId: string, isIdle: boolean, ownTree: string | null }) {
  const { repository } = sideOf(sessionId)
  useEffect(() => { void repository.look() }, [repository, isIdle])
  const branch = repository.status.value?.branch ?? ownTree
  const w = words.value.conversation
  if (branch === null || branch === '') return null
  return (
    <Button
      kind='quiet' size='small' icon={GitBranch} class='conversation-folder conversation-branch'
      data-hint={ownTree === null ? undefined : w.worktreeOn(ownTree)} onClick={() => openSide('changes')}
    >
      <span class='visually-hidden'>{w.showChanges}: </span><bdi>{visible(branch)}</bdi>
    </Button>
  )
}
