import { type RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type Question } from '../core/conversation/prompts.js'
import { Button } from '../ui/Button.js'
import { Field, SelectField, Switch, TextArea, TextField } from '../ui/Field.js'
import { screenWords } from '../words/index.js'
import { type Answering } from './answering.js'
import { startOf, valuesOf, wrongWith, type FormField, type Typed } from './form-values.js'

export interface FormAnswerProps {
  form: NonNullable<Question['form']>
  answering: Answering
  isGuarded: boolean
  box: RefObject<HTMLElement>
}

/** The fields of a form, answered together, or declined. */
export function FormAnswer ({ form, answering, isGuarded, box }: FormAnswerProps) {
  const [typed, setTyped] = useState(() => startOf(form.fields))
  const [tries, setTries] = useState(0)
  const element = useRef<HTMLFormElement | null>(null)
  const w = screenWords.value.prompts
  const isBusy = answering.isBusy.value
  const inputOf = (at: number): HTMLInputElement | null | undefined => {
    const field = element.current?.querySelectorAll('.field')[at]
    return field?.querySelector<HTMLInputElement>('input, select, textarea')
  }
  // An input's value is empty if the browser cannot parse it, such as half a number.
  const wrongAt = (at: number): 'required' | 'unfit' | null => {
    const field = form.fields[at]
    if (field === undefined) return null
    return inputOf(at)?.validity.valid === false ? 'unfit' : wrongWith(field, typed[field.name])
  }
  const firstWrong = (): number => form.fields.findIndex((_, at) => wrongAt(at) !== null)
  useLayoutEffect(() => { box.current = inputOf(0) ?? null }, [])
  // The first wrong field may be out of view.
  useLayoutEffect(() => { if (tries > 0) showField(inputOf(firstWrong())) }, [tries])
  const send = (): void => {
    if (isBusy) return
    if (firstWrong() >= 0) setTries((before) => before + 1)
    else void answering.send({ response: valuesOf(form.fields, typed) })
  }
  return (
    <form class='prompt-answer' noValidate ref={element} onSubmit={(event) => { event.preventDefault(); send() }}>
      <div class='prompt-fields'>
        {form.fields.map((field, at) => (
          <FormInput
            key={field.name} field={field} value={typed[field.name]} wrong={tries > 0 ? wrongAt(at) : null}
            onValue={(value) => setTyped((before) => ({ ...before, [field.name]: value }))}
          />
        ))}
      </div>
      <div class='prompt-choices'>
        <Button kind='primary' type='submit' busy={isBusy} disabled={isGuarded}>{w.answer}</Button>
        <Button disabled={isGuarded || isBusy} onClick={() => { void answering.send({ decline: true }) }}>{w.declineForm}</Button>
      </div>
    </form>
  )
}

function showField (input: HTMLElement | null | undefined): void {
  input?.focus({ preventScroll: true })
  input?.closest('.field')?.scrollIntoView({ block: 'nearest' })
}

const inputTypes = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const

function FormInput ({ field, value, wrong, onValue }: {
  field: FormField
  value: Typed | undefined
  wrong: 'required' | 'unfit' | null
  onValue: (value: Typed) => void
}) {
  const w = screenWords.value.prompts
  const { title, description, required, type, options = [], format, min, max } = field
  const limits = type === 'boolean' || (min === undefined && max === undefined)
    ? ''
    : w.formLimits(type === 'array' ? 'choices' : type === 'string' ? 'characters' : 'number', min, max)
  const common = {
    label: title, optional: !required,
    error: wrong === null ? null : wrong === 'required' ? w.formRequired : w.formUnfit,
    ...(description + limits === ''
      ? {}
      : { hint: <><bdi>{description}</bdi>{description === '' || limits === '' ? '' : ' – '}{limits}</> })
  }
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
                  onChange={({ currentTarget: { checked } }) => onValue(
                    options.map((one) => one.value).filter((one) => one === option.value ? checked : chosen.includes(one))
                  )}
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
  if (type === 'boolean') {
    return (
      <SelectField
        {...common} value={text}
        choices={[{ key: '', text: '–' }, { key: 'yes', text: w.formYes }, { key: 'no', text: w.formNo }]}
        onValue={onValue}
      />
    )
  }
  if (options.length > 0) {
    // Choices use their index as key, because an option may be the empty text.
    return (
      <SelectField
        {...common} value={text}
        choices={[{ key: '', text: '–' }, ...options.map((option, at) => ({ key: String(at), text: option.title }))]}
        onValue={onValue}
      />
    )
  }
  if (type !== 'string') {
    return (
      <TextField
        {...common} type='number' inputMode='decimal' step={type === 'integer' ? 1 : 'any'} min={min} max={max}
        value={text} onValue={onValue}
      />
    )
  }
  if (format !== undefined) {
    return (
      <TextField
        {...common} type={inputTypes[format]} step={format === 'date-time' ? 1 : undefined} dir='auto' value={text}
        onValue={onValue}
      />
    )
  }
  return <TextArea {...common} rows={1} mostRows={8} dir='auto' value={text} onValue={onValue} />
}
