import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ApiError } from '../core/service/api.js'
import { Markdown } from '../markdown/Markdown.js'
import { Button } from '../ui/Button.js'
import { Disclosure } from '../ui/Disclosure.js'
import { ErrorState } from '../ui/ErrorState.js'
import { Icon } from '../ui/Icon.js'
import { Check, X } from '../ui/icons.js'
import { ResourceState } from '../ui/Loaded.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { type Report, type Run } from './history.js'
import { histories } from './tasks.js'

/** The results of a task, the newest first: one line each, which expands. */
export function Results ({ jobId }: { jobId: string }) {
  const history = histories.of(jobId)
  useEffect(() => { void history.refresh() }, [jobId])
  const w = screenWords.value.tasks
  return (
    <section class='task-results' aria-label={w.runs}>
      <h2 class='task-question'>{w.runs}</h2>
      <ResourceState of={history}>
        {({ runs, total }) => (
          <>
            {runs.length === 0 ? <p class='task-note'>{w.noRuns}</p> : null}
            {runs.map((run) => (
              <Disclosure key={run.filename} class='task-result' summary={<RunLine run={run} />}>
                {() => <Output jobId={jobId} filename={run.filename} />}
              </Disclosure>
            ))}
            {runs.length < total
              ? (
                <Button kind='quiet' busy={history.isLoading.value} onClick={() => { void histories.more(jobId) }}>
                  {w.moreRuns(total - runs.length)}
                </Button>
                )
              : null}
          </>
        )}
      </ResourceState>
    </section>
  )
}

function RunLine ({ run: { modified, usage, status, line } }: { run: Run }) {
  const w = screenWords.value.tasks
  return (
    <>
      {status === null
        ? null
        : status === 'ok'
          ? <Icon of={Check} class='task-good' label={w.went} />
          : <Icon of={X} class='task-bad' label={w.states.failed} />}
      <span class='task-result-line'><bdi>{line}</bdi></span>
      <span class='task-result-side'>
        <time dateTime={new Date(modified * 1_000).toISOString()}>{times.at(modified)}</time>
        {usage === null ? null : <span>{w.used(usage.input_tokens + usage.output_tokens, usage.estimated_cost)}</span>}
      </span>
    </>
  )
}

function Output ({ jobId, filename }: { jobId: string, filename: string }) {
  const report = useSignal<Report | null>(null)
  const error = useSignal<ApiError | null>(null)
  const read = async (): Promise<void> => {
    error.value = null
    try {
      report.value = await histories.output(jobId, filename)
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure
      error.value = failure
    }
  }
  useEffect(() => { void read() }, [jobId, filename])
  if (error.value !== null) return <ErrorState error={error.value} onRetry={() => { void read() }} />
  if (report.value === null) return <Skeleton />
  const { answer, error: wrong } = report.value
  return (
    <div class='task-output'>
      {wrong === '' ? null : <p class='task-wrong'><bdi>{wrong}</bdi></p>}
      <Markdown text={answer} headingLevel={3} />
    </div>
  )
}
