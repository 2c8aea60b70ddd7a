import { useRef, useState } from 'preact/hooks'
import { type Wire } from '../core/service/api.js'
import { visible, visibleText } from '../core/files/paths.js'
import { type SideModel } from '../side/side-model.js'
import { Badge, type MarkKind } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { EmptyState } from '../ui/EmptyState.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Ellipsis, Play, Plus, Square } from '../ui/icons.js'
import { Menu } from '../ui/Menu.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { CheckDialog, type Draft } from './CheckDialog.js'
import { cancel, isBad, isOpen, latestRuns, mostSent, problemCount, run, send, useChecks, type Check, type CheckRun } from './checks.js'
import { RunView } from './RunView.js'
import './checks.css'

/** The project's own checks: their results, running them, and the proposals from files of the folder. */
export function ChecksTab ({ model }: { model: SideModel }) {
  const { sessionId } = model
  const resource = useChecks(sessionId)
  const [edited, edit] = useState<Draft | null>(null)
  /** The check that opens by itself: the first with problems, even if an earlier one ends later. */
  const opening = useRef<string | null>(null)
  const w = screenWords.value.checks
  const view = resource.value.value
  if (view === undefined) {
    return resource.error.value === null
      ? <div class='side-padded'><Skeleton lines={5} /></div>
      : <ErrorState error={resource.error.value} onRetry={() => { void resource.refresh() }} />
  }
  const { available, checks, proposals, confined } = view
  if (!available && checks.length === 0) return <EmptyState title={w.elsewhere} />
  const latest = latestRuns(view)
  const failed = latest.filter(hasProblems).map(({ check_id: id }) => id)
  if (opening.current === null || !failed.includes(opening.current)) opening.current = failed[0] ?? null
  const canChange = !model.isReadOnly && available
  const close = (): void => {
    edit(null)
    void resource.refresh()
  }
  return (
    <div class='side-column'>
      <div class='side-actions checks-head'>
        {checks.length === 0 || !canChange
          ? null
          : latest.some(isOpen)
            ? <Button size='small' icon={Square} onClick={() => { void cancel(sessionId) }}>{w.stopAll}</Button>
            : <Button size='small' icon={Play} onClick={() => { void run(sessionId) }}>{w.runAll}</Button>}
        <span class='side-grow' />
        {canChange ? <Button size='small' kind='quiet' icon={Plus} onClick={() => edit({})}>{w.add}</Button> : null}
      </div>
      <div class='side-scroll checks-list'>
        {canChange && !latest.some(isOpen) ? <AskToFix runs={latest.filter(isBad)} onAsk={() => send(sessionId)} /> : null}
        {available ? null : <p class='side-muted' role='status'>{w.elsewhere}</p>}
        {confined || !available ? null : <p class='side-muted'>{w.unconfined}</p>}
        {checks.length === 0 && proposals.length === 0 ? <EmptyState title={w.none}>{w.noneNote}</EmptyState> : null}
        {checks.map((check) => (
          <CheckRow
            key={check.id} model={model} check={check} canChange={canChange} onEdit={() => edit({ check })}
            last={latest.find(({ check_id: id }) => id === check.id)} startsOpen={opening.current === check.id}
          />
        ))}
        {proposals.length === 0 || !canChange
          ? null
          : (
            <section aria-label={w.found}>
              <h2 class='checks-heading'>{w.found}</h2>
              <p class='side-muted'>{w.foundNote}</p>
              {proposals.map((proposal) => <ProposalRow key={`${proposal.file} ${proposal.command}`} proposal={proposal} onAdd={() => edit({ proposal })} />)}
            </section>)}
      </div>
      {edited === null ? null : <CheckDialog sessionId={sessionId} draft={edited} confined={confined} onClose={close} />}
    </div>
  )
}

/** Whether a check failed and says where. */
const hasProblems = (run: CheckRun): boolean => isBad(run) && problemCount(run) > 0

/** Offers to give everything that failed to the agent, and says how; what the agent already has is no longer the main action. */
function AskToFix ({ runs, onAsk }: { runs: readonly CheckRun[], onAsk: () => Promise<boolean> }) {
  const [isAsking, setAsking] = useState(false)
  if (runs.length === 0) return null
  const w = screenWords.value.checks
  const isSent = runs.every(({ sent_at: sent }) => sent !== null)
  const ask = async (): Promise<void> => {
    setAsking(true)
    await onAsk()
    setAsking(false)
  }
  return (
    <div class='checks-ask'>
      <Button size='small' kind={isSent ? 'plain' : 'primary'} busy={isAsking} onClick={() => { void ask() }}>
        {sendText(runs)}
      </Button>
      <p class='side-muted'>{w.sendNote}</p>
    </div>
  )
}

