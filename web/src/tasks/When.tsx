import { useSignal } from '@preact/signals'
import { nearestSchedule } from '../../../schedules/nearest.js'
import { readSchedule } from '../../../schedules/reading.js'
import { timeOf } from '../../../schedules/said.js'
import { Button } from '../ui/Button.js'
import { TextField } from '../ui/Field.js'
import { Icon } from '../ui/Icon.js'
import { Check } from '../ui/icons.js'
import { Segmented } from '../ui/Segmented.js'
import { Skeleton } from '../ui/Skeleton.js'
import { screenWords } from '../words/index.js'
import { times } from '../words/times.js'
import { say, sayRefused, sayWhen, typedAs } from './say.js'
import { type Previewed } from './schedule-preview.js'
import { type TaskForm } from './task-form.js'
import { fortnight, zonedTime } from './zoned-time.js'

const shownRuns = 3
const moreRuns = 8

export interface WhenProps {
  form: TaskForm
  /** The expression of the saved task; null if the task is new. */
  saved: string | null
  previewed: Previewed | null
  onChange: (change: Partial<TaskForm>) => void
}

/** Accepts a schedule in plain words, and shows how the service understands it. */
export function When ({ form: { schedule, hour }, saved, previewed, onChange }: WhenProps) {
  const w = screenWords.value.tasks
  return (
    <div class='task-when'>
      <TextField
        label={w.schedule} value={schedule === saved ? typedAs(schedule) : schedule} placeholder={w.scheduleExamples[0]}
        autoComplete='off' spellcheck={false} autocapitalize='none' maxLength={200}
        onValue={(schedule) => onChange({ schedule, hour: null })}
      />
      <div role='status'>
        {previewed === null
          ? schedule !== '' && schedule === saved
            ? <div class='task-card task-card-coming'><Skeleton lines={4} /></div>
            : <Examples onPick={(schedule) => onChange({ schedule, hour: null })} />
          : previewed.kind === 'refused'
            ? <Refused schedule={schedule} refused={previewed} onPick={(schedule) => onChange({ schedule, hour: null })} />
            : <Understood schedule={schedule} hour={hour} preview={previewed.preview} onHour={(hour) => onChange({ hour })} />}
      </div>
    </div>
  )
}

function Examples ({ onPick }: { onPick: (schedule: string) => void }) {
  const w = screenWords.value.tasks
  return (
    <div class='task-chips' role='group' aria-label={w.examples}>
      {w.scheduleExamples.map((example) => <Button key={example} size='small' onClick={() => onPick(example)}>{example}</Button>)}
    </div>
  )
}

/** Shows why a text is not a schedule, and the nearest valid one. */
function Refused ({ schedule, refused, onPick }: {
  schedule: string
  refused: Previewed & { kind: 'refused' }
  onPick: (schedule: string) => void
}) {
  const w = screenWords.value.tasks
  const near = refused.code === 'schedule_unclear' ? nearestSchedule(schedule) : null
  if (near === null) return <p class='task-note'>{sayRefused(refused)}</p>
  const text = say(near)
  return <p class='task-near'>{w.meant} <Button onClick={() => onPick(text)}>{text}</Button></p>
}

function Understood ({ schedule, hour, preview, onHour }: {
  schedule: string
  hour: number | null
  preview: (Previewed & { kind: 'understood' })['preview']
  onHour: (hour: number | null) => void
}) {
  const isLong = useSignal(false)
  const w = screenWords.value.tasks
  const { timezone: zone, kind } = preview.schedule
  const read = readSchedule(schedule)
  const guessed = read !== null && 'said' in read && read.isGuessed ? timeOf(read.said)?.hour ?? null : null
  const runs = preview.next_runs.map((at) => zonedTime(new Date(at), zone))
  const [first] = preview.next_runs
  if (first === undefined) return <p class='task-note'>{w.scheduleRefused.schedule_never}</p>
  const next = times.next(Date.parse(first) / 1_000, { zone })
  return (
    <div class='task-card'>
      <div class='task-understood'>
        <Icon of={Check} class='task-good' />
        <p class='task-sentence'><b>{kind === 'once' ? w.once(next) : sayWhen(preview, true)}</b> <span>{w.inZone(zone)}</span></p>
        {guessed === null
          ? null
          : <Segmented
              label={w.hour} chosen={String(hour ?? guessed)}
              choices={[guessed - 1, guessed, guessed + 1].map((one) => ({ key: String((one + 24) % 24), text: `${(one + 24) % 24}:00` }))}
              onChoose={(key) => onHour(Number(key) === guessed ? null : Number(key))}
            />}
      </div>
      <Fortnight days={preview.days} zone={zone} />
      <p class='task-next'>
        {w.nextRuns(next, runs.slice(0, isLong.value ? moreRuns : shownRuns))}
        {runs.length > shownRuns
          ? <Button kind='quiet' size='small' onClick={() => { isLong.value = !isLong.value }}>{isLong.value ? w.fewer : w.fiveMore}</Button>
          : null}
      </p>
    </div>
  )
}

/** Shows two weeks, with the days on which the task runs. */
function Fortnight ({ days, zone }: { days: readonly string[], zone: string }) {
  const w = screenWords.value.tasks
  const runs = new Set(days)
  return (
    <div class='task-days' role='img' aria-label={w.daysLabel(days)}>
      {fortnight(zone).map((date, at) => (
        <span key={date} class='task-day' data-today={at === 0 || undefined} data-runs={runs.has(date) ? date === days[0] ? 'next' : 'later' : undefined}>
          {w.weekday(date)}<b>{Number(date.slice(-2))}</b>
        </span>
      ))}
    </div>
  )
}
