import { useSignal } from '@preact/signals'
import { Button } from '../ui/Button.js'
import { TextField } from '../ui/Field.js'
import { Plus, X } from '../ui/icons.js'
import { screenWords } from '../words/index.js'
import { type HookForm } from './hook-form.js'
import { senders } from './senders.js'

/** Selects the calls that start a run: events by name, and values that a call must have. */
export function CallConditions ({ form, onChange }: { form: HookForm, onChange: (change: Partial<HookForm>) => void }) {
  const typed = useSignal('')
  const w = screenWords.value.hooks
  const offered = [...new Set([...senders[form.sender].events, ...form.events])]
  const toggle = (event: string): void => onChange({
    events: form.events.includes(event) ? form.events.filter((one) => one !== event) : [...form.events, event]
  })
  const add = (): void => {
    const event = typed.value.trim()
    if (event !== '' && !form.events.includes(event)) onChange({ events: [...form.events, event] })
    typed.value = ''
  }
  return (
    <>
      <div class='field' role='group' aria-label={w.when}>
        <span class='task-question'>{w.when}</span>
        <div class='hook-events'>
          {offered.map((event) => (
            <button
              key={event} type='button' class='hook-event' aria-pressed={form.events.includes(event)} onClick={() => toggle(event)}
            >
              <bdi>{event}</bdi>
            </button>
          ))}
          <TextField
            bare class='hook-other' label={w.otherEvent} placeholder={w.otherEvent} value={typed.value} maxLength={100} autocapitalize='none'
            spellcheck={false} onValue={(text) => { typed.value = text }} onBlur={add}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.isComposing) return
              event.preventDefault()
              add()
            }}
          />
        </div>
        <p class='field-hint'>{form.events.length === 0 ? w.everyEvent : w.onlyEvents}</p>
      </div>
      <div class='field' role='group' aria-label={w.match}>
        <span class='task-question'>{w.match}</span>
        {form.match.map((one, index) => {
          const set = (values: Partial<typeof one>): void =>
            onChange({ match: form.match.map((other, at) => at === index ? { ...other, ...values } : other) })
          return (
            <div key={index} class='hook-match'>
              <TextField
                bare label={w.path} placeholder='issue.labels.name' value={one.path} maxLength={200} autocapitalize='none' spellcheck={false}
                onValue={(path) => set({ path })}
              />
              <span aria-hidden='true'>=</span>
              <TextField bare label={w.value} placeholder='bug' value={one.value} maxLength={1_000} onValue={(value) => set({ value })} />
              <Button
                kind='quiet' icon={X} label={w.removeMatch(one.path)}
                onClick={() => onChange({ match: form.match.filter((_, at) => at !== index) })}
              />
            </div>
          )
        })}
        <div>
          <Button size='small' icon={Plus} onClick={() => onChange({ match: [...form.match, { path: '', value: '' }] })}>{w.addMatch}</Button>
        </div>
        {form.match.length === 0 ? null : <p class='field-hint'>{w.matchHint}</p>}
      </div>
    </>
  )
}
