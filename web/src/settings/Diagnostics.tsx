import { useEffect } from 'preact/hooks'
import { Badge, type MarkKind } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { ErrorState } from '../ui/ErrorState.js'
import { copyText } from '../ui/copy-text.js'
import { Icon } from '../ui/Icon.js'
import { Check, CircleAlert, CircleDashed, Copy } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { check, holdS, isProbing, leave, report, reportText, sorted, type Row, type Status } from './diagnostics.js'
import './diagnostics.css'

const kinds: Record<Status, MarkKind> = { ok: 'good', warning: 'neutral', error: 'bad', skipped: 'neutral' }

/** Shows problems of the service, its machine and the connection to it, and how to fix them; below them, what is well. */
export function Diagnostics () {
  useEffect(() => {
    void check({ thorough: false })
    return leave
  }, [])
  const w = screenWords.value.diagnostics
  const isBusy = report.isLoading.value
  const error = report.error.value
  const { problems, others } = sorted.value
  return (
    <>
      <p class='settings-note'>{w.note}</p>
      <div class='settings-actions'>
        <Button busy={isBusy} onClick={() => { void check({ thorough: false }) }}>{isBusy ? w.checking : w.again}</Button>
        <Button disabled={isBusy} aria-describedby='diagnostics-thorough' onClick={() => { void check({ thorough: true }) }}>
          {w.thorough}
        </Button>
        {report.value.value === undefined ? null : <Button icon={Copy} onClick={() => { void copyReport() }}>{w.copyReport}</Button>}
      </div>
      <p class='settings-note diagnostics-aside' id='diagnostics-thorough'>{w.thoroughNote}</p>
      {error === null ? null : <ErrorState error={error} busy={isBusy} onRetry={() => { void check({ thorough: false }) }} />}
      {report.value.value === undefined && error === null ? <Skeleton lines={12} /> : null}
      <Summary problems={problems} />
      {problems.length === 0
        ? null
        : <ul class='settings-list diagnostics-problems'>{problems.map((row) => <Problem key={row.key} row={row} />)}</ul>}
      {others.map(([group, rows]) => (
        <section key={group} class='diagnostics-group'>
          <h3>{group === 'device' ? w.connection : w.groups[group]}</h3>
          <ul class='settings-list'>{rows.map((row) => <Result key={row.key} row={row} />)}</ul>
        </section>
      ))}
      {isProbing.value ? <p class='settings-note'>{w.held(holdS)}</p> : null}
    </>
  )
}

async function copyReport (): Promise<void> {
  if (await copyText(reportText())) toast(screenWords.value.diagnostics.reportCopied)
  else toast(words.value.ui.copyFailed, { kind: 'bad', about: 'copy' })
}

function Summary ({ problems }: { problems: readonly Row[] }) {
  const w = screenWords.value.diagnostics
  // More results may follow.
  if (report.value.value === undefined || (isProbing.value && problems.length === 0)) return null
  const errors = problems.filter(({ status }) => status === 'error').length
  const look = errors > 0 ? 'bad' : problems.length > 0 ? 'plain' : 'good'
  const mark = problems.length > 0 ? CircleAlert : Check
  return (
    <p class={`diagnostics-summary diagnostics-${look}`} role='status'>
      <Icon of={mark} size={20} />{w.summary(errors, problems.length - errors)}
    </p>
  )
}

function Problem ({ row }: { row: Row }) {
  return (
    <li class='diagnostics-problem'>
      <Badge kind={kinds[row.status]}>{screenWords.value.diagnostics.statuses[row.status]}</Badge>
      <Found row={row} />
    </li>
  )
}

/** What is well, or could not be checked: a mark in place of a word. */
function Result ({ row }: { row: Row }) {
  const w = screenWords.value.diagnostics
  return (
    <li class={`diagnostics-result diagnostics-${row.status}`}>
      <Icon of={row.status === 'ok' ? Check : CircleDashed} /><span class='visually-hidden'>{w.statuses[row.status]}</span>
      <Found row={row} />
    </li>
  )
}

function Found ({ row: { title, about, message, fix, lines, isTold } }: { row: Row }) {
  const lang = isTold ? 'en' : undefined
  return (
    <div class='diagnostics-text'>
      <p>{title}{about === null ? null : <> · <bdi>{about}</bdi></>}</p>
      <p lang={lang}><bdi>{message}</bdi></p>
      {fix === null ? null : <p class='settings-note' lang={lang}><bdi>{fix}</bdi></p>}
      {lines === null ? null : <Lines text={lines} />}
    </div>
  )
}

function Lines ({ text }: { text: string }) {
  return (
    <div class='diagnostics-lines'>
      <pre class='settings-log' dir='ltr'>{text}</pre>
      <CopyButton text={text} />
    </div>
  )
}
