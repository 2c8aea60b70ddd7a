import { type RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** The actions of review keys on a file, by the id of its row (`data-change`). */
interface ReviewKeys {
  /** Shows or hides its diff. */
  unfold: (id: string, isOpen: boolean) => void
  accept: (id: string) => void
  giveBack: (id: string) => void
}

/**
 * The keys of a list of changed files, active in the panel around it, or only in the list. `]`, `n` and `j` open the next file, `[`, `p`
 * and `k` the previous one. Space selects the focused one, `c` comments on its first change, `a` accepts it and opens the next, `x` reverts
 * it.
 */
export function useChangeKeys (list: RefObject<HTMLElement>, keys: ReviewKeys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const panel = list.current?.closest<HTMLElement>('.side-tabs') ?? list.current
    if (panel === null) return
    const stop = new AbortController()
    panel.addEventListener('keydown', (event) => {
      const act = isElsewhere(event) ? null : actOf(event.key)
      if (act === null) return
      event.preventDefault()
      // Outside of the list, these keys show and hide the panel.
      event.stopPropagation()
      act()
    }, { signal: stop.signal })
    // Some browsers click a focused button when Space is released.
    panel.addEventListener('keyup', (event) => {
      if (event.key === ' ' && tickOf(event.target) !== null) event.preventDefault()
    }, { signal: stop.signal })
    return () => stop.abort()
  }, [])

  function actOf (key: string): (() => void) | null {
    if (key === ']' || key === 'n' || key === 'j') return () => go(1)
    if (key === '[' || key === 'p' || key === 'k') return () => go(-1)
    const row = list.current?.contains(document.activeElement) === true ? document.activeElement?.closest<HTMLElement>('[data-change]') : null
    const id = row?.dataset.change
    if (key === 'c') {
      const button = document.activeElement?.closest('.diff-hunk')?.querySelector<HTMLElement>('.diff-comment') ??
        row?.querySelector<HTMLElement>('.diff-comment')
      return button == null ? null : () => button.click()
    }
    if (key === 'x' && id !== undefined) return () => latest.current.giveBack(id)
    if (key === 'a' && id !== undefined) {
      return () => {
        latest.current.accept(id)
        go(1)
      }
    }
    const tick = key === ' ' ? tickOf(document.activeElement) : null
    return tick === null ? null : () => tick.click()
  }

  /** Opens the file next to the focused one, and closes the focused one. */
  function go (step: 1 | -1): void {
    const rows = [...list.current?.querySelectorAll<HTMLElement>('[data-change]') ?? []]
    const at = rows.findIndex((row) => row.contains(document.activeElement))
    const next = at === -1 ? rows.at(step === 1 ? 0 : -1) : rows[at + step]
    if (next === undefined) return
    const before = rows[at]?.dataset.change
    if (before !== undefined) latest.current.unfold(before, false)
    latest.current.unfold(next.dataset.change ?? '', true)
    next.querySelector<HTMLElement>('button[aria-expanded]')?.focus()
    next.scrollIntoView({ block: 'nearest' })
  }

  /** Whether the key has another meaning at its target: in a text, in a menu, or in a dialog over the list. */
  function isElsewhere ({ target, ctrlKey, metaKey, altKey, defaultPrevented }: KeyboardEvent): boolean {
    if (defaultPrevented || ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return true
    return target.matches('textarea, select, input:not([type=checkbox])') || target.closest('[role=menu]') !== null ||
      target.closest('dialog') !== (list.current?.closest('dialog') ?? null)
  }
}

/** Returns the checkbox of the row if the target is the row's button; null for anything else. */
function tickOf (target: EventTarget | null): HTMLInputElement | null {
  if (!(target instanceof HTMLElement) || !target.matches('.change-open')) return null
  return target.closest('.change')?.querySelector<HTMLInputElement>('.change-pick input') ?? null
}