/** What would be sent, with a number if the message names all of them. */
function sendText (runs: readonly CheckRun[]): string {
  const w = screenWords.value.checks
  const found = runs.reduce((sum, run) => sum + problemCount(run), 0)
  return found === 0 || runs.some((run) => problemCount(run) > mostSent) ? w.send : w.sendPicked(found)
}

const marks: Readonly<Record<CheckRun['state'], MarkKind>> = {
  waiting: 'neutral', running: 'accent', passed: 'good', failed: 'bad', timed_out: 'bad', over_limit: 'bad', cancelled: 'neutral', interrupted: 'neutral'
}

function CheckRow ({ model, check, last, canChange, startsOpen, onEdit }: {
  model: SideModel
  check: Check
  last: CheckRun | undefined
  canChange: boolean
  /** Whether its problems are shown at first: they are of the first check that has any. */
  startsOpen: boolean
  onEdit: () => void
}) {
  const w = screenWords.value.checks
  const { id, name, command, changed_script: changed, file } = check
  const isAtWork = last !== undefined && isOpen(last)
  const found = last === undefined ? 0 : problemCount(last)
  const isProblem = last !== undefined && hasProblems(last)
  return (
    <section class='checks-check' aria-label={name}>
      <div class='checks-row'>
        <span class='side-grow'>
          <bdi class='checks-name'>{visible(name)}</bdi>
          {last === undefined ? null : <Badge kind={marks[last.state]}>{w.states[last.state]}</Badge>}
          {found === 0 || last === undefined ? null : <span class='side-muted'>{w.counts(found, last.files)}</span>}
          <code class='checks-command' dir='ltr'>{visible(command)}</code>
        </span>
        {!canChange
          ? null
          : isAtWork
            ? <Button size='small' kind='quiet' icon={Square} label={w.stop(name)} onClick={() => { void cancel(model.sessionId, [last.id]) }} />
            : changed === null
              ? <Button size='small' kind='quiet' icon={Play} label={w.run(name)} onClick={() => { void run(model.sessionId, [id]) }} />
              : null}
        {canChange
          ? <Menu
              size='small' icon={Ellipsis} label={w.actions(name)}
              items={[
                { text: w.edit, onPick: onEdit },
                ...last !== undefined && isBad(last)
                  ? [{ text: sendText([last]), onPick: () => { void send(model.sessionId, [last.id]) } }]
                  : []
              ]}
            />
          : null}
      </div>
      {changed === null
        ? null
        : (
          <div class='checks-changed' role='note'>
            <p>{changed === '' ? w.scriptGone(file ?? '') : w.scriptChanged(file ?? '')}</p>
            {changed === '' ? null : <pre dir='ltr'>{visibleText(changed)}</pre>}
            {canChange ? <Button size='small' onClick={onEdit}>{w.look}</Button> : null}
          </div>)}
      {last === undefined || last.state === 'waiting'
        ? null
        : (
          <Disclosure summary={isProblem ? w.showProblems : w.showOutput} key={`${last.id} ${isProblem}`} startsOpen={startsOpen}>
            {() => (
              <RunView
                run={last} onFile={model.openNamed} {...canChange && { onSend: (picked) => send(model.sessionId, [last.id], picked) }}
              />)}
          </Disclosure>)}
    </section>
  )
}

function ProposalRow ({ proposal: { name, command, file, script }, onAdd }: { proposal: Wire<'CheckProposal'>, onAdd: () => void }) {
  const w = screenWords.value.checks
  return (
    <div class='checks-row checks-proposal'>
      <span class='side-grow'>
        <bdi class='checks-name'>{visible(name)}</bdi> <span class='side-muted'>{file}</span>
        <code class='checks-command' dir='ltr'>{visible(command)}</code>
        {script === null ? null : <code class='checks-command side-muted' dir='ltr'>{visibleText(script)}</code>}
      </span>
      <Button size='small' icon={Plus} label={w.addNamed(command)} onClick={onAdd}>{w.add}</Button>
    </div>
  )
}
