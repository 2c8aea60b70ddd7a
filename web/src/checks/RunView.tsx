import { useEffect, useMemo } from 'preact/hooks'
import { api } from '../app.js'
import { visible } from '../core/files/paths.js'
import { createResource } from '../core/service/resource.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Disclosure } from '../ui/Disclosure.js'
import { FileName } from '../ui/FileName.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { isOpen, outputEveryMs, type CheckRun, type CheckRunDetail } from './checks.js'

type Problem = CheckRunDetail['problems'][number]

/** What a run has found, by file, and what it has printed. */
export function RunView ({ run, onFile }: { run: CheckRun, onFile: (path: string, line: number | null) => void }) {
  const { id, state } = run
  const resource = useMemo(() => createResource(async () => await api.get('/api/checks/run', { run_id: id })), [id])
  useEffect(() => {
    void resource.refresh()
    if (!isOpen({ state })) return
    const timer = setInterval(() => { if (document.visibilityState === 'visible') void resource.refresh() }, outputEveryMs)
    return () => clearInterval(timer)
  }, [resource, state])
  const w = screenWords.value.checks
  const detail = resource.value.value
  if (detail === undefined) {
    return resource.error.value === null
      ? <Skeleton lines={3} />
      : <ErrorState error={resource.error.value} onRetry={() => { void resource.refresh() }} />
  }
  const { problems, output, exit_code: code, ended_at: ended, sent_at: sent } = detail
  const facts = [ended === null ? null : times.short(ended), code === null ? null : w.exitCode(code), sent === null ? null : w.wasSent]
  const text = <pre class='checks-output' dir='ltr' tabIndex={0} role='region' aria-label={w.output}>{output === '' ? w.noOutput : output}</pre>
  return (
    <div class='checks-run'>
      <p class='side-muted'>{facts.filter(Boolean).join(' · ')}</p>
      {byFile(problems).map(([file, list]) => (
        <section key={file} aria-label={file}>
          <h3 class='checks-file'><FileName path={file} /><span class='side-muted'>{list.length}</span></h3>
          <ul class='checks-problems'>{list.map((problem, at) => <li key={at}><ProblemLine problem={problem} onFile={onFile} /></li>)}</ul>
        </section>
      ))}
      {problems.length === 0 ? text : <Disclosure summary={w.output}>{text}</Disclosure>}
    </div>
  )
}

function byFile (problems: readonly Problem[]): Array<[string, Problem[]]> {
  const files = new Map<string, Problem[]>()
  for (const problem of problems) {
    const file = problem.path ?? problem.file
    files.set(file, [...files.get(file) ?? [], problem])
  }
  return [...files]
}

function ProblemLine ({ problem: { path, line, column, severity, text, code }, onFile }: {
  problem: Problem, onFile: (path: string, line: number | null) => void
}) {
  const w = screenWords.value.checks
  const said = (
    <>
      <span class={`checks-severity checks-${severity}`}>{w.severities[severity]}</span>
      {line === null ? null : <span class='checks-place'>{column === null ? line : `${line}:${column}`}</span>}
      <bdi class='checks-text'>{visible(text)}{code === null ? null : <span class='side-muted'> {visible(code)}</span>}</bdi>
    </>
  )
  return path === null
    ? <span class='checks-problem'>{said}</span>
    : <button type='button' class='checks-problem checks-link' onClick={() => onFile(path, line)}>{said}</button>
}
