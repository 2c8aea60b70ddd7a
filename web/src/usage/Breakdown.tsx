import { type ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { type Wire } from '../core/service/api.js'
import { ResourceState } from '../ui/Loaded.js'
import { Tabs } from '../ui/Tabs.js'
import { screenWords, words } from '../words/index.js'
import { type Insights } from './numbers.js'
import { breakdown } from './usage.js'

type By = 'model' | 'kind' | 'project' | 'job' | 'tool' | 'prompt'

/** Shows the usage by purpose. */
export function Breakdown ({ insights }: { insights: Insights }) {
  const [by, setBy] = useState<By>('model')
  const w = screenWords.value.usage
  return (
    <section class='usage-part' aria-label={w.breakdown}>
      <Tabs
        label={w.breakdown} chosen={by} onChoose={setBy}
        tabs={(['model', 'kind', 'project', 'job', 'tool', 'prompt'] as const).map((key) => ({ key, text: w.by[key] }))}
      >
        {by === 'model'
          ? <Models insights={insights} />
          : <ResourceState of={breakdown}>{(value) => <Read by={by} value={value} />}</ResourceState>}
      </Tabs>
    </section>
  )
}

function Models ({ insights }: { insights: Insights }) {
  const w = screenWords.value.usage
  return (
    <Table
      label={w.by.model} heads={[w.by.model, w.chats, w.tokens, w.share, w.cost]}
      rows={insights.models.map(
        (one) => [
          one.model === 'unknown' ? w.unknownModel : one.model, w.count(one.sessions),
          w.short(one.total_tokens), <Share key='share' percent={one.token_share} />, w.usd(one.cost)
        ]
      )}
    />
  )
}

function Read ({ by, value }: { by: Exclude<By, 'model'>, value: Wire<'InsightsBreakdown'> }) {
  const w = screenWords.value.usage
  const { kinds, projects, jobs, tools, prompts, tools_since: since } = value
  const names: Readonly<Record<string, string>> = w.kinds
  switch (by) {
    case 'kind':
      return (
        <Table
          label={w.by.kind} heads={[w.by.kind, w.turns, w.tokens, w.cost]}
          rows={kinds.map(
            (one) => [names[one.kind] ?? one.kind, w.count(one.turns), w.short(one.total_tokens), w.usd(one.cost)]
          )}
        />
      )
    case 'project':
      return (
        <Table
          label={w.by.project} heads={[w.by.project, w.turns, w.tokens, w.cost]}
          rows={projects.map((one) => [one.name ?? w.noProject, w.count(one.turns), w.short(one.total_tokens), w.usd(one.cost)])}
        />
      )
    case 'job':
      return (
        <Table
          label={w.by.job} heads={[w.by.job, w.runs, w.failures, w.tokens, w.cost]}
          rows={jobs.map(
            (one) => [one.name ?? w.gone(one.job_id), w.count(one.runs), w.count(one.failures), w.short(one.total_tokens), w.usd(one.cost)]
          )}
        />
      )
    case 'tool': return (
      <>
        <Table
          label={w.by.tool} heads={[w.by.tool, w.calls, w.failures, w.mean, w.total]}
          rows={tools.map(
            (one) => [one.tool, w.count(one.calls), w.count(one.failures), w.seconds(one.mean_seconds), w.seconds(one.total_seconds)]
          )}
        />
        {since === null ? null : <p class='usage-note'>{w.since(new Date(`${since}T12:00:00`))}</p>}
      </>
    )
    case 'prompt': return (
      <Table
        label={w.by.prompt} heads={[w.by.prompt, w.asked, w.allowed, w.denied, w.answered, w.expired, w.cancelled, w.open]}
        rows={prompts.map(
          (one) => [
            w.promptKinds[one.kind], w.count(one.asked), one.kind === 'approval' ? w.count(one.allowed) : '–',
            one.kind === 'approval' ? w.count(one.denied) : '–', w.count(one.answered), w.count(one.expired),
            w.count(one.cancelled), w.count(one.open)
          ]
        )}
      />
    )
  }
}

/** A table whose first column names the row. */
function Table ({ label, heads, rows }: { label: string, heads: readonly string[], rows: ReadonlyArray<readonly ComponentChildren[]> }) {
  if (rows.length === 0) return <p class='usage-note'>{screenWords.value.usage.nothing}</p>
  return (
    <div class='usage-scroll' tabIndex={0} role='region' aria-label={label}>
      <table class='usage-table'>
        <thead><tr>{heads.map((head) => <th key={head} scope='col'>{head}</th>)}</tr></thead>
        <tbody>
          {rows.map(([name, ...cells], at) => (
            <tr key={at}><th scope='row'><bdi>{name}</bdi></th>{cells.map((cell, column) => <td key={column} data-head={heads[column + 1]}>{cell}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Share ({ percent }: { percent: number }) {
  return (
    <span class='usage-share'>
      <span class='usage-share-bar' aria-hidden='true'><span style={{ inlineSize: `${percent}%` }} /></span>
      <span class='usage-share-percent'>{words.value.composer.context(percent)}</span>
    </span>
  )
}
