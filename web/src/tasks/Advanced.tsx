import { Disclosure } from '../ui/Disclosure.js'
import { SelectField, Switch, TextField } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { type Previewed } from './schedule-preview.js'
import { type Task, type TaskForm } from './task-form.js'

export interface AdvancedProps {
  form: TaskForm
  task: Task | null
  previewed: Previewed | null
  profiles: readonly string[]
  onChange: (change: Partial<TaskForm>) => void
}

/** Options that few tasks need: a cron expression, a number of runs, another profile, no message at the end. */
export function Advanced ({ form, task, previewed, profiles, onChange }: AdvancedProps) {
  const w = screenWords.value.tasks
  const { schedule } = previewed?.kind === 'understood' ? previewed.preview : { schedule: null }
  // An expression is shown as typed while the person is typing it.
  const expression = /^[\d*]\S*(?: |$)/.test(form.schedule) || schedule?.kind !== 'cron' ? form.schedule : schedule.expression
  const isCron = schedule?.kind === 'cron' || /^[\d*]/.test(form.schedule)
  return (
    <Disclosure summary={w.advanced} class='task-advanced'>
      <div class='task-more'>
        <TextField
          label={w.cron} optional value={isCron ? expression : ''} placeholder='0 9 * * 1-5' hint={w.cronHint} autoComplete='off'
          spellcheck={false} autocapitalize='none' onValue={(schedule) => onChange({ schedule, hour: null })}
        />
        <TextField
          label={w.repeat} optional value={form.times} onValue={(times) => onChange({ times })} inputMode='numeric' placeholder={w.forever}
        />
        {profiles.length > 1
          ? <SelectField
              label={w.profile} value={form.profile} onValue={(profile) => onChange({ profile })}
              choices={[
                ...(task === null ? [{ key: '', text: w.thisProfile }] : []),
                ...profiles.map((name) => ({ key: name, text: name }))
              ]}
            />
          : null}
        <Switch label={w.toast} checked={form.toast} onChecked={(toast) => onChange({ toast })} />
        <p class='field-hint'>{w.promptHint}</p>
      </div>
    </Disclosure>
  )
}
