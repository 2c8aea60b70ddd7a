import { useId } from 'preact/hooks'
import { Icon } from './Icon.js'
import { type LucideIcon } from './lucide.js'
import './tabs.css'

export interface SegmentedProps<Key extends string> {
  label: string
  choices: ReadonlyArray<{ key: Key, text: string, icon?: LucideIcon, disabled?: boolean }>
  chosen: Key
  onChoose: (key: Key) => void
  class?: string
}

/** Selects one of a few choices, all of which are visible. */
export function Segmented<Key extends string> ({ label, choices, chosen, onChoose, class: className }: SegmentedProps<Key>) {
  const name = useId()
  return (
    <div role='radiogroup' aria-label={label} class={['segmented', className].filter(Boolean).join(' ')}>
      {choices.map(({ key, text, icon, disabled }) => (
        <label key={key} class='segmented-choice'>
          <input type='radio' name={name} checked={key === chosen} disabled={disabled} onChange={() => onChoose(key)} />
          {icon !== undefined && <Icon of={icon} size={14} />}{text}
        </label>
      ))}
    </div>
  )
}
