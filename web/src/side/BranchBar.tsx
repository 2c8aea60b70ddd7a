import { useEffect, useState } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'
import { visible } from '../core/files/paths.js'
import { type GitBranch, type GitStatus, type Switched, type Target } from '../core/files/repository.js'
import { Button } from '../ui/Button.js'
import { Dialog } from '../ui/Dialog.js'
import { TextField } from '../ui/Field.js'
import { Icon } from '../ui/Icon.js'
import { ArrowDown, ArrowUp, Ellipsis, GitBranch as BranchIcon, Plus, RefreshCw } from '../ui/icons.js'
import { Menu, type MenuEntry } from '../ui/Menu.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { sentence, type Action } from './action.js'
import { type SideModel } from './side-model.js'

/** Shows the current branch and how it differs from its remote, and switches branches. */
export function BranchBar ({ model, status, action, fixed }: { model: SideModel, status: GitStatus, action: Action, fixed: boolean }) {
  const { repository } = model
  const [inTheWay, setInTheWay] = useState<Target | null>(null)
  const [naming, setNaming] = useState(false)
  useEffect(() => { void repository.branches.refresh() }, [repository])
  const w = screenWords.value.files.changes
  const talk = (name: 'fetch' | 'pull' | 'push'): void => {
    void action.run(name, async () => {
      toast(visible(await repository.talk(name)))
      if (name === 'pull') await model.changed()
    })
  }
  const go = async (target: Target, stash = false): Promise<void> => {
    try {
      const answer = await repository.switchTo(target, { stash })
      toast(outcome(answer))
      await model.changed()
    } catch (error) {
      if (stash || !(error instanceof ApiError) || error.code !== 'dirty_worktree') throw error
      setInTheWay(target)
    }
  }
  const items = (): MenuEntry[] => branchItems(
    repository.branches.value.value, (target) => { void action.run('checkout', async () => await go(target)) },
    () => setNaming(true)
  )
  const name = status.detached ? w.detached(visible(status.branch)) : visible(status.branch)
  const upstream = status.upstream === null ? null : visible(status.upstream.replace(/^[^/]+\//, ''))
  const apart = distanceOf(status)
  const distance = upstream === null ? w.noRemote : apart === '' ? w.upToDate(upstream) : `${apart} ${w.against(upstream)}`
  const remote = (['fetch', 'pull', 'push'] as const).find((one) => one === action.doing)
  const more = (): MenuEntry[] => [
    { text: w.fetch, icon: RefreshCw, onPick: () => talk('fetch') },
    { text: w.pull, icon: ArrowDown, onPick: () => talk('pull') },
    { text: w.push, icon: ArrowUp, onPick: () => talk('push') },
    'line',
    { text: w.newBranch, icon: Plus, onPick: () => setNaming(true) }
  ]
  const target = inTheWay?.new_branch ?? inTheWay?.ref ?? ''
  return (
    <div class='branch-bar'>
      {fixed
        ? <span class='branch-name'><Icon of={BranchIcon} /><bdi>{name}</bdi></span>
        : (
          <Menu
            label={w.branch(name)} icon={BranchIcon} items={items} align='start'
            busy={action.doing === 'checkout'} class='branch-name'
          >
            <bdi>{name}</bdi>
          </Menu>
          )}
      <span class='side-muted side-grow'>{distance}</span>
      {!fixed && <Menu label={w.actionsForBranch} icon={Ellipsis} items={more} busy={remote !== undefined} />}
      {inTheWay !== null && (
        <Dialog
          open size='small' title={w.stashTitle} onClose={() => setInTheWay(null)}
          actions={(
            <>
              <Button onClick={() => setInTheWay(null)}>{words.value.common.cancel}</Button>
              <Button kind='primary' onClick={() => { setInTheWay(null); void action.run('checkout', async () => await go(inTheWay, true)) }}>
                {w.stashAndSwitch}
              </Button>
            </>
          )}
        >
          <p>{w.stashText(visible(target))}</p>
        </Dialog>
      )}
      {naming && (
        <NewBranch
          onClose={() => setNaming(false)}
          onName={async (wanted) => await go({ ref: status.branch, mode: 'new', new_branch: wanted })}
        />
      )}
    </div>
  )
}

function NewBranch ({ onClose, onName }: { onClose: () => void, onName: (name: string) => Promise<void> }) {
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const { common } = words.value
  const { files } = screenWords.value
  const submit = async (): Promise<void> => {
    if (name.trim() === '' || busy) return
    setBusy(true)
    try {
      await onName(name.trim())
      onClose()
    } catch (error) {
      setProblem(sentence(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog
      open size='small' title={files.changes.newBranch} onClose={onClose}
      actions={(
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button kind='primary' busy={busy} onClick={() => { void submit() }}>{files.create}</Button>
        </>
      )}
    >
      <form onSubmit={(event) => { event.preventDefault(); void submit() }}>
        <TextField
          label={files.changes.newBranchName} value={name} onValue={setName} error={problem} maxLength={200} autofocus
          autocomplete='off' autocapitalize='none' spellcheck={false}
        />
      </form>
    </Dialog>
  )
}

function branchItems (
  branches: { current: string, detached: boolean, local: readonly GitBranch[], remote: readonly GitBranch[] } | undefined,
  go: (target: Target) => void, onNew: () => void
): MenuEntry[] {
  const w = screenWords.value.files.changes
  const item = (mode: 'local' | 'remote', { name, subject, updated_relative: ago, ...distance }: GitBranch): MenuEntry => ({
    text: visible(name),
    note: [visible(subject), ago, distanceOf(distance)].filter((part) => part !== '').join(' · '),
    ...(mode === 'local' && { checked: name === branches?.current && !branches.detached }),
    onPick: () => { if (mode === 'remote' || name !== branches?.current) go({ ref: name, mode }) }
  })
  const remote = (branches?.remote ?? []).filter(({ name }) => !name.endsWith('/HEAD'))
  return [
    ...(branches === undefined || branches.local.length === 0
      ? []
      : [{ heading: w.localBranches }, ...branches.local.map((branch) => item('local', branch))]),
    ...(remote.length === 0 ? [] : ['line' as const, { heading: w.remoteBranches }, ...remote.map((branch) => item('remote', branch))]),
    'line' as const,
    { text: w.newBranch, icon: Plus, onPick: onNew }
  ]
}

function distanceOf ({ ahead, behind }: { ahead: number, behind: number }): string {
  const w = screenWords.value.files.changes
  return [ahead > 0 && w.ahead(ahead), behind > 0 && w.behind(behind)].filter(Boolean).join(', ')
}

function outcome ({
  current_branch: branch, stashed, restored_stash: restored, restore_failed: isFailed, restore_error: reason
}: Switched): string {
  const w = screenWords.value.files.changes
  return [
    w.switched(visible(branch)), stashed === true && w.putAside, restored != null && w.cameBack,
    isFailed === true && w.notBack(visible(reason ?? ''))
  ].filter(Boolean).join(' ')
}
