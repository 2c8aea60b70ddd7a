import { type ComponentChildren } from 'preact'
import { useEffect, useId } from 'preact/hooks'
import { Dot } from './Badge.js'
import './tabs.css'

interface Tab<Key extends string> {
  key: Key
  text: string
  /** A number after the text, such as the number of changes; hidden if 0. */
  count?: number
  /** Marks the tab as waiting for the person. */
  waits?: boolean
}

export interface TabsProps<Key extends string> {
  label: string
  tabs: ReadonlyArray<Tab<Key>>
  chosen: Key
  onChoose: (key: Key) => void
  /** Content after the tabs, such as a close button. */
  after?: ComponentChildren
  /** The content of the chosen tab. */
  children?: ComponentChildren
  class?: string
}

/** Several views in one place. The arrow keys choose a tab, and Tab moves on into the view. */
export function Tabs<Key extends string> ({ label, tabs, chosen, onChoose, after, children, class: className }: TabsProps<Key>) {
  const id = useId()
  useEffect(() => document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' }), [chosen])
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ key }) => key === chosen)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    const tab = to === undefined ? undefined : tabs.at(to % tabs.length)
    if (tab === undefined) return
    const { key } = tab
    event.preventDefault()
    onChoose(key)
    document.getElementById(`${id}-${key}`)?.focus()
  }
  return (
    <div class={['tabs', className].filter(Boolean).join(' ')}>
      <div class='tabs-bar'>
        <div role='tablist' aria-label={label} class='tabs-list' onKeyDown={onKeyDown}>
          {tabs.map(({ key, text, count = 0, waits = false }) => (
            <button
              key={key} id={`${id}-${key}`} type='button' role='tab' class='tabs-tab'
              aria-selected={key === chosen} aria-controls={`${id}-view`}
              tabIndex={key === chosen ? 0 : -1} onClick={() => onChoose(key)}
            >
              {text}{count > 0 && <span class='tabs-count'>{count}</span>}{waits && <Dot kind='wait' />}
            </button>
          ))}
        </div>
        {after}
      </div>
      <div role='tabpanel' id={`${id}-view`} aria-labelledby={`${id}-${chosen}`} tabIndex={0} class='tabs-view'>{children}</div>
    </div>
  )
}
