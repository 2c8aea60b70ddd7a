import { useEffect, useState } from 'preact/hooks'
import { visible, visibleText } from '../../core/files/paths.js'
import { type GitStatus } from '../../core/files/repository.js'
import { Markdown } from '../../markdown/Markdown.js'
import { Badge, type MarkKind } from '../../ui/Badge.js'
import { Button } from '../../ui/Button.js'
import { Dialog } from '../../ui/Dialog.js'
import { Disclosure } from '../../ui/Disclosure.js'
import { Ellipsis, GitPullRequest } from '../../ui/icons.js'
import { Icon } from '../../ui/Icon.js'
import { Menu, type MenuEntry } from '../../ui/Menu.js'
import { toast } from '../../ui/toasts.js'
import { screenWords, words } from '../../words/index.js'
import { type Action } from '../action.js'
import { type SideModel } from '../side-model.js'
import { ForgeDialog } from './ForgeDialog.js'
import { MergeDialog } from './MergeDialog.js'
import { PullChecks } from './PullChecks.js'
import { PullForm } from './PullForm.js'
import { type Pull, type PullAnswer, type PullCheck } from './pull-requests.js'
import { PullThreads } from './PullThreads.js'
import { refusal, usePullAction } from './use-pull-action.js'
import './pulls.css'

/** Whether a check speaks against merging: it failed, or is not over. */
const isUnfinished = ({ state }: PullCheck): boolean => state === 'failed' || state === 'pending'

/** Shows the pull request of the branch with its checks and comments, or offers to open one. */
export function PullCard ({ model, status, fixed }: { model: SideModel, status: GitStatus, fixed: boolean }) {
  const { pulls } = model
  const action = usePullAction()
  useEffect(() => pulls.attend(), [pulls])
  // Commits and pushes change what a pull request would contain.
  useEffect(() => { void pulls.look() }, [status.branch, status.ahead, status.upstream])
  const state = pulls.state.value.value
  const error = pulls.error.value
  if (state === undefined) return error === null || error.code === 'host_unreachable' || error.code === 'missing_git' ? null : <Refused text={refusal(error)} model={model} />
  if (state.reason === 'no_repo' || state.reason === 'no_remote' || (state.reason === 'no_forge' && state.host === null)) return null
  return (
    <section class='pull-card' aria-label={screenWords.value.pulls.title}>
      {state.reason !== null
        ? <Connect state={state} model={model} />
        : state.pull !== null
          ? <OnePull state={state} pull={state.pull} model={model} action={action} fixed={fixed} />
          : <NoPull state={state} model={model} status={status} fixed={fixed} />}
      {[action.problem, ...state.problems, error === null ? null : refusal(error)].map((problem) => problem !== null &&
        <p key={problem} class='side-problem' role='alert'>{visible(problem)}</p>)}
    </section>
  )
}

function Refused ({ text, model }: { text: string, model: SideModel }) {
  return (
    <section class='pull-card' aria-label={screenWords.value.pulls.title}>
      <p class='side-problem' role='alert'>{visible(text)}</p>
      <Button size='small' onClick={() => { void model.pulls.look() }}>{screenWords.value.pulls.refresh}</Button>
    </section>
  )
}

function Connect ({ state: { host, forge }, model }: { state: PullAnswer, model: SideModel }) {
  const [isOpen, setOpen] = useState(false)
  const w = screenWords.value.pulls
  return (
    <>
      <p class='side-muted'>{w.connectNote}</p>
      <div class='side-actions'>
        <Button size='small' icon={GitPullRequest} onClick={() => setOpen(true)}>{w.connect(forge?.name ?? visible(host ?? ''))}</Button>
      </div>
      {isOpen && <ForgeDialog host={host ?? ''} kind={forge?.kind ?? null} pulls={model.pulls} onClose={() => setOpen(false)} />}
    </>
  )
}

