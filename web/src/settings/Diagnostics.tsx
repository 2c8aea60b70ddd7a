import { useEffect } from 'preact/hooks'
import { Badge, type MarkKind } from '../ui/Badge.js'
import { Button } from '../ui/Button.js'
import { CopyButton } from '../ui/CopyButton.js'
import { ErrorState } from '../ui/ErrorState.js'
import { copyText } from '../ui/copy-text.js'
import { Copy } from '../ui/icons.js'
import { Skeleton } from '../ui/Skeleton.js'
import { toast } from '../ui/toasts.js'
import { screenWords, words } from '../words/index.js'
import { check, connection, connectionRows, groups, holdS, isProbing, leave, report, reportText, type Row, type Status } from './diagnostics.js'
import './diagnostics.css'

const kinds: Record<Status, MarkKind> = { ok: 'good', warning: 'neutral', error: 'bad', skipped: 'neutral' }

/** Shows problems of the service, its machine and the connection to it, and how to fix them. */
export function Diagnostics () {
  useEffect(() => {
    void check({ thorough: false })
    return leave
  }, [])
  const w = screenWords.value.diagnostics
  const isBusy = report.isLoading.value
  const error = report.error.value
  return (
    <>
      <p class='settings-note'>{w.note}</p>
      <div class='settings-actions'>
        <Button kind='primary' busy={isBusy} onClick={() => { void check({ thorough: false }) }}>{isBusy ? w.checking : w.again}</Button>
        <Button disabled={isBusy} aria-describedby='diagnostics-thorough' onClick={() => { void check({ thorough: true }) }}>{w.thorough}</Button>
        {report.value.value === undefined ? null : <Button icon={Copy} onClick={() => { void copyReport() }}>{w.copyReport}</Button>}
      </div>
      <p class='settings-note' id='diagnostics-thorough'>{w.thoroughNote}</p>
      {error === null ? null : <ErrorState error={error} busy={isBusy} onRetry={() => { void check({ thorough: false }) }} />}
      {report.value.value === undefined && error === null ? <Skeleton lines={12} /> : null}
      <Summary />
      {groups.value.map(([group, rows]) => <Group key={group} name={w.groups[group]} rows={rows} />)}
      <Connection />
    </>
  )
}

async function copyReport (): Promise<void> {
  if (await copyText(reportText())) toast(screenWords.value.diagnostics.reportCopied)
  else toast(words.value.ui.copyFailed, { kind: 'bad', about: 'copy' })
}

function Summary () {
  const w = screenWords.value.diagnostics
  if (report.value.value === undefined) return null
  const all = [...report.value.value.checks, ...connection.value ?? []]
  const count = (wanted: Status): number => all.filter(({ status }) => status === wanted).length
  const [errors, warnings] = [count('error'), count('warning')]
  // More results may follow.
  if (isProbing.value && errors + warnings === 0) return null
  return <p class='diagnostics-summary' role='status'>{w.summary(errors, warnings)}</p>
}

function Connection () {
  const w = screenWords.value.diagnostics
  return (
    <>
      <Group name={w.connection} rows={connectionRows()} />
      {isProbing.value ? <p class='settings-note'>{w.held(holdS)}</p> : null}
    </>
  )
}

function Group ({ name, rows }: { name: string, rows: readonly Row[] }) {
  return (
    <>
      <h3>{name}</h3>
      <ul class='settings-list'>{rows.map((row) => <CheckRow key={row.key} row={row} />)}</ul>
    </>
  )
}

function CheckRow ({ row: { title, about, status, message, fix, lines } }: { row: Row }) {
  const w = screenWords.value.diagnostics
  return (
    <li class='diagnostics-row'>
      <Badge kind={kinds[status]}>{w.statuses[status]}</Badge>
      <div class='settings-row-text'>
        <p>{title}{about === null ? null : <> · <bdi>{about}</bdi></>}</p>
        <p><bdi>{message}</bdi></p>
        {fix === null ? null : <p class='settings-note'><bdi>{fix}</bdi></p>}
        {lines === null ? null : <Lines text={lines} />}
      </div>
    </li>
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
