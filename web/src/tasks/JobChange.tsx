import { type ComponentChildren } from 'preact'
import { saidOfExpression } from '../../../schedules/expression.js'
import { readSchedule } from '../../../schedules/reading.js'
import { type Wire } from '../core/service/api.js'
import { DiffView } from '../ui/DiffView.js'
import { InOrder } from '../ui/InOrder.js'
import { screenWords, words } from '../words/index.js'
import { times } from '../words/times.js'
import { say, sayWhen } from './say.js'
import { zonedTime } from './zoned-time.js'
import './job-change.css'

type Job = Wire<'JobFacts'>

/** Shows what a call makes of a scheduled task, in the reader's language. What it replaces is struck through. */
export function JobChange ({ change: { before, after, prompt_diff: promptDiff } }: { change: Wire<'JobChange'> }) {
  const w = screenWords.value.tasks
  const job = after ?? before
  if (job === undefined) return null
  const old = after === undefined || before === undefined ? null : before
  const row = (label: string, of: (job: Job) => string) => <Row label={label} now={of(job)} old={old === null ? null : of(old)} />
  return (
    <div class='job-change'>
      <p class='job-when'>
        <Changed now={sentenceOf(job)} old={old === null ? null : sentenceOf(old)} isStrong />
        {' '}<span>{w.inZone(job.zone)}</span>
      </p>
      <p class='job-next'><Changed now={nextOf(job)} old={old === null || (old.next_runs.length > 0 && job.next_runs.length > 0) ? null : nextOf(old)} /></p>
      <dl>
        {old === null || old.name === job.name ? null : row(w.name, ({ name }) => name)}
        {row(w.runs, ({ deliver }) => deliveryOf(deliver))}
        {row(w.model, ({ model }) => model ?? '')}
        {row(w.workspace, ({ workspace }) => workspace ?? '')}
        {row(words.value.shell.skills, ({ skills }) => skills?.join(', ') ?? '')}
        {row(w.ask, ({ ask }) => ask === 'wait' ? w.asks.wait : '')}
        <div class='job-prompt'>
          <dt>{w.prompt}</dt>
          <dd>
            {promptDiff === undefined
              ? <pre class='prompt-pre'><bdi><InOrder text={job.prompt} /></bdi></pre>
              : <DiffView diff={promptDiff} bare lines={Infinity} />}
          </dd>
        </div>
      </dl>
    </div>
  )
}

/** A field; nothing if it is empty before and after. */
function Row ({ label, now, old }: { label: string, now: string, old: string | null }) {
  return now === '' && (old ?? '') === '' ? null : <div><dt>{label}</dt><dd><Changed now={now} old={old} /></dd></div>
}

function Changed ({ now, old, isStrong = false }: { now: string, old: string | null, isStrong?: boolean }): ComponentChildren {
  const text = now === '' ? null : <bdi>{now}</bdi>
  return (
    <>
      {old === null || old === now || old === '' ? null : <><del><bdi>{old}</bdi></del> </>}
      {isStrong ? <b>{text}</b> : text}
    </>
  )
}

function sentenceOf ({ kind, schedule: display, words: described, zone, next_runs: [first] }: Job): string {
  const w = screenWords.value.tasks
  if (kind === 'once') return first === undefined ? display : w.once(times.next(Date.parse(first) / 1_000, { zone }))
  const read = readSchedule(display)
  const said = read !== null && 'said' in read ? read.said : saidOfExpression(display)
  if (said === null) return sayWhen({ schedule: { expression: display, words: described ?? null, display } })
  const text = say(said, true)
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function nextOf ({ next_runs: runs, state, zone }: Job): string {
  const w = screenWords.value.tasks
  const [first] = runs
  const zoned = runs.map((at) => zonedTime(new Date(at), zone))
  if (first !== undefined) return w.nextRuns(times.next(Date.parse(first) / 1_000, { zone }), zoned)
  const states: Readonly<Record<string, string>> = w.states
  return states[state] ?? state
}

function deliveryOf (deliver: string): string {
  const known: Readonly<Record<string, string>> = screenWords.value.tasks.deliveries
  return known[deliver] ?? deliver.replace(/^webhook:/, '')
}