function NoPull ({ state, model, status, fixed }: { state: PullAnswer, model: SideModel, status: GitStatus, fixed: boolean }) {
  const { isWriting } = model.pulls
  const w = screenWords.value.pulls
  const { branch, repository } = state
  if (branch === null || repository === null) return null
  if (branch.name === repository.default_branch) {
    return status.ahead > 0 ? <p class='side-muted'>{w.notYet(visible(branch.name))}</p> : null
  }
  return (
    <>
      <div class='side-actions'>
        <Button size='small' icon={GitPullRequest} disabled={fixed} onClick={() => { isWriting.value = true }}>{w.open}</Button>
      </div>
      {isWriting.value && (
        <PullForm
          model={model} state={state} isPushed={branch.pushed && branch.ahead === 0} onClose={() => { isWriting.value = false }}
        />
      )}
    </>
  )
}

const kinds: Record<'open' | 'merged' | 'closed' | 'draft', MarkKind> = { open: 'good', merged: 'accent', closed: 'bad', draft: 'neutral' }

function OnePull ({ state, pull, model, action, fixed }: {
  state: PullAnswer, pull: Pull, model: SideModel, action: Action, fixed: boolean
}) {
  const [dialog, setDialog] = useState<'merge' | 'close' | null>(null)
  const { pulls, repository } = model
  const w = screenWords.value.pulls
  const { number } = pull
  const shownState = pull.state === 'open' && pull.draft ? 'draft' : pull.state
  const isOpen = pull.state === 'open'
  const ahead = state.branch?.ahead ?? 0
  const items = (): MenuEntry[] => [
    ...(pull.web === '' ? [] : [{ text: w.onForge(state.forge?.name ?? ''), onPick: () => { open(pull.web, '_blank', 'noopener') } }]),
    { text: w.refresh, onPick: () => { void pulls.look() } },
    ...(isOpen ? ['line' as const, { text: w.close, onPick: () => setDialog('close') }] : [])
  ]
  return (
    <>
      <header class='pull-head'>
        <Icon of={GitPullRequest} />
        <h2 class='side-grow'><bdi>{visible(pull.title)}</bdi> <span class='side-muted'>#{number}</span></h2>
        <Badge kind={kinds[shownState]}>{w.states[shownState]}</Badge>
        <Menu label={w.actions} icon={Ellipsis} items={items} />
      </header>
      <p class='side-muted'>{w.into(visible(pull.head), visible(pull.base))}</p>
      {pull.body.trim() !== '' && (
        <Disclosure summary={w.text}>
          {() => <Markdown class='pull-text' text={visibleText(pull.body.trim())} headingLevel={3} onFile={model.openNamed} />}
        </Disclosure>
      )}
      {isOpen && ahead > 0 && (
        <div class='side-actions'>
          <span class='side-muted side-grow'>{w.unpushed(ahead)}</span>
          <Button
            size='small' busy={action.doing === 'push'} disabled={fixed}
            onClick={() => { void action.run('push', async () => { await repository.talk('push'); await pulls.look() }) }}
          >
            {w.push}
          </Button>
        </div>
      )}
      <PullChecks checks={state.checks} pull={pull} model={model} action={action} fixed={fixed} />
      <PullThreads threads={state.threads} pull={pull} model={model} action={action} fixed={fixed} />
      {isOpen && (
        <div class='side-actions'>
          {pull.draft
            ? (
              <Button
                kind='primary' size='small' busy={action.doing === 'ready'} disabled={model.isReadOnly}
                onClick={() => { void action.run('ready', async () => await pulls.ready(number)) }}
              >
                {w.ready}
              </Button>
              )
            : (
              <Button
                kind={state.checks.some(isUnfinished) ? 'plain' : 'primary'} size='small' disabled={model.isReadOnly}
                onClick={() => setDialog('merge')}
              >
                {w.merge}
              </Button>
              )}
        </div>
      )}
      {dialog === 'merge' && <MergeDialog state={state} pull={pull} pulls={pulls} onClose={() => setDialog(null)} />}
      {dialog === 'close' && (
        <Dialog
          open size='small' title={w.closeTitle(number)} onClose={() => setDialog(null)}
          actions={(
            <>
              <Button onClick={() => setDialog(null)}>{words.value.common.cancel}</Button>
              <Button
                kind='danger'
                onClick={() => {
                  setDialog(null)
                  void action.run('close', async () => {
                    await pulls.close(number)
                    toast(w.closed(number))
                  })
                }}
              >
                {w.close}
              </Button>
            </>
          )}
        >
          <p>{w.closeText}</p>
        </Dialog>
      )}
    </>
  )
}
