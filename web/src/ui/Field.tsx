import { type ComponentChildren, type InputHTMLAttributes, type Ref, type SelectHTMLAttributes, type TextareaHTMLAttributes } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { words } from '../words/index.js'
import { Icon } from './Icon.js'
import { growWithText } from './grow-with-text.js'
import { ChevronDown, Search } from './icons.js'
import './field.css'

interface Framed {
  label: ComponentChildren
  /** Whether the label is for screen readers only, because the context shows it. */
  bare?: boolean
  /** An explanation below the field. */
  hint?: ComponentChildren
  /** What is wrong, in a sentence. */
  error?: string | null
  /** Marks the field as optional, beside the label. */
  optional?: boolean
  class?: string
}

type Own<Attributes, Keys extends string = never> =
  Omit<Attributes, 'label' | 'value' | 'onChange' | 'onInput' | 'class' | 'size' | 'ref' | Keys>

/** Returns the descriptions of a field, to be drawn below it, and their ids. */
function described (id: string, { hint, error }: Pick<Framed, 'hint' | 'error'>) {
  const isWrong = error !== undefined && error !== null && error !== ''
  return {
    isWrong,
    ids: [hint !== undefined && `${id}-hint`, isWrong && `${id}-error`].filter(Boolean).join(' ') || undefined,
    texts: (
      <>
        {isWrong && <p id={`${id}-error`} class='field-error' role='alert'>{error}</p>}
        {hint !== undefined && <p id={`${id}-hint`} class='field-hint'>{hint}</p>}
      </>
    )
  }
}

/** The frame of any field: `children` draws the field, with its id and the ids of its descriptions. */
export function Field ({ label, bare = false, hint, error, optional = false, class: className, children }: Framed & {
  children: (field: { id: string, 'aria-describedby': string | undefined, 'aria-invalid': true | undefined }) => ComponentChildren
}) {
  const id = useId()
  const { isWrong, ids, texts } = described(id, { hint, error })
  return (
    <div class={['field', className].filter(Boolean).join(' ')}>
      <label for={id} class={bare ? 'visually-hidden' : 'field-label'}>
        {label}
        {optional && <span class='field-optional'> ({words.value.ui.optional})</span>}
      </label>
      {children({ id, 'aria-describedby': ids, 'aria-invalid': isWrong || undefined })}
      {texts}
    </div>
  )
}

export interface TextFieldProps extends Framed, Own<InputHTMLAttributes<HTMLInputElement>> {
  value: string
  onValue: (value: string) => void
  inputRef?: Ref<HTMLInputElement>
  /** Content after the text, such as a button that shows a password. */
  after?: ComponentChildren
}

/** A line of text; `type` makes it a field for a password, a number, a search. */
export function TextField ({
  label, bare, hint, error, optional, class: className, value, onValue, inputRef, after, ...rest
}: TextFieldProps) {
  return (
    <Field {...{ label, bare, hint, error, optional, class: className }}>
      {(field) => (
        <span class='field-box'>
          {rest.type === 'search' && <Icon of={Search} class='field-search' />}
          <input
            type='text' {...rest} {...field} ref={inputRef} class='field-input' value={value}
            onInput={({ currentTarget }) => onValue(currentTarget.value)}
          />
          {after}
        </span>
      )}
    </Field>
  )
}

export interface TextAreaProps extends Framed, Own<TextareaHTMLAttributes<HTMLTextAreaElement>, 'rows'> {
  value: string
  onValue: (value: string) => void
  areaRef?: Ref<HTMLTextAreaElement>
  /** Its lowest height in lines, and the height from which it scrolls. */
  rows?: number
  mostRows?: number
}

/** A text area as high as its text. */
export function TextArea ({
  label, bare, hint, error, optional, class: className, value, onValue, areaRef, rows = 3, mostRows = 16, ...rest
}: TextAreaProps) {
  const area = useRef<HTMLTextAreaElement | null>(null)
  useLayoutEffect(() => { if (area.current !== null) growWithText(area.current, rows, mostRows) }, [value, rows, mostRows])
  const keep = (element: HTMLTextAreaElement | null) => {
    area.current = element
    if (typeof areaRef === 'function') areaRef(element)
    else if (areaRef !== undefined && areaRef !== null) areaRef.current = element
  }
  return (
    <Field {...{ label, bare, hint, error, optional, class: className }}>
      {(field) => (
        <span class='field-box'>
          <textarea
            {...rest} {...field} ref={keep} rows={rows} class='field-input field-area' value={value}
            onInput={({ currentTarget }) => onValue(currentTarget.value)}
          />
        </span>
      )}
    </Field>
  )
}

export interface SelectFieldProps<Key extends string> extends Framed, Own<SelectHTMLAttributes<HTMLSelectElement>> {
  value: Key
  onValue: (value: Key) => void
  /** Choices with the same `group` are listed under it. */
  choices: ReadonlyArray<{ key: Key, text: string, group?: string, disabled?: boolean }>
}

/** Selects one of several choices with the browser's own list. */
export function SelectField<Key extends string> ({
  label, bare, hint, error, optional, class: className, value, onValue, choices, ...rest
}: SelectFieldProps<Key>) {
  const groups = new Map<string | undefined, typeof choices[number][]>()
  for (const choice of choices) groups.set(choice.group, [...groups.get(choice.group) ?? [], choice])
  return (
    <Field {...{ label, bare, hint, error, optional, class: className }}>
      {(field) => (
        <span class='field-box'>
          <select
            {...rest} {...field} class='field-input field-select' value={value}
            // As with a switch, the current value is shown until the owner accepts the new one.
            onChange={({ currentTarget }) => {
              const wanted = choices.find(({ key }) => key === currentTarget.value)
              currentTarget.value = value
              if (wanted !== undefined) onValue(wanted.key)
            }}
          >
            {[...groups].map(([group, of]) => {
              const options = of.map(({ key, text, disabled }) => <option key={key} value={key} disabled={disabled}>{text}</option>)
              return group === undefined ? options : <optgroup key={group} label={group}>{options}</optgroup>
            })}
          </select>
          <Icon of={ChevronDown} size={14} class='field-arrow' />
        </span>
      )}
    </Field>
  )
}

export interface SwitchProps {
  label: ComponentChildren
  hint?: ComponentChildren
  error?: string | null
  checked: boolean
  onChecked: (checked: boolean) => void
  disabled?: boolean
  class?: string
}

/** A switch that takes effect at once. */
export function Switch ({ label, hint, error, checked, onChecked, disabled, class: className }: SwitchProps) {
  const id = useId()
  const { ids, texts } = described(id, { hint, error })
  return (
    <div class={['field', 'field-switch', className].filter(Boolean).join(' ')}>
      <label class='switch'>
        <span class='field-label'>{label}</span>
        <input
          type='checkbox' role='switch' checked={checked} disabled={disabled} aria-describedby={ids}
          // Shows the owner's value, even if the owner does not accept the new one.
          onChange={({ currentTarget }) => { const wanted = currentTarget.checked; currentTarget.checked = checked; onChecked(wanted) }}
        />
      </label>
      {texts}
    </div>
  )
}
