import { useEffect, useState } from 'preact/hooks'
import { api } from '../app.js'
import { visible } from '../core/files/paths.js'
import { Button } from '../ui/Button.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Disclosure } from '../ui/Disclosure.js'
import { FileName } from '../ui/FileName.js'
import { Skeleton } from '../ui/Skeleton.js'
import { useReading } from '../ui/use-reading.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { isOpen, outputEveryMs, type CheckRun, type CheckRunDetail } from './checks.js'

type Problem = CheckRunDetail['problems'][number]

/** A problem with its index in the run. */
type Numbered = readonly [at: number, problem: Problem]

interface RunViewProps {
  run: CheckRun
  onFile: (path: string, line: number | null) => void
  /** Sends some of the problems to the agent; resolves with whether the agent has them. Without it, none can be picked. */
  onSend?: (problems: readonly number[]) => Promise<boolean>
}

/** Shows the problems that a run found, by file, and its output. Problems can be picked and sent. */
export function RunView ({ run, onFile, onSend }: RunViewProps) {
  const { id, state, sent_at: sent } = run
  const [picked, setPicked] = useState<ReadonlySet<number>>(new Set())
  const [isSending, setSending] = useState(false)
  const resource = useReading(async () => await api.get('/api/checks/run', { run_id: id }), [id], [state])
  useEffect(() => {
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
  const { problems, output, exit_code: code, ended_at: ended } = detail
  const facts = [ended === null ? null : times.short(ended), code === null ? null : w.exitCode(code), sent === null ? null : w.wasSent]
  const text = <pre class='checks-output' dir='ltr' tabIndex={0} role='region' aria-label={w.output}>{output === '' ? w.noOutput : output}</pre>
  const pick = (at: number, isPicked: boolean): void => {
    const next = new Set(picked)
    next[isPicked ? 'add' : 'delete'](at)
    setPicked(next)
  }
  const sendPicked = async (): Promise<void> => {
    if (onSend === undefined || isSending) return
    setSending(true)
    if (await onSend([...picked])) setPicked(new Set())
    setSending(false)
  }
  return (
    <div class='checks-run'>
      <p class='side-muted'>{facts.filter(Boolean).join(' · ')}</p>
      {byFile(problems).map(([file, list]) => (
        <section key={file} aria-label={file}>
          <h3 class='checks-file'><FileName path={file} /><span class='side-muted'>{list.length}</span></h3>
          <ul class='checks-problems'>
            {list.map(([at, problem]) => (
              <li key={at}>
                {onSend === undefined
                  ? null
                  : (
                    <label class='checks-pick'>
                      <input
                        type='checkbox' aria-label={w.pick(visible(problem.text))} checked={picked.has(at)}
                        onChange={({ currentTarget }) => pick(at, currentTarget.checked)}
                      />
                    </label>)}
                <ProblemLine problem={problem} onFile={onFile} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {picked.size === 0
        ? null
        : (
          <div class='checks-picked'>
            <Button size='small' kind='primary' busy={isSending} onClick={() => { void sendPicked() }}>{w.sendPicked(picked.size)}</Button>
          </div>)}
      {problems.length === 0 ? text : <Disclosure summary={w.output}>{text}</Disclosure>}
    </div>
  )
}

function byFile (problems: readonly Problem[]): Array<[string, Numbered[]]> {
  const files = new Map<string, Numbered[]>()
  for (const [at, problem] of problems.entries()) {
    const file = problem.path ?? problem.file
    const list = files.get(file)
    if (list === undefined) files.set(file, [[at, problem]])
    else list.push([at, problem])
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
