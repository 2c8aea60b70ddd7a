import { useEffect, useState } from 'preact/hooks'
import { visible } from '../../core/files/paths.js'
import { type Wire } from '../../core/service/api.js'
import { Button } from '../../ui/Button.js'
import { Disclosure } from '../../ui/Disclosure.js'
import { Skeleton } from '../../ui/Skeleton.js'
import { isDesk } from '../../ui/screen.js'
import { toast } from '../../ui/toasts.js'
import { screenWords } from '../../words/index.js'
import { type Action } from '../action.js'
import { closeSide } from '../open.js'
import { type SideModel } from '../side-model.js'
import { type Pull, type PullCheck } from './pull-requests.js'
import { refusal } from './use-pull-action.js'

const dots = { failed: 'bad', pending: 'accent', passed: 'good', skipped: 'neutral' }
interface Checked { pull: Pull, model: SideModel, action: Action, fixed: boolean }

/** The checks of a pull request: their numbers by outcome, and those that failed with their logs. */
export function PullChecks ({ checks, ...checked }: Checked & { checks: readonly PullCheck[] }) {
  const w = screenWords.value.pulls
  const { pull, action, fixed } = checked
  if (checks.length === 0) return null
  const of = (state: PullCheck['state']): PullCheck[] => checks.filter((check) => check.state === state)
  const [failed, pending, passed] = [of('failed'), of('pending'), of('passed')]
  const told = [
    failed.length > 0 && w.failed(failed.length), pending.length > 0 && w.pending(pending.length),
    passed.length > 0 && w.passed(passed.length)
  ].filter(Boolean).join(', ')
  return (
    <div class='pull-part'>
      <div class='side-actions'>
        <span class='side-grow' role='status'>{told === '' ? w.noChecks : told}</span>
        {failed.length > 0 && pull.state === 'open' && (
          <Button
            size='small' busy={action.doing === 'mend'} disabled={fixed} onClick={() => mend(checked, { checks: failed.map(({ id }) => id) })}
          >
            {failed.length > 1 ? w.fixAll : w.fix}
          </Button>
        )}
      </div>
      <CheckList checks={failed} {...checked} />
      {failed.length < checks.length && (
        <Disclosure summary={failed.length === 0 ? w.checks : w.otherChecks}>
          {() => <CheckList checks={checks.filter(({ state }) => state !== 'failed')} {...checked} />}
        </Disclosure>
      )}
    </div>
  )
}

function CheckList ({ checks, ...checked }: Checked & { checks: readonly PullCheck[] }) {
  if (checks.length === 0) return null
  return <ul class='side-records'>{checks.map((check) => <li key={check.id}><Check check={check} {...checked} /></li>)}</ul>
}

/** Has the agent fix something. If the panel covers the chat, it is closed, so that the agent's work can be seen. */
export function mend ({ pull, model, action }: Checked, what: { checks?: string[], threads?: string[] }): void {
  void action.run('mend', async () => {
    await model.pulls.mend(pull.number, what)
    toast(screenWords.value.pulls.fixing)
    if (!isDesk.peek()) closeSide()
  })
}

function Check ({ check, pull, model }: Checked & { check: PullCheck }) {
  const w = screenWords.value.pulls
  const line = (
    <span class='side-grow pull-check'>
      <span class={`dot dot-${dots[check.state]}`} role='img' aria-label={w.checkStates[check.state]} />{' '}
      <bdi>{visible(check.name)}</bdi>{' '}
      {check.summary !== '' && <span class='side-muted'>{visible(check.summary)}</span>}
    </span>
  )
  if (!check.has_log) return <div class='pull-row'>{line}</div>
  return (
    <Disclosure summary={line}>
      {() => <Log name={check.name} read={async () => await model.pulls.log(pull.number, check.id)} />}
    </Disclosure>
  )
}

function Log ({ name, read }: { name: string, read: () => Promise<Wire<'PullLogAnswer'>> }) {
  const [log, setLog] = useState<Wire<'PullLogAnswer'> | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => { read().then(setLog, (error: unknown) => setProblem(refusal(error))) }, [])
  const w = screenWords.value.pulls
  if (problem !== null) return <p class='side-problem' role='alert'>{visible(problem)}</p>
  if (log === null) return <Skeleton />
  return (
    <>
      {log.truncated && <p class='side-muted'>{w.cutLog}</p>}
      <pre class='pull-log' tabIndex={0} aria-label={w.log(visible(name))}>{log.text === '' ? w.emptyLog : log.text}</pre>
    </>
  )
}
