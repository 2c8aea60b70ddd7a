import { useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'
import { Markdown } from '../markdown/Markdown.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { type Run } from './history.js'
import { histories } from './tasks.js'

/** Lists the results of a task's runs, the newest first. */
export function Runs ({ jobId }: { jobId: string }) {
  const history = histories.of(jobId)
  useEffect(() => { void history.refresh() }, [jobId])
  const value = useComputed(() => history.value.value).value
  const error = history.error.value
  const w = screenWords.value.tasks
  if (error !== null) return <ErrorState error={error} busy={history.isLoading.value} onRetry={() => { void history.refresh() }} />
  if (value === undefined) return <Skeleton />
  if (value.runs.length === 0) return <p class='task-note'>{w.noRuns}</p>
  return (
    <div class='task-runs'>
      {value.runs.map((run) => (
        <Disclosure key={run.filename} summary={<RunLine run={run} />}>{() => <Output jobId={jobId} filename={run.filename} />}</Disclosure>
      ))}
      {value.runs.length < value.total
        ? (
          <Button size='small' kind='quiet' busy={history.isLoading.value} onClick={() => { void histories.more(jobId) }}>
            {w.moreRuns(value.total - value.runs.length)}
          </Button>
          )
        : null}
    </div>
  )
}

function RunLine ({ run: { modified, usage } }: { run: Run }) {
  const w = screenWords.value.tasks
  return (
    <span class='task-run-line'>
      <time dateTime={new Date(modified * 1_000).toISOString()}>{w.at(new Date(modified * 1_000))}</time>
      {usage === null ? null : <span class='task-note'>{w.used(usage.input_tokens + usage.output_tokens, usage.estimated_cost)}</span>}
    </span>
  )
}

function Output ({ jobId, filename }: { jobId: string, filename: string }) {
  const text = useSignal<string | null>(null)
  const error = useSignal<ApiError | null>(null)
  const read = async (): Promise<void> => {
    error.value = null
    try {
      text.value = await histories.output(jobId, filename)
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      error.value = failure
    }
  }
  useEffect(() => { void read() }, [jobId, filename])
  if (error.value !== null) return <ErrorState error={error.value} onRetry={() => { void read() }} />
  return text.value === null ? <Skeleton /> : <div class='task-output'><Markdown text={text.value} headingLevel={3} /></div>
}
