import { useState } from 'preact/hooks'
import { type Question } from '../core/prompts.js'
import { Button } from '../ui/Button.js'
import { Field, SelectField, Switch, TextArea, TextField } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { type Answering } from './answering.js'
import { startOf, valuesOf, wrongWith, type FormField, type Typed } from './form-values.js'

/** The fields of a form, which are answered at once; or it is declined. */
export function FormAnswer ({ form, answering, isGuarded }: { form: NonNullable<Question['form']>, answering: Answering, isGuarded: boolean }) {
  const [typed, setTyped] = useState(() => startOf(form.fields))
  const [isTried, setTried] = useState(false)
  const w = screenWords.value.prompts
  const isBusy = answering.isBusy.value
  const send = (): void => {
    setTried(true)
    if (!isBusy && form.fields.every((field) => wrongWith(field, typed[field.name]) === null)) void answering.send({ response: valuesOf(form.fields, typed) })
  }
  return (
    <form class='prompt-answer' noValidate onSubmit={(event) => { event.preventDefault(); send() }}>
      {form.fields.map((field) => (
        <FormInput
          key={field.name} field={field} value={typed[field.name]} wrong={isTried ? wrongWith(field, typed[field.name]) : null}
          onValue={(value) => setTyped((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
      <div class='prompt-choices'>
        <Button kind='primary' type='submit' busy={isBusy} disabled={isGuarded}>{w.answer}</Button>
        <Button disabled={isGuarded || isBusy} onClick={() => { void answering.send({ decline: true }) }}>{w.declineForm}</Button>
      </div>
    </form>
  )
}

const inputTypes = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const

function FormInput ({ field, value, wrong, onValue }: { field: FormField, value: Typed | undefined, wrong: 'required' | 'unfit' | null, onValue: (value: Typed) => void }) {
  const w = screenWords.value.prompts
  const { title, description, required, type, options = [], format, min, max } = field
  const limits = type === 'boolean' || (min === undefined && max === undefined) ? '' : w.formLimits(type === 'array' ? 'choices' : type === 'string' ? 'characters' : 'number', min, max)
  const hint = [description, limits].filter((text) => text !== '').join(' ')
  const common = { label: title, optional: !required, error: wrong === null ? null : wrong === 'required' ? w.formRequired : w.formUnfit, ...(hint === '' ? {} : { hint: <bdi>{hint}</bdi> }) }
  if (type === 'array') {
    const chosen = Array.isArray(value) ? value : []
    return (
      <Field {...common}>
        {({ id, 'aria-describedby': described }) => (
          <span class='prompt-options' id={id} role='group' aria-label={title} aria-describedby={described}>
            {options.map((option) => (
              <label key={option.value}>
                <input
                  type='checkbox' checked={chosen.includes(option.value)}
                  onChange={({ currentTarget: { checked } }) => onValue(options.map((one) => one.value).filter((one) => one === option.value ? checked : chosen.includes(one)))}
                />
                <bdi>{option.title}</bdi>
              </label>
            ))}
          </span>
        )}
      </Field>
    )
  }
  if (type === 'boolean' && typeof value === 'boolean') return <Switch {...common} checked={value} onChecked={onValue} />
  const text = typeof value === 'string' ? value : ''
  if (type === 'boolean') return <SelectField {...common} value={text} choices={[{ key: '', text: '–' }, { key: 'yes', text: w.formYes }, { key: 'no', text: w.formNo }]} onValue={onValue} />
  if (options.length > 0) {
    // A key of its own for nothing: an option may be the empty text.
    return <SelectField {...common} value={text} choices={[{ key: '', text: '–' }, ...options.map((option, at) => ({ key: String(at), text: option.title }))]} onValue={onValue} />
  }
  if (type !== 'string') return <TextField {...common} type='number' inputMode='decimal' step={type === 'integer' ? 1 : 'any'} min={min} max={max} value={text} onValue={onValue} />
  if (format !== undefined) return <TextField {...common} type={inputTypes[format]} step={format === 'date-time' ? 1 : undefined} dir='auto' value={text} onValue={onValue} />
  return <TextArea {...common} rows={1} mostRows={8} dir='auto' value={text} onValue={onValue} />
}
