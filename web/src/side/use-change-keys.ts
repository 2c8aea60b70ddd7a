import { type RefObject } from 'preact'
import { useEffect } from 'preact/hooks'
import { type SideModel } from './side-model.js'

/** `]` and `[` open the next and the previous file of the list, from anywhere but where text is written; Space selects the focused one. */
export function useChangeKeys (list: RefObject<HTMLElement>, model: SideModel): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event.target)) return
      const { activeElement } = document
      if (event.key === ' ' && activeElement instanceof HTMLElement && activeElement.matches('.change-open')) {
        const input = activeElement.closest('.change')?.querySelector<HTMLInputElement>('.change-pick input')
        if (input == null) return
        event.preventDefault()
        input.click()
      } else if (event.key === ']' || event.key === '[') {
        event.preventDefault()
        go(event.key === ']' ? 1 : -1)
      }
    }
    /** Opens a neighbour, and closes what was opened on the way here. */
    const go = (step: 1 | -1): void => {
      const rows = [...list.current?.querySelectorAll<HTMLElement>('[data-change]') ?? []]
      const at = rows.findIndex((row) => row.contains(document.activeElement))
      const next = rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step]
      if (next === undefined) return
      const before = rows[at]?.dataset.change
      if (before !== undefined) model.unfold(before, false)
      model.unfold(next.dataset.change ?? '', true)
      next.querySelector<HTMLElement>('.change-open')?.focus()
      next.scrollIntoView({ block: 'nearest' })
    }
    // Some browsers click a focused button when Space goes up.
    const onKeyUp = (event: KeyboardEvent): void => {
      if (event.key === ' ' && event.target instanceof HTMLElement && event.target.matches('.change-open[aria-keyshortcuts]')) {
        event.preventDefault()
      }
    }
    document.addEventListener('keydown', onKeyDown)
    document.addEventListener('keyup', onKeyUp)
    return () => {
      document.removeEventListener('keydown', onKeyDown)
      document.removeEventListener('keyup', onKeyUp)
    }
  }, [model])

  /** Whether the key means something else there: in a text, in a menu, or in a dialog that lies over the list. */
  function isElsewhere (target: EventTarget | null): boolean {
    if (!(target instanceof HTMLElement)) return false
    if (target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox])')) return true
    const dialogs = [...document.querySelectorAll('dialog[open]')]
    return target.closest('[role=menu]') !== null || dialogs.some((dialog) => list.current !== null && !dialog.contains(list.current))
  }
}
