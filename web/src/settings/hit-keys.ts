const rowsOf = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>('.settings-hits > [tabindex]')]

/** Moves from the search or a hit to the next one with ↑ and ↓; the search is above the first hit. */
export function moveAmongHits (event: KeyboardEvent): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const rows = rowsOf()
  const at = rows.findIndex((row) => row === event.target)
  const next = at + (event.key === 'ArrowDown' ? 1 : -1)
  if (next >= rows.length || (at === -1 && next < 0)) return
  event.preventDefault()
  if (next === -1) focusSearch()
  else rows[next]?.focus()
}

/** Handles keys on a focused hit: Enter changes it, Escape and letters lead back to the search. */
export function actOnHit (event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  if (event.target !== event.currentTarget) return
  if (event.key === 'Enter') {
    event.preventDefault()
    change(event.currentTarget)
  } else if (event.key === 'Escape' || event.key.length === 1) focusSearch()
  else moveAmongHits(event)
}

const focusSearch = (): void => document.querySelector<HTMLInputElement>('.settings-search input')?.focus()

/** Flips a switch, takes the next choice, follows a link, or focuses a field. */
function change (row: HTMLElement): void {
  const choices = [...row.querySelectorAll<HTMLInputElement>('input[type=radio]')]
  const next = choices[(choices.findIndex(({ checked }) => checked) + 1) % choices.length]
  const pressed = next ?? row.querySelector<HTMLElement>('input[type=checkbox], a.button')
  if (pressed !== null) pressed.click()
  else row.querySelector<HTMLElement>('input, select')?.focus()
}
